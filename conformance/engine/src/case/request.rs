//! A request of a case as data: values that depend on the deployment, such as the id of a pipeline, are filled in when
//! the case runs.

use serde_json::{Value, json};

use super::need::Need;
use crate::session::{Call, Probe};
use crate::target::{PipelineRole, Role};
use crate::transport::client::ATTEMPTS;
use crate::transport::request::{Body, Credential, encode};
use crate::verdict::Stop;
use platform_contract::Operation;

/// A search text for when any text will do.
const ANY_TEXT: &str = "sensors that watch over the temperature of fresh food";
/// The media type of a body that is read.
const JSON: &str = "application/json";

/// A request to an operation.
///
/// ```
/// # use platform_conformance_engine as platform_conformance;
/// # use platform_contract::Contract;
/// use platform_conformance::{PipelineRole, RequestTemplate};
///
/// let list_items = Contract::bundled().operation("list_items");
/// let request = RequestTemplate::to(list_items)
///     .path("pipeline_id", PipelineRole::ManyItems)
///     .query("limit", 501);
/// ```
#[derive(Debug, Clone, PartialEq)]
#[must_use = "a template does nothing until a case has it"]
pub struct RequestTemplate {
    operation: String,
    /// The method, if it is not a read.
    changes_with: Option<String>,
    path: Vec<(String, Binding)>,
    /// The parts of the query, encoded.
    query: Vec<String>,
    credential: Credential,
    headers: Vec<(String, String)>,
    /// The media type of the body.
    media_type: Option<String>,
    body: Option<BodyTemplate>,
}

/// A value in a path or a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Binding {
    /// This text.
    Text(String),
    /// The id of the pipeline of a role.
    Pipeline(PipelineRole),
    /// The id of the first item of the pipeline of a role.
    FirstItem(PipelineRole),
    /// The id of an organization of an item in the pipeline of a role.
    OrganizationIn(PipelineRole),
    /// The id of a known organization.
    Organization,
    /// The id of a known product.
    Product,
    /// An id that no record is expected to have.
    UnknownId,
    /// An id that no record is expected to have, with the same lower 32 bits as another id.
    Beyond32Bits(Box<Self>),
}

#[derive(Debug, Clone, PartialEq)]
enum BodyTemplate {
    Fixed(Body),
    /// `{"organization_id": …}`.
    Organization(Binding),
}

impl RequestTemplate {
    /// A request to an operation, with the full-access key and no parameters.
    pub fn to(operation: &Operation) -> Self {
        Self {
            operation: operation.id.clone(),
            changes_with: (!operation.is_read()).then(|| operation.method.clone()),
            path: Vec::new(),
            query: Vec::new(),
            credential: Credential::Role(Role::FullAccess),
            headers: Vec::new(),
            media_type: None,
            body: None,
        }
    }

    /// A valid request to an operation: known records, the pipeline with many items, any search text. A request that
    /// would add an organization names the writable pipeline and an organization that does not exist, so nothing is
    /// added.
    pub fn valid(operation: &Operation) -> Self {
        let role = match operation.is_read() {
            true => PipelineRole::ManyItems,
            false => PipelineRole::Writable,
        };
        let request = operation
            .parameters
            .iter()
            .fold(Self::to(operation), |request, parameter| {
                match (parameter.location.as_str(), parameter.name.as_str()) {
                    ("path", "organization_id") => request.path("organization_id", Binding::Organization),
                    ("path", "product_id") => request.path("product_id", Binding::Product),
                    ("path", "pipeline_id") => request.path("pipeline_id", role),
                    ("path", "pipeline_item_id") => {
                        request.path("pipeline_item_id", Binding::FirstItem(PipelineRole::ManyItems))
                    }
                    ("query", name) if parameter.required => request.query(name, ANY_TEXT),
                    _ => request,
                }
            });
        match operation.is_read() {
            true => request,
            false => request.organization(Binding::UnknownId),
        }
    }

    /// Sets a parameter of the path.
    pub fn path(mut self, name: &str, value: impl Into<Binding>) -> Self {
        self.path.retain(|(known, _)| known != name);
        self.path.push((name.to_owned(), value.into()));
        self
    }

    /// Changes the request to a record that does not exist: the last parameter of the path is the greatest id. A
    /// request without path parameters stays the same.
    pub fn of_unknown_record(mut self) -> Self {
        if let Some((_, last)) = self.path.last_mut() {
            *last = Binding::UnknownId;
        }
        self
    }

    /// Adds a parameter to the query. A second one with the same name is sent as well.
    pub fn query(self, name: &str, value: impl ToString) -> Self {
        self.raw_query(format!("{}={}", encode(name), encode(&value.to_string())))
    }

