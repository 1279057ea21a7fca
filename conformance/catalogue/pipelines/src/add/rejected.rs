//! Cases about rejected additions that name an organization which could be added: none of them is carried out.
//!
//! Elsewhere a request that is rejected names no organization, so that nothing can be added by mistake. A deployment
//! that adds first and validates then is only found here.

use serde_json::json;

use super::{add, body_of, largest_body};
use engine::case::values::UNKNOWN_KEY;
use engine::case::{Case, Need};
use engine::session::{Call, Probe};
use engine::target::PipelineRole::{ManyItems, Writable};
use engine::target::Role;
use engine::transport::client::ATTEMPTS;
use engine::transport::request::Body;
use engine::transport::response::HttpResponse;
use engine::verdict::{Outcome, Stop};
use platform_contract::Contract;

/// The limit on the requests of `add/rejected-adds-nothing`: one for each rejection, and more for the long body.
pub const REJECTED: u64 = 9 + ATTEMPTS as u64;

/// The rejections that a case sends, with an organization that could be added.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rejected {
    /// Those of any caller.
    OfTheRequest,
    /// That of a key without the permission.
    OfTheKey,
}

pub(super) fn cases(contract: &Contract) -> Vec<Case> {
    let add = contract.operation("add_organization");
    let case = |id: &str, title: &str, rejected: Rejected| {
        Case::quoting(
            format!("add/{id}"),
            title,
            "/info",
            "a response of 4xx means that nothing was changed",
        )
        .on([add.id.as_str()])
        .needs([Need::Writes, Need::Pipeline(ManyItems)])
        .point("rejected-addition")
        .adds(1)
        .check_with(rejected, adds_nothing)
    };
    vec![
        case(
            "rejected-adds-nothing",
            "A rejected request adds nothing, even if it names an organization that could be added",
            Rejected::OfTheRequest,
        )
        .writes(REJECTED),
        case(
            "denied-adds-nothing",
            "A denied key adds nothing, even if it names an organization that could be added",
            Rejected::OfTheKey,
        )
        .needs([Need::Key(Role::ReadOnly)])
        .writes(1),
    ]
}

/// Requests that the contract rejects, with an organization that could be added. The long body comes last: a connection
/// may be cut while it is sent.
pub fn rejections(probe: &Probe, organization: u64) -> Result<Vec<Call>, Stop> {
    let json = |body: String| {
        Ok::<_, Stop>(
            add(probe)?
                .header("Content-Type", "application/json")
                .body(Body::Text(body)),
        )
    };
    let sound = || json(body_of(organization));
    let typed = |name: &str| {
        Ok::<_, Stop>(
            add(probe)?
                .header("Content-Type", name)
                .body(Body::Text(body_of(organization))),
        )
    };
    Ok(vec![
        json(json!({ "organization_id": organization, "note": 1 }).to_string())?,
        json(json!({ "organization_id": organization.to_string() }).to_string())?,
        json(json!([{ "organization_id": organization }]).to_string())?,
        json(format!("{}}}", body_of(organization)))?,
        sound()?.query("offset", 1),
        sound()?.literal_keys([]),
        sound()?.literal_keys([UNKNOWN_KEY]),
        typed("text/plain")?,
        add(probe)?
            .header("Content-Type", "application/json")
            .body(Body::Padded(body_of(organization), largest_body(probe.contract()) + 1)),
    ])
}

async fn adds_nothing(probe: Probe, rejected: Rejected) -> Outcome {
    let organization = probe.organization_to_add()?;
    let before = probe.count_items(Writable).await?;
    let calls = match rejected {
        Rejected::OfTheRequest => rejections(&probe, organization)?,
        Rejected::OfTheKey => {
            let call = add(&probe)?.header("Content-Type", "application/json");
            vec![call.body(Body::Text(body_of(organization))).key(Role::ReadOnly)]
        }
    };
    let mut responses: Vec<HttpResponse> = Vec::new();
    for call in calls {
        let response = call.send().await?;
        // Whether it should have been rejected is checked elsewhere, with an organization that does not exist.
        if !(400..500).contains(&response.status) {
            return probe.inconclusive("a deployment that rejects what the contract rejects");
        }
        responses.push(response);
    }
    let after = probe.assert_items_added(Writable, &before, 0, responses.first());
    after.await
}
