//! The filters of a search: which there are, what they keep, and what they take for values.

use serde_json::{Value, json};

use super::bound::greatest_accepted;
use super::sight::{Seen, across, across_searches, refused_or, saw, saw_other, saw_value, untold};
use super::{Point, point};
use crate::search::calls::{Finds, Search, ids, results, total_count};
use crate::search::keeps::{Filters, categories, employee_count, filter, keeps, places, year};
use crate::search::seen::{alternatives, most_telling, own_values};
use engine::session::Probe;
use engine::transport::client::Answer;
use engine::verdict::Stop;

/// The most values that are sent for one list.
const LONGEST_LIST: i64 = 400;

pub(super) fn points() -> Vec<Point> {
    let mut points = of_names();
    points.extend(of_laws());
    points.extend(of_values());
    points
}

fn of_names() -> Vec<Point> {
    let of = |id, question, names: &'static [&'static str]| {
        let keeps = "They are there under the contract's names, and keep what the contract says.";
        point(id, question, ("keeps-what-matches", Value::Null, keeps))
            .or(
                "ignored",
                "They change nothing: it has no such filter, or under another name.",
            )
            .or("refused", "They are refused with this status.")
            .or("keeps-otherwise", "They keep other records.")
            .found_out(
                "Searches with a value that some records of the first page have and some have not.",
            )
            .by(move |probe| across_searches(move |search| named(probe.clone(), search, names)))
    };
    vec![
        of("filter-countries", "Does the filter countries keep records by ISO 3166-1 codes?", &["countries"]).governing([
            "search-filter/countries-*",
        ]),
        of("filter-regions", "Does the filter regions keep records by ISO 3166-2 codes?", &["regions"]).governing(["search-filter/regions-*"]),
        of(
            "filter-employee-count",
            "Do employee_count_min and employee_count_max keep records by their number of employees?",
            &["employee_count_min", "employee_count_max"],
        )
        .governing(["search-filter/employee-count-*"]),
        of(
            "filter-founded-year",
            "Do founded_year_min and founded_year_max keep records by their founding year?",
            &["founded_year_min", "founded_year_max"],
        )
        .governing(["search-filter/founded-year-*"]),
        of(
            "filter-funding-dates",
            "Do funded_from and funded_to keep records by the date of their latest round?",
            &["funded_from", "funded_to"],
        )
        .governing(["search-filter/funded-*"]),
        of("filter-funding-stages", "Does the filter funding_stages keep records by the stage of their latest round?", &["funding_stages"])
            .governing(["search-filter/funding-stages-*"]),
        of("filter-business-types", "Does the filter business_types keep records by product categories?", &["business_types"])
            .governing(["search-filter/business-types-*"]),
    ]
}

