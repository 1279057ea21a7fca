//! Type parameters of a request: which required parameters are set, and how it is sent.

/// Marks a required parameter of a request as set. A parameter that is not set is a type of
/// [`builder::missing`](crate::builder::missing) instead.
///
/// A request type without type parameters, such as [`ListItems`](crate::builder::ListItems), has all required
/// parameters set.
///
/// ```no_run
/// use platform_sdk::Error;
/// use platform_sdk::builder::{Given, ListItems};
///
/// async fn count(request: ListItems<Given>) -> Result<i64, Error> {
///     Ok(request.limit(1).send().await?.total_count)
/// }
/// # async fn example(client: &platform_sdk::Client) -> Result<(), Error> {
/// println!("{} items", count(client.list_items().pipeline_id(1)).await?);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy)]
pub enum Given {}

/// Implemented by required parameters that are set. A request can be sent only if all its required parameters
/// implement it.
///
/// ```compile_fail,E0277
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// // error[E0277]: the required parameter `pipeline_id` is missing
/// client.list_items().limit(10).send().await?;
/// # Ok(())
/// # }
/// ```
///
/// Functions that are generic over the state of a request can use it as a bound:
///
/// ```no_run
/// use platform_sdk::Error;
/// use platform_sdk::builder::{IsGiven, ListItems};
///
/// async fn first_ten<P: IsGiven>(request: ListItems<P>) -> Result<usize, Error> {
///     Ok(request.limit(10).send().await?.items.len())
/// }
/// ```
#[diagnostic::on_unimplemented(
    message = "the required parameter `{Self}` is missing",
    label = "`{Self}` is not set",
    note = "set it on the request before this: `.{Self}(…)`"
)]
pub trait IsGiven: sealed::Sealed {}

impl IsGiven for Given {}

/// Mode of the requests of [`Client`](crate::Client): `send` is awaited.
///
/// ```no_run
/// use platform_sdk::Error;
/// use platform_sdk::builder::{Async, GetItemStatus, Given};
///
/// async fn is_ready(request: GetItemStatus<Given, Given, Async>) -> Result<bool, Error> {
///     Ok(request.send().await?.is_ready)
/// }
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Async;

mod sealed {
    pub trait Sealed {}

    impl Sealed for super::Given {}
}
