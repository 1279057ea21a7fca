//! `total_count` under filters: it counts all that pass, whatever is asked of the pages, and the counts
//! of several searches agree with each other.

use crate::search::calls::{Search, Walks, total_count, walk};
use crate::search::keeps::{Filters, employee_count, filter};
use crate::search::order::{assert_law, pages, prefix};
use crate::search::seen::{alternatives, most_telling, own_values};
use engine::case::Case;
use engine::session::Probe;
use engine::transport::client::Answer;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

const GROUP: &str = "search-total";
const COUNTS: &str = "total_count counts all that pass the filters";
/// Filters that are added one after the other.
const TIGHTER: [&str; 3] = ["countries", "employee_count_min", "funding_stages"];

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let walks = Walks::of_pages(1);
    Search::of(contract)
        .into_iter()
        .flat_map(|search| of_search(search, walks))
        .collect()
}

fn of_search(search: Search, walks: Walks) -> Vec<Case> {
    let case = |law: &str, title: &str| {
        search
            .case(GROUP, law, title, search.operation.response_pointer(200))
            .quote(COUNTS)
    };
    let tighter = case(
        "tighter-filters-never-find-more",
        "One filter more never finds more",
    );
    let tighter = TIGHTER
        .iter()
        .fold(tighter, |case, name| case.and(search.place_of(name)));
    let parts = case(
        "parts-add-up",
        "Those of a number below a bound and those above make up all with a number",
    );
    let parts = parts
        .and(search.place_of("employee_count_min"))
        .and(search.place_of("employee_count_max"));
    let lists = case(
        "alternatives-add-up",
        "Two countries find as many as each of them",
    )
    .and(search.place_of("countries"));
    let paged = case(
        "filtered-pages-join",
        "Pages of a filtered search join to one list and count the same",
    );
    vec![
        walks.check(tighter, search, never_more),
        walks.check(parts, search, parts_add_up),
        walks.check(lists, search, alternatives_add_up),
        walks.check(paged, search, filtered_pages),
    ]
}

/// How many pass filters, and the answer that says so.
async fn total(probe: &Probe, search: Search, filters: &Filters) -> Result<(i64, Answer), Stop> {
    let page = probe.ok(filter(search.call(probe)?.query("limit", 1), filters)
        .send()
        .await?)?;
    Ok((total_count(&page), page))
}

async fn never_more(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let nearest = walks.of(&probe, search).await?;
    let of_one = nearest
        .results
        .iter()
        .find_map(|record| own_values(search, &TIGHTER, record));
    let Some(filters) = of_one else {
        return probe.inconclusive(format!(
            "a record that shows what {} look at",
            TIGHTER.join(", ")
        ));
    };
    let (mut before, mut page_before) = total(&probe, search, &Vec::new()).await?;
    for number in 1..=filters.len() {
        let (seen, page) = total(&probe, search, &filters[..number].to_vec()).await?;
        let what = format!("total_count with {} added", filters[number - 1].0);
        // The record whose values they are passes all of them.
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

async fn parts_add_up(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let nearest = walks.of(&probe, search).await?;
    let [lower, upper] = ["employee_count_min", "employee_count_max"];
    let least = search.number(lower, "minimum");
    let candidates = nearest
        .results
        .iter()
        .filter_map(|record| own_values(search, &[lower], record));
    let Some(filters) = most_telling(search, &nearest.results, candidates) else {
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
    let (above, page_above) = total(&probe, search, &filters).await?;
    let (below, page_below) =
        total(&probe, search, &vec![(upper, (bound - 1).to_string())]).await?;
    let (all, page_all) = total(&probe, search, &vec![(lower, least.to_string())]).await?;
    probe.assert(
        above + below == all,
        &format!("total_count with a number of employees, parted at {bound}"),
        format!("{below} below and {above} from there on: {}", below + above),
        all,
        &[&page_above, &page_below, &page_all],
    );
    Ok(())
}

/// A headquarters is in one country, so that two countries have nothing in common.
async fn alternatives_add_up(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let nearest = walks.of(&probe, search).await?;
    let Some(both) = alternatives(search, "countries", &nearest.results) else {
        return probe.inconclusive("records of three different countries");
    };
    let (first, page_first) = total(&probe, search, &both[..1].to_vec()).await?;
    let (second, page_second) = total(&probe, search, &both[1..].to_vec()).await?;
    let (together, page_both) = total(&probe, search, &both).await?;
    probe.assert(
        first + second == together,
        &format!("total_count with countries={} and {}", both[0].1, both[1].1),
        format!("{first} and {second}: {}", first + second),
        together,
        &[&page_first, &page_second, &page_both],
    );
    Ok(())
}

async fn filtered_pages(probe: Probe, search: Search, walks: Walks) -> Outcome {
    let nearest = walks.of(&probe, search).await?;
    let candidates = nearest
        .results
        .iter()
        .filter_map(|record| own_values(search, &["founded_year_min"], record));
    let Some(filters) = most_telling(search, &nearest.results, candidates) else {
        return probe.inconclusive("records that differ in their founding years");
    };
    let call = || Ok(filter(search.call(&probe)?, &filters));
    let (small, wanted) = (7, 14);
    let one = walk(&probe, &call, wanted, wanted).await?;
    let many = walk(&probe, &call, small, wanted).await?;
    let totals: Vec<_> = one
        .pages
        .iter()
        .chain(&many.pages)
        .map(total_count)
        .collect();
    let mut departures = prefix(search.finds, &many.results, &one.results);
    departures.extend(pages(&many, &totals, wanted));
    let evidence: Vec<_> = one.pages.iter().chain(&many.pages).collect();
    let law = format!(
        "the search with founded_year_min={}, in pages of {small}",
        filters[0].1
    );
    assert_law(&probe, &law, &departures, &evidence);
    Ok(())
}
