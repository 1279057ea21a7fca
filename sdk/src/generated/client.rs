// @generated from openapi.yaml by sdk/codegen. Do not edit: change the contract, then run `cargo codegen`.

//! The client, with a method for each operation.
use super::builder;
/// Client of one deployment, with a method for each operation.
///
/// Create one with [`Client::builder`] or [`Client::from_env`]. Clones are cheap and share connections. A
/// method returns a request; set its parameters with one method each, then call `send`.
///
/// ```no_run
/// # async fn example() -> Result<(), platform_sdk::Error> {
/// use platform_sdk::Client;
///
/// let client = Client::from_env()?;
/// let page = client.list_items().pipeline_id(1).limit(50).send().await?;
/// println!("{} of {} items", page.items.len(), page.total_count);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Client {
    pub(crate) core: crate::call::core::ClientCore,
}
impl Client {
    /// List the items of a pipeline
    ///
    /// Lists all items (submitted documents and their associated entities) in a pipeline, a page at a time. The order
    /// is total: consecutive pages neither repeat nor miss an item as long as the pipeline does not change.
    ///
    /// It is sent as a `GET` request to `/api/v1/pipelines/{pipeline_id}/items`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .list_items()
    ///     .pipeline_id(2)
    ///     .skip(100)
    ///     .limit(1000)
    ///     .sort_by("question.201")
    ///     .sort_order("desc")
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn list_items(&self) -> builder::ListItems<builder::missing::pipeline_id> {
        builder::ListItems::new(self.core.clone(), crate::call::state::Async)
    }
    /// Read the readiness of an item
    ///
    /// Reports processing readiness of one item, with one boolean for each stage. After submitting an item, poll it
    /// until `is_ready` is true. `sync_status` in the item's values shows the progress of CRM sync; readiness does
    /// not wait for it. How long an item takes to become ready is not promised.
    ///
    /// It is sent as a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/status`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .get_item_status()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200001)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_item_status(
        &self,
    ) -> builder::GetItemStatus<
        builder::missing::pipeline_id,
        builder::missing::pipeline_item_id,
    > {
        builder::GetItemStatus::new(self.core.clone(), crate::call::state::Async)
    }
    /// Read the values of an item
    ///
    /// Returns the extracted and enriched data of one item: structured data from the document, entity resolution
    /// results, and answers to the pipeline's qualifying questions. While questions are being answered, it shows the
    /// state of each.
    ///
    /// It is sent as a `GET` request to `/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}/values`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .get_item_values()
    ///     .pipeline_id(2)
    ///     .pipeline_item_id(200001)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn get_item_values(
        &self,
    ) -> builder::GetItemValues<
        builder::missing::pipeline_id,
        builder::missing::pipeline_item_id,
    > {
        builder::GetItemValues::new(self.core.clone(), crate::call::state::Async)
    }
    /// Add an organization to a pipeline
    ///
    /// Adds an existing organization to an organization pipeline; creates a new pipeline item and
    /// triggers all associated background processes (custom questions, CRM sync). The response does not
    /// wait for them: every question of the new item is `pending`. Poll the item's status until it is
    /// ready, then read its values. These processes are the only asynchronous effects: from the response on, the new
    /// item is in the list, and its values and status can be read.
    ///
    /// Each of these conditions is an error with its own status code: the pipeline is not an organization
    /// pipeline; authentication is required; authorization is denied by the policy chain; the pipeline or
    /// the organization is not found; the organization already exists in the pipeline; the request body
    /// does not pass validation. Adding requires the permission pair (CREATE, COLLECTION_ITEM), enforced by the
    /// policy chain.
    ///
    /// An organization is in a pipeline at most once. Of any number of concurrent identical requests, exactly one
    /// returns 201 and the others 409; a request that is rejected with 429 counts as none of them. A client that lost
    /// the response can safely send the request again: it gets 409 if the organization was already added. What was
    /// added cannot be removed through this API.
    ///
    /// It is sent as a `POST` request to `/api/v1/pipelines/{pipeline_id}/organizations`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .add_organization()
    ///     .pipeline_id(2)
    ///     .organization_id(1008)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_organization(
        &self,
    ) -> builder::AddOrganization<
        builder::missing::pipeline_id,
        builder::missing::organization_id,
    > {
        builder::AddOrganization::new(self.core.clone(), crate::call::state::Async)
    }
    /// Find organizations that match a description
    ///
    /// Ranks organizations by how closely what they do matches a free-text description in meaning. The words need not
    /// occur in the records. Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/organizations/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_description()
    ///     .description("keeps fresh fish cold on its way to the shops")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_organizations_by_description(
        &self,
    ) -> builder::SearchOrganizationsByDescription<builder::missing::description> {
        builder::SearchOrganizationsByDescription::new(
            self.core.clone(),
            crate::call::state::Async,
        )
    }
    /// Find organizations that serve the customers described
    ///
    /// Ranks organizations by how close their customer bases are in meaning to a free-text
    /// description of a target customer. An organization whose customer base is not known is neither
    /// found nor counted. Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/organizations/similar-customers`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_customer()
    ///     .organization_customer("seafood exporters and supermarket chains")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_organizations_by_customer(
        &self,
    ) -> builder::SearchOrganizationsByCustomer<
        builder::missing::organization_customer,
    > {
        builder::SearchOrganizationsByCustomer::new(
            self.core.clone(),
            crate::call::state::Async,
        )
    }
    /// Find organizations similar to a known organization
    ///
    /// Ranks organizations by how close they are to a known one in business scope, business model,
    /// customers and characteristics. The known organization is neither in its own results nor counted.
    /// Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/organizations/{organization_id}/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_organizations_by_organization()
    ///     .organization_id(1002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_organizations_by_organization(
        &self,
    ) -> builder::SearchOrganizationsByOrganization<builder::missing::organization_id> {
        builder::SearchOrganizationsByOrganization::new(
            self.core.clone(),
            crate::call::state::Async,
        )
    }
    /// Find products that match a description
    ///
    /// Ranks products, each with its organization, by how closely what they do matches a free-text description in
    /// meaning. The words need not occur in the records. Filters are applied before ranking, so `total_count` and the
    /// pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/products/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_description()
    ///     .description("a small sensor that records the temperature of a parcel")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_products_by_description(
        &self,
    ) -> builder::SearchProductsByDescription<builder::missing::description> {
        builder::SearchProductsByDescription::new(
            self.core.clone(),
            crate::call::state::Async,
        )
    }
    /// Find products that serve the customers described
    ///
    /// Ranks products, each with its organization, by how close their customer bases are in meaning
    /// to a free-text description of a target customer. A product whose customer base is not known is
    /// neither found nor counted. Filters are applied before ranking, so `total_count` and the pages are
    /// exact.
    ///
    /// It is sent as a `GET` request to `/search/products/similar-customers`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_customer()
    ///     .product_customer("hospital pharmacies that send vaccines to remote clinics")
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_products_by_customer(
        &self,
    ) -> builder::SearchProductsByCustomer<builder::missing::product_customer> {
        builder::SearchProductsByCustomer::new(
            self.core.clone(),
            crate::call::state::Async,
        )
    }
    /// Find products similar to a known product
    ///
    /// Ranks products, each with its organization, by how close they are to a known one in business
    /// scope, business model, customers and characteristics. The known product is neither in its own
    /// results nor counted. Filters are applied before ranking, so `total_count` and the pages are exact.
    ///
    /// It is sent as a `GET` request to `/search/products/{product_id}/similar`.
    ///
    /// # Example
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let answer = client
    ///     .search_products_by_product()
    ///     .product_id(5002)
    ///     .countries(["NO", "DK"])
    ///     .regions(["NO-46", "US-CA"])
    ///     .employee_count_min(10)
    ///     .employee_count_max(250)
    ///     .founded_year_min(2010)
    ///     .founded_year_max(2024)
    ///     .business_types(["freight_logistics", "warehousing"])
    ///     .funding_stages(["seed", "series_a"])
    ///     .funded_from("2018-01-01")
    ///     .funded_to("2026-06-30")
    ///     .headquarters_only(false)
    ///     .skip(20)
    ///     .limit(10)
    ///     .send()
    ///     .await?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn search_products_by_product(
        &self,
    ) -> builder::SearchProductsByProduct<builder::missing::product_id> {
        builder::SearchProductsByProduct::new(
            self.core.clone(),
            crate::call::state::Async,
        )
    }
}
