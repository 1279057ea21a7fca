//! Whether a deployment can be judged at all: a wrong key, a key without permission, a wrong base URL, a wrong clock or
//! an unreachable host are detected with a few reads, and reported once, before hundreds of cases fail for one reason.
//!
//! Nothing is judged here. A run is only stopped when no route behaves like a deployment of the contract, even a broken
//! one: the cases find all other defects.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::pin;
use std::time::Duration;

use chrono::{DateTime, Utc};
use futures::StreamExt;
use futures::future::select;
use futures::stream::FuturesUnordered;
use reqwest::header::{CONTENT_TYPE, DATE, LOCATION};

use crate::target::key::ApiKey;
use crate::target::{PipelineRole, Role, Target};
use crate::transport::client::Client;
use crate::transport::failed::{Failed, Kind};
use crate::transport::request::{Credential, Request, encode};
use crate::transport::response::HttpResponse;
use platform_contract::{Contract, Operation};

/// The limit on requests that it sends.
pub(crate) const SENDS: u64 = 3;
/// How long to wait for the other requests after one response came from a deployment of the contract.
const GRACE: Duration = Duration::from_secs(1);
/// The search text when any text will do.
const ANY_TEXT: &str = "software";
/// The pipeline that is listed when the target names none.
const ANY_PIPELINE: u64 = 1;
/// The members of the page of a search or a list. One of them shows that the service is the right one.
const MEMBERS_OF_PAGES: [&str; 4] = ["total_count", "results", "items", "pipeline_id"];
/// How far the clock of a deployment may be from that of this machine, in hours.
const HOURS_APART: i64 = 1;
/// The code of a deployment that has the route but not the pipeline.
const NO_PIPELINE: &str = "pipeline_not_found";
/// The code of a deployment that does not have the route.
const NO_ROUTE: &str = "route_not_found";

/// Why a deployment cannot be judged, as one sentence for a person that also says how to fix it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle(String);

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a response shows about a service that does not behave like a deployment of the contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Sign {
    /// The key is not accepted.
    Unauthenticated,
    /// The key may not do this.
    Denied,
    /// It is another service, or another path of the same service.
    Elsewhere,
    /// It has none of the members of a page: another service, if all paths have the same response.
    NoPage,
}

/// A response with a sign, and its request.
type Signed<'a> = (Sign, &'a Request, HttpResponse);

/// Sends two searches and a list at once, until one response comes from a deployment of the contract, even a broken
/// one.
///
/// # Errors
/// When none of them does, and all responses agree on what is wrong. Also when the clocks are too far apart.
pub(crate) async fn look(client: &Client, target: &Target, contract: &Contract) -> Result<(), Obstacle> {
    let requests = requests(target, contract);
    let asked = requests.iter().enumerate();
    let mut asked: FuturesUnordered<_> = asked
        .map(|(place, request)| async move { (place, request, client.ask_once(request).await) })
        .collect();
    let (mut signs, mut failures) = (BTreeMap::new(), Vec::new());
    while let Some((place, request, answered)) = asked.next().await {
        match answered {
            Ok(Ok(response)) => match sign(&response) {
                Some(sign) => drop(signs.insert(place, (sign, request, response))),
                None => {
                    // The other requests finish, so that every run sends the same ones; a hanging route is not waited
                    // for.
                    let rest = pin!(asked.count());
                    select(rest, client.clock().sleep(GRACE)).await;
                    return clocks_apart(target, &response).map_or(Ok(()), Err);
                }
            },
            // An endless body is a response too.
            Ok(Err(failed)) if failed.kind == Kind::TooLong => return Ok(()),
            Ok(Err(failed)) => failures.push(failed),
            // The run is interrupted, or may send nothing: the cases report it.
            Err(_) => return Ok(()),
        }
    }
    // The sentence does not depend on which response comes first.
    let signs: Vec<_> = signs.into_values().collect();
    let obstacle = match (&signs[..], failures.first()) {
        ([], Some(failed)) => Some(unreached(client, target, failed)),
        // One response alone may show a defect of its route.
        ([_, _, ..], _) => agreed(client, target, &signs),
        _ => None,
    };
    obstacle.map_or(Ok(()), |obstacle| Err(Obstacle(obstacle)))
}

