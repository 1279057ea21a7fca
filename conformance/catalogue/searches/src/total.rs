//! Cases about `total_count` under filters: it counts all records that pass, on any page, and the counts of several
//! searches agree with each other.

use crate::calls::{Finds, Search, total_count, walk};
use crate::keeps::{Filters, employee_count, filter};
use crate::order::{assert_law, pages, prefix};
use crate::seen::{alternatives, most_telling, own_values};
use engine::case::{Case, Need};
use engine::session::Probe;
use engine::target::PipelineRole::ManyItems;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-total";
const COUNTS: &str = "total_count counts all that pass the filters";
/// Filters that are added one after another.
const TIGHTER: [&str; 3] = ["countries", "employee_count_min", "funding_stages"];

/// The number of pages to take values from.
const PAGES: i64 = 1;

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let searches = Search::all(contract);
    let mut cases: Vec<_> = searches.iter().flat_map(of_search).collect();
    let by_description = Search::by_description(contract, Finds::Organizations);
    cases.extend(by_description.iter().map(of_listed_organizations));
    cases
}

/// Records that the items of pipelines name exist, so a search that finds nothing at all contradicts them.
fn of_listed_organizations(search: &Search) -> Case {
    search
        .case(
            GROUP,
            "listed-organizations-are-counted",
            "While items name organizations, a search without filters counts some",
            search.operation.response_pointer(200),
        )
        .quote(COUNTS)
        .point("search-total")
        .needs([Need::Pipeline(ManyItems)])
        .check_with(search.clone(), some_are_counted)
}

fn of_search(search: &Search) -> Vec<Case> {
    let case = |law: &str, title: &str| {
        search
            .case(GROUP, law, title, search.operation.response_pointer(200))
            .quote(COUNTS)
            .needs(search.needs())
    };
    vec![
        TIGHTER
            .iter()
            .fold(
                case("tighter-filters-never-find-more", "A further filter never finds more"),
                |case, name| case.and(search.place_of(name)),
            )
            .point("filters-combined")
            .check_with(search.clone(), never_more),
        case(
            "parts-add-up",
            "Records below a bound and records from it on are together all records with that number",
        )
        .and(search.place_of("employee_count_min"))
        .and(search.place_of("employee_count_max"))
        .point("filters-combined")
        .check_with(search.clone(), parts_add_up),
        case(
            "alternatives-add-up",
            "Two countries find as many records as each of them together",
        )
        .and(search.place_of("countries"))
        .point("filter-list-values")
        .check_with(search.clone(), alternatives_add_up),
        case(
            "filtered-pages-join",
            "Pages of a filtered search join to one list and count the same",
        )
        .point("search-total")
        .check_with(search.clone(), filtered_pages),
    ]
}

async fn some_are_counted(probe: Probe, search: Search) -> Outcome {
    let listing = probe.listing(probe.pipeline(ManyItems)?, None, None).await?;
    let Some(named) = listing.items.iter().find(|item| item["organization_id"].is_u64()) else {
        return probe.inconclusive("an item with an organization");
    };
    let (seen, page) = total(&probe, &search, &Filters::new()).await?;
    let expected = format!(
        "1 or more: item {} names the organization {}",
        named["pipeline_item_id"], named["organization_id"]
    );
    let evidence: Vec<_> = std::iter::once(&page).chain(&listing.pages).collect();
    probe.assert(seen >= 1, "total_count", expected, seen, &evidence);
    Ok(())
}

/// Returns the number of records that pass filters, and the response that shows it.
async fn total(probe: &Probe, search: &Search, filters: &Filters) -> Result<(i64, HttpResponse), Stop> {
    let page = probe.ok(filter(search.call(probe)?.query("limit", 1), filters).send().await?)?;
    Ok((total_count(&page), page))
}

