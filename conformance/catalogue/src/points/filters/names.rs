//! Which filters exist, and whether they keep the records that the contract describes.

use serde_json::Value;

use super::pages::{bare, page, same};
use crate::points::observation::{ObservationResult, across, observed, on_each, rejected_or, unknown_without};
use crate::points::{Point, point};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use searches::calls::{Finds, Search, ids, results, total_count};
use searches::keeps::{Filters, categories, keeping};
use searches::seen::{most_telling, own_values};

pub(super) fn points(searches: &[Search]) -> Vec<Point> {
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
