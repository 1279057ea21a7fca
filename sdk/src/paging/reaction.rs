//! What a walk does about what is out of the ordinary.

/// What a walk does about a [change of the collection](super::Walk::on_drift), or an item that
/// [cannot be read](super::Walk::on_unreadable).
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
    /// The walk ends with an error, and its cursor is past the cause.
    Fail,
    /// The walk goes on and hands it out: among the events, or with the page. A stream of items has no place for
    /// it, so there it is an event of `tracing` at the level `WARN`.
    Report,
    /// The walk goes on without a word.
    Ignore,
}
