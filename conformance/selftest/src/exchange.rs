//! Changes around the reference server: to the requests that it receives and to the responses that it sends.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Uri};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use futures::TryStreamExt;
use serde_json::{Value, json};

use platform_contract::Contract;

/// A request, before the reference server sees it.
#[derive(Debug, Clone)]
pub struct Asked {
    /// The operation that it calls; `None` if the route or the method is unknown.
    pub operation: Option<&'static str>,
    /// The method.
    pub method: Method,
    /// The path as sent.
    pub path: String,
    /// The query as sent.
    pub query: String,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub body: Bytes,
}

/// A response of the reference server, before the client sees it.
#[derive(Debug, Clone)]
pub struct Answered {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    bytes: Bytes,
    /// The parsed body, once a change has read it: most changes leave most responses alone.
    json: Option<Value>,
    path: String,
}

type ChangeRequest = dyn Fn(&mut Asked) + Send + Sync;
type ChangeResponse = dyn Fn(&Asked, &mut Answered) + Send + Sync;

/// The changes around a server.
#[derive(Clone, Default)]
pub struct Plant {
    request: Option<Arc<ChangeRequest>>,
    answer: Option<Arc<ChangeResponse>>,
    delay: Duration,
}

impl Plant {
    /// Changes requests before the server sees them.
    pub fn request(change: impl Fn(&mut Asked) + Send + Sync + 'static) -> Self {
        Self::default().and_request(change)
    }

    /// Changes responses before the client sees them.
    pub fn answer(change: impl Fn(&Asked, &mut Answered) + Send + Sync + 'static) -> Self {
        Self::default().and_answer(change)
    }

    /// Also changes requests.
    #[must_use]
    pub fn and_request(mut self, change: impl Fn(&mut Asked) + Send + Sync + 'static) -> Self {
        self.request = Some(Arc::new(change));
        self
    }

    /// Also changes responses.
    #[must_use]
    pub fn and_answer(mut self, change: impl Fn(&Asked, &mut Answered) + Send + Sync + 'static) -> Self {
        self.answer = Some(Arc::new(change));
        self
    }

    /// Delays every request before the server sees it, so that concurrent requests overlap.
    #[must_use]
    pub fn delayed(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// Returns the router with these changes around it.
    pub fn around(&self, router: Router) -> Router {
        all_around(vec![self.clone()], router)
    }
}

/// Returns the router with several changes around it, the first innermost. A body is parsed once for all of them.
pub(crate) fn all_around(plants: Vec<Plant>, router: Router) -> Router {
    let plants: Arc<[Plant]> = plants.into();
    // Around the whole service: a layer of the service's router would run inside the code that writes the header
    // Allow.
    let around = move |request, next| exchange(Arc::clone(&plants), request, next);
    Router::new().fallback_service(router).layer(from_fn(around))
}

async fn exchange(plants: Arc<[Plant]>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    // The server has its own limit, and rejects longer bodies.
    let Ok(body) = to_bytes(body, usize::MAX).await else {
        // The server answers an incomplete body itself.
        let broken = futures::stream::iter([Err::<Bytes, _>(io::ErrorKind::UnexpectedEof)]);
        let broken = Body::from_stream(broken.map_err(io::Error::from));
        return next.run(Request::from_parts(parts, broken)).await;
    };
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default().to_owned());
    let mut asked = Arc::new(Asked {
        operation: operation(&parts.method, path),
        method: parts.method.clone(),
        path: path.to_owned(),
        query,
        headers: parts.headers.clone(),
        body,
    });
    // What each change received, from the outside in.
    let mut received = Vec::with_capacity(plants.len());
    for plant in plants.iter().rev() {
        received.push(Arc::clone(&asked));
        if let Some(change) = &plant.request {
            asked = Arc::new(asked.changed(change.as_ref()));
        }
        if !plant.delay.is_zero() {
            tokio::time::sleep(plant.delay).await;
        }
    }
    let mut answered = Answered::of(asked.send(next).await, &asked.path).await;
    for (plant, received) in plants.iter().zip(received.iter().rev()) {
        answered.path.clone_from(&received.path);
        if let Some(change) = &plant.answer {
            change(received, &mut answered);
        }
        if received.method == Method::HEAD && answered.json.take().is_some() {
            // A change of the body of GET: HEAD has no body and may omit its length.
            answered.headers.remove("content-length");
        }
    }
    answered.into_response()
}

/// Returns the operation of the contract with this method and path; HEAD is the operation of GET.
fn operation(method: &Method, path: &str) -> Option<&'static str> {
    let fits = |template: &str| {
        let mut segments = path.split('/');
        let mut wanted = template.split('/');
        loop {
            match (segments.next(), wanted.next()) {
                (None, None) => return true,
                (Some(segment), Some(name)) if name.starts_with('{') || name == segment => {}
                _ => return false,
            }
        }
    };
    let operations = Contract::bundled().operations().iter();
    let method = match *method {
        Method::HEAD => "GET",
        _ => method.as_str(),
    };
    let mut fitting = operations
        .filter(|operation| operation.method == method && fits(&operation.path))
        .collect::<Vec<_>>();
    // `/search/organizations/similar` does not match any other template with the same number of segments.
    fitting.pop().map(|operation| operation.id.as_str())
}

