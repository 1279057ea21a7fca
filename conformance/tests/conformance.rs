//! The reference server, held to the contract by `cargo test`: one test a case.
//!
//! This is what such a file looks like in any service; its own router, keys and pipelines stand in the place
//! of those of the reference server.

use std::process::ExitCode;

use platform_conformance::harness::Harness;
use platform_conformance::{catalogue, stub};
use platform_server_stub::Server;

fn main() -> ExitCode {
    let router = async { Server::built_in().router() };
    let target = stub::in_process();
    Harness::on_router(catalogue(), router, target)
        .allow_writes()
        .main()
}
