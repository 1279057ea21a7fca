//! The catalogue: every case, grouped by subject.
//!
//! The cases are in three packages that do not know each other: `pipelines`, `searches` and `service`. A file is named
//! after its group: `limit.rs` of `pipelines` contains `limit/*`, `text.rs` of `searches` contains `search-text/*`. It
//! begins with a list that reads like a table of contents; the checks follow. Ids are permanent. Bounds, codes and
//! defaults come from the contract, never from these packages.

mod measured;
pub mod points;
pub mod profile;

use std::sync::LazyLock;

pub use self::measured::MEASURED_WALKS;
use self::measured::measured;
pub use self::points::{Behaviour, MIXED, OTHER, Point, points};
pub use self::profile::{Observed, Profile, ProfileError};
use engine::case::Case;
use platform_contract::Contract;

/// A chapter of the catalogue: cases whose ids share the first part.
#[derive(Debug)]
pub struct Group {
    /// The first part of the ids.
    pub name: &'static str,
    /// The subject of the cases.
    pub title: &'static str,
    cases: fn(&Contract) -> Vec<Case>,
}

impl Group {
    /// The cases of the chapter.
    pub fn cases(&self) -> Vec<Case> {
        self.cases_of(Contract::bundled())
    }

    fn cases_of(&self, contract: &Contract) -> Vec<Case> {
        let cases = (self.cases)(contract).into_iter();
        cases
            .map(|case| measured(read(case.in_chapter(self.title), contract)))
            .collect()
    }
}

/// The chapters, in reading order.
pub const GROUPS: &[Group] = &[
    Group {
        name: "operation",
        title: "The operations",
        cases: service::operation::cases,
    },
    Group {
        name: "limit",
        title: "Listing items: limit",
        cases: pipelines::limit::cases,
    },
    Group {
        name: "skip",
        title: "Listing items: skip",
        cases: pipelines::skip::cases,
    },
    Group {
        name: "paging",
        title: "Listing items: pages of one collection",
        cases: pipelines::paging::cases,
    },
    Group {
        name: "sort",
        title: "Listing items: order",
        cases: pipelines::sort::cases,
    },
    Group {
        name: "item",
        title: "Values and status of an item",
        cases: pipelines::item::cases,
    },
    Group {
        name: "add",
        title: "Adding an organization",
        cases: pipelines::add::cases,
    },
    Group {
        name: "parameter",
        title: "Parameters of the pipeline operations",
        cases: pipelines::parameter::cases,
    },
    Group {
        name: "error",
        title: "Errors: contents and precedence",
        cases: pipelines::error::cases,
    },
    Group {
        name: "search-limit",
        title: "Searching: limit and skip",
        cases: searches::limit::cases,
    },
    Group {
        name: "search-text",
        title: "Searching: text",
        cases: searches::of_texts,
    },
    Group {
        name: "search-values",
        title: "Searching: values of filters",
        cases: searches::values::cases,
    },
    Group {
        name: "search-filter",
        title: "Searching: results of filters",
        cases: searches::of_filters,
    },
    Group {
        name: "search-headquarters",
        title: "Searching: locations",
        cases: searches::headquarters::cases,
    },
    Group {
        name: "search-total",
        title: "Searching: total_count",
        cases: searches::total::cases,
    },
    Group {
        name: "search-ranking",
        title: "Searching: order of results",
        cases: searches::of_rankings,
    },
    Group {
        name: "search-error",
        title: "Searching: errors",
        cases: searches::error::cases,
    },
    Group {
        name: "law",
        title: "Property tests: laws that need no known data",
        cases: laws,
    },
    Group {
        name: "cross",
        title: "What does not depend on the rest of a request",
        cases: service::cross::cases,
    },
    Group {
        name: "auth",
        title: "Authentication and permission",
        cases: service::auth::cases,
    },
    Group {
        name: "rate-limit",
        title: "Quotas",
        cases: service::rate_limit::cases,
    },
    Group {
        name: "header",
        title: "Headers, unknown routes and methods",
        cases: service::header::cases,
    },
    Group {
        name: "http",
        title: "Connections, and requests that no HTTP client sends",
        cases: service::http::cases,
    },
    Group {
        name: "schema",
        title: "Every response that any case received",
        cases: service::schema::cases,
    },
];

/// The property tests, of pipelines, searches and the service.
fn laws(contract: &Contract) -> Vec<Case> {
    [
        pipelines::law::cases(contract),
        searches::law::cases(contract),
        service::law::cases(contract),
    ]
    .concat()
}

/// Returns the case with its clauses. Panics if a case cites something that the contract does not have: an error of the
/// catalogue, which every test builds.
fn read(case: Case, contract: &Contract) -> Case {
    let id = case.id.clone();
    case.resolve(contract).unwrap_or_else(|error| panic!("{id}: {error}"))
}

/// Every case, in the order of the chapters. Reading all clauses takes time, so it is done once.
pub fn catalogue() -> Vec<Case> {
    static CATALOGUE: LazyLock<Vec<Case>> = LazyLock::new(|| catalogue_of(Contract::bundled()));
    CATALOGUE.clone()
}

/// Every case, with the bounds of this contract.
pub(crate) fn catalogue_of(contract: &Contract) -> Vec<Case> {
    GROUPS.iter().flat_map(|group| group.cases_of(contract)).collect()
}
