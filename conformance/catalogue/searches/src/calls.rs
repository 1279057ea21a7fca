//! The six searches as the cases use them: their subjects and their results.
//!
//! This module contains no case and asserts nothing.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use serde_json::Value;

use engine::case::{Case, Need, RequestTemplate};
pub use engine::session::observed::Walk;
use engine::session::texts::example_text;
use engine::session::{Call, Probe};
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use platform_contract::{Contract, Operation, Parameter};

/// One of the six searches. A handle: clones share the data.
#[derive(Debug, Clone)]
pub struct Search {
    /// Its operation in the contract.
    pub operation: Arc<Operation>,
    /// The kind of its results.
    pub finds: Finds,
    /// The number of results that can be reached: the greatest `skip + limit`.
    pub reach: i64,
    /// The contract's example of a text; any text for a search by a known record.
    example: Arc<str>,
    /// The index of the parameter that holds the subject.
    subject: usize,
}

/// The kind of record that a search finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Finds {
    /// Organizations, each with an `organization_id`.
    Organizations,
    /// Products, each with a `product_id` and its organization.
    Products,
}

impl Search {
    /// All searches, in the order of the contract.
    pub fn all(contract: &Contract) -> Vec<Self> {
        let operations = contract.operations().iter();
        let searches = operations.filter(|operation| operation.is_search());
        let search = |operation: &Arc<Operation>| {
            let finds = if operation.finds_products() {
                Finds::Products
            } else {
                Finds::Organizations
            };
            let mut parameters = operation.parameters.iter();
            let subject = parameters.position(|parameter| parameter.required)?;
            Some(Self {
                operation: Arc::clone(operation),
                finds,
                reach: reach(contract, operation),
                example: example_text(contract, &operation.parameters[subject]).into(),
                subject,
            })
        };
        searches.filter_map(search).collect()
    }

    /// Returns the search by description that finds this kind of record.
    pub fn by_description(contract: &Contract, finds: Finds) -> Option<Self> {
        let mut all = Self::all(contract).into_iter();
        all.find(|search| search.finds == finds && search.subject().name == "description")
    }

    /// The search by customers for a kind of record.
    pub fn by_customers(contract: &Contract, finds: Finds) -> Option<Self> {
        let mut all = Self::all(contract).into_iter();
        all.find(|search| search.finds == finds && search.subject().name.ends_with("_customer"))
    }

    /// The parameter that holds the subject: the only required one.
    pub fn subject(&self) -> &Parameter {
        &self.operation.parameters[self.subject]
    }

    /// The searches by a known record.
    pub fn by_known_record(contract: &Contract) -> Vec<Self> {
        let mut searches = Self::all(contract);
        searches.retain(Self::is_by_known_record);
        searches
    }

    /// The text of [`call`](Self::call): one by which the deployment tells records apart, or the contract's example.
    pub fn text<'a>(&'a self, probe: &'a Probe) -> &'a str {
        let found = probe.known().texts.get(&self.operation.id);
        found.map_or(&*self.example, String::as_str)
    }

    /// Whether the subject is a known record. The other searches take a text.
    pub fn is_by_known_record(&self) -> bool {
        self.subject().location == "path"
    }

    /// A case of this search: `group/law/operation`.
    pub fn case(&self, group: &str, law: &str, title: &str, pointer: impl AsRef<str>) -> Case {
        let operation = &self.operation.id;
        let id = format!("{group}/{}/{operation}", law.replace('_', "-"));
        Case::new(id, format!("{operation}: {title}"), pointer)
    }

    /// Returns the known record that a check needs if it starts from [`call`](Self::call).
    pub fn needs(&self) -> Option<Need> {
        match (self.is_by_known_record(), self.finds) {
            (false, _) => None,
            (true, Finds::Organizations) => Some(Need::Organization),
            (true, Finds::Products) => Some(Need::Product),
        }
    }

