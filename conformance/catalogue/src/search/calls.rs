//! The six searches as the cases use them: what each is given to search for, and what it finds.
//!
//! No case stands here, and nothing is asserted.

use std::sync::Arc;

use serde_json::Value;

use engine::case::{Case, Need};
pub(crate) use engine::session::observed::Walk;
use engine::session::{Call, Probe};
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::{Contract, Operation, Parameter};

/// One of the six searches.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Search {
    contract: &'static Contract,
    pub(crate) operation: &'static Operation,
    /// The parameter that says what to search for: the one that every request has to carry.
    pub(crate) subject: &'static Parameter,
    pub(crate) finds: Finds,
    /// Its position among the searches.
    position: usize,
}

/// What a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Finds {
    Organizations,
    Products,
}

impl Search {
    /// All searches, in the order of the contract.
    pub(crate) fn all() -> Vec<Self> {
        Self::of(Contract::bundled())
    }

    /// All searches, as this contract has them.
    pub(crate) fn of(contract: &'static Contract) -> Vec<Self> {
        let operations = contract.operations().iter();
        let operations = operations.filter(|operation| operation.path.starts_with("/search/"));
        let search = |(position, operation): (usize, &'static Operation)| {
            let finds = if operation.path.starts_with("/search/products/") {
                Finds::Products
            } else {
                Finds::Organizations
            };
            let subject = operation
                .parameters
                .iter()
                .find(|parameter| parameter.required)?;
            Some(Self {
                contract,
                operation,
                subject,
                finds,
                position,
            })
        };
        operations.enumerate().filter_map(search).collect()
    }

    /// The search by description that finds the same kind of record.
    pub(crate) fn by_description(finds: Finds) -> Option<Self> {
        Self::described(Contract::bundled(), finds)
    }

    /// The same, as this contract has it.
    pub(crate) fn described(contract: &'static Contract, finds: Finds) -> Option<Self> {
        let mut all = Self::of(contract).into_iter();
        all.find(|search| search.finds == finds && search.subject.name == "description")
    }

    /// Whether it is given a known record; else it is given a text.
    pub(crate) fn is_by_known_record(self) -> bool {
        self.subject.location == "path"
    }

    /// A case of this search: `group/law/operation`.
    pub(crate) fn case(
        self,
        group: &str,
        law: &str,
        title: &str,
        pointer: impl AsRef<str>,
    ) -> Case {
        let operation = &self.operation.id;
        let id = format!("{group}/{}/{operation}", law.replace('_', "-"));
        let case = Case::new(id, format!("{operation}: {title}"), pointer);
        match (self.is_by_known_record(), self.finds) {
            (false, _) => case,
            (true, Finds::Organizations) => case.needs([Need::Organization]),
            (true, Finds::Products) => case.needs([Need::Product]),
        }
    }

    /// One of many spellings of one fault: each search tries another, so that all are tried without
    /// every search trying all.
    pub(crate) fn one_of<T: Copy>(self, spellings: &[T]) -> T {
        spellings[self.position % spellings.len()]
    }

    /// The place of a keyword of a parameter's schema in the contract.
    pub(crate) fn at(self, parameter: &str, keyword: &str) -> String {
        self.operation.parameter(parameter).at(keyword)
    }

    /// The place of a parameter in the contract.
    pub(crate) fn place_of(self, parameter: &str) -> &'static str {
        &self.operation.parameter(parameter).pointer
    }

    /// A number that the contract gives for a parameter.
    pub(crate) fn number(self, parameter: &str, keyword: &str) -> i64 {
        self.operation.parameter(parameter).number(keyword)
    }

    /// The most values of a list.
    pub(crate) fn most_values(self, parameter: &str) -> usize {
        usize::try_from(self.number(parameter, "maxItems")).unwrap_or(usize::MAX)
    }

    /// How many results of a search can be reached: the greatest `skip + limit`.
    ///
    /// # Panics
    /// When the contract has no such rule: a fault of the catalogue, which every test builds.
    pub(crate) fn reach(self) -> i64 {
        let rule = self
            .contract
            .get(&self.place_of_reach())
            .and_then(|node| node["rule"].as_str());
        let reach = rule.and_then(|rule| rule.strip_prefix("skip + limit <= ")?.parse().ok());
        #[expect(
            clippy::expect_used,
            reason = "a fault of the catalogue, which every test builds"
        )]
        reach.expect("the contract bounds skip + limit")
    }

    /// The place of the rule on `skip + limit` in the contract.
    pub(crate) fn place_of_reach(self) -> String {
        format!("{}/x-constraints/0", self.place_of("limit"))
    }

    /// The search with a subject: the contract's own example of a text, or a record that is known.
    ///
    /// # Errors
    /// Skips the case when no record is known.
    pub(crate) fn call(self, probe: &Probe) -> Result<Call, Stop> {
        Ok(match (self.is_by_known_record(), self.finds) {
            (false, _) => self.call_with(probe, self.example_text()),
            (true, Finds::Organizations) => self.call_with(probe, probe.organization()?),
            (true, Finds::Products) => self.call_with(probe, probe.product()?),
        })
    }

    /// The search with this subject.
    pub(crate) fn call_with(self, probe: &Probe, subject: impl std::fmt::Display) -> Call {
        let call = probe.call(&self.operation.id);
        if self.is_by_known_record() {
            call.path(&self.subject.name, subject)
        } else {
            call.query(&self.subject.name, subject)
        }
    }

    /// A text that the contract gives as an example of the subject.
    fn example_text(self) -> &'static str {
        let examples = Contract::bundled().get(&format!("{}/examples", self.subject.pointer));
        let first = examples
            .and_then(Value::as_object)
            .and_then(|examples| examples.values().next());
        first
            .and_then(|example| example["value"].as_str())
            .unwrap_or("temperature logger")
    }
}

