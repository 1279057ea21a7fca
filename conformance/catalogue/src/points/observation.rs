//! Observations: a behaviour, its value, and the requests that show it.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{MIXED, OTHER};
use engine::session::observed::items;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use platform_contract::Contract;
use searches::calls::{Search, count, results};

/// A behaviour that a deployment showed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Observation {
    pub(crate) behaviour: &'static str,
    /// Null if the behaviour has no value.
    pub(crate) value: Value,
    /// The requests, as shell commands.
    pub(crate) requests: Vec<Arc<str>>,
}

/// An observation, or the reason why there is none.
pub(crate) type ObservationResult = Result<Observation, Stop>;

/// Returns a behaviour without a value.
pub(super) fn observed(behaviour: &'static str, evidence: &[&HttpResponse]) -> ObservationResult {
    observed_value(behaviour, Value::Null, evidence)
}

/// Returns a behaviour with its value.
pub(super) fn observed_value(
    behaviour: &'static str,
    value: impl Into<Value>,
    evidence: &[&HttpResponse],
) -> ObservationResult {
    Ok(Observation {
        behaviour,
        value: value.into(),
        requests: evidence.iter().map(|response| Arc::clone(&response.curl)).collect(),
    })
}

/// Returns behaviour that the point does not describe.
pub(super) fn observed_other(what: impl Into<String>, evidence: &[&HttpResponse]) -> ObservationResult {
    observed_value(OTHER, what.into(), evidence)
}

/// Reports that the question cannot be answered without this requirement.
pub(super) fn unknown_without(lacking: impl Into<String>) -> ObservationResult {
    Err(Stop::Inconclusive(lacking.into()))
}

/// Whether a response rejects the content of a request, not the key or the number of requests.
pub(super) fn is_rejection(response: &HttpResponse) -> bool {
    matches!(response.status, 400..=499) && !matches!(response.status, 401 | 403 | 408 | 429)
}

/// Observes a request that may be rejected: returns the status of the rejection, or what `accepted` reads in a
/// success.
pub(super) fn rejected_or(response: &HttpResponse, accepted: impl FnOnce() -> ObservationResult) -> ObservationResult {
    match response.status {
        200..=299 => accepted(),
        status if is_rejection(response) => observed_value("refused", status, &[response]),
        status => observed_other(format!("answered {status}"), &[response]),
    }
}

/// Sends a request and observes whether it is rejected or accepted. Only the status counts.
pub(super) async fn rejected_or_accepted(call: Call, accepted: &'static str) -> ObservationResult {
    let response = call.send().await?;
    rejected_or(&response, || observed(accepted, &[&response]))
}

/// A source of pages: a pipeline or a search.
#[derive(Debug, Clone)]
pub(super) enum Pages {
    Items,
    Results(Search),
}

impl Pages {
    /// A request for a page.
    pub(super) fn call(&self, probe: &Probe) -> Result<Call, Stop> {
        match self {
            Self::Items => Ok(probe.call("list_items").path("pipeline_id", probe.pipeline(ManyItems)?)),
            Self::Results(search) => search.call(probe),
        }
    }

    /// The entries of a page.
    pub(super) fn entries<'a>(&self, page: &'a HttpResponse) -> &'a [Value] {
        match self {
            Self::Items => items(page),
            Self::Results(_) => results(page),
        }
    }

    /// The number of entries of a page.
    pub(super) fn count(&self, page: &HttpResponse) -> i64 {
        count(self.entries(page))
    }

    /// Returns a number from the contract's schema of `limit` or `skip`.
    pub(super) fn number(&self, contract: &Contract, name: &str, keyword: &str) -> i64 {
        let operation = match self {
            Self::Items => contract.operation("list_items"),
            Self::Results(search) => &search.operation,
        };
        operation.parameter(name).number(keyword)
    }
}

/// Observes several operations. If all operations that show a behaviour agree, returns that behaviour, otherwise the
/// behaviour of each operation.
pub(super) fn across<'a, T, Answered>(
    asked: impl IntoIterator<Item = (String, T)>,
    look: impl Fn(T) -> Answered,
) -> impl Future<Output = ObservationResult> + Send + 'a
where
    Answered: Future<Output = ObservationResult> + Send + 'a,
{
    let looks = asked.into_iter().map(|(name, of)| (name, look(of).boxed()));
    together(looks.collect())
}

/// Makes the observations one after another. A separate function from [`across`], so that it is compiled once and not
/// for every closure.
async fn together(looks: Vec<(String, BoxFuture<'_, ObservationResult>)>) -> ObservationResult {
    let (mut observations, mut unknown) = (BTreeMap::new(), None);
    for (name, look) in looks {
        match look.await {
            Ok(observation) => {
                observations.insert(name, observation);
            }
            Err(stop @ Stop::Errored(_)) => return Err(stop),
            Err(stop) => unknown = Some(stop),
        }
    }
    let Some(first) = observations.values().next().cloned() else {
        let nothing = || Stop::Inconclusive("an operation to call".to_owned());
        return Err(unknown.unwrap_or_else(nothing));
    };
    let same =
        |observation: &Observation| (observation.behaviour, &observation.value) == (first.behaviour, &first.value);
    let mut requests: Vec<_> = observations
        .values()
        .flat_map(|observation| &observation.requests)
        .cloned()
        .collect();
    if observations.values().all(same) {
        // One request is enough; the others differ only in the path.
        requests.clone_from(&first.requests);
        return Ok(Observation { requests, ..first });
    }
    let value = observations.iter().map(|(name, observation)| {
        let shown = match &observation.value {
            Value::Null => json!(observation.behaviour),
            value => json!({ observation.behaviour: value }),
        };
        (name.clone(), shown)
    });
    Ok(Observation {
        behaviour: MIXED,
        value: Value::Object(value.collect()),
        requests,
    })
}

/// Applies one observation to each of these searches. Suits [`Point::by`](super::Point::by).
pub(super) fn on_each<F, Answered>(
    searches: &[Search],
    look: F,
) -> impl Fn(Probe) -> BoxFuture<'static, ObservationResult> + Send + Sync + 'static
where
    F: Fn(Probe, Search) -> Answered + Send + Sync + 'static,
    Answered: Future<Output = ObservationResult> + Send + 'static,
{
    let searches = searches.to_vec();
    move |probe| {
        let named = searches.iter().cloned();
        let named = named.map(|search| (search.operation.id.clone(), search));
        across(named, |search| look(probe.clone(), search)).boxed()
    }
}

/// The sorted names of an object's members.
pub(super) fn member_names(object: &Value) -> Vec<String> {
    let mut names: Vec<_> = object
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, _)| name.clone())
        .collect();
    names.sort();
    names
}
