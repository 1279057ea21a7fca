//! What was seen of a point: a behaviour, the value that goes with it, and the requests that show it.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::{MIXED, OTHER};
use crate::search::calls::Search;
use engine::session::observed::items;
use engine::session::{Call, Probe};
use engine::target::PipelineRole::ManyItems;
use engine::transport::client::Answer;
use engine::verdict::Stop;

/// A behaviour that was seen.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Sight {
    pub(crate) behaviour: &'static str,
    /// Null when the behaviour has none.
    pub(crate) value: Value,
    /// The requests, as lines for a shell.
    pub(crate) requests: Vec<Arc<str>>,
}

/// What came of looking: a behaviour, or why there is none to tell.
pub(crate) type Seen = Result<Sight, Stop>;

/// A behaviour without a value.
pub(super) fn saw(behaviour: &'static str, evidence: &[&Answer]) -> Seen {
    saw_value(behaviour, Value::Null, evidence)
}

/// A behaviour with its value.
pub(super) fn saw_value(
    behaviour: &'static str,
    value: impl Into<Value>,
    evidence: &[&Answer],
) -> Seen {
    Ok(Sight {
        behaviour,
        value: value.into(),
        requests: evidence
            .iter()
            .map(|answer| Arc::clone(&answer.curl))
            .collect(),
    })
}

/// What no behaviour of the point describes.
pub(super) fn saw_other(what: impl Into<String>, evidence: &[&Answer]) -> Seen {
    saw_value(OTHER, what.into(), evidence)
}

/// Nothing can be told without this.
pub(super) fn untold(lacking: impl Into<String>) -> Seen {
    Err(Stop::Inconclusive(lacking.into()))
}

/// Whether an answer refuses what was asked, rather than who asks, or that anybody asks.
pub(super) fn is_refusal(answer: &Answer) -> bool {
    matches!(answer.status, 400..=499) && !matches!(answer.status, 401 | 403 | 408 | 429)
}

/// What an answer makes of a request that may be refused: the status of the refusal, or what `accepted`
/// reads in a success.
pub(super) fn refused_or(answer: &Answer, accepted: impl FnOnce() -> Seen) -> Seen {
    match answer.status {
        200..=299 => accepted(),
        status if is_refusal(answer) => saw_value("refused", status, &[answer]),
        status => saw_other(format!("answered {status}"), &[answer]),
    }
}

/// A request of which only whether it is refused counts.
pub(super) async fn refused_or_accepted(call: Call, accepted: &'static str) -> Seen {
    let answer = call.send().await?;
    refused_or(&answer, || saw(accepted, &[&answer]))
}

/// Where pages come from: a pipeline, or a search.
#[derive(Debug, Clone, Copy)]
pub(super) enum Pages {
    Items,
    Results(Search),
}

impl Pages {
    /// A request for a page.
    pub(super) fn call(self, probe: &Probe) -> Result<Call, Stop> {
        match self {
            Self::Items => Ok(probe
                .call("list_items")
                .path("pipeline_id", probe.pipeline(ManyItems)?)),
            Self::Results(search) => search.call(probe),
        }
    }

    /// The entries of a page.
    pub(super) fn entries(self, page: &Answer) -> &[Value] {
        match self {
            Self::Items => items(page),
            Self::Results(_) => crate::search::calls::results(page),
        }
    }

    /// How many entries a page has.
    pub(super) fn count(self, page: &Answer) -> i64 {
        i64::try_from(self.entries(page).len()).unwrap_or(i64::MAX)
    }

    /// A number that the contract gives for `limit` or `skip`.
    pub(super) fn number(self, name: &str, keyword: &str) -> i64 {
        self.operation().parameter(name).number(keyword)
    }

    pub(super) fn operation(self) -> &'static platform_contract::Operation {
        match self {
            Self::Items => platform_contract::Contract::bundled().operation("list_items"),
            Self::Results(search) => search.operation,
        }
    }
}

/// The pages of all six searches.
pub(super) fn searches() -> Vec<Pages> {
    Search::all().into_iter().map(Pages::Results).collect()
}

/// Asks the same of several operations. When all that can tell agree, that is what was seen; when they do
/// not, which does what.
pub(super) fn across<'a, T, Answered>(
    asked: impl IntoIterator<Item = (String, T)>,
    look: impl Fn(T) -> Answered,
) -> impl Future<Output = Seen> + Send + 'a
where
    Answered: Future<Output = Seen> + Send + 'a,
{
    let looks = asked.into_iter().map(|(name, of)| (name, look(of).boxed()));
    together(looks.collect())
}

/// What was seen by looking at one operation after the other. Apart from [`across`], so that it is compiled
/// once and not for each of the dozens of looks.
async fn together(looks: Vec<(String, BoxFuture<'_, Seen>)>) -> Seen {
    let (mut sights, mut untold) = (BTreeMap::new(), None);
    for (name, look) in looks {
        match look.await {
            Ok(sight) => {
                sights.insert(name, sight);
            }
            Err(stop @ Stop::Errored(_)) => return Err(stop),
            Err(stop) => untold = Some(stop),
        }
    }
    let Some(first) = sights.values().next().cloned() else {
        let nothing = || Stop::Inconclusive("an operation to ask".to_owned());
        return Err(untold.unwrap_or_else(nothing));
    };
    let same = |sight: &Sight| (sight.behaviour, &sight.value) == (first.behaviour, &first.value);
    let mut requests: Vec<_> = sights
        .values()
        .flat_map(|sight| &sight.requests)
        .cloned()
        .collect();
    if sights.values().all(same) {
        // One shows it; the others are the same with another path.
        requests.clone_from(&first.requests);
        return Ok(Sight { requests, ..first });
    }
    let value = sights.iter().map(|(name, sight)| {
        let shown = match &sight.value {
            Value::Null => json!(sight.behaviour),
            value => json!({ sight.behaviour: value }),
        };
        (name.clone(), shown)
    });
    Ok(Sight {
        behaviour: MIXED,
        value: Value::Object(value.collect()),
        requests,
    })
}

/// Asks the same of all six searches.
pub(super) fn across_searches<'a, Answered>(
    look: impl Fn(Search) -> Answered,
) -> impl Future<Output = Seen> + Send + 'a
where
    Answered: Future<Output = Seen> + Send + 'a,
{
    let all = Search::all().into_iter();
    across(
        all.map(|search| (search.operation.id.clone(), search)),
        look,
    )
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
