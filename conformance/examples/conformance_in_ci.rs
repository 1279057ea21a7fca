//! The contract as tests of a service, one for each case: in `cargo test`, and on staging.
//!
//! ```sh
//! cargo run -p platform-conformance --example conformance_in_ci
//! cargo run -p platform-conformance --example conformance_in_ci -- search-limit/default
//! ```
//!
//! The first command runs all cases, the second those whose ids contain `search-limit/default`. Both test the reference
//! server in this process, unless `PLATFORM_BASE_URL` and `PLATFORM_API_KEY` name a deployment. They only read.
//!
//! In your own service, this file is `tests/conformance.rs`, with your router:
//!
//! ```toml
//! [dev-dependencies]
//! platform-conformance = { path = "../platform/conformance", default-features = false, features = ["harness"] }
//!
//! [[test]]
//! name = "conformance"
//! harness = false
//! ```
//!
//! A CI job then has two steps. The first needs no network and stops a change that breaks the contract. The second runs
//! after the deployment to staging:
//!
//! ```yaml
//! - run: cargo test --test conformance
//! - run: cargo test --test conformance
//!   env:
//!     PLATFORM_BASE_URL: https://staging.example
//!     PLATFORM_API_KEY: ${{ secrets.STAGING_KEY }}
//! ```

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use platform_conformance::harness::Harness;
use platform_conformance::{ApiKey, Role, Target, catalogue};
use platform_server_stub::Server;

fn main() -> ExitCode {
    match harness() {
        Ok(harness) => harness.main(),
        Err(error) => {
            // If standard error cannot be written, the message has nowhere to go.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn harness() -> Result<Harness, Box<dyn Error>> {
    let Ok(base_url) = env::var("PLATFORM_BASE_URL") else {
        // A key that your service knows in tests. More keys, with other roles, let more cases run.
        let key = ApiKey::new("dev-full-access", "PLATFORM_API_KEY")?;
        let target = Target::in_process().with_key(Role::FullAccess, key);
        let router = async { Server::built_in().router() };
        return Ok(Harness::on_router(catalogue(), router, target));
    };
    let key = env::var("PLATFORM_API_KEY");
    let key = key.map_err(|_| "set PLATFORM_API_KEY to a key of the deployment")?;
    let key = ApiKey::new(key, "PLATFORM_API_KEY")?;
    let target = Target::new(&base_url)?.with_key(Role::FullAccess, key);
    Ok(Harness::on_deployment(catalogue(), target))
}
