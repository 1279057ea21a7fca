//! A request that a check builds and sends.

use std::fmt::Display;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::Value;

use crate::session::collection::Collection;
use crate::session::probe::Probe;
use crate::target::Role;
use crate::target::near_key::NearKey;
use crate::transport::departure::READ_INSTEAD_OF_ID;
use crate::transport::request::{Body, Credential, Request, encode};
use crate::transport::response::HttpResponse;
use crate::verdict::Stop;
use platform_contract::Operation;

/// A request under construction. Values are sent as given: nothing is checked here.
#[must_use = "a call does nothing until it is sent"]
pub struct Call {
    probe: Probe,
    operation: Option<Arc<Operation>>,
    /// Whether the response is also checked against the contract.
    is_observed: bool,
    pipeline_id: Option<u64>,
    query: Vec<String>,
    request: Request,
}

impl Call {
    /// Fills in a parameter of the path.
    pub fn path(mut self, name: &str, value: impl Display) -> Self {
        let value = value.to_string();
        if name == "pipeline_id" {
            self.pipeline_id = value.parse().ok();
        }
        self.request.path = self.request.path.replace(&format!("{{{name}}}"), &encode(&value));
        self
    }

    /// Fills in a parameter of the path with text that is already percent-encoded.
    pub fn path_as_written(mut self, name: &str, text: &str) -> Self {
        self.request.path = self.request.path.replace(&format!("{{{name}}}"), text);
        self
    }

    /// Percent-encodes the last letter of each part of the path that ends with one: ids do not.
    pub fn with_encoded_route(mut self) -> Self {
        let parts = self.request.path.split('/');
        let parts = parts.map(|part| match part.char_indices().next_back() {
            Some((last, letter)) if letter.is_ascii_alphabetic() => {
                format!("{}%{:02X}", &part[..last], u32::from(letter))
            }
            _ => part.to_owned(),
        });
        self.request.path = parts.collect::<Vec<_>>().join("/");
        self
    }

    /// Adds a parameter to the query; a second one with the same name is sent as well.
    pub fn query(mut self, name: &str, value: impl Display) -> Self {
        self.query
            .push(format!("{}={}", encode(name), encode(&value.to_string())));
        self
    }

    /// Adds a parameter to the query when there is a value.
    pub fn query_some(self, name: &str, value: Option<impl Display>) -> Self {
        match value {
            Some(value) => self.query(name, value),
            None => self,
        }
    }

    /// Adds text to the query that is already encoded, or deliberately not encoded.
    pub fn raw_query(mut self, text: &str) -> Self {
        self.query.push(text.to_owned());
        self
    }

    /// Sends another method to the same path. Its response does not count as one of the operation.
    pub fn method(mut self, method: &str) -> Self {
        method.clone_into(&mut self.request.method);
        self.unobserved()
    }

    /// Leaves the response to this check alone: it is not also checked against the contract.
    pub fn unobserved(mut self) -> Self {
        self.is_observed = false;
        self
    }

    /// Returns a 429 as it is. By default, only a 429 to the key of the role `rate_limited` is returned; after any
    /// other, the run waits and sends the request again.
    pub fn without_waiting(mut self) -> Self {
        self.request.waits = false;
        self
    }

    /// Sends the key of another role.
    pub fn key(mut self, role: Role) -> Self {
        self.request.credential = Credential::Role(role);
        self
    }

    /// Sends a text similar to the key with full access: one of [`Probe::near_keys`].
    pub fn near_key(mut self, near: NearKey) -> Self {
        self.request.credential = Credential::Near(near);
        self
    }

    /// Sends this credential.
    pub(crate) fn credential(mut self, credential: Credential) -> Self {
        self.request.credential = credential;
        self
    }

