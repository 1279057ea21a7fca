//! Cases outside the catalogue, as in `examples/own_case.rs`, and the guide for authors of cases.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use platform_conformance::report::Silent;
use platform_conformance::selftest::Plant;
use platform_conformance::{Basis, Case, Clause, Options, Pattern, Verdict, catalogue, exit_code, run};
use serde_json::json;

use crate::points::but;
use crate::served;

#[path = "../../examples/own_case.rs"]
#[allow(dead_code)]
mod example;

async fn verdict(plant: &Plant) -> (Verdict, String) {
    let target = served::target(but(plant)).await;
    let options = Options {
        only: vec![Pattern::from("acme/*"), Pattern::from("limit/default-applies")],
        ..Options::default()
    };
    let cases = [example::own_cases(), catalogue()].concat();
    let report = run(cases, &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.cases.len(), 2);
    assert_eq!(report.chapters[0].title, "What the app of Acme relies on");
    let own = report.case("acme/organizations-have-names").unwrap();
    (own.verdict, own.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn custom_case_runs_with_the_catalogue() {
    let (passed, _) = verdict(&Plant::answer(|_, _| ())).await;
    assert_eq!(passed, Verdict::Passed);
    let nameless = Plant::answer(|_, answered| answered.results(|result| result["name"] = json!(" ")));
    let (failed, shown) = verdict(&nameless).await;
    assert_eq!(failed, Verdict::Failed);
    for part in ["ACME-7", "never empty", "fresh%20fish", "not empty"] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
}

#[tokio::test]
async fn custom_clause_is_at_a_place_of_the_contract() {
    let clause = Clause {
        pointer: "/components/schemas/Organisation".to_owned(),
        sentence: "Organizations have names.".to_owned(),
        basis: Basis::Decided("ACME-7".to_owned()),
    };
    let case = Case::resting_on("acme/names", "Organizations have names", vec![clause]);
    let target = served::target(served::router()).await;
    let refused = run(vec![case], &target, &Options::default(), &mut Silent).await;
    let message = refused.err().unwrap().to_string();
    assert!(message.contains("/components/schemas/Organisation"), "{message}");
}

/// The quotes in the guide occur word for word in the files that it names.
#[test]
fn guide_quotes_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guide = fs::read_to_string(root.join("AUTHORING.md")).unwrap();
    let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut quoted = 0;
    let mut blocks = guide.split("```").skip(1).step_by(2);
    let mut named = guide.split("```").step_by(2).map(|text| {
        let line = text.trim_end().lines().last().unwrap_or_default();
        line.rsplit('`').nth(1).unwrap_or_default().to_owned()
    });
    while let (Some(block), Some(file)) = (blocks.next(), named.next()) {
        let Some(code) = block.strip_prefix("rs\n").or(block.strip_prefix("yaml\n")) else {
            continue;
        };
        let text = fs::read_to_string(root.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        assert!(plain(&text).contains(&plain(code)), "{file} has no\n{code}");
        quoted += 1;
    }
    assert!(quoted >= 4, "{quoted} quotes");
}

/// Runs the example as a program, without a key unless there is one.
async fn program(base_url: Option<&str>, key: Option<&str>) -> (i32, String, String) {
    let tests = std::env::current_exe().unwrap();
    let folder = tests.parent().and_then(Path::parent).unwrap();
    let name = format!("own_case{}", std::env::consts::EXE_SUFFIX);
    let path = folder.join("examples").join(name);
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/own_case.rs");
    let modified = |path: &Path| fs::metadata(path).and_then(|it| it.modified());
    assert!(
        modified(&path).is_ok_and(|built| built >= modified(&source).unwrap()),
        "{} is missing or older than its source; run `cargo test -p platform-conformance`, which builds it",
        path.display()
    );
    let mut command = Command::new(path);
    command.env_remove("PLATFORM_API_KEY").args(base_url);
    command.envs(key.map(|key| ("PLATFORM_API_KEY", key)));
    let output = tokio::task::spawn_blocking(move || command.output().unwrap());
    let Output { status, stdout, stderr } = output.await.unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn program_that_checked_nothing_does_not_pass() {
    let address = served::address(served::router()).await;
    let base_url = format!("http://{address}");
    for (base_url, key, reason) in [
        ("http://127.0.0.1:1", "dev-full-access", "127.0.0.1:1"),
        (base_url.as_str(), "not-a-key-of-this-server", "401"),
    ] {
        let (code, _, err) = program(Some(base_url), Some(key)).await;
        assert_eq!(code, i32::from(exit_code::COULD_NOT_RUN), "{err}");
        assert!(err.starts_with("error: ") && err.contains(reason), "{err}");
        assert_eq!(err.lines().count(), 1, "{err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn program_names_what_is_missing() {
    for (base_url, key, message) in [
        (
            None,
            None,
            "name the base URL of a deployment: own_case -- https://staging.example",
        ),
        (
            Some("http://127.0.0.1:1"),
            None,
            "set PLATFORM_API_KEY to a key of the deployment",
        ),
    ] {
        let (code, _, err) = program(base_url, key).await;
        assert_eq!((code, err), (2, format!("error: {message}\n")));
    }
}