fn of_laws() -> Vec<Point> {
    vec![
        point(
            "filter-bounds",
            "Are the bounds of a range within it?",
            ("included", Value::Null, "Yes: a range of one value keeps those of that value."),
        )
        .or("excluded", "No: such a range keeps nothing.")
        .found_out("Searches with the founding year of a result as both bounds.")
        .governing(["search-filter/equal-bounds-keep-what-is-there/*"])
        .by(|probe| across_searches(move |search| bounds(probe.clone(), search))),
        point(
            "filter-missing-field",
            "What does a filter make of a record that lacks what it looks at?",
            ("left-out", Value::Null, "It is never kept."),
        )
        .or("kept", "It is kept: what is not known passes.")
        .found_out("Searches with the widest range of employees or of founding years, where a result of the first page lacks them.")
        .governing(["search-filter/without-*"])
        .by(missing_field),
        point(
            "filters-combined",
            "What has a record to pass when there are several filters?",
            ("all", Value::Null, "Every one of them."),
        )
        .answered_by("/info", "A result passes every filter that is given, and of a list at least one value.")
        .or("any", "One of them.")
        .found_out("Searches with a country and a founding year of which some result has one and not the other.")
        .governing([
            "search-filter/different-filters-hold-together/*",
            "search-total/parts-add-up/*",
            "search-total/tighter-filters-never-find-more/*",
        ])
        .by(|probe| across_searches(move |search| combined(probe.clone(), search))),
        point(
            "filter-list-values",
            "What has a record to pass of the values of one list?",
            ("any", Value::Null, "One of them."),
        )
        .answered_by("/info", "A result passes every filter that is given, and of a list at least one value.")
        .or("first", "The first: the others are ignored.")
        .or("last", "The last: the others are ignored.")
        .or("all", "All of them: two countries find nothing.")
        .found_out("Searches with two countries, and with each of them.")
        .governing(["search-total/alternatives-add-up/*"])
        .by(|probe| across_searches(move |search| list_values(probe.clone(), search))),
        point(
            "search-total",
            "What does total_count of a search count?",
            ("passing", Value::Null, "All that pass the filters, on all pages together."),
        )
        .or("page", "The results of the page.")
        .or("unfiltered", "All records, whatever the filters.")
        .or("capped", "No more than the value.")
        .found_out("Searches with a limit of 1, with and without a founding year.")
        .governing(["search-total/filtered-pages-join/*"])
        .by(|probe| across_searches(move |search| counted(probe.clone(), search))),
        point(
            "headquarters-only-false",
            "Which locations count for countries when headquarters_only is false?",
            ("any-location", Value::Null, "Any, the headquarters included."),
        )
        .or("headquarters", "The headquarters alone: it changes nothing.")
        .or("refused", "It is refused with this status.")
        .found_out("Searches for the country of another office of a result, with and without it.")
        .governing(["search-headquarters/false-*"])
        .by(|probe| across_searches(move |search| any_location(probe.clone(), search))),
        point(
            "headquarters-only-default",
            "What is headquarters_only when it is left out?",
            ("true", Value::Null, "True: only the headquarters count for countries and regions."),
        )
        .or("false", "False: any location counts.")
        .or("refused", "It cannot be left out: the search is refused with this status.")
        .found_out("Searches for the country of another office of a result, with true, with false and with neither.")
        .governing(["search-headquarters/default-is-true/*"])
        .by(|probe| across_searches(move |search| by_default(probe.clone(), search))),
        point(
            "headquarters-only-alone",
            "What does headquarters_only do without a filter on places?",
            ("nothing", Value::Null, "Nothing."),
        )
        .or("something", "It finds other records.")
        .or("refused", "It is refused with this status.")
        .found_out("Searches with headquarters_only=false, and without it.")
        .governing(["search-headquarters/alone-*"])
        .by(|probe| across_searches(move |search| alone(probe.clone(), search))),
    ]
}

fn of_values() -> Vec<Point> {
    let refused = |id, question| {
        point(
            id,
            question,
            ("refused", json!(422), "It is refused with this status."),
        )
        .or("ignored", "The filter is left out.")
        .or(
            "nothing-found",
            "It is taken for a value that no record has.",
        )
    };
    let most = Search::all()
        .first()
        .map(|search| search.number("countries", "maxItems"));
    vec![
        refused("filter-value-malformed", "What becomes of a value of a filter that is of another form?")
            .found_out("Searches with countries=norway, funding_stages=rich, founded_year_min=soon, funded_from=2023-02-30 and headquarters_only=maybe, one at a time.")
            .governing([
                "search-values/lists-malformed-values-are-rejected/*",
                "search-values/numbers-malformed-are-rejected/*",
                "search-values/dates-*",
                "search-values/flag-malformed-is-rejected/*",
            ])
            .by(|probe| values(probe, &[("countries", "norway"), ("funding_stages", "rich"), ("founded_year_min", "soon"), ("funded_from", "2023-02-30"), ("headquarters_only", "maybe")])),
        refused("filter-number-out-of-range", "What becomes of a number of a filter that is out of range?")
            .found_out("Searches with employee_count_min=-1 and founded_year_max=10000, one at a time.")
            .governing(["search-values/numbers-below-*", "search-values/numbers-over-*", "search-values/numbers-at-*"])
            .by(|probe| values(probe, &[("employee_count_min", "-1"), ("founded_year_max", "10000")])),
        refused("filter-values-joined", "What becomes of two values of a list that are joined by a comma?")
            .or("taken-apart", "They are two values.")
            .found_out("Searches with countries=NO,DK, and with both apart.")
            .governing(["search-values/lists-joined-by-commas-are-rejected/*"])
            .by(|probe| across_searches(move |search| joined(probe.clone(), search))),
        point("filter-list-length", "How many values may a list have?", ("number", json!(most), "So many, and no more."))
            .or("unbounded", "Any number: no bound was found up to the value.")
            .found_out("Searches with more and more countries, and halves what is left between.")
            .sends(120)
            .governing(["search-values/lists-of-*"])
            .by(|probe| across_searches(move |search| list_length(probe.clone(), search))),
        refused("filter-range-upside-down", "What becomes of a minimum above its maximum?")
            .or("turned", "It is read the other way round.")
            .found_out("Searches with founded_year_min=2020 and founded_year_max=2010.")
            .governing(["search-values/ranges-upside-down-are-rejected/*"])
            .by(|probe| across_searches(move |search| upside_down(probe.clone(), search))),
    ]
}

