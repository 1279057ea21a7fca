//! Runs an example as a program.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(unix)]
use std::time::Duration;

use tempfile::TempDir;

/// An example that is about to run, in a folder of its own.
pub(crate) struct Program {
    command: Command,
    folder: TempDir,
}

/// What a program has done.
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
    /// The folder that it ran in.
    pub(crate) folder: TempDir,
}

impl Program {
    pub(crate) fn new(example: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(path(example));
        command.current_dir(folder.path());
        // Files that an example makes stay in its folder.
        command.env("TMPDIR", folder.path());
        for variable in ["BASE_URL", "API_KEY", "PIPELINE", "ADD_TO"] {
            command.env_remove(format!("PLATFORM_{variable}"));
        }
        Self { command, folder }
    }

    pub(crate) fn on(self, base_url: &str) -> Self {
        self.env("PLATFORM_BASE_URL", base_url)
            .env("PLATFORM_API_KEY", "dev-full-access")
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub(crate) fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.command.args(args);
        self
    }

    /// Runs in the folder of an earlier run.
    pub(crate) fn after(mut self, earlier: Run) -> Self {
        self.command.current_dir(earlier.folder.path());
        self.command.env("TMPDIR", earlier.folder.path());
        self.folder = earlier.folder;
        self
    }

    pub(crate) fn file(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        fs::write(self.folder.path().join(name), content).unwrap();
        self
    }

    pub(crate) async fn run(self) -> Run {
        let Self { mut command, folder } = self;
        let output = tokio::task::spawn_blocking(move || command.output().unwrap());
        let output = output.await.unwrap();
        Run {
            code: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
            folder,
        }
    }

    /// Runs, and sends the signal of Ctrl-C once a file of its folder contains a text.
    #[cfg(unix)]
    pub(crate) async fn interrupted_when(mut self, file: &str, text: &str) -> Run {
        let path = self.folder.path().join(file);
        let (out, err) = (self.folder.path().join("out"), self.folder.path().join("err"));
        self.command.stdout(fs::File::create(&out).unwrap());
        self.command.stderr(fs::File::create(&err).unwrap());
        let mut child = self.command.spawn().unwrap();
        let text = text.to_owned();
        let ended = tokio::task::spawn_blocking(move || {
            let contains = || fs::read_to_string(&path).is_ok_and(|content| content.contains(&text));
            while !contains() && child.try_wait().unwrap().is_none() {
                std::thread::sleep(Duration::from_millis(20));
            }
            let id = child.id().to_string();
            Command::new("kill").args(["-INT", &id]).status().unwrap();
            child.wait().unwrap()
        });
        Run {
            code: ended.await.unwrap().code().unwrap(),
            out: fs::read_to_string(out).unwrap(),
            err: fs::read_to_string(err).unwrap(),
            folder: self.folder,
        }
    }

    /// Runs, and returns the output of a run that succeeds.
    pub(crate) async fn out(self) -> String {
        let run = self.run().await;
        run.assert_success();
        run.out
    }
}

impl Run {
    pub(crate) fn assert_success(&self) {
        let Self { code, out, err, .. } = self;
        assert!(*code == 0 && err.is_empty(), "exit code {code}\n{out}\n{err}");
        assert_pleasant(out);
    }

    pub(crate) fn read(&self, file: &str) -> String {
        fs::read_to_string(self.folder.path().join(file)).unwrap()
    }
}

/// Checks that an output fits a screen, and that no part of it is meant for programmers of the SDK.
fn assert_pleasant(out: &str) {
    for line in out.lines() {
        assert!(line.chars().count() <= 80, "wider than 80 columns: {line}");
        assert_eq!(line, line.trim_end(), "white space at the end");
        for debug in ["Some(", "None", "Error {", "Ok(", "Err("] {
            assert!(!line.contains(debug), "debug output: {line}");
        }
    }
    assert!(out.ends_with('\n') && !out.contains("\n\n\n"), "{out:?}");
}

/// Returns the program of an example. Cargo builds it together with the tests, unless only some tests are selected.
fn path(example: &str) -> PathBuf {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let name = format!("{example}{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("{example}.rs"));
    let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified());
    let is_current = modified(&path).is_ok_and(|built| built >= modified(&source).unwrap());
    assert!(
        is_current,
        "{} is missing or older than its source; run `cargo test -p platform-examples`, which builds it",
        path.display()
    );
    path
}

/// Returns the lines after the one that begins with `heading`, up to an empty line.
pub(crate) fn section<'a>(out: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = out.lines().skip_while(|line| !line.starts_with(heading));
    assert!(lines.next().is_some(), "no {heading:?} in\n{out}");
    let lines = lines.skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect()
}
