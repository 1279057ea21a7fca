//! What a newcomer sees first.

use crate::quickstart;

async fn run(client: &platform_sdk::Client) -> String {
    let mut out = Vec::new();
    quickstart::run(client, &mut out).await.unwrap();
    String::from_utf8(out).unwrap()
}

/// The lines under the heading that begins with `heading`.
fn section<'a>(shown: &'a str, heading: &str) -> Vec<&'a str> {
    let mut lines = shown.lines().skip_while(|line| !line.starts_with(heading));
    assert!(lines.next().is_some(), "no {heading:?} in\n{shown}");
    lines.take_while(|line| !line.is_empty()).collect()
}

#[tokio::test]
async fn quickstart_finds_lists_adds_and_waits() {
    let client = quickstart::reference_server().await.unwrap();
    let shown = run(&client).await;

    let organizations = section(&shown, "Organizations like");
    assert_eq!(organizations.len(), 1 + 5, "{shown}");
    let nearest = organizations[1..3].concat();
    assert!(nearest.contains("Fjordfrost, Bergen"), "{shown}");

    let products = section(&shown, "Products for");
    assert_eq!(products.len(), 1 + 5, "{shown}");

    // `  item 101270   134 years  Northmark SMR Components`
    let items = section(&shown, "Pipeline 1, sorted");
    let years = |line: &&str| -> u32 { line.split_whitespace().nth(2).unwrap().parse().unwrap() };
    let years: Vec<u32> = items[1..].iter().map(years).collect();
    assert_eq!(years.len(), 5, "{shown}");
    assert!(years.is_sorted_by(|a, b| a >= b), "{shown}");

    let added = section(&shown, "Adding ");
    assert!(added[0].ends_with(", 4 questions pending"), "{shown}");
    assert!(added[1].starts_with("  ready after "), "{shown}");
    let values = added[2..].join("\n");
    assert_eq!(values.matches("question.60").count(), 4, "{shown}");
    assert!(!values.contains("pending"), "{shown}");

    // What was added is there now, so that the next one is added.
    let again = run(&client).await;
    let there = again.matches("it is there already").count();
    assert_eq!(there, 1, "{again}");
    assert!(again.contains("  ready after "), "{again}");
}
