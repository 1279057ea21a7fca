//! Cases about every response that any case received, by operation and status: it is declared, has its headers and a
//! body that fits its schema, and an error agrees with its status.
//!
//! These cases send nothing. They check the responses that the other cases received, so they check most when all
//! others run.

mod items;

use std::collections::BTreeSet;

use serde_json::Value;

use engine::case::{Case, Need};
use engine::rules::{
    ANY, DEPRECATION, HISTORY, INTERNALS, LENGTHS, OTHER_STATUS, PROBLEM_TYPE, RANKING, REMAINDERS, RESULTS, SCORES,
    UNROUTED,
};
use platform_contract::{Basis, Contract, Operation, Response};

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let operations = contract.operations().iter();
    let mut cases: Vec<_> = operations
        .flat_map(|operation| of_operation(contract, operation))
        .collect();
    cases.extend([
        Case::new(
            format!("schema/{ANY}/{PROBLEM_TYPE}"),
            format!("{PROBLEM_TYPE}: Every code of a problem has its own type, the same in every response"),
            "/components/schemas/Problem/properties/type",
        )
        .quote("Identifies the kind of problem; one URI for each code.")
        .point("error-body")
        .watches(ANY, PROBLEM_TYPE),
        Case::quoting(
            format!("schema/{ANY}/{DEPRECATION}"),
            format!("{DEPRECATION}: What is deprecated is announced by both headers, 12 months ahead"),
            "/info",
            "Deprecation is announced 12 months before removal by the headers Deprecation (RFC 9745) and Sunset \
                 (RFC 8594).",
        )
        .point("deprecation")
        .watches(ANY, DEPRECATION),
        Case::quoting(
            "schema/errors-show-no-internals",
            "No error shows the API key, a stack trace or other internals, whatever was asked for",
            "/info",
            "An error never contains the API key, a stack trace or other internals.",
        )
        .point("error-internals")
        .watches(ANY, INTERNALS),
        Case::quoting(
            "schema/final-status-stays",
            "A question with a final status has it in all later responses",
            "/components/schemas/ColumnValue",
            "A question goes from pending to completed, no_answer, failed or skipped, and stays there.",
        )
        .point("questions-answered")
        .watches(ANY, HISTORY),
        Case::new(
            "schema/no-page-exceeds-its-limit",
            "No page has more items than limit, or without one its default, whatever else the request says",
            &contract.operation("list_items").parameter("limit").pointer,
        )
        .quote("The maximum number of items returned.")
        .watches(ANY, LENGTHS),
        Case::new(
            "schema/page-holds-what-is-left",
            "A page has limit items, or all that are left after skip, in every response",
            &contract.operation("list_items").parameter("skip").pointer,
        )
        .and(&contract.operation("list_items").parameter("limit").pointer)
        .watches(ANY, REMAINDERS),
        Case::quoting(
            "schema/organizations-are-ranked",
            "The organizations of a page are in the order of their distances, whatever else the request says",
            "/components/responses/OrganizationsFound",
            "ranked by cosine distance",
        )
        .watches(ANY, RANKING),
        Case::quoting(
            "schema/each-result-occurs-once",
            "No record is on a page of a search twice, whatever else the request says",
            "/components/responses/OrganizationsFound",
            "a set of organizations, each once",
        )
        .and_quote("/components/responses/ProductsFound", "a set of products, each once")
        .watches(ANY, RESULTS),
        Case::quoting(
            "schema/every-result-has-a-score",
            "Each result has a similarity score, or none has, in every response",
            "/components/schemas/OrganizationSearchResult",
            "core details, company metrics, location data, contact information and similarity scores",
        )
        .and_quote(
            "/components/schemas/ProductSearchResult",
            "product details, business context, company information, market intelligence and the organization \
             associated with it",
        )
        .watches(ANY, SCORES),
        of_no_operation(
            404,
            "An unknown route or method gets a response that the contract describes",
        )
        .primary_quote(
            "/info",
            "An unknown route is rejected with 404 and the code route_not_found",
        )
        .point("unknown-route"),
        of_no_operation(
            405,
            "An unknown route or method gets a response that the contract describes",
        )
        .primary_quote(
            "/info",
            "an unknown method of a known route is rejected with 405, the code method_not_allowed and the header \
                 Allow",
        )
        .point("unknown-method"),
    ]);
    cases.extend(items::cases(contract));
    cases
}

fn of_operation(contract: &Contract, operation: &Operation) -> Vec<Case> {
    let id = &operation.id;
    let declared = operation
        .responses
        .iter()
        .filter(|response| !response.status.ends_with("XX"));
    let mut cases: Vec<_> = declared
        .map(|response| {
            let status = &response.status;
            let case = Case::new(format!("schema/{id}/{status}"), title(status, id), &response.pointer);
            let case = schemas(contract, response).iter().fold(case, Case::and);
            case.point(point_of(operation, status)).watches(id, status)
        })
        .collect();
    cases.push(
        Case::new(
            format!("schema/{id}/{OTHER_STATUS}"),
            title(OTHER_STATUS, id),
            format!("{}/responses/5XX", operation.pointer),
        )
        .point("undeclared-statuses")
        .watches(id, OTHER_STATUS),
    );
    // A run that does not send the method receives no responses to check.
    let method = (!operation.is_read()).then(|| Need::method(operation.method.clone()));
    let needs = |case: Case| case.needs(method.clone());
    cases.into_iter().map(needs).collect()
}

/// One sentence for all responses of an operation: its statuses are the subjects of one rule.
fn title(status: &str, operation: &str) -> String {
    format!("{status}: {operation} responds as the contract describes: status, headers, media type, body")
}

/// The point of a response of an operation. Responses of the pipeline operations without a decision are stated.
fn point_of(operation: &Operation, status: &str) -> &'static str {
    match status {
        "200" if operation.id.starts_with("search_organizations_") => "organization-fields",
        "200" if operation.id.starts_with("search_products_") => "product-fields",
        "429" => "rate-limit",
        _ => "error-body",
    }
}

/// The schemas that the body of a response consists of. For a stated response only the stated ones: a decision about
/// an id in the response does not make the response decided.
fn schemas(contract: &Contract, response: &Response) -> Vec<String> {
    let mut met = BTreeSet::new();
    for (_, schema) in &response.content {
        collect(contract, schema, &mut met);
    }
    let is_stated = contract.basis(&response.pointer) == Some(Basis::Stated);
    met.retain(|pointer| !is_stated || contract.basis(pointer) == Some(Basis::Stated));
    met.into_iter().collect()
}

fn collect(contract: &Contract, node: &Value, met: &mut BTreeSet<String>) {
    if let Some(pointer) = node["$ref"].as_str().and_then(|to| to.strip_prefix('#')) {
        if met.insert(pointer.to_owned())
            && let Some(schema) = contract.get(pointer)
        {
            collect(contract, schema, met);
        }
        return;
    }
    match node {
        Value::Object(members) => members.values().for_each(|member| collect(contract, member, met)),
        Value::Array(list) => list.iter().for_each(|member| collect(contract, member, met)),
        _ => {}
    }
}

fn of_no_operation(status: u16, title: &str) -> Case {
    let id = format!("schema/{UNROUTED}/{status}");
    Case::new(id, title, format!("/x-unrouted-responses/{status}")).watches(UNROUTED, &status.to_string())
}