/// The first page of a search with filters.
async fn page(probe: &Probe, search: Search, filters: &Filters) -> Result<Answer, Stop> {
    filter(search.call(probe)?, filters).send().await
}

/// As large a page of a search with filters as the contract has, or as the deployment gives by itself.
async fn large_page(probe: &Probe, search: Search, filters: &Filters) -> Result<Answer, Stop> {
    let limit = search.number("limit", "maximum");
    let call = filter(search.call(probe)?, filters).query("limit", limit);
    let large = call.send().await?;
    match large.status {
        200 => Ok(large),
        _ => page(probe, search, filters).await,
    }
}

/// The first page of a search without filters.
async fn bare(probe: &Probe, search: Search) -> Result<Answer, Stop> {
    let page = probe.ok(search.call(probe)?.send().await?)?;
    match results(&page).len() {
        0 => Err(Stop::Inconclusive(
            "a search that finds a record".to_owned(),
        )),
        _ => Ok(page),
    }
}

fn same(search: Search, one: &Answer, other: &Answer) -> bool {
    ids(search.finds, results(one)) == ids(search.finds, results(other))
        && total_count(one) == total_count(other)
}

/// What a filtered page is, compared with the page without filters.
fn effect(search: Search, filters: &Filters, bare: &Answer, page: &Answer) -> Seen {
    refused_or(page, || {
        let fits = |record: &Value| keeps(search.finds, filters, record);
        match () {
            () if same(search, bare, page) => saw("ignored", &[page, bare]),
            () if results(page).iter().all(fits) && !results(page).is_empty() => {
                saw("keeps-what-matches", &[page])
            }
            () => saw("keeps-otherwise", &[page, bare]),
        }
    })
}

async fn named(probe: Probe, search: Search, names: &'static [&'static str]) -> Seen {
    let bare = bare(&probe, search).await?;
    let named: Vec<_> = names
        .iter()
        .map(|name| ((*name).to_owned(), *name))
        .collect();
    across(named, |name| {
        let (probe, bare) = (probe.clone(), bare.clone());
        async move {
            if name == "business_types" && search.finds == Finds::Organizations {
                return of_categories(&probe, search, &bare).await;
            }
            let records = results(&bare);
            let candidates = records
                .iter()
                .filter_map(|record| own_values(search, &[name], record));
            let Some(filters) = most_telling(search, records, candidates) else {
                return untold(format!(
                    "results of the first page that differ in what {name} looks at"
                ));
            };
            let page = page(&probe, search, &filters).await?;
            effect(search, &filters, &bare, &page)
        }
    })
    .await
}

/// An organization does not show its categories; a product does, and its organization with it.
async fn of_categories(probe: &Probe, search: Search, bare: &Answer) -> Seen {
    let Some(for_products) = Search::by_description(Finds::Products) else {
        return untold("a search for products by description");
    };
    let products = probe.ok(for_products.call(probe)?.send().await?)?;
    let mut offered = results(&products).iter().filter_map(|product| {
        Some((
            (*categories(product).first()?).to_owned(),
            product["organization"]["organization_id"].as_i64()?,
        ))
    });
    let Some((category, organization)) = offered.next() else {
        return untold("a product with a category and an organization");
    };
    let filters = vec![("business_types", category)];
    let found = page(probe, search, &filters).await?;
    refused_or(&found, || {
        let kept = ids(search.finds, results(&found)).contains(&organization);
        let all = i64::try_from(results(&found).len()).unwrap_or(i64::MAX) >= total_count(&found);
        match () {
            () if same(search, bare, &found) => saw("ignored", &[&found, bare]),
            () if kept || (!all && total_count(&found) < total_count(bare)) => {
                saw("keeps-what-matches", &[&found])
            }
            // A search by customers leaves out whoever has none that are known.
            () if !results(&found).is_empty() && total_count(&found) < total_count(bare) => {
                saw("keeps-what-matches", &[&found])
            }
            () => saw("keeps-otherwise", &[&found, bare]),
        }
    })
}

async fn bounds(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let mut years = results(&bare)
        .iter()
        .filter_map(|result| year(search.finds.organization(result)));
    let Some(year) = years.next() else {
        return untold("a result with a founding date");
    };
    let filters = vec![
        ("founded_year_min", year.to_string()),
        ("founded_year_max", year.to_string()),
    ];
    let page = page(&probe, search, &filters).await?;
    refused_or(&page, || match total_count(&page) {
        0 => saw("excluded", &[&page]),
        _ => saw("included", &[&page]),
    })
}

