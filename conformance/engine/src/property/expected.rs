//! The responses that the contract allows for a request, derived before it is sent: accepted, or rejected with a
//! status, a code and a place of the error. Where two readings of the contract are sound, both are expected.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use chrono::NaiveDate;
use parking_lot::Mutex;
use regex::Regex;
use serde_json::Value;

use super::run::RunResult;
use crate::cause;
use crate::transport::response::HttpResponse;
use platform_contract::{Operation, Parameter};

/// The law that a response must be an expected one.
const IS_EXPECTED: &str = "the response is one that the contract allows";

/// The responses that a request may get.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExpectedResponses {
    /// Its errors; the response is 422 when one of them is certain.
    faults: Vec<InvalidPart>,
    /// The responses when it has no error.
    otherwise: Vec<StatusAndCode>,
}

/// A status, and the code of the problem if it is one.
pub type StatusAndCode = (u16, Option<&'static str>);

/// An invalid part of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
struct InvalidPart {
    /// Where it may be reported: breaking a rule between two parameters is an error of both.
    places: Vec<(&'static str, String)>,
    /// Whether every reading of the contract treats it as an error.
    is_sure: bool,
}

/// Whether a value fits its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fits {
    Yes,
    No,
    /// Sound readings of the contract differ.
    Maybe,
}

/// The parameters of a request, as intended. A value that is not text is `None`.
pub type Given<'a> = [(String, Option<&'a str>)];

/// Derives the expected responses to a request; `otherwise` are the possible ones when it has no error.
pub fn expected_responses(
    operation: &Operation,
    path: &Given<'_>,
    query: &Given<'_>,
    otherwise: Vec<StatusAndCode>,
) -> ExpectedResponses {
    let mut faults = Vec::new();
    for (name, value) in path {
        let parameter = operation.parameter(name);
        record(&mut faults, "path", name, fits_text(parameter, *value));
    }
    let mut given: BTreeMap<&str, Vec<Option<&str>>> = BTreeMap::new();
    for (name, value) in query {
        given.entry(name).or_default().push(*value);
    }
    let known = |name: &str| {
        let mut parameters = operation.parameters.iter();
        parameters.find(|parameter| parameter.location == "query" && parameter.name == name)
    };
    for (name, values) in &given {
        let fits = known(name).map_or(Fits::No, |parameter| fits_all(parameter, values));
        record(&mut faults, "query", name, fits);
    }
    let required = operation.parameters.iter().filter(|one| one.required);
    for parameter in required.filter(|one| one.location == "query") {
        if !given.contains_key(parameter.name.as_str()) {
            record(&mut faults, "query", &parameter.name, Fits::No);
        }
    }
    for rule in rules(operation) {
        faults.extend(rule.broken_by(operation, &given));
    }
    ExpectedResponses { faults, otherwise }
}

fn record(faults: &mut Vec<InvalidPart>, location: &'static str, name: &str, fits: Fits) {
    if fits != Fits::Yes {
        faults.push(InvalidPart {
            places: vec![(location, name.to_owned())],
            is_sure: fits == Fits::No,
        });
    }
}

/// Whether a text certainly fits the schema of a parameter.
pub fn fits_form(schema: &Value, text: &str) -> bool {
    fits(schema, text) == Fits::Yes
}

impl ExpectedResponses {
    /// A request with only one possible response, whatever else is wrong with it.
    pub fn only(status: u16, code: &'static str) -> Self {
        Self {
            faults: Vec::new(),
            otherwise: vec![(status, Some(code))],
        }
    }

    /// A request whose body also has errors, reported below `body`.
    pub fn and_in_the_body(mut self, is_sure: bool) -> Self {
        self.faults.push(InvalidPart {
            places: vec![("body", String::new())],
            is_sure,
        });
        self
    }

    /// The responses that it may get.
    fn expected(&self) -> Vec<StatusAndCode> {
        let invalid = (422, Some("validation_failed"));
        if self.faults.iter().any(|fault| fault.is_sure) {
            return vec![invalid];
        }
        let maybe = (!self.faults.is_empty()).then_some(invalid);
        self.otherwise.iter().copied().chain(maybe).collect()
    }

