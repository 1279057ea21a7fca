//! A deployment with the habits of a Python framework, written only from the source description: errors have a
//! `detail`, values are coerced, unknown input is ignored, and anything undeclared has no route.

mod catalog;
pub(crate) mod data;
pub(crate) mod habits;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::Response;
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use self::catalog::{By, Catalog};
use self::data::{Item, Kind, Store};
use self::habits::{Errors, Habits, Missing, OverMaximum, Search};

/// The keys, by permission.
pub(crate) const FULL: &str = "asgi-8c41f0-all";
pub(crate) const READS: &str = "asgi-8c41f0-reads";
pub(crate) const NOTHING: &str = "asgi-8c41f0-none";

struct App {
    habits: Habits,
    store: Mutex<Store>,
    catalog: &'static Catalog,
}

/// An error: its status, and the value of `detail`.
struct Trouble(u16, Value);

type Reply = Result<(u16, Value), Trouble>;

fn trouble(status: u16, detail: &str) -> Trouble {
    Trouble(status, json!(detail))
}

/// The service, with its own data.
pub(crate) fn router(habits: Habits) -> Router {
    let store = Mutex::new(Store::new(habits.many));
    Router::new().fallback(serve).with_state(Arc::new(App {
        habits,
        store,
        catalog: Catalog::get(),
    }))
}

async fn serve(State(app): State<Arc<App>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = to_bytes(body, 1 << 20).await.unwrap_or_default();
    let query = pairs(parts.uri.query().unwrap_or_default());
    let path: Vec<_> = parts.uri.path().split('/').skip(1).collect();
    let asked = Asked {
        app: &app,
        headers: &parts.headers,
        query,
        body: &body,
    };
    let answer = asked.routed(&parts.method, &path);
    let (status, body, is_json) = match answer {
        Ok((status, body)) => (status, body.to_string(), true),
        Err(Trouble(status, detail)) => match app.habits.errors {
            Errors::Detail => (status, json!({ "detail": detail }).to_string(), true),
            Errors::Html => (status, format!("<h1>{status}</h1>"), false),
            Errors::Nothing => (status, String::new(), false),
        },
    };
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = StatusCode::from_u16(status).unwrap_or_default();
    let headers = response.headers_mut();
    let media_type = match is_json {
        true => "application/json",
        false => "text/html; charset=utf-8",
    };
    headers.insert("content-type", axum::http::HeaderValue::from_static(media_type));
    headers.insert("server", axum::http::HeaderValue::from_static("asgi"));
    response
}

struct Asked<'a> {
    app: &'a App,
    headers: &'a HeaderMap,
    query: BTreeMap<String, String>,
    body: &'a [u8],
}

