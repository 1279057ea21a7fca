//! Variants whose searches compare words, as a full-text index does. Most texts have no word in common with most
//! records, which are then all at one distance, in the order of their ids, or are not found.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tower::ServiceExt;

use super::otherwise::otherwise;
use super::{Variant, variant};
use crate::exchange::Answered;
use crate::fault::property;

/// The longest page of a search, and the number of results that can be reached.
const PAGE: usize = 100;
const REACH: usize = 1000;
/// The results of a page without `limit`.
const DEFAULT: usize = 20;
/// The key of the reference server that may search.
const FULL_ACCESS: &str = "dev-full-access";
/// Searches that find every organization and every product.
const ORGANIZATIONS: &str = "/search/organizations/similar?description=any";
const PRODUCTS: &str = "/search/products/similar?description=any";

pub(super) fn variants() -> Vec<Variant> {
    let by_words = variant(
        "compares-words",
        property("Similarity", "cosine_distance"),
        "Searches compare words: without a word in common the distance is 1.",
    );
    let only_with_a_word = otherwise(
        "otherwise/finds-only-words",
        property("OrganizationSearchPage", "total_count"),
        "Searches compare words, and find only records that have one in common.",
    );
    [(by_words, false), (only_with_a_word, true)]
        .map(|(variant, is_needed)| {
            variant.layer(move |router, _| {
                let index = Index {
                    meanings: router.clone(),
                    is_needed,
                    records: Arc::default(),
                    found: Arc::default(),
                };
                router.layer(from_fn(move |request: Request, next: Next| {
                    let index = index.clone();
                    async move { index.answer(request, next).await }
                }))
            })
        })
        .into()
}

/// The records by the words in their texts. Which of them pass the filters, the deployment behind it says.
#[derive(Clone)]
struct Index {
    meanings: Router,
    /// Whether a record is found only with a word in common.
    is_needed: bool,
    records: Arc<OnceCell<Records>>,
    /// The ids that earlier searches found, by their path and filters.
    found: Arc<Mutex<BTreeMap<String, Arc<[i64]>>>>,
}

/// Every record, by its id.
struct Records {
    organizations: BTreeMap<i64, Record>,
    products: BTreeMap<i64, Record>,
}

/// A result with the words of its texts.
struct Record {
    result: Value,
    description: Words,
    customers: Words,
}

/// The ids of a page of a search.
#[derive(Deserialize)]
struct Ids {
    results: Vec<Id>,
}

#[derive(Deserialize)]
struct Id {
    organization_id: Option<i64>,
    product_id: Option<i64>,
}

impl Index {
    async fn answer(&self, request: Request, next: Next) -> Response {
        let (method, uri) = (request.method().clone(), request.uri().clone());
        let response = next.run(request).await;
        if response.status() != StatusCode::OK || !uri.path().starts_with("/search/") {
            return response;
        }
        let mut answered = Answered::of(response, uri.path()).await;
        if method == Method::HEAD {
            // Its length is that of another page, and may be left out.
            answered.remove_header("content-length");
            return answered.into_response();
        }
        let (found, page) = self.page(uri.path(), uri.query().unwrap_or_default()).await;
        let total_count = match self.is_needed {
            true => json!(found),
            false => answered.json()["total_count"].clone(),
        };
        answered.succeeds(&json!({ "total_count": total_count, "results": page }));
        answered.into_response()
    }

