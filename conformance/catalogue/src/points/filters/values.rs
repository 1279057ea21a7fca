//! Which values filters accept.

use serde_json::json;

use super::pages::{bare, page, same};
use crate::points::bound::greatest_accepted;
use crate::points::observation::{ObservationResult, across, observed, observed_other, on_each, rejected_or};
use crate::points::{Point, point};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use searches::calls::{Search, total_count};
use searches::keeps::{Filters, filter};

/// The greatest number of values to send for one list.
const LONGEST_LIST: i64 = 400;

pub(super) fn points(searches: &[Search]) -> Vec<Point> {
    let rejected = |id, question| {
        point(
            id,
            question,
            ("refused", json!(422), "It is rejected with this status."),
        )
        .or("ignored", "The filter is ignored.")
        .or("nothing-found", "It is treated as a value that no record has.")
    };
    let most = searches.first().map(|search| search.number("countries", "maxItems"));
    vec![
        rejected(
            "filter-value-malformed",
            "What is the response to a malformed filter value?",
        )
        .found_out(
            "Searches with countries=norway, funding_stages=rich, founded_year_min=soon, funded_from=2023-02-30 \
                 and headquarters_only=maybe, one at a time.",
        )
        .by(on_each(searches, |probe, search| {
            values(
                probe,
                search,
                &[
                    ("countries", "norway"),
                    ("funding_stages", "rich"),
                    ("founded_year_min", "soon"),
                    ("funded_from", "2023-02-30"),
                    ("headquarters_only", "maybe"),
                ],
            )
        })),
        rejected(
            "filter-number-out-of-range",
            "What is the response to a filter number that is out of range?",
        )
        .found_out("Searches with employee_count_min=-1 and founded_year_max=10000, one at a time.")
        .by(on_each(searches, |probe, search| {
            values(
                probe,
                search,
                &[("employee_count_min", "-1"), ("founded_year_max", "10000")],
            )
        })),
        rejected(
            "filter-values-joined",
            "What happens when two list values are joined by a comma?",
        )
        .or("taken-apart", "They are treated as two values.")
        .found_out("Searches with countries=NO,DK, and with the two values in separate parameters.")
        .by(on_each(searches, joined)),
        point(
            "filter-list-length",
            "How many values may a list parameter have?",
            ("number", json!(most), "At most this many."),
        )
        .or("unbounded", "Any number: no limit was found up to the value.")
        .found_out(
            "Searches with more and more countries, and bisects between the longest accepted list and the \
                 shortest rejected one.",
        )
        .sends(120)
        .by(on_each(searches, list_length)),
        rejected(
            "filter-range-upside-down",
            "What is the response to a minimum above its maximum?",
        )
        .or("turned", "The bounds are swapped.")
        .found_out("Searches with founded_year_min=2020 and founded_year_max=2010.")
        .by(on_each(searches, upside_down)),
    ]
}

/// Observes how odd values are treated, one at a time.
async fn values(probe: Probe, search: Search, odd: &[(&'static str, &str)]) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let named = odd
        .iter()
        .map(|(name, value)| ((*name).to_owned(), vec![(*name, (*value).to_owned())]));
    let (probe, search, bare) = (&probe, &search, &bare);
    across(named, |filters| async move {
        oddity(search, bare, &page(probe, search, &filters).await?)
    })
    .await
}

/// Compares a page with an odd value with the page without it.
fn oddity(search: &Search, bare: &HttpResponse, page: &HttpResponse) -> ObservationResult {
    rejected_or(page, || match () {
        () if same(search, bare, page) => observed("ignored", &[page, bare]),
        () if total_count(page) == 0 => observed("nothing-found", &[page]),
        () => observed_other("other records", &[page, bare]),
    })
}

async fn joined(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let apart: Filters = ["NO", "DK"].map(|country| ("countries", country.to_owned())).into();
    let apart = page(&probe, &search, &apart).await?;
    let joined = page(&probe, &search, &vec![("countries", "NO,DK".to_owned())]).await?;
    match joined.status == 200 && total_count(&joined) > 0 && same(&search, &apart, &joined) {
        true => observed("taken-apart", &[&joined, &apart]),
        false => oddity(&search, &bare, &joined),
    }
}

async fn upside_down(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let range = |least: &str, most: &str| -> Filters {
        vec![
            ("founded_year_min", least.to_owned()),
            ("founded_year_max", most.to_owned()),
        ]
    };
    let turned = page(&probe, &search, &range("2010", "2020")).await?;
    let seen = page(&probe, &search, &range("2020", "2010")).await?;
    match seen.status == 200 && total_count(&seen) > 0 && same(&search, &turned, &seen) {
        true => observed("turned", &[&seen, &turned]),
        false => oddity(&search, &bare, &seen),
    }
}

async fn list_length(probe: Probe, search: Search) -> ObservationResult {
    let most = search.number("countries", "maxItems");
    greatest_accepted(most, LONGEST_LIST, async |count| {
        let count = usize::try_from(count).unwrap_or_default();
        let listed: Filters = std::iter::repeat_n(("countries", "NO".to_owned()), count).collect();
        filter(search.call(&probe)?, &listed).query("limit", 1).send().await
    })
    .await
}
