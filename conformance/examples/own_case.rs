//! A custom case: a rule that only your app relies on, run with the catalogue.
//!
//! ```sh
//! export PLATFORM_API_KEY=…
//! cargo run -p platform-conformance --example own_case -- https://staging.example
//! ```

use std::error::Error;

use platform_conformance::report::terminal::Terminal;
use platform_conformance::{ApiKey, Basis, Case, Clause, Options, Outcome, Probe, Role, Target, catalogue, run};

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
async fn main() -> Result<(), Box<dyn Error>> {
    let base_url = std::env::args().nth(1).ok_or("give the base URL of a deployment")?;
    let key = ApiKey::new(std::env::var("PLATFORM_API_KEY")?, "PLATFORM_API_KEY")?;
    let target = Target::new(&base_url)?.with_key(Role::FullAccess, key);
    let cases = [own_cases(), catalogue()].concat();
    let report = run(
        cases,
        &target,
        &Options::default(),
        &mut Terminal::new(anstream::stdout(), None),
    )
    .await?;
    match report.summary.failed {
        0 => Ok(()),
        failed => Err(format!("{failed} cases failed").into()),
    }
}
