//! The program `platform-conformance`. All it does is in the library; this reads the command line.

use std::process::ExitCode;

use mimalloc::MiMalloc;

mod cli;

/// A run is made of JSON: a quarter of its time went into the allocator of the C library.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::main().await
}
