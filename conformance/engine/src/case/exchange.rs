//! A request and the response that the contract requires, as data.

use std::collections::BTreeSet;

use super::request::RequestTemplate;
use crate::session::Probe;
use crate::transport::response::HttpResponse;
use crate::verdict::Outcome;

/// What a case of acceptance or rejection sends, and the expected response.
#[derive(Debug, Clone, PartialEq)]
pub enum Exchange {
    /// One request and its expected response.
    One(RequestTemplate, Expectation),
    /// One valid request with several errors in its query: the response must be 422 and name each of them. Naming all
    /// of them at once is a separate clause, so if one is not named, the errors of its parameter are sent again, each
    /// alone.
    Together(RequestTemplate, Vec<QueryFault>),
}

/// The expected response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expectation {
    /// This status.
    Status(u16),
    /// 200, where a target declares that its key may send the request: a denial violates what the source states about
    /// denials.
    Permitted,
    /// This status, where the source states that the request is rejected, but not how.
    StatedRejection(u16),
    /// Any other status.
    AnyStatusBut(u16),
    /// A success, or a rejection because there is no such record here: the ids of the request were looked up.
    LookedUp,
    /// A rejection.
    Rejection(Rejection),
    /// This status, or this rejection: both are right, as for a record that may not exist.
    StatusOr(u16, Rejection),
}

/// An error that the contract requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    status: u16,
    code: String,
    /// Places, each with its alternatives.
    places: Vec<Vec<Vec<String>>>,
    states: States,
}

/// What the source states of a rejection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum States {
    /// No more than the clauses of the case.
    Nothing,
    /// That the request is rejected.
    Rejection,
    /// Its status.
    Status,
    /// The status of a denial, but not what is denied.
    StatusOfDenial,
}

/// A query parameter with values that are rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QueryFault {
    /// The name of the parameter.
    pub name: String,
    /// Its values: several for a repeated parameter.
    pub values: Vec<String>,
    /// A parameter that contradicts it, with its value.
    conflicting: Option<(String, String)>,
    /// A valid value that comes before it in a list.
    valid_before: Option<String>,
}

impl Rejection {
    /// A problem with this status and code.
    pub fn new(status: u16, code: &str) -> Self {
        Self {
            status,
            code: code.to_owned(),
            places: Vec::new(),
            states: States::Nothing,
        }
    }

    /// 422 `validation_failed`.
    pub fn invalid() -> Self {
        Self::new(422, "validation_failed")
    }

    /// Marks the rejection as stated by the source: a deployment may choose its status and form, but must not return a
    /// success.
    #[must_use]
    pub fn stated(mut self) -> Self {
        self.states = States::Rejection;
        self
    }

    /// Marks its status as stated by the source: a deployment may only choose its form.
    #[must_use]
    pub fn with_stated_status(mut self) -> Self {
        self.states = States::Status;
        self
    }

    /// Marks its status as the one that the source states for every denial, while what is denied is decided: a
    /// deployment may return a success, but a rejection has this status.
    #[must_use]
    pub fn with_status_of_denials(mut self) -> Self {
        self.states = States::StatusOfDenial;
        self
    }

    /// Adds a place that its `errors` must name, such as `["query", "limit"]`.
    #[must_use]
    pub fn at<const N: usize>(self, place: [&str; N]) -> Self {
        self.at_any_of([place])
    }

    /// Adds alternative places: its `errors` must name at least one of them.
    #[must_use]
    pub fn at_any_of<'a, const N: usize>(mut self, places: impl IntoIterator<Item = [&'a str; N]>) -> Self {
        let places = places.into_iter();
        let places = places.map(|place| place.map(str::to_owned).into());
        self.places.push(places.collect());
        self
    }

    fn assert(&self, probe: &Probe, response: &HttpResponse) {
        let expect = probe.expect(response);
        let mut expect = match self.states {
            States::Nothing => expect.rejected(self.status, &self.code),
            States::Rejection => expect.rejected_as_stated(self.status, &self.code),
            States::Status => expect.rejected_with_stated_status(self.status, &self.code),
            States::StatusOfDenial => expect.denied_with_stated_status(self.status, &self.code),
        };
        for places in &self.places {
            expect = expect.fault_at_any_of(places);
        }
    }
}

