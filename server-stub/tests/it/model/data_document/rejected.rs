//! Rejected documents, each with the place and the reason.

use platform_server_stub::data::{DataError, Dataset};
use serde_json::{Value, json};

use super::{reject, sound, with};

#[test]
fn text_that_is_not_json_is_rejected_with_line_and_column() {
    let error = Dataset::from_json("{\n  \"organizations\": [,]\n}")
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 2 column 21"), "{error}");
    let error = Dataset::from_json("{} {}").unwrap_err().to_string();
    assert!(error.contains("trailing characters at line 1 column 4"), "{error}");
}

#[test]
fn document_of_another_form_is_rejected_with_the_place_and_the_reason() {
    let table = [
        (
            with("/organizations/1/metrics", json!({"employee_count": "many"})),
            "organizations[1].metrics.employee_count: invalid type",
        ),
        (
            with("/organizations/-", json!({"organization_id": 3, "name": "x"})),
            "organizations[2]: missing field `description`",
        ),
        (
            with("/organizations/0/organization_id", json!(0)),
            "organizations[0].organization_id: 0 is not an identifier",
        ),
        (
            with("/organizations/0/colour", json!("red")),
            "organizations[0].colour: unknown field `colour`",
        ),
        (
            with(
                "/organizations/0/metrics",
                json!({"funding": {"last_round_stage": "series_z"}}),
            ),
            "organizations[0].metrics.funding.last_round_stage: unknown variant `series_z`",
        ),
        (
            with("/organizations/0/metrics", json!({"founded_on": "2020-13-01"})),
            "organizations[0].metrics.founded_on: ",
        ),
        (with("/colours", json!([])), "colours: unknown field `colours`"),
        (
            with("/pipelines/0/entity_data", json!(["organization.colour"])),
            "pipelines[0].entity_data[0]: `organization.colour` is not a field",
        ),
        (
            with("/pipelines/0/items/0/values", json!({"question.x": {}})),
            "pipelines[0].items[0].values",
        ),
        (
            with("/pipelines/0/items/0/values", json!({"question.1": {"result": [null]}})),
            "pipelines[0].items[0].values.question.1.result[0]: expected a number, a string or a boolean",
        ),
        (
            with("/pipelines/0/questions/0/takes_seconds", json!(-1)),
            "pipelines[0].questions[0].takes_seconds: the duration is out of range; use 0 to 3600 seconds",
        ),
        (
            with("/api_keys/0/policies", json!([{"effect": "maybe"}])),
            "api_keys[0].policies[0].effect: unknown variant `maybe`",
        ),
    ];
    for (document, expected) in table {
        let error = reject(&document).to_string();
        assert!(
            error.starts_with(expected),
            "{error}\n  does not start with\n{expected}"
        );
        assert!(error.contains(" at line 1 column "), "{error}");
    }
}