    /// The place of a keyword of a parameter's schema in the contract.
    pub fn at(&self, parameter: &str, keyword: &str) -> String {
        self.operation.parameter(parameter).at(keyword)
    }

    /// The place of a parameter in the contract.
    pub fn place_of(&self, parameter: &str) -> &str {
        &self.operation.parameter(parameter).pointer
    }

    /// Returns a number from the contract's schema of a parameter.
    pub fn number(&self, parameter: &str, keyword: &str) -> i64 {
        self.operation.parameter(parameter).number(keyword)
    }

    /// The greatest number of values of a list.
    pub fn most_values(&self, parameter: &str) -> usize {
        usize::try_from(self.number(parameter, "maxItems")).unwrap_or(usize::MAX)
    }

    /// The place of the rule on `skip + limit` in the contract.
    pub fn place_of_reach(&self) -> String {
        place_of_reach(&self.operation)
    }

    /// A valid request as data, with any text or with a known record.
    pub fn request(&self) -> RequestTemplate {
        RequestTemplate::valid(&self.operation)
    }

    /// A request as data, without a subject.
    pub fn bare_request(&self) -> RequestTemplate {
        RequestTemplate::to(&self.operation)
    }

    /// Returns a call with a subject: a [`text`](Self::text), or a known record.
    ///
    /// # Errors
    /// Skips the case if no record is known.
    pub fn call(&self, probe: &Probe) -> Result<Call, Stop> {
        Ok(match (self.is_by_known_record(), self.finds) {
            (false, _) => self.call_with(probe, self.text(probe)),
            (true, Finds::Organizations) => self.call_with(probe, probe.organization()?),
            (true, Finds::Products) => self.call_with(probe, probe.product()?),
        })
    }

    /// Returns a call with this subject.
    pub fn call_with(&self, probe: &Probe, subject: impl Display) -> Call {
        let call = probe.call(&self.operation.id);
        if self.is_by_known_record() {
            call.path(&self.subject().name, subject)
        } else {
            call.query(&self.subject().name, subject)
        }
    }

    /// Returns the results without filters, in at most this many pages of the largest size. A run walks each search
    /// once and keeps the results; they belong to the run because a catalogue may check several deployments.
    ///
    /// # Errors
    /// When a page does not get 200.
    pub async fn walked(&self, probe: &Probe, pages: i64) -> Result<Arc<Walk>, Stop> {
        let most = self.number("limit", "maximum");
        let wanted = self.reach.min(pages.saturating_mul(most));
        let cell = probe.search(&self.operation.id, wanted);
        let all = probe.for_all();
        let call = || self.call(&all);
        let walk = || async { Ok(Arc::new(walk(&all, &call, most, wanted).await?)) };
        Ok(Arc::clone(cell.get_or_try_init(walk).await?))
    }

    /// The whole walks of the other searches that find the same kind of record, as far as the deployment has the known
    /// records that they need.
    ///
    /// # Errors
    /// When a page does not get 200.
    pub async fn other_walks(&self, probe: &Probe) -> Result<Vec<Arc<Walk>>, Stop> {
        let mut walks = Vec::new();
        for other in Self::all(probe.contract()) {
            if other.finds != self.finds || other.operation.id == self.operation.id {
                continue;
            }
            match other.walked(probe, i64::MAX).await {
                Ok(walk) => walks.push(walk),
                Err(Stop::Skipped(_)) => {}
                Err(stop) => return Err(stop),
            }
        }
        Ok(walks)
    }
}

/// The place of the rule on `skip + limit` of a search.
fn place_of_reach(operation: &Operation) -> String {
    let limit = operation.parameter("limit");
    format!("{}/x-constraints/0", limit.pointer)
}

/// The greatest `skip + limit` of a search.
///
/// # Panics
/// When the contract does not have such a rule, which is a bug in the catalogue that every test detects.
fn reach(contract: &Contract, operation: &Operation) -> i64 {
    let rule = contract
        .get(&place_of_reach(operation))
        .and_then(|node| node["rule"].as_str());
    let reach = rule.and_then(|rule| rule.strip_prefix("skip + limit <= ")?.parse().ok());
    #[expect(clippy::expect_used, reason = "a bug in the catalogue, which every test builds")]
    reach.expect("the contract bounds skip + limit")
}

