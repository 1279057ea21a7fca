//! The times of CRM sync: their form, and that they are of the past.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset};
use serde_json::Value;

use crate::sample::listings;
use engine::rules::time::{CLOCKS_APART, OF_ISO_8601, OF_PAST, date_moved_by, is_iso_8601, latest_past};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;

/// What the time of a sync is.
pub(crate) const LAST_SYNC: &str = "Time of last successful sync";
/// Whether a time has the form of RFC 3339, with an offset.
pub fn has_offset(time: &str) -> bool {
    DateTime::parse_from_rfc3339(time).is_ok()
}

pub(crate) async fn sync_times(probe: Probe) -> Outcome {
    let expected = "a date and time as in RFC 3339, such as 2026-03-31T12:00:00Z";
    times(probe, has_offset, expected).await
}

pub(crate) async fn times_of_iso_8601(probe: Probe) -> Outcome {
    times(probe, is_iso_8601, OF_ISO_8601).await
}

/// Asserts that the time of every sync that can be listed has a form.
async fn times(probe: Probe, has_form: fn(&str) -> bool, expected: &str) -> Outcome {
    let mut looked_at = false;
    for listing in listings(&probe).await? {
        let entries = listing.items.iter();
        let entries = entries.flat_map(|item| item["values"].as_object().into_iter().flatten());
        let times = entries.map(|(_, entry)| &entry["last_synced_at"]);
        let times: Vec<_> = times.filter(|time| !time.is_null()).collect();
        let Some(page) = listing.first_page().filter(|_| !times.is_empty()) else {
            continue;
        };
        looked_at = true;
        let wrong = times.iter().find(|time| !time.as_str().is_some_and(has_form));
        let seen = wrong.map_or_else(String::new, |time| time.to_string());
        probe.assert(wrong.is_none(), "last_synced_at", expected, seen, &[page]);
    }
    match looked_at {
        true => Ok(()),
        false => probe.inconclusive("a value with the time of a sync"),
    }
}

/// Asserts that the times of the syncs of one item have a form of ISO 8601, as the source states.
pub(crate) fn assert_iso_8601(probe: &Probe, item: &HttpResponse) {
    let entries = item.body["values"].as_object().into_iter().flatten();
    let times = entries.map(|(column, entry)| (column, &entry["last_synced_at"]));
    let mut wrong = times.filter(|(_, time)| !time.is_null() && !time.as_str().is_some_and(is_iso_8601));
    let first = wrong.next();
    let seen = first.map_or_else(String::new, |(column, time)| format!("{time} of {column}"));
    let stated = Some(BTreeSet::new());
    probe.assert_as(stated, first.is_none(), "last_synced_at", OF_ISO_8601, seen, &[item]);
}

pub(crate) async fn past_syncs(probe: Probe) -> Outcome {
    let mut compared = false;
    for listing in listings(&probe).await? {
        if let Some(page) = listing.pages.last() {
            compared |= assert_past_syncs(&probe, &listing.items, page);
        }
    }
    match compared {
        true => Ok(()),
        false => probe.inconclusive("a response with a Date and a value with the time of a sync"),
    }
}

/// Asserts that no sync of these items is later than the last response that shows them. Returns whether there was a
/// time to compare.
pub(crate) fn assert_past_syncs(probe: &Probe, items: &[Value], page: &HttpResponse) -> bool {
    let Some(latest) = latest_past(page) else {
        return false;
    };
    let entries = items
        .iter()
        .flat_map(|item| item["values"].as_object().into_iter().flatten());
    // A time of another form is another case's.
    let times = entries.filter_map(|(_, entry)| {
        let time = DateTime::parse_from_rfc3339(entry["last_synced_at"].as_str()?).ok()?;
        Some((time, &entry["last_synced_at"]))
    });
    let Some((last, shown)) = times.max_by_key(|(time, _)| *time) else {
        return false;
    };
    // It is stated what the time is.
    let stated = Some(BTreeSet::new());
    let seen = format!("{shown}, in a response of {}", page.header("date").unwrap_or_default());
    probe.assert_as(stated, last <= latest, "last_synced_at", OF_PAST, seen, &[page]);
    true
}

/// Asserts that the first sync of a value is not older than the response that showed that there was none.
pub(crate) fn assert_synced_since(
    probe: &Probe,
    column: &str,
    first: Option<DateTime<FixedOffset>>,
    [before, after]: [&HttpResponse; 2],
) {
    let Some((first, earliest)) = first.zip(date_moved_by(before, -CLOCKS_APART)) else {
        return;
    };
    let what = format!("the first sync of {column}");
    let date = before.header("date").unwrap_or_default();
    let expected = format!("at most {CLOCKS_APART} minutes before {date}, when there had been none");
    probe.assert(first >= earliest, &what, expected, first, &[before, after]);
}