    /// The number of results that can be reached, and a page of them in the order of the words.
    async fn page(&self, path: &str, query: &str) -> (usize, Vec<Value>) {
        let mut rest = Vec::new();
        let (mut text, mut skip, mut limit) = (None, 0, DEFAULT);
        for pair in query.split('&') {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value);
            match decoded(name).as_str() {
                "skip" => skip = value.parse().unwrap_or(skip),
                "limit" => limit = value.parse().unwrap_or(limit),
                "description" | "organization_customer" | "product_customer" => {
                    text = Some(words(&value));
                    rest.push(pair);
                }
                _ => rest.push(pair),
            }
        }
        let records = self.records.get_or_init(|| self.all()).await.of(path);
        let known = || path.split('/').nth(3).and_then(|known| decoded(known).parse().ok());
        let text = match text {
            Some(text) => text,
            None => match known().and_then(|known: i64| records.get(&known)) {
                Some(known) => known.description.clone(),
                None => Words::default(),
            },
        };
        let is_by_customer = path.ends_with("/similar-customers");
        let found = self.found(&format!("{path}?{}", rest.join("&"))).await;
        let ranked = found.iter().filter_map(|id| {
            let record = records.get(id)?;
            let words = if is_by_customer {
                &record.customers
            } else {
                &record.description
            };
            Some((text.distance(words), id, record))
        });
        let mut ranked: Vec<_> = ranked
            .filter(|(distance, ..)| !self.is_needed || *distance < 1.0)
            .collect();
        ranked.sort_by(|(one, first, _), (other, second, _)| one.total_cmp(other).then(first.cmp(second)));
        let found = ranked.len();
        let page = ranked.into_iter().skip(skip).take(limit);
        let page = page.map(|(distance, _, record)| {
            let mut result = record.result.clone();
            result["similarity"]["cosine_distance"] = json!(distance);
            result
        });
        (found, page.collect())
    }

    /// The ids of all that a search can reach.
    async fn found(&self, search: &str) -> Arc<[i64]> {
        let known = || self.found.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known().get(search) {
            return Arc::clone(found);
        }
        let id = |id: &Id| id.product_id.or(id.organization_id);
        let pages = self.pages(search, |page: &Ids| page.results.len()).await;
        let found: Arc<[i64]> = pages.iter().flat_map(|page| &page.results).filter_map(id).collect();
        known().insert(search.to_owned(), Arc::clone(&found));
        found
    }

    async fn all(&self) -> Records {
        let results = async |search| {
            let length = |page: &Value| page["results"].as_array().map_or(0, Vec::len);
            let pages = self.pages(search, length).await.into_iter();
            pages.flat_map(|mut page| match page["results"].take() {
                Value::Array(results) => results,
                _ => Vec::new(),
            })
        };
        let text = |result: &Value| words(result["description"].as_str().unwrap_or_default());
        // The customers of an organization are those of its products.
        let mut customers = BTreeMap::<i64, String>::new();
        let mut products = BTreeMap::new();
        for result in results(PRODUCTS).await {
            let audiences = audiences(&result);
            let of_organization = customers
                .entry(id(&result["organization"], "organization_id"))
                .or_default();
            of_organization.push_str(&audiences);
            of_organization.push(' ');
            let record = Record {
                description: text(&result),
                customers: words(&audiences),
                result,
            };
            products.insert(id(&record.result, "product_id"), record);
        }
        let organizations = results(ORGANIZATIONS).await.map(|result| {
            let id = id(&result, "organization_id");
            let customers = words(customers.get(&id).map_or("", String::as_str));
            (
                id,
                Record {
                    description: text(&result),
                    customers,
                    result,
                },
            )
        });
        Records {
            organizations: organizations.collect(),
            products,
        }
    }

    /// The pages of a search of the deployment behind it.
    async fn pages<Page: DeserializeOwned>(&self, search: &str, length: impl Fn(&Page) -> usize) -> Vec<Page> {
        let mut pages = Vec::new();
        let and = if search.ends_with('?') { "" } else { "&" };
        for skip in (0..REACH).step_by(PAGE) {
            let request = Request::get(format!("{search}{and}skip={skip}&limit={PAGE}"))
                .header("API-Key", FULL_ACCESS)
                .body(Body::empty());
            let Ok(request) = request else { break };
            let Ok(response) = self.meanings.clone().oneshot(request).await;
            let body = to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
            let Ok(page) = serde_json::from_slice(&body) else { break };
            let is_last = length(&page) < PAGE;
            pages.push(page);
            if is_last {
                break;
            }
        }
        pages
    }
}

impl Records {
    /// Those that the searches of a path find.
    fn of(&self, path: &str) -> &BTreeMap<i64, Record> {
        match path.starts_with("/search/products/") {
            true => &self.products,
            false => &self.organizations,
        }
    }
}

fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

fn id(record: &Value, name: &str) -> i64 {
    record[name].as_i64().unwrap_or_default()
}

fn audiences(product: &Value) -> String {
    let audiences = product["target_audiences"].as_array().into_iter().flatten();
    audiences.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// How often each word stands in a text.
#[derive(Clone, Default)]
struct Words {
    counts: BTreeMap<String, f64>,
    /// The length of the vector of the counts.
    length: f64,
}

fn words(text: &str) -> Words {
    let mut counts = BTreeMap::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        if !word.is_empty() {
            *counts.entry(word.to_lowercase()).or_insert(0.0) += 1.0;
        }
    }
    let length = counts.values().map(|count| count * count).sum::<f64>().sqrt();
    Words { counts, length }
}

impl Words {
    /// The cosine distance from another text.
    fn distance(&self, other: &Self) -> f64 {
        let shared = self
            .counts
            .iter()
            .filter_map(|(word, count)| Some(count * other.counts.get(word)?));
        let shared: f64 = shared.sum();
        match shared > 0.0 {
            true => (1.0 - shared / (self.length * other.length)).max(0.0),
            false => 1.0,
        }
    }
}
