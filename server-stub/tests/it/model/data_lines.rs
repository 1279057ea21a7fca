//! Data in lines: what is accepted, and how faults are reported.

use std::fs;
use std::io::Write;

use platform_server_stub::data::line::{Described, Line, StoredVector};
use platform_server_stub::data::{DataError, Dataset, FileError, LineWriter};
use platform_server_stub::embedding::vector::{DIMENSIONS, Vector};
use platform_server_stub::model::item::Item;
use serde_json::{Value, json};

const HEADER: &str = r#"{"format":"platform-data","version":1}"#;
const ORGANIZATION: &str = r#"{"organization":{"record":{"organization_id":1,"name":"Weaver","description":"Weaves linen.","customer_base":"Sailors."}}}"#;
const PRODUCT: &str =
    r#"{"product":{"record":{"product_id":1,"organization_id":1,"name":"Sail","description":"A sail."}}}"#;
const PIPELINE: &str = r#"{"pipeline":{"pipeline_id":1,"name":"Prospects"}}"#;
const ITEM: &str = r#"{"item":{"pipeline_id":1,"record":{"pipeline_item_id":1,"organization_id":1}}}"#;
const KEY: &str = r#"{"api_key":{"key":"sesame-opens","name":"only"}}"#;

fn read(lines: &[&str]) -> Result<Dataset, DataError> {
    Dataset::from_lines(lines.join("\n").as_bytes())
}

fn reject(lines: &[&str]) -> String {
    read(lines).expect_err(&format!("{lines:?}")).to_string()
}

/// All contents of a data set, for comparison.
fn everything(data: &Dataset) -> Vec<String> {
    let organizations = data.organizations().map(|it| {
        let customers = it.meaning.customers.as_ref().map(Vector::as_bytes);
        format!(
            "{:?}{:?}{:?}{customers:?}",
            it.organization,
            it.categories,
            it.meaning.offer.as_bytes()
        )
    });
    let products = data.products().map(|it| {
        let customers = it.meaning.customers.as_ref().map(Vector::as_bytes);
        format!(
            "{:?}{:?}{:?}{customers:?}",
            it.product,
            it.organization,
            it.meaning.offer.as_bytes()
        )
    });
    let pipelines = data.pipelines().map(|it| format!("{it:?}"));
    // A clone, because a cached rendering does not count.
    let items = data.items().map(|it| format!("{:?}", Item::clone(it)));
    organizations.chain(products).chain(pipelines).chain(items).collect()
}

#[test]
fn every_kind_of_line_is_read() {
    let data = read(&[HEADER, KEY, ORGANIZATION, "", PRODUCT, PIPELINE, ITEM, " "]).unwrap();
    assert_eq!(
        (
            data.organizations().count(),
            data.products().count(),
            data.pipelines().count(),
            data.items().count()
        ),
        (1, 1, 1, 1)
    );
    assert_eq!(data.api_keys()[0].name, "only");
    let lines = [HEADER, ORGANIZATION, PRODUCT, PIPELINE, ITEM];
    let document = json!({
        "organizations": [serde_json::from_str::<Value>(ORGANIZATION).unwrap()["organization"]["record"]],
        "products": [serde_json::from_str::<Value>(PRODUCT).unwrap()["product"]["record"]],
        "pipelines": [{"pipeline_id": 1, "name": "Prospects", "items": [{"pipeline_item_id": 1, "organization_id": 1}]}],
    });
    let document = Dataset::from_json(&document.to_string()).unwrap();
    assert_eq!(everything(&read(&lines).unwrap()), everything(&document));
    assert!(read(&[&format!("\u{FEFF}{HEADER}\r")]).is_ok());
}

#[test]
fn written_data_is_read_back_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let built_in = Dataset::built_in();
    for name in ["data.jsonl", "data.JSONL.zst"] {
        let path = folder.path().join(name);
        built_in.write(&path).unwrap();
        let read = Dataset::read(&path).unwrap();
        assert!(everything(&read) == everything(&built_in), "{name}");
    }
    let plain = fs::read(folder.path().join("data.jsonl")).unwrap();
    let compressed = fs::read(folder.path().join("data.JSONL.zst")).unwrap();
    assert!(
        compressed.len() * 2 < plain.len(),
        "{} of {}",
        compressed.len(),
        plain.len()
    );
    assert!(!String::from_utf8(plain).unwrap().contains("api_key"));
}

