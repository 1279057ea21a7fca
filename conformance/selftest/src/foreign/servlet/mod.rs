//! A deployment with the habits of a Java framework, written only from the source description: errors have a
//! `timestamp` and a `path`, a bad value is a bad request, a limit is clamped, and records have further properties.

pub(crate) mod data;
mod found;
pub(crate) mod habits;

use std::sync::{Arc, Mutex, PoisonError};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{Path, Request, State};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

use self::data::PIPELINES;
use self::found::{COMPANIES, OFFERS, Subject};
use self::habits::{Habits, Malformed, Repeated};

/// The keys: of an administrator, of a reader, and one without any role.
pub(crate) const ADMINISTRATOR: &str = "srv.4b7e.administrator";
pub(crate) const READER: &str = "srv.4b7e.reader";
pub(crate) const NO_PERMISSION: &str = "srv.4b7e.nobody";

struct Service {
    habits: Habits,
    items: Mutex<Vec<Value>>,
}

type Shared = State<Arc<Service>>;

/// An error before it is formatted.
struct Rejected(u16, &'static str);

impl IntoResponse for Rejected {
    fn into_response(self) -> Response {
        let mut response = StatusCode::from_u16(self.0).unwrap_or_default().into_response();
        response.extensions_mut().insert(self.1);
        response
    }
}

/// The service, with its own data.
pub(crate) fn router(habits: Habits) -> Router {
    let service = Arc::new(Service {
        habits,
        items: Mutex::new(data::items()),
    });
    let routes = Router::new()
        .route("/api/v1/pipelines/{pipeline}/items", get(list))
        .route("/api/v1/pipelines/{pipeline}/items/{item}/values", get(values))
        .route("/api/v1/pipelines/{pipeline}/items/{item}/status", get(status))
        .route("/api/v1/pipelines/{pipeline}/organizations", post(add))
        .route("/search/{kind}/{id}/similar", get(similar_to))
        .route("/search/{kind}/similar", get(similar))
        .route("/search/{kind}/similar-customers", get(similar_customers))
        .with_state(Arc::clone(&service));
    Router::new()
        .fallback_service(routes)
        .layer(from_fn_with_state(service, around))
        .layer(from_fn(without_slash))
}

/// Ignores a slash at the end of a path.
async fn without_slash(mut request: Request, next: Next) -> Response {
    let path = request.uri().path();
    if path.len() > 1 && path.ends_with('/') {
        let query = request
            .uri()
            .query()
            .map_or_else(String::new, |query| format!("?{query}"));
        let shorter = format!("{}{query}", path.trim_end_matches('/'));
        request.extensions_mut().insert(Slash);
        *request.uri_mut() = shorter.parse().unwrap_or_default();
    }
    next.run(request).await
}

#[derive(Clone)]
struct Slash;

/// Authenticates, formats errors and adds the headers of every response.
async fn around(State(service): Shared, request: Request, next: Next) -> Response {
    let habits = service.habits;
    let path = request.uri().path().to_owned();
    let key = request.headers().get("api-key").and_then(|key| key.to_str().ok());
    let known = [ADMINISTRATOR, READER, NO_PERMISSION];
    let response = match key {
        _ if request.extensions().get::<Slash>().is_some() && !habits.trailing_slash => {
            Rejected(404, "Not Found").into_response()
        }
        Some(key) if known.contains(&key) => next.run(request).await,
        _ if habits.routes_first && !path.starts_with("/api/v1/") && !path.starts_with("/search/") => {
            Rejected(404, "Not Found").into_response()
        }
        _ => Rejected(401, "Unauthorized").into_response(),
    };
    let mut response = formed(response, &habits, &path);
    for (name, value) in habits.headers {
        let value = HeaderValue::from_static(value);
        response.headers_mut().insert(HeaderName::from_static(name), value);
    }
    if !habits.allow {
        response.headers_mut().remove("allow");
    }
    response
}

fn formed(mut response: Response, habits: &Habits, path: &str) -> Response {
    let status = response.status();
    if status.is_success() {
        return response;
    }
    let message = response.extensions().get::<&'static str>().copied();
    let message = message.or(status.canonical_reason()).unwrap_or_default();
    let (media_type, text) = (habits.error)(status.as_u16(), message, path);
    response.headers_mut().remove("content-length");
    response
        .headers_mut()
        .insert("content-type", HeaderValue::from_static(media_type));
    *response.body_mut() = Body::from(text);
    response
}

/// The parameters of a query, and those of them that the route has.
struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn of(habits: &Habits, uri: &Uri, known: &[&str]) -> Result<Self, Rejected> {
        let decoded = |text: &str| {
            let text = text.replace('+', " ");
            percent_decode_str(&text).decode_utf8_lossy().into_owned()
        };
        let pairs = uri
            .query()
            .unwrap_or_default()
            .split('&')
            .filter(|pair| !pair.is_empty());
        let pairs = pairs.map(|pair| pair.split_once('=').unwrap_or((pair, "")));
        let pairs: Vec<_> = pairs.map(|(name, value)| (decoded(name), decoded(value))).collect();
        if habits.rejects_unknown && pairs.iter().any(|(name, _)| !known.contains(&name.as_str())) {
            return Err(Rejected(400, "Unknown parameter"));
        }
        Ok(Self(pairs))
    }

    fn get(&self, habits: &Habits, name: &str) -> Result<Option<&str>, Rejected> {
        let mut values = self
            .0
            .iter()
            .filter(|(known, _)| known == name)
            .map(|(_, value)| value.as_str());
        let first = values.next();
        match (habits.repeated, values.next_back()) {
            (Repeated::Rejected, Some(_)) => Err(Rejected(400, "Parameter given twice")),
            (Repeated::Last, Some(last)) => Ok(Some(last)),
            _ => Ok(first),
        }
    }

    fn number(&self, habits: &Habits, name: &str, least: i64, default: i64) -> Result<i64, Rejected> {
        let Some(text) = self.get(habits, name)? else {
            return Ok(default);
        };
        match (
            text.parse::<i64>().ok().filter(|number| *number >= least),
            habits.malformed,
        ) {
            (Some(number), _) => Ok(number),
            (None, Malformed::Default) => Ok(default),
            (None, Malformed::Rejected) => Err(Rejected(400, "Bad Request")),
        }
    }
}