async fn never_more(probe: Probe, search: Search) -> Outcome {
    let nearest = search.walked(&probe, PAGES).await?;
    let of_one = nearest
        .results
        .iter()
        .find_map(|record| own_values(&search, &TIGHTER, record));
    let Some(filters) = of_one else {
        return probe.inconclusive(format!("a record with the fields of {}", TIGHTER.join(", ")));
    };
    let (mut before, mut page_before) = total(&probe, &search, &Vec::new()).await?;
    for number in 1..=filters.len() {
        let (seen, page) = total(&probe, &search, &filters[..number].to_vec()).await?;
        let what = format!("total_count with {} added", filters[number - 1].0);
        // The record that provided the values passes all of them.
        let expected = format!("from 1 to {before}");
        probe.assert(
            (1..=before).contains(&seen),
            &what,
            expected,
            seen,
            &[&page_before, &page],
        );
        (before, page_before) = (seen, page);
    }
    Ok(())
}

async fn parts_add_up(probe: Probe, search: Search) -> Outcome {
    let nearest = search.walked(&probe, PAGES).await?;
    let [lower, upper] = ["employee_count_min", "employee_count_max"];
    let least = search.number(lower, "minimum");
    let candidates = nearest
        .results
        .iter()
        .filter_map(|record| own_values(&search, &[lower], record));
    let Some(filters) = most_telling(&search, &nearest.results, candidates) else {
        return probe.inconclusive("records that differ in their number of employees");
    };
    let numbers = nearest
        .results
        .iter()
        .filter_map(|record| employee_count(search.finds.organization(record)));
    let Some(bound) = numbers
        .filter(|number| *number > least)
        .find(|number| filters[0].1 == number.to_string())
    else {
        return probe.inconclusive(format!("an organization with more than {least} employees"));
    };
    let (above, page_above) = total(&probe, &search, &filters).await?;
    let (below, page_below) = total(&probe, &search, &vec![(upper, (bound - 1).to_string())]).await?;
    let (all, page_all) = total(&probe, &search, &vec![(lower, least.to_string())]).await?;
    probe.assert(
        above + below == all,
        &format!("total_count with a number of employees, split at {bound}"),
        format!("{below} below and {above} from the bound on: {}", below + above),
        all,
        &[&page_above, &page_below, &page_all],
    );
    Ok(())
}

/// Headquarters are in one country, so two countries have no record in common.
async fn alternatives_add_up(probe: Probe, search: Search) -> Outcome {
    let nearest = search.walked(&probe, PAGES).await?;
    let Some(both) = alternatives(&search, "countries", &nearest.results) else {
        return probe.inconclusive("records of three different countries");
    };
    let (first, page_first) = total(&probe, &search, &both[..1].to_vec()).await?;
    let (second, page_second) = total(&probe, &search, &both[1..].to_vec()).await?;
    let (together, page_both) = total(&probe, &search, &both).await?;
    probe.assert(
        first + second == together,
        &format!("total_count with countries={}&countries={}", both[0].1, both[1].1),
        format!("{first} and {second}: {}", first + second),
        together,
        &[&page_first, &page_second, &page_both],
    );
    Ok(())
}

async fn filtered_pages(probe: Probe, search: Search) -> Outcome {
    let nearest = search.walked(&probe, PAGES).await?;
    let candidates = nearest
        .results
        .iter()
        .filter_map(|record| own_values(&search, &["founded_year_min"], record));
    let Some(filters) = most_telling(&search, &nearest.results, candidates) else {
        return probe.inconclusive("records that differ in their founding years");
    };
    let call = || Ok(filter(search.call(&probe)?, &filters));
    let (small, wanted) = (7, 14);
    let one = walk(&probe, &call, wanted, wanted).await?;
    let many = walk(&probe, &call, small, wanted).await?;
    let totals: Vec<_> = one.pages.iter().chain(&many.pages).map(total_count).collect();
    let mut departures = prefix(search.finds, &many.results, &one.results);
    departures.extend(pages(&many, &totals, wanted));
    let evidence: Vec<_> = one.pages.iter().chain(&many.pages).collect();
    let law = format!("the search with founded_year_min={}, in pages of {small}", filters[0].1);
    assert_law(&probe, &law, &departures, &evidence);
    Ok(())
}
