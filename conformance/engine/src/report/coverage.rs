//! How much of the contract a run checked: by operation, parameter and status.
//!
//! A case covers the places that its clauses point to. A test of the catalogue checks that every clause has a case.

use std::collections::BTreeSet;

use super::totals::Totals;
use super::{CaseReport, Report};
use crate::session::presence;
use crate::verdict::Verdict;
use platform_contract::{Contract, Operation, is_at_or_below};

/// The contract as a table: a row for each operation and each of its parameters, a column for each status.
#[derive(Debug)]
pub struct Coverage {
    /// The statuses, as the contract writes them: `200`, `422`, `5XX`.
    pub statuses: Vec<String>,
    /// The operations, in the order of the contract.
    pub operations: Vec<OperationCoverage>,
    /// The places outside the operations, which apply to all of them: headers, responses and schemas by their names,
    /// and texts of the whole document. A case that cites only these is in no other row.
    pub shared: Vec<Row>,
    /// The cases in any of those rows.
    pub all_shared: Cell,
    /// How much of it has a verdict.
    pub totals: Totals,
}

/// The rows of one operation.
#[derive(Debug)]
pub struct OperationCoverage {
    /// Its `operationId`.
    pub id: String,
    /// Its HTTP method.
    pub method: String,
    /// Its path.
    pub path: String,
    /// The operation as a whole; a column is `None` if the operation has no such response.
    pub whole: Row,
    /// Its parameters and its body; a column is `None` if no case concerns both.
    pub parameters: Vec<Row>,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// The name of the parameter, `body`, or empty for the operation as a whole.
    pub name: String,
    /// The cases about it, whatever the status.
    pub cases: Cell,
    /// The cases about it and a status, in the order of [`Coverage::statuses`].
    pub by_status: Vec<Option<Cell>>,
}

/// Some cases of a run.
#[derive(Debug, Default)]
pub struct Cell {
    /// Their positions in [`Report::cases`].
    pub cases: Vec<usize>,
    /// The worst of their verdicts; `None` when there are no cases.
    pub worst: Option<Verdict>,
    /// Whether one of them passed or found a difference; the others observed nothing.
    pub looked_at: bool,
}

impl Coverage {
    /// Returns the coverage of a run.
    pub fn of(report: &Report, contract: &Contract) -> Self {
        let operations = contract.operations();
        let responses = operations.iter().flat_map(|operation| &operation.responses);
        let statuses: BTreeSet<_> = responses.map(|response| response.status.clone()).collect();
        let statuses: Vec<_> = statuses.into_iter().collect();
        let operations: Vec<_> = operations
            .iter()
            .map(|operation| OperationCoverage::of(report, contract, operation, &statuses))
            .collect();
        Self {
            totals: totals_of(&operations, &missing(report)),
            shared: shared(report),
            all_shared: Cell::that(report, |case| {
                let mut clauses = case.clauses.iter();
                clauses.any(|clause| shared_place(clause.way()).is_some())
            }),
            statuses,
            operations,
        }
    }
}

/// A row for each place outside of the operations that a case cites.
fn shared(report: &Report) -> Vec<Row> {
    let clauses = report.cases.iter().flat_map(|case| &case.clauses);
    let places: BTreeSet<_> = clauses.filter_map(|clause| shared_place(clause.way())).collect();
    let row = |place: &str| Row {
        name: place.trim_start_matches('/').replace('/', " "),
        cases: Cell::of(report, &[place]),
        by_status: Vec::new(),
    };
    places.into_iter().map(row).collect()
}

/// The place that a pointer outside of the operations is listed under: `/components/headers/Location`.
fn shared_place(pointer: &str) -> Option<&str> {
    let segments = match pointer.strip_prefix("/paths/") {
        Some(_) => return None,
        None if pointer.starts_with("/components/") => 3,
        None => 1,
    };
    let ends = pointer.match_indices('/').map(|(at, _)| at);
    let end = ends.skip(1).nth(segments - 1);
    Some(&pointer[..end.unwrap_or(pointer.len())])
}

impl OperationCoverage {
    fn of(report: &Report, contract: &Contract, operation: &Operation, statuses: &[String]) -> Self {
        let row = |name: &str, place: &str| {
            let by_status = statuses.iter().map(|status| {
                let response = format!("{}/responses/{status}", operation.pointer);
                let cell = Cell::of(report, &[place, &response]);
                let declared = operation.responses.iter().any(|declared| declared.status == *status);
                let shown = if name.is_empty() {
                    declared
                } else {
                    !cell.cases.is_empty()
                };
                shown.then_some(cell)
            });
            Row {
                name: name.to_owned(),
                cases: Cell::of(report, &[place]),
                by_status: by_status.collect(),
            }
        };
        let parameters = operation.parameters.iter();
        let mut parameters: Vec<_> = parameters
            .map(|parameter| row(&parameter.name, &parameter.pointer))
            .collect();
        let body = format!("{}/requestBody", operation.pointer);
        if contract.get(&body).is_some() {
            parameters.push(row("body", &body));
        }
        Self {
            id: operation.id.clone(),
            method: operation.method.clone(),
            path: operation.path.clone(),
            whole: row("", &operation.pointer),
            parameters,
        }
    }
}

impl Cell {
    /// The cases that cite a clause at or below every one of these places.
    fn of(report: &Report, places: &[&str]) -> Self {
        Self::that(report, |case| places.iter().all(|place| cites(case, place)))
    }

    /// The cases that satisfy a predicate.
    fn that(report: &Report, is_in: impl Fn(&CaseReport) -> bool) -> Self {
        let mut cell = Self::default();
        let mut verdicts = BTreeSet::new();
        for (position, case) in report.cases.iter().enumerate() {
            if is_in(case) {
                cell.cases.push(position);
                verdicts.insert(case.verdict);
            }
        }
        cell.worst = Verdict::worst(&verdicts);
        cell.looked_at = verdicts
            .iter()
            .any(|verdict| *verdict == Verdict::Passed || verdict.differs());
        cell
    }
}

/// The operations that the deployment does not have.
fn missing(report: &Report) -> BTreeSet<&str> {
    let cases = report.cases.iter();
    let missing = cases.filter(|case| case.rule == presence::RULE && case.verdict.differs());
    missing.filter_map(|case| case.subject.as_deref()).collect()
}

/// How much of these operations has a verdict. That an operation is missing is a verdict on nothing else.
fn totals_of(operations: &[OperationCoverage], missing: &BTreeSet<&str>) -> Totals {
    let mut totals = Totals::default();
    let count = |(looked_at, all): &mut (usize, usize), cell: &Cell| {
        *looked_at += usize::from(cell.looked_at);
        *all += 1;
    };
    let nothing = Cell::default();
    for operation in operations {
        let whole = match missing.contains(operation.id.as_str()) {
            true => &nothing,
            false => &operation.whole.cases,
        };
        count(&mut totals.operations, whole);
        for parameter in &operation.parameters {
            count(&mut totals.parameters, &parameter.cases);
        }
        for response in operation.whole.by_status.iter().flatten() {
            count(&mut totals.responses, response);
        }
    }
    totals
}

fn cites(case: &CaseReport, place: &str) -> bool {
    case.clauses.iter().any(|clause| is_at_or_below(clause.way(), place))
}
