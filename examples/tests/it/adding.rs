//! The examples that add organizations.

use std::collections::BTreeMap;
use std::sync::atomic::Ordering;

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
    short\n\
    negative,-5\n\
    formula,=1+1\n";

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
            "error: 5 rows could not be added; the report has the reasons\n"
        );
        assert!(
            run.out.starts_with("Adding 4 organizations to pipeline 6:\n"),
            "{}",
            run.out
        );

        let report = report(&run.read("some.csv.report.csv"));
        let outcome = |line: u32| report[&line].0.as_str();
        assert_eq!(report.len(), 9);
        assert_eq!([2, 4, 7].map(outcome), [added; 3], "{report:?}");
        assert_eq!(report[&3], ("repeated".to_owned(), "as in line 2".to_owned()));
        assert_eq!(outcome(5), "failed");
        assert!(report[&5].1.contains("404 organization_not_found"), "{report:?}");
        assert_eq!([6, 8, 9, 10].map(outcome), ["invalid"; 4]);
        // A spreadsheet that opens the report runs no formula.
        let text = run.read("some.csv.report.csv");
        assert!(text.contains("\n9,-5,invalid,"), "{text}");
        assert!(text.contains("\n10,'=1+1,invalid,"), "{text}");
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
    let program = program.file("ids.csv", format!("organization_id\n{ids}"));
    let out = program.env("PLATFORM_ADD_TO", "6").out().await;
    let held_back = out.lines().last().unwrap();
    assert!(held_back.contains(" exceeded the quota and w"), "{out}");
    let held_back: u32 = held_back.split(' ').next().unwrap().parse().unwrap();
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
            "some.csv: the first line has no column `organization_id`; add a header line",
        ),
        (on_pipeline().args(["none.csv"]), "none.csv: No such file"),
        (
            on_pipeline().args(["empty.csv"]).file("empty.csv", "organization_id\n"),
            "empty.csv has no rows",
        ),
        (
            run().args(["some.csv"]).env("PLATFORM_ADD_TO", "3"),
            "pipeline 3 does not hold organizations; set PLATFORM_ADD_TO",
        ),
    ] {
        let run = program.run().await;
        assert_eq!(run.code, 1);
        assert!(run.err.starts_with(&format!("error: {expected}")), "{}", run.err);
        assert_eq!(run.out, "");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_add_reads_files_of_spreadsheets() {
    let base_url = deployment::built_in().await;
    let rows = b"\xef\xbb\xbfname,organization_id\r\n\xe9t\xe9,1001\r\n\r\nlinen,nine\r\n";
    let program = Program::new("bulk_add").on(&base_url).file("some.csv", rows);
    let run = program.args(["some.csv"]).env("PLATFORM_ADD_TO", "6").run().await;
    assert!(
        run.out.starts_with("Adding 1 organization to pipeline 6:\n"),
        "{}",
        run.out
    );
    let report = report(&run.read("some.csv.report.csv"));
    assert_eq!(report[&2].0, "created", "{report:?}");
    assert_eq!(report[&4].0, "invalid", "{report:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn bulk_add_stops_when_the_key_may_not_add() {
    let server = Server::built_in();
    let (router, requests) = deployment::counting(server.router());
    let base_url = deployment::serve(router).await;
    let ids: String = (1001..1101).map(|id| format!("{id}\n")).collect();
    let program = Program::new("bulk_add").on(&base_url).args(["ids.csv"]);
    let program = program.file("ids.csv", format!("organization_id\n{ids}"));
    let program = program.env("PLATFORM_ADD_TO", "6");
    let run = program.env("PLATFORM_API_KEY", "dev-read-only").run().await;
    assert_eq!(run.code, 1);
    assert!(run.err.contains(": 403 authorization_denied: "), "{}", run.err);
    let sent = requests.load(Ordering::Relaxed);
    assert!(sent < 30, "{sent} requests for 100 rows");
    let report = report(&run.read("ids.csv.report.csv"));
    assert_eq!(report.len(), 100);
    assert!(
        report.values().all(|(outcome, _)| outcome == "not reached"),
        "{report:?}"
    );
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_bulk_add_reports_on_every_row_and_continues() {
    let server = Server::built_in();
    // The eighth row waits until the run is interrupted.
    let slow = deployment::serve(deployment::hangs_after(10, server.router())).await;
    let ids: String = (1001..1021).map(|id| format!("{id}\n")).collect();
    let program = Program::new("bulk_add").on(&slow).args(["ids.csv"]);
    let program = program.file("ids.csv", format!("organization_id\n{ids}"));
    let program = program.env("PLATFORM_ADD_TO", "6");
    let run = program.interrupted_when("ids.csv.report.csv", ",created,").await;
    assert_eq!(run.code, 1, "{}", run.err);
    assert_eq!(run.err, "error: interrupted; run the command again to continue\n");
    let first = report(&run.read("ids.csv.report.csv"));
    assert_eq!(first.len(), 20);
    assert!(first.values().any(|(outcome, _)| outcome == "not reached"), "{first:?}");

    let base_url = deployment::serve(server.router()).await;
    let again = Program::new("bulk_add").on(&base_url).after(run).args(["ids.csv"]);
    let run = again.env("PLATFORM_ADD_TO", "6").run().await;
    run.assert_success();
    let second = report(&run.read("ids.csv.report.csv"));
    for (line, (outcome, _)) in first.iter().filter(|(_, (outcome, _))| outcome == "created") {
        assert_eq!(second[line].0, "already there", "{outcome}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_left_to_add_is_explained() {
    let data = r#"{
        "organizations": [{"organization_id": 1, "name": "Weaver", "description": "Builds looms."}],
        "pipelines": [{"pipeline_id": 3, "name": "Mills", "items": [{"pipeline_item_id": 5, "organization_id": 1}]}]
    }"#;
    let base_url = deployment::with_data(data).await;
    let run = |example| Program::new(example).on(&base_url).env("PLATFORM_ADD_TO", "3");
    let out = run("await_answers").out().await;
    assert_eq!(out, "Every organization found is already in pipeline 3.\n");
    let out = run("quickstart").out().await;
    assert!(
        out.contains("\nWeaver is already in pipeline 3.\n\nAll of these are already in pipeline 3.\n"),
        "{out}"
    );
    assert!(out.contains("The nearest of 1 organization to"), "{out}");
    assert!(out.contains("\nPipeline 3: 1 item, and no answers yet\n"), "{out}");
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
