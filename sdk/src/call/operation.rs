//! What the contract defines for an operation, apart from its parameters.

use std::time::Duration;

use reqwest::StatusCode;

/// One operation of the contract. The table of operations is generated.
#[derive(Debug)]
pub(crate) struct Operation {
    /// `operationId`.
    pub(crate) id: &'static str,
    /// The HTTP method, in capitals.
    pub(crate) method: &'static str,
    /// The path relative to the base URL, with its parameters in braces.
    pub(crate) path: &'static str,
    /// Whether sending it twice has the same effect and the same response as sending it once (`x-idempotent`).
    pub(crate) is_idempotent: bool,
    /// Statuses after which it can be safely retried (`x-retryable-statuses`).
    pub(crate) retryable_statuses: &'static [u16],
    /// Timeout of one attempt (`x-timeout-seconds`).
    pub(crate) timeout: Duration,
    /// Whether a successful response has a body.
    pub(crate) has_content: bool,
}

impl Operation {
    pub(crate) fn is_retryable(&self, status: StatusCode) -> bool {
        self.retryable_statuses.contains(&status.as_u16())
    }
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;

    use crate::generated::operations::{ADD_ORGANIZATION, ALL};

    #[test]
    fn every_operation_has_a_policy_that_can_be_kept() {
        assert_eq!(ALL.len(), 10);
        for operation in ALL {
            assert!(!operation.timeout.is_zero(), "{}", operation.id);
            assert!(
                operation.is_retryable(StatusCode::TOO_MANY_REQUESTS),
                "{}",
                operation.id
            );
            for status in operation.retryable_statuses {
                assert!(*status >= 400, "{} after {status}", operation.id);
            }
        }
    }

    #[test]
    fn write_is_retried_only_after_a_rate_limit() {
        assert!(!ADD_ORGANIZATION.is_idempotent);
        assert_eq!(ADD_ORGANIZATION.retryable_statuses, [429]);
    }
}
