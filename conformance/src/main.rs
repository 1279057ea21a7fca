//! The program `platform-conformance`: parses the command line and calls the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;

mod cli;

/// A run mostly parses JSON: a quarter of its time went into the allocator of the C library.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[tokio::main]
async fn main() -> ExitCode {
    cli::main().await
}