impl Asked {
    /// Whether the request calls this operation.
    pub fn calls(&self, operation: &str) -> bool {
        self.operation == Some(operation)
    }

    /// Whether the request calls one of the six searches.
    pub fn searches(&self) -> bool {
        self.operation.is_some_and(|id| id.starts_with("search_"))
    }

    /// Returns the first value of a query parameter, as sent.
    pub fn parameter(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.split('&').map(split_pair);
        pairs.find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Returns the first value of a parameter, if it is a whole number.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.parameter(name)?.parse().ok()
    }

    /// Sets a parameter to this one value.
    pub fn set(&mut self, name: &str, value: impl std::fmt::Display) {
        self.remove(name);
        self.append(name, value);
    }

    /// Sets a parameter that has no value.
    pub fn default(&mut self, name: &str, value: impl std::fmt::Display) {
        if self.parameter(name).is_none() {
            self.append(name, value);
        }
    }

    /// Changes the whole number of a parameter; other values stay.
    pub fn change(&mut self, name: &str, change: impl Fn(i64) -> i64) {
        if let Some(number) = self.number(name) {
            self.set(name, change(number));
        }
    }

    /// Removes a parameter.
    pub fn remove(&mut self, name: &str) {
        self.keep(|found, _| found != name);
    }

    /// Keeps the values of the query that pass.
    pub fn keep(&mut self, mut keep: impl FnMut(&str, &str) -> bool) {
        let pairs = self.query.split('&').filter(|pair| !pair.is_empty());
        let kept = pairs.filter(|pair| {
            let (name, value) = split_pair(pair);
            keep(name, value)
        });
        self.query = kept.collect::<Vec<_>>().join("&");
    }

    /// Renames a parameter.
    pub fn rename(&mut self, from: &str, to: &str) {
        let renamed = |pair: &str| match split_pair(pair) {
            (name, value) if name == from => format!("{to}={value}"),
            _ => pair.to_owned(),
        };
        self.query = self.query.split('&').map(renamed).collect::<Vec<_>>().join("&");
    }

    fn append(&mut self, name: &str, value: impl std::fmt::Display) {
        let separator = if self.query.is_empty() { "" } else { "&" };
        self.query = format!("{}{separator}{name}={value}", self.query);
    }

    /// Returns a segment of the path, counted from 0: the pipeline of `/api/v1/pipelines/7/items` is segment 3.
    pub fn segment(&self, position: usize) -> &str {
        self.path.split('/').nth(position + 1).unwrap_or_default()
    }

    /// Replaces a segment of the path.
    pub fn set_segment(&mut self, position: usize, text: impl std::fmt::Display) {
        let mut segments: Vec<_> = self.path.split('/').map(str::to_owned).collect();
        if let Some(segment) = segments.get_mut(position + 1) {
            *segment = text.to_string();
        }
        self.path = segments.join("/");
    }

    /// Returns a header, if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Sets a header to this one value.
    pub fn set_header(&mut self, name: &'static str, value: &str) {
        set_header(&mut self.headers, name, value);
    }

    /// Returns the body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Returns the request after a change, as the next change, or the server, receives it.
    fn changed(&self, change: &ChangeRequest) -> Self {
        let mut changed = self.clone();
        change(&mut changed);
        let uri = changed.uri();
        uri.path().clone_into(&mut changed.path);
        uri.query().unwrap_or_default().clone_into(&mut changed.query);
        if (&changed.method, &changed.path) != (&self.method, &self.path) {
            changed.operation = operation(&changed.method, &changed.path);
        }
        changed.headers.remove("content-length");
        changed
    }

    fn uri(&self) -> Uri {
        let uri = match self.query.as_str() {
            "" => self.path.clone(),
            query => format!("{}?{query}", self.path),
        };
        // A change that makes an invalid URI leaves the root, which is not a route.
        uri.parse().unwrap_or_default()
    }

    async fn send(&self, next: Next) -> Response {
        let mut request = Request::new(Body::from(self.body.clone()));
        *request.method_mut() = self.method.clone();
        *request.uri_mut() = self.uri();
        *request.headers_mut() = self.headers.clone();
        request.headers_mut().remove("content-length");
        next.run(request).await
    }
}

impl Answered {
    pub(crate) async fn of(response: Response, path: &str) -> Self {
        let (parts, body) = response.into_parts();
        Self {
            status: parts.status,
            headers: parts.headers,
            // The body of a router in the same process does not end early.
            bytes: to_bytes(body, usize::MAX).await.unwrap_or_default(),
            json: None,
            path: path.to_owned(),
        }
    }