/// What is wrong according to all of these responses, if they agree.
fn agreed(client: &Client, target: &Target, signs: &[Signed<'_>]) -> Option<String> {
    let all = |of: &[Sign]| signs.iter().all(|(sign, ..)| of.contains(sign));
    let (_, request, response) = signs.iter().min_by_key(|(sign, ..)| *sign)?;
    // A deployment may lack one of the routes.
    let has_route = |(.., response): &&Signed<'_>| response.code() != Some(NO_ROUTE);
    let routed: Vec<_> = signs.iter().filter(has_route).collect();
    let is_of_key = |(sign, ..): &&Signed<'_>| [Sign::Unauthenticated, Sign::Denied].contains(sign);
    if routed.len() > 1 && routed.iter().all(is_of_key) {
        return Some(not_accepted(client, target, request, response));
    }
    let have_one_body = signs.iter().all(|(.., other)| other.text == response.text);
    (all(&[Sign::Elsewhere]) || all(&[Sign::NoPage]) && have_one_body)
        .then(|| elsewhere(client, target, request, response))
}

/// Reads on three routes.
pub(crate) fn requests(target: &Target, contract: &Contract) -> [Request; SENDS as usize] {
    let search = |operation| {
        read(
            contract.operation(operation),
            &format!("description={}&limit=1", encode(ANY_TEXT)),
        )
    };
    let roles = [
        PipelineRole::ManyItems,
        PipelineRole::Other,
        PipelineRole::NotOrganizations,
    ];
    let named = roles.iter().find_map(|role| target.pipelines.get(role));
    let mut list = read(contract.operation("list_items"), "limit=1");
    let pipeline_id = named.copied().unwrap_or(ANY_PIPELINE).to_string();
    list.path = list.path.replace("{pipeline_id}", &pipeline_id);
    [
        search("search_organizations_by_description"),
        search("search_products_by_description"),
        list,
    ]
}

fn read(operation: &Operation, query: &str) -> Request {
    Request {
        method: operation.method.clone(),
        path: format!("{}?{query}", operation.path),
        credential: Credential::Role(Role::FullAccess),
        headers: Vec::new(),
        body: None,
        waits: true,
    }
}

/// What is wrong, when the response does not come from a deployment of the contract.
fn sign(response: &HttpResponse) -> Option<Sign> {
    let is_lookup = response.code() == Some(NO_PIPELINE);
    let has_member = |member| response.body.get(member).is_some();
    match response.status {
        401 => Some(Sign::Unauthenticated),
        403 => Some(Sign::Denied),
        300..=399 => Some(Sign::Elsewhere),
        404 if !is_lookup => Some(Sign::Elsewhere),
        200..=299 if !response.is_json && !is_almost_json(response) => Some(Sign::Elsewhere),
        200..=299 if response.is_json && !MEMBERS_OF_PAGES.into_iter().any(has_member) => Some(Sign::NoPage),
        _ => None,
    }
}

/// Why no verdict on times would hold, if the clock of the deployment and that of this machine are too far apart.
fn clocks_apart(target: &Target, response: &HttpResponse) -> Option<Obstacle> {
    let date = DateTime::parse_from_rfc2822(response.header(DATE.as_str())?).ok()?;
    let there = date.to_utc();
    let hours = (there - Utc::now()).num_hours().abs();
    (hours > HOURS_APART).then(|| {
        Obstacle(format!(
            "the clocks disagree by more than {HOURS_APART} hour: the Date of {} is {there}. Set its clock or that of \
             this machine",
            target.base_url
        ))
    })
}

/// Whether a body is JSON except for its encoding: a departure of the right service, which the cases report.
fn is_almost_json(response: &HttpResponse) -> bool {
    let media_type = response.header(CONTENT_TYPE.as_str()).unwrap_or_default();
    let is_other_text = response.not_utf_8.is_some() && response.encoding().is_none() && media_type.contains("json");
    response.has_byte_order_mark() || is_other_text
}

/// What rustls calls the alerts of a server about the certificate of its client.
const ALERTS_ABOUT_CERTIFICATES: [&str; 8] = [
    "AccessDenied",
    "BadCertificate",
    "CertificateExpired",
    "CertificateRequired",
    "CertificateRevoked",
    "CertificateUnknown",
    "UnknownCA",
    "UnsupportedCertificate",
];
/// Alerts that may be about the certificate: of a server with TLS 1.2 that receives none, and of one that cannot verify
/// it. They have other meanings too.
const ALERTS_OF_ANY_KIND: [&str; 2] = ["DecryptError", "HandshakeFailure"];

/// Why a server ended the TLS handshake, if it wants a certificate of its client, or may want one.
fn client_certificate(target: &Target, failed: &Failed) -> Option<String> {
    let (_, alert) = failed.text.split_once("received fatal alert: ")?;
    let alert: String = alert.chars().take_while(|char| char.is_alphanumeric()).collect();
    let url = &target.base_url;
    let options = "with --client-cert and --client-key";
    let is_about_it = ALERTS_ABOUT_CERTIFICATES.contains(&alert.as_str());
    let may_be = ALERTS_OF_ANY_KIND.contains(&alert.as_str());
    match target.connection.client_certificate() {
        Some(_) if is_about_it => Some(format!(
            "{url} rejects the client certificate (alert {alert}): name one that it accepts {options}"
        )),
        Some(_) if may_be => Some(format!(
            "{url} rejects the TLS handshake (alert {alert}), perhaps for the client certificate: name one that it \
             accepts {options}"
        )),
        None if is_about_it => Some(format!("{url} asks for a client certificate: name one {options}")),
        None if may_be => Some(format!(
            "{url} rejects the TLS handshake (alert {alert}): if it asks for a client certificate, name one {options}"
        )),
        _ => None,
    }
}

fn unreached(client: &Client, target: &Target, failed: &Failed) -> String {
    let url = &target.base_url;
    // Some causes end with the address of a manual.
    let cause = failed.cause.split(": https://").next().unwrap_or_default();
    if let Some(sentence) = client_certificate(target, failed) {
        return sentence;
    }
    match failed.kind {
        Kind::TooLate => format!(
            "{url} did not respond within {} s: check the base URL and that the service is up, or allow more time with \
             --timeout",
            client.timeout().as_secs()
        ),
        // The handshake succeeded, so the scheme is right. A server may check the certificate of its client only then.
        Kind::BrokenOff if url.scheme() == "https" => format!(
            "{url} closed the connection without a response ({cause}): check the base URL, and if it asks for a client \
             certificate, name one that it accepts with --client-cert and --client-key"
        ),
        Kind::BrokenOff => format!(
            "{url} closed the connection without a response ({cause}): check the base URL and its scheme, http or https"
        ),
        Kind::NotSent if cause.contains("certificate") => {
            format!("{url} is not trusted ({cause}): name the authority of its certificate with --ca-file")
        }
        Kind::NotSent | Kind::Lasting | Kind::TooLong => {
            format!(
                "{url} could not be reached ({cause}): check the base URL, its scheme (http or https), and that the \
                     service is up"
            )
        }
    }
}

fn not_accepted(client: &Client, target: &Target, request: &Request, response: &HttpResponse) -> String {
    let key = target.keys.get(&Role::FullAccess);
    let variable = key.map_or(Role::FullAccess.variable(), |key| key.variable());
    // Text from the service is shown only if it is a plain code.
    let is_code = |code: &&str| code.chars().all(|char| char.is_ascii_lowercase() || char == '_');
    let code = response.code().filter(is_code);
    let code = code.map(|code| format!(" {}", client.secrets().excerpt(code)));
    let status = response.status;
    let (is_wrong, needed) = match status {
        403 => ("has no permission", "a key with full access to this deployment"),
        _ => ("is not accepted", "a key of this deployment"),
    };
    if let Some(command) = key.and_then(ApiKey::command) {
        return format!(
            "the key that `{command}` prints {is_wrong}: {} got a {status}{}. Check the command, or the base URL {}",
            shown(request),
            code.unwrap_or_default(),
            target.base_url
        );
    }
    format!(
        "the key in {variable} {is_wrong}: {} got a {status}{}. Set {variable} to {needed}, or check the base URL {}",
        shown(request),
        code.unwrap_or_default(),
        target.base_url
    )
}

fn elsewhere(client: &Client, target: &Target, request: &Request, response: &HttpResponse) -> String {
    let (url, asked, status) = (&target.base_url, shown(request), response.status);
    let clean = |text: &str| client.secrets().excerpt(text);
    match response.header(LOCATION.as_str()) {
        Some(location) if (300..=399).contains(&status) => {
            let (place, _) = location.split_once('?').unwrap_or((location, ""));
            let path = request.path.split('?').next().unwrap_or_default();
            let advice = match place.strip_suffix(path) {
                Some(base) if base.contains("://") => {
                    format!("use the base URL {}", clean(base))
                }
                _ => "use the base URL of the service itself".to_owned(),
            };
            format!(
                "{url} redirects: {asked} got a {status} to {}. Redirects are not followed; {advice}",
                clean(place)
            )
        }
        _ if response.encoding().is_some() => format!(
            "{url} encodes its responses, and no request asks for that: {asked} got a {status} with Content-Encoding: \
             {}. Turn the encoding off for requests without Accept-Encoding, in the service or in a proxy before it",
            clean(response.encoding().unwrap_or_default())
        ),
        _ => {
            let media_type = response.header(CONTENT_TYPE.as_str()).unwrap_or_default();
            let media_type = media_type.split(';').next().unwrap_or_default().trim();
            let media_type = match media_type {
                "" => String::new(),
                known => format!(" ({})", clean(known)),
            };
            let same = match sign(response) {
                Some(Sign::NoPage) => ", as every path does",
                _ => "",
            };
            format!(
                "{url} does not respond like this API: {asked} got a {status}{media_type}{same}. Check the base URL: it \
                 may lack a path"
            )
        }
    }
}

/// The method and the path of a request.
fn shown(request: &Request) -> String {
    let path = request.path.split('?').next().unwrap_or_default();
    format!("{} {path}", request.method)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alert_of_a_handshake_names_the_client_certificate() {
        let target = Target::new("https://localhost:8443").unwrap();
        let sentence = |text: &str| {
            let failed = Failed::lasting(text.to_owned());
            client_certificate(&target, &failed)
        };
        let with_alert = |alert: &str| sentence(&format!("error: received fatal alert: {alert}: Connection reset"));
        let wanted = "name one with --client-cert and --client-key";
        for alert in ["CertificateRequired", "BadCertificate", "UnknownCA", "HandshakeFailure"] {
            let sentence = with_alert(alert).unwrap();
            assert!(sentence.contains(wanted), "{sentence}");
        }
        assert_eq!(with_alert("ProtocolVersion"), None);
        assert_eq!(sentence("Connection refused (os error 111)"), None);
    }
}
