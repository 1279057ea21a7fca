//! What one result shows of a record, and another one does not.

use std::collections::{BTreeSet, HashMap};

use serde_json::Value;

use engine::session::search_form::{names_organization, plain};

/// The words for what the source states that a result carries, in the names of fields. One of each line is enough.
const STATED: [&[&str]; 18] = [
    &["name", "title"],
    &["description"],
    &["domain"],
    &["logo"],
    &["employee", "headcount", "staff"],
    &["founded", "founding", "established"],
    &["funding", "raised", "capital", "investment"],
    &["headquarter", "address", "location"],
    &["country"],
    &["website", "homepage"],
    &["social", "linkedin", "twitter", "facebook"],
    &["contact", "mail", "phone"],
    &["feature"],
    &["price", "pricing"],
    &["category", "categories"],
    &["audience"],
    &["revenue"],
    &["competitive", "positioning"],
];
/// The words for what depends on the search.
const OF_SEARCH: [&str; 13] = [
    "confidence",
    "distance",
    "explanation",
    "fit",
    "highlight",
    "match",
    "rank",
    "reason",
    "relevance",
    "score",
    "similar",
    "snippet",
    "summary",
];

/// What results show of records, whatever the names of their fields. The names of each deployment are few, and are
/// looked at once.
#[derive(Default)]
pub(crate) struct Shown {
    names: HashMap<String, Name>,
}

/// What the name of a field says.
#[derive(Clone, Copy)]
struct Name {
    /// The lines of [`STATED`] with a word that is in it, as bits.
    stated: u32,
    is_of_search: bool,
    is_of_organization: bool,
}

impl Shown {
    /// What only one of two results shows of a record, as a word for it. What a product shows of itself is apart from
    /// what it shows of its organization.
    pub(crate) fn lacking(&mut self, one: &Value, other: &Value) -> Option<&'static str> {
        let [(one, own), (other, others_own)] = [one, other].map(|record| self.of(record));
        let differ = (one ^ other) | (own ^ others_own);
        let position = usize::try_from(differ.trailing_zeros()).ok()?;
        STATED.get(position).map(|words| words[0])
    }

    /// What a value shows, as bits of [`STATED`]: all of it, and all but what it shows of an organization.
    fn of(&mut self, value: &Value) -> (u32, u32) {
        let mut shown = (0, 0);
        for (name, member) in value.as_object().into_iter().flatten() {
            let name = self.name(name);
            if name.is_of_search {
                continue;
            }
            let below = self.of(member);
            let named = if is_something(member) { name.stated } else { 0 };
            shown.0 |= below.0 | named;
            if !name.is_of_organization {
                shown.1 |= below.1 | named;
            }
        }
        shown
    }

    fn name(&mut self, name: &str) -> Name {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let plain = plain(name);
        let has = |words: &[&str]| words.iter().any(|word| plain.contains(word));
        let stated = STATED
            .iter()
            .rev()
            .fold(0, |bits, words| bits << 1 | u32::from(has(words)));
        let known = Name {
            stated,
            is_of_search: has(&OF_SEARCH),
            is_of_organization: names_organization(name),
        };
        self.names.insert(name.to_owned(), known);
        known
    }
}

fn is_something(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(entries) => entries.iter().any(is_something),
        Value::Object(members) => members.values().any(is_something),
        Value::Bool(_) | Value::Number(_) => true,
    }
}

/// A member that only one of two results has, at any depth.
pub(crate) fn lacking(one: &Value, other: &Value) -> Option<String> {
    let names = [one, other]
        .into_iter()
        .filter_map(Value::as_object)
        .flat_map(|members| members.keys());
    let is_nothing = |value: &Value| value.is_null() || value.as_array().is_some_and(Vec::is_empty);
    let names: BTreeSet<_> = names.collect();
    names.into_iter().find_map(|name| {
        let (one, other) = (&one[name], &other[name]);
        match is_nothing(one) == is_nothing(other) {
            true => lacking(one, other).map(|inner| format!("{name}.{inner}")),
            false => Some(name.clone()),
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_only_one_result_shows_is_lacking_whatever_its_name() {
        let lacking = |one: Value, other: Value| Shown::default().lacking(&one, &other);
        let whole = json!({"id": 3, "Contact": {"e-mail": "a@b.example"}, "companyLogo": "l", "score": 0.1});
        assert_eq!(
            lacking(whole.clone(), json!({"companyLogo": "m", "contactMail": ["c"]})),
            None
        );
        for nothing in [json!({}), json!({"e-mail": ""}), json!([]), Value::Null] {
            let other = json!({"id": 3, "Contact": nothing, "companyLogo": "l"});
            assert_eq!(lacking(whole.clone(), other), Some("contact"));
        }
        // What depends on the search may be in one alone.
        assert_eq!(lacking(json!({"match": {"description": "a"}}), json!({"id": 3})), None);
        assert_eq!(lacking(json!({"matched_name": "a", "customers": 3}), json!({})), None);
        // The description of its organization is not that of the product.
        let product = json!({"description": "a", "vendor": {"description": "b"}});
        assert_eq!(
            lacking(product, json!({"vendor": {"description": "b"}})),
            Some("description")
        );
    }
}