impl Finds {
    /// The member that identifies a record.
    pub fn id_member(self) -> &'static str {
        match self {
            Self::Organizations => "organization_id",
            Self::Products => "product_id",
        }
    }

    /// Whether a record has an id under the name of the contract.
    pub fn has_id(self, record: &Value) -> bool {
        record[self.id_member()].is_i64()
    }

    /// The id of a record; -1 if it has none, which the check of its schema reports.
    pub fn id(self, record: &Value) -> i64 {
        record[self.id_member()].as_i64().unwrap_or(-1)
    }

    /// The records of a walk that have an id under the name of the contract, by their ids.
    pub fn by_id(self, walk: &Walk) -> BTreeMap<i64, &Value> {
        let records = walk.results.iter().filter(|record| self.has_id(record));
        records.map(|record| (self.id(record), record)).collect()
    }

    /// The organization of a record: the record itself, or the organization that offers the product; null if unknown.
    pub fn organization(self, record: &Value) -> &Value {
        match self {
            Self::Organizations => record,
            Self::Products => &record["organization"],
        }
    }
}

/// The distance between a result and the subject; NaN if it has none, which the check of its schema reports.
pub fn distance(result: &Value) -> f64 {
    result["similarity"]["cosine_distance"].as_f64().unwrap_or(f64::NAN)
}

/// The results of a page.
pub fn results(page: &HttpResponse) -> &[Value] {
    page.at("/results").as_array().map_or(&[], Vec::as_slice)
}

/// The `total_count` of a page; -1 if it has none, which the check of its schema reports.
pub fn total_count(page: &HttpResponse) -> i64 {
    page.at("/total_count").as_i64().unwrap_or(-1)
}

/// The ids of records, in their order.
pub fn ids(finds: Finds, records: &[Value]) -> Vec<i64> {
    records.iter().map(|record| finds.id(record)).collect()
}

/// The number of entries, in the integer type of the contract.
pub fn count<T>(entries: &[T]) -> i64 {
    i64::try_from(entries.len()).unwrap_or(i64::MAX)
}

/// Walks a search in pages of `limit`, up to `wanted` results or to the end. It takes at most one page more than full
/// ones would take: a deployment may return shorter ones. A page with the results of the one before it ends the walk,
/// without them: the deployment does not page in this way.
///
/// # Errors
/// When a page does not get 200.
pub async fn walk(
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
    let most_pages = (wanted - 1) / limit.max(1) + 2;
    loop {
        let (skip, left) = (count(&walk.results), wanted - count(&walk.results));
        let call = call()?.query("skip", skip).query("limit", limit.min(left));
        let page = call.send().await?;
        if skip > 0 && is_behind_the_end(probe, &page) {
            return Ok(walk);
        }
        let mut page = probe.ok(page)?;
        if walk.pages.is_empty() {
            walk.total_count = total_count(&page);
        }
        let mut found = page.take("results");
        if walk.result_pages().last().is_some_and(|last| last.starts_with(&found)) {
            found.clear();
        }
        let ended = found.is_empty() || count(&walk.pages) + 1 >= most_pages;
        walk.page_lengths.push(count(&found));
        walk.results.extend(found);
        walk.pages.push(page);
        let walked = count(&walk.results);
        // Without a total, the walk goes on to an empty page.
        let is_whole = walk.total_count >= 0 && walked >= walk.total_count;
        if ended || walked >= wanted || is_whole {
            return Ok(walk);
        }
    }
}

/// Whether a later page of a search is not there. How searches are paged, and how far, is decided.
fn is_behind_the_end(probe: &Probe, page: &HttpResponse) -> bool {
    probe.searches_have_any_form() && matches!(page.status, 400 | 404 | 410 | 416 | 422)
}
