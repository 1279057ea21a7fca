//! An item of a page that cannot be read.

use std::fmt;

use serde_json::Value;

use super::{Error, Kind};

/// An item that this version of the SDK cannot read, in an otherwise valid page: a property is missing,
/// or its value has a different type than in the contract.
///
/// A walk reports it separately, so that the other items of the page are not lost: as an
/// [event](crate::paging::Event::Unreadable), in a [page](crate::paging::Page::unreadable), or as an
/// error that the walk can be resumed past.
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::paging::Event;
///
/// let mut events = client.list_items().pipeline_id(1).walk().events()?;
/// while let Some(event) = events.next().await {
///     match event? {
///         Event::Item(item) => println!("{}", item.pipeline_item_id),
///         Event::Unreadable(item) => {
///             eprintln!("row {}: {} ({})", item.row(), item.path(), item.reason());
///             std::fs::write("unreadable.json", item.raw().to_string()).ok();
///         }
///         _ => {}
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq)]
pub struct Unreadable {
    pub(crate) row: u64,
    pub(crate) id: Option<i64>,
    pub(crate) path: String,
    pub(crate) reason: String,
    pub(crate) raw: Value,
}

impl Unreadable {
    /// Returns the row in the collection, counted from 0.
    pub fn row(&self) -> u64 {
        self.row
    }

    /// Returns the place of the error in the item, such as `values["question.201"].status`; `.` for the
    /// whole item.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Returns what is wrong there. It may quote the value, which may be customer data.
    pub fn reason(&self) -> &str {
        &self.reason
    }

    /// Returns the item as the server sent it.
    pub fn raw(&self) -> &Value {
        &self.raw
    }
}

/// Writes `row 203 does not match the contract at values`, without data of the item.
impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "row {} does not match the contract at {}", self.row, self.path)
    }
}

/// Omits the item, which may contain customer data.
impl fmt::Debug for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unreadable")
            .field("row", &self.row)
            .field("path", &self.path)
            .finish_non_exhaustive()
    }
}

impl Error {
    /// Returns the unreadable item that ended a walk; `None` for every other error.
    ///
    /// ```no_run
    /// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
    /// let mut items = client.list_items().pipeline_id(1).walk().items()?;
    /// while let Some(item) = items.next().await {
    ///     match item {
    ///         Ok(item) => println!("{}", item.pipeline_item_id),
    ///         Err(error) if error.unreadable().is_some() => {
    ///             eprintln!("{error}");
    ///             // The cursor is past the item that cannot be read.
    ///             items = client.list_items().pipeline_id(1).walk().resume(items.cursor()).items()?;
    ///         }
    ///         Err(error) => return Err(error),
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn unreadable(&self) -> Option<&Unreadable> {
        match self.kind() {
            Kind::Unreadable(unreadable) => Some(unreadable),
            _ => None,
        }
    }
}