/// Whether an organization lacks a field.
type Lacks = fn(&Value) -> bool;

/// The searches whose first page shows it tell for all.
async fn missing_field(probe: Probe) -> Seen {
    let fields: [(Lacks, [&str; 2]); 2] = [
        (
            |organization| employee_count(organization).is_none(),
            ["employee_count_min", "employee_count_max"],
        ),
        (
            |organization| year(organization).is_none(),
            ["founded_year_min", "founded_year_max"],
        ),
    ];
    across_searches(move |search| {
        let probe = probe.clone();
        async move {
            let bare = probe.ok(large_page(&probe, search, &Filters::new()).await?)?;
            for (lacks, [least, most]) in fields {
                let lacking = results(&bare)
                    .iter()
                    .find(|result| lacks(search.finds.organization(result)));
                let Some(lacking) = lacking else { continue };
                let filters: Filters = vec![
                    (least, search.number(least, "minimum").to_string()),
                    (most, search.number(most, "maximum").to_string()),
                ];
                let page = large_page(&probe, search, &filters).await?;
                return refused_or(&page, || {
                    match ids(search.finds, results(&page)).contains(&search.finds.id(lacking)) {
                        true => saw("kept", &[&page, &bare]),
                        false => saw("left-out", &[&page, &bare]),
                    }
                });
            }
            untold("a result that lacks its number of employees or its founding date")
        }
    })
    .await
}

async fn combined(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let names = ["countries", "founded_year_max"];
    let records = results(&bare);
    let candidates = records
        .iter()
        .filter_map(|record| own_values(search, &names, record));
    let Some(filters) = most_telling(search, records, candidates) else {
        return untold("results that differ in country and founding year");
    };
    let page = page(&probe, search, &filters).await?;
    refused_or(&page, || {
        let passes =
            |record: &Value, one: usize| keeps(search.finds, &vec![filters[one].clone()], record);
        let (mut all, mut any) = (true, true);
        for record in results(&page) {
            all &= passes(record, 0) && passes(record, 1);
            any &= passes(record, 0) || passes(record, 1);
        }
        match (all, any) {
            (true, _) => saw("all", &[&page]),
            (false, true) => saw("any", &[&page]),
            _ => saw_other("records that pass none of them", &[&page]),
        }
    })
}

async fn list_values(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let Some(both) = alternatives(search, "countries", results(&bare)) else {
        return untold("results of three countries");
    };
    let (first, last) = (vec![both[0].clone()], vec![both[1].clone()]);
    let joined = page(&probe, search, &both).await?;
    let (one, other) = (
        page(&probe, search, &first).await?,
        page(&probe, search, &last).await?,
    );
    refused_or(&joined, || {
        let evidence = [&joined, &one, &other];
        let total = total_count(&joined);
        match () {
            () if total == total_count(&one) + total_count(&other) => saw("any", &evidence),
            () if same(search, &joined, &one) => saw("first", &evidence),
            () if same(search, &joined, &other) => saw("last", &evidence),
            () if total == 0 => saw("all", &evidence),
            () => saw_other("a total that is not the sum of both", &evidence),
        }
    })
}

async fn counted(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let candidates = results(&bare)
        .iter()
        .filter_map(|record| own_values(search, &["founded_year_min", "founded_year_max"], record));
    let Some(filters) = most_telling(search, results(&bare), candidates) else {
        return untold("results of different founding years");
    };
    let all = large_page(&probe, search, &filters).await?;
    let one = filter(search.call(&probe)?, &filters)
        .query("limit", 1)
        .send()
        .await?;
    refused_or(&all, || {
        let seen = i64::try_from(results(&all).len()).unwrap_or(i64::MAX);
        let evidence = [&one, &all];
        match total_count(&one) {
            total if total == seen => saw("passing", &evidence),
            total if total == total_count(&bare) => saw("unfiltered", &evidence),
            1 => saw("page", &evidence),
            total if total > seen => saw("passing", &evidence),
            total if total < seen => saw_value("capped", total, &evidence),
            _ => saw_other("another number", &evidence),
        }
    })
}

/// A country in which some result has an office, and not its headquarters.
async fn country_of_an_office(probe: &Probe, search: Search) -> Result<String, Stop> {
    let bare = probe.ok(large_page(probe, search, &Filters::new()).await?)?;
    let elsewhere = results(&bare).iter().find_map(|result| {
        let organization = search.finds.organization(result);
        let mine = places(organization, "country", true);
        let all = places(organization, "country", false);
        let other = all.into_iter().find(|country| !mine.contains(country))?;
        Some(other.to_owned())
    });
    let lacking = "an organization with an office outside the country of its headquarters";
    elsewhere.ok_or_else(|| Stop::Inconclusive(lacking.to_owned()))
}

