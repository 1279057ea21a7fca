//! The examples that search.

use crate::deployment;
use crate::program::{Program, section};

fn distances(lines: &[&str]) -> Vec<f64> {
    let first = |line: &&str| line.split_whitespace().next().unwrap().parse().unwrap();
    lines.iter().map(first).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn quickstart_searches_lists_adds_and_waits() {
    let out = Program::new("quickstart").out().await;
    assert!(out.starts_with("Using the reference server in this process.\n"));

    let nearest = section(&out, "The nearest of 1,331 organizations");
    let (left, nearest) = nearest.split_last().unwrap();
    assert_eq!(nearest.len(), 5, "{out}");
    assert!(distances(nearest).is_sorted(), "{out}");
    assert!(nearest[..2].concat().contains("Fjordfrost"), "{out}");
    assert!(left.contains(" of them ") && left.contains("(`countries="), "{out}");

    let items = section(&out, "Pipeline 1: 1,280 items, sorted by question.101");
    let years = distances(&items);
    assert_eq!(years.len(), 5, "{out}");
    assert!(years.is_sorted_by(|a, b| a >= b), "{out}");

    assert!(out.contains(" to pipeline 6, with 4 pending questions."), "{out}");
    let values = section(&out, "Ready after ");
    assert_eq!(values.len(), 6, "{out}");
    assert!(!values.concat().contains("pending"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn quickstart_adds_nothing_to_a_deployment_unasked() {
    let base_url = deployment::built_in().await;
    let run = || Program::new("quickstart").on(&base_url);
    let out = run().out().await;
    assert!(out.starts_with(&format!("Using {base_url}")), "{out}");
    assert!(
        out.contains("\nNothing was added, because additions cannot be undone."),
        "{out}"
    );

    // The organization that the first run adds is there in the second, which adds the next.
    for present in [0, 1] {
        let out = run().env("PLATFORM_ADD_TO", "6").out().await;
        assert_eq!(out.matches(" is already in pipeline 6.").count(), present, "{out}");
        assert_eq!(out.matches(" to pipeline 6, with ").count(), 1, "{out}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lookalikes_narrow_to_a_short_list_that_can_be_added() {
    let base_url = deployment::built_in().await;
    let program = Program::new("lookalikes").on(&base_url);
    let args = ["keeps fresh fish cold on its way to the shops", "shortlist.csv"];
    let run = program.args(args).run().await;
    run.assert_success();
    let out = &run.out;

    let customer = out.lines().next().unwrap();
    let name = customer.strip_prefix("Customer: ").unwrap();
    let name = name.split(',').next().unwrap();
    let count = |line: &str| -> u32 {
        let words = line.split_whitespace().rev();
        let mut numbers = words.filter_map(|word| word.replace(',', "").parse().ok());
        numbers.next().unwrap()
    };
    let all = out.lines().find(|it| it.starts_with("  similar organizations"));
    assert_eq!(count(all.unwrap()), 1330, "{out}");
    let steps: Vec<u32> = ["people ", "founded in", "with an office in"]
        .iter()
        .map(|step| count(out.lines().find(|line| line.contains(step)).unwrap()))
        .collect();
    assert!(steps.is_sorted_by(|wide, narrow| wide >= narrow), "{out}");
    assert!(steps[0] < 1330, "{out}");

    let shortlist = section(out, "The short-list");
    assert!((5..=10).contains(&shortlist.len()), "{out}");
    assert!(distances(&shortlist).is_sorted(), "{out}");
    assert!(
        !shortlist.concat().contains(name),
        "the customer is not its own lookalike"
    );

    // `  16 to 256 people    76`
    let range = out.lines().find(|line| line.contains(" people ")).unwrap();
    let (least, most) = range.trim().split_once(" to ").unwrap();
    let people = |text: &str| -> u32 {
        let number = text.split_whitespace().next().unwrap();
        number.replace(',', "").parse().unwrap()
    };
    let range = people(least)..=people(most);
    for line in &shortlist {
        let staff = people(line.rsplit(' ').next().unwrap());
        assert!(range.contains(&staff), "{line} is not in {range:?}");
    }

    let rows = run.read("shortlist.csv").lines().count() - 1;
    assert_eq!(rows, shortlist.len());
    let add = Program::new("bulk_add").on(&base_url).after(run);
    let out = add.args(["shortlist.csv"]).env("PLATFORM_ADD_TO", "6").out().await;
    assert!(
        out.starts_with(&format!("Adding {rows} organizations to pipeline 6")),
        "{out}"
    );
}

/// A spreadsheet that opens the short-list runs no formula, and `bulk_add` still reads it.
#[tokio::test(flavor = "multi_thread")]
async fn short_list_has_no_formula() {
    let base_url = deployment::with_data(deployment::HOSTILE).await;
    let program = Program::new("lookalikes").on(&base_url);
    let run = program.args(["weaves sails", "shortlist.csv"]).run().await;
    run.assert_success();
    let file = run.read("shortlist.csv");
    let names = csv::Reader::from_reader(file.as_bytes()).into_records();
    let names: Vec<_> = names.map(|row| row.unwrap()[1].to_owned()).collect();
    assert!(names.iter().any(|name| name.starts_with("'=HYPERLINK(")), "{file}");
    assert!(!names.iter().any(|name| name.starts_with(['=', '@', '+'])), "{file}");
    let add = Program::new("bulk_add").on(&base_url).after(run);
    let out = add.args(["shortlist.csv"]).env("PLATFORM_ADD_TO", "15").out().await;
    assert!(out.starts_with("Adding 2 organizations to pipeline 15:"), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn product_scout_finds_compares_and_offers_alternatives() {
    let base_url = deployment::built_in().await;
    let program = Program::new("product_scout").on(&base_url);
    let out = program.args(["measures the temperature of a parcel"]).out().await;
    for label in ["What:", "Advantage:", "Features:"] {
        assert!(out.contains(&format!("\n    {label} ")), "{out}");
    }
    let nearest = section(&out, "The nearest of 2,249 products to \"measures the temp");
    assert_eq!(nearest.len(), 6, "{out}");
    assert!(distances(&nearest).is_sorted(), "{out}");
    assert!(nearest.concat().contains("EUR"), "no price: {out}");

    let kinds = section(&out, "Categories of the nearest 50:");
    assert_eq!(kinds.len(), 6, "{out}");
    let first = kinds[0].split_whitespace().next().unwrap();
    let only = format!("\nOnly {first}, ");
    let (_, only) = out.split_once(&only).unwrap();
    let only: u32 = only.split(' ').next().unwrap().parse().unwrap();
    assert!((3..1000).contains(&only), "{only} of 2249 have the category");

    let best = out.lines().find(|it| it.starts_with("Alternatives to "));
    let best = best
        .unwrap()
        .trim_start_matches("Alternatives to ")
        .trim_end_matches(':');
    let alternatives = section(&out, "Alternatives to ");
    assert_eq!(alternatives.len(), 5, "{out}");
    assert!(nearest[0].contains(best), "{out}");
}

#[tokio::test(flavor = "multi_thread")]
async fn ideal_customers_are_served_by_organizations_and_products() {
    let base_url = deployment::built_in().await;
    let program = Program::new("ideal_customers").on(&base_url);
    let out = program.args(["hospital pharmacies"]).out().await;
    let nearest = section(&out, "Of 1,");
    assert_eq!(nearest.len(), 6, "{out}");
    assert!(distances(&nearest).is_sorted(), "{out}");
    assert_eq!(section(&out, "Products made for them:").len(), 5, "{out}");
    assert_eq!(section(&out, "Where the nearest 200 are:").len(), 6, "{out}");
    let sizes = section(&out, "How large they are:");
    let count = |line: &&str| -> usize {
        let mut numbers = line.split_whitespace().filter_map(|it| it.parse().ok());
        numbers.next_back().unwrap()
    };
    assert_eq!(sizes.iter().map(count).sum::<usize>(), 200, "{out}");
}
