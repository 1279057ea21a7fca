//! Parameters that are parsed too leniently: unknown ones, invalid ids, and faults that are not reported.

use serde_json::{Value, json};

use crate::exchange::{Answered, Asked};
use crate::fault::{EVERY_OPERATION, Family, Fault, fault, parameter, property, response};
use crate::witness::{add, get};

pub(super) const FAMILY: Family = Family {
    name: "parameter",
    title: "Parameters that are parsed too leniently",
    faults,
};

fn faults() -> Vec<Fault> {
    let mut faults = one_by_one();
    faults.extend(many());
    faults
}

/// Requests with more faults than are listed.
fn many() -> Vec<Fault> {
    let query: Vec<_> = ('a'..='y').rev().map(|letter| format!("{letter}=1")).collect();
    let witness = || [get(format!("/api/v1/pipelines/2/items?{}", query.join("&")))];
    // The parameter names, in the order of the request.
    let names = |asked: &Asked| -> Vec<String> {
        let pairs = asked.query.split('&');
        let names = pairs.filter_map(|pair| pair.split('=').next());
        names.map(str::to_owned).collect()
    };
    let listed = |names: &[String]| -> Value {
        let error = |name| json!({"loc": ["query", name], "msg": "is not known", "type": "unknown"});
        names.iter().map(error).collect()
    };
    let is_full = |answered: &mut Answered| {
        answered.code() == "validation_failed" && answered.list("errors").is_some_and(|errors| errors.len() == 20)
    };
    vec![
        fault(
            "all-of-many-faults-are-listed",
            property("Problem", "errors"),
            "All of more than 20 errors are listed.",
        )
        .shown_by(witness())
        .answer(move |asked, answered| {
            if is_full(answered) {
                answered.json()["errors"] = listed(&names(asked));
            }
        }),
        fault(
            "many-faults-are-listed-by-name",
            property("Problem", "errors"),
            "The first 20 of more than 20 errors by name are listed.",
        )
        .shown_by(witness())
        .answer(move |asked, answered| {
            if is_full(answered) {
                let mut names = names(asked);
                names.sort();
                names.truncate(20);
                answered.json()["errors"] = listed(&names);
            }
        }),
        fault(
            "ten-faults-are-listed",
            property("Problem", "errors"),
            "Only the first 10 of many errors are listed.",
        )
        .shown_by(witness())
        .answer(|_, answered| {
            let errors = answered.list("errors");
            errors.into_iter().for_each(|errors| errors.truncate(10));
        }),
        fault(
            "many-faults-are-not-counted",
            EVERY_OPERATION,
            "The detail of a 422 does not have the number of errors.",
        )
        .shown_by(witness())
        .answer(move |_, answered| {
            if is_full(answered) {
                answered.json()["detail"] = json!("The request has too many errors.");
            }
        }),
        fault(
            "many-faults-of-searches-are-not-counted",
            EVERY_OPERATION,
            "The detail of a search's 422 counts the errors that are listed.",
        )
        .shown_by([get(format!("/search/products/5001/similar?{}", query.join("&")))])
        .answer(move |asked, answered| {
            if asked.searches() && is_full(answered) {
                answered.json()["detail"] = json!("The request has 20 errors; see errors.");
            }
        }),
    ]
}