/// The pipeline of a path, which the caller may read, or write to.
fn pipeline(text: &str, headers: &HeaderMap, writes: bool) -> Result<u64, Rejected> {
    let key = headers
        .get("api-key")
        .and_then(|key| key.to_str().ok())
        .unwrap_or_default();
    if key == NO_PERMISSION || (writes && key == READER) {
        return Err(Rejected(403, "Access denied by policy"));
    }
    let id = text.parse().map_err(|_| Rejected(400, "Bad Request"))?;
    let known = PIPELINES.iter().any(|(known, ..)| *known == id);
    known.then_some(id).ok_or(Rejected(404, "No such pipeline"))
}

impl Service {
    fn items(&self) -> std::sync::MutexGuard<'_, Vec<Value>> {
        self.items.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn item(&self, pipeline_id: &str, item: &str, headers: &HeaderMap) -> Result<Value, Rejected> {
        let pipeline = pipeline(pipeline_id, headers, false)?;
        let id: u64 = item.parse().map_err(|_| Rejected(400, "Bad Request"))?;
        let items = self.items();
        let found = items.iter().find(|item| item["pipeline_item_id"] == id);
        match found {
            None => Err(Rejected(404, "No such item")),
            Some(item) if item["pipeline_id"] == pipeline => Ok(item.clone()),
            Some(_) => Err(Rejected(400, "The item is in another pipeline")),
        }
    }
}

async fn list(
    State(service): Shared,
    Path(id): Path<String>,
    uri: Uri,
    headers: HeaderMap,
) -> Result<axum::Json<Value>, Rejected> {
    let habits = &service.habits;
    let id = pipeline(&id, &headers, false)?;
    let parameters = Parameters::of(habits, &uri, &["skip", "limit", "sort_by", "sort_order"])?;
    let skip = parameters.number(habits, "skip", 0, 0)?;
    let limit = parameters.number(habits, "limit", 1, 100)?.min(1000);
    let order = parameters
        .get(habits, "sort_order")?
        .unwrap_or("asc")
        .to_ascii_lowercase();
    let descends = match (order.as_str(), habits.malformed) {
        ("asc", _) | (_, Malformed::Default) if order != "desc" => false,
        ("desc", _) => true,
        _ => return Err(Rejected(400, "Bad Request")),
    };
    let mut items: Vec<_> = service
        .items()
        .iter()
        .filter(|item| item["pipeline_id"] == id)
        .cloned()
        .collect();
    items.sort_by_key(|item| item["pipeline_item_id"].as_u64());
    if let Some(column) = parameters.get(habits, "sort_by")? {
        if !data::QUESTIONS.contains(&column) {
            return Err(Rejected(400, "No such column"));
        }
        let key = |item: &Value| data::key(item, column, habits.sorts_texts);
        items.sort_by(|one, other| {
            let (one, other) = (key(one), key(other));
            match (one, other) {
                (Some(one), Some(other)) if descends => other.cmp(&one),
                (Some(one), Some(other)) => one.cmp(&other),
                // False comes before true.
                (one, other) if habits.missing_first => one.is_some().cmp(&other.is_some()),
                (one, other) => one.is_none().cmp(&other.is_none()),
            }
        });
    }
    let size = |number: i64| usize::try_from(number).unwrap_or(usize::MAX);
    let page: Vec<_> = items.iter().skip(size(skip)).take(size(limit)).collect();
    Ok(axum::Json(json!({
        "pipeline_id": id, "total_count": items.len(), "items": page, "_links": {"self": uri.path()},
    })))
}