    /// Sends texts that are not keys, one header for each; with none, the header is left out.
    pub fn literal_keys<'a>(mut self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        self.request.credential = Credential::Literal(texts.into_iter().map(str::to_owned).collect());
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: impl Display) -> Self {
        self.request.headers.push((name.to_owned(), value.to_string()));
        self
    }

    /// Sets a body of the type `application/json`.
    pub fn json(self, body: &Value) -> Self {
        self.header("Content-Type", "application/json")
            .body(Body::Text(body.to_string()))
    }

    /// Sets a body without a type.
    pub fn body(mut self, body: Body) -> Self {
        self.request.body = Some(body);
        self
    }

    /// Returns the path and the query, from the base URL on.
    ///
    /// # Errors
    /// When a parameter of the path is missing: a bug in the case.
    pub fn path_and_query(&self) -> Result<String, Stop> {
        let path = &self.request.path;
        if path.contains('{') {
            return Err(Stop::Errored(format!("a bug in the case: {path} is not filled in")));
        }
        Ok(match self.query.as_slice() {
            [] => path.clone(),
            parts => format!("{path}?{}", parts.join("&")),
        })
    }

    /// Sends it even if the deployment does not have the operation.
    pub(crate) fn even_if_missing(mut self) -> Self {
        self.operation = None;
        self.unobserved()
    }

    /// Sends it. Every response is also checked against the contract.
    ///
    /// # Errors
    /// When the deployment is not reached or does not respond in time, or when others have added the organization that
    /// it adds. Skips the case when the deployment does not have the operation.
    pub async fn send(mut self) -> Result<HttpResponse, Stop> {
        let missing = |operation: &Arc<Operation>| self.probe.shared.lacks(&operation.id);
        if let Some(stop) = self.operation.as_ref().and_then(missing) {
            return Err(stop);
        }
        let path = self.request.path.clone();
        let searches = self.operation.as_ref().is_some_and(|operation| operation.is_search());
        if let Some(forms) = self.probe.shared.search_forms.as_ref().filter(|_| searches) {
            forms.fit(&mut self.query);
        }
        self.request.path = self.path_and_query()?;
        if let Some(operation) = &self.operation {
            self.probe.looks_at(Collection::of(operation, self.pipeline_id));
        }
        self.probe.remember_named(self.request.body.as_ref());
        let adds = self.pipeline_id.zip(self.probe.count_addition(&self.request));
        let shared = &self.probe.shared;
        let budget = self.probe.budget();
        let sent = shared
            .client
            .send(&self.request, budget, &self.probe.writes, self.probe.case.as_deref())
            .await;
        if self.is_observed
            && let Some(turned_away) = shared.client.take_unexplained(&self.request)
        {
            shared
                .schema_check
                .observe(self.operation.as_ref(), &path, &turned_away);
        }
        let is_rejected = matches!(&sent, Ok(response) if (400..500).contains(&response.status));
        if !self.request.only_reads() && !is_rejected {
            self.probe.changed.store(true, Ordering::Relaxed);
        }
        let mut response = sent?;
        if let (Some(forms), Some(operation)) = (&shared.search_forms, &self.operation) {
            forms.read(self.probe.contract(), operation, &mut response);
        }
        if self.is_observed {
            response.departures = shared.schema_check.observe(self.operation.as_ref(), &path, &response);
        }
        if path.split('/').any(|segment| segment == READ_INSTEAD_OF_ID) {
            response.departures.extend(shared.schema_check.without_ids());
        }
        if let Some((pipeline_id, organization)) = adds {
            self.probe.end_if_taken(pipeline_id, organization, &response).await?;
        }
        Ok(response)
    }
}

impl Probe {
    /// A request to an operation, with the full-access key.
    ///
    /// # Panics
    /// When the contract has no such operation: a bug in the catalogue.
    pub fn call(&self, operation: &str) -> Call {
        let operation = Arc::clone(self.contract().operation(operation));
        let (method, path) = (operation.method.clone(), operation.path.clone());
        self.start(method, path, Some(operation))
    }

    /// A request to a route that is not an operation: an unknown path, or another method.
    pub fn route(&self, method: &str, path: &str) -> Call {
        self.start(method.to_owned(), path.to_owned(), None)
    }

    fn start(&self, method: String, path: String, operation: Option<Arc<Operation>>) -> Call {
        Call {
            probe: self.clone(),
            operation,
            is_observed: true,
            pipeline_id: None,
            query: Vec::new(),
            request: Request {
                method,
                path,
                credential: Credential::Role(Role::FullAccess),
                headers: Vec::new(),
                body: None,
                waits: true,
            },
        }
    }
}
