//! A variant whose searches compare words, as a full-text index does. Most texts have no word in common with most
//! records, which are then all at one distance, in the order of their ids.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};
use tokio::sync::OnceCell;
use tower::ServiceExt;

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
    vec![
        variant(
            "compares-words",
            property("Similarity", "cosine_distance"),
            "Searches compare words: without a word in common the distance is 1.",
        )
        .layer(|router, _| {
            let index = Index {
                meanings: router.clone(),
                found: Arc::default(),
                customers: Arc::default(),
            };
            router.layer(from_fn(move |request: Request, next: Next| {
                let index = index.clone();
                async move { index.answer(request, next).await }
            }))
        }),
    ]
}

/// The records by the words in their texts. Which of them pass the filters, the deployment behind it says.
#[derive(Clone)]
struct Index {
    meanings: Router,
    /// The records that earlier searches found, by their path and filters.
    found: Arc<Mutex<BTreeMap<String, Arc<Vec<Record>>>>>,
    /// The customers of each organization: those of its products.
    customers: Arc<OnceCell<BTreeMap<i64, String>>>,
}

/// A result with the words of its texts.
struct Record {
    id: i64,
    result: Value,
    description: Words,
    customers: Words,
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
        let total_count = answered.json()["total_count"].clone();
        let page = self.page(uri.path(), uri.query().unwrap_or_default()).await;
        answered.succeeds(&json!({ "total_count": total_count, "results": page }));
        answered.into_response()
    }

    /// A page in the order of the words.
    async fn page(&self, path: &str, query: &str) -> Vec<Value> {
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
        let known = path.split('/').nth(3).and_then(|known| decoded(known).parse().ok());
        let text = match text {
            Some(text) => text,
            None => self.known(path, known).await,
        };
        let is_by_customer = path.ends_with("/similar-customers");
        let found = self.all(&format!("{path}?{}", rest.join("&"))).await;
        let distance = |record: &Record| match is_by_customer {
            true => distance(&text, &record.customers),
            false => distance(&text, &record.description),
        };
        let mut ranked: Vec<_> = found.iter().map(|record| (distance(record), record)).collect();
        ranked.sort_by(|(one, first), (other, second)| one.total_cmp(other).then(first.id.cmp(&second.id)));
        let page = ranked.into_iter().skip(skip).take(limit);
        let page = page.map(|(distance, record)| {
            let mut result = record.result.clone();
            result["similarity"]["cosine_distance"] = json!(distance);
            result
        });
        page.collect()
    }

    /// The words of the description of a known record.
    async fn known(&self, path: &str, known: Option<i64>) -> Words {
        let all = if finds_products(path) { PRODUCTS } else { ORGANIZATIONS };
        let all = self.all(all).await;
        let known = all.iter().find(|record| Some(record.id) == known);
        known.map(|record| record.description.clone()).unwrap_or_default()
    }

    /// Every record that a search can reach.
    async fn all(&self, search: &str) -> Arc<Vec<Record>> {
        let known = self
            .found
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(search)
            .cloned();
        if let Some(found) = known {
            return found;
        }
        let customers = self.customers.get_or_init(|| self.of_organizations()).await;
        let is_product = finds_products(search);
        let record = |result: Value| {
            let id = id(&result, is_product);
            let customers = match is_product {
                true => audiences(&result),
                false => customers.get(&id).cloned().unwrap_or_default(),
            };
            Record {
                id,
                description: words(result["description"].as_str().unwrap_or_default()),
                customers: words(&customers),
                result,
            }
        };
        let found = Arc::new(self.results(search).await.into_iter().map(record).collect::<Vec<_>>());
        let mut known = self.found.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(search.to_owned(), Arc::clone(&found));
        found
    }

    async fn of_organizations(&self) -> BTreeMap<i64, String> {
        let mut customers = BTreeMap::<i64, String>::new();
        for product in self.results(PRODUCTS).await {
            let of_organization = customers.entry(id(&product["organization"], false)).or_default();
            of_organization.push_str(&audiences(&product));
            of_organization.push(' ');
        }
        customers
    }

    /// The results of a search of the deployment behind it.
    async fn results(&self, search: &str) -> Vec<Value> {
        let mut all = Vec::new();
        let and = if search.ends_with('?') { "" } else { "&" };
        for skip in (0..REACH).step_by(PAGE) {
            let request = Request::get(format!("{search}{and}skip={skip}&limit={PAGE}"))
                .header("API-Key", FULL_ACCESS)
                .body(Body::empty());
            let Ok(request) = request else { break };
            let Ok(response) = self.meanings.clone().oneshot(request).await;
            let mut page = Answered::of(response, search).await;
            let results = page.list("results").map(std::mem::take).unwrap_or_default();
            let is_last = results.len() < PAGE;
            all.extend(results);
            if is_last {
                break;
            }
        }
        all
    }
}

fn finds_products(path: &str) -> bool {
    path.starts_with("/search/products/")
}

fn decoded(text: &str) -> String {
    let text = text.replace('+', " ");
    percent_decode_str(&text).decode_utf8_lossy().into_owned()
}

fn id(record: &Value, is_product: bool) -> i64 {
    let name = if is_product { "product_id" } else { "organization_id" };
    record[name].as_i64().unwrap_or_default()
}

fn audiences(product: &Value) -> String {
    let audiences = product["target_audiences"].as_array().into_iter().flatten();
    audiences.filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
}

/// How often each word stands in a text.
type Words = BTreeMap<String, f64>;

fn words(text: &str) -> Words {
    let mut words = BTreeMap::new();
    for word in text.split(|letter: char| !letter.is_alphanumeric()) {
        if !word.is_empty() {
            *words.entry(word.to_lowercase()).or_insert(0.0) += 1.0;
        }
    }
    words
}

/// The cosine distance of two texts by their words.
fn distance(one: &Words, other: &Words) -> f64 {
    let length = |words: &Words| words.values().map(|count| count * count).sum::<f64>().sqrt();
    let shared = one.iter().filter_map(|(word, count)| Some(count * other.get(word)?));
    let shared: f64 = shared.sum();
    match shared > 0.0 {
        true => (1.0 - shared / (length(one) * length(other))).max(0.0),
        false => 1.0,
    }
}