#[test]
fn file_that_was_cut_off_is_rejected() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, part) = (folder.path().join("a.jsonl"), folder.path().join("b.jsonl"));
    Dataset::built_in().write(&whole).unwrap();
    let text = fs::read_to_string(&whole).unwrap();
    let lines: Vec<_> = text.lines().collect();
    fs::write(&part, lines[..lines.len() - 1].join("\n")).unwrap();
    let error = Dataset::read(&part).unwrap_err().to_string();
    let expected = format!(
        "{} cannot be used:\nline {}: the end of the file is missing: the file was truncated; get it again",
        part.display(),
        lines.len() - 1
    );
    assert_eq!(error, expected);
    let without_one = [&lines[..lines.len() - 2], &lines[lines.len() - 1..]].concat();
    let error = reject(&without_one);
    assert!(
        error.ends_with(&format!(
            "{} records were written, but {} are present; get the file again",
            lines.len() - 2,
            lines.len() - 3
        )),
        "{error}"
    );

    let whole = folder.path().join("a.jsonl.zst");
    Dataset::built_in().write(&whole).unwrap();
    let bytes = fs::read(&whole).unwrap();
    fs::write(&whole, &bytes[..bytes.len() - 9]).unwrap();
    let error = Dataset::read(&whole).unwrap_err().to_string();
    assert!(error.contains("incomplete frame"), "{error}");
}

#[test]
fn file_of_another_form_is_rejected_with_what_to_do() {
    let table = [
        (
            "",
            r#"line 1: expected a header such as {"format":"platform-data","version":1}"#,
        ),
        (
            ORGANIZATION,
            r#"line 1: expected a header such as {"format":"platform-data","version":1}"#,
        ),
        (
            r#"{"format":"platform-data"}"#,
            "line 1: version null is not supported; this server reads 1",
        ),
        (
            r#"{"format":"platform-data","version":2,"new":1}"#,
            "line 1: version 2 is not supported; this server reads 1",
        ),
        (
            r#"{"format":"platform-data","version":1,"encoding":"x"}"#,
            "line 1: encoding: unknown field `encoding`, expected one of `format`, `version`, `encoder`, \
                 `has_end` at column 48",
        ),
    ];
    for (header, expected) in table {
        assert_eq!(reject(&[header]), expected);
    }
    let error = Dataset::from_lines(&b"\xFF"[..]).unwrap_err();
    assert_eq!(error.to_string(), "line 1: not UTF-8; save the file as UTF-8");
    let error = Dataset::read("nowhere.jsonl".as_ref()).unwrap_err();
    assert!(matches!(error, FileError::Read(..)), "{error}");
}

