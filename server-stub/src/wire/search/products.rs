//! The three product searches.

use axum::extract::State;

use super::filters::SearchScope;
use super::record::ProductSearchPage;
use crate::model::policy::{Action, Resource};
use crate::platform::Platform;
use crate::wire::answer::Success;
use crate::wire::call::Call;
use crate::wire::json::Json;
use crate::wire::parameter::{PathId, SearchTextParameter};
use crate::wire::problem::{Problem, ProblemCode};

const PRODUCT_ID: PathId = PathId {
    name: "product_id",
    schema: "ProductId",
};
const DESCRIPTION: SearchTextParameter = SearchTextParameter("description");
const PRODUCT_CUSTOMER: SearchTextParameter = SearchTextParameter("product_customer");

type SearchResponse = Result<Json<ProductSearchPage>, Problem>;

/// Find products similar to a known product
#[utoipa::path(
    get,
    path = "/search/products/{product_id}/similar",
    tag = "product-search",
    params(Known, SearchScope),
    responses(Success<ProductSearchPage, 200>, KnownProblems)
)]
pub(in crate::wire) async fn search_products_by_product(
    State(platform): State<Platform>,
    call: Call,
) -> SearchResponse {
    call.authorize(&platform, Action::Read, Resource::Product, None)?;
    let mut reader = call.reader();
    let product_id = call.id(PRODUCT_ID, &mut reader);
    let scope = SearchScope::read(&mut reader);
    let (product_id, scope) = reader.finish(|| Some((product_id?, scope?)))?;
    let found = platform
        .search_products_by_product(product_id, &scope.filters, scope.page)
        .await?;
    Ok(Json(found.into()))
}

/// Find products that match a description
#[utoipa::path(
    get,
    path = "/search/products/similar",
    tag = "product-search",
    params(Description, SearchScope),
    responses(Success<ProductSearchPage, 200>, TextProblems)
)]
pub(in crate::wire) async fn search_products_by_description(
    State(platform): State<Platform>,
    call: Call,
) -> SearchResponse {
    call.authorize(&platform, Action::Read, Resource::Product, None)?;
    let mut reader = call.reader();
    let description = DESCRIPTION.read(&mut reader);
    let scope = SearchScope::read(&mut reader);
    let (description, scope) = reader.finish(|| Some((description?, scope?)))?;
    let found = platform
        .search_products_by_description(&description, &scope.filters, scope.page)
        .await?;
    Ok(Json(found.into()))
}

/// Find products that serve the customers described
#[utoipa::path(
    get,
    path = "/search/products/similar-customers",
    tag = "product-search",
    params(Customer, SearchScope),
    responses(Success<ProductSearchPage, 200>, TextProblems)
)]
pub(in crate::wire) async fn search_products_by_customer(
    State(platform): State<Platform>,
    call: Call,
) -> SearchResponse {
    call.authorize(&platform, Action::Read, Resource::Product, None)?;
    let mut reader = call.reader();
    let product_customer = PRODUCT_CUSTOMER.read(&mut reader);
    let scope = SearchScope::read(&mut reader);
    let (customer, scope) = reader.finish(|| Some((product_customer?, scope?)))?;
    let found = platform
        .search_products_by_customer(&customer, &scope.filters, scope.page)
        .await?;
    Ok(Json(found.into()))
}

parameters!(Known: PRODUCT_ID);
parameters!(Description: DESCRIPTION);
parameters!(Customer: PRODUCT_CUSTOMER);
problems!(KnownProblems: [ProblemCode::ProductNotFound]);
problems!(TextProblems: []);
