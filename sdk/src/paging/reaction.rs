//! Reactions of a walk to changes and unreadable items.

/// How a walk reacts to a [change of the collection](super::Walk::on_drift), or to an item that [cannot
/// be read](super::Walk::on_unreadable).
///
/// ```no_run
/// # async fn example(client: &platform_sdk::Client) -> Result<(), platform_sdk::Error> {
/// use platform_sdk::paging::Reaction;
///
/// let walk = client.list_items().pipeline_id(1).sort_by("question.101").walk();
/// let mut pages = walk.on_drift(Reaction::Report).on_unreadable(Reaction::Report).pages()?;
/// while let Some(page) = pages.next().await {
///     let page = page?;
///     println!("{} items, {} unreadable, {:?}", page.items.len(), page.unreadable.len(), page.drifts);
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reaction {
    /// Ends the walk with an error. The cursor is past the cause.
    Fail,
    /// Continues the walk and reports the cause as an event or in the page. A stream of items has no
    /// place for it and logs it through `tracing` at level `WARN`.
    Report,
    /// Continues the walk silently.
    Ignore,
}
