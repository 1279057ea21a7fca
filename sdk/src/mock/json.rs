//! Values of responses, read from JSON.

use serde::de::DeserializeOwned;
use serde_json::Value;

/// Reads a response value from JSON.
///
/// ```
/// use platform_sdk::mock::from_json;
/// use platform_sdk::types::ItemStatus;
///
/// let status: ItemStatus = from_json(serde_json::json!({
///     "pipeline_id": 2,
///     "pipeline_item_id": 200_001,
///     "is_ready": false,
///     "document_indexed": true,
///     "custom_questions_answered": false,
///     "platform_entity_data_ready": true,
/// }));
/// assert!(!status.is_ready);
/// ```
///
/// # Panics
/// The JSON does not match the type. The message gives the location.
#[track_caller]
pub fn from_json<T: DeserializeOwned>(json: Value) -> T {
    match serde_path_to_error::deserialize(json) {
        Ok(value) => value,
        Err(error) => panic!("the JSON does not match {}: {error}", short_name::<T>()),
    }
}

/// Reads an example of the contract. A test checks that all examples can be read.
pub(crate) fn example<T: DeserializeOwned>(json: &str) -> T {
    match serde_json::from_str(json) {
        Ok(value) => value,
        Err(error) => panic!(
            "an example in the contract does not match {}: {error}",
            short_name::<T>()
        ),
    }
}

/// Returns the name of a type without its path.
fn short_name<T>() -> &'static str {
    let name = std::any::type_name::<T>();
    name.rsplit("::").next().unwrap_or(name)
}