async fn by_default(probe: Probe, search: Search) -> Seen {
    let bare: Filters = vec![("countries", country_of_an_office(&probe, search).await?)];
    let with = |value: &str| {
        let mut filters = bare.clone();
        filters.push(("headquarters_only", value.to_owned()));
        filters
    };
    let unset = page(&probe, search, &bare).await?;
    let (set, cleared) = (
        page(&probe, search, &with("true")).await?,
        page(&probe, search, &with("false")).await?,
    );
    refused_or(&unset, || {
        match (same(search, &unset, &set), same(search, &unset, &cleared)) {
            (true, true) => untold("a search that headquarters_only makes a difference to"),
            (true, false) => saw("true", &[&unset, &set]),
            (false, true) => saw("false", &[&unset, &cleared]),
            (false, false) => saw_other("neither", &[&unset, &set, &cleared]),
        }
    })
}

async fn any_location(probe: Probe, search: Search) -> Seen {
    let narrow: Filters = vec![("countries", country_of_an_office(&probe, search).await?)];
    let mut wide = narrow.clone();
    wide.push(("headquarters_only", "false".to_owned()));
    let (narrow, wide) = (
        page(&probe, search, &narrow).await?,
        page(&probe, search, &wide).await?,
    );
    refused_or(&wide, || match total_count(&wide) > total_count(&narrow) {
        true => saw("any-location", &[&wide, &narrow]),
        false => saw("headquarters", &[&wide, &narrow]),
    })
}

async fn alone(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let page = page(
        &probe,
        search,
        &vec![("headquarters_only", "false".to_owned())],
    )
    .await?;
    refused_or(&page, || match same(search, &bare, &page) {
        true => saw("nothing", &[&page, &bare]),
        false => saw("something", &[&page, &bare]),
    })
}

/// What becomes of odd values, one at a time, in every search.
async fn values(probe: Probe, odd: &'static [(&'static str, &'static str)]) -> Seen {
    across_searches(move |search| {
        let probe = probe.clone();
        async move {
            let bare = bare(&probe, search).await?;
            let named = odd
                .iter()
                .map(|(name, value)| ((*name).to_owned(), vec![(*name, (*value).to_owned())]));
            let named: Vec<_> = named.collect();
            across(named, |filters| {
                let (probe, bare) = (&probe, &bare);
                async move { oddity(search, bare, &page(probe, search, &filters).await?) }
            })
            .await
        }
    })
    .await
}

/// What became of an odd value.
fn oddity(search: Search, bare: &Answer, page: &Answer) -> Seen {
    refused_or(page, || match () {
        () if same(search, bare, page) => saw("ignored", &[page, bare]),
        () if total_count(page) == 0 => saw("nothing-found", &[page]),
        () => saw_other("it finds other records", &[page, bare]),
    })
}

async fn joined(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let apart: Filters = ["NO", "DK"]
        .map(|country| ("countries", country.to_owned()))
        .into();
    let apart = page(&probe, search, &apart).await?;
    let joined = page(&probe, search, &vec![("countries", "NO,DK".to_owned())]).await?;
    match joined.status == 200 && total_count(&joined) > 0 && same(search, &apart, &joined) {
        true => saw("taken-apart", &[&joined, &apart]),
        false => oddity(search, &bare, &joined),
    }
}

async fn upside_down(probe: Probe, search: Search) -> Seen {
    let bare = bare(&probe, search).await?;
    let range = |least: &str, most: &str| -> Filters {
        vec![
            ("founded_year_min", least.to_owned()),
            ("founded_year_max", most.to_owned()),
        ]
    };
    let turned = page(&probe, search, &range("2010", "2020")).await?;
    let seen = page(&probe, search, &range("2020", "2010")).await?;
    match seen.status == 200 && total_count(&seen) > 0 && same(search, &turned, &seen) {
        true => saw("turned", &[&seen, &turned]),
        false => oddity(search, &bare, &seen),
    }
}

async fn list_length(probe: Probe, search: Search) -> Seen {
    let most = search.number("countries", "maxItems");
    greatest_accepted(most, LONGEST_LIST, async |count| {
        let count = usize::try_from(count).unwrap_or_default();
        let listed: Filters = std::iter::repeat_n(("countries", "NO".to_owned()), count).collect();
        filter(search.call(&probe)?, &listed)
            .query("limit", 1)
            .send()
            .await
    })
    .await
}