#[test]
fn parts_that_do_not_fit_together_are_rejected_with_the_place_and_the_reason() {
    let organization = |id: i64| json!({"organization_id": id, "name": "x", "description": "y"});
    let value = |column: &str, value: Value| with("/pipelines/0/items/0/values", json!({column: value}));
    let table = [
        (
            with("/organizations/-", organization(1)),
            "organizations[2].organization_id: 1 is a duplicate; use each once",
        ),
        (
            with("/organizations/0/name", json!(" ")),
            "organizations[0].name: must not be blank",
        ),
        (
            with("/organizations/0/metrics", json!({"employee_count": 1u64 << 53})),
            "organizations[0].metrics.employee_count: must be at most 2^53 - 1",
        ),
        (
            with("/organizations/0/headquarters", json!({"country": "France"})),
            "organizations[0].headquarters.country: must be an ISO 3166-1 alpha-2 code such as US",
        ),
        (
            with("/organizations/0/locations", json!([{"region": "FR-"}])),
            "organizations[0].locations[0].region: must be an ISO 3166-2 code such as US-CA",
        ),
        (
            with(
                "/organizations/0/headquarters",
                json!({"country": "FR", "region": "US-CA"}),
            ),
            "organizations[0].headquarters.region: must be a region of the country",
        ),
        (
            with("/organizations/0/logo_url", json!("logo.svg")),
            "organizations[0].logo_url: must be an http or https URL",
        ),
        (
            with("/products/0/product_id", json!(2)),
            "products[1].product_id: 2 is a duplicate; use each once",
        ),
        (
            with("/products/0/organization_id", json!(9)),
            "products[0].organization_id: there is no organization 9",
        ),
        (
            with("/products/0/categories", json!(["ok", "Not OK"])),
            "products[0].categories[1]: must be 1 to 64 of a-z, 0-9 and _",
        ),
        (
            with("/products/0/pricing", json!({"starts_at": -1})),
            "products[0].pricing.starts_at: must not be negative",
        ),
        (
            with("/products/0/pricing", json!({"currency": "euro"})),
            "products[0].pricing.currency: must be an ISO 4217 code such as EUR",
        ),
        (
            with("/pipelines/1/pipeline_id", json!(1)),
            "pipelines[1].pipeline_id: 1 is a duplicate; use each once",
        ),
        (
            with(
                "/pipelines/0/entity_data",
                json!(["organization.name", "organization.name"]),
            ),
            "pipelines[0].entity_data[1]: is a duplicate; use each once",
        ),
        (
            with("/pipelines/0/questions/-", json!({"question_id": 1, "text": "?"})),
            "pipelines[0].questions[1].question_id: 1 is a duplicate; use each once",
        ),
        (
            with("/pipelines/0/questions/0/category", json!("platform_data")),
            "pipelines[0].questions[0].category: must not be platform_data in a question",
        ),
        (
            with(
                "/pipelines/0/questions/0/answer",
                json!({"field": "organization.metrics.employee_count"}),
            ),
            "pipelines[0].questions[0].answer: the rule gives number, but the question expects text",
        ),
        (
            with(
                "/pipelines/0/crm_sync/rejects",
                json!([{"column": "question.9", "error": "no"}]),
            ),
            "pipelines[0].crm_sync.rejects[0].column: is not a column of the pipeline",
        ),
        (
            with(
                "/pipelines/0/items/-",
                json!({"pipeline_item_id": 3, "organization_id": 2}),
            ),
            "pipelines[2].items[0].pipeline_item_id: 3 is a duplicate; use each once",
        ),
        (
            with(
                "/pipelines/0/items/-",
                json!({"pipeline_item_id": 9, "organization_id": 1}),
            ),
            "pipelines[0].items[1].organization_id: the organization is in the pipeline already",
        ),
        (
            with(
                "/pipelines/0/items/-",
                json!({"pipeline_item_id": 9, "organization_id": 9}),
            ),
            "pipelines[0].items[1].organization_id: there is no organization 9",
        ),
        (
            with("/pipelines/0/items/-", json!({"pipeline_item_id": 9})),
            "pipelines[0].items[1].organization_id: is missing in a pipeline of organization items",
        ),
        (
            with(
                "/pipelines/1/items/-",
                json!({"pipeline_item_id": 9, "organization_id": 1}),
            ),
            "pipelines[1].items[1].person_id: is missing in a pipeline of person items",
        ),
        (
            with("/pipelines/0/items/0/document_id", json!(4)),
            "pipelines[0].items[0].document_id: is not allowed in a pipeline of organization items",
        ),
        (
            with("/pipelines/1/items/0/document_indexed", json!(false)),
            "pipelines[1].items[0].document_indexed: must be false without a document",
        ),
        (
            value("question.9", json!({})),
            "pipelines[0].items[0].values[\"question.9\"]: is not a column of the pipeline",
        ),
        (
            value("question.1", json!({"status": "failed", "result": [1]})),
            "pipelines[0].items[0].values[\"question.1\"]: result is empty unless status is completed",
        ),
        (
            value("question.1", json!({"status": "failed", "certainty_score": 1})),
            "pipelines[0].items[0].values[\"question.1\"]: certainty_score is for completed questions",
        ),
        (
            value("question.1", json!({"status": "completed"})),
            "pipelines[0].items[0].values[\"question.1\"]: a completed question has a result",
        ),
        (
            value("question.1", json!({"result": [1], "certainty_score": 101})),
            "pipelines[0].items[0].values[\"question.1\"]: certainty_score is at most 100",
        ),
        (
            value("organization.name", json!({"status": "pending"})),
            "pipelines[0].items[0].values[\"organization.name\"]: a question has a status, and entity data has none",
        ),
        (
            value("organization.name", json!({"certainty_score": 1})),
            "pipelines[0].items[0].values[\"organization.name\"]: entity data has no certainty_score",
        ),
        (
            value("organization.name", json!({"sync_status": "error"})),
            "pipelines[0].items[0].values[\"organization.name\"]: sync_error is there exactly when sync_status \
                 is error",
        ),
        (
            value("organization.name", json!({"sync_status": "success"})),
            "pipelines[0].items[0].values[\"organization.name\"]: sync_status success needs last_synced_at",
        ),
        (
            value("organization.name", json!({"last_synced_at": "2026-01-01T00:00:00Z"})),
            "pipelines[0].items[0].values[\"organization.name\"]: last_synced_at needs a sync_status",
        ),
        (
            with(
                "/pipelines/2/items/0/values",
                json!({"question.1": {"sync_status": "pending"}}),
            ),
            "pipelines[2].items[0].values[\"question.1\"]: the pipeline has no crm_sync, so nothing is synced",
        ),
        (
            with("/api_keys/0/rate_limit", json!({"requests": 0, "window_seconds": 1})),
            "api_keys[0].rate_limit.requests: must be at least 1",
        ),
        (
            with("/api_keys/-", json!({"key": "other", "name": "only"})),
            "api_keys[1].name: only is a duplicate; use each once",
        ),
        (
            with("/api_keys/-", json!({"key": "sesame-opens", "name": "other"})),
            "api_keys[1].key: is a duplicate; use each key once",
        ),
    ];
    for (document, expected) in table {
        assert_eq!(reject(&document).to_string(), expected);
    }
}

