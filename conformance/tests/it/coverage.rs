//! Every operation, constraint of a parameter or a body, response, stated sentence and decision of the contract is
//! cited by a case, or is listed in `uncovered.txt`, which may only shrink.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use platform_conformance::{Basis, Contract, Operation, Parameter, Pattern, catalogue};
use serde_json::Value;

/// The keywords of a schema that a request can break or leave out.
const CONSTRAINTS: [&str; 12] = [
    "type",
    "minimum",
    "maximum",
    "default",
    "pattern",
    "enum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "required",
    "additionalProperties",
];

/// The clauses of the contract that need a case, as JSON pointers.
fn clauses(contract: &Contract) -> BTreeSet<String> {
    let mut clauses = BTreeSet::new();
    for operation in contract.operations() {
        clauses.insert(operation.pointer.clone());
        clauses.insert(format!("{}/x-permission", operation.pointer));
        clauses.extend(operation.responses.iter().map(|response| response.pointer.clone()));
        for parameter in &operation.parameters {
            clauses.extend(of_parameter(contract, parameter));
        }
        clauses.extend(of_body(contract, operation));
    }
    clauses.extend(stated_schemas(contract));
    clauses
}

/// The schemas of stated responses: each describes a field.
fn stated_schemas(contract: &Contract) -> Vec<String> {
    let schemas = contract.document()["components"]["schemas"].as_object().unwrap();
    let pointers = schemas.keys().map(|name| format!("/components/schemas/{name}"));
    pointers
        .filter(|pointer| contract.basis(pointer) == Some(Basis::Stated))
        // A schema that only requests contain is cited at the parameter or the body.
        .filter(|pointer| {
            let sent = ["QuestionColumnId", "SortOrder", "AddOrganizationRequest"];
            !sent.iter().any(|name| pointer.ends_with(name))
        })
        .collect()
}

/// Decisions that no client can observe, each with the reason.
const UNSEEN: [(&str, &str); 11] = [
    ("D27", "there are no events, and no request for them"),
    ("D28", "fields that items do not have: objects may gain members"),
    ("D31", "other kinds of results are allowed"),
    ("D40", "it explains the definition of is_ready, which has a case"),
    ("D45", "lists may grow"),
    ("D48", "a header that may be sent"),
    ("D50", "hints for clients, which no response carries"),
    ("D52", "either reading is allowed"),
    ("D56", "further routes are allowed"),
    ("D57", "a time that is not promised"),
    ("D59", "further ways to send a key are allowed"),
];

#[test]
fn every_decision_has_a_case() {
    let decisions = Contract::bundled().decisions().into_iter();
    let decided: BTreeSet<String> = decisions.map(|decision| decision.id).collect();
    let cited: BTreeSet<_> = catalogue()
        .iter()
        .flat_map(platform_conformance::Case::decisions)
        .collect();
    let unseen: BTreeSet<_> = UNSEEN.iter().map(|(id, _)| (*id).to_owned()).collect();
    let excused = excused();
    let missing: Vec<_> = decided
        .difference(&cited)
        .filter(|id| !unseen.contains(*id) && !excused.contains(*id))
        .collect();
    let covered: Vec<_> = cited.intersection(&excused).collect();
    assert!(
        covered.is_empty(),
        "{covered:?} have a case now: delete their lines in uncovered.txt"
    );
    assert!(
        missing.is_empty(),
        "no case rests on {missing:?}. Write one that cites it, or name it among UNSEEN with the reason why no client \
         can observe it."
    );
    let seen: Vec<_> = unseen.intersection(&cited).collect();
    assert!(
        seen.is_empty(),
        "{seen:?} are listed in UNSEEN, and a case rests on them: remove them from the list"
    );
}

#[test]
fn source_of_the_kit_contains_no_decision_ids() {
    let decision = regex::Regex::new(r"\bD\d\d\b").unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = [
        "src",
        "engine/src",
        "catalogue/src",
        "catalogue/pipelines/src",
        "catalogue/searches/src",
        "catalogue/service/src",
        "selftest/src",
        "benches",
    ];
    let mut folders = packages.map(|package| root.join(package)).to_vec();
    let mut looked_at = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).unwrap();
                let named: Vec<_> = decision.find_iter(&text).map(|found| found.as_str()).collect();
                assert!(
                    named.is_empty(),
                    "{}: {named:?}. The basis of a case comes from the contract: cite the node or the sentence, \
                     and mark it there",
                    path.display()
                );
                looked_at += 1;
            }
        }
    }
    assert!(looked_at > 100, "{looked_at} files");
}

/// The laws that need no known data, each with its case.
const LAWS: [(&str, &str); 15] = [
    (
        "any page size walks to the same collection",
        "paging/any-page-size-walks-to-the-same-items",
    ),
    (
        "any page size of a search, too",
        "search-ranking/any-page-size-walks-to-the-same-list/*",
    ),
    ("a sorted walk is a permutation", "sort/sorted-is-a-permutation"),
    ("a sorted walk is in order", "sort/ascending-by-first-value"),
    ("desc mirrors asc", "sort/descending-mirrors-ascending"),
    (
        "a filter yields what passes",
        "search-filter/countries-keeps-what-fits-any/*",
    ),
    (
        "combined filters intersect",
        "search-filter/different-filters-hold-together/*",
    ),
    (
        "tighter never finds more",
        "search-total/tighter-filters-never-find-more/*",
    ),
    ("limits are prefixes of each other", "paging/shorter-page-is-a-prefix"),
    ("a repeated read is the same", "paging/repeated-read-is-the-same"),
    ("a read changes nothing", "item/reading-changes-nothing"),
    ("list, values and status agree", "item/values-agree-with-the-list"),
    (
        "is_ready is the conjunction of its three",
        "item/is-ready-is-the-conjunction",
    ),
    ("sync_error is set in error alone", "item/sync-error-exactly-in-error"),
    ("all laws hold for random input", "law/*"),
];