async fn values(
    State(service): Shared,
    Path((pipeline, item)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<axum::Json<Value>, Rejected> {
    Ok(axum::Json(service.item(&pipeline, &item, &headers)?))
}

async fn status(
    State(service): Shared,
    Path((pipeline, item)): Path<(String, String)>,
    headers: HeaderMap,
) -> Result<axum::Json<Value>, Rejected> {
    Ok(axum::Json(data::readiness(&service.item(&pipeline, &item, &headers)?)))
}

async fn add(
    State(service): Shared,
    Path(id): Path<String>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Rejected> {
    let habits = &service.habits;
    let [there, kind, unknown, malformed] = habits.rejections;
    let id = match pipeline(&id, &headers, true) {
        Err(Rejected(404, message)) => return Err(Rejected(unknown, message)),
        id => id?,
    };
    let media_type = headers.get("content-type").and_then(|value| value.to_str().ok());
    if !media_type.is_some_and(|text| text.to_ascii_lowercase().starts_with("application/json")) {
        return Err(Rejected(415, "Unsupported Media Type"));
    }
    let body: Value = serde_json::from_slice(&body).unwrap_or_default();
    let members = body.as_object().map_or(0, serde_json::Map::len);
    let organization = body["organization_id"].as_u64();
    let organization = organization.filter(|_| members == 1 || habits.ignores_keys);
    let organization = organization.ok_or(Rejected(malformed, "Bad Request"))?;
    if PIPELINES
        .iter()
        .any(|(known, kind, _)| *known == id && *kind != "organization")
    {
        return Err(Rejected(kind, "Not a pipeline of organizations"));
    }
    if !data::is_organization(organization) {
        return Err(Rejected(unknown, "No such organization"));
    }
    let mut items = service.items();
    let mut mine = items.iter().filter(|item| item["pipeline_id"] == id);
    if mine.any(|item| item["organization_id"] == organization) {
        return Err(Rejected(there, "The organization is in the pipeline"));
    }
    let number = u64::try_from(items.len()).unwrap_or_default();
    let item = data::item(id, "organization", number + 1, organization);
    items.push(item.clone());
    Ok((StatusCode::CREATED, axum::Json(item)).into_response())
}

/// The greatest page of a search, and its usual length.
const SIZES: (usize, i64) = (50, 25);

async fn similar_to(
    State(service): Shared,
    Path((kind, id)): Path<(String, String)>,
    uri: Uri,
) -> Result<axum::Json<Value>, Rejected> {
    let id = id.parse().map_err(|_| Rejected(400, "Bad Request"))?;
    search(&service.habits, &kind, &uri, |_| Some(Subject::Known(id)), "")
}

async fn similar(State(service): Shared, Path(kind): Path<String>, uri: Uri) -> Result<axum::Json<Value>, Rejected> {
    search(
        &service.habits,
        &kind,
        &uri,
        |text| Some(Subject::Activity(text?)),
        "description",
    )
}

async fn similar_customers(
    State(service): Shared,
    Path(kind): Path<String>,
    uri: Uri,
) -> Result<axum::Json<Value>, Rejected> {
    let name = match kind.as_str() {
        "products" => "product_customer",
        _ => "organization_customer",
    };
    search(&service.habits, &kind, &uri, |text| Some(Subject::Buyers(text?)), name)
}

fn search(
    habits: &Habits,
    kind: &str,
    uri: &Uri,
    subject: impl Fn(Option<&str>) -> Option<Subject<'_>>,
    name: &str,
) -> Result<axum::Json<Value>, Rejected> {
    let index = match kind {
        "organizations" => &COMPANIES,
        "products" => &OFFERS,
        _ => return Err(Rejected(404, "Not Found")),
    };
    let parameters = Parameters::of(habits, uri, &[name, "page", "size"])?;
    let text = parameters.get(habits, name)?.filter(|text| !text.trim().is_empty());
    let subject = subject(text).ok_or(Rejected(400, "Bad Request"))?;
    let (most, usual) = SIZES;
    let number = |name, least, default| {
        let number = parameters.number(habits, name, least, default)?;
        Ok(usize::try_from(number).unwrap_or(usize::MAX))
    };
    let (page, size) = (number("page", 0, 0)?, number("size", 1, usual)?.min(most));
    let found = index.page(&subject, page.min(1_000_000), size);
    let (content, total) = found.ok_or(Rejected(404, "Not Found"))?;
    Ok(axum::Json(json!({
        "content": content, "totalElements": total, "number": page, "size": size, "sort": {"sorted": true},
    })))
}
