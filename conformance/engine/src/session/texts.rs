//! Finds a text for each search by text: one that the deployment tells records apart by.
//!
//! A deployment that compares words may know none of the words in the contract's example. All its records are then at
//! the same distance, and no rule about their order can fail; or it finds few or none, and most rules lack data.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::session::Probe;
use crate::session::observed::Known;
use crate::transport::response::HttpResponse;
use crate::verdict::Stop;
use platform_contract::{Contract, Operation, Parameter};

/// A text for a search whose contract has no example.
const ANY_TEXT: &str = "temperature logger";
/// The number of texts of each kind that are tried for a search.
const TRIED: usize = 3;
/// The number of texts that are tried for a search that finds few records.
const WIDENED: usize = 3;
/// The greatest length of such a text, in characters.
const LENGTH: usize = 160;
/// The number of texts that are mixed into one, the words of each, and the greatest length of the whole.
const MIXED: usize = 12;
const WORDS: usize = 9;
const LENGTH_OF_MIXED: usize = 480;

/// A text that the contract gives as an example of a parameter.
pub fn example_text<'a>(contract: &'a Contract, parameter: &Parameter) -> &'a str {
    let examples = contract.get(&format!("{}/examples", parameter.pointer));
    let examples = examples.and_then(Value::as_object);
    let first = examples.and_then(|examples| examples.values().next());
    first.and_then(|example| example["value"].as_str()).unwrap_or(ANY_TEXT)
}

/// The text of each search by text, by operation: the contract's example if it tells most records of a page apart, or
/// else the text of the deployment's own records that tells the most apart. A search that tells none apart is left out.
///
/// # Errors
/// When the deployment is not reached.
pub(super) async fn texts(probe: &Probe, known: &Known) -> Result<BTreeMap<String, String>, Stop> {
    let contract = probe.contract();
    let searches = || contract.operations().iter().filter_map(by_text);
    let (mut found, mut own) = (BTreeMap::new(), Own::default());
    for (operation, parameter) in searches() {
        let example = example_text(contract, parameter);
        let page = search(probe, operation, parameter, example).await?;
        own.add(&page);
        found.insert(&operation.id, (Spread::of(&page), example.to_owned()));
    }
    for (operation, parameter) in searches() {
        let Some((spread, text)) = found.get_mut(&operation.id) else {
            continue;
        };
        let most = match operation.id.starts_with("search_products") {
            true => known.products.len(),
            false => known.organizations.len(),
        };
        for other in own.texts(parameter) {
            if spread.is_wide(most) {
                break;
            }
            let page = search(probe, operation, parameter, &other).await?;
            let of_other = Spread::of(&page);
            if of_other.distances > spread.distances {
                (*spread, *text) = (of_other, other);
            }
        }
    }
    let telling = found.into_iter().filter(|(_, (spread, _))| spread.distances > 1);
    Ok(telling.map(|(id, (_, text))| (id.clone(), text)).collect())
}

/// A text that finds more records than this page of a search by description, with the page that it finds: of the
/// deployment's own records, or the contract's example if there are none. As it is if there are more pages.
///
/// # Errors
/// When the deployment is not reached.
pub(super) async fn widened(
    probe: &Probe,
    operation: &str,
    text: &str,
    page: HttpResponse,
) -> Result<(String, HttpResponse), Stop> {
    let operation = probe.contract().operation(operation);
    let (mut text, mut page) = (text.to_owned(), page);
    let Some((_, parameter)) = by_text(operation).filter(|_| page.status == 200) else {
        return Ok((text, page));
    };
    for _ in 0..WIDENED {
        let results = count(&page);
        if page.at("/total_count").as_u64().is_some_and(|total| total > results) {
            break;
        }
        let mut own = Own::default();
        own.add(&page);
        let other = match own.descriptions.as_slice() {
            [] => example_text(probe.contract(), parameter).to_owned(),
            descriptions => mixed(descriptions),
        };
        let wider = search(probe, operation, parameter, &other).await?;
        if count(&wider) <= results {
            break;
        }
        (text, page) = (other, wider);
    }
    Ok((text, page))
}

/// The number of results on a page.
fn count(page: &HttpResponse) -> u64 {
    page.at("/results").as_array().map_or(0, |results| results.len() as u64)
}

/// A search by text, with the parameter of the text.
fn by_text(operation: &Arc<Operation>) -> Option<(&Operation, &Parameter)> {
    let mut parameters = operation.parameters.iter().filter(|_| operation.is_search());
    let text = parameters.find(|one| one.required && one.location == "query")?;
    Some((operation, text))
}

/// The longest page: records that are far from a text are more often at the same distance.
async fn search(probe: &Probe, operation: &Operation, parameter: &Parameter, text: &str) -> Result<HttpResponse, Stop> {
    let call = probe.call(&operation.id).query(&parameter.name, text);
    call.query("limit", operation.parameter("limit").number("maximum"))
        .send()
        .await
}

/// How many results a page has, and at how many different distances.
struct Spread {
    results: usize,
    distances: usize,
}

impl Spread {
    fn of(page: &HttpResponse) -> Self {
        let results = page.at("/results").as_array().map_or(&[][..], Vec::as_slice);
        let distances = results
            .iter()
            .map(|result| result["similarity"]["cosine_distance"].to_string());
        Self {
            results: results.len(),
            distances: distances.collect::<BTreeSet<_>>().len(),
        }
    }

    /// Whether most results are at a distance of their own, and they are not few of these that any text finds.
    fn is_wide(&self, most: usize) -> bool {
        self.distances > 1 && 2 * self.distances > self.results && 2 * self.results >= most
    }
}

/// Texts of the deployment's own records.
#[derive(Default)]
struct Own {
    descriptions: Vec<String>,
    audiences: Vec<String>,
}

impl Own {
    fn add(&mut self, page: &HttpResponse) {
        for result in page.at("/results").as_array().into_iter().flatten() {
            self.descriptions
                .extend(result["description"].as_str().map(str::to_owned));
            let audiences = result["target_audiences"].as_array().into_iter().flatten();
            let audiences: Vec<_> = audiences.filter_map(Value::as_str).collect();
            self.audiences
                .extend((!audiences.is_empty()).then(|| audiences.join(", ")));
        }
    }

    /// Some texts for a search, from all over the pages: what is said of customers first if it is about customers. The
    /// first has words of many records.
    fn texts(&self, parameter: &Parameter) -> Vec<String> {
        let (first, second) = match parameter.name.ends_with("_customer") {
            true => (&self.audiences, &self.descriptions),
            false => (&self.descriptions, &self.audiences),
        };
        let spread = |texts: &Vec<String>| {
            let step = (texts.len() / TRIED).max(1);
            let chosen = texts.iter().step_by(step).take(TRIED);
            chosen
                .map(|text| text.chars().take(LENGTH).collect::<String>())
                .collect::<Vec<_>>()
        };
        let texts = [vec![mixed(first)], spread(first), vec![mixed(second)], spread(second)].concat();
        texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
    }
}

/// The beginnings of some texts, as one text.
fn mixed(texts: &[String]) -> String {
    let step = (texts.len() / MIXED).max(1);
    let chosen = texts.iter().step_by(step).take(MIXED);
    let beginnings = chosen.map(|text| text.split_whitespace().take(WORDS).collect::<Vec<_>>().join(" "));
    let mixed = beginnings.collect::<Vec<_>>().join(", ");
    mixed.chars().take(LENGTH_OF_MIXED).collect()
}
