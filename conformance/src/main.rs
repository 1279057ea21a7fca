//! The program `platform-conformance`. All it does is in the library; this reads the command line.

use std::process::ExitCode;

mod cli;

#[tokio::main]
async fn main() -> ExitCode {
    cli::main().await
}
