//! Writes all items of a pipeline to a CSV file. Resumes after an interruption, and then fetches only what is new.
//!
//! ```sh
//! cargo run --release -p platform-examples --example export_pipeline -- items.csv
//! ```
//!
//! Interrupt it with Ctrl-C and run it again: it continues. Rows that are written are not updated when values change
//! later; delete `items.csv` to export all items again.
//!
//! It runs on the reference server, started in this process with 100,000 items (or as many as a second argument says),
//! unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a deployment. `PLATFORM_PIPELINE` is the id of the pipeline;
//! the default is the largest. It only reads.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use indicatif::DecimalBytes;
use platform_examples::{CsvFile, Outcome, Platform, count, crowded_server, finish, progress};

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let mut arguments = std::env::args().skip(1);
    let path = arguments.next();
    let path = path.ok_or("name the file to write: export_pipeline -- items.csv")?;
    let items = match arguments.next().map(|items| items.parse()) {
        None => 100_000,
        Some(Ok(items)) => items,
        Some(Err(_)) => return Err("the second argument is the number of items".into()),
    };
    let platform = Platform::connect_with(|| crowded_server(items), |builder| builder).await?;
    let mut file = match CsvFile::open(Path::new(&path))? {
        Some(file) => file,
        None => {
            let pipelines = platform.pipelines().await?.into_iter();
            let largest = pipelines.max_by_key(|pipeline| pipeline.total_count);
            CsvFile::create(Path::new(&path), largest.ok_or("there is no pipeline")?.id)?
        }
    };

    let (mut out, before) = (io::stdout(), file.bookmark.rows);
    let outcome = export(&platform, &mut file).await;
    let rows = count(file.bookmark.rows);
    if let Err(error) = outcome {
        writeln!(
            out,
            "{rows} rows are in {path}. Run the same command again to continue."
        )?;
        return Err(error);
    }
    let (pipeline, new) = (file.bookmark.pipeline, count(file.bookmark.rows - before));
    let (columns, size) = (file.bookmark.columns.len(), DecimalBytes(file.bookmark.bytes));
    writeln!(
        out,
        "Pipeline {pipeline} is in {path}: {rows} rows of {columns} columns, {size}."
    )?;
    writeln!(
        out,
        "{new} rows are new. Run the same command again to add those of new items."
    )?;
    Ok(())
}

/// Appends all items behind the bookmark to the file.
async fn export(platform: &Platform, file: &mut CsvFile) -> Outcome {
    let list = platform.client.list_items();
    let mut walk = list.pipeline_id(file.bookmark.pipeline).walk();
    let bar = progress("rows", 0);
    if let Some(cursor) = &file.bookmark.cursor {
        walk = walk.resume(cursor.clone());
        bar.set_position(file.bookmark.rows);
        bar.reset_eta();
    }
    // Several pages are fetched at once, in order. Each is on the disk before the bookmark moves.
    let mut pages = walk.pages()?;
    while let Some(page) = pages.next().await {
        let page = page?;
        file.append(&page.items, page.cursor)?;
        bar.set_length(page.total_count);
        bar.set_position(file.bookmark.rows);
    }
    bar.finish_and_clear();
    Ok(())
}
