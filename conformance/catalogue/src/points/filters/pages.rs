//! Pages of a search, with and without filters.

use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Stop;
use searches::calls::{Search, ids, results, total_count};
use searches::keeps::{Filters, filter};

/// Returns the first page of a search with filters.
pub(super) async fn page(probe: &Probe, search: &Search, filters: &Filters) -> Result<HttpResponse, Stop> {
    filter(search.call(probe)?, filters).send().await
}

/// Returns the largest page of a search with filters that the contract allows, or the deployment's default page.
pub(super) async fn large_page(probe: &Probe, search: &Search, filters: &Filters) -> Result<HttpResponse, Stop> {
    let limit = search.number("limit", "maximum");
    let call = filter(search.call(probe)?, filters).query("limit", limit);
    let large = call.send().await?;
    match large.status {
        200 => Ok(large),
        _ => page(probe, search, filters).await,
    }
}

/// Returns the first page of a search without filters.
pub(super) async fn bare(probe: &Probe, search: &Search) -> Result<HttpResponse, Stop> {
    let page = probe.ok(search.call(probe)?.send().await?)?;
    match results(&page).len() {
        0 => Err(Stop::Inconclusive("a search that finds a record".to_owned())),
        _ => Ok(page),
    }
}

/// Whether two pages have the same records in the same order, and the same total.
pub(super) fn same(search: &Search, one: &HttpResponse, other: &HttpResponse) -> bool {
    ids(search.finds, results(one)) == ids(search.finds, results(other)) && total_count(one) == total_count(other)
}
