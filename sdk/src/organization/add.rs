//! Adds an organization without naming the type of the body.

use std::fmt::Display;

use crate::OrganizationId;
use crate::builder::{AddOrganization, Given};

impl<P, O, M> AddOrganization<P, O, M> {
    /// Sets the organization to add.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let item = client
    ///     .add_organization()
    ///     .pipeline_id(6)
    ///     .organization_id(1001)
    ///     .send()
    ///     .await?;
    /// println!("item {}", item.pipeline_item_id);
    /// # Ok(())
    /// # }
    /// ```
    pub fn organization_id<V>(self, value: V) -> AddOrganization<P, Given, M>
    where
        V: TryInto<OrganizationId>,
        V::Error: Display,
    {
        self.body_map(|body| body.organization_id(value))
    }
}
