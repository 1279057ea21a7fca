//! The listed items: those of the reference server, repeated as often as needed.

use std::fmt::Write as _;
use std::sync::Arc;
use std::{env, fs};

use platform_sdk::types::ItemPage;
use platform_server_stub::Server;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::{Failure, instructions};

/// The number of items in the pipeline.
pub(crate) const TOTAL: usize = 100_000;

/// The JSON key that precedes the id of an item.
const ID: &str = "\"pipeline_item_id\":";

/// The items of the reference server's pipeline 1, each split into the text before and after its id.
#[derive(Clone)]
pub(crate) struct Items(Arc<[(String, String)]>);

impl Items {
    /// Gets the items from a reference server. Under valgrind, where starting one would take minutes, reads
    /// the file written by the parent process.
    pub(crate) fn get(words: &[&str]) -> Result<Self, Failure> {
        let file = env::current_exe()?.with_extension("items.json");
        if words.first() == Some(&instructions::WATCHED) {
            return Self::of_page(&fs::read_to_string(file)?);
        }
        let page = page_of_a_reference_server()?;
        fs::write(file, &page)?;
        Self::of_page(&page)
    }
    fn of_page(page: &str) -> Result<Self, Failure> {
        let page: ItemPage = serde_json::from_str(page)?;
        let parts = page.items.iter().map(|item| {
            let item = serde_json::to_string(item)?;
            let (before, rest) = item.split_once(ID).ok_or("an item has no id")?;
            let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
            Ok((format!("{before}{ID}"), after.to_owned()))
        });
        parts.collect::<Result<_, Failure>>().map(Self)
    }

    /// The response to `list_items`, as text.
    pub(crate) fn page(&self, skip: usize, limit: usize) -> String {
        let mut page = format!("{{\"pipeline_id\":1,\"total_count\":{TOTAL},\"items\":[");
        for index in skip..(skip + limit).min(TOTAL) {
            let (before, after) = &self.0[index % self.0.len()];
            let comma = if index > skip { "," } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(page, "{comma}{before}{}{after}", index + 1);
        }
        page.push_str("]}");
        page
    }
}

/// Fetches the text of a page of 1,000 items.
fn page_of_a_reference_server() -> Result<String, Failure> {
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let url = format!("http://{}/api/v1/pipelines/1/items?limit=1000", listener.local_addr()?);
        tokio::spawn(Server::built_in().serve(listener, std::future::pending()));
        let request = reqwest::Client::new().get(url);
        let answer = request.header("API-Key", "dev-full-access").send().await?;
        Ok(answer.error_for_status()?.text().await?)
    })
}
