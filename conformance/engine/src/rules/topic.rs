//! The names under which findings in responses are kept, and what each of these rules has to see before it counts as
//! checked.

use crate::rules::item;

/// The name for responses that belong to no operation: unknown routes and methods.
pub const UNROUTED: &str = "unrouted";
/// The name for responses with a status that an operation should never return.
pub const OTHER_STATUS: &str = "other-status";

/// The name for findings about responses of any operation, kept by topic.
pub const ANY: &str = "any";
/// The types of problems, and the URIs that identify them.
pub const PROBLEM_TYPE: &str = "problem-type";
/// Announced removals.
pub const DEPRECATION: &str = "deprecation";
/// What an error must not contain.
pub const INTERNALS: &str = "internals";
/// What later responses show of an item.
pub const HISTORY: &str = "history";
/// The number of items of pages.
pub const LENGTHS: &str = "lengths";
/// Whether pages hold what is left of their pipelines.
pub const REMAINDERS: &str = "remainders";
/// The similarity scores of the results of searches.
pub const SCORES: &str = "scores";
/// The order of the results of searches.
pub const RANKING: &str = "ranking";
/// Whether each result of a search occurs once.
pub const RESULTS: &str = "results";

/// Describes what a case about a topic or a status looked for when no response showed it.
pub(crate) fn looked_for(topic: &str) -> &'static str {
    match topic {
        "200" => "a 200 response with a record",
        LENGTHS | REMAINDERS => "a page with an item",
        RANKING => "two results with a similarity score on one page",
        RESULTS => "two results on one page",
        SCORES => "a result with a similarity score",
        PROBLEM_TYPE => "two errors with a code and a type",
        item::ORDER => "two items on one page without sort_by",
        item::UNIQUE => "items of two pipelines",
        item::IDENTITY => "an item in two responses",
        _ => "a response of this kind: no case of this run received one",
    }
}
