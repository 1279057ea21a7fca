//! The clause that a finding breaks, of those that its case rests on.

use platform_contract::{Contract, Parameter, is_at_or_below};

use super::{CaseReport, ClauseReport};
use crate::finding::Finding;

impl CaseReport {
    /// Returns the clause to show with a finding: the first one, or if that is about a parameter that the request does
    /// not have, the first about one that it has. A case about `skip` and `limit` rests on the bounds of both.
    pub fn clause_of(&self, finding: &Finding) -> Option<&ClauseReport> {
        let request = finding.requests.last().map_or("", String::as_str);
        let has = |name: &str| {
            ["?", "&"]
                .iter()
                .any(|before| request.contains(&format!("{before}{name}=")))
        };
        let first = self.clauses.first()?;
        if parameter(first).is_none_or(has) {
            return Some(first);
        }
        let of_request = |clause: &&ClauseReport| parameter(clause).is_some_and(has);
        self.clauses.iter().find(of_request).or(Some(first))
    }
}

/// The name of the parameter that a clause is about.
fn parameter(clause: &ClauseReport) -> Option<&'static str> {
    let operations = Contract::bundled().operations().iter();
    let mut parameters = operations.flat_map(|operation| &operation.parameters);
    let is_of =
        |parameter: &&Parameter| parameter.location == "query" && is_at_or_below(clause.way(), &parameter.pointer);
    let own = parameters.find(is_of)?;
    Some(own.name.as_str())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::report::failed_case;

    /// A case about the bounds of `skip` and `limit`, with a finding for this request.
    fn case(request: &str) -> CaseReport {
        let search = Contract::bundled().operation("search_organizations_by_description");
        let clauses = ["skip", "limit"].map(|name| {
            let pointer = &search.parameter(name).pointer;
            json!({"pointer": format!("{pointer}/schema/maximum"), "sentence": name, "line": null})
        });
        let mut case = failed_case("search-limit/over-maximum-is-rejected", "stated");
        case.clauses = serde_json::from_value(json!(clauses)).unwrap();
        case.findings[0].requests = vec![request.to_owned()];
        case
    }

    #[test]
    fn clause_is_about_the_parameter_that_the_request_has() {
        for (query, parameter) in [
            ("limit=101", "limit"),
            ("skip=1000", "skip"),
            ("skip=1000&limit=101", "skip"),
            ("description=a", "skip"),
        ] {
            let case = case(&format!("curl 'http://a.example/search/organizations/similar?{query}'"));
            let clause = case.clause_of(&case.findings[0]).unwrap();
            assert_eq!(clause.sentence, parameter, "{query}");
        }
    }
}
