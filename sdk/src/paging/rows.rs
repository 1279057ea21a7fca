//! Decodes the rows of a page. If the page as a whole cannot be read, each row is read separately, so
//! that one bad value does not cost the others.

use reqwest::Request;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::call::core::ClientCore;
use crate::call::operation::Operation;
use crate::call::request_id::RequestId;
use crate::call::response::Body;
use crate::error::{Error, Unreadable};
use crate::types::unknown::{At, Scan};

/// An item, or the reason it cannot be read.
pub(crate) type Row<T> = Result<T, Box<Unreadable>>;

/// Contents of a page response.
pub(crate) struct Fetched<T> {
    pub(crate) rows: Vec<Row<T>>,
    /// Number of items in the whole collection.
    pub(crate) total: i64,
    pub(crate) request_id: Option<String>,
}

/// Body of a page. Implemented by the generator for each page type.
pub(crate) trait PageBody: DeserializeOwned + Scan + Send + 'static {
    type Item: DeserializeOwned;

    /// The property that holds the items.
    const LIST: &'static str;
    /// The property that identifies an item.
    const ID: &'static str;

    /// Returns the items, and the number of items in the whole collection.
    fn into_items(self) -> (Vec<Self::Item>, i64);
}

/// Fetches the rows of `request`, and the number of items in the whole collection.
pub(crate) async fn fetch<P: PageBody>(
    core: ClientCore,
    operation: &'static Operation,
    request: Box<dyn Fn() -> Result<Request, Error> + Send + Sync>,
    skip: u64,
) -> Result<Fetched<P::Item>, Error> {
    let page = crate::call::send::<Rows<P>>(core, operation, request);
    let response = page.await?;
    let request_id = response.request_id().map(str::to_owned);
    let Rows { page, unreadable } = response.into_inner();
    let (items, total) = page.into_items();
    let mut rows = Vec::with_capacity(items.len() + unreadable.len());
    let mut unreadable = unreadable.into_iter().peekable();
    let mut items = items.into_iter();
    loop {
        let place = rows.len();
        if let Some((_, item)) = unreadable.next_if(|(at, _)| *at == place) {
            let row = skip.saturating_add(place as u64);
            rows.push(Err(Box::new(Unreadable { row, ..item })));
        } else if let Some(item) = items.next() {
            rows.push(Ok(item));
        } else {
            return Ok(Fetched {
                rows,
                total,
                request_id,
            });
        }
    }
}

/// A page without its unreadable items, and those items with their places.
struct Rows<P> {
    page: P,
    unreadable: Vec<(usize, Unreadable)>,
}

impl<P: PageBody> Body for Rows<P> {
    fn decode(body: &[u8]) -> serde_json::Result<Self> {
        let error = match P::decode(body) {
            Ok(page) => {
                return Ok(Self {
                    page,
                    unreadable: Vec::new(),
                });
            }
            Err(error) => error,
        };
        // Only valid JSON with errors just in its items can be salvaged.
        if !error.is_data() {
            return Err(error);
        }
        row_by_row(body).ok_or(error)
    }

    fn place_of_fault(body: &[u8]) -> Option<String> {
        P::place_of_fault(body)
    }
}

fn row_by_row<P: PageBody>(body: &[u8]) -> Option<Rows<P>> {
    let mut page: Value = serde_json::from_slice(body).ok()?;
    let Value::Array(items) = page.get_mut(P::LIST)?.take() else {
        return None;
    };
    let (mut readable, mut unreadable) = (Vec::new(), Vec::new());
    for (place, item) in items.into_iter().enumerate() {
        match serde_path_to_error::deserialize::<_, P::Item>(&item) {
            Ok(_) => readable.push(item),
            Err(error) => unreadable.push((
                place,
                Unreadable {
                    row: 0,
                    id: item[P::ID].as_i64(),
                    path: error.path().to_string(),
                    reason: error.into_inner().to_string(),
                    raw: item,
                },
            )),
        }
    }
    page[P::LIST] = Value::Array(readable);
    let page = serde_json::from_value(page).ok()?;
    Some(Rows { page, unreadable })
}

impl<P: PageBody> Scan for Rows<P> {
    fn scan(&self, at: &At<'_>) {
        self.page.scan(at);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{PageBody, row_by_row};
    use crate::types::ItemPage;

    #[test]
    fn unreadable_item_is_separated() {
        let page = json!({
            "pipeline_id": 2,
            "total_count": 3,
            "items": [
                {"pipeline_item_id": 1, "pipeline_id": 2, "entity_type": "organization", "values": {}},
                {"pipeline_item_id": 2, "pipeline_id": 2, "entity_type": "organization", "values": null},
                {"pipeline_item_id": 3, "pipeline_id": 2, "entity_type": "organization", "values": {}},
            ],
        });
        let rows = row_by_row::<ItemPage>(page.to_string().as_bytes());
        assert!(rows.is_some_and(|rows| {
            let (place, item) = &rows.unreadable[0];
            assert_eq!((*place, item.id, item.path.as_str()), (1, Some(2), "values"));
            rows.page.into_items().0.len() == 2 && rows.unreadable.len() == 1
        }));
    }
}
