//! The guides: the program accepts its command lines, and the server answers the requests of its guide.

use std::path::Path;
use std::process::Command;

use platform_server_stub::Emulator;

#[path = "../../../examples/tests/it/shell.rs"]
#[allow(dead_code)]
mod shell;

#[test]
fn every_command_line_of_the_program_is_accepted() {
    let (mut checked, mut rejected) = (0, Vec::new());
    for command in shell::commands() {
        let Some(arguments) = command.arguments_of("platform-server-stub") else {
            continue;
        };
        let program = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        if let Some(error) = shell::rejected(program, arguments) {
            rejected.push(format!("{}: {arguments:?}: {error}", command.guide.display()));
        }
        checked += 1;
    }
    assert!(checked >= 12, "{checked} command lines were found");
    assert!(rejected.is_empty(), "{}", rejected.join("\n"));
}

/// Requests over HTTPS are left out: they need the certificate of a server that is started for them.
#[tokio::test(flavor = "multi_thread")]
#[expect(clippy::print_stderr, reason = "reports why nothing was checked")]
async fn requests_of_the_guide_succeed() {
    if Command::new("curl").arg("--version").output().is_err() {
        eprintln!("left out: curl is not installed");
        return;
    }
    let emulator = Emulator::builder().admin().start().await.unwrap();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let mut sent = 0;
    for command in shell::commands_of(&guide) {
        let is_http = command
            .words
            .iter()
            .any(|word| word.starts_with("http://127.0.0.1:8080/"));
        if command.words[0] != "curl" || !is_http {
            continue;
        }
        let address = emulator.base_url().to_owned();
        let words = command.words[1..].to_vec();
        let arguments = words
            .into_iter()
            .map(move |word| word.replace("http://127.0.0.1:8080", &address));
        let mut curl = Command::new("curl");
        // A proxy in the environment is not for this machine.
        curl.args(["--silent", "--show-error", "--fail-with-body", "--noproxy", "*"])
            .args(arguments);
        let output = tokio::task::spawn_blocking(move || curl.output().unwrap())
            .await
            .unwrap();
        let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert!(output.status.success(), "{:?}: {text}", command.words);
        sent += 1;
    }
    assert!(sent >= 9, "{sent} requests were sent");
}
