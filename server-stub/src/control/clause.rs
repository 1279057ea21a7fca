//! What the contract says about an operation.

/// What the contract says about an operation.
#[derive(Debug)]
pub(super) struct Clause {
    /// Its `operationId`.
    pub(super) id: &'static str,
    /// Its line in `openapi.yaml`.
    pub(super) line: u64,
    pub(super) method: &'static str,
    /// Its path, with parameter names in braces.
    pub(super) path: &'static str,
    /// The declared statuses; `5XX` is a range.
    pub(super) statuses: &'static [&'static str],
    /// The statuses after which the same request may be sent again.
    pub(super) retryable: &'static [u16],
}

impl Clause {
    /// Whether a request with this method and path is for the operation.
    pub(super) fn matches(&self, method: &str, path: &str) -> bool {
        let mut segments = self.path.split('/').zip(path.split('/'));
        let fits = |(ours, theirs): (&str, &str)| match ours.starts_with('{') {
            true => !theirs.is_empty(),
            false => ours == theirs,
        };
        self.method == method && self.path.split('/').count() == path.split('/').count() && segments.all(fits)
    }

    /// Whether the contract declares this status for the operation.
    pub(super) fn declares(&self, status: u16) -> bool {
        let (exact, range) = (status.to_string(), format!("{}XX", status / 100));
        self.statuses
            .iter()
            .any(|declared| *declared == exact || *declared == range)
    }

    /// Whether the same request may be sent again after this status.
    pub(super) fn allows_retry(&self, status: u16) -> bool {
        self.retryable.contains(&status)
    }
}
