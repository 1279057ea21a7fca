//! The times of CRM sync: their form, and that they are of the past.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::Value;

use crate::sample::listings;
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;

/// What the time of a sync is.
pub(crate) const LAST_SYNC: &str = "Time of last successful sync";
/// How much the clock that times a sync may be ahead of the clock that dates a response, in minutes. A time of another
/// time zone is off by more.
const CLOCKS_APART: i64 = 5;

/// What the times of syncs are by the source.
const OF_ISO_8601: &str = "a date and time of ISO 8601, such as 2026-03-31T12:00:00Z";

/// The forms of dates in ISO 8601, of calendar days, weeks and days of the year, with 9 for any digit.
const DATES: [&str; 6] = [
    "9999-99-99",
    "99999999",
    "9999-W99-9",
    "9999W999",
    "9999-999",
    "9999999",
];
/// The forms of times of the day.
const TIMES: [&str; 5] = ["99:99:99", "999999", "99:99", "9999", "99"];
/// The forms of time zones.
const ZONES: [&str; 9] = ["", "Z", "z", "+99:99", "-99:99", "+9999", "-9999", "+99", "-99"];

/// Whether a time has the form of RFC 3339, with an offset.
pub fn has_offset(time: &str) -> bool {
    DateTime::parse_from_rfc3339(time).is_ok()
}

/// Whether a text is a date, or a date and a time, in a form of ISO 8601; which one, the source leaves open.
fn is_iso_8601(text: &str) -> bool {
    let shape: String = text
        .chars()
        .map(|letter| if letter.is_ascii_digit() { '9' } else { letter })
        .collect();
    let (date, rest) = match shape.split_once(['T', 't', ' ']) {
        Some((date, rest)) => (date, Some(rest)),
        None => (shape.as_str(), None),
    };
    let is_time = |rest: &str| {
        let zone = rest.find(['Z', 'z', '+', '-']).unwrap_or(rest.len());
        let (time, zone) = rest.split_at(zone);
        let (time, fraction) = time.split_once(['.', ',']).unwrap_or((time, "9"));
        TIMES.contains(&time) && ZONES.contains(&zone) && !fraction.is_empty() && fraction.chars().all(|one| one == '9')
    };
    DATES.contains(&date) && rest.is_none_or(is_time)
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

/// Asserts that no sync of these items is later than the last response that shows them. Returns whether there was a time
/// to compare.
pub(crate) fn assert_past_syncs(probe: &Probe, items: &[Value], page: &HttpResponse) -> bool {
    let Some(latest) = date_moved_by(page, CLOCKS_APART) else {
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
    let expected = format!("at most {CLOCKS_APART} minutes after the Date of the response");
    let seen = format!("{shown}, in a response of {}", page.header("date").unwrap_or_default());
    probe.assert_as(stated, last <= latest, "last_synced_at", expected, seen, &[page]);
    true
}

/// The `Date` of a response, moved by a number of minutes.
fn date_moved_by(response: &HttpResponse, minutes: i64) -> Option<DateTime<FixedOffset>> {
    let date = DateTime::parse_from_rfc2822(response.header("date")?).ok()?;
    date.checked_add_signed(TimeDelta::minutes(minutes))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_of_iso_8601_is_one() {
        for time in [
            "2026-03-31T12:00:00Z",
            "2026-03-31T12:00:00.123456+02:00",
            "2026-03-31T12:00:00",
            "2026-03-31 12:00:00-05",
            "20260331T120000,5Z",
            "2026-W14-2T12:00Z",
            "2026-090",
            "2026-03-31",
        ] {
            assert!(is_iso_8601(time), "{time}");
        }
        for time in [
            "",
            "Tue, 31 Mar 2026 12:00:00 GMT",
            "1774958400",
            "31.03.2026 12:00",
            "03/31/2026",
            "2026-03-31T12:00:00.Z",
            "2026-03-31T12:00:00Z[UTC]",
            "yesterday",
        ] {
            assert!(!is_iso_8601(time), "{time}");
        }
    }
}
