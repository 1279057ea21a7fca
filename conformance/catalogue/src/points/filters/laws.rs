//! Which records filters keep: at their bounds, without the field, with several filters and values.

use std::collections::BTreeSet;

use serde_json::Value;

use super::pages::{bare, large_page, page, same};
use crate::points::observation::{
    ObservationResult, observed, observed_other, observed_value, on_each, rejected_or, unknown_without,
};
use crate::points::{Point, point};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use searches::calls::{Search, ids, results, total_count};
use searches::keeps::{Filters, employee_count, filter, keeping, year};
use searches::seen::{alternatives, most_telling, own_values};

pub(super) fn points(searches: &[Search]) -> Vec<Point> {
    vec![
        point(
            "filter-bounds",
            "Are the bounds of a range inclusive?",
            (
                "included",
                Value::Null,
                "Yes: a range from a value to the same value keeps the records with that value.",
            ),
        )
        .or("excluded", "No: such a range keeps nothing.")
        .found_out("Searches with the founding year of a result as both bounds.")
        .by(on_each(searches, bounds)),
        point(
            "filter-missing-field",
            "Does a record without the filtered field pass the filter?",
            ("left-out", Value::Null, "No, never."),
        )
        .or("kept", "Yes: an unknown value passes.")
        .found_out(
            "Searches with a bound of employees or of founding years that leaves out all but one known value, and with \
             the least and the greatest bound, where a result of the first page lacks the field.",
        )
        .by(on_each(searches, missing_field)),
        point(
            "filters-combined",
            "When there are several filters, which must a record pass?",
            ("all", Value::Null, "All of them."),
        )
        .answered_by(
            "/info",
            "A result passes every filter that is given; for a list, it matches at least one of the values.",
        )
        .or("any", "Any one of them.")
        .found_out("Searches with a country and a founding year where some result has one and not the other.")
        .by(on_each(searches, combined)),
        point(
            "filter-list-values",
            "Which values of a list parameter must a record match?",
            ("any", Value::Null, "Any one of them."),
        )
        .answered_by(
            "/info",
            "A result passes every filter that is given; for a list, it matches at least one of the values.",
        )
        .or("first", "The first: the others are ignored.")
        .or("last", "The last: the others are ignored.")
        .or("all", "All of them: two countries find nothing.")
        .found_out("Searches with two countries together, and with each of them.")
        .by(on_each(searches, list_values)),
        point(
            "search-total",
            "What does the total_count of a search count?",
            (
                "passing",
                Value::Null,
                "All records that pass the filters, on all pages together.",
            ),
        )
        .or("page", "The results on the page.")
        .or("unfiltered", "All records, regardless of the filters.")
        .or("capped", "The records up to the value, and not more.")
        .found_out("Searches with a limit of 1, with and without a founding year.")
        .by(on_each(searches, counted)),
    ]
}

async fn bounds(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let mut years = results(&bare)
        .iter()
        .filter_map(|result| year(search.finds.organization(result)));
    let Some(year) = years.next() else {
        return unknown_without("a result with a founding date");
    };
    let filters = vec![
        ("founded_year_min", year.to_string()),
        ("founded_year_max", year.to_string()),
    ];
    let page = page(&probe, &search, &filters).await?;
    rejected_or(&page, || match total_count(&page) {
        0 => observed("excluded", &[&page]),
        _ if same(&search, &bare, &page) => unknown_without("founding years that change the results"),
        _ => observed("included", &[&page]),
    })
}

/// The value of a field of an organization that two filters compare.
type Field = fn(&Value) -> Option<i64>;

