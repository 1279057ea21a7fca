//! Finds a text for each search by text: one that the deployment tells records apart by.
//!
//! A deployment that compares words may know none of the words in the contract's example. All its records are then at
//! the same distance, and no rule about their order can fail.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde_json::Value;

use crate::session::Probe;
use crate::transport::response::HttpResponse;
use crate::verdict::Stop;
use platform_contract::{Contract, Operation, Parameter};

/// A text for a search whose contract has no example.
const ANY_TEXT: &str = "temperature logger";
/// The number of texts of each kind that are tried for a search.
const TRIED: usize = 4;
/// The greatest length of such a text, in characters.
const LENGTH: usize = 160;

/// A text that the contract gives as an example of a parameter.
pub fn example_text<'a>(contract: &'a Contract, parameter: &Parameter) -> &'a str {
    let examples = contract.get(&format!("{}/examples", parameter.pointer));
    let examples = examples.and_then(Value::as_object);
    let first = examples.and_then(|examples| examples.values().next());
    first.and_then(|example| example["value"].as_str()).unwrap_or(ANY_TEXT)
}

/// The text of each search by text, by operation: the contract's example, or else a text of the deployment's own
/// records. A search that tells no records apart by any of them is left out.
///
/// # Errors
/// When the deployment is not reached.
pub(super) async fn texts(probe: &Probe) -> Result<BTreeMap<String, String>, Stop> {
    let contract = probe.contract();
    let searches = || contract.operations().iter().filter_map(by_text);
    let (mut texts, mut own) = (BTreeMap::new(), Own::default());
    for (operation, parameter) in searches() {
        let example = example_text(contract, parameter);
        let page = search(probe, operation, parameter, example).await?;
        own.add(&page);
        if tells_apart(&page) {
            texts.insert(operation.id.clone(), example.to_owned());
        }
    }
    for (operation, parameter) in searches() {
        if texts.contains_key(&operation.id) {
            continue;
        }
        for text in own.texts(parameter) {
            let page = search(probe, operation, parameter, &text).await?;
            if tells_apart(&page) {
                texts.insert(operation.id.clone(), text);
                break;
            }
        }
    }
    Ok(texts)
}

/// A search by text, with the parameter of the text.
fn by_text(operation: &Arc<Operation>) -> Option<(&Operation, &Parameter)> {
    let mut parameters = operation.parameters.iter().filter(|_| operation.is_search());
    let text = parameters.find(|one| one.required && one.location == "query")?;
    Some((operation, text))
}

async fn search(probe: &Probe, operation: &Operation, parameter: &Parameter, text: &str) -> Result<HttpResponse, Stop> {
    probe.call(&operation.id).query(&parameter.name, text).send().await
}

/// Whether the results of a page are at different distances.
fn tells_apart(page: &HttpResponse) -> bool {
    let results = page.at("/results").as_array().into_iter().flatten();
    let distances = results.map(|result| result["similarity"]["cosine_distance"].to_string());
    distances.collect::<BTreeSet<_>>().len() > 1
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

    /// Some texts for a search, from all over the pages: what is said of customers first if it is about customers.
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
        let texts = [spread(first), spread(second)].concat();
        texts.into_iter().filter(|text| !text.trim().is_empty()).collect()
    }
}
