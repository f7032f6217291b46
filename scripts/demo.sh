#!/bin/sh
# Runs the shipped scenarios against the bundled site and says where the report is.
#
# The shipped baselines were accepted with one version of Chromium. Where another one draws the pages differently,
# that is an honest failure: it is shown, and then the demo goes on with baselines recorded on this machine.
set -u

cu_run=target/release/cu-run
artifacts=${CU_RUN_DEMO_ARTIFACTS:-artifacts}

finish() {
    echo
    echo "report: $(pwd)/$artifacts/report.html"
    echo "        beside it junit.xml, run.json and actions.jsonl"
    exit "$1"
}

"$cu_run" scenarios --artifacts "$artifacts" --ci=true
code=$?
[ $code = 1 ] || finish $code

# Only failures that a changed environment explains are answered by baselines of this machine.
changed=$(grep -c '"kind": "environment_changed"' "$artifacts/run.json")
other=$(grep '"kind": "' "$artifacts/run.json" | grep -c -E '"kind": "(difference|size_difference|missing_baseline|not_still|target_|navigation|app|needs_approval|blocked)')
if [ "$changed" -eq 0 ] || [ "$other" -ne 0 ]; then finish $code; fi

echo
echo "This machine draws the pages differently from the one that the shipped baselines come from (see above)."
echo "The demo goes on with baselines of this machine: recorded once, then compared on fresh displays."
local_baselines=target/demo-baselines
rm -rf "$local_baselines"
"$cu_run" scenarios --artifacts "$artifacts" --baselines "$local_baselines" --update-baselines=missing --ci=false || finish $?
"$cu_run" scenarios --artifacts "$artifacts" --baselines "$local_baselines" --ci=true
finish $?