impl QueryFault {
    /// A parameter with one value.
    pub fn new(name: &str, value: impl ToString) -> Self {
        Self::repeated(name, [value.to_string()])
    }

    /// A parameter with several values.
    pub fn repeated(name: &str, values: impl IntoIterator<Item = String>) -> Self {
        Self {
            name: name.to_owned(),
            values: values.into_iter().collect(),
            conflicting: None,
            valid_before: None,
        }
    }

    /// Sends another parameter as well, which this one contradicts. `errors` must name this one.
    #[must_use]
    pub fn with_conflicting(mut self, name: &str, value: impl ToString) -> Self {
        self.conflicting = Some((name.to_owned(), value.to_string()));
        self
    }

    /// Makes it a value of a list; `errors` must name its position. Sent alone, it follows this valid value.
    #[must_use]
    pub fn after_valid_value(mut self, valid: impl ToString) -> Self {
        self.valid_before = Some(valid.to_string());
        self
    }

    /// Adds it to a request.
    fn put_into(&self, mut request: RequestTemplate) -> RequestTemplate {
        if let Some((name, value)) = &self.conflicting {
            request = request.query(name, value);
        }
        let values = self.values.iter();
        values.fold(request, |request, value| request.query(&self.name, value))
    }

    /// Returns a request with only this error, and the expected rejection.
    fn alone(&self, valid: &RequestTemplate) -> (RequestTemplate, Rejection) {
        let valid = valid.clone();
        let (request, position) = match &self.valid_before {
            None => (valid, 0),
            Some(value) => (valid.query(&self.name, value), 1),
        };
        let rejection = Rejection {
            places: vec![vec![self.place(position)]],
            ..Rejection::invalid()
        };
        (self.put_into(request), rejection)
    }

    /// The place at which `errors` must name this error. `position` is the position of its value in a list.
    fn place(&self, position: usize) -> Vec<String> {
        let mut place = vec!["query".to_owned(), self.name.clone()];
        if self.valid_before.is_some() {
            place.push(position.to_string());
        }
        place
    }
}

impl From<Rejection> for Expectation {
    fn from(rejection: Rejection) -> Self {
        Self::Rejection(rejection)
    }
}

impl Exchange {
    /// The request; with several errors, the request without them.
    pub fn request(&self) -> &RequestTemplate {
        match self {
            Self::One(request, _) | Self::Together(request, _) => request,
        }
    }

    /// The limit on its requests.
    pub(super) fn requests(&self) -> u64 {
        match self {
            Self::One(..) => 1,
            Self::Together(_, faults) => 1 + faults.len() as u64,
        }
    }

    /// The limit on its non-read requests.
    pub(super) fn writes(&self) -> u64 {
        self.requests() * self.request().writes()
    }

    pub(super) async fn check(&self, probe: &Probe) -> Outcome {
        match self {
            Self::One(request, expectation) => {
                let response = request.call(probe).await?.send().await?;
                expectation.assert(probe, request.operation(), &response);
            }
            Self::Together(request, faults) => {
                let all = faults
                    .iter()
                    .fold(request.clone(), |request, fault| fault.put_into(request));
                let response = all.call(probe).await?.send().await?;
                Rejection::invalid().assert(probe, &response);
                let is_named = |(index, fault): (usize, &QueryFault)| {
                    let before = faults[..index].iter();
                    let position = before.filter(|other| other.name == fault.name).count();
                    response.names_fault_at_any_of(&[fault.place(position)])
                };
                let unnamed = faults.iter().enumerate().filter(|one| !is_named(*one));
                // Without one value of a list, the values behind it have other positions.
                let unnamed: BTreeSet<_> = unnamed.map(|(_, fault)| &fault.name).collect();
                for fault in faults.iter().filter(|fault| unnamed.contains(&fault.name)) {
                    let (alone, rejection) = fault.alone(request);
                    let response = alone.call(probe).await?.send().await?;
                    rejection.assert(probe, &response);
                }
            }
        }
        Ok(())
    }
}

