//! Points about the filters of a search: which ones exist, which records they keep, and which values they accept.

use serde_json::{Value, json};

use super::bound::greatest_accepted;
use super::observation::{
    ObservationResult, across, observed, observed_other, observed_value, on_each, rejected_or, unknown_without,
};
use super::{Point, point};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use platform_contract::Contract;
use searches::calls::{Finds, Search, ids, results, total_count};
use searches::keeps::{Filters, categories, employee_count, filter, keeping, places, year};
use searches::seen::{alternatives, most_telling, own_values};

/// The greatest number of values to send for one list.
const LONGEST_LIST: i64 = 400;

pub(super) fn points(contract: &Contract) -> Vec<Point> {
    let searches = Search::all(contract);
    let mut points = of_names(&searches);
    points.extend(of_laws(&searches));
    points.extend(of_values(&searches));
    points
}

fn of_names(searches: &[Search]) -> Vec<Point> {
    let of = |id, question, names: &'static [&'static str]| {
        let keeps = "They exist under the contract's names and keep the records that the contract describes.";
        point(id, question, ("keeps-what-matches", Value::Null, keeps))
            .or(
                "ignored",
                "They change nothing: the search has no such filter, or has it under another name.",
            )
            .or("refused", "They are rejected with this status.")
            .or("keeps-otherwise", "They keep other records.")
            .found_out("Searches with a value that some records of the first page have and others do not.")
            .by(on_each(searches, move |probe, search| named(probe, search, names)))
    };
    vec![
        of(
            "filter-countries",
            "Does the filter countries keep records by ISO 3166-1 codes?",
            &["countries"],
        ),
        of(
            "filter-regions",
            "Does the filter regions keep records by ISO 3166-2 codes?",
            &["regions"],
        ),
        of(
            "filter-employee-count",
            "Do employee_count_min and employee_count_max keep records by their number of employees?",
            &["employee_count_min", "employee_count_max"],
        ),
        of(
            "filter-founded-year",
            "Do founded_year_min and founded_year_max keep records by their founding year?",
            &["founded_year_min", "founded_year_max"],
        ),
        of(
            "filter-funding-dates",
            "Do funded_from and funded_to keep records by the date of their latest round?",
            &["funded_from", "funded_to"],
        ),
        of(
            "filter-funding-stages",
            "Does the filter funding_stages keep records by the stage of their latest round?",
            &["funding_stages"],
        ),
        of(
            "filter-business-types",
            "Does the filter business_types keep records by product categories?",
            &["business_types"],
        ),
    ]
}

fn of_laws(searches: &[Search]) -> Vec<Point> {
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
            "What does a filter do with a record that lacks the field that it compares?",
            ("left-out", Value::Null, "It never keeps the record."),
        )
        .or("kept", "It keeps the record: an unknown value passes.")
        .found_out(
            "Searches with the least and with the greatest bound of employees or of founding years, where a result of \
             the first page lacks the field.",
        )
        .by(on_each(searches, missing_field)),
        point(
            "filters-combined",
            "Which filters does a record have to pass when there are several?",
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
            "Which values of one list does a record have to match?",
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
            "What does total_count of a search count?",
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
        point(
            "headquarters-only-false",
            "Which locations count for countries when headquarters_only is false?",
            ("any-location", Value::Null, "Any location, including the headquarters."),
        )
        .or("headquarters", "Only the headquarters: the parameter changes nothing.")
        .or("refused", "The search is rejected with this status.")
        .found_out("Searches for the country of another office of a result, with and without headquarters_only=false.")
        .by(on_each(searches, any_location)),
        point(
            "headquarters-only-default",
            "What is the default of headquarters_only?",
            (
                "true",
                Value::Null,
                "True: only the headquarters count for countries and regions.",
            ),
        )
        .or("false", "False: any location counts.")
        .or(
            "refused",
            "There is none: without it the search is rejected with this status.",
        )
        .found_out(
            "Searches for the country of another office of a result, with true, with false, and without the parameter.",
        )
        .by(on_each(searches, by_default)),
        point(
            "headquarters-only-alone",
            "What does headquarters_only do without a filter on places?",
            ("nothing", Value::Null, "Nothing."),
        )
        .or("something", "The search finds other records.")
        .or("refused", "The search is rejected with this status.")
        .found_out("Searches with headquarters_only=false, and without it.")
        .by(on_each(searches, alone)),
    ]
}

