//! The decisions of the deployment with the habits of a Python framework where the source is silent.

/// The decisions of this deployment where the source is silent.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Habits {
    /// The number of items of the pipeline with many items.
    pub(crate) many: u64,
    pub(crate) errors: Errors,
    pub(crate) over_maximum: OverMaximum,
    /// The status for a malformed value.
    pub(crate) malformed: u16,
    /// The status for an unknown key.
    pub(crate) unknown_key: u16,
    pub(crate) search: Search,
    pub(crate) missing: Missing,
    /// Whether ties are reversed too in `desc`.
    pub(crate) mirrors_ties: bool,
    pub(crate) question_ids: QuestionIds,
    pub(crate) times: Times,
    /// Whether a failed question is retried, so that its state is not terminal.
    pub(crate) retries_failed: bool,
    /// Whether an item without a document counts as indexed.
    pub(crate) indexes_nothing: bool,
    /// Whether a pipeline is looked up before the policies are evaluated.
    pub(crate) looks_up_first: bool,
    /// The statuses of an addition: of an organization that already exists in the pipeline, of one that is not found,
    /// and for a pipeline that does not accept organizations.
    pub(crate) rejections: (u16, u16, u16),
    /// The `entity_type` of the response to an addition.
    pub(crate) added_is: &'static str,
    /// Whether an unknown organization is rejected whatever the pipeline is.
    pub(crate) finds_organizations_first: bool,
    /// Whether a request with a method that a route lacks finds no route.
    pub(crate) hides_methods: bool,
    /// The greatest page, which the source states: only a fault changes it.
    pub(crate) maximum: u64,
}

/// The form of an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Errors {
    Detail,
    Html,
    Nothing,
}

/// How a limit above the maximum is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OverMaximum {
    Rejected,
    Clamped,
    Default,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Search {
    Open,
    Keyed,
}

/// Where items without a value are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Missing {
    /// Greater than any value: last in `asc`, first in `desc`.
    Greatest,
    First,
    Last,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum QuestionIds {
    Words,
    Uuids,
}

/// The form of a time; ISO 8601 allows all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Times {
    Microseconds,
    Basic,
    Offset,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            many: 130,
            errors: Errors::Detail,
            over_maximum: OverMaximum::Rejected,
            malformed: 422,
            unknown_key: 403,
            search: Search::Open,
            missing: Missing::Greatest,
            mirrors_ties: true,
            question_ids: QuestionIds::Words,
            times: Times::Microseconds,
            retries_failed: false,
            indexes_nothing: false,
            looks_up_first: false,
            rejections: (409, 404, 400),
            added_is: "organization",
            finds_organizations_first: false,
            hides_methods: false,
            maximum: 1000,
        }
    }
}

impl QuestionIds {
    /// The columns of the two questions: a number and a text.
    pub(crate) fn columns(self) -> [&'static str; 2] {
        match self {
            Self::Words => ["question.fit", "question.stage"],
            Self::Uuids => [
                "question.4f1c2a9e-7b0d-4a55-9d2e-1f6b8c3a7e10",
                "question.c07d11b2-53aa-4c1f-8e47-92bb0d6f4a21",
            ],
        }
    }
}