#[test]
fn faults_are_reported_with_their_line_and_place() {
    let vector = "AAAA".repeat(85) + "AA==";
    let zeros = |field: &str| {
        format!(
            r#"{{"organization":{{"record":{{"organization_id":2,"name":"a","description":"b"}},"{field}":"{vector}"}}}}"#
        )
    };
    let (offer, customers) = (zeros("offer"), zeros("customers"));
    let table: [(&[&str], &str); 17] = [
        (&["5"], "line 2: "),
        (
            &[r#"{"colour":{}}"#],
            "line 2: unknown variant `colour`, expected one of `organization`, ",
        ),
        (
            &[ORGANIZATION, r#"{"organization":[]}"#],
            "line 3: organization: invalid type: an array, expected an object at column ",
        ),
        (
            &[r#"{"organization":{"record":{"organization_id":1,"name":"x","description":true}}}"#],
            "line 2: organization.record.description: invalid type: boolean `true`, expected a string at column 76",
        ),
        (
            &[ORGANIZATION, "", ORGANIZATION],
            "line 4: organization.record.organization_id: 1 is a duplicate; use each once",
        ),
        (
            &[r#"{"organization":{"record":{"organization_id":1,"name":" ","description":"x"}}}"#],
            "line 2: organization.record.name: must not be blank",
        ),
        (
            &[r#"{"pipeline":{"pipeline_id":1,"name":"a\u0000b"}}"#],
            r"line 2: \u0000 cannot be in a text",
        ),
        (
            &[PRODUCT],
            "line 2: product.record.organization_id: there is no organization 1",
        ),
        (
            &[PIPELINE, ORGANIZATION],
            "line 3: organizations come first, then products, pipelines and items; sort the lines",
        ),
        (
            &[ITEM],
            "line 2: item.pipeline_id: there is no pipeline 1 above this line\n",
        ),
        (
            &[r#"{"pipeline":{"pipeline_id":1,"name":"a","items":[{"pipeline_item_id":1}]}}"#],
            "line 2: pipeline.items: must be empty; write each item on a line of its own",
        ),
        (
            &[
                r#"{"pipeline":{"pipeline_id":1,"name":"a","entity_type":"person"}}"#,
                ITEM,
            ],
            "line 3: item.record.person_id: is missing",
        ),
        (
            &[KEY, "", KEY],
            "line 4: api_key.name: only is a duplicate; use each once\nline 4: api_key.key: is a duplicate; use each key once",
        ),
        (
            &[r#"{"end":{"records":0}}"#, KEY],
            "line 3: is after the end; the line `end` must be the last",
        ),
        (
            &[&offer],
            "line 2: organization.offer: the header does not name the encoder of the stored vectors",
        ),
        (
            &[&customers],
            "line 2: organization.offer: the header does not name the encoder",
        ),
        (
            &[r#"{"organization":{"record":{"organization_id":1,"name":"x","description":"y"},"offer":"AAAA"}}"#],
            "line 2: organization.offer: a vector is 256 components from -127 to 127 in base64 at column ",
        ),
    ];
    for (lines, expected) in table {
        let error = reject(&[&[HEADER][..], lines].concat());
        assert!(format!("{error}\n").starts_with(expected), "{error}\n{expected}");
    }
    let least = format!(
        r#"{{"organization":{{"record":{{"organization_id":1,"name":"x","description":"y"}},"offer":"{}"}}}}"#,
        "gICA".repeat(85) + "gA=="
    );
    assert!(reject(&[HEADER, &least]).contains("from -127 to 127"));
}

#[test]
fn vectors_and_customer_bases_go_together() {
    let header = r#"{"format":"platform-data","version":1,"encoder":"another"}"#;
    let vector = "AAAA".repeat(85) + "AA==";
    let record = &ORGANIZATION[..ORGANIZATION.len() - 2];
    let offer = format!(r#"{record},"offer":"{vector}"}}}}"#);
    let expected = "line 2: organization.customers: must be present exactly when offer and record.customer_base are";
    assert_eq!(reject(&[header, &offer]), expected);
    let both = offer.replace(r#""offer""#, &format!(r#""customers":"{vector}","offer""#));
    assert!(read(&[header, &both]).is_ok());
}

#[test]
fn vectors_of_another_encoder_are_computed_again() {
    let mut meaning = read(&[HEADER, ORGANIZATION])
        .unwrap()
        .organizations()
        .next()
        .unwrap()
        .meaning
        .clone();
    let made = meaning.offer.clone();
    let other = Vector::new([7; DIMENSIONS]);
    meaning.offer = other.clone();
    let record = serde_json::from_str::<Value>(ORGANIZATION).unwrap()["organization"]["record"].clone();
    let mut writer = LineWriter::new(Vec::new()).unwrap();
    let line = Described::new(serde_json::from_value(record).unwrap(), meaning);
    assert_eq!(line.offer, Some(StoredVector(other.clone())));
    writer.write(&Line::Organization(Box::new(line))).unwrap();
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let offer = |text: &str| {
        let data = Dataset::from_lines(text.as_bytes()).unwrap();
        data.organizations().next().unwrap().meaning.offer.clone()
    };
    assert_eq!(offer(&text), other);
    assert_eq!(offer(&text.replace("\"encoder\":\"", "\"encoder\":\"x")), made);
}

#[test]
fn lines_are_counted_over_the_whole_of_a_large_file() {
    let mut text = Vec::new();
    writeln!(text, "{HEADER}").unwrap();
    let filler = "x".repeat(2000);
    for id in 1..=2000 {
        writeln!(
            text,
            r#"{{"organization":{{"record":{{"organization_id":{id},"name":"a","description":"{filler}"}}}}}}"#
        )
        .unwrap();
    }
    assert!(text.len() > 3 << 20);
    let wrong: Vec<_> = (0..30).map(|place| 50 + place * 60).collect();
    let text = String::from_utf8(text).unwrap();
    let mut lines: Vec<_> = text.lines().collect();
    for place in &wrong {
        lines[*place] = "{}";
    }
    lines[1999] = lines[1];
    let error = reject(&lines);
    let places: Vec<_> = error.lines().map(|line| line.split(':').next().unwrap()).collect();
    let expected: Vec<_> = wrong[..20].iter().map(|place| format!("line {}", place + 1)).collect();
    assert_eq!(places[..20], expected);
    assert_eq!(error.lines().last(), Some("and 11 more"));
}

#[test]
fn order_of_ids_in_a_file_does_not_matter() {
    let line = |id: i64| {
        format!(r#"{{"organization":{{"record":{{"organization_id":{id},"name":"n{id}","description":"d{id}"}}}}}}"#)
    };
    let product = |id: i64| {
        format!(
            r#"{{"product":{{"record":{{"product_id":{id},"organization_id":{},"name":"n{id}","description":"d{id}","categories":["c{id}"]}}}}}}"#,
            9 - id
        )
    };
    let lines = |ids: [i64; 3]| {
        let all = ids.iter().map(|id| line(*id)).chain(ids.iter().map(|id| line(id + 5)));
        let all: Vec<_> = all.chain(ids.map(product)).collect();
        let header = [HEADER.to_owned()];
        everything(&Dataset::from_lines([&header[..], &all].concat().join("\n").as_bytes()).unwrap())
    };
    assert_eq!(lines([3, 1, 2]), lines([1, 2, 3]));
}
