//! The last requests, with what the contract says about each.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use chrono::{DateTime, Utc};
use serde::Serialize;
use utoipa::ToSchema;

use super::faults::FaultId;
use super::operation::Operation;
use crate::wire::ProblemCode;

/// How many requests are kept.
pub(super) const KEPT: usize = 1000;

/// A request to the platform. API keys in it are replaced by `***`.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RecordedRequest {
    /// Counted from 1, in the order in which requests came.
    pub number: u64,
    /// When it came, by the clock of the emulator.
    pub at: DateTime<Utc>,
    /// Its method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// Its query, as it was sent.
    #[schema(required)]
    pub query: Option<String>,
    /// Its body as far as it was read; null if there is none, or one of more than 4,096 bytes.
    #[schema(required)]
    pub body: Option<String>,
    /// The id that its response carries.
    #[schema(required)]
    pub request_id: Option<String>,
    /// The operation of the contract that it is for; null if the contract has none with this method and path.
    #[schema(required)]
    pub operation: Option<Operation>,
    /// The line of the operation in openapi.yaml.
    #[schema(required)]
    pub contract_line: Option<u64>,
    /// The fault that was injected.
    #[schema(required)]
    pub fault: Option<FaultId>,
    /// Its response; null while there is none, and for ever if the connection was reset or the client left.
    #[schema(required)]
    pub response: Option<RecordedResponse>,
}

/// A response, and what the contract says about it.
#[derive(Debug, Clone, PartialEq, Serialize, ToSchema)]
pub struct RecordedResponse {
    /// Its status.
    pub status: u16,
    /// Its problem code; null unless it is an error with a body of the contract.
    #[schema(required)]
    pub code: Option<ProblemCode>,
    /// The name of the caller's key; null if the key was not known, or was not checked.
    #[schema(required)]
    pub key: Option<String>,
    /// How the request violates the contract, one sentence for each violation; filled for `validation_failed`.
    pub violations: Vec<String>,
    /// Whether the contract declares this status for the operation.
    pub is_declared: bool,
    /// Whether the contract lets a client send the same request again after this status.
    pub is_retryable: bool,
}

/// The last requests.
#[derive(Debug, Default)]
pub(super) struct RecordedRequests(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    /// Number of requests so far.
    count: u64,
    kept: VecDeque<RecordedRequest>,
}

impl RecordedRequests {
    /// Enters a request, whose number is set here, and returns the number.
    pub(super) fn enter(&self, mut request: RecordedRequest) -> u64 {
        let mut state = self.lock();
        state.count += 1;
        request.number = state.count;
        if state.kept.len() == KEPT {
            state.kept.pop_front();
        }
        state.kept.push_back(request);
        state.count
    }

    /// Completes a request, unless it is no longer kept.
    pub(super) fn complete(&self, number: u64, change: impl FnOnce(&mut RecordedRequest)) {
        let mut state = self.lock();
        // It was among the last, so it is found from the end.
        let mut kept = state.kept.iter_mut().rev();
        if let Some(request) = kept.find(|request| request.number == number) {
            change(request);
        }
    }

    /// The requests that are kept, the oldest first.
    pub(super) fn list(&self) -> Vec<RecordedRequest> {
        self.lock().kept.iter().cloned().collect()
    }

    pub(super) fn clear(&self) {
        self.lock().kept.clear();
    }

    /// Deletes all requests, and counts from 1 again.
    pub(super) fn reset(&self) {
        *self.lock() = State::default();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while holding the lock; even then, the list would still be complete.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> RecordedRequest {
        RecordedRequest {
            number: 0,
            at: DateTime::UNIX_EPOCH,
            method: "GET".to_owned(),
            path: "/".to_owned(),
            query: None,
            body: None,
            request_id: None,
            operation: None,
            contract_line: None,
            fault: None,
            response: None,
        }
    }

    #[test]
    fn last_requests_are_kept_under_their_numbers() {
        let requests = RecordedRequests::default();
        for _ in 0..KEPT + 5 {
            requests.enter(request());
        }
        let kept = requests.list();
        assert_eq!(kept.len(), KEPT);
        assert_eq!((kept[0].number, kept[KEPT - 1].number), (6, KEPT as u64 + 5));
        requests.complete(6, |request| request.path = "/first".to_owned());
        requests.complete(5, |request| request.path = "/gone".to_owned());
        assert_eq!(requests.list()[0].path, "/first");
        requests.clear();
        assert_eq!(requests.enter(request()), KEPT as u64 + 6);
        requests.reset();
        assert_eq!(requests.enter(request()), 1);
    }
}