#[test]
fn every_law_has_a_case() {
    let cases = catalogue();
    for (law, pattern) in LAWS {
        let pattern = Pattern::from(pattern);
        assert!(cases.iter().any(|case| pattern.matches(&case.id)), "no case for: {law}");
    }
}

fn of_parameter(contract: &Contract, parameter: &Parameter) -> Vec<String> {
    let mut clauses = of_schema(&parameter.schema, &format!("{}/schema", parameter.pointer));
    // Without the value, the request has another path.
    if parameter.required && parameter.location == "query" {
        clauses.push(format!("{}/required", parameter.pointer));
    }
    let rules = contract.get(&format!("{}/x-constraints", parameter.pointer));
    let rules = rules.and_then(Value::as_array).map_or(0, Vec::len);
    clauses.extend((0..rules).map(|position| format!("{}/x-constraints/{position}", parameter.pointer)));
    clauses
}

fn of_body(contract: &Contract, operation: &Operation) -> Vec<String> {
    let pointer = format!("{}/requestBody", operation.pointer);
    if contract.get(&pointer).is_none() {
        return Vec::new();
    }
    let schema_pointer = format!("{pointer}/content/application~1json/schema");
    let schema = contract.get(&schema_pointer).unwrap();
    let mut clauses = vec![pointer.clone(), format!("{pointer}/required")];
    clauses.extend(of_schema(schema, &schema_pointer));
    for name in schema["properties"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name)
    {
        let pointer = format!("{schema_pointer}/properties/{name}");
        clauses.extend(of_schema(contract.get(&pointer).unwrap(), &pointer));
    }
    clauses
}

fn of_schema(schema: &Value, pointer: &str) -> Vec<String> {
    // In a query every value is a string, and any number of values is a list.
    let breakable = |keyword: &str| keyword != "type" || (schema["type"] != "string" && schema["type"] != "array");
    let constrained = CONSTRAINTS
        .iter()
        .filter(|keyword| schema.get(**keyword).is_some() && breakable(keyword));
    let mut clauses: Vec<_> = constrained.map(|keyword| format!("{pointer}/{keyword}")).collect();
    // A number's own bounds are narrower than those of its format.
    if schema["type"] == "string" && schema.get("format").is_some() {
        clauses.push(format!("{pointer}/format"));
    }
    if let Some(items) = schema.get("items") {
        clauses.extend(of_schema(items, &format!("{pointer}/items")));
    }
    clauses
}

/// The lines of `uncovered.txt`: JSON pointers, and ids of decisions.
fn excused() -> BTreeSet<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("uncovered.txt");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(str::to_owned).collect()
}

#[test]
fn every_clause_has_a_case() {
    let wanted = clauses(Contract::bundled());
    let cited: BTreeSet<_> = catalogue()
        .into_iter()
        .flat_map(|case| case.clauses)
        .map(|clause| clause.pointer)
        .collect();
    let uncovered: BTreeSet<_> = wanted.difference(&cited).cloned().collect();
    let mut excused = excused();
    excused.retain(|line| line.starts_with('/'));
    let missing: Vec<_> = uncovered.difference(&excused).collect();
    assert!(
        missing.is_empty(),
        "{} clauses of openapi.yaml have no case:\n{missing:#?}\n\
         Write a case for each in conformance/catalogue, and cite the clause: Case::new(id, title, POINTER), or \
         .and(POINTER) when the case rests on several. Adding a line to uncovered.txt is not the answer: the list \
         may only shrink.",
        missing.len()
    );
    let covered: Vec<_> = excused.difference(&uncovered).collect();
    assert!(
        covered.is_empty(),
        "these lines of uncovered.txt have a case now, or their clause is gone:\n{covered:#?}\n\
         Delete them."
    );
}

#[test]
fn every_cited_clause_exists() {
    let contract = Contract::bundled();
    let wanted = clauses(contract);
    for pointer in &wanted {
        assert!(contract.get(pointer).is_some(), "{pointer}");
    }
    // Ten operations have far more clauses than this: the contract has been read completely.
    assert!(wanted.len() > 300, "{} clauses", wanted.len());
}

#[test]
fn cases_quote_only_text_at_their_pointers() {
    let contract = Contract::bundled();
    for case in catalogue() {
        for clause in &case.clauses {
            assert!(
                contract.get(&clause.pointer).is_some(),
                "{}: {}",
                case.id,
                clause.pointer
            );
            assert!(
                !clause.sentence.is_empty(),
                "{}: {} has no text",
                case.id,
                clause.pointer
            );
            let keyword = clause.pointer.rsplit('/').next().unwrap();
            let node = contract.get(&clause.pointer).unwrap();
            assert!(
                contract.says(&clause.pointer, &clause.sentence) || clause.sentence == format!("{keyword}: {node}"),
                "{}: {} does not say {:?}",
                case.id,
                clause.pointer,
                clause.sentence
            );
        }
    }
}
