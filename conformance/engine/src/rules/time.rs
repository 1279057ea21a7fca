//! The times of CRM sync: their form, and the clock that they are compared with.

use chrono::{DateTime, FixedOffset, NaiveDate, TimeDelta, Utc, Weekday};

use crate::transport::response::HttpResponse;

/// The form of the times of syncs, according to the source.
pub const OF_ISO_8601: &str = "an ISO 8601 date and time, such as 2026-03-31T12:00:00Z";

/// How much the clock that times a sync may be ahead of the clock that dates a response, in minutes. A time of another
/// time zone is off by more.
pub const CLOCKS_APART: i64 = 5;

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

/// Whether a text is a date, or a date and a time, in a form of ISO 8601. The source leaves open which form.
pub fn is_iso_8601(text: &str) -> bool {
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
    let has_form = DATES.contains(&date) && rest.is_none_or(is_time);
    // All of it is ASCII then, and as long as its form.
    has_form && {
        let (date, time) = text.split_at(date.len());
        is_in_the_calendar(date) && is_on_the_clock(time.get(1..).unwrap_or_default())
    }
}

/// Whether a date in one of the forms is a day of the calendar.
fn is_in_the_calendar(date: &str) -> bool {
    let is_of_week = date.contains('W');
    let digits: String = date.chars().filter(char::is_ascii_digit).collect();
    let number = |from: usize, to: usize| digits[from..to].parse::<u32>().unwrap_or_default();
    let year = digits[..4].parse().unwrap_or_default();
    let day = match (is_of_week, digits.len()) {
        (true, _) => {
            let day = u8::try_from(number(6, 7)).ok().and_then(|day| day.checked_sub(1));
            let day = day.and_then(|day| Weekday::try_from(day).ok());
            day.and_then(|day| NaiveDate::from_isoywd_opt(year, number(4, 6), day))
        }
        (false, 7) => NaiveDate::from_yo_opt(year, number(4, 7)),
        (false, _) => NaiveDate::from_ymd_opt(year, number(4, 6), number(6, 8)),
    };
    day.is_some()
}

/// Whether a time in one of the forms is one of a day, with at most a leap second. An empty text is.
fn is_on_the_clock(time: &str) -> bool {
    let end = time.find(['.', ',', 'Z', 'z', '+', '-']).unwrap_or(time.len());
    let digits: String = time[..end].chars().filter(char::is_ascii_digit).collect();
    let parts = digits
        .as_bytes()
        .chunks(2)
        .map(|part| str::from_utf8(part).unwrap_or_default());
    parts
        .zip([24, 59, 60])
        .all(|(part, most)| part.parse::<u8>().is_ok_and(|part| part <= most))
}

/// The `Date` of a response, moved by a number of minutes.
pub fn date_moved_by(response: &HttpResponse, minutes: i64) -> Option<DateTime<FixedOffset>> {
    let date = DateTime::parse_from_rfc2822(response.header("date")?).ok()?;
    date.checked_add_signed(TimeDelta::minutes(minutes))
}

/// The latest time that may be past, when a response is received: some minutes after its `Date`, or after the time of
/// this machine if that is later. A gateway may have a wrong clock. `None` without a `Date`.
pub fn latest_past(response: &HttpResponse) -> Option<DateTime<FixedOffset>> {
    let date = date_moved_by(response, CLOCKS_APART)?;
    let here = Utc::now() + TimeDelta::minutes(CLOCKS_APART);
    Some(date.max(here.fixed_offset()))
}

/// The expectation for such a time.
pub const OF_PAST: &str = "a time in the past";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_iso_8601_form_is_a_time() {
        for time in [
            "2026-03-31T12:00:00Z",
            "2026-03-31T12:00:00.123456+02:00",
            "2026-03-31T12:00:00",
            "2026-03-31 12:00:00-05",
            "20260331T120000,5Z",
            "2026-W14-2T12:00Z",
            "2026-090",
            "2026-03-31T23:59:60Z",
            "20260331",
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
            "2026-00-31T12:00:00Z",
            "2026-02-30",
            "2026-W54-1",
            "2026-366",
            "2026-03-31T25:00:00Z",
            "2026-03-31T12:60:00Z",
        ] {
            assert!(!is_iso_8601(time), "{time}");
        }
    }
}
