//! The examples that read pipelines.

use std::collections::BTreeSet;

use platform_sdk::{ProblemCode, SyncStatus};

use crate::deployment;
use crate::program::{Program, section};

/// Returns the third column of each line, a number.
fn answers(lines: &[&str]) -> Vec<f64> {
    let line = |line: &&str| line.chars().skip(40).collect::<String>();
    let number = |line: String| line.split_whitespace().next().unwrap().parse().unwrap();
    lines.iter().map(line).map(number).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn board_is_sorted_by_the_server_in_both_orders() {
    let base_url = deployment::built_in().await;
    let run = |args: &[&str]| Program::new("sorted_board").on(&base_url).args(args);
    let out = run(&[]).out().await;
    let board = section(&out, "Pipeline 1: 1,280 items, sorted by question.101 (desc)");
    assert_eq!(board.len(), 12 + 1 + 3, "{out}");
    assert!(answers(&board[..12]).is_sorted_by(|a, b| a >= b), "{out}");
    assert!(board[15].starts_with("  1280  "), "{out}");
    let menu = section(&out, "Other questions to sort by:");
    assert!(menu.iter().any(|line| line.contains("yes or no")), "{out}");
    assert!(!menu.concat().contains("question.101"), "{out}");

    let out = run(&["question.101", "asc"]).out().await;
    let board = section(&out, "Pipeline 1: 1,280 items, sorted by question.101 (asc)");
    assert!(answers(&board[..12]).is_sorted(), "{out}");

    let failed = run(&["question.101", "upwards"]).run().await;
    assert_eq!(failed.code, 1);
    assert_eq!(failed.err, "error: `upwards` is not an order; use asc or desc\n");
    let failed = run(&["question.9"]).run().await;
    assert_eq!(failed.code, 1);
    assert!(failed.err.contains("400 unknown_sort_column: "), "{}", failed.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_counts_what_the_pipeline_shows() {
    let base_url = deployment::built_in().await;
    let items = deployment::client(&base_url).list_items().pipeline_id(5);
    let items = items.walk().collect().await.unwrap();
    let values = || items.iter().flat_map(|item| item.values.values());
    let total = values().filter(|value| value.sync_status.is_some()).count();
    let reasons: BTreeSet<_> = values().filter_map(|value| value.sync_error.clone()).collect();
    assert!(total > 20 && reasons.len() > 1);

    let out = Program::new("crm_health").on(&base_url).out().await;
    assert!(out.starts_with("Pipeline 5: 15 items, synced to hubspot\n"), "{out}");
    let synced = values().filter(|value| value.sync_status == Some(SyncStatus::Success));
    let percent = 100 * synced.count() / total;
    let shown = format!(" failed: {percent} % of {total} values synced");
    assert!(out.contains(&shown), "no {shown:?} in\n{out}");
    assert_eq!(out.matches("\n  ✗ ").count(), reasons.len(), "{out}");
    let chart = section(&out, "Pipeline 5");
    for sign in ["█", "▒", "✗"] {
        assert!(chart.concat().contains(sign), "{out}");
    }

    let out = Program::new("crm_health").on(&base_url).env("PLATFORM_PIPELINE", "1");
    let out = out.out().await;
    assert_eq!(
        out,
        "No pipeline with CRM sync (tried 1). Set PLATFORM_PIPELINE to the id of one.\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn every_error_of_the_contract_has_advice() {
    let out = Program::new("handle_errors").out().await;
    for code in ProblemCode::KNOWN {
        assert!(out.contains(code.as_str()), "no {code} in\n{out}");
    }
    for class in [
        "Configuration",
        "InvalidRequest",
        "Network",
        "Tls",
        "Timeout",
        "RateLimited",
        "Unauthenticated",
        "KeyUnavailable",
        "Denied",
        "NotFound",
        "Conflict",
        "Server",
        "Redirect",
        "OtherStatus",
        "Undecodable",
        "TooLarge",
        "CollectionChanged",
        "NotReady",
    ] {
        assert!(out.contains(&format!("ErrorClass::{class}\n")), "no {class} in\n{out}");
    }
    assert!(out.contains(" errors of 18 classes and what to do.\n"), "{out}");
    for block in out.split("\n\n").filter(|block| block.starts_with("ErrorClass::")) {
        assert_eq!(block.matches("\n  → ").count(), 1, "{block}");
    }
    assert!(!out.contains("a-wrong-key"), "{out}");
    // An operation returns only what the contract declares for it.
    for line in out.lines().filter_map(|line| line.trim().strip_prefix("list_items: 4")) {
        for code in [
            "organization",
            "product_not_found",
            "item_not",
            "body_too_large",
            "media_type",
        ] {
            let (_, shown) = line.split_once(' ').unwrap_or_default();
            assert!(!shown.starts_with(code), "list_items: 4{line}");
        }
    }
    assert!(out.contains("(redirects to https://new.example/)"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn app_counts_unfinished_items() {
    let base_url = deployment::built_in().await;
    let out = Program::new("test_an_app").on(&base_url).out().await;
    assert_eq!(out.lines().count(), 6, "{out}");
    assert!(out.contains("Pipeline 6: 0 of 1 items wait for answers."), "{out}");
}
