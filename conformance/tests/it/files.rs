//! A report is either complete or unchanged, however and whenever the program ends.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Output, Stdio};
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::middleware::{Next, from_fn};
use platform_conformance::report::{Format, json};
use platform_conformance::{catalogue, exit_code};
use tempfile::TempDir;
use tokio::sync::Notify;

use crate::served;

const YESTERDAY: &str = "the report of yesterday";

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
    command.env("PLATFORM_API_KEY", "dev-full-access");
    command
}

/// A directory with an old file for every report.
fn yesterday() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for format in Format::ALL {
        fs::write(directory.path().join(format.as_str()), YESTERDAY).unwrap();
    }
    directory
}

fn reports(directory: &Path) -> Vec<String> {
    let file = |format: Format| directory.join(format.as_str()).display().to_string();
    Format::ALL
        .map(|format| format!("--report={format}={}", file(format)))
        .into()
}

fn names(directory: &Path) -> Vec<String> {
    let files = fs::read_dir(directory).unwrap();
    let mut names: Vec<_> = files
        .map(|file| file.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// Asserts that every report is complete and that there are no other files.
fn assert_whole(directory: &Path) {
    let mut known = Format::ALL.map(|format| format.as_str().to_owned());
    known.sort();
    assert_eq!(names(directory), known);
    for format in Format::ALL {
        let text = fs::read_to_string(directory.join(format.as_str())).unwrap();
        assert!(text.contains("interrupted"), "{format}: {text}");
        let end = match format {
            Format::Json | Format::Sarif => "}\n",
            Format::Junit => "</testsuites>",
            Format::Markdown => "|\n",
            Format::Html => "</html>",
        };
        assert!(text.trim_end().ends_with(end.trim_end()), "{format}");
    }
}

fn signal(child: &Child, signals: &[&str]) {
    for name in signals {
        let process = child.id().to_string();
        let sent = Command::new("kill").args([name, process.as_str()]).status();
        assert!(sent.unwrap().success());
    }
}

/// A run that is slow enough to be interrupted, once it has begun.
fn slow_run(directory: &Path) -> (Child, BufReader<ChildStdout>) {
    let mut child = program()
        .args(["run", "--stub", "--rate", "2"])
        .args(reports(directory))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    printed.read_line(&mut line).unwrap();
    assert!(line.contains(" cases"), "{line}");
    (child, printed)
}

fn ended((child, mut printed): (Child, BufReader<ChildStdout>)) -> Output {
    // Its output has to be read, or it would block.
    printed.read_to_end(&mut Vec::new()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn one_signal_still_writes_the_reports() {
    let directory = yesterday();
    let run = slow_run(directory.path());
    signal(&run.0, &["-INT"]);
    let output = ended(run);
    assert_eq!(output.status.code(), Some(exit_code::INTERRUPTED.into()));
    assert_whole(directory.path());
    let written = fs::read_to_string(directory.path().join("json")).unwrap();
    let report = json::read(&written).unwrap();
    assert!(report.summary.interrupted);
    assert_eq!(report.cases.len(), catalogue().len());
}

#[test]
fn interrupted_run_is_recorded_completely() {
    let directory = tempfile::tempdir().unwrap();
    let [har, json] = ["run.har", "report.json"].map(|name| directory.path().join(name));
    let mut child = program()
        .args(["run", "--stub", "--rate", "20"])
        .arg(format!("--record={}", har.display()))
        .arg(format!("--report=json={}", json.display()))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut printed = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    // The estimate follows the first responses. On a busy machine these take longer than the rate.
    while ![" at the given rate", " per response"]
        .iter()
        .any(|end| line.contains(end))
    {
        line.clear();
        assert_ne!(printed.read_line(&mut line).unwrap(), 0, "it ended");
    }
    assert_eq!(names(directory.path()), [""; 0], "it has a name at the end");
    signal(&child, &["-INT"]);
    let output = ended((child, printed));
    assert_eq!(output.status.code(), Some(exit_code::INTERRUPTED.into()));
    let report = json::read(&fs::read_to_string(json).unwrap()).unwrap();
    let har: serde_json::Value = serde_json::from_str(&fs::read_to_string(har).unwrap()).unwrap();
    let entries = har["log"]["entries"].as_array().unwrap().len();
    assert!(entries > 0);
    assert_eq!(u64::try_from(entries).unwrap(), report.requests);
}

/// GNU `timeout` signals the program and then its whole group.
#[test]
fn two_signals_at_once_still_write_the_reports() {
    let directory = yesterday();
    let (mut child, printed) = slow_run(directory.path());
    signal(&child, &["-TERM"]);
    // Two signals before the program handles the first one count as one.
    let mut heard = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("Ctrl-C once more") {
        assert_ne!(heard.read_line(&mut line).unwrap(), 0, "it ended");
    }
    signal(&child, &["-TERM"]);
    let output = ended((child, printed));
    assert_eq!(output.status.code(), Some(exit_code::INTERRUPTED.into()));
    assert_whole(directory.path());
}

#[test]
fn killed_run_leaves_the_old_reports() {
    let directory = yesterday();
    let (mut child, printed) = slow_run(directory.path());
    signal(&child, &["-KILL"]);
    child.wait().unwrap();
    drop(printed);
    for format in Format::ALL {
        let text = fs::read_to_string(directory.path().join(format.as_str())).unwrap();
        assert_eq!(text, YESTERDAY, "{format}");
    }
    assert_eq!(names(directory.path()).len(), Format::ALL.len());
}

/// The system kills the program while it writes: no file may grow beyond a few kilobytes.
#[test]
fn run_killed_while_writing_leaves_the_old_report() {
    let directory = yesterday();
    let file = directory.path().join("html");
    let output = Command::new("sh")
        .args(["-c", "ulimit -c 0; ulimit -f 16; exec \"$0\" \"$@\""])
        .arg(env!("CARGO_BIN_EXE_platform-conformance"))
        .args(["run", "--stub", "--only", "limit/*"])
        .arg(format!("--report=html={}", file.display()))
        .output()
        .unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(fs::read_to_string(&file).unwrap(), YESTERDAY);
}

/// Additions never end; `begun` reports when one starts.
fn never_added(begun: Arc<Notify>) -> Router {
    let never = from_fn(move |request: Request, next: Next| {
        let begun = Arc::clone(&begun);
        async move {
            if request.method() == Method::POST {
                begun.notify_one();
                std::future::pending::<()>().await;
            }
            next.run(request).await
        }
    });
    crate::served::router().layer(never)
}

/// A run waits for requests that may have changed something, so that the report has their outcome. A second signal
/// ends the wait, and the report says that the outcome is unknown.
#[tokio::test(flavor = "multi_thread")]
async fn second_signal_stops_waiting_and_writes_the_reports() {
    let begun = Arc::new(Notify::new());
    let address = served::address(never_added(Arc::clone(&begun))).await;
    let directory = yesterday();
    let targets = tempfile::tempdir().unwrap();
    let target = targets.path().join("target.toml");
    let named = format!("base_url = \"http://{address}\"\n[pipelines]\nwritable = 6\n");
    fs::write(&target, named).unwrap();
    let mut child = program()
        .args(["run", "--allow-writes", "--only", "add/created", "--timeout", "600"])
        .args(["--target".as_ref(), target.as_os_str()])
        .args(reports(directory.path()))
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    begun.notified().await;
    signal(&child, &["-INT"]);
    let mut printed = BufReader::new(child.stderr.take().unwrap()).lines();
    let said = printed.find(|line| line.as_ref().unwrap().contains("Ctrl-C once more"));
    assert!(said.is_some());
    assert!(child.try_wait().unwrap().is_none(), "it does not wait");
    signal(&child, &["-INT"]);
    let status = tokio::task::block_in_place(|| {
        printed.for_each(drop);
        child.wait().unwrap()
    });
    assert_eq!(status.code(), Some(exit_code::INTERRUPTED.into()));
    assert_whole(directory.path());
    let written = fs::read_to_string(directory.path().join("json")).unwrap();
    assert!(written.contains("whether anything was changed is unknown"));
}

fn written(file: &Path) -> Output {
    let report = format!("--report=json={}", file.display());
    let arguments = ["run", "--stub", "--only", "limit/over-maximum-is-rejected", &report];
    program().args(arguments).output().unwrap()
}

fn assert_is_report(file: &Path) {
    let text = fs::read_to_string(file).unwrap();
    assert!(json::read(&text).is_ok(), "{text}");
}

#[test]
fn links_and_permissions_are_kept() {
    let directory = yesterday();
    let (file, link) = (directory.path().join("json"), directory.path().join("link"));
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
    symlink("json", &link).unwrap();
    assert!(written(&link).status.success());
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_is_report(&file);
    let mode = fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    // A link to a missing file points to where the file will be created.
    let (new, link) = (directory.path().join("new"), directory.path().join("to-new"));
    symlink("new", &link).unwrap();
    assert!(written(&link).status.success());
    assert_is_report(&new);
    let umask = Command::new("sh").args(["-c", "umask"]).output().unwrap();
    let umask = String::from_utf8(umask.stdout).unwrap();
    let umask = u32::from_str_radix(umask.trim(), 8).unwrap();
    let mode = fs::metadata(&new).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o666 & !umask);
}

#[test]
fn irregular_files_are_written_directly() {
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || fs::read_to_string(pipe).unwrap()
    });
    assert!(written(&pipe).status.success());
    assert!(json::read(&reader.join().unwrap()).is_ok());
    assert!(written(Path::new("/dev/null")).status.success());
    let output = written(Path::new("/dev/stdout"));
    assert!(String::from_utf8(output.stdout).unwrap().contains("\"kit_version\""));
    let full = written(Path::new("/dev/full"));
    assert_eq!(full.status.code(), Some(exit_code::COULD_NOT_RUN.into()));
    assert!(String::from_utf8(full.stderr).unwrap().contains("could not be written"));
}

#[test]
fn two_reports_in_one_file_are_rejected() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("report");
    let inside = directory.path().join("inside");
    fs::create_dir(&inside).unwrap();
    symlink(&file, directory.path().join("link")).unwrap();
    let spelt: [PathBuf; 4] = [
        file.clone(),
        directory.path().join("./report"),
        inside.join("../report"),
        directory.path().join("link"),
    ];
    for exists in [false, true] {
        if exists {
            fs::write(&file, YESTERDAY).unwrap();
        }
        for other in &spelt {
            let output = program()
                .args(["run", "--stub"])
                .arg(format!("--report=json={}", file.display()))
                .arg(format!("--report=html={}", other.display()))
                .output()
                .unwrap();
            assert_eq!(output.status.code(), Some(exit_code::USAGE.into()), "{other:?}");
            assert!(String::from_utf8_lossy(&output.stderr).contains("are the same file"));
        }
    }
    assert_eq!(fs::read_to_string(&file).unwrap(), YESTERDAY);
}

#[test]
fn profile_and_judgement_are_replaced_atomically() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).display().to_string();
    let (profile, judgement) = (file("profile.json"), file("judgement.json"));
    for path in [&profile, &judgement] {
        fs::write(path, YESTERDAY).unwrap();
    }
    let probe = ["probe", "--stub", "--point", "error-media-type", "--out", &profile];
    let selftest = ["selftest", "--variant", "no-such-*", "--json", &judgement];
    assert!(program().args(probe).output().unwrap().status.success());
    assert!(fs::read_to_string(&profile).unwrap().starts_with('{'));
    // Nothing is tested, so nothing is written.
    assert!(!program().args(selftest).output().unwrap().status.success());
    assert_eq!(fs::read_to_string(&judgement).unwrap(), YESTERDAY);
    assert_eq!(names(directory.path()), ["judgement.json", "profile.json"]);
}
