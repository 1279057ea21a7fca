//! The values of an item, by question, by kind and by status.

use platform_sdk::types::Values;
use platform_sdk::{Column, ColumnId, ExecutionStatus, QuestionId};
use serde_json::{Value, json};

fn column(status: Value, result: Value) -> Value {
    json!({
        "result": result,
        "category": "llm",
        "certainty_score": null,
        "status": status,
        "references": [],
        "sync_status": null,
        "sync_provider": null,
        "last_synced_at": null,
        "sync_error": null,
    })
}

/// Values with one answered question, 7, whose result is `result`.
fn holding(result: Value) -> Values {
    serde_json::from_value(json!({"question.7": column(json!("completed"), result)})).unwrap()
}

/// Values with a question in every status, and entity data.
fn in_every_status() -> Values {
    serde_json::from_value(json!({
        "organization.headquarters.city": column(json!(null), json!(["Bergen"])),
        "question.007": column(json!("completed"), json!(["of no question that there is"])),
        "question.1": column(json!("completed"), json!([64])),
        "question.2": column(json!("pending"), json!([])),
        "question.3": column(json!("no_answer"), json!([])),
        "question.4": column(json!("failed"), json!([])),
        "question.5": column(json!("skipped"), json!([])),
        "question.6": column(json!("postponed"), json!([])),
        "question.7": column(json!(null), json!([])),
    }))
    .unwrap()
}

fn ids<'a>(columns: impl Iterator<Item = Column<'a>>) -> Vec<String> {
    columns.map(|column| column.id().to_string()).collect()
}

#[test]
fn questions_are_grouped_by_status() {
    let values = in_every_status();
    assert_eq!(ids(values.answered()), ["question.1"]);
    assert_eq!(ids(values.pending()), ["question.2"]);
    assert_eq!(ids(values.without_answer()), ["question.3"]);
    assert_eq!(ids(values.failed()), ["question.4"]);
    assert_eq!(ids(values.skipped()), ["question.5"]);
    assert_eq!(ids(values.of_unknown_status()), ["question.6", "question.7"]);
    assert_eq!(
        ids(values.entity_data()),
        ["organization.headquarters.city", "question.007"]
    );
}

#[test]
fn every_column_is_in_exactly_one_list() {
    let values = in_every_status();
    let mut lists = ids(values
        .entity_data()
        .chain(values.answered())
        .chain(values.pending())
        .chain(values.without_answer())
        .chain(values.failed())
        .chain(values.skipped())
        .chain(values.of_unknown_status()));
    lists.sort();
    assert_eq!(lists, ids(values.columns()));
    // Every status needs its own list, including new ones.
    let known = values.questions().filter_map(|column| column.status.clone());
    let known = known.filter(|status| ExecutionStatus::KNOWN.contains(status));
    assert_eq!(known.count(), ExecutionStatus::KNOWN.len());
}

#[test]
fn column_is_found_by_id_number_and_path() {
    let values = in_every_status();
    let question = values.question(1).unwrap();
    assert_eq!(question, values.question(QuestionId::from(1)).unwrap());
    assert_eq!(question, values.column("question.1").unwrap());
    assert_eq!(question.question_id(), Some(1.into()));
    assert_eq!(question.value(), &values["question.1"]);
    let city = values.column("organization.headquarters.city").unwrap();
    assert_eq!(city.id(), ColumnId::EntityData("organization.headquarters.city"));
    assert_eq!(city.question_id(), None);
    assert!(values.question(8).unwrap_err().is_missing());
    assert_eq!(
        values.column("organization.name").unwrap_err().column(),
        "organization.name"
    );
}

#[test]
fn one_value_is_read_as_what_it_is() {
    let text = holding(json!(["Bergen"]));
    assert_eq!(text.question(7).unwrap().text(), Ok(Some("Bergen")));
    let number = holding(json!([1.5]));
    assert_eq!(number.question(7).unwrap().number(), Ok(Some(1.5)));
    let answer = holding(json!([false]));
    assert_eq!(answer.question(7).unwrap().yes_no(), Ok(Some(false)));
}

#[test]
fn integer_is_exact_or_none() {
    for (written, read) in [
        ("64", Some(64)),
        ("64.0", Some(64)),
        ("-0.0", Some(0)),
        ("9007199254740993", Some(9_007_199_254_740_993)),
        ("9007199254740992.0", Some(9_007_199_254_740_992)),
        ("-9223372036854775808", Some(i64::MIN)),
        ("9223372036854775808", None),
        ("1e300", None),
        ("1.5", None),
    ] {
        let values = holding(json!([serde_json::from_str::<Value>(written).unwrap()]));
        let column = values.question(7).unwrap();
        assert_eq!(column.integer().ok().flatten(), read, "{written}");
        assert!(column.number().unwrap().is_some(), "{written}");
    }
}

#[test]
fn list_is_read_as_a_whole() {
    let texts = holding(json!(["Oslo", "Bergen"]));
    assert_eq!(texts.question(7).unwrap().texts().unwrap(), ["Oslo", "Bergen"]);
    let numbers = holding(json!([1, 2.5]));
    let numbers = numbers.question(7).unwrap();
    assert_eq!(numbers.numbers().unwrap(), [1.0, 2.5]);
    assert_eq!(
        numbers.integers().unwrap_err().to_string(),
        "question.7 is read as a whole number, but holds the number `2.5`"
    );
    assert_eq!(holding(json!([3])).question(7).unwrap().integers().unwrap(), [3]);
}

#[test]
fn empty_column_reads_as_none() {
    let values = holding(json!([]));
    let column = values.question(7).unwrap();
    assert_eq!(column.text(), Ok(None));
    assert_eq!(column.number(), Ok(None));
    assert_eq!(column.integer(), Ok(None));
    assert_eq!(column.yes_no(), Ok(None));
    assert!(column.texts().unwrap().is_empty());
    assert_eq!(column.to_string(), "");
}

#[test]
fn mismatched_value_is_shown_in_the_error() {
    for (found, shown) in [
        (json!("64\n"), "holds the text `64`"),
        (json!(true), "holds the answer `yes`"),
        (json!({"amount": 3}), r#"holds `{"amount":3}`"#),
        (json!(null), "holds `null`"),
    ] {
        let values = holding(json!([found]));
        let error = values.question(7).unwrap().number().unwrap_err();
        assert_eq!(
            error.to_string(),
            format!("question.7 is read as a number, but {shown}")
        );
        assert!(!error.is_missing());
    }
    let long = holding(json!(["long ".repeat(1000), "longer"]));
    let error = long.question(7).unwrap().text().unwrap_err().to_string();
    assert!(error.starts_with("question.7 is read as one value, but holds 2: long"));
    assert!(error.len() < 200, "{error}");
}

#[test]
fn sync_predicates_follow_the_status() {
    let synced = &crate::contract()["components"]["examples"]["SyncedItem"]["value"]["values"];
    let mut synced = synced.clone();
    synced["question.501"]["sync_status"] = json!("pending");
    let values: Values = serde_json::from_value(synced).unwrap();
    let failed = values.columns().filter(|column| column.is_sync_failed());
    assert_eq!(ids(failed), ["question.502"]);
    let pending = values.columns().filter(|column| column.is_sync_pending());
    assert_eq!(ids(pending), ["question.501"]);
}
