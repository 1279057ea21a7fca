//! Rules for all examples.

use std::fs;

use futures::future::join_all;

use crate::deployment;
use crate::program::{Program, Run};

/// The examples, with arguments that they need on a deployment.
const EXAMPLES: [(&str, &[&str]); 11] = [
    ("quickstart", &[]),
    ("lookalikes", &[]),
    ("product_scout", &[]),
    ("ideal_customers", &[]),
    ("sorted_board", &[]),
    ("bulk_add", &["organizations.csv"]),
    ("await_answers", &[]),
    ("export_pipeline", &["items.csv"]),
    ("crm_health", &[]),
    ("handle_errors", &[]),
    ("test_an_app", &[]),
];

fn program(name: &str) -> Program {
    let (_, args) = EXAMPLES.iter().find(|(it, _)| *it == name).unwrap();
    let program = Program::new(name).args(*args);
    program.file("organizations.csv", "organization_id\n72\n")
}

/// Runs all examples at once.
async fn run_all(change: impl Fn(Program) -> Program) -> Vec<(&'static str, Run)> {
    let run = async |name| (name, change(program(name)).run().await);
    join_all(EXAMPLES.iter().map(|(name, _)| run(*name))).await
}

#[test]
fn no_example_is_left_out() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let manifest = fs::read_to_string(format!("{folder}/Cargo.toml")).unwrap();
    let contents = fs::read_to_string(format!("{folder}/src/lib.rs")).unwrap();
    let guide = fs::read_to_string(format!("{folder}/README.md")).unwrap();
    assert_eq!(manifest.matches("[[example]]").count(), EXAMPLES.len());
    for (name, _) in EXAMPLES {
        assert!(manifest.contains(&format!("path = \"{name}.rs\"")), "{name}");
        assert!(contents.contains(&format!("//! | `{name}` | ")), "{name}");
        assert!(guide.contains(&format!("]({name}.rs)")), "{name}");
        let code = fs::read_to_string(format!("{folder}/{name}.rs")).unwrap();
        let lines = code.lines().count();
        assert!(lines <= 150, "{name} has {lines} lines; a page has 150");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn other_data_is_enough() {
    for (name, _) in EXAMPLES {
        // Each run adds organizations, so each has a deployment of its own.
        let base_url = deployment::with_data(deployment::OTHER).await;
        let program = program(name).on(&base_url);
        let run = program.env("PLATFORM_ADD_TO", "15").run().await;
        run.assert_success();
        let shown = match name {
            "quickstart" => vec!["Pipeline 9: 2 items, sorted by question.44", "  weaver.example"],
            "lookalikes" => vec!["Customer: ", "The short-list"],
            "product_scout" => vec!["The nearest of 1 product to", "Storm sail"],
            "ideal_customers" => vec!["Of 2 organizations", "Weaver", "unknown"],
            "sorted_board" => vec!["Pipeline 9: 2 items, sorted by question.44", "reel.example"],
            "bulk_add" => vec!["Adding 1 organization to pipeline 15", "created"],
            "await_answers" => vec!["to pipeline 15", "question.45", "All items are ready"],
            "export_pipeline" => vec!["Reading pipeline 9 into", "items.csv has 2 rows of 8 columns"],
            "crm_health" => vec!["synced to pipedrive", "✗ The field is locked."],
            "handle_errors" => vec!["ErrorClass::NotFound"],
            _ => vec!["Pipeline 9: 0 of 2 items"],
        };
        for text in shown {
            assert!(run.out.contains(text), "{name} lacks {text:?}:\n{}", run.out);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn empty_deployment_is_explained() {
    let base_url = deployment::with_data("{}").await;
    for (name, run) in run_all(|program| program.on(&base_url)).await {
        let expected = match name {
            "lookalikes" => "error: this deployment has no organizations",
            "product_scout" => "error: this deployment has no products",
            "ideal_customers" => "error: no organization of this deployment has known customers",
            "bulk_add" => "error: set PLATFORM_ADD_TO to the id of the pipeline; ",
            _ => "error: no pipeline with an id from 1 to 20 has items that this key may read; ",
        };
        assert!(run.err.starts_with(expected), "{name}: {}", run.err);
        assert_eq!((run.code, run.err.lines().count()), (1, 1), "{name}: {}", run.err);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_key_ends_in_one_line() {
    let base_url = deployment::with_data(deployment::OTHER).await;
    let change = |program: Program| {
        let program = program.on(&base_url).env("PLATFORM_ADD_TO", "15");
        program.env("PLATFORM_API_KEY", "wrong-key")
    };
    for (name, run) in run_all(change).await {
        let Run { code, err, .. } = run;
        assert_eq!(code, 1, "{name}: {err}");
        assert!(err.starts_with("error: "), "{name}: {err}");
        assert!(err.contains(": 401 invalid_api_key: "), "{name}: {err}");
        assert_eq!(err.lines().count(), 1, "{name}: {err}");
        assert!(!err.contains("wrong-key") && !err.contains('{'), "{name}: {err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn rejected_connection_ends_with_its_cause() {
    let change = |program: Program| {
        let program = program.on("http://127.0.0.1:1");
        program.env("PLATFORM_ADD_TO", "15")
    };
    for (name, run) in run_all(change).await {
        let Run { code, err, .. } = run;
        assert_eq!(code, 1, "{name}: {err}");
        let first = err.lines().next().unwrap();
        assert!(first.starts_with("error: "), "{name}: {err}");
        assert!(first.contains(": no connection to 127.0.0.1:1"), "{name}: {err}");
        let causes: Vec<_> = err.lines().skip(1).collect();
        assert_eq!(causes.len(), 1, "{name}: {err}");
        assert!(causes[0].starts_with("  caused by: "), "{name}: {err}");
        assert!(causes[0].to_lowercase().contains("refused"), "{name}: {err}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn variable_that_is_not_an_id_is_named() {
    let base_url = deployment::with_data(deployment::OTHER).await;
    let change = |program: Program| program.on(&base_url).env("PLATFORM_PIPELINE", "prospects");
    let reads = ["quickstart", "sorted_board", "export_pipeline", "crm_health"];
    for (name, run) in run_all(change).await {
        if reads.contains(&name) {
            let expected = "error: PLATFORM_PIPELINE must be the id of a pipeline, such as 6\n";
            assert_eq!((run.code, run.err.as_str()), (1, expected), "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn help_shows_the_usage_and_unknown_options_are_rejected() {
    for (name, _) in EXAMPLES {
        let usage = format!("usage: {name}");
        let run = Program::new(name).args(["--help"]).run().await;
        run.assert_success();
        assert!(
            run.out.starts_with(&usage) && run.out.lines().count() == 1,
            "{}",
            run.out
        );
        let files = fs::read_dir(run.folder.path()).unwrap().count();
        assert_eq!(files, 0, "{name} writes a file");

        let run = Program::new(name).args(["--fast"]).run().await;
        let rejected = format!("error: unknown option `--fast`; {usage}");
        assert_eq!(run.code, 1, "{name}");
        assert!(run.err.starts_with(&rejected), "{}", run.err);
        assert_eq!(run.out, "");
    }
}

/// Texts of a deployment were written by others. None of them can recolour, retitle or rewrite a terminal.
#[tokio::test(flavor = "multi_thread")]
async fn text_of_a_deployment_does_not_control_the_terminal() {
    for (name, args) in EXAMPLES {
        let base_url = deployment::with_data(deployment::HOSTILE).await;
        let program = program(name).on(&base_url).env("PLATFORM_ADD_TO", "15");
        // Those that search write a file, too.
        let extra = (name == "lookalikes").then_some(["weaves sails", "shortlist.csv"]);
        let program = match args {
            ["organizations.csv"] => program.file("organizations.csv", "organization_id\n70\n999\n"),
            _ => program.args(extra.into_iter().flatten()),
        };
        let run = program.run().await;
        for text in [&run.out, &run.err] {
            let controls = |letter: &char| letter.is_control() && *letter != '\n' || *letter == '\u{202e}';
            let found: Vec<_> = text.chars().filter(controls).collect();
            assert!(found.is_empty(), "{name}: {found:?} in {text:?}");
        }
        let is_shown = run.out.contains("Evil") || ["handle_errors", "test_an_app", "bulk_add"].contains(&name);
        assert!(
            is_shown || name == "export_pipeline",
            "{name} shows nothing hostile:\n{}",
            run.out
        );
    }
}