    /// Adds a part to the query as written: already encoded, or deliberately not encoded.
    pub fn raw_query(mut self, text: impl Into<String>) -> Self {
        self.query.push(text.into());
        self
    }

    /// Sends the key of another role.
    pub fn key(mut self, role: Role) -> Self {
        self.credential = Credential::Role(role);
        self
    }

    /// Sends the key with full access in two headers.
    pub fn key_twice(mut self) -> Self {
        self.credential = Credential::Twice(Role::FullAccess);
        self
    }

    /// Sends texts that are not keys, one header for each; with none, the header is left out.
    pub fn literal_keys<'a>(mut self, texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts = texts.into_iter().map(str::to_owned);
        self.credential = Credential::Literal(texts.collect());
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Sets the body without a media type.
    pub fn body(mut self, body: Body) -> Self {
        self.body = Some(BodyTemplate::Fixed(body));
        self.media_type = None;
        self
    }

    /// Sets the media type of the body; `None` leaves the header `Content-Type` out.
    pub fn media_type<'a>(mut self, name: impl Into<Option<&'a str>>) -> Self {
        self.media_type = name.into().map(str::to_owned);
        self
    }

    /// Sets a body of the type `application/json`.
    pub fn json(self, body: &Value) -> Self {
        self.json_text(body.to_string())
    }

    /// Sets a body of the type `application/json`, which may not be valid JSON.
    pub fn json_text(self, text: impl Into<String>) -> Self {
        self.body(Body::Text(text.into())).media_type(JSON)
    }

    /// Sets the body `{"organization_id": …}` of the type `application/json`.
    pub fn organization(mut self, id: impl Into<Binding>) -> Self {
        self.body = Some(BodyTemplate::Organization(id.into()));
        self.media_type(JSON)
    }

    /// The operation that it is sent to.
    pub fn operation(&self) -> &str {
        &self.operation
    }

    /// Whether it only reads.
    pub fn is_read(&self) -> bool {
        self.changes_with.is_none()
    }

    /// The limit on how often it is sent if it is not a read. A deployment may close the connection before it has read
    /// all of a long body; the request is then sent again.
    pub(super) fn writes(&self) -> u64 {
        let is_long = matches!(self.body, Some(BodyTemplate::Fixed(Body::Padded(..))));
        match (self.is_read(), is_long) {
            (true, _) => 0,
            (false, true) => ATTEMPTS.into(),
            (false, false) => 1,
        }
    }

    /// Its needs beyond a key with full access. A non-read request needs a target that names its pipeline.
    pub fn needs(&self) -> impl Iterator<Item = Need> + use<> {
        let mut needs = Vec::new();
        for (_, binding) in &self.path {
            match binding {
                // The need of the method includes it.
                Binding::Pipeline(PipelineRole::Writable) if !self.is_read() => {}
                Binding::Pipeline(role) if !self.is_read() => {
                    needs.extend([Need::Pipeline(*role), Need::Named(*role)]);
                }
                _ => needs.extend(binding.need()),
            }
        }
        if let Some(BodyTemplate::Organization(binding)) = &self.body {
            needs.extend(binding.need());
        }
        needs.extend(self.changes_with.clone().map(Need::method));
        if let Credential::Role(role) = self.credential
            && role != Role::FullAccess
        {
            needs.push(Need::Key(role));
        }
        needs.into_iter()
    }

    /// The parameters of its path with their values for this deployment.
    ///
    /// # Errors
    /// Skips the case when the deployment lacks a record it needs.
    pub async fn path_values(&self, probe: &Probe) -> Result<Vec<(String, String)>, Stop> {
        let mut values = Vec::new();
        for (name, binding) in &self.path {
            values.push((name.clone(), binding.value(probe).await?));
        }
        Ok(values)
    }

    /// Builds the request for this deployment.
    ///
    /// # Errors
    /// Skips the case when the deployment lacks a record it needs.
    pub async fn call(&self, probe: &Probe) -> Result<Call, Stop> {
        let mut call = probe.call(&self.operation).credential(self.credential.clone());
        for (name, value) in self.path_values(probe).await? {
            call = call.path(&name, value);
        }
        for part in &self.query {
            call = call.raw_query(part);
        }
        for (name, value) in &self.headers {
            call = call.header(name, value);
        }
        if let Some(media_type) = &self.media_type {
            call = call.header("Content-Type", media_type);
        }
        Ok(match &self.body {
            None => call,
            Some(BodyTemplate::Fixed(body)) => call.body(body.clone()),
            Some(BodyTemplate::Organization(binding)) => {
                let id = binding.value(probe).await?;
                call.body(Body::Text(format!("{{\"organization_id\":{id}}}")))
            }
        })
    }
}

impl Binding {
    /// An id that no record is expected to have, with the same lower 32 bits as this one.
    pub fn beyond_32_bits(self) -> Self {
        Self::Beyond32Bits(Box::new(self))
    }

