//! Items as rows with the same columns.

use platform_sdk::rows::{Cell, Rows};
use platform_sdk::types::PipelineItem;
use platform_sdk::{Client, ResultValue};
use platform_server_stub::Server;
use serde_json::{Value, json};

const FIELDS: [&str; 6] = [
    "pipeline_item_id",
    "pipeline_id",
    "entity_type",
    "organization_id",
    "person_id",
    "document_id",
];

/// An item with these columns and their values.
fn item(id: i64, columns: &[(&str, Value)]) -> PipelineItem {
    let columns = columns.iter().map(|(name, result)| {
        let value = json!({"result": result, "category": "llm", "references": []});
        ((*name).to_owned(), value)
    });
    serde_json::from_value(json!({
        "pipeline_item_id": id,
        "pipeline_id": 2,
        "entity_type": "organization",
        "organization_id": 1001,
        "values": columns.collect::<serde_json::Map<_, _>>(),
    }))
    .unwrap()
}

fn values_of<'a>(rows: &'a Rows<'_>) -> Vec<Vec<Cell<'a>>> {
    let cells = rows
        .iter()
        .map(|row| row.cells().skip(FIELDS.len()).collect());
    cells.collect()
}

#[test]
fn columns_are_the_union_and_do_not_depend_on_the_order_of_items() {
    let mut items = vec![
        item(1, &[("question.20", json!([])), ("z.name", json!(["Z"]))]),
        item(2, &[("question.3", json!([])), ("question.x", json!([]))]),
        item(3, &[("question.100", json!([])), ("a.city", json!(["A"]))]),
        item(4, &[]),
    ];
    let expected = [
        "a.city",
        "question.x",
        "z.name",
        "question.3",
        "question.20",
        "question.100",
    ];
    for _ in 0..items.len() {
        let rows = Rows::of(&items);
        let (fields, values) = rows.columns().split_at(FIELDS.len());
        assert_eq!(fields, FIELDS);
        assert_eq!(values, expected);
        assert!(
            rows.iter()
                .all(|row| row.cells().count() == FIELDS.len() + expected.len())
        );
        items.rotate_left(1);
    }
}

#[test]
fn each_cell_has_the_kind_of_its_value() {
    let cases = [
        (json!([]), Cell::Empty),
        (json!([null]), Cell::Empty),
        (json!(["Bergen"]), Cell::Text("Bergen")),
        (json!([""]), Cell::Text("")),
        (
            json!([64.0]),
            Cell::Number(serde_json::Number::from_f64(64.0).unwrap()),
        ),
        (json!([false]), Cell::YesNo(false)),
        (json!([{"a": 1}]), Cell::Other(&json!({"a": 1}))),
        (
            json!(["Oslo", 7]),
            Cell::List(&[
                ResultValue::Text("Oslo".to_owned()),
                ResultValue::Number(7.into()),
            ]),
        ),
    ];
    for (result, expected) in &cases {
        let items = [item(1, &[("question.1", result.clone())])];
        assert_eq!(
            values_of(&Rows::of(&items)),
            [[expected.clone()]],
            "{result}"
        );
        let written = serde_json::to_value(expected).unwrap();
        let sent = match result.as_array().map(Vec::as_slice) {
            Some([]) => Value::Null,
            Some([one]) => one.clone(),
            _ => result.clone(),
        };
        assert_eq!(written, sent);
    }
}

#[test]
fn item_without_a_column_has_an_empty_cell_there() {
    let items = [
        item(1, &[("question.1", json!(["yes"]))]),
        item(2, &[("question.2", json!([5]))]),
    ];
    let rows = Rows::of(&items);
    let five = Cell::Number(5.into());
    assert_eq!(
        values_of(&rows),
        [
            [Cell::Text("yes"), Cell::Empty],
            [Cell::Empty, five.clone()]
        ]
    );
    let second = rows.iter().nth(1).unwrap();
    assert_eq!(second.get("question.2"), Some(five));
    assert_eq!(second.get("question.1"), Some(Cell::Empty));
    assert_eq!(second.get("question.3"), None);
    assert_eq!(second.get("entity_type"), Some(Cell::Text("organization")));
    assert_eq!(second.get("person_id"), Some(Cell::Empty));
    assert_eq!(
        serde_json::to_value(second).unwrap(),
        json!({
            "pipeline_item_id": 2, "pipeline_id": 2, "entity_type": "organization", "organization_id": 1001,
            "person_id": null, "document_id": null, "question.1": null, "question.2": 5,
        })
    );
}

#[test]
fn no_items_are_no_rows_with_the_columns_that_every_item_has() {
    let rows = Rows::from(Vec::new());
    assert!(rows.is_empty() && rows.iter().next().is_none());
    assert_eq!(rows.columns(), FIELDS);
}

#[tokio::test]
async fn rows_of_a_walk_are_all_its_items() {
    let client = Client::builder()
        .service(Server::built_in().router())
        .api_key("dev-full-access")
        .build()
        .unwrap();
    let walk = || client.list_items().pipeline_id(1).walk();
    let (rows, items) = (
        walk().rows().await.unwrap(),
        walk().collect().await.unwrap(),
    );
    assert_eq!(rows.len(), 1280);
    assert!(rows.iter().map(|row| row.item()).eq(&items));
    for row in rows.iter() {
        for column in row.item().values.columns() {
            let cell = row.get(&column.id().to_string()).unwrap();
            assert_eq!(cell == Cell::Empty, column.result.is_empty());
        }
    }
    let missing = client.list_items().pipeline_id(99).walk().rows().await;
    assert!(missing.unwrap_err().is_not_found());
}
