//! The first difference between the expected and the seen value. Two long texts often begin the same way: a reader
//! wants to see where they diverge.

use serde_json::Value;

use crate::redact::{SHOWN, Secrets};

/// How many characters of a text are shown before the first difference.
const BEFORE: usize = 60;
/// The maximum length of a value that is shown whole.
const WHOLE: usize = 120;
/// The text shown for a missing value.
pub(crate) const NOTHING: &str = "nothing";

/// Returns two differing values as texts. For long ones, returns the first difference and its place, a JSON Pointer.
pub(crate) fn of_values(expected: &Value, seen: &Value) -> (String, String) {
    let whole = (expected.to_string(), seen.to_string());
    if whole.0.len() <= WHOLE && whole.1.len() <= WHOLE {
        return whole;
    }
    let mut place = String::new();
    let (expected, seen) = first(Some(expected), Some(seen), &mut place);
    let lengths = match (expected, seen) {
        (Some(Value::Array(expected)), Some(Value::Array(seen))) => Some((expected.len(), seen.len())),
        _ => None,
    };
    let shown = |value: Option<&Value>| value.map_or(NOTHING.to_owned(), Value::to_string);
    let at = |value: String| match place.as_str() {
        "" => value,
        place => format!("{value} at {place}"),
    };
    match lengths {
        Some((expected, seen)) => (at(format!("{expected} entries")), at(format!("{seen} entries"))),
        None => (at(shown(expected)), at(shown(seen))),
    }
}

/// Finds the innermost values at the first difference between two values. Writes the path to them.
fn first<'a>(
    expected: Option<&'a Value>,
    seen: Option<&'a Value>,
    place: &mut String,
) -> (Option<&'a Value>, Option<&'a Value>) {
    let inner = match (expected, seen) {
        (Some(Value::Object(one)), Some(Value::Object(other))) => {
            let names = one.keys().chain(other.keys());
            let mut pairs = names.map(|name| (name.clone(), one.get(name), other.get(name)));
            pairs.find(|(_, one, other)| one != other)
        }
        (Some(Value::Array(one)), Some(Value::Array(other))) => {
            let mut pairs = one.iter().zip(other).enumerate();
            let found = pairs.find(|(_, (one, other))| one != other);
            found.map(|(position, (one, other))| (position.to_string(), Some(one), Some(other)))
        }
        _ => None,
    };
    let Some((segment, expected, seen)) = inner else {
        return (expected, seen);
    };
    place.push('/');
    place.push_str(&segment.replace('~', "~0").replace('/', "~1"));
    first(expected, seen, place)
}

/// Returns the expected and the seen text, redacted and short enough to read. Long texts with the same beginning are
/// both cut at the same place.
pub(crate) fn excerpts(secrets: &Secrets, expected: &str, seen: &str) -> (String, String) {
    let alike = expected.chars().zip(seen.chars());
    let alike = alike.take_while(|(one, other)| one == other).count();
    let is_short = expected.len() <= SHOWN && seen.len() <= SHOWN;
    if seen.is_empty() {
        return (secrets.written_excerpt(expected), NOTHING.to_owned());
    }
    if is_short || alike <= SHOWN / 2 || expected == seen {
        return (secrets.written_excerpt(expected), secrets.excerpt(seen));
    }
    let (expected, seen) = (secrets.written(expected), secrets.said(seen));
    let alike = expected.chars().zip(seen.chars());
    let alike = alike.take_while(|(one, other)| one == other).count();
    let start = alike.saturating_sub(BEFORE);
    let from = |text: &str| {
        let all = text.chars().count();
        let window: String = text.chars().skip(start).take(SHOWN).collect();
        let dots = |is_cut| if is_cut { "…" } else { "" };
        let (before, after) = (dots(start > 0), dots(start + SHOWN < all));
        format!("{before}{window}{after} (from character {start} of {all})")
    };
    (from(&expected), from(&seen))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn long_values_are_shown_at_their_first_difference() {
        let items = |name: &str| json!({"items": (0..40).map(|id| json!({"id": id, "a/b": name})).collect::<Vec<_>>()});
        let mut seen = items("one");
        seen["items"][7]["a/b"] = json!("two");
        assert_eq!(
            of_values(&items("one"), &seen),
            (
                "\"one\" at /items/7/a~1b".to_owned(),
                "\"two\" at /items/7/a~1b".to_owned()
            )
        );
        let mut seen = items("one");
        seen["items"].as_array_mut().unwrap().pop();
        assert_eq!(
            of_values(&items("one"), &seen),
            ("40 entries at /items".to_owned(), "39 entries at /items".to_owned())
        );
        let mut seen = items("one");
        seen["items"][3].as_object_mut().unwrap().remove("id");
        assert_eq!(
            of_values(&items("one"), &seen),
            ("3 at /items/3/id".to_owned(), "nothing at /items/3/id".to_owned())
        );
        assert_eq!(of_values(&json!(1), &json!("1")), ("1".to_owned(), "\"1\"".to_owned()));
    }

    #[test]
    fn long_texts_are_shown_from_where_they_differ() {
        let secrets = Secrets::new([], "https://a.example");
        let text = |end: &str| format!("{}{end}", "x".repeat(1_000));
        let (expected, seen) = excerpts(&secrets, &text("one"), &text("two"));
        assert!(expected.ends_with("xone (from character 940 of 1003)"), "{expected}");
        assert!(seen.starts_with("…x") && seen.contains("xtwo"), "{seen}");
        let (expected, seen) = excerpts(&secrets, "a", &text("b"));
        assert!(expected == "a" && seen.ends_with("(1001 characters in all)"), "{seen}");
    }
}
