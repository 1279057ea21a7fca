//! Errors that name the wrong kind of error, or an error that the request does not have.

use serde_json::{Value, json};

use crate::fault::{Family, Fault, fault, property};
use crate::witness::{Witness, get};

pub(super) const FAMILY: Family = Family {
    name: "kind",
    title: "Kinds of errors",
    faults,
};

fn faults() -> Vec<Fault> {
    let list = |query: &str| get(format!("/api/v1/pipelines/2/items?{query}"));
    let search = |query: &str| get(format!("/search/organizations/similar?description=fish&{query}"));
    let swapped = |name: &str, wrong, witness: Witness, from: &'static str, to: &'static str| {
        fault(name, property("FieldError", "type"), wrong)
            .shown_by([witness])
            .answer(move |_, answered| {
                for error in answered.list("errors").into_iter().flatten() {
                    if error["type"] == from {
                        error["type"] = json!(to);
                    }
                }
            })
    };
    vec![
        swapped(
            "below-minimum-is-missing",
            "The kind of a number below its minimum is that of a missing parameter.",
            list("limit=0"),
            "less_than_minimum",
            "missing",
        ),
        swapped(
            "malformed-is-too-long",
            "The kind of a code of the wrong form is that of a text with too many characters.",
            search("countries=no"),
            "malformed",
            "too_long",
        ),
        swapped(
            "unknown-is-not-one-of",
            "The kind of an unknown parameter is that of a value outside a list.",
            list("offset=1"),
            "unknown",
            "not_one_of",
        ),
        swapped(
            "repeated-is-too-many",
            "The kind of a repeated parameter is that of a list that is too long.",
            list("limit=1&limit=2"),
            "repeated",
            "too_many",
        ),
        swapped(
            "over-maximum-is-below-minimum",
            "The kind of a number above its maximum is that of one below its minimum.",
            list("limit=1001"),
            "greater_than_maximum",
            "less_than_minimum",
        ),
        swapped(
            "date-is-an-integer",
            "The kind of a text that is not a date is that of one that is not an integer.",
            search("funded_from=soon"),
            "not_a_date",
            "not_an_integer",
        ),
        swapped(
            "blank-is-missing",
            "The kind of a blank text is that of a missing one.",
            get("/search/organizations/similar?description=%20"),
            "blank",
            "missing",
        ),
        fault(
            "sound-parameter-is-listed",
            property("Problem", "errors"),
            "The errors name limit although it is right.",
        )
        .shown_by([list("limit=5&offset=1")])
        .answer(|asked, answered| {
            let is_right = asked.number("limit").is_some_and(|limit| (1..=100).contains(&limit));
            if answered.code() == "validation_failed"
                && is_right
                && let Some(errors) = answered.list("errors")
                && errors.iter().all(|error| error["loc"] != json!(["query", "limit"]))
            {
                errors.push(fault_at("limit"));
            }
        }),
    ]
}

fn fault_at(name: &str) -> Value {
    json!({"loc": ["query", name], "msg": "is out of range", "type": "greater_than_maximum"})
}
