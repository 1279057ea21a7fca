//! Cases about queries that are written in another way: their parameters in another order, or percent-encoded.

use std::sync::Arc;

use super::{column, optional, valid};
use engine::case::{Case, RequestTemplate};
use engine::session::Probe;
use engine::transport::request::encode;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Operation, known_part_of};

/// How often a comparison is repeated when the response changes meanwhile.
const ROUNDS: usize = 3;

pub(super) fn cases(reads: &[&Arc<Operation>]) -> Vec<Case> {
    let of = |writing| reads.iter().filter_map(move |operation| written(operation, writing));
    [Writing::Reversed, Writing::Encoded].into_iter().flat_map(of).collect()
}

/// A way to write a query that does not change its meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Writing {
    /// The parameters are in the reverse order.
    Reversed,
    /// Each byte of their names and values is percent-encoded.
    Encoded,
}

/// A case for an operation with at least two parameters in its query.
fn written(operation: &Arc<Operation>, writing: Writing) -> Option<Case> {
    let parameters: Vec<_> = optional(operation).collect();
    let (first, others) = parameters.split_first()?;
    let id = &operation.id;
    let case = match writing {
        Writing::Reversed => {
            let case = Case::new(
                format!("cross/order-of-parameters/{id}"),
                format!("{id}: The order of the parameters does not matter"),
                &first.pointer,
            );
            let case = others.iter().fold(case, |case, other| case.and(&other.pointer));
            case.point(match operation.is_search() {
                true => "search-pages",
                false => "sort-values",
            })
        }
        Writing::Encoded => Case::quoting(
            format!("cross/encoded-parameters/{id}"),
            format!("{id}: A parameter whose name and value are percent-encoded is that parameter"),
            "/info",
            "A percent-encoded character that needs no encoding, a letter, a digit or one of -._~, means the same as the \
             plain one: %34 is the id 4.",
        )
        .on([id.as_str()])
        .point("encoded-characters"),
    };
    let case = case
        .needs(RequestTemplate::valid(operation).needs())
        .sends(3 * ROUNDS as u64)
        .check_with((Arc::clone(operation), writing), is_the_same_page);
    (!others.is_empty()).then_some(case)
}

async fn is_the_same_page(probe: Probe, (operation, writing): (Arc<Operation>, Writing)) -> Outcome {
    let column = column(&probe);
    let (request, mut query) = (RequestTemplate::valid(&operation), Vec::new());
    for parameter in optional(&operation) {
        // Of the filters only those that nearly every record passes, so that there is something to compare.
        let is_wide = matches!(
            parameter.name.as_str(),
            "sort_by" | "sort_order" | "skip" | "headquarters_only" | "employee_count_min"
        );
        if let Some(value) = valid(parameter, column.as_deref()).filter(|_| is_wide) {
            query.push((parameter.name.clone(), value));
        }
    }
    query.push(("limit".to_owned(), "5".to_owned()));
    let (usual, otherwise) = (as_usual(&query), writing.of(&query));
    let what = match writing {
        Writing::Reversed => "the page of the same parameters in another order",
        Writing::Encoded => "the page of the same parameters, percent-encoded",
    };
    for _ in 0..ROUNDS {
        let one = ask(&probe, &request, &usual).await?;
        let one = probe.ok(one)?;
        let other = ask(&probe, &request, &otherwise).await?;
        if other.status != one.status {
            probe.expect(&other).status(one.status);
            return Ok(());
        }
        let [expected, seen] = [&one, &other].map(|page| known_part_of(probe.contract(), &operation, &page.body));
        let is_steady = expected == seen || {
            let again = ask(&probe, &request, &usual).await?;
            known_part_of(probe.contract(), &operation, &again.body) == expected
        };
        if !is_steady {
            continue;
        }
        if ["/items", "/results"].iter().all(|list| one.at(list)[0].is_null()) {
            return probe.inconclusive("a page with records");
        }
        probe.assert_same(what, &expected, &seen, &[&other, &one]);
        return Ok(());
    }
    probe.inconclusive("a page that stays the same meanwhile")
}

impl Writing {
    /// The parts of a query in this way.
    fn of(self, query: &[(String, String)]) -> Vec<String> {
        let encoded = |(name, value): &(String, String)| format!("{}={}", encode_all(name), encode_all(value));
        match self {
            Self::Reversed => as_usual(query).into_iter().rev().collect(),
            Self::Encoded => query.iter().map(encoded).collect(),
        }
    }
}

/// The parts of a query as clients write them.
fn as_usual(query: &[(String, String)]) -> Vec<String> {
    let part = |(name, value): &(String, String)| format!("{}={}", encode(name), encode(value));
    query.iter().map(part).collect()
}

/// Percent-encodes every byte.
fn encode_all(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Sends a valid request with these parts of a query.
async fn ask(probe: &Probe, valid: &RequestTemplate, query: &[String]) -> Result<HttpResponse, Stop> {
    let call = valid.call(probe).await?;
    query.iter().fold(call, |call, part| call.raw_query(part)).send().await
}
