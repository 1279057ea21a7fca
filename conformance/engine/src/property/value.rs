//! Values of parameters, generated from the contract: valid ones, the nearest invalid ones, and texts that have broken
//! servers before.

use std::fmt::Debug;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::string::string_regex;
use serde_json::Value;

/// Texts that fit few parameters and must not crash any server.
const HOSTILE: [&str; 40] = [
    "",
    " ",
    "\t",
    "\0",
    "1\0",
    "\r\nX-Injected: 1",
    "null",
    "undefined",
    "NaN",
    "Infinity",
    "-1",
    "0",
    "01",
    "1.0",
    "1e2",
    "+1",
    " 1 ",
    "0x1",
    "1,2",
    "١",
    "½",
    "true",
    "True",
    "[]",
    "{}",
    "[1]",
    "a,b",
    "' OR '1'='1",
    "1; DROP TABLE items; --",
    "1) OR (1=1",
    "${jndi:ldap://127.0.0.1/a}",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "%00",
    "%s%n",
    "\u{202e}gnirts",
    "e\u{301}\u{301}\u{301}",
    "👩‍👩‍👧‍👦",
    "\u{feff}x",
    "9223372036854775808",
];

/// Names that are not a parameter of any operation: plausible guesses, and worse.
const NO_PARAMETERS: [&str; 16] = [
    "offset",
    "page",
    "Limit",
    "LIMIT",
    "limit ",
    "limit[]",
    "skip[0]",
    "sort",
    "q",
    "filter",
    "__proto__",
    "constructor",
    "$where",
    "limit\0",
    "лимит",
    "api_key",
];

/// Generates names that are not parameters.
pub fn hostile_names() -> impl Strategy<Value = String> {
    select(&NO_PARAMETERS[..]).prop_map(str::to_owned)
}

/// A value that fits a schema of the contract, preferably a known existing one.
pub fn fitting(schema: &Value, known: Vec<String>) -> BoxedStrategy<String> {
    let made = made_from(schema);
    match known.is_empty() {
        true => made,
        false => prop_oneof![3 => select(known), 1 => made].boxed(),
    }
}

/// Any text, near to a schema of the contract or far from it.
pub fn any_text(schema: &Value, known: Vec<String>) -> BoxedStrategy<String> {
    let spoiled = fitting(schema, known.clone()).prop_flat_map(spoiled);
    prop_oneof![
        3 => fitting(schema, known),
        3 => at_the_edge(schema),
        2 => spoiled,
        2 => select(&HOSTILE[..]).prop_map(str::to_owned),
        1 => text(r"\PC{1,8}"),
        1 => text("[\\x00-\\x20\\x7f-\\u{a0}a]{1,4}"),
    ]
    .boxed()
}

/// A value with one change that a lenient parser overlooks.
fn spoiled(value: String) -> impl Strategy<Value = String> {
    let changed = [
        format!(" {value}"),
        format!("{value} "),
        format!("{value}\n"),
        format!("{value}\0"),
        format!("{value},{value}"),
        format!("-{value}"),
        format!("0{value}"),
        format!("{value}.0"),
        format!("\"{value}\""),
        value.to_lowercase(),
        value.to_uppercase(),
        value.chars().rev().collect(),
        value.chars().skip(1).collect(),
    ];
    select(changed.to_vec())
}

/// A value with the form that a schema requires.
fn made_from(schema: &Value) -> BoxedStrategy<String> {
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().filter_map(Value::as_str);
        return owned(values.map(str::to_owned).collect());
    }
    match schema["type"].as_str() {
        Some("integer") => {
            let (least, most) = bounds(schema);
            prop_oneof![
                (least..=most.min(least.saturating_add(40))).prop_map(shown),
                (least..=most).prop_map(shown),
            ]
            .boxed()
        }
        Some("boolean") => owned(vec!["true", "false"]),
        _ if schema["format"] == "date" => (1..=12u32, 1..=28u32, 1950..=2030i32)
            .prop_map(|(month, day, year)| format!("{year:04}-{month:02}-{day:02}"))
            .boxed(),
        _ => match (schema["pattern"].as_str(), schema["maxLength"].as_u64()) {
            (Some(_), Some(_)) => text(r"[a-zà-ÿ0-9\p{Han}][ -~à-ÿ\p{Cyrillic}\p{Han}😀-😏]{0,30}"),
            (Some(pattern), None) => text(pattern.trim_start_matches('^').trim_end_matches('$')),
            _ => text(r"\PC{1,20}"),
        },
    }
}

/// The outermost values that fit a schema, and the nearest ones that do not.
fn at_the_edge(schema: &Value) -> BoxedStrategy<String> {
    match (schema["type"].as_str(), schema["maxLength"].as_u64()) {
        (Some("integer"), _) => {
            let (least, most) = bounds(schema);
            let edge = [least, most, least - 1, most.saturating_add(1), -most];
            owned(edge.map(|number| number.to_string()).to_vec())
        }
        (_, Some(most)) => {
            let length = usize::try_from(most).unwrap_or(usize::MAX);
            let edge = ["a", "é", "魚"]
                .into_iter()
                .flat_map(|character| [1, length, length + 1].map(|length| character.repeat(length)));
            owned(edge.collect::<Vec<_>>())
        }
        _ if schema["format"] == "date" => owned(vec![
            "0001-01-01",
            "9999-12-31",
            "2024-02-29",
            "2023-02-29",
            "2023-02-30",
            "2023-13-01",
            "2023-1-1",
            "10000-01-01",
        ]),
        _ => made_from(schema),
    }
}

/// The bounds of an integer; the contract gives both for every integer parameter.
fn bounds(schema: &Value) -> (i64, i64) {
    let bound = |keyword: &str, otherwise| schema[keyword].as_i64().unwrap_or(otherwise);
    (bound("minimum", 0), bound("maximum", i64::MAX))
}

fn shown(number: i64) -> String {
    number.to_string()
}

fn owned<T: ToString + Clone + Debug + 'static>(values: Vec<T>) -> BoxedStrategy<String> {
    select(values).prop_map(|value: T| value.to_string()).boxed()
}

/// A text of this form.
fn text(form: &str) -> BoxedStrategy<String> {
    match string_regex(form) {
        Ok(strategy) => strategy.boxed(),
        // If proptest cannot read the pattern, hostile texts are tried instead.
        Err(_) => select(&HOSTILE[..]).prop_map(str::to_owned).boxed(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    use super::*;
    use crate::property::fits_form;
    use platform_contract::Contract;

    #[test]
    fn generated_values_fit_their_schema() {
        let mut runner = TestRunner::deterministic();
        let operations = Contract::bundled().operations().iter();
        for parameter in operations.flat_map(|operation| &operation.parameters) {
            let schema = parameter.schema.get("items").unwrap_or(&parameter.schema);
            let strategy = fitting(schema, Vec::new());
            for _ in 0..50 {
                let value = strategy.new_tree(&mut runner).unwrap().current();
                assert!(fits_form(schema, &value), "{}: {value:?}", parameter.name);
            }
        }
    }
}