    fn need(&self) -> Option<Need> {
        match self {
            Self::Text(_) | Self::UnknownId => None,
            Self::Beyond32Bits(other) => other.need(),
            Self::Pipeline(role) | Self::FirstItem(role) | Self::OrganizationIn(role) => Some(Need::Pipeline(*role)),
            Self::Organization => Some(Need::Organization),
            Self::Product => Some(Need::Product),
        }
    }

    /// The value to use in a request to this deployment.
    async fn value(&self, probe: &Probe) -> Result<String, Stop> {
        let id = match self {
            Self::Text(text) => return Ok(text.clone()),
            Self::Pipeline(role) => json!(probe.pipeline(*role)?),
            Self::FirstItem(role) => {
                let listing = probe.listing(probe.pipeline(*role)?, None, None).await?;
                let first = listing.ids().first().copied();
                let lacking = || Stop::Skipped(format!("the pipeline {} has no item", role.as_str()));
                json!(first.ok_or_else(lacking)?)
            }
            Self::OrganizationIn(role) => {
                let listing = probe.listing(probe.pipeline(*role)?, None, None).await?;
                let mut ids = listing.items.iter().map(|item| &item["organization_id"]);
                let found = ids.find(|id| id.is_u64()).cloned();
                found.ok_or_else(|| Stop::not_seen("an item with an organization"))?
            }
            Self::Organization => json!(probe.organization()?),
            Self::Product => json!(probe.product()?),
            Self::UnknownId => json!(probe.unknown_id()),
            Self::Beyond32Bits(other) => json!(beyond_32_bits(probe, other).await?),
        };
        Ok(id.to_string())
    }
}

/// The id of no record, with the lower 32 bits of another id. Of all records that a search finds, it is the first one
/// whose id fits.
async fn beyond_32_bits(probe: &Probe, other: &Binding) -> Result<u64, Stop> {
    const LOWER: u64 = u32::MAX as u64;
    let ids = match other {
        Binding::Organization => probe.known().organizations.clone(),
        Binding::Product => probe.known().products.clone(),
        _ => Box::pin(other.value(probe)).await?.parse().into_iter().collect(),
    };
    let unknown = probe.unknown_id().cast_unsigned();
    let beyond = |id: u64| (unknown & !LOWER) | id;
    let found = ids.into_iter().find(|id| *id <= LOWER && beyond(*id) != *id);
    found
        .map(beyond)
        .ok_or_else(|| Stop::not_seen("an id that fits 32 bits"))
}

impl From<PipelineRole> for Binding {
    fn from(role: PipelineRole) -> Self {
        Self::Pipeline(role)
    }
}

impl From<&str> for Binding {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Binding {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Binding {
    fn from(id: i64) -> Self {
        Self::Text(id.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform_contract::Contract;

    fn adding() -> RequestTemplate {
        RequestTemplate::valid(Contract::bundled().operation("add_organization"))
    }

    #[test]
    fn addition_needs_its_method_and_a_named_pipeline() {
        let needs = |request: RequestTemplate| request.needs().collect::<Vec<_>>();
        assert_eq!(needs(adding()), [Need::POST]);
        let elsewhere = PipelineRole::NotOrganizations;
        assert_eq!(
            needs(adding().path("pipeline_id", elsewhere).key(Role::ReadOnly)),
            [
                Need::Pipeline(elsewhere),
                Need::Named(elsewhere),
                Need::POST,
                Need::Key(Role::ReadOnly),
            ]
        );
    }

    #[test]
    fn read_needs_the_records_that_it_names() {
        let values = Contract::bundled().operation("get_item_values");
        let many = Need::Pipeline(PipelineRole::ManyItems);
        let needs: Vec<_> = RequestTemplate::valid(values).needs().collect();
        assert_eq!(needs, [many.clone(), many]);
    }

    #[test]
    fn long_body_may_be_sent_several_times() {
        let long = Body::Padded("{}".to_owned(), 100_000);
        assert_eq!(adding().writes(), 1);
        assert_eq!(adding().body(long).writes(), u64::from(ATTEMPTS));
        let list_items = Contract::bundled().operation("list_items");
        assert_eq!(RequestTemplate::valid(list_items).writes(), 0);
    }

    #[test]
    fn body_has_one_media_type() {
        let type_of = |request: RequestTemplate| request.media_type;
        assert_eq!(type_of(adding().json_text("{")).as_deref(), Some(JSON));
        assert_eq!(
            type_of(adding().media_type("text/plain")).as_deref(),
            Some("text/plain")
        );
        assert_eq!(type_of(adding().media_type(None)), None);
        assert_eq!(type_of(adding().body(Body::Text("{}".to_owned()))), None);
    }
}
