//! What a success must show before a check builds on it. A status alone does not show that a request was answered: the
//! body might be empty. Two empty pages are equal whatever they should hold.

use serde_json::Value;

use crate::cause;
use crate::resting::decisions_at;
use crate::session::probe::Probe;
use crate::transport::response::HttpResponse;
use crate::verdict::{Outcome, Stop};
use platform_contract::Operation;

impl Probe {
    /// Asserts that a body has the members that every response of this operation and status has, and that a success has
    /// a status that the operation has.
    pub fn assert_whole(&self, operation: &Operation, response: &HttpResponse) {
        let Some((place, names)) = self.required(operation, response.status) else {
            if response.status < 400 {
                let place = format!("{}/responses", operation.pointer);
                let expected = "one that the operation has";
                self.assert_at(&place, false, "the status", expected, response.summary(), &[response]);
            }
            return;
        };
        let missing = missing(&names, response);
        self.judge(missing.is_none(), || {
            let expected = format!("an object with {}", names.join(", "));
            let decisions = decisions_at(self.contract(), &place);
            let finding = self.finding("the body", &expected, &response.summary(), &[response]);
            let of_member = missing.filter(|_| finding.cause.is_empty()).map(cause::missing);
            finding.because(of_member).resting_on(Some(decisions))
        });
    }

    /// Whether a response is a success with the members that every success of this operation and status has. For a
    /// search whose form is found by its shape, a 200 with a list of results is enough.
    pub fn is_whole(&self, operation: &Operation, response: &HttpResponse) -> bool {
        if operation.is_search() && self.shared.search_forms.is_some() {
            return response.status == 200 && response.at("/results").is_array();
        }
        let required = self.required(operation, response.status);
        let is_success = (200..300).contains(&response.status);
        is_success && required.is_some_and(|(_, names)| missing(&names, response).is_none())
    }

    /// Ends a check that compared responses with this one, unless it is a [whole](Self::is_whole) success.
    ///
    /// # Errors
    /// When the check saw nothing that it is about.
    pub fn saw_whole(&self, operation: &Operation, response: &HttpResponse) -> Outcome {
        match self.is_whole(operation, response) {
            true => Ok(()),
            false => Err(Stop::not_seen("a success with the body that the operation has")),
        }
    }

    /// Ends a check that compared responses with this one, unless it shows a record too: an empty page shows none.
    ///
    /// # Errors
    /// When the check saw nothing that it is about.
    pub fn saw_record(&self, operation: &Operation, response: &HttpResponse) -> Outcome {
        self.saw_whole(operation, response)?;
        match response.is_empty_page() {
            true => Err(Stop::not_seen("a page with a record")),
            false => Ok(()),
        }
    }

    /// The members that every response of an operation with a status has, and their place in the contract. `None` if
    /// the operation has no such status.
    fn required(&self, operation: &Operation, status: u16) -> Option<(String, Vec<&str>)> {
        let declared_response = operation.response(status)?;
        let place = format!(
            "{}/content/application~1json/schema/required",
            declared_response.pointer
        );
        let required = self.contract().get(&place).and_then(Value::as_array);
        let names = required.into_iter().flatten().filter_map(Value::as_str);
        Some((place, names.collect()))
    }
}

/// The first of these members that a body does not have.
fn missing<'a>(names: &[&'a str], response: &HttpResponse) -> Option<&'a str> {
    names.iter().copied().find(|name| response.body.get(*name).is_none())
}