/// Observes the searches whose first page shows a record without the field; they count for all searches. One bound may
/// keep what another leaves out.
async fn missing_field(probe: Probe, search: Search) -> ObservationResult {
    let fields: [(Field, [&str; 2]); 2] = [
        (employee_count, ["employee_count_min", "employee_count_max"]),
        (year, ["founded_year_min", "founded_year_max"]),
    ];
    let bare = probe.ok(large_page(&probe, &search, &Filters::new()).await?)?;
    for (field, [least, most]) in fields {
        let value = |result: &Value| field(search.finds.organization(result));
        let lacking = results(&bare).iter().find(|result| value(result).is_none());
        let known: BTreeSet<_> = results(&bare).iter().filter_map(value).collect();
        let (Some(lacking), Some(first), Some(last)) = (lacking, known.first(), known.last()) else {
            continue;
        };
        if first == last {
            continue;
        }
        // The first two leave out some record whose value is known.
        let bounds = [
            (least, *last),
            (most, *first),
            (least, search.number(least, "minimum")),
            (most, search.number(most, "maximum")),
        ];
        let mut pages = Vec::new();
        for (name, bound) in bounds {
            pages.push(large_page(&probe, &search, &vec![(name, bound.to_string())]).await?);
        }
        let shows = |page: &HttpResponse, other: &i64| results(page).iter().filter_map(value).any(|it| it == *other);
        if shows(&pages[0], first) || shows(&pages[1], last) {
            return unknown_without("bounds that change the results");
        }
        let keeps = |page: &&HttpResponse| ids(search.finds, results(page)).contains(&search.finds.id(lacking));
        let page = pages.iter().find(keeps).unwrap_or(&pages[0]);
        return rejected_or(page, || match keeps(&page) {
            true => observed("kept", &[page, &bare]),
            false => observed("left-out", &[page, &bare]),
        });
    }
    unknown_without("a result that lacks its number of employees or its founding date")
}

async fn combined(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let names = ["countries", "founded_year_max"];
    let records = results(&bare);
    let candidates = records.iter().filter_map(|record| own_values(&search, &names, record));
    let Some(filters) = most_telling(&search, records, candidates) else {
        return unknown_without("results that differ in country and founding year");
    };
    let page = page(&probe, &search, &filters).await?;
    rejected_or(&page, || {
        let passes = [0, 1].map(|one| keeping(search.finds, &filters[one..=one]));
        let (mut all, mut any) = (true, true);
        for record in results(&page) {
            let passed = passes.each_ref().map(|passes| passes(record));
            all &= passed == [true, true];
            any &= passed != [false, false];
        }
        match (all, any) {
            (true, _) => observed("all", &[&page]),
            (false, true) => observed("any", &[&page]),
            _ => observed_other("records that pass neither filter", &[&page]),
        }
    })
}

async fn list_values(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let Some(both) = alternatives(&search, "countries", results(&bare)) else {
        return unknown_without("results of three countries");
    };
    let (first, last) = (vec![both[0].clone()], vec![both[1].clone()]);
    let joined = page(&probe, &search, &both).await?;
    let (one, other) = (
        page(&probe, &search, &first).await?,
        page(&probe, &search, &last).await?,
    );
    rejected_or(&joined, || {
        let evidence = [&joined, &one, &other];
        let total = total_count(&joined);
        match () {
            () if total == total_count(&one) + total_count(&other) => observed("any", &evidence),
            () if same(&search, &joined, &one) => observed("first", &evidence),
            () if same(&search, &joined, &other) => observed("last", &evidence),
            () if total == 0 => observed("all", &evidence),
            () => observed_other("a total that is not the sum of the two", &evidence),
        }
    })
}

async fn counted(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let candidates = results(&bare)
        .iter()
        .filter_map(|record| own_values(&search, &["founded_year_min", "founded_year_max"], record));
    let Some(filters) = most_telling(&search, results(&bare), candidates) else {
        return unknown_without("results of different founding years");
    };
    let all = large_page(&probe, &search, &filters).await?;
    let one = filter(search.call(&probe)?, &filters).query("limit", 1).send().await?;
    rejected_or(&all, || {
        if !results(&all).iter().all(keeping(search.finds, &filters)) {
            return unknown_without("founding years that change the results");
        }
        let seen = i64::try_from(results(&all).len()).unwrap_or(i64::MAX);
        let evidence = [&one, &all];
        match total_count(&one) {
            total if total == seen => observed("passing", &evidence),
            total if total == total_count(&bare) => observed("unfiltered", &evidence),
            1 => observed("page", &evidence),
            total if total > seen => observed("passing", &evidence),
            total if total < seen => observed_value("capped", total, &evidence),
            _ => observed_other("another number", &evidence),
        }
    })
}