    /// Checks that a response is an expected one, and that a 422 names an error of the request and nothing that is not
    /// one. Separate cases check that every error is named.
    pub fn check(&self, response: &HttpResponse, run: &mut RunResult) {
        let expected = self.expected();
        let fits =
            |(status, code): &StatusAndCode| response.status == *status && (code.is_none() || response.code() == *code);
        run.check(
            expected.iter().any(fits),
            IS_EXPECTED,
            || listed(&expected),
            || response.summary(),
        );
        if let Some(violation) = &mut run.violation
            && violation.law == IS_EXPECTED
        {
            violation.cause = cause::of_response(&expected, response);
        }
        if response.status == 422 && response.code() == Some("validation_failed") {
            self.check_faults(response, run);
        }
    }

    fn check_faults(&self, response: &HttpResponse, run: &mut RunResult) {
        let errors = response.at("/errors").as_array();
        let listed: Vec<_> = errors.into_iter().flatten().map(|error| &error["loc"]).collect();
        // The contract does not say which of several errors is named first.
        let is_named = |fault: &InvalidPart| listed.iter().any(|loc| fault.is_at(loc));
        run.check(
            self.faults.iter().any(is_named),
            "an error in the request is reported at its place",
            || format!("one of {}", self.places()),
            || response.at("/errors").to_string(),
        );
        let stray = listed
            .iter()
            .find(|loc| !self.faults.iter().any(|fault| fault.is_at(loc)));
        run.check(
            stray.is_none(),
            "no error is reported where there is none",
            || format!("only {}", self.places()),
            || response.at("/errors").to_string(),
        );
    }

    fn places(&self) -> String {
        let places = self.faults.iter().flat_map(|fault| &fault.places);
        let shown: Vec<_> = places.map(|(location, name)| format!("{location}.{name}")).collect();
        shown.join(", ")
    }
}

impl InvalidPart {
    fn is_at(&self, loc: &Value) -> bool {
        self.places
            .iter()
            .any(|(location, name)| loc[0] == *location && (*location == "body" || loc[1] == name.as_str()))
    }
}

fn listed(expected: &[StatusAndCode]) -> String {
    let shown = |(status, code): &StatusAndCode| match code {
        Some(code) => format!("{status} {code}"),
        None => status.to_string(),
    };
    expected.iter().map(shown).collect::<Vec<_>>().join(" or ")
}

/// Whether the values given for one query parameter fit it.
fn fits_all(parameter: &Parameter, values: &[Option<&str>]) -> Fits {
    let schema = &parameter.schema;
    if schema["type"] != "array" {
        return match values {
            [value] => fits_text(parameter, *value),
            _ => Fits::No,
        };
    }
    let most = schema["maxItems"].as_u64().unwrap_or(u64::MAX);
    if u64::try_from(values.len()).is_ok_and(|count| count > most) {
        return Fits::No;
    }
    let each = values
        .iter()
        .map(|value| value.map_or(Fits::No, |value| fits(&schema["items"], value)));
    worst(each)
}

fn worst(all: impl Iterator<Item = Fits>) -> Fits {
    all.fold(Fits::Yes, |worst, one| match (worst, one) {
        (Fits::No, _) | (_, Fits::No) => Fits::No,
        (Fits::Maybe, _) | (_, Fits::Maybe) => Fits::Maybe,
        _ => Fits::Yes,
    })
}

fn fits_text(parameter: &Parameter, value: Option<&str>) -> Fits {
    match value {
        // The one parameter whose malformed values get a different response, and later.
        Some(_) if parameter.name == "sort_by" => Fits::Yes,
        None if parameter.name == "sort_by" => Fits::Maybe,
        Some(value) => fits(&parameter.schema, value),
        None => Fits::No,
    }
}

/// Whether a value fits a schema of the contract.
fn fits(schema: &Value, value: &str) -> Fits {
    if let Some(values) = schema["enum"].as_array() {
        return yes_or_no(values.iter().any(|one| one == value));
    }
    match schema["type"].as_str() {
        Some("integer") => fits_integer(schema, value),
        Some("boolean") => yes_or_no(["true", "false"].contains(&value)),
        _ if schema["format"] == "date" => fits_date(value),
        _ => fits_string(schema, value),
    }
}

fn yes_or_no(fits: bool) -> Fits {
    if fits { Fits::Yes } else { Fits::No }
}