fn of_values(searches: &[Search]) -> Vec<Point> {
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
            "How is a filter value of the wrong form treated?",
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
            "How is a filter number that is out of range treated?",
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
            "How are two values of a list that are joined by a comma treated?",
        )
        .or("taken-apart", "They are treated as two values.")
        .found_out("Searches with countries=NO,DK, and with the two values in separate parameters.")
        .by(on_each(searches, joined)),
        point(
            "filter-list-length",
            "How many values may a list have?",
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
            "How is a minimum above its maximum treated?",
        )
        .or("turned", "The bounds are swapped.")
        .found_out("Searches with founded_year_min=2020 and founded_year_max=2010.")
        .by(on_each(searches, upside_down)),
    ]
}

/// Returns the first page of a search with filters.
async fn page(probe: &Probe, search: &Search, filters: &Filters) -> Result<HttpResponse, Stop> {
    filter(search.call(probe)?, filters).send().await
}

/// Returns the largest page of a search with filters that the contract allows, or the deployment's default page.
async fn large_page(probe: &Probe, search: &Search, filters: &Filters) -> Result<HttpResponse, Stop> {
    let limit = search.number("limit", "maximum");
    let call = filter(search.call(probe)?, filters).query("limit", limit);
    let large = call.send().await?;
    match large.status {
        200 => Ok(large),
        _ => page(probe, search, filters).await,
    }
}

/// Returns the first page of a search without filters.
async fn bare(probe: &Probe, search: &Search) -> Result<HttpResponse, Stop> {
    let page = probe.ok(search.call(probe)?.send().await?)?;
    match results(&page).len() {
        0 => Err(Stop::Inconclusive("a search that finds a record".to_owned())),
        _ => Ok(page),
    }
}

fn same(search: &Search, one: &HttpResponse, other: &HttpResponse) -> bool {
    ids(search.finds, results(one)) == ids(search.finds, results(other)) && total_count(one) == total_count(other)
}

/// Compares a filtered page with the page without filters.
fn effect(search: &Search, filters: &Filters, bare: &HttpResponse, page: &HttpResponse) -> ObservationResult {
    rejected_or(page, || {
        let fits = keeping(search.finds, filters);
        match () {
            () if same(search, bare, page) => observed("ignored", &[page, bare]),
            () if results(page).iter().all(fits) && !results(page).is_empty() => {
                observed("keeps-what-matches", &[page])
            }
            () => observed("keeps-otherwise", &[page, bare]),
        }
    })
}

async fn named(probe: Probe, search: Search, names: &'static [&'static str]) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let named = names.iter().map(|name| ((*name).to_owned(), *name));
    let (probe, search, bare) = (&probe, &search, &bare);
    across(named, |name| async move {
        if name == "business_types" && search.finds == Finds::Organizations {
            return of_categories(probe, search, bare).await;
        }
        let records = results(bare);
        let candidates = records.iter().filter_map(|record| own_values(search, &[name], record));
        let Some(filters) = most_telling(search, records, candidates) else {
            return unknown_without(format!("results of the first page that differ in the field of {name}"));
        };
        let page = page(probe, search, &filters).await?;
        effect(search, &filters, bare, &page)
    })
    .await
}

