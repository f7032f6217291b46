#!/bin/sh
# Installs what cu-run, its tests and its demo need and this machine lacks: Debian and Ubuntu packages.
set -eu

missing=""
need() { # need COMMAND PACKAGE
    command -v "$1" >/dev/null 2>&1 || missing="$missing $2"
}

need Xvfb xvfb
need openbox openbox
need xterm xterm
need zenity zenity
need xev x11-utils
need ps procps
need xmllint libxml2-utils
need fc-list fontconfig
need cc gcc
[ -e /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf ] || missing="$missing fonts-dejavu-core"

browser=""
for name in ${CU_RUN_CHROMIUM:-} chromium chromium-browser google-chrome google-chrome-stable; do
    if command -v "$name" >/dev/null 2>&1; then browser=$name; break; fi
done
# Ubuntu's chromium packages are empty shells around a snap, which has no private HOME and no DevTools pipe.
if [ -n "$browser" ] && [ "$(readlink -f "$(command -v "$browser")")" = /usr/bin/snap ]; then browser=""; fi
if [ -z "$browser" ] && ! grep -qi '^ID=ubuntu' /etc/os-release; then missing="$missing chromium"; fi

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

if [ -n "$missing" ]; then
    echo "installing:$missing"
    as_root apt-get update -q
    # shellcheck disable=SC2086 # a list of packages
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $missing
fi

if [ -z "$browser" ] && grep -qi '^ID=ubuntu' /etc/os-release; then
    echo "no Chromium was found, and Ubuntu's package is a snap, which cu-run cannot drive." >&2
    echo "install Google Chrome (google-chrome-stable) or set CU_RUN_CHROMIUM to a Chromium, then try again." >&2
    exit 1
fi