fn one_by_one() -> Vec<Fault> {
    let pipeline = |keyword| parameter("list_items", "pipeline_id", keyword);
    let item = |keyword| parameter("get_item_values", "pipeline_item_id", keyword);
    let fish = |rest: &str| get(format!("/search/organizations/similar?description=fish&{rest}"));
    vec![
        fault(
            "unknown-is-ignored",
            EVERY_OPERATION,
            "A list ignores parameters that it does not have.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items?page=2"),
            get("/api/v1/pipelines/2/items?offset=2"),
        ])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.keep(|name, _| ["skip", "limit", "sort_by", "sort_order"].contains(&name));
            }
        }),
        fault(
            "filters-are-ignored-by-lists",
            EVERY_OPERATION,
            "A list ignores the filters of the searches.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?countries=NO")])
        .request(|asked| {
            if asked.calls("list_items") {
                asked.remove("countries");
            }
        }),
        fault(
            "sorting-is-ignored-by-searches",
            EVERY_OPERATION,
            "A search ignores the parameters that sort a list.",
        )
        .shown_by([fish("sort_by=question.101")])
        .request(|asked| {
            if asked.searches() {
                asked.remove("sort_by");
                asked.remove("sort_order");
            }
        }),
        fault(
            "underscore-is-ignored",
            EVERY_OPERATION,
            "The parameter that keeps caches from answering is ignored.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?_=1")])
        .request(|asked| asked.remove("_")),
        fault(
            "key-in-the-query-is-ignored",
            EVERY_OPERATION,
            "A parameter with a key is ignored.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?api_key=1")])
        .request(|asked| asked.remove("api_key")),
        fault(
            "unknown-is-ignored-by-reads",
            EVERY_OPERATION,
            "Reading an item ignores the query.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/200001/values?a=1")])
        .request(|asked| {
            if asked.calls("get_item_values") || asked.calls("get_item_status") {
                asked.query.clear();
            }
        }),
        fault(
            "unknown-is-ignored-by-adding",
            EVERY_OPERATION,
            "Adding ignores the query.",
        )
        .shown_by([add(6, r#"{"organization_id": 2331}"#).to("/api/v1/pipelines/6/organizations?dry_run=1")])
        .request(|asked| {
            if asked.calls("add_organization") {
                asked.query.clear();
            }
        }),
        fault(
            "unknown-is-ignored-by-searches",
            EVERY_OPERATION,
            "A search ignores parameters that it does not have.",
        )
        .shown_by([
            fish("colour=red"),
            fish("country=NO"),
            fish("Countries=NO"),
            fish("min_employees=1"),
        ])
        .answer(|asked, answered| {
            let only_unknown = answered.code() == "validation_failed"
                && answered
                    .list("errors")
                    .is_some_and(|errors| errors.iter().all(|error| error["type"] == "unknown"));
            if asked.searches() && only_unknown {
                answered.succeeds(&serde_json::json!({"total_count": 0, "results": []}));
            }
        }),
        fault("any-case-is-taken", EVERY_OPERATION, "Limit is treated as limit.")
            .shown_by([
                get("/api/v1/pipelines/2/items?Limit=1"),
                get("/api/v1/pipelines/2/items?LIMIT=1"),
            ])
            .request(|asked| {
                if asked.calls("list_items") {
                    asked.rename("Limit", "limit");
                    asked.rename("LIMIT", "limit");
                }
            }),
        fault("path-is-decoded-twice", pipeline("type"), "A path is decoded twice.")
            .shown_by([get("/api/v1/pipelines/%2531/items")])
            .request(|asked| asked.path = asked.path.replace("%25", "%")),
        fault(
            "pipeline-zero-is-one",
            pipeline("minimum"),
            "Pipeline 0 is treated as pipeline 1.",
        )
        .shown_by([get("/api/v1/pipelines/0/items?limit=1")])
        .request(|asked| {
            if asked.operation.is_some() && asked.segment(2) == "pipelines" && asked.segment(3) == "0" {
                asked.set_segment(3, 1);
            }
        }),
        fault(
            "huge-pipeline-is-not-found",
            pipeline("maximum"),
            "A pipeline above the greatest id gets 404.",
        )
        .shown_by([get("/api/v1/pipelines/9007199254740992/items")])
        .request(|asked| {
            if asked.calls("list_items") && asked.segment(3).len() > 15 {
                asked.set_segment(3, 999_999);
            }
        }),
        fault(
            "greatest-pipeline-is-refused",
            pipeline("maximum"),
            "The greatest id of a pipeline is rejected.",
        )
        .shown_by([get("/api/v1/pipelines/9007199254740991/items")])
        .request(|asked| {
            if asked.calls("list_items") && asked.segment(3) == "9007199254740991" {
                asked.set_segment(3, "9007199254740992");
            }
        }),
        fault(
            "named-pipeline-is-not-found",
            pipeline("type"),
            "A pipeline id that is not a number gets 404.",
        )
        .shown_by([get("/api/v1/pipelines/inbox/items"), get("/api/v1/pipelines/1.5/items")])
        .request(|asked| {
            if asked.calls("list_items") && asked.segment(3).parse::<i64>().is_err() {
                asked.set_segment(3, 999_999);
            }
        }),
        fault("item-zero-is-not-found", item("minimum"), "Item 0 gets 404.")
            .shown_by([get("/api/v1/pipelines/2/items/0/values")])
            .request(|asked| {
                if asked.calls("get_item_values") && asked.segment(5) == "0" {
                    asked.set_segment(5, 999_999_999);
                }
            }),
        fault(
            "negative-item-is-taken",
            item("minimum"),
            "The sign of an item's id is ignored.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items/-200001/status"),
            get("/api/v1/pipelines/2/items/-1/status"),
        ])
        .request(|asked| {
            if asked.calls("get_item_status") && asked.segment(5).starts_with('-') {
                let id = asked.segment(5).trim_start_matches('-').to_owned();
                asked.set_segment(5, id);
            }
        }),
        fault(
            "named-item-is-a-failure",
            item("type"),
            "An item id that is not a number gets 500.",
        )
        .shown_by([get("/api/v1/pipelines/2/items/first/values")])
        .answer(|asked, answered| {
            if asked.calls("get_item_values") && asked.segment(5).parse::<f64>().is_err() {
                answered.becomes(500, "internal_error");
            }
        }),
        fault(
            "greatest-item-is-refused",
            item("maximum"),
            "The greatest id of an item is rejected.",
        )
        .shown_by([
            get("/api/v1/pipelines/2/items/9007199254740991/status"),
            get("/api/v1/pipelines/2/items/9007199254740991/values"),
        ])
        .request(|asked| {
            let reads = asked.calls("get_item_status") || asked.calls("get_item_values");
            if reads && asked.segment(5) == "9007199254740991" {
                asked.set_segment(5, "9007199254740992");
            }
        }),
        fault(
            "known-organization-zero-is-not-found",
            parameter("search_organizations_by_organization", "organization_id", "minimum"),
            "A search treats organization 0 as an unknown one.",
        )
        .shown_by([get("/search/organizations/0/similar")])
        .request(|asked| {
            if asked.calls("search_organizations_by_organization") && asked.segment(2) == "0" {
                asked.set_segment(2, 9_007_199_254_740_991_i64);
            }
        }),
        fault(
            "known-product-wraps",
            parameter("search_products_by_product", "product_id", "maximum"),
            "A search treats a product above the greatest id as an unknown one.",
        )
        .shown_by([get("/search/products/9007199254740992/similar")])
        .request(|asked| {
            if asked.calls("search_products_by_product") && asked.segment(2).len() > 15 {
                asked.set_segment(2, 9_007_199_254_740_991_i64);
            }
        }),
        fault(
            "only-the-first-is-told",
            property("Problem", "errors"),
            "Only the first of several errors is reported.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0&skip=-1")])
        .answer(|_, answered| {
            if answered.code() == "validation_failed" {
                answered
                    .list("errors")
                    .into_iter()
                    .for_each(|errors| errors.truncate(1));
            }
        }),
        fault(
            "reach-is-located-at-limit",
            property("FieldError", "loc"),
            "The error of skip + limit is located at limit.",
        )
        .shown_by([get("/search/organizations/similar?description=fish&skip=990&limit=11")])
        .answer(|_, answered| {
            for error in answered.list("errors").into_iter().flatten() {
                if error["type"] == "out_of_reach" {
                    error["loc"][1] = Value::from("limit");
                }
            }
        }),
        fault(
            "faults-are-at-the-wrong-place",
            property("FieldError", "loc"),
            "The place of an error in the query is in the body.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
        .answer(|_, answered| {
            if answered.code() == "validation_failed" {
                for error in answered.list("errors").into_iter().flatten() {
                    if error["loc"][0] == "query" {
                        error["loc"][0] = Value::from("body");
                    }
                }
            }
        }),
        fault(
            "faults-have-no-name",
            property("FieldError", "loc"),
            "The place of an error in the query has no parameter name.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
        .answer(|_, answered| {
            if answered.code() == "validation_failed" {
                let errors = answered.list("errors").into_iter().flatten();
                errors
                    .filter_map(|error| error["loc"].as_array_mut())
                    .for_each(|loc| loc.truncate(1));
            }
        }),
        fault(
            "no-fault-is-told",
            response("list_items", 422),
            "A rejected list reports no error.",
        )
        .shown_by([get("/api/v1/pipelines/2/items?limit=0")])
        .answer(|asked, answered| {
            if asked.calls("list_items") && answered.code() == "validation_failed" {
                answered.list("errors").into_iter().for_each(Vec::clear);
            }
        }),
    ]
}
