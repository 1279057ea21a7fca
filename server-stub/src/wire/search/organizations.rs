//! The three organization searches.

use axum::extract::State;

use super::filters::SearchScope;
use super::record::OrganizationSearchPage;
use crate::model::policy::{Action, Resource};
use crate::platform::Platform;
use crate::wire::answer::Success;
use crate::wire::call::Call;
use crate::wire::json::Json;
use crate::wire::parameter::{PathId, SearchTextParameter};
use crate::wire::problem::{Problem, ProblemCode};

const ORGANIZATION_ID: PathId = PathId {
    name: "organization_id",
    schema: "OrganizationId",
};
const DESCRIPTION: SearchTextParameter = SearchTextParameter("description");
const ORGANIZATION_CUSTOMER: SearchTextParameter = SearchTextParameter("organization_customer");

type SearchResponse = Result<Json<OrganizationSearchPage>, Problem>;

/// Find organizations similar to a known organization
#[utoipa::path(
    get,
    path = "/search/organizations/{organization_id}/similar",
    tag = "organization-search",
    params(Known, SearchScope),
    responses(Success<OrganizationSearchPage, 200>, KnownProblems)
)]
pub(in crate::wire) async fn search_organizations_by_organization(
    State(platform): State<Platform>,
    call: Call,
) -> SearchResponse {
    call.authorize(&platform, Action::Read, Resource::Organization, None)?;
    let mut reader = call.reader();
    let organization_id = call.id(ORGANIZATION_ID, &mut reader);
    let scope = SearchScope::read(&mut reader);
    let (organization_id, scope) = reader.finish(|| Some((organization_id?, scope?)))?;
    let found = platform
        .search_organizations_by_organization(organization_id, &scope.filters, scope.page)
        .await?;
    Ok(Json(found.into()))
}

/// Find organizations that match a description
#[utoipa::path(
    get,
    path = "/search/organizations/similar",
    tag = "organization-search",
    params(Description, SearchScope),
    responses(Success<OrganizationSearchPage, 200>, TextProblems)
)]
pub(in crate::wire) async fn search_organizations_by_description(
    State(platform): State<Platform>,
    call: Call,
) -> SearchResponse {
    call.authorize(&platform, Action::Read, Resource::Organization, None)?;
    let mut reader = call.reader();
    let description = DESCRIPTION.read(&mut reader);
    let scope = SearchScope::read(&mut reader);
    let (description, scope) = reader.finish(|| Some((description?, scope?)))?;
    let found = platform
        .search_organizations_by_description(&description, &scope.filters, scope.page)
        .await?;
    Ok(Json(found.into()))
}

/// Find organizations that serve the customers described
#[utoipa::path(
    get,
    path = "/search/organizations/similar-customers",
    tag = "organization-search",
    params(Customer, SearchScope),
    responses(Success<OrganizationSearchPage, 200>, TextProblems)
)]
pub(in crate::wire) async fn search_organizations_by_customer(
    State(platform): State<Platform>,
    call: Call,
) -> SearchResponse {
    call.authorize(&platform, Action::Read, Resource::Organization, None)?;
    let mut reader = call.reader();
    let organization_customer = ORGANIZATION_CUSTOMER.read(&mut reader);
    let scope = SearchScope::read(&mut reader);
    let (customer, scope) = reader.finish(|| Some((organization_customer?, scope?)))?;
    let found = platform
        .search_organizations_by_customer(&customer, &scope.filters, scope.page)
        .await?;
    Ok(Json(found.into()))
}

parameters!(Known: ORGANIZATION_ID);
parameters!(Description: DESCRIPTION);
parameters!(Customer: ORGANIZATION_CUSTOMER);
problems!(KnownProblems: [ProblemCode::OrganizationNotFound]);
problems!(TextProblems: []);
