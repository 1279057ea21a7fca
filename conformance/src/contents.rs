//! The catalogue as data: every rule with its cases, what they rest on and what they need.

use std::collections::BTreeSet;

use engine::case::{Case, Need};
use engine::report::{BasisReport, title_of};
use engine::run::options::Options;
use platform_contract::Contract;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

/// A rule of the catalogue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedRule {
    /// The id of the rule.
    pub rule: String,
    /// The first part of its id.
    pub group: String,
    /// What is expected, as a sentence.
    pub title: String,
    /// Whether the source states it for all of its subjects.
    pub basis: BasisReport,
    /// The decisions that it rests on.
    pub decisions: BTreeSet<String>,
    /// Its cases: one for each subject, or the only one.
    pub cases: Vec<ListedCase>,
}

/// A case of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedCase {
    /// The id of the case.
    pub id: String,
    /// The id of its rule.
    pub rule: String,
    /// The first part of its id.
    pub group: String,
    /// What the rule is checked for, such as an operation or a status; null for the only case of a rule.
    pub subject: Option<String>,
    /// What is expected, as a sentence.
    pub title: String,
    /// Whether the source states all of it, or the contract decided some of it.
    pub basis: BasisReport,
    /// The decisions that it rests on.
    pub decisions: BTreeSet<String>,
    /// The operations that it checks.
    pub operations: BTreeSet<String>,
    /// The clauses that it rests on, the most important first.
    pub clauses: Vec<ListedClause>,
    /// The point of the behaviour profile that governs it; null when no profile changes it.
    pub point: Option<String>,
    /// What a target must name, or a run must allow, beyond a key with full access.
    pub needs: Vec<ListedNeed>,
    /// Limit on its requests that do not only read, with the usual number of property runs; 0 for a case that only
    /// reads.
    pub writes: u64,
}

/// A place in the contract, and what it says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedClause {
    /// Where it stands in `openapi.yaml`, a JSON Pointer (RFC 6901).
    pub pointer: String,
    /// What the contract says there.
    pub sentence: String,
}

/// Something that a case needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ListedNeed {
    /// What it is.
    pub kind: NeedKind,
    /// The role of the key or the pipeline, or the method; null for the other kinds.
    pub name: Option<String>,
}

/// The kind of a need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NeedKind {
    /// A key of a role.
    Key,
    /// A pipeline of a role, named by the target or found.
    Pipeline,
    /// A pipeline of a role that the target has to name.
    NamedPipeline,
    /// An organization.
    Organization,
    /// A product.
    Product,
    /// Permission to add organizations.
    Writes,
    /// Pipelines that may be added to besides the writable one.
    OtherPipelines,
    /// Permission to send requests of a method.
    Method,
}

/// Returns the rules of these cases, in the order of their first cases.
///
/// ```
/// use platform_conformance::{catalogue, contents};
///
/// let rules = contents::of(&catalogue());
/// assert!(rules.iter().all(|rule| !rule.cases.is_empty()));
/// ```
pub fn of(cases: &[Case]) -> Vec<ListedRule> {
    let mut rules: Vec<(ListedRule, Vec<&Case>)> = Vec::new();
    for case in cases {
        let listed = ListedCase::of(case);
        match rules.iter_mut().find(|(rule, _)| rule.rule == listed.rule) {
            Some((rule, mine)) => {
                rule.decisions.extend(listed.decisions.iter().cloned());
                rule.cases.push(listed);
                mine.push(case);
            }
            None => {
                let rule = ListedRule {
                    rule: listed.rule.clone(),
                    group: listed.group.clone(),
                    title: String::new(),
                    basis: listed.basis,
                    decisions: listed.decisions.clone(),
                    cases: vec![listed],
                };
                rules.push((rule, vec![case]));
            }
        }
    }
    let finish = |(rule, cases): (ListedRule, Vec<&Case>)| ListedRule {
        title: title_of(cases.into_iter().map(Case::rule_title)),
        basis: basis(&rule.decisions),
        ..rule
    };
    rules.into_iter().map(finish).collect()
}

impl ListedCase {
    fn of(case: &Case) -> Self {
        let decisions = case.decisions();
        let contract = Contract::bundled();
        let clauses = case.clauses.iter().map(|clause| ListedClause {
            pointer: contract
                .locate(&clause.pointer)
                .unwrap_or_else(|| clause.pointer.clone()),
            sentence: clause.sentence.clone(),
        });
        Self {
            id: case.id.clone(),
            rule: case.rule().to_owned(),
            group: case.group().to_owned(),
            subject: case.subject().map(str::to_owned),
            title: case.title.clone(),
            basis: basis(&decisions),
            decisions,
            operations: case.operations().into_iter().map(str::to_owned).collect(),
            clauses: clauses.collect(),
            point: case.point.clone(),
            needs: case.needs.iter().map(ListedNeed::of).collect(),
            writes: case.write_limit(Options::default().property_runs),
        }
    }
}

impl ListedNeed {
    fn of(need: &Need) -> Self {
        let (kind, name) = match need {
            Need::Key(role) => (NeedKind::Key, Some(role.as_str())),
            Need::Pipeline(role) => (NeedKind::Pipeline, Some(role.as_str())),
            Need::Named(role) => (NeedKind::NamedPipeline, Some(role.as_str())),
            Need::Organization => (NeedKind::Organization, None),
            Need::Product => (NeedKind::Product, None),
            Need::Writes => (NeedKind::Writes, None),
            Need::OtherPipelines => (NeedKind::OtherPipelines, None),
            Need::Method(method) => (NeedKind::Method, Some(method.as_ref())),
        };
        Self {
            kind,
            name: name.map(str::to_owned),
        }
    }
}

fn basis(decisions: &BTreeSet<String>) -> BasisReport {
    match decisions.is_empty() {
        true => BasisReport::Stated,
        false => BasisReport::Decided,
    }
}

/// The JSON Schema of the list, published beside the crate as `list.schema.json`.
pub fn schema() -> Value {
    schemars::schema_for!(Vec<ListedRule>).to_value()
}
