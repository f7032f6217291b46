//! A display for these tests alone: an Xvfb with openbox, the pointer, pixels, and programs with pipes.

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    os::{fd::OwnedFd, unix::process::CommandExt, unix::process::ExitStatusExt},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Duration,
};

use command_fds::{CommandFdExt, FdMapping};
use cu_run::{
    clock::{Clock, SystemClock},
    desktop::{App, AppId, AppPipes, AppState, Desktop, DesktopError, Program, Window},
    geometry::{Point, Region, Size},
    input::{Button, KeyChord, Press},
};
use image::RgbImage;
use rustix::process::{Pid, Signal, kill_process_group};
use x11rb::{
    connection::Connection,
    protocol::{
        xproto::{AtomEnum, ConnectionExt as _, ImageFormat},
        xtest::ConnectionExt as _,
    },
    rust_connection::RustConnection,
};

pub(crate) struct TestDesktop {
    folder: tempfile::TempDir,
    number: u32,
    x: RustConnection,
    root: u32,
    size: Size,
    children: Vec<Child>,
}

impl TestDesktop {
    pub(crate) fn open(size: Size) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        let screen = format!("{size}x24");
        let xvfb = Command::new("Xvfb")
            .args(["-displayfd", "3", "-screen", "0", &screen, "-nolisten", "tcp", "-dpi", "96", "-noreset"])
            .stderr(Stdio::null())
            .fd_mappings(vec![FdMapping { parent_fd: writer.into(), child_fd: 3 }])
            .unwrap()
            .spawn()
            .expect("Xvfb is installed");
        let mut number = String::new();
        BufReader::new(reader).read_line(&mut number).unwrap();
        let number = number.trim().parse().unwrap();
        let (x, screen) = RustConnection::connect(Some(&format!(":{number}"))).unwrap();
        let root = x.setup().roots[screen].root;
        let mut desktop = Self { folder, number, x, root, size, children: vec![xvfb] };
        let wm = desktop.command("openbox").stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        desktop.children.push(wm.expect("openbox is installed"));
        desktop
    }

    pub(crate) fn kill(&mut self, pid: u32, signal: Signal) {
        rustix::process::kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
    }

    pub(crate) fn newest_pid(&self) -> u32 {
        self.children.last().unwrap().id()
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .env("DISPLAY", format!(":{}", self.number))
            .env("HOME", self.folder.path())
            .env("DBUS_SESSION_BUS_ADDRESS", "disabled:")
            .stdin(Stdio::null());
        command
    }
}

impl Desktop for TestDesktop {
    fn size(&self) -> Size {
        self.size
    }
    fn await_window_manager(&mut self) -> Result<(), DesktopError> {
        let atom = self.x.intern_atom(false, b"_NET_SUPPORTING_WM_CHECK").unwrap().reply().unwrap().atom;
        for _ in 0..2000 {
            let found = self.x.get_property(false, self.root, atom, AtomEnum::WINDOW, 0, 1).unwrap();
            if found.reply().unwrap().value_len == 1 {
                return Ok(());
            }
            SystemClock.sleep(Duration::from_millis(5));
        }
        panic!("openbox did not start")
    }
    fn pointer(&mut self) -> Result<Point, DesktopError> {
        unimplemented!()
    }
    fn move_pointer(&mut self, to: Point) -> Result<(), DesktopError> {
        self.x.xtest_fake_input(6, 0, 0, self.root, to.x as i16, to.y as i16, 0).unwrap().check().unwrap();
        Ok(())
    }
    fn button(&mut self, _: Button, press: Press) -> Result<(), DesktopError> {
        let kind = if press == Press::Down { 4 } else { 5 };
        self.x.xtest_fake_input(kind, 1, 0, self.root, 0, 0, 0).unwrap().check().unwrap();
        Ok(())
    }
    fn type_text(&mut self, text: &str) -> Result<(), DesktopError> {
        for _ in text.chars() {
            // Keycode 38 is `a` everywhere.
            for kind in [2, 3] {
                self.x.xtest_fake_input(kind, 38, 0, self.root, 0, 0, 0).unwrap().check().unwrap();
            }
        }
        Ok(())
    }
    fn chord(&mut self, _: &KeyChord, _: Press, _: bool) -> Result<(), DesktopError> {
        // Keycode 36 is Return.
        for kind in [2, 3] {
            self.x.xtest_fake_input(kind, 36, 0, self.root, 0, 0, 0).unwrap().check().unwrap();
        }
        Ok(())
    }
    fn release_all(&mut self) -> Result<Vec<String>, DesktopError> {
        unimplemented!()
    }
    fn capture(&mut self, region: Region) -> Result<RgbImage, DesktopError> {
        let image = self.x.get_image(
            ImageFormat::Z_PIXMAP,
            self.root,
            region.x as i16,
            region.y as i16,
            region.width as u16,
            region.height as u16,
            !0,
        );
        let data = image.unwrap().reply().unwrap().data;
        let rgb = data.chunks_exact(4).flat_map(|bgrx| [bgrx[2], bgrx[1], bgrx[0]]).collect();
        Ok(RgbImage::from_raw(region.width, region.height, rgb).unwrap())
    }
    fn damage(&mut self, _: Duration) -> Result<Vec<Region>, DesktopError> {
        unimplemented!()
    }
    fn windows(&mut self) -> Result<Vec<Window>, DesktopError> {
        unimplemented!()
    }
    fn focus(&mut self, _: u32) -> Result<(), DesktopError> {
        unimplemented!()
    }
    fn launch(&mut self, program: &Program) -> Result<App, DesktopError> {
        let (app_reads, to_app) = std::io::pipe().unwrap();
        let (from_app, app_writes) = std::io::pipe().unwrap();
        let log = File::create(self.log_dir().join(&program.log_name)).unwrap();
        let child = self
            .command(&program.argv[0])
            .args(&program.argv[1..])
            .envs(&program.env)
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .process_group(0)
            .fd_mappings(vec![
                FdMapping { parent_fd: app_reads.into(), child_fd: 3 },
                FdMapping { parent_fd: app_writes.into(), child_fd: 4 },
            ])
            .unwrap()
            .spawn()
            .unwrap();
        let pid = child.id();
        self.children.push(child);
        let file = |fd: OwnedFd| File::from(fd);
        let pipes = AppPipes { from_app: file(from_app.into()), to_app: file(to_app.into()) };
        Ok(App { id: AppId(self.children.len() as u32 - 1), pid, pipes: Some(pipes) })
    }
    fn app_state(&mut self, app: AppId) -> Result<AppState, DesktopError> {
        Ok(match self.children[app.0 as usize].try_wait().unwrap() {
            None => AppState::Running,
            Some(status) => match status.signal() {
                Some(signal) => AppState::Killed(signal),
                None => AppState::Exited(status.code().unwrap()),
            },
        })
    }
    fn stop_app(&mut self, app: AppId) -> Result<(), DesktopError> {
        let child = &mut self.children[app.0 as usize];
        let group = Pid::from_raw(child.id() as i32).unwrap();
        let _ = kill_process_group(group, Signal::KILL);
        child.wait().unwrap();
        Ok(())
    }
    fn home(&self) -> PathBuf {
        self.folder.path().to_owned()
    }
    fn log_dir(&self) -> PathBuf {
        self.folder.path().join("logs")
    }
    fn close(&mut self) -> Result<(), DesktopError> {
        Ok(())
    }
}

impl Drop for TestDesktop {
    fn drop(&mut self) {
        for child in self.children.iter_mut().rev() {
            let _ = kill_process_group(Pid::from_raw(child.id() as i32).unwrap(), Signal::KILL);
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}
