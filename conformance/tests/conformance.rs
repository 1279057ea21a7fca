//! The reference server, checked against the contract by `cargo test`: one test for each case.
//!
//! The file looks like this in any service, with its own router, keys and pipelines instead of those of the reference
//! server. `.allow_writes()` adds the cases that write; here the test `reference_server` runs them too.

use std::process::ExitCode;

use platform_conformance::harness::Harness;
use platform_conformance::{catalogue, stub};
use platform_server_stub::Server;

fn main() -> ExitCode {
    let router = async { Server::built_in().router() };
    let target = stub::in_process();
    Harness::on_router(catalogue(), router, target).main()
}
