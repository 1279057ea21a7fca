//! The example `export_pipeline`: complete, resumed and incremental exports.

use std::fs;

use platform_server_stub::Server;

use crate::deployment;
use crate::program::{Program, Run};

fn export() -> Program {
    Program::new("export_pipeline").args(["items.csv"])
}

/// Returns the ids of the rows, in order.
fn ids(run: &Run) -> Vec<i64> {
    let text = run.read("items.csv");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    assert_eq!(rows.headers().unwrap().get(0), Some("pipeline_item_id"));
    rows.records().map(|row| row.unwrap()[0].parse().unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn export_resumes_and_then_fetches_what_is_new() {
    let server = Server::built_in();
    let base_url = deployment::serve(server.router()).await;
    // The first run gets through its search for pipelines and two pages.
    let locked = deployment::serve(deployment::locked_after(21, server.router())).await;
    let first = export().on(&locked).run().await;
    assert_eq!(first.code, 1);
    assert!(first.err.contains("401 invalid_api_key"), "{}", first.err);
    let kept = "Looking for the pipeline to read.\n\
        Reading pipeline 1 into items.csv.\n\
        items.csv has 1,000 rows. Run the command again to continue.\n";
    assert_eq!(first.out, kept);

    // Part of a page is in the file, and the bookmark has not moved.
    let path = first.folder.path().join("items.csv");
    let mut text = fs::read_to_string(&path).unwrap();
    text.push_str("100999,1,organiz");
    fs::write(&path, text).unwrap();
    let second = export().on(&base_url).after(first).run().await;
    second.assert_success();
    let exported = ids(&second);
    assert_eq!(exported.len(), 1280);
    assert!(exported.is_sorted_by(|one, next| one < next));
    assert!(second.out.contains("1,280 rows of 16 columns"), "{}", second.out);
    assert!(second.out.contains("\nAdded 280 rows."), "{}", second.out);

    let third = export().on(&base_url).after(second).run().await;
    third.assert_success();
    assert!(third.out.contains("\nAdded 0 rows."), "{}", third.out);
    let client = deployment::client(&base_url);
    let page = client.list_items().pipeline_id(1).limit(1000).send().await.unwrap();
    let has = |id: &i64| {
        page.items
            .iter()
            .any(|it| it.organization_id.map(|it| it.get()) == Some(*id))
    };
    let missing = (1001..).find(|id| !has(id)).unwrap();
    let add = client.ensure_organization().pipeline_id(1).organization_id(missing);
    let added = add.send().await.unwrap();
    let fourth = export().on(&base_url).after(third).run().await;
    fourth.assert_success();
    let new = i64::from(added.presence == platform_sdk::Presence::Created);
    let new = if new == 1 { "1 row" } else { "0 rows" };
    assert!(fourth.out.contains(&format!("\nAdded {new}.")), "{}", fourth.out);
    // It holds one pipeline.
    let other = export().on(&base_url).after(fourth).env("PLATFORM_PIPELINE", "2");
    let other = other.run().await;
    let expected = "error: items.csv holds pipeline 1; name another file for another pipeline\n";
    assert_eq!((other.code, other.err.as_str()), (1, expected));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn interrupted_export_continues() {
    let server = Server::built_in();
    // The search for pipelines and one page are answered.
    let slow = deployment::serve(deployment::hangs_after(21, server.router())).await;
    let first = export()
        .on(&slow)
        .interrupted_when("items.csv.bookmark", "\"rows\":")
        .await;
    assert_eq!((first.code, first.err.as_str()), (1, "error: interrupted\n"));
    let last = first.out.lines().last().unwrap();
    assert!(
        last.starts_with("items.csv has ") && last.ends_with(" Run the command again to continue."),
        "{}",
        first.out
    );
    let base_url = deployment::serve(server.router()).await;
    let second = export().on(&base_url).after(first).run().await;
    second.assert_success();
    assert_eq!(ids(&second).len(), 1280);
}

#[tokio::test(flavor = "multi_thread")]
async fn reference_server_has_as_many_items_as_requested() {
    let run = export().args(["2500"]).run().await;
    run.assert_success();
    assert!(
        run.out.contains("\nitems.csv has 2,500 rows of 16 columns, "),
        "{}",
        run.out
    );
    assert_eq!(ids(&run), (1..=2500).collect::<Vec<_>>());

    // The server starts anew with the next command, but its items are the same.
    let run = export().args(["2600"]).after(run).run().await;
    run.assert_success();
    assert!(run.out.contains("\nAdded 100 rows."), "{}", run.out);
    assert_eq!(ids(&run).len(), 2600);
}

#[tokio::test(flavor = "multi_thread")]
async fn changed_file_is_not_continued() {
    let base_url = deployment::with_data(deployment::OTHER).await;
    let run = export().on(&base_url).run().await;
    run.assert_success();
    let edited = run.read("items.csv").replace("question.44", "website");
    let run = export().on(&base_url).after(run).file("items.csv", &edited).run().await;
    assert_eq!(run.code, 1);
    let expected = "error: items.csv was changed after it was exported; delete it to export all items again\n";
    assert_eq!(run.err, expected);
    assert_eq!(run.read("items.csv"), edited);

    fs::remove_file(run.folder.path().join("items.csv")).unwrap();
    let run = export().on(&base_url).after(run).run().await;
    run.assert_success();
    assert!(run.out.contains("\nAdded 2 rows."), "{}", run.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn file_that_cannot_be_written_is_named() {
    let base_url = deployment::with_data(deployment::OTHER).await;
    for example in ["export_pipeline", "lookalikes"] {
        let program = Program::new(example).on(&base_url);
        let args: &[&str] = match example {
            "lookalikes" => &["weaves sails", "none/rows.csv"],
            _ => &["none/rows.csv"],
        };
        let run = program.args(args).run().await;
        assert_eq!(run.code, 1);
        let expected = "error: none/rows.csv: No such file or directory";
        assert!(run.err.starts_with(expected), "{}", run.err);
    }
}