#[test]
fn all_faults_are_reported_at_once() {
    let mut document = with("/organizations/0/name", json!(""));
    document["products"][0]["organization_id"] = json!(9);
    let DataError::Inconsistent(faults) = reject(&document) else {
        panic!("the document can be read");
    };
    let places: Vec<_> = faults.iter().map(|fault| fault.place.as_str()).collect();
    assert_eq!(places, ["organizations[0].name", "products[0].organization_id"]);
}

#[test]
fn every_record_that_cannot_be_read_is_reported_in_the_order_of_the_document() {
    let text = r#"{
  "products": [
    {"product_id": 1, "organization_id": 1, "name": "Sail", "description": 5},
    {"product_id": 2, "organization_id": 1, "name": "Dye", "description": "A dye."}
  ],
  "organizations": [{"organization_id": 0, "name": "x", "description": "y"}, 7,
    {"organization_id": 2,
     "name": true, "description": "y"}],
  "pipelines": [
    {"pipeline_id": 1, "name": "a", "colour": "red", "items": [{"pipeline_item_id": 1}, {}, {"pipeline_item_id": "2"}]},
    {"pipeline_id": 2, "name": "b", "questions": [{"question_id": 0, "text": "?"}, {"question_id": 1}]}
  ],
  "api_keys": {}
}"#;
    let error = Dataset::from_json(text).unwrap_err();
    let (text, expected) = (
        error.to_string(),
        [
            "products[0].description: invalid type: integer `5`, expected a string at line 3 column 76",
            "organizations[0].organization_id: 0 is not an identifier: identifiers are whole numbers from 1 to \
                 9007199254740991 at line 6 column 41",
            "organizations[1]: invalid type: integer `7`, expected struct Organization at line 6 column 78",
            "organizations[2].name: invalid type: boolean `true`, expected a string at line 8 column 17",
            "pipelines[0].colour: unknown field `colour`, ",
            "pipelines[0].items[1]: missing field `pipeline_item_id` at line 10 column 90",
            "pipelines[0].items[2].pipeline_item_id: invalid type: string \"2\", expected i64 at line 10 column ",
            "pipelines[1].questions[0].question_id: 0 is not an identifier",
            "pipelines[1].questions[1]: missing field `text` at line 11 column ",
            "api_keys: invalid type: map, expected a sequence at line 13 column ",
        ],
    );
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), expected.len(), "{text}");
    for (line, expected) in lines.iter().zip(expected) {
        assert!(line.starts_with(expected), "{line}\n{expected}");
    }
}

