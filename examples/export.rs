//! Writes all items of a pipeline to a file, as lines of JSON, and resumes an interrupted export.
//!
//! ```sh
//! cargo run --release -p platform-examples --example export -- items.jsonl
//! ```
//!
//! It runs on the reference server, started in this process, unless `PLATFORM_BASE_URL` and
//! `PLATFORM_API_KEY` name a deployment. It only reads.

use std::error::Error;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use platform_sdk::Client;
use platform_sdk::paging::{Cursor, Page};
use platform_sdk::types::PipelineItem;
use platform_server_stub::Server;
use tokio::net::TcpListener;

/// The pipeline to export.
const PROSPECTS: i64 = 1;

#[tokio::main]
async fn main() -> ExitCode {
    end(start().await, &mut io::stderr())
}

/// Returns the exit code, after printing an error with its causes.
pub(crate) fn end(outcome: Result<(), Box<dyn Error>>, out: &mut impl Write) -> ExitCode {
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    let mut message = format!("error: {error}");
    let mut source = error.source();
    while let Some(cause) = source {
        message += &format!("\n  caused by: {cause}");
        source = cause.source();
    }
    // If standard error cannot be written, the message has nowhere to go.
    let _ = writeln!(out, "{message}");
    ExitCode::FAILURE
}

async fn start() -> Result<(), Box<dyn Error>> {
    let path = std::env::args_os().nth(1);
    let path = PathBuf::from(path.ok_or("name the file to write: export -- items.jsonl")?);
    let client = match std::env::var_os("PLATFORM_BASE_URL") {
        Some(_) => Client::from_env()?,
        None => reference_server().await?,
    };
    let written = export(&client, &path, usize::MAX).await?;
    let mut out = io::stdout();
    writeln!(out, "{written} items written to {}", path.display())?;
    Ok(())
}

async fn reference_server() -> Result<Client, Box<dyn Error>> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let base_url = format!("http://{}", listener.local_addr()?);
    tokio::spawn(Server::built_in().serve(listener, std::future::pending()));
    let client = Client::builder()
        .base_url(base_url)
        .api_key("dev-read-only");
    Ok(client.build()?)
}

/// Writes the items that are not in the file yet, at most `pages` pages, and returns their count. Items added
/// meanwhile are written too. After an error, the items written so far are valid.
pub(crate) async fn export(
    client: &Client,
    path: &Path,
    pages: usize,
) -> Result<usize, Box<dyn Error>> {
    let bookmark = Bookmark::of(path);
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    let mut walk = client.list_items().pipeline_id(PROSPECTS).walk();
    match bookmark.read()? {
        Some((length, cursor)) => {
            // Items written after the bookmark are fetched again.
            file.set_len(length)?;
            walk = walk.resume(cursor);
        }
        None => file.set_len(0)?,
    }

    let mut walk = walk.page_size(200).pages()?;
    let mut written = 0;
    for _ in 0..pages {
        let Some(page) = walk.next().await else {
            bookmark.remove()?;
            break;
        };
        let page = page?;
        append(&mut file, &page)?;
        bookmark.set(file.metadata()?.len(), &page.cursor)?;
        written += page.items.len();
    }
    Ok(written)
}

fn append(file: &mut File, page: &Page<PipelineItem>) -> Result<(), Box<dyn Error>> {
    let mut lines = BufWriter::new(&mut *file);
    for item in &page.items {
        // Fields and values that this version of the SDK does not know are written too.
        serde_json::to_writer(&mut lines, item)?;
        lines.write_all(b"\n")?;
    }
    lines.flush()?;
    drop(lines);
    Ok(file.sync_data()?)
}

/// Progress of an export, stored next to its file until the export is complete.
struct Bookmark(PathBuf);

impl Bookmark {
    fn of(path: &Path) -> Self {
        Self(path.with_extension("bookmark"))
    }

    /// Returns the length of the file after its last complete page, and the cursor at that point.
    fn read(&self) -> Result<Option<(u64, Cursor)>, Box<dyn Error>> {
        if !self.0.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&self.0)?;
        let (length, cursor) = text.split_once(' ').ok_or("the bookmark is none")?;
        Ok(Some((length.parse()?, cursor.parse()?)))
    }

    fn set(&self, length: u64, cursor: &Cursor) -> Result<(), Box<dyn Error>> {
        Ok(fs::write(&self.0, format!("{length} {cursor}"))?)
    }

    fn remove(&self) -> Result<(), Box<dyn Error>> {
        if self.0.exists() {
            fs::remove_file(&self.0)?;
        }
        Ok(())
    }
}
