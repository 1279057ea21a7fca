//! A custom case: a rule that only your app relies on, run with the catalogue.
//!
//! ```sh
//! export PLATFORM_API_KEY=…
//! cargo run -p platform-conformance --example own_case -- https://staging.example
//! ```

use std::env;
use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use platform_conformance::report::terminal::Terminal;
use platform_conformance::{
    ApiKey, Basis, Case, Clause, Options, Outcome, Probe, Role, Target, catalogue, exit_code, run,
};

/// The cases of our company. Their ids begin with its name, so they never clash with ids of the catalogue.
pub(crate) fn own_cases() -> Vec<Case> {
    let rule = Clause {
        pointer: "/components/schemas/Organization/properties/name".to_owned(),
        sentence: "Our app shows the name of an organization as a heading: it is never empty.".to_owned(),
        basis: Basis::Decided("ACME-7".to_owned()),
    };
    let case = Case::resting_on(
        "acme/organizations-have-names",
        "No organization that a search finds has an empty name",
        vec![rule],
    );
    vec![case.in_chapter("What the app of Acme relies on").check(names_are_there)]
}

async fn names_are_there(probe: Probe) -> Outcome {
    let call = probe.call("search_organizations_by_description");
    let page = probe.ok(call.query("description", "fresh fish").send().await?)?;
    let results = page.at("/results").as_array();
    for result in results.into_iter().flatten() {
        let name = result["name"].as_str().unwrap_or_default();
        probe.assert(
            !name.trim().is_empty(),
            "the name of an organization",
            "not empty",
            result["name"].to_string(),
            &[&page],
        );
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    match check().await {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            // If standard error cannot be written, the message has nowhere to go.
            let _ = writeln!(io::stderr(), "error: {error}");
            ExitCode::from(exit_code::USAGE)
        }
    }
}

/// Runs the cases, and returns the exit code. A run that checked nothing does not pass.
async fn check() -> Result<u8, Box<dyn Error>> {
    let base_url = env::args().nth(1);
    let base_url = base_url.ok_or("name the base URL of a deployment: own_case -- https://staging.example")?;
    let key = env::var("PLATFORM_API_KEY");
    let key = key.map_err(|_| "set PLATFORM_API_KEY to a key of the deployment")?;
    let target = Target::new(&base_url)?.with_key(Role::FullAccess, ApiKey::new(key, "PLATFORM_API_KEY")?);
    let cases = [own_cases(), catalogue()].concat();
    let mut terminal = Terminal::new(anstream::stdout(), None);
    let report = run(cases, &target, &Options::default(), &mut terminal).await?;
    if let Some(obstacle) = report.obstacle() {
        writeln!(io::stderr(), "error: {obstacle}")?;
    }
    Ok(exit_code::of(&report.summary))
}