#[test]
fn first_fault_of_a_text_that_is_not_json_is_reported() {
    let error = Dataset::from_json(r#"{"organizations": [5, 6, "x"#).unwrap_err();
    assert_eq!(error.to_string().lines().count(), 1, "{error}");
}

#[test]
fn array_where_an_object_belongs_is_rejected_with_its_place() {
    let question = |field: &str, value: Value| {
        let mut document = sound();
        document["pipelines"][0]["questions"][0][field] = value;
        document
    };
    let table = [
        (json!([]), "."),
        (json!([[], []]), "."),
        (with("/organizations/-", json!([3, "Name", "Text"])), "organizations[2]"),
        (with("/organizations/0/metrics", json!([7])), "organizations[0].metrics"),
        (
            with("/organizations/0/headquarters", json!([])),
            "organizations[0].headquarters",
        ),
        (
            with("/organizations/0/locations", json!([[]])),
            "organizations[0].locations[0]",
        ),
        (with("/products/0/pricing", json!([])), "products[0].pricing"),
        (with("/pipelines/-", json!([9, "Name"])), "pipelines[3]"),
        (
            with("/pipelines/0/crm_sync", json!(["hubspot"])),
            "pipelines[0].crm_sync",
        ),
        (
            with("/pipelines/0/items/0/values", json!({"question.1": []})),
            "pipelines[0].items[0].values.question.1",
        ),
        (
            question(
                "answer",
                json!({"ratio": ["organization.metrics.employee_count", "organization.metrics.employee_count"]}),
            ),
            "pipelines[0].questions[0].answer.ratio",
        ),
        (
            question(
                "asked_if",
                json!({"not": {"at_least": ["organization.metrics.employee_count", 7]}}),
            ),
            "pipelines[0].questions[0].asked_if.not.at_least",
        ),
        (with("/api_keys/-", json!(["other", "name"])), "api_keys[1]"),
        (with("/api_keys/0/rate_limit", json!([1, 1])), "api_keys[0].rate_limit"),
    ];
    for (document, place) in table {
        let error = reject(&document).to_string();
        let expected = format!("{place}: invalid type: an array, expected an object at line 1 column ");
        assert!(error.starts_with(&expected), "{error}\n{expected}");
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}

#[test]
fn no_error_shows_a_key() {
    for document in [
        with("/api_keys/-", json!({"key": "sesame-opens", "name": "other"})),
        with("/api_keys/0/key", json!("sesame opens")),
        with("/api_keys/0/key", json!({"sesame": 1})),
    ] {
        let error = reject(&document);
        assert!(
            !error.to_string().contains("sesame") && !format!("{error:?}").contains("sesame"),
            "{error}"
        );
    }
}

#[test]
fn first_of_many_faults_are_written_and_the_rest_is_counted() {
    let product = |id: i32| json!({"product_id": id, "organization_id": 9, "name": "A", "description": "B"});
    let products: Vec<_> = (1..=30).map(product).collect();
    let text = reject(&json!({"products": products})).to_string();
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 21, "{text}");
    assert!(lines[19].starts_with("products[19]."), "{text}");
    assert_eq!(lines[20], "and 10 more");
}

#[test]
fn text_with_nul_is_rejected() {
    let name = |name: &str| {
        let text = format!(r#"{{"pipelines": [{{"pipeline_id": 1,\n"name": "{name}"}}]}}"#);
        Dataset::from_json(&text.replace(r"\n", "\n"))
    };
    for nul in [r"\u0000", r"a\u0000b", r"\\\u0000"] {
        let error = name(nul).unwrap_err().to_string();
        assert_eq!(error, r"line 2: \u0000 cannot be in a text", "{nul}");
    }
    for other in [r"\\u0000", r"\u0001", "u0000"] {
        assert!(name(other).is_ok(), "{other}");
    }
}
