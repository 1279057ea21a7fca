//! The exit codes of `platform-conformance`. They are public API: scripts build on them.

use crate::report::Summary;

/// Every case that ran has passed, at least one did, and every requirement is met. Without a requirement, skipped and
/// inconclusive cases do not count against a deployment. Neither do known failures or, at the level `stated`, decided
/// points.
pub const PASSED: u8 = 0;
/// At least one case has failed, or an entry of the list of known failures no longer applies.
pub const FAILED: u8 = 1;
/// The command line, the target file, the list of known failures or a pattern is wrong; nothing was sent.
pub const USAGE: u8 = 2;
/// No case failed, but at least one errored, or none has passed: running nothing is never green.
pub const COULD_NOT_RUN: u8 = 3;
/// Nothing failed, but a requirement is not met: rules that had to be checked were not.
pub const INCOMPLETE: u8 = 4;
/// The run was interrupted, whatever it had found by then; its reports are written.
pub const INTERRUPTED: u8 = 130;

/// The exit code of a run.
pub const fn of(summary: &Summary) -> u8 {
    if summary.interrupted {
        INTERRUPTED
    } else if summary.failed > 0 || summary.stale > 0 {
        FAILED
    } else if summary.errored > 0 || summary.passed == 0 {
        COULD_NOT_RUN
    } else if summary.unmet > 0 {
        INCOMPLETE
    } else {
        PASSED
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn run_of_nothing_does_not_exit_with_0() {
        let nothing = Summary::default();
        assert_eq!(of(&nothing), COULD_NOT_RUN);
        assert_eq!(
            of(&Summary {
                skipped: 9,
                inconclusive: 9,
                ..nothing
            }),
            COULD_NOT_RUN
        );
        assert_eq!(
            of(&Summary {
                passed: 1,
                skipped: 9,
                ..nothing
            }),
            PASSED
        );
        assert_eq!(
            of(&Summary {
                passed: 1,
                errored: 1,
                ..nothing
            }),
            COULD_NOT_RUN
        );
        assert_eq!(
            of(&Summary {
                passed: 1,
                errored: 1,
                failed: 1,
                ..nothing
            }),
            FAILED
        );
        assert_eq!(
            of(&Summary {
                known: 9,
                informed: 9,
                ..nothing
            }),
            COULD_NOT_RUN
        );
    }

    #[test]
    fn known_failures_and_notices_exit_with_0() {
        let green = Summary {
            passed: 1,
            known: 1,
            informed: 1,
            ..Summary::default()
        };
        assert_eq!(of(&green), PASSED);
        assert_eq!(of(&Summary { stale: 1, ..green }), FAILED);
        assert_eq!(of(&Summary { unmet: 1, ..green }), INCOMPLETE);
        let interrupted = Summary {
            interrupted: true,
            failed: 1,
            ..green
        };
        assert_eq!(of(&interrupted), INTERRUPTED);
    }
}