    pub(crate) fn into_response(mut self) -> Response {
        // Reading an empty body does not give it content.
        let has_body = |json: &&Value| !(json.is_null() && self.bytes.is_empty());
        if let Some(json) = self.json.as_ref().filter(has_body) {
            self.set_text(json.to_string());
        }
        let mut response = Response::new(Body::from(self.bytes));
        *response.status_mut() = self.status;
        *response.headers_mut() = self.headers;
        response
    }

    /// Whether the response is a success.
    pub fn is_success(&self) -> bool {
        self.status.is_success()
    }

    /// Returns the body; null if it is not JSON.
    pub fn json(&mut self) -> &mut Value {
        self.json
            .get_or_insert_with(|| serde_json::from_slice(&self.bytes).unwrap_or_default())
    }

    /// Returns the body as text.
    pub fn text(&self) -> String {
        match &self.json {
            Some(json) => json.to_string(),
            None => String::from_utf8_lossy(&self.bytes).into_owned(),
        }
    }

    /// Replaces the body, which need not be JSON.
    pub fn set_text(&mut self, text: impl Into<Bytes>) {
        self.bytes = text.into();
        self.json = None;
        self.headers.remove("content-length");
    }

    /// Sets a header to this one value.
    pub fn set_header(&mut self, name: &'static str, value: &str) {
        set_header(&mut self.headers, name, value);
    }

    /// Removes a header.
    pub fn remove_header(&mut self, name: &str) {
        self.headers.remove(name);
    }

    /// Returns the `code` of a problem; empty if there is none.
    pub fn code(&mut self) -> String {
        match self.status.as_u16() {
            400.. => self.json()["code"].as_str().unwrap_or_default().to_owned(),
            _ => String::new(),
        }
    }

    /// Turns the response into a problem with this status and code, correct in every other respect.
    pub fn becomes(&mut self, status: u16, code: &str) {
        let request_id = self.headers.get("x-request-id").and_then(|id| id.to_str().ok());
        let problem = json!({
            "type": format!("https://platform.example/problems/{code}"),
            "title": "Rejected",
            "status": status,
            "detail": "The request was rejected.",
            "instance": self.path,
            "code": code,
            "request_id": request_id,
            "errors": [],
        });
        self.set_text(problem.to_string());
        self.status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        self.set_header("content-type", "application/problem+json");
        for name in ["www-authenticate", "allow", "retry-after", "location"] {
            self.headers.remove(name);
        }
    }

    /// Turns the response into a success with this body.
    pub fn succeeds(&mut self, body: &Value) {
        self.set_text(body.to_string());
        self.status = StatusCode::OK;
        self.set_header("content-type", "application/json");
    }

    /// Returns the entries of a list of the body; none if it has no such list.
    pub fn list(&mut self, name: &str) -> Option<&mut Vec<Value>> {
        self.json().get_mut(name)?.as_array_mut()
    }

    /// Changes every item in the response: those of a page, or the one that was read or added.
    pub fn items(&mut self, mut change: impl FnMut(&mut Value)) {
        if !self.is_success() || !self.path.starts_with("/api/") || self.path.ends_with("/status") {
            return;
        }
        match self.json().get_mut("items").map(Value::take) {
            Some(Value::Array(mut items)) => {
                items.iter_mut().for_each(&mut change);
                self.json()["items"] = items.into();
            }
            _ => change(self.json()),
        }
    }

    /// Changes every entry of the values of every item in the response.
    pub fn entries(&mut self, mut change: impl FnMut(&str, &mut Value)) {
        self.items(|item| {
            let values = item["values"].as_object_mut().into_iter().flatten();
            values.for_each(|(column, entry)| change(column, entry));
        });
    }

    /// Changes every result of a search.
    pub fn results(&mut self, mut change: impl FnMut(&mut Value)) {
        if self.is_success() && self.path.starts_with("/search/") {
            let results = self.list("results").into_iter().flatten();
            results.for_each(&mut change);
        }
    }

    /// Changes every organization of a search: the results, or those of products.
    pub fn organizations(&mut self, mut change: impl FnMut(&mut Value)) {
        self.results(|result| match result.get("product_id") {
            Some(_) if result["organization"].is_object() => change(&mut result["organization"]),
            Some(_) => {}
            None => change(result),
        });
    }
}

fn set_header(headers: &mut HeaderMap, name: &'static str, value: &str) {
    // A change that makes an invalid header leaves the header as it was.
    if let Ok(value) = HeaderValue::from_str(value) {
        headers.insert(HeaderName::from_static(name), value);
    }
}

fn split_pair(pair: &str) -> (&str, &str) {
    pair.split_once('=').unwrap_or((pair, ""))
}
