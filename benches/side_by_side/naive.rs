//! The naive way to a picture of a page: start an Xvfb and a browser, look every 100 ms until two pictures are equal.

use std::{
    error::Error,
    fs::{self, File},
    io::{BufRead as _, BufReader, Read as _},
    os::{fd::OwnedFd, unix::process::CommandExt as _},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use command_fds::{CommandFdExt as _, FdMapping};
use cu_run::{
    browser::{ChromiumConfig, ChromiumSource},
    clock::{Clock as _, Deadline, SystemClock},
};
use rustix::process::{Pid, Signal, kill_process_group};

use crate::stage::{LIMIT, SCREEN};

/// Between two looks.
const POLL: Duration = Duration::from_millis(100);

/// Bytes of the screen's file before the pixels begin, at least: an XWD header and a colour map. Pictures are only
/// compared with each other, so it does not matter that they are included.
const HEADER: usize = 3232;

/// A process in a group of its own, killed with the whole group.
struct Group(Child);

impl Group {
    fn start(command: &mut Command) -> Result<Self, Box<dyn Error>> {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).process_group(0);
        Ok(Self(command.spawn().map_err(|error| format!("{}: {error}", command.get_program().display()))?))
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What has ended already needs no end.
        let _ = kill_process_group(Pid::from_child(&self.0), Signal::KILL);
        let _ = self.0.wait();
    }
}

/// Shows `url` on a fresh display until it is still, and ends everything.
///
/// The screen is read from the file that Xvfb keeps it in (`-fbdir`): there is no faster way to see it.
pub(crate) fn show(url: &str) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let (number, _server) = start_server(folder.path())?;
    let executable = ChromiumSource::new(ChromiumConfig::default(), std::sync::Arc::new(SystemClock));
    let mut browser = Command::new(executable.executable(None)?);
    browser.args(["--no-first-run", "--no-sandbox", "--test-type", "--password-store=basic", "--kiosk"]);
    browser.arg(format!("--user-data-dir={}", folder.path().join("profile").display()));
    browser.arg(format!("--window-size={},{}", SCREEN.width, SCREEN.height)).arg("--window-position=0,0");
    browser.arg(url).env("DISPLAY", format!(":{number}")).env("HOME", folder.path());
    let _browser = Group::start(&mut browser)?;
    await_still(&folder.path().join("Xvfb_screen0"))
}

fn start_server(folder: &Path) -> Result<(u32, Group), Box<dyn Error>> {
    let (reads, writes) = std::io::pipe()?;
    let mut command = Command::new("Xvfb");
    command.args(["-displayfd", "3", "-nolisten", "tcp", "-screen", "0", &format!("{SCREEN}x24"), "-fbdir"]);
    command.arg(folder);
    command.fd_mappings(vec![FdMapping { parent_fd: OwnedFd::from(writes), child_fd: 3 }])?;
    let server = Group::start(&mut command)?;
    // The command keeps our copy of the server's end.
    drop(command);
    let mut line = String::new();
    BufReader::new(reads).read_line(&mut line)?;
    Ok((line.trim().parse().map_err(|_| "Xvfb did not start")?, server))
}

fn await_still(screen: &Path) -> Result<(), Box<dyn Error>> {
    let deadline = Deadline::after(&SystemClock, LIMIT);
    let mut before = Vec::new();
    while !deadline.has_passed(&SystemClock) {
        let mut now = Vec::with_capacity(fs::metadata(screen)?.len() as usize);
        File::open(screen)?.read_to_end(&mut now)?;
        if now == before && !is_blank(&now) {
            return Ok(());
        }
        before = now;
        SystemClock.sleep(POLL);
    }
    Err("the naive way saw no still page".into())
}

/// Whether all pixels have one colour, as before the first paint, and before that of the page.
fn is_blank(picture: &[u8]) -> bool {
    let pixels = &picture[HEADER.min(picture.len())..];
    pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[..3] == pixels[..3])
}