/// Integers are written with digits, and a minus sign if negative. The contract does not say whether leading zeros or
/// surrounding spaces are allowed.
fn fits_integer(schema: &Value, value: &str) -> Fits {
    let bare = value.trim();
    let (is_negative, digits) = match bare.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, bare),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Fits::No;
    }
    let significant = digits.trim_start_matches('0');
    let number = match significant {
        "" => 0,
        // A number with too many digits exceeds every bound.
        digits => digits.parse::<i128>().unwrap_or(i128::MAX),
    };
    let number = if is_negative { -number } else { number };
    let least = schema["minimum"].as_i64().map_or(i128::MIN, i128::from);
    let most = schema["maximum"].as_i64().map_or(i128::MAX, i128::from);
    if !(least..=most).contains(&number) {
        return Fits::No;
    }
    let is_plain = bare == value && number.to_string() == value;
    if is_plain { Fits::Yes } else { Fits::Maybe }
}

/// Calendar dates; the contract does not say whether there is a year 0.
fn fits_date(value: &str) -> Fits {
    let is_written_so = value.len() == 10
        && value.bytes().enumerate().all(|(place, byte)| match place {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    if !is_written_so || NaiveDate::parse_from_str(value, "%Y-%m-%d").is_err() {
        return Fits::No;
    }
    match value.starts_with("0000") {
        true => Fits::Maybe,
        false => Fits::Yes,
    }
}

fn fits_string(schema: &Value, value: &str) -> Fits {
    let length = u64::try_from(value.chars().count()).unwrap_or(u64::MAX);
    let least = schema["minLength"].as_u64().unwrap_or(0);
    let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
    if !(least..=most).contains(&length) {
        return Fits::No;
    }
    match schema["pattern"].as_str() {
        // Languages differ on which characters are white space.
        Some(r"\S") if value.chars().all(is_space_to_some) => {
            match value.chars().all(char::is_whitespace) && !value.contains('\u{85}') {
                true => Fits::No,
                false => Fits::Maybe,
            }
        }
        Some(pattern) => match matcher(pattern) {
            Some(pattern) => yes_or_no(pattern.is_match(value)),
            None => Fits::Maybe,
        },
        None => Fits::Yes,
    }
}

/// A pattern of the contract, compiled once: shrinking a property run uses it thousands of times. `None` if it is not a
/// regular expression.
fn matcher(pattern: &str) -> Option<Regex> {
    static COMPILED: LazyLock<Mutex<BTreeMap<String, Option<Regex>>>> = LazyLock::new(Mutex::default);
    let mut compiled = COMPILED.lock();
    if let Some(known) = compiled.get(pattern) {
        return known.clone();
    }
    let new = Regex::new(pattern).ok();
    compiled.insert(pattern.to_owned(), new.clone());
    new
}

/// White space, and the characters that some languages count as white space: the byte order mark, the ASCII separators,
/// the vowel separator, zero-width characters.
fn is_space_to_some(character: char) -> bool {
    character.is_whitespace()
        || matches!(character, '\u{0}'..='\u{20}' | '\u{7f}' | '\u{180e}' | '\u{200b}'..='\u{200f}')
        || matches!(character, '\u{2060}' | '\u{feff}')
}

/// A rule between two parameters, of `x-constraints`.
#[derive(Debug)]
struct Rule {
    /// The names of its two parameters.
    names: [String; 2],
    /// The maximum of their sum; `None` when the rule is that the first must not exceed the second.
    most: Option<i64>,
}

/// The rules between the parameters of an operation.
fn rules(operation: &Operation) -> Vec<Rule> {
    let parameters = operation.parameters.iter();
    let rules = parameters.flat_map(|parameter| &parameter.constraints);
    rules.filter_map(|rule| Rule::read(rule)).collect()
}

impl Rule {
    fn read(text: &str) -> Option<Self> {
        let (left, right) = text.split_once(" <= ")?;
        Some(match left.split_once(" + ") {
            Some((one, other)) => Self {
                names: [one.to_owned(), other.to_owned()],
                most: Some(right.parse().ok()?),
            },
            None => Self {
                names: [left.to_owned(), right.to_owned()],
                most: None,
            },
        })
    }

    /// The error of a request that breaks the rule with values that are valid on their own.
    fn broken_by(&self, operation: &Operation, given: &BTreeMap<&str, Vec<Option<&str>>>) -> Option<InvalidPart> {
        let value = |name: &str| -> Option<(String, Fits)> {
            let parameter = operation.parameter(name);
            match given.get(name).map(Vec::as_slice) {
                Some([Some(value)]) => Some(((*value).to_owned(), fits(&parameter.schema, value))),
                Some(_) => None,
                None => {
                    let default = parameter.schema.get("default")?;
                    Some((default.to_string(), Fits::Yes))
                }
            }
        };
        let [(one, fits_one), (other, fits_other)] = [value(&self.names[0])?, value(&self.names[1])?];
        let fits = worst([fits_one, fits_other].into_iter());
        let is_broken = match (number(&one).zip(number(&other)), self.most) {
            (Some((one, other)), Some(most)) => one.saturating_add(other) > most,
            (Some((one, other)), None) => one > other,
            // The order of dates is the order of their texts.
            (None, _) => one > other,
        };
        let places = self.names.iter().map(|name| ("query", name.clone()));
        (fits != Fits::No && is_broken).then(|| InvalidPart {
            places: places.collect(),
            is_sure: fits == Fits::Yes,
        })
    }
}

fn number(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use platform_contract::Contract;

    fn search() -> &'static Operation {
        Contract::bundled().operation("search_organizations_by_description")
    }

    fn responses(query: &[(&str, Option<&'static str>)]) -> ExpectedResponses {
        let mut given = vec![("description".to_owned(), Some("fish"))];
        given.extend(query.iter().map(|(name, value)| ((*name).to_owned(), *value)));
        expected_responses(search(), &[], &given, vec![(200, None)])
    }

    fn statuses(query: &[(&str, Option<&'static str>)]) -> Vec<u16> {
        let expected = responses(query).expected();
        expected.into_iter().map(|(status, _)| status).collect()
    }

    #[test]
    fn values_are_checked_against_bounds_patterns_and_lists() {
        let table: [(&str, &str, &[u16]); 22] = [
            ("skip", "-0", &[200, 422]),
            ("limit", "1", &[200]),
            ("limit", "100", &[200]),
            ("limit", "0", &[422]),
            ("limit", "101", &[422]),
            ("limit", "1.0", &[422]),
            ("limit", "007", &[200, 422]),
            ("limit", "007000", &[422]),
            ("limit", " 7", &[200, 422]),
            ("limit", "99999999999999999999999999999999999999999999", &[422]),
            ("countries", "NO", &[200]),
            ("countries", "no", &[422]),
            ("countries", "NO\n", &[422]),
            ("funding_stages", "seed", &[200]),
            ("funding_stages", "Seed", &[422]),
            ("funded_from", "2024-02-29", &[200]),
            ("funded_from", "2023-02-29", &[422]),
            ("funded_from", "2023-2-1", &[422]),
            ("headquarters_only", "false", &[200]),
            ("headquarters_only", "0", &[422]),
            ("offset", "1", &[422]),
            ("Limit", "1", &[422]),
        ];
        for (name, value, expected) in table {
            let seen = statuses(&[(name, Some(value))]);
            assert_eq!(seen, expected, "{name}={value:?}");
        }
    }

    #[test]
    fn rules_between_parameters_are_read_from_the_contract() {
        assert_eq!(rules(search()).len(), 4);
        let of = |pairs: [(&str, &'static str); 2]| statuses(&pairs.map(|(name, value)| (name, Some(value))));
        assert_eq!(of([("skip", "900"), ("limit", "100")]), [200]);
        assert_eq!(of([("skip", "901"), ("limit", "100")]), [422]);
        assert_eq!(statuses(&[("skip", Some("981"))]), [422]);
        assert_eq!(of([("employee_count_min", "9"), ("employee_count_max", "10")]), [200]);
        assert_eq!(of([("employee_count_min", "11"), ("employee_count_max", "10")]), [422]);
        assert_eq!(of([("funded_from", "2020-01-02"), ("funded_to", "2020-01-01")]), [422]);
    }

    #[test]
    fn repeated_missing_and_undecodable_values_are_rejected() {
        assert_eq!(statuses(&[("limit", Some("1")), ("limit", Some("1"))]), [422]);
        assert_eq!(statuses(&[("countries", Some("NO")), ("countries", Some("DK"))]), [200]);
        assert_eq!(statuses(&[("countries", None)]), [422]);
        let missing = expected_responses(search(), &[], &[], vec![(200, None)]);
        assert_eq!(missing.expected(), [(422, Some("validation_failed"))]);
    }

    #[test]
    fn characters_that_may_be_blank_are_left_open() {
        let of = |text: &str| fits(&search().parameter("description").schema, text);
        assert_eq!(of(" \t\u{a0}"), Fits::No);
        assert_eq!(of("\u{feff}"), Fits::Maybe);
        assert_eq!(of("\u{200b}"), Fits::Maybe);
        assert_eq!(of("a"), Fits::Yes);
    }
}
