//! Items as rows with the same columns, and as CSV.

use std::io;

use platform_sdk::rows::{Cell, FormulaText, Rows};
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

/// Returns an item with these columns and values.
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
    let cells = rows.iter().map(|row| row.cells().skip(FIELDS.len()).collect());
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
        (json!([64.0]), Cell::Number(serde_json::Number::from_f64(64.0).unwrap())),
        (json!([false]), Cell::YesNo(false)),
        (json!([{"a": 1}]), Cell::Other(&json!({"a": 1}))),
        (
            json!(["Oslo", 7]),
            Cell::List(&[ResultValue::Text("Oslo".to_owned()), ResultValue::Number(7.into())]),
        ),
    ];
    for (result, expected) in &cases {
        let items = [item(1, &[("question.1", result.clone())])];
        assert_eq!(values_of(&Rows::of(&items)), [[expected.clone()]], "{result}");
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
        [[Cell::Text("yes"), Cell::Empty], [Cell::Empty, five.clone()]]
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
    let (rows, items) = (walk().rows().await.unwrap(), walk().collect().await.unwrap());
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

fn written(items: &[PipelineItem], formula_text: FormulaText) -> String {
    let mut csv = Vec::new();
    Rows::of(items).write_csv(&mut csv, formula_text).unwrap();
    String::from_utf8(csv).unwrap()
}

#[test]
fn csv_is_that_of_rfc_4180() {
    let items = [
        item(
            1,
            &[
                ("a", json!(["Oslo, \"Bergen\""])),
                ("b", json!(["two\r\nlines"])),
                ("c", json!([-1.5])),
                ("question.1", json!([true])),
            ],
        ),
        item(2, &[("d", json!([{"x": [1]}])), ("question.1", json!([false]))]),
    ];
    let fields = FIELDS.join(",");
    assert_eq!(
        written(&items, FormulaText::Escape),
        format!(
            "{fields},a,b,c,d,question.1\r\n\
             1,2,organization,1001,,,\"Oslo, \"\"Bergen\"\"\",\"two\r\nlines\",-1.5,,true\r\n\
             2,2,organization,1001,,,,,,\"{{\"\"x\"\":[1]}}\",false\r\n"
        )
    );
    assert_eq!(written(&[], FormulaText::Escape), format!("{fields}\r\n"));
}

/// Writes `result` as CSV, and returns the value that a CSV reader gets.
fn read_back(result: &Value, formula_text: FormulaText) -> String {
    let csv = written(&[item(1, &[("question.1", result.clone())])], formula_text);
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let mut records = reader.records();
    let record = records.next().unwrap().unwrap();
    assert!(records.next().is_none());
    record[FIELDS.len()].to_owned()
}

#[test]
fn formula_text_is_escaped_on_request() {
    for text in [
        "=1+1", "+47 55", "-", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1", "＋1", "－1", "＠A",
    ] {
        assert_eq!(read_back(&json!([text]), FormulaText::Escape), format!("'{text}"));
        assert_eq!(read_back(&json!([text]), FormulaText::Keep), text);
    }
    for result in [json!(["=1", "2"]), json!([-1, 2])] {
        let list = read_back(&result, FormulaText::Keep);
        assert_eq!(read_back(&result, FormulaText::Escape), format!("'{list}"));
    }
    for (result, text) in [(json!(["a=1"]), "a=1"), (json!([-5]), "-5"), (json!([""]), "")] {
        assert_eq!(read_back(&result, FormulaText::Escape), text);
    }
    let header = written(&[item(1, &[("=a", json!([]))])], FormulaText::Escape);
    assert!(header.lines().next().unwrap().ends_with(",'=a"));
}

#[test]
fn values_of_a_list_can_be_distinguished() {
    for (result, text) in [
        (json!(["Oslo", "Bergen"]), "Oslo; Bergen"),
        (json!(["a; b", "c\\", "; d"]), r"a\; b; c\\; \; d"),
        (json!([1, 2.5, true, null, [3]]), "1; 2.5; true; ; [3]"),
    ] {
        assert_eq!(read_back(&result, FormulaText::Keep), text);
    }
}

#[test]
fn csv_write_error_is_returned() {
    struct Full;
    impl io::Write for Full {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let error = Rows::of(&[]).write_csv(Full, FormulaText::Keep).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::StorageFull);
}
