//! Writes all items of a pipeline to a CSV file. Resumes after an interruption, and then fetches only what is new.
//!
//! ```sh
//! cargo run -p platform-examples --example export_pipeline -- items.csv
//! ```
//!
//! Interrupt it with Ctrl-C and run it again: it continues. Rows that are written are not updated when values change
//! later; delete `items.csv` to export all items again.
//!
//! It runs on the reference server, started in this process with 100,000 items (or the number in a second argument),
//! unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a deployment. `PLATFORM_PIPELINE` is the id of the pipeline;
//! the default is the largest. It only reads.

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use indicatif::DecimalBytes;
use platform_examples::{CsvFile, Outcome, Platform, arguments, counted, crowded_server, finish, progress};
use tokio::signal::ctrl_c;

#[tokio::main]
async fn main() -> ExitCode {
    finish(run().await)
}

async fn run() -> Outcome {
    let [path, items] = arguments("export_pipeline items.csv [count]")?;
    let path = path.ok_or("name the file to write: export_pipeline -- items.csv")?;
    let items = match items.map(|items| items.parse()) {
        None => 100_000,
        Some(Ok(items)) => items,
        Some(Err(_)) => return Err("the second argument is the number of items".into()),
    };
    let mut out = io::stdout();
    let server = || {
        // If standard output cannot be written, the next line ends the program.
        let _ = writeln!(
            io::stdout(),
            "Starting the reference server with {}.",
            counted(items, "item")
        );
        crowded_server(items)
    };
    let platform = Platform::connect_with(server, |builder| builder).await?;
    let mut file = match CsvFile::open(Path::new(&path))? {
        Some(file) => file,
        None => {
            writeln!(out, "Looking for the pipeline to read.")?;
            let pipelines = platform.pipelines().await?.into_iter();
            let largest = pipelines.max_by_key(|pipeline| pipeline.total_count);
            CsvFile::create(Path::new(&path), largest.ok_or("there is no pipeline")?.id)?
        }
    };
    let (pipeline, before) = (file.bookmark.pipeline, file.bookmark.rows);
    if Platform::named_pipeline()?.is_some_and(|named| named != pipeline) {
        return Err(format!("{path} holds pipeline {pipeline}; name another file for another pipeline").into());
    }

    writeln!(out, "Reading pipeline {pipeline} into {path}.")?;
    // The file and its bookmark agree whenever the export waits for a page, so it can stop there.
    let outcome = tokio::select! {
        outcome = export(&platform, &mut file) => outcome,
        Ok(()) = ctrl_c() => Err("interrupted".into()),
    };
    let rows = counted(file.bookmark.rows, "row");
    if let Err(error) = outcome {
        writeln!(out, "{path} has {rows}. Run the command again to continue.")?;
        return Err(error);
    }
    let (columns, size) = (file.bookmark.columns.len() as u64, DecimalBytes(file.bookmark.bytes));
    let (columns, new) = (counted(columns, "column"), counted(file.bookmark.rows - before, "row"));
    writeln!(out, "{path} has {rows} of {columns}, {size}.")?;
    writeln!(out, "Added {new}. Run the command again to fetch new items.")?;
    Ok(())
}

/// Appends all items behind the bookmark to the file.
async fn export(platform: &Platform, file: &mut CsvFile) -> Outcome {
    let list = platform.client.list_items();
    let mut walk = list.pipeline_id(file.bookmark.pipeline).walk();
    if let Some(cursor) = &file.bookmark.cursor {
        walk = walk.resume(cursor.clone());
    }
    // Several pages are fetched at once, in order. Each is on the disk before the bookmark moves.
    let (mut pages, mut bar) = (walk.pages()?, None);
    while let Some(page) = pages.next().await {
        let page = page?;
        // The first page has the number of items. The time that is left is estimated from there on.
        let bar = bar.get_or_insert_with(|| {
            let bar = progress("rows", page.total_count).with_position(file.bookmark.rows);
            bar.reset_eta();
            bar
        });
        file.append(&page.items, page.cursor)?;
        bar.set_length(page.total_count);
        bar.set_position(file.bookmark.rows);
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
    Ok(())
}
