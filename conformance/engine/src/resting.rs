//! The basis of a single expectation: a stated case may expect decided details, such as the form of an error.

use std::collections::BTreeSet;

use crate::transport::response::HttpResponse;
use platform_contract::{Basis, Contract, Operation, escape};

/// The place of the schema of all error bodies.
pub(crate) const PROBLEM: &str = "/components/schemas/Problem";

/// The decisions at a place of the contract, if it is decided. A place that the contract does not have takes those of
/// its nearest parent.
pub(crate) fn decisions_at(contract: &Contract, place: &str) -> BTreeSet<String> {
    let mut place = place;
    loop {
        if let Some(basis) = contract.basis(place) {
            return basis.decision().map(str::to_owned).into_iter().collect();
        }
        match place.rsplit_once('/') {
            Some((parent, _)) => place = parent,
            None => return BTreeSet::new(),
        }
    }
}

/// The decisions behind a sentence at a place of the contract.
pub(crate) fn decisions_of_sentence(contract: &Contract, place: &str, sentence: &str) -> BTreeSet<String> {
    let basis = contract.basis_of(place, sentence);
    let decision = basis.as_ref().and_then(Basis::decision);
    decision.map(str::to_owned).into_iter().collect()
}

/// The decisions behind a keyword of a schema: `schema` is the place of the schema in the contract, `path` the place of
/// the keyword in the JSON Schema that was made of it.
pub(crate) fn decisions_of_keyword(contract: &Contract, schema: &str, path: &str) -> BTreeSet<String> {
    decisions_at(contract, &place_of_keyword(contract, schema, path))
}

/// The decisions behind a member that an object must have: the member itself may be marked with one. `path` is the
/// place of the keyword `required` of the object.
pub(crate) fn decisions_of_presence(contract: &Contract, schema: &str, path: &str, member: &str) -> BTreeSet<String> {
    let place = place_of_keyword(contract, schema, path);
    let object = place.strip_suffix("/required").unwrap_or(&place);
    let member = contract.get(&format!("{object}/properties/{}", escape(member)));
    match member.and_then(|member| member["x-keyword-basis"]["required"].as_str()) {
        Some(decision) => BTreeSet::from([decision.to_owned()]),
        None => decisions_at(contract, &place),
    }
}

/// The place in the contract of a keyword.
fn place_of_keyword(contract: &Contract, schema: &str, path: &str) -> String {
    let (schema, path) = match path.find("/components/schemas/") {
        Some(start) => ("", &path[start..]),
        None => (schema, path),
    };
    let mut place = schema.to_owned();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let has = |name: &str| contract.get(&format!("{place}/{name}")).is_some();
        match segment {
            "$ref" => {}
            // `nullable` becomes a choice between null and the schema.
            "anyOf" if !has("anyOf") => drop(segments.next()),
            "propertyNames" if has("x-key-pattern") => {
                place.push_str("/x-key-pattern");
                break;
            }
            segment => {
                place.push('/');
                place.push_str(segment);
            }
        }
    }
    place
}

/// The decisions behind a rejection where a success was expected: those on the parameters in the query, because a
/// deployment that has other names for them rejects these. `None` if the source states all of them, or if the response
/// is not such a rejection.
pub(crate) fn decisions_of_rejection(contract: &Contract, response: &HttpResponse) -> Option<BTreeSet<String>> {
    let request = &response.request;
    let (path, query) = request
        .path
        .split_once('?')
        .filter(|_| [400, 422].contains(&response.status))?;
    let names: BTreeSet<_> = query.split('&').filter_map(|pair| pair.split('=').next()).collect();
    let mut operations = contract.operations().iter();
    let operation = operations.find(|operation| operation.method == request.method && is_path_of(operation, path));
    let parameters = operation.into_iter().flat_map(|operation| &operation.parameters);
    let decisions: BTreeSet<_> = parameters
        .filter(|parameter| parameter.location == "query" && names.contains(parameter.name.as_str()))
        .flat_map(|parameter| decisions_at(contract, &parameter.pointer))
        .collect();
    Some(decisions).filter(|decisions| !decisions.is_empty())
}

/// Whether a path has the form of an operation's path.
fn is_path_of(operation: &Operation, path: &str) -> bool {
    let segments = |path: &'_ str| path.split('/').count();
    let mut pairs = operation.path.split('/').zip(path.split('/'));
    segments(&operation.path) == segments(path)
        && pairs.all(|(expected, seen)| expected == seen || expected.starts_with('{'))
}

/// The place of a member of all error bodies.
pub(crate) fn member_of_problem(name: &str) -> String {
    format!("{PROBLEM}/properties/{}", escape(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(decisions: BTreeSet<String>) -> Vec<String> {
        decisions.into_iter().collect()
    }

    #[test]
    fn missing_node_has_the_basis_of_its_parent() {
        let contract = Contract::bundled();
        let code = member_of_problem("code");
        assert!(!names(decisions_at(contract, &code)).is_empty());
        assert_eq!(
            decisions_at(contract, &format!("{code}/none/such")),
            decisions_at(contract, &code)
        );
    }

    #[test]
    fn json_schema_keyword_is_found_in_the_contract() {
        let contract = Contract::bundled();
        let schema = "/components/schemas/ColumnValue";
        let direct = decisions_at(contract, &format!("{schema}/properties/certainty_score/maximum"));
        for path in [
            "/properties/certainty_score/maximum",
            "/properties/certainty_score/anyOf/1/maximum",
            "/$ref/properties/certainty_score/maximum",
            "/components/schemas/ColumnValue/properties/certainty_score/maximum",
        ] {
            assert_eq!(decisions_of_keyword(contract, schema, path), direct, "{path}");
        }
    }
}
