//! The examples that add organizations.

use std::collections::BTreeMap;

use platform_server_stub::Server;
use platform_server_stub::model::policy::RateLimit;

use crate::deployment;
use crate::program::{Program, section};

/// A file with every kind of row.
const FILE: &str = "name,organization_id\n\
    first,1001\n\
    again,1001\n\
    second, 1002 \n\
    unknown,999999\n\
    not an id,twelve\n\
    \"quoted, with a comma\",1003\n\
    short\n";

/// Returns the outcome and the detail of each line.
fn report(text: &str) -> BTreeMap<u32, (String, String)> {
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let rows = rows.records().map(|row| {
        let row = row.unwrap();
        (row[0].parse().unwrap(), (row[2].to_owned(), row[3].to_owned()))
    });
    rows.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_add_reports_on_every_row_and_adds_nothing_twice() {
    let base_url = deployment::built_in().await;
    for added in ["created", "already there"] {
        let program = Program::new("bulk_add").on(&base_url).file("some.csv", FILE);
        let program = program.args(["some.csv"]).env("PLATFORM_ADD_TO", "6");
        let run = program.run().await;
        assert_eq!(run.code, 1, "{}", run.out);
        assert_eq!(
            run.err,
            "error: 3 rows could not be added; the report has the reasons\n"
        );
        assert!(
            run.out.starts_with("Adding 4 organizations to pipeline 6:\n"),
            "{}",
            run.out
        );

        let report = report(&run.read("some.csv.report.csv"));
        let outcome = |line: u32| report[&line].0.as_str();
        assert_eq!(report.len(), 7);
        assert_eq!([2, 4, 7].map(outcome), [added; 3], "{report:?}");
        assert_eq!(report[&3], ("repeated".to_owned(), "as in line 2".to_owned()));
        assert_eq!(outcome(5), "failed");
        assert!(report[&5].1.contains("404 organization_not_found"), "{report:?}");
        assert_eq!([6, 8].map(outcome), ["invalid"; 2]);
    }
    let client = deployment::client(&base_url);
    let listed = client.list_items().pipeline_id(6).send().await.unwrap();
    assert_eq!(listed.total_count, 1 + 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_add_keeps_the_quota() {
    let quota = RateLimit {
        requests: 5,
        window_seconds: 1,
    };
    let base_url = deployment::serve(Server::built_in().with_rate_limit(quota).router()).await;
    let ids: String = (1001..1012).map(|id| format!("{id}\n")).collect();
    let program = Program::new("bulk_add").on(&base_url).args(["ids.csv"]);
    let program = program.file("ids.csv", &format!("organization_id\n{ids}"));
    let out = program.env("PLATFORM_ADD_TO", "6").out().await;
    let held_back = out.lines().last().unwrap().trim_end_matches('.');
    let held_back: u32 = held_back.rsplit(' ').next().unwrap().parse().unwrap();
    assert!(held_back > 0, "{out}");
    assert!(out.contains("created                           11  "), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_add_needs_a_pipeline_a_file_and_its_column() {
    let base_url = deployment::built_in().await;
    let run = || Program::new("bulk_add").on(&base_url).file("some.csv", "id\n1\n");
    let on_pipeline = || run().env("PLATFORM_ADD_TO", "6");
    for (program, expected) in [
        (
            run().args(["some.csv"]),
            "set PLATFORM_ADD_TO to the id of the pipeline",
        ),
        (on_pipeline(), "name the file to read: bulk_add -- organizations.csv"),
        (
            on_pipeline().args(["some.csv"]),
            "some.csv: the first line names no column `organization_id`",
        ),
        (on_pipeline().args(["none.csv"]), "none.csv: No such file"),
    ] {
        let run = program.run().await;
        assert_eq!(run.code, 1);
        assert!(run.err.starts_with(&format!("error: {expected}")), "{}", run.err);
        assert_eq!(run.out, "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_shown_as_they_arrive() {
    let out = Program::new("await_answers").out().await;
    let lines = section(&out, "Added 3 organizations to pipeline 6.");
    assert_eq!(lines.len(), 3 * 4, "{out}");
    let seconds = |line: &&str| -> f64 { line.split_whitespace().next().unwrap().parse().unwrap() };
    let seconds: Vec<f64> = lines.iter().map(seconds).collect();
    assert!(seconds.is_sorted(), "{out}");
    // The answers take from 1 to 2.5 seconds, and are shown in between.
    assert!(seconds[0] < 2.0 && *seconds.last().unwrap() >= 2.5, "{out}");
    assert!(out.contains("\nAll items are ready after "), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_items_are_watched_without_adding() {
    let base_url = deployment::built_in().await;
    let watch = || {
        Program::new("await_answers")
            .on(&base_url)
            .env("PLATFORM_PIPELINE", "6")
    };
    let out = watch().out().await;
    assert!(out.starts_with("Nothing is pending. Set PLATFORM_ADD_TO"), "{out}");

    let client = deployment::client(&base_url);
    let add = client.ensure_organization().pipeline_id(6).organization_id(1001);
    add.send().await.unwrap();
    let out = watch().out().await;
    assert!(out.contains("question.602"), "{out}");
    let listed = client.list_items().pipeline_id(6).send().await.unwrap();
    assert_eq!(listed.total_count, 2);
}
