//! How the body of a response departs from its schema. What a check finds because of it names it as its cause.

/// A departure that other findings may follow from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Departure {
    /// The member that is missing or has another type; `None` if nothing of the body can be relied on.
    pub(crate) member: Option<String>,
    /// The cause, as in findings.
    pub(crate) cause: String,
}

/// The member that identifies an item.
pub(crate) const ITEM_ID: &str = "pipeline_item_id";

/// What checks read where an id is missing or has another type, and send in its place.
pub(crate) const READ_INSTEAD_OF_ID: &str = "-1";

/// What checks read where a member is missing or has another type.
const READ_INSTEAD: [(&str, &str); 5] = [
    ("cosine_distance", "NaN"),
    ("total_count", "-1"),
    ("organization_id", READ_INSTEAD_OF_ID),
    ("product_id", READ_INSTEAD_OF_ID),
    (ITEM_ID, READ_INSTEAD_OF_ID),
];

impl Departure {
    /// Whether a finding follows from it: its texts name the member, or show what is read instead.
    pub(crate) fn explains(&self, what: &str, expected: &str, seen: &str) -> bool {
        let Some(member) = self.member.as_deref() else {
            return true;
        };
        let is_read = |word: &str| READ_INSTEAD.contains(&(member, word));
        // A body names many members, whatever is wrong with it.
        let shown = [what, expected, if seen.contains('{') { "" } else { seen }];
        shown
            .into_iter()
            .flat_map(words)
            .any(|word| word == member || is_read(word))
    }
}

/// The words of a text. `"total_count"` is part of a body and `skip=-1` part of a request, so neither names a member.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| !char.is_alphanumeric() && !"_-\"=".contains(char))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn departure_explains_findings_about_its_member_or_replacement() {
        let of = |member: &str| Departure {
            member: Some(member.to_owned()),
            cause: format!("field {member} is missing"),
        };
        for (member, [what, expected, seen], explained) in [
            ("total_count", ["body at /total_count", "5", "null"], true),
            (
                "total_count",
                ["the body", "an object with total_count, results", "200 {}"],
                true,
            ),
            ("total_count", ["the number of results on all pages", "-1", "100"], true),
            (
                "total_count",
                ["the results", "result 0: 1001 at 0.5", "result 0: 1002 at 0.5"],
                false,
            ),
            ("total_count", ["response", "422", "200 {\"total_count\": -1}"], false),
            ("total_count", ["the page with skip=-1", "422", "200"], false),
            ("cosine_distance", ["the results", "1001 at NaN", "1001 at NaN"], true),
            (
                "cosine_distance",
                ["the results", "each record once", "-1 twice"],
                false,
            ),
            ("pipeline_item_id", ["the items", "different items", "[-1,-1]"], true),
        ] {
            assert_eq!(of(member).explains(what, expected, seen), explained, "{member}: {what}");
        }
        let whole = Departure {
            member: None,
            cause: "body is not JSON".to_owned(),
        };
        assert!(whole.explains("the results", "5", "0"));
    }
}