impl Finds {
    /// The member that identifies a record.
    pub(crate) fn id_member(self) -> &'static str {
        match self {
            Self::Organizations => "organization_id",
            Self::Products => "product_id",
        }
    }

    /// The id of a record; -1 when it has none, which its schema tells.
    pub(crate) fn id(self, record: &Value) -> i64 {
        record[self.id_member()].as_i64().unwrap_or(-1)
    }

    /// The organization of a record: itself, or the one that offers the product; null when not known.
    pub(crate) fn organization(self, record: &Value) -> &Value {
        match self {
            Self::Organizations => record,
            Self::Products => &record["organization"],
        }
    }
}

/// How far a result is from what was searched for; not a number when it does not say, which its schema
/// tells.
pub(crate) fn distance(result: &Value) -> f64 {
    result["similarity"]["cosine_distance"]
        .as_f64()
        .unwrap_or(f64::NAN)
}

/// The results of a page.
pub(crate) fn results(page: &Answer) -> &[Value] {
    page.at("/results").as_array().map_or(&[], Vec::as_slice)
}

/// The `total_count` of a page; -1 when it has none, which its schema tells.
pub(crate) fn total_count(page: &Answer) -> i64 {
    page.at("/total_count").as_i64().unwrap_or(-1)
}

/// The ids of records, in their order.
pub(crate) fn ids(finds: Finds, records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| finds.id(record)).collect()
}

/// How many there are, as the contract counts.
pub(crate) fn count<T>(entries: &[T]) -> i64 {
    i64::try_from(entries.len()).unwrap_or(i64::MAX)
}

/// Walks through a search in pages of `limit`, until it has `wanted` results or comes to the end.
///
/// # Errors
/// When a page is not answered 200.
pub(crate) async fn walk(
    probe: &Probe,
    call: &(dyn Fn() -> Result<Call, Stop> + Sync),
    limit: i64,
    wanted: i64,
) -> Result<Walk, Stop> {
    let mut walk = Walk {
        results: Vec::new(),
        pages: Vec::new(),
        page_lengths: Vec::new(),
        total_count: 0,
    };
    loop {
        let (skip, left) = (count(&walk.results), wanted - count(&walk.results));
        let call = call()?.query("skip", skip).query("limit", limit.min(left));
        let mut page = probe.ok(call.send().await?)?;
        if walk.pages.is_empty() {
            walk.total_count = total_count(&page);
        }
        let found = page.take("results");
        let ended = found.is_empty();
        walk.page_lengths.push(count(&found));
        walk.results.extend(found);
        walk.pages.push(page);
        let walked = count(&walk.results);
        if ended || walked >= wanted || walked >= walk.total_count {
            return Ok(walk);
        }
    }
}

/// The unfiltered searches of a run, as far as they are walked through. What they find is kept by the run
/// and never here: a catalogue may look at several deployments.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Walks {
    /// The most pages of one walk.
    pages: i64,
}

impl Walks {
    /// Walks of so many pages of the largest size, or as far as a search reaches.
    pub(crate) fn of_pages(pages: i64) -> Self {
        Self { pages }
    }

    /// Gives a case of a search a check that looks at the walks.
    pub(crate) fn check<Answered>(
        self,
        case: Case,
        search: Search,
        check: fn(Probe, Search, Self) -> Answered,
    ) -> Case
    where
        Answered: Future<Output = Outcome> + Send + 'static,
    {
        case.check(move |probe| check(probe, search, self))
    }

    /// What a search finds without filters, walked once a run.
    ///
    /// # Errors
    /// When a page is not answered 200.
    pub(crate) async fn of(self, probe: &Probe, search: Search) -> Result<Arc<Walk>, Stop> {
        let most = search.number("limit", "maximum");
        let wanted = search.reach().min(self.pages.saturating_mul(most));
        let cell = probe.search(&search.operation.id, wanted);
        let all = probe.for_all();
        let walk = || async {
            Ok(Arc::new(
                walk(&all, &|| search.call(&all), most, wanted).await?,
            ))
        };
        Ok(Arc::clone(cell.get_or_try_init(walk).await?))
    }
}
