//! A project in a folder of its own, and runs of the program in it.

use std::{
    fs,
    io::Read,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use serde_json::Value;

/// A folder with scenarios, a site, baselines and artifacts, and a folder for temporary files.
pub(crate) struct Project {
    folder: tempfile::TempDir,
}

/// How a run ended.
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A page that fills its window with some text and a button.
pub(crate) const PAGE: &str = "<!doctype html><meta charset=utf-8><title>Page</title>
<style>body{font:16px 'DejaVu Sans';margin:40px}button{font:inherit;padding:8px 16px}</style>
<h1>Harbour</h1><p id=text>Three ships are in.</p><button id=go onclick=\"text.textContent='A fourth arrived.'\">Next</button>
<p><input id=field></p>";

impl Project {
    /// An empty project.
    pub(crate) fn new() -> Self {
        let project = Self { folder: tempfile::Builder::new().prefix("project-").tempdir().unwrap() };
        fs::create_dir_all(project.path("tmp")).unwrap();
        project
    }

    /// A project whose `site/index.html` is [`PAGE`].
    pub(crate) fn with_page() -> Self {
        let project = Self::new();
        project.write("scenarios/site/index.html", PAGE);
        project
    }

    /// The path of a file in the project.
    pub(crate) fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) {
        let path = self.path(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Reads a text file.
    pub(crate) fn read(&self, relative: &str) -> String {
        let path = self.path(relative);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// `run.json` of the last run.
    pub(crate) fn report(&self) -> Value {
        serde_json::from_str(&self.read("artifacts/run.json")).unwrap()
    }

    /// The command `cu-run` with these arguments in the project's folder, with nothing of the caller's CI about it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_cu-run"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env("TMPDIR", self.path("tmp"))
            .env_remove("CI")
            .env_remove("NO_COLOR")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// Runs `cu-run` with these arguments.
    pub(crate) fn run(&self, arguments: &[&str]) -> Outcome {
        finish(self.command(arguments).spawn().unwrap())
    }

    /// Runs and expects this exit code.
    pub(crate) fn run_expecting(&self, code: i32, arguments: &[&str]) -> Outcome {
        let outcome = self.run(arguments);
        assert_eq!(
            outcome.code,
            Some(code),
            "cu-run {arguments:?}\nstdout:\n{}\nstderr:\n{}",
            outcome.stdout,
            outcome.stderr
        );
        outcome
    }

    /// The ids and commands of living processes that were started below this project: their environment, command or
    /// working folder names its folder (Chromium writes over its environment).
    pub(crate) fn processes(&self) -> Vec<String> {
        let mark = self.folder.path().as_os_str().as_encoded_bytes();
        let mut found = Vec::new();
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let path = entry.path();
            let command = fs::read(path.join("cmdline")).unwrap_or_default();
            let environment = fs::read(path.join("environ")).unwrap_or_default();
            let folder = fs::read_link(path.join("cwd")).unwrap_or_default();
            let names_it = |text: &[u8]| text.windows(mark.len()).any(|window| window == mark);
            if [&command[..], &environment, folder.as_os_str().as_encoded_bytes()].into_iter().any(names_it) {
                let command = String::from_utf8_lossy(&command).replace('\0', " ");
                found.push(format!("{} {command}", entry.file_name().to_string_lossy()));
            }
        }
        found
    }

    /// Every file below a folder of the project, with its content, sorted.
    pub(crate) fn files(&self, relative: &str) -> Vec<(PathBuf, Vec<u8>)> {
        fn collect(folder: &Path, files: &mut Vec<(PathBuf, Vec<u8>)>) {
            let Ok(entries) = fs::read_dir(folder) else { return };
            for entry in entries.flatten() {
                let path = entry.path();
                if path.is_dir() {
                    collect(&path, files);
                } else {
                    let content = fs::read(&path).unwrap_or_default();
                    files.push((path, content));
                }
            }
        }
        let mut files = Vec::new();
        collect(&self.path(relative), &mut files);
        files.sort();
        files
    }
}

/// Waits for the end of a run.
pub(crate) fn finish(mut child: Child) -> Outcome {
    let (mut out, mut err) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let reader = std::thread::spawn(move || {
        let mut text = Vec::new();
        err.read_to_end(&mut text).unwrap();
        text
    });
    let mut stdout = Vec::new();
    out.read_to_end(&mut stdout).unwrap();
    let stderr = reader.join().unwrap();
    let status = child.wait().unwrap();
    Outcome {
        code: status.code(),
        stdout: String::from_utf8_lossy(&stdout).into_owned(),
        stderr: String::from_utf8_lossy(&stderr).into_owned(),
    }
}

/// Looks again and again until `condition` holds; panics with `what` after half a minute.
#[expect(clippy::disallowed_methods, reason = "the tests watch other processes in real time")]
pub(crate) fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(30), "not seen within 30 s: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
