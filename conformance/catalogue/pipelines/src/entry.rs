//! Asserts the rules for every entry of the values of every item.

use std::collections::BTreeSet;

use crate::sample::listings;
use engine::rules::entry::{RULES, Rule};
use engine::session::Probe;
use engine::session::observed::item_id;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;

/// Asserts every rule for the entries of one item, as a response shows it at one moment.
pub(crate) fn assert_entries(probe: &Probe, item: &HttpResponse) {
    for rule in &RULES {
        let entries = item.body["values"].as_object().into_iter().flatten();
        let mut wrong = entries.filter(|(column, entry)| rule.is_broken(column, entry));
        let first = wrong.next();
        let seen = first.map_or_else(String::new, |(column, entry)| format!("{column} is {entry}"));
        let decisions = Some(rule.decisions(probe.contract()));
        probe.assert_as(
            decisions,
            first.is_none(),
            rule.title,
            "entries that follow it",
            seen,
            &[item],
        );
    }
}

/// Asserts a rule for every entry of every item that can be listed. Each column of a pipeline is one assertion, with
/// the first entry that breaks the rule.
pub(crate) async fn every_entry(probe: Probe, rule: &'static Rule) -> Outcome {
    for listing in listings(&probe).await? {
        let Some(page) = listing.first_page() else {
            continue;
        };
        let entries = || {
            listing.items.iter().flat_map(|item| {
                let entries = item["values"].as_object().into_iter().flatten();
                entries.map(move |(name, entry)| (item_id(item), name, entry))
            })
        };
        for column in entries().map(|(_, name, _)| name).collect::<BTreeSet<_>>() {
            let mine = entries().filter(|(_, name, _)| *name == column);
            let mut wrong = mine.filter(|(_, name, entry)| rule.is_broken(name, entry));
            let first = wrong.next();
            let seen = first.map_or_else(String::new, |(item, _, entry)| {
                format!("item {item} has {entry}, and {} more break the rule", wrong.count())
            });
            probe.assert(
                first.is_none(),
                column,
                "an entry that follows the clause",
                seen,
                &[page],
            );
        }
    }
    Ok(())
}