impl Asked<'_> {
    fn routed(&self, method: &Method, path: &[&str]) -> Reply {
        let known = match path {
            ["search", "organizations" | "products", "similar" | "similar-customers"]
            | ["search", "organizations" | "products", _, "similar"] => "GET",
            ["api", "v1", "pipelines", _, "items"] | ["api", "v1", "pipelines", _, "items", _, "values" | "status"] => {
                "GET"
            }
            ["api", "v1", "pipelines", _, "organizations"] => "POST",
            _ => return Err(trouble(404, "Not Found")),
        };
        if method.as_str() != known {
            return Err(match self.app.habits.hides_methods {
                true => trouble(404, "Not Found"),
                false => trouble(405, "Method Not Allowed"),
            });
        }
        match path {
            ["search", kind, rest @ ..] => self.search(*kind == "products", rest),
            [_, _, _, pipeline, "items"] => self.list(pipeline),
            [_, _, _, pipeline, "items", item, "values"] => {
                let store = self.store();
                let item = self.item(&store, pipeline, item)?;
                Ok((200, item.shown(&self.app.habits)))
            }
            [_, _, _, pipeline, "items", item, _] => {
                let store = self.store();
                let item = self.item(&store, pipeline, item)?;
                Ok((200, item.readiness(&self.app.habits)))
            }
            [_, _, _, pipeline, _] => self.add(pipeline),
            _ => Err(trouble(404, "Not Found")),
        }
    }

    fn store(&self) -> std::sync::MutexGuard<'_, Store> {
        let store = self.app.store.lock();
        store.unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the key may do this.
    fn allowed(&self, adds: bool) -> Result<(), Trouble> {
        let key = self.headers.get("api-key").and_then(|key| key.to_str().ok());
        match key.map(str::trim).unwrap_or_default() {
            "" => Err(trouble(401, "Not authenticated")),
            FULL => Ok(()),
            READS if !adds => Ok(()),
            READS | NOTHING => Err(trouble(403, "Forbidden by policy")),
            _ => Err(trouble(self.app.habits.unknown_key, "Invalid API key")),
        }
    }

    /// The pipeline of a path, if the key may read it or add to it.
    fn pipeline(&self, store: &Store, text: &str, adds: bool) -> Result<u64, Trouble> {
        let looks_up_first = self.app.habits.looks_up_first && self.headers.contains_key("api-key");
        if !looks_up_first {
            self.allowed(adds)?;
        }
        let pipeline = self.number(text, "path", "pipeline_id", 0)?;
        if store.kind(pipeline).is_none() {
            return Err(trouble(404, "Pipeline not found"));
        }
        self.allowed(adds)?;
        Ok(pipeline)
    }

    fn item<'s>(&self, store: &'s Store, pipeline: &str, item: &str) -> Result<&'s Item, Trouble> {
        let pipeline = self.pipeline(store, pipeline, false)?;
        let id = self.number(item, "path", "pipeline_item_id", 0)?;
        let found = store.items.iter().find(|item| item.id == id);
        let item = found.ok_or_else(|| trouble(404, "Item not found"))?;
        match item.pipeline == pipeline {
            true => Ok(item),
            false => Err(trouble(400, "Item does not belong to the pipeline")),
        }
    }

    /// A whole number, which may have leading spaces and zeros.
    fn number(&self, text: &str, place: &str, name: &str, least: u64) -> Result<u64, Trouble> {
        let parsed = text.trim().parse().ok().filter(|number| *number >= least);
        parsed.ok_or_else(|| self.invalid(place, name, "Input should be a valid integer"))
    }

    fn invalid(&self, place: &str, name: &str, msg: &str) -> Trouble {
        let detail = json!([{"loc": [place, name], "msg": msg, "type": "value_error"}]);
        Trouble(self.app.habits.malformed, detail)
    }

    fn list(&self, pipeline: &str) -> Reply {
        let habits = &self.app.habits;
        let store = self.store();
        let pipeline = self.pipeline(&store, pipeline, false)?;
        let given = |name: &str| self.query.get(name).map(String::as_str);
        let skip = given("skip").map_or(Ok(0), |text| self.number(text, "query", "skip", 0))?;
        let limit = given("limit").map_or(Ok(100), |text| self.number(text, "query", "limit", 0))?;
        let limit = match habits.over_maximum {
            _ if limit <= habits.maximum => limit,
            OverMaximum::Rejected => return Err(self.invalid("query", "limit", "too great")),
            OverMaximum::Clamped => habits.maximum,
            OverMaximum::Default => 100,
        };
        let descends = match given("sort_order").map(str::to_ascii_lowercase).as_deref() {
            None | Some("asc") => false,
            Some("desc") => true,
            Some(_) => return Err(self.invalid("query", "sort_order", "asc or desc")),
        };
        let mut items: Vec<_> = store.items.iter().filter(|item| item.pipeline == pipeline).collect();
        items.sort_by_key(|item| item.id);
        match given("sort_by") {
            None => {}
            Some(column) => match habits.question_ids.columns().iter().position(|known| *known == column) {
                None => return Err(trouble(400, "No such column")),
                Some(column) => self.sort(&mut items, column, descends),
            },
        }
        let page = items.iter().skip(to_size(skip)).take(to_size(limit));
        let page: Vec<_> = page.map(|item| item.shown(habits)).collect();
        Ok((
            200,
            json!({"pipeline_id": pipeline, "total_count": items.len(), "items": page}),
        ))
    }

    fn sort(&self, items: &mut [&Item], column: usize, descends: bool) {
        let habits = &self.app.habits;
        items.sort_by(|one, other| {
            let keys = (one.key(column), other.key(column));
            let order = match (&keys.0, &keys.1) {
                (Some(one), Some(other)) if descends => other.cmp(one),
                (Some(one), Some(other)) => one.cmp(other),
                (one, other) => {
                    let last = match habits.missing {
                        Missing::Greatest => !descends,
                        Missing::First => false,
                        Missing::Last => true,
                    };
                    let order = one.is_none().cmp(&other.is_none());
                    if last { order } else { order.reverse() }
                }
            };
            let ties = match descends && habits.mirrors_ties {
                true => other.id.cmp(&one.id),
                false => one.id.cmp(&other.id),
            };
            order.then(ties)
        });
    }

    fn add(&self, pipeline: &str) -> Reply {
        let (there, unknown, no_organizations) = self.app.habits.rejections;
        let mut store = self.store();
        let pipeline = self.pipeline(&store, pipeline, true)?;
        let body: Value =
            serde_json::from_slice(self.body).map_err(|_| self.invalid("body", "0", "JSON decode error"))?;
        let organization = match &body["organization_id"] {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let organization = organization.ok_or_else(|| self.invalid("body", "organization_id", "Field required"))?;
        let is_unknown = !Store::is_organization(organization);
        if is_unknown && self.app.habits.finds_organizations_first {
            return Err(trouble(unknown, "Organization not found"));
        }
        if store.kind(pipeline) != Some(Kind::Organization) {
            return Err(trouble(no_organizations, "Not an organization pipeline"));
        }
        if is_unknown {
            return Err(trouble(unknown, "Organization not found"));
        }
        let item = store.add(pipeline, organization);
        let item = item.ok_or_else(|| trouble(there, "Already in the pipeline"))?;
        let mut shown = item.shown(&self.app.habits);
        shown["entity_type"] = json!(self.app.habits.added_is);
        // The background processes have not started.
        shown["values"] = json!({});
        Ok((201, shown))
    }

    fn search(&self, products: bool, path: &[&str]) -> Reply {
        match self.app.habits.search {
            Search::Keyed => self.allowed(false)?,
            Search::Open => {}
        }
        let catalog = self.app.catalog;
        let text = |name: &str| {
            let text = self.query.get(name).filter(|text| !text.trim().is_empty());
            text.ok_or_else(|| self.invalid("query", name, "Field required"))
        };
        let found = match path {
            [id, _] => {
                let name = if products { "product_id" } else { "organization_id" };
                let found = catalog.like(products, self.number(id, "path", name, 0)?);
                found.ok_or_else(|| trouble(404, "Not Found"))?
            }
            ["similar"] => catalog.nearest(products, text("description")?, By::Description),
            _ => {
                let name = if products {
                    "product_customer"
                } else {
                    "organization_customer"
                };
                catalog.nearest(products, text(name)?, By::Customers)
            }
        };
        Ok((200, json!({"data": found, "page": 1, "page_size": 10})))
    }
}

pub(crate) fn to_size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The parameters of a query; the last one of a repeated parameter.
fn pairs(query: &str) -> BTreeMap<String, String> {
    let decoded = |text: &str| {
        let text = text.replace('+', " ");
        percent_decode_str(&text).decode_utf8_lossy().into_owned()
    };
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
    pairs.map(|(name, value)| (decoded(name), decoded(value))).collect()
}
