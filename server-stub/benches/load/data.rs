//! Time until the program's first response with large data, and the memory that the data takes.

use std::path::Path;
use std::time::Instant;

use tempfile::tempdir;
use tokio::process::Command;

use super::start::Program;
use super::{Client, Outcome, memory_kb, scaled};

const SIZES: [usize; 2] = [100_000, 1_000_000];

/// Generates data, writes it to files of both kinds, and starts the program with each.
pub(super) async fn from_lines() -> Outcome<()> {
    let folder = tempdir()?;
    for size in SIZES.map(scaled) {
        println!("data of {size} generated organizations, with products and items");
        for name in ["data.jsonl", "data.jsonl.zst"] {
            let path = folder.path().join(name);
            let start = Instant::now();
            generate(size, &path).await?;
            let megabytes = path.metadata()?.len() as f64 / 1e6;
            println!(
                "  {name:15} generated and written in {:.1?}, {megabytes:.0} MB",
                start.elapsed()
            );
            let start = Instant::now();
            let program = Program::start(&["--data", &path.to_string_lossy()]).await?;
            let mut client = Client::connect(program.address).await?;
            client.get("/search/organizations/1/similar?limit=1").await?;
            let taken = start.elapsed();
            let now = memory_kb(&program.id()?, "VmRSS:")? / 1e3;
            let most = memory_kb(&program.id()?, "VmHWM:")? / 1e3;
            println!("  {name:15} first search after {taken:.1?}, {now:.0} MB, at most {most:.0} MB");
            std::fs::remove_file(&path)?;
        }
    }
    Ok(())
}

async fn generate(size: usize, path: &Path) -> Outcome<()> {
    let mut program = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
    program.args(["--generate", &size.to_string(), "--write-data"]);
    let status = program.arg(path).status().await?;
    if !status.success() {
        return Err("the data could not be generated".into());
    }
    Ok(())
}
