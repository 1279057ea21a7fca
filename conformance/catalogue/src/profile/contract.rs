//! The contract as a deployment decided it: with the numbers of its profile instead of the contract's own, and without
//! the headers and the members of errors that it does not have.
//!
//! Cases read bounds from the contract, so this contract lets them use values that the deployment accepts. Nothing
//! that the source states is ever amended.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Value, json};

use super::{Observed, Profile};
use platform_contract::Contract;

impl Profile {
    /// Returns the contract as this deployment decided it. [`cases`](Self::cases) are made from it, and
    /// [`Options::contract`](engine::Options::contract) has to be this contract for a run of them.
    pub fn contract(&self) -> Arc<Contract> {
        let (changes, decided) = (self.changes(), Contract::bundled());
        match changes.is_empty() {
            true => Arc::clone(decided),
            false => Arc::new(decided.amended(&changes)),
        }
    }

    /// Returns the places of the contract that differ for this deployment, with their values.
    fn changes(&self) -> Vec<(String, Value)> {
        let differing: BTreeMap<_, _> = self.differing().collect();
        let mut changes = Vec::new();
        for (point, places) in NUMBERS {
            if let Some(number) = differing.get(point).and_then(|observed| number(observed)) {
                changes.extend(places.iter().map(|place| ((*place).to_owned(), json!(number))));
            }
        }
        if let Some(reach) = differing.get("search-reach").and_then(|observed| number(observed)) {
            let limit = "/components/parameters/SearchLimit/x-constraints/0/rule";
            changes.push((limit.to_owned(), json!(format!("skip + limit <= {reach}"))));
            let skip = "/components/parameters/SearchSkip/schema/maximum";
            changes.push((skip.to_owned(), json!(reach - 1)));
        }
        for (point, header) in HEADERS {
            let Some(observed) = differing.get(point) else {
                continue;
            };
            let place = format!("/components/headers/{header}");
            match observed.behaviour.as_deref() {
                Some("absent") => changes.push((format!("{place}/required"), json!(false))),
                Some("says") => changes.push((format!("{place}/schema/enum"), json!([observed.value]))),
                _ => {}
            }
        }
        for (point, place, anything) in FORMS {
            if differing.contains_key(point) {
                changes.push((place.to_owned(), json!(anything)));
            }
        }
        if let Some(observed) = differing.get("error-body")
            && observed.behaviour.as_deref() == Some("object")
        {
            changes.push((PROBLEM.to_owned(), problem(&observed.value)));
        }
        changes
    }
}

/// Returns the number that a point shows, if it shows one for all operations.
fn number(observed: &Observed) -> Option<i64> {
    let is_number = observed.behaviour.as_deref() == Some("number");
    is_number.then(|| observed.value.as_i64()).flatten()
}

/// The points that are numbers of the contract, with their places.
const NUMBERS: [(&str, &[&str]); 4] = [
    (
        "search-limit-default",
        &["/components/parameters/SearchLimit/schema/default"],
    ),
    (
        "search-limit-maximum",
        &[
            "/components/parameters/SearchLimit/schema/maximum",
            "/components/schemas/OrganizationSearchPage/properties/results/maxItems",
            "/components/schemas/ProductSearchPage/properties/results/maxItems",
        ],
    ),
    ("search-text-length", &["/components/schemas/SearchText/maxLength"]),
    (
        "filter-list-length",
        &[
            "/components/parameters/Countries/schema/maxItems",
            "/components/parameters/Regions/schema/maxItems",
            "/components/parameters/BusinessTypes/schema/maxItems",
            "/components/parameters/FundingStages/schema/maxItems",
        ],
    ),
];

/// The points that are headers of the contract.
const HEADERS: [(&str, &str); 3] = [
    ("cache-control", "Cache-Control"),
    ("request-id", "X-Request-Id"),
    ("www-authenticate", "WWW-Authenticate"),
];

/// The points about the form of texts, with the place of the keyword and a value of it that leaves the form open. A
/// later one counts for both that differ.
const FORMS: [(&str, &str, &str); 3] = [
    (
        "question-ids",
        KEY_PATTERN,
        r"^(question\..+|[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)*)$",
    ),
    ("entity-column-names", KEY_PATTERN, ""),
    (
        "sync-time-form",
        "/components/schemas/ColumnValue/properties/last_synced_at/format",
        "any",
    ),
];

/// The pattern of the names of columns.
const KEY_PATTERN: &str = "/components/schemas/Values/x-key-pattern";
const PROBLEM: &str = "/components/schemas/Problem";

/// The schema of errors that have these members, with the contract's schema for each member that it defines.
fn problem(members: &Value) -> Value {
    let mut schema = Contract::bundled().get(PROBLEM).cloned().unwrap_or_default();
    let has = |name: &str| {
        members
            .as_array()
            .is_some_and(|members| members.iter().any(|member| member == name))
    };
    if let Some(required) = schema["required"].as_array_mut() {
        required.retain(|name| name.as_str().is_some_and(has));
    }
    schema
}