/// Tests `business_types` through a product and its organization, since an organization does not show its categories.
async fn of_categories(probe: &Probe, search: &Search, bare: &HttpResponse) -> ObservationResult {
    let Some(for_products) = Search::by_description(probe.contract(), Finds::Products) else {
        return unknown_without("a search for products by description");
    };
    let products = probe.ok(for_products.call(probe)?.send().await?)?;
    let mut offered = results(&products).iter().filter_map(|product| {
        Some((
            categories(product).next()?.to_owned(),
            product["organization"]["organization_id"].as_i64()?,
        ))
    });
    let Some((category, organization)) = offered.next() else {
        return unknown_without("a product with a category and an organization");
    };
    let filters = vec![("business_types", category)];
    let found = page(probe, search, &filters).await?;
    rejected_or(&found, || {
        let kept = ids(search.finds, results(&found)).contains(&organization);
        let all = i64::try_from(results(&found).len()).unwrap_or(i64::MAX) >= total_count(&found);
        match () {
            () if same(search, bare, &found) => observed("ignored", &[&found, bare]),
            () if kept || (!all && total_count(&found) < total_count(bare)) => {
                observed("keeps-what-matches", &[&found])
            }
            // A search by customers leaves out organizations whose customers are unknown.
            () if !results(&found).is_empty() && total_count(&found) < total_count(bare) => {
                observed("keeps-what-matches", &[&found])
            }
            () => observed("keeps-otherwise", &[&found, bare]),
        }
    })
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

/// Whether an organization lacks a field.
type Lacks = fn(&Value) -> bool;

/// Observes the searches whose first page shows such a record; they count for all searches.
async fn missing_field(probe: Probe, search: Search) -> ObservationResult {
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
    let bare = probe.ok(large_page(&probe, &search, &Filters::new()).await?)?;
    for (lacks, [least, most]) in fields {
        let lacking = results(&bare)
            .iter()
            .find(|result| lacks(search.finds.organization(result)));
        let Some(lacking) = lacking else { continue };
        let from_least = vec![(least, search.number(least, "minimum").to_string())];
        let up_to_most = vec![(most, search.number(most, "maximum").to_string())];
        let pages = [
            large_page(&probe, &search, &from_least).await?,
            large_page(&probe, &search, &up_to_most).await?,
        ];
        let keeps = |page: &&HttpResponse| ids(search.finds, results(page)).contains(&search.finds.id(lacking));
        // One bound may keep what the other leaves out.
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

/// Returns a country in which some result has an office other than its headquarters.
async fn country_of_an_office(probe: &Probe, search: &Search) -> Result<String, Stop> {
    let bare = probe.ok(large_page(probe, search, &Filters::new()).await?)?;
    let elsewhere = results(&bare).iter().find_map(|result| {
        let organization = search.finds.organization(result);
        let mine: Vec<_> = places(organization, "country", true).collect();
        let mut all = places(organization, "country", false);
        let other = all.find(|country| !mine.contains(country))?;
        Some(other.to_owned())
    });
    let lacking = "an organization with an office outside the country of its headquarters";
    elsewhere.ok_or_else(|| Stop::Inconclusive(lacking.to_owned()))
}

async fn by_default(probe: Probe, search: Search) -> ObservationResult {
    let bare: Filters = vec![("countries", country_of_an_office(&probe, &search).await?)];
    let with = |value: &str| {
        let mut filters = bare.clone();
        filters.push(("headquarters_only", value.to_owned()));
        filters
    };
    let unset = page(&probe, &search, &bare).await?;
    let (set, cleared) = (
        page(&probe, &search, &with("true")).await?,
        page(&probe, &search, &with("false")).await?,
    );
    rejected_or(&unset, || {
        match (same(&search, &unset, &set), same(&search, &unset, &cleared)) {
            (true, true) => unknown_without("a search whose results depend on headquarters_only"),
            (true, false) => observed("true", &[&unset, &set]),
            (false, true) => observed("false", &[&unset, &cleared]),
            (false, false) => observed_other("neither", &[&unset, &set, &cleared]),
        }
    })
}

async fn any_location(probe: Probe, search: Search) -> ObservationResult {
    let narrow: Filters = vec![("countries", country_of_an_office(&probe, &search).await?)];
    let mut wide = narrow.clone();
    wide.push(("headquarters_only", "false".to_owned()));
    let (narrow, wide) = (
        page(&probe, &search, &narrow).await?,
        page(&probe, &search, &wide).await?,
    );
    rejected_or(&wide, || match total_count(&wide) > total_count(&narrow) {
        true => observed("any-location", &[&wide, &narrow]),
        false => observed("headquarters", &[&wide, &narrow]),
    })
}

async fn alone(probe: Probe, search: Search) -> ObservationResult {
    let bare = bare(&probe, &search).await?;
    let page = page(&probe, &search, &vec![("headquarters_only", "false".to_owned())]).await?;
    rejected_or(&page, || match same(&search, &bare, &page) {
        true => observed("nothing", &[&page, &bare]),
        false => observed("something", &[&page, &bare]),
    })
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
