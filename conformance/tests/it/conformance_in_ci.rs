//! The example `conformance_in_ci`, as a program: in the same process and on a deployment.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use platform_conformance::selftest::Plant;

use crate::points::{but, clamped};
use crate::served;

/// Returns the program. Cargo builds it together with the tests, unless only some tests are selected.
fn example() -> Command {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let name = format!("conformance_in_ci{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/conformance_in_ci.rs");
    let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified());
    let written = modified(Path::new(source)).unwrap();
    assert!(
        modified(&path).is_ok_and(|built| built >= written),
        "{} is missing or older than its source; run `cargo test -p platform-conformance`, which builds it",
        path.display()
    );
    let mut command = Command::new(path);
    command.env_remove("PLATFORM_BASE_URL").env_remove("PLATFORM_API_KEY");
    command
}

async fn run(mut command: Command) -> (i32, String, String) {
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output { status, stdout, stderr } = output.await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

async fn on_deployment(plant: Option<&Plant>, key: &str) -> (i32, String, String) {
    let router = plant.map_or_else(crate::served::router, but);
    let address = served::address(router).await;
    let mut command = example();
    command
        .env("PLATFORM_BASE_URL", format!("http://{address}"))
        .env("PLATFORM_API_KEY", key)
        .args(["limit/", "--skip", "search-limit/"]);
    run(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn ci_passes_on_the_service_and_on_staging() {
    let mut command = example();
    command.args(["limit/", "--skip", "search-limit/"]);
    for (code, out, err) in [run(command).await, on_deployment(None, "dev-full-access").await] {
        assert_eq!(code, 0, "{out}{err}");
        assert!(out.contains("test result: ok. "), "{out}");
        assert!(!out.contains(" 0 passed"), "{out}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sample_in_the_examples_guide_is_the_output() {
    let guide = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/README.md");
    let guide = fs::read_to_string(guide).unwrap();
    let (_, sample) = guide.split_once("conformance_in_ci -- ").unwrap();
    let (filter, sample) = sample.split_once("\n```\n\n```text\n").unwrap();
    let (sample, _) = sample.split_once("…").unwrap();
    let mut command = example();
    command.arg(filter);
    let (code, out, _) = run(command).await;
    assert_eq!(code, 0, "{out}");
    // The tests run at once, so their order varies.
    for line in sample.lines() {
        assert!(out.contains(line), "no {line:?} in\n{out}");
    }
    let tests = |text: &str| text.matches(" ... ok").count();
    assert_eq!(tests(&out), tests(sample), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ci_fails_on_a_violation_and_shows_it() {
    let (code, out, _) = on_deployment(Some(&clamped()), "dev-full-access").await;
    assert_eq!(code, 101, "{out}");
    assert!(out.contains("limit/over-maximum-is-rejected"), "{out}");
    assert!(out.contains("  expected  422"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ci_without_a_valid_key_ends_with_a_message() {
    let mut command = example();
    command.env("PLATFORM_BASE_URL", "http://127.0.0.1:1");
    let (code, _, err) = run(command).await;
    assert_eq!(code, 1);
    assert_eq!(err, "error: set PLATFORM_API_KEY to a key of the deployment\n");

    let (code, out, _) = on_deployment(None, "not-a-key-of-this-server").await;
    assert_eq!(code, 101, "{out}");
    assert!(out.contains("401"), "{out}");
    assert!(!out.contains("not-a-key-of-this-server"), "{out}");
}