impl Expectation {
    fn assert(&self, probe: &Probe, operation: &str, response: &HttpResponse) {
        let assert_whole = || probe.assert_whole(probe.contract().operation(operation), response);
        match self {
            Self::Status(status) => {
                probe.expect(response).status(*status);
                if response.status == *status {
                    assert_whole();
                }
            }
            Self::Permitted => {
                probe.expect(response).permitted(200);
                if response.status == 200 {
                    assert_whole();
                }
            }
            Self::StatedRejection(status) => {
                probe.expect(response).stated_status(*status);
            }
            Self::AnyStatusBut(status) => {
                let expected = format!("any except {status}");
                let holds = response.status != *status;
                probe.assert(holds, "status", expected, response.summary(), &[response]);
                if (200..300).contains(&response.status) {
                    assert_whole();
                }
            }
            Self::LookedUp => {
                let is_found = (200..300).contains(&response.status);
                let holds = is_found || response.status == 404 || response.code() == Some("item_not_in_pipeline");
                let expected = "2xx, 404 or item_not_in_pipeline";
                probe.assert(holds, "response", expected, response.summary(), &[response]);
                if is_found {
                    assert_whole();
                }
            }
            Self::Rejection(rejection) => rejection.assert(probe, response),
            Self::StatusOr(status, _) if response.status == *status => {
                probe.expect(response).status(*status);
                // What answers with another status in front of a deployment has a body of its own.
                if *status == 200 {
                    assert_whole();
                }
            }
            Self::StatusOr(_, rejection) => rejection.assert(probe, response),
        }
    }
}

#[cfg(test)]
mod tests {
    use platform_contract::Contract;

    use super::*;

    fn valid() -> RequestTemplate {
        let search = Contract::bundled().operation("search_organizations_by_description");
        RequestTemplate::valid(search)
    }

    #[test]
    fn single_fault_changes_only_its_part_of_the_request() {
        let (request, rejection) = QueryFault::new("limit", 0).alone(&valid());
        assert_eq!(request, valid().query("limit", 0));
        assert_eq!(rejection, Rejection::invalid().at(["query", "limit"]));
    }

    #[test]
    fn second_of_contradicting_parameters_is_at_fault() {
        let fault = QueryFault::new("founded_year_max", 1999).with_conflicting("founded_year_min", 2000);
        let (request, rejection) = fault.alone(&valid());
        let both = valid().query("founded_year_min", 2000).query("founded_year_max", 1999);
        assert_eq!(request, both);
        assert_eq!(rejection, Rejection::invalid().at(["query", "founded_year_max"]));
    }

    #[test]
    fn list_value_is_located_by_its_position() {
        let fault = QueryFault::new("countries", "no").after_valid_value("NO");
        assert_eq!(fault.place(3), ["query", "countries", "3"]);
        let (request, rejection) = fault.alone(&valid());
        assert_eq!(request, valid().query("countries", "NO").query("countries", "no"));
        assert_eq!(rejection, Rejection::invalid().at(["query", "countries", "1"]));
    }

    #[test]
    fn exchanges_are_appended() {
        let case = crate::case::Case::new("own/both", "Both", "/info")
            .accepts([valid()])
            .rejects(Rejection::invalid(), [valid().query("limit", 0)])
            .rejects_each(valid(), [QueryFault::new("skip", -1)]);
        assert_eq!((case.requests().len(), case.request_limit(0)), (3, 4));
    }
}
