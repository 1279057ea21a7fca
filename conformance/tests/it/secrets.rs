//! A key appears nowhere: not in a report, on the terminal, in a Debug text, or in an error, even if the deployment
//! repeats it.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::StatusCode;
use platform_conformance::report::Format;
use platform_conformance::report::har::Har;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::{ApiKey, KnownFailures, Options, Role, Target, catalogue, run, stub};

use crate::report::written;
use crate::served;

const SECRET: &str = "sk-live-51f0c9a7e2";
const TOKEN: &str = "gw-live-8b3d";
const CREDENTIALS: &str = "kit:p4ss-6c1e";
/// The credentials as sent to the proxy, in base64.
const ENCODED: &str = "a2l0OnA0c3MtNmMxZQ==";

/// A deployment that repeats the headers of requests in its responses: the key in a body, in a header, in an id, and
/// the other headers.
fn talkative() -> Router {
    Router::new().fallback(|request: Request| async move {
        let key = request
            .headers()
            .get("API-Key")
            .and_then(|key| key.to_str().ok())
            .unwrap_or_default()
            .to_owned();
        let sent = |name: &str| format!("{:?}", request.headers().get(name)).replace('"', "");
        let (token, proxy) = (sent("X-Gateway-Token"), sent("Proxy-Authorization"));
        let body = format!("{{\"status\": 500, \"code\": \"{key}\", \"detail\": \"{token} {proxy} {key} failed\"}}");
        let headers = [("X-Request-Id", key), ("Content-Type", "application/json".to_owned())];
        (StatusCode::INTERNAL_SERVER_ERROR, headers, body)
    })
}

/// A deployment behind a proxy and a gateway that require secrets. The proxy answers.
async fn target(router: Router) -> Target {
    let proxy = format!("http://{}", served::address(router).await);
    let target = stub::target(([192, 0, 2, 1], 80).into())
        .with_proxy(&proxy)
        .and_then(|target| target.with_proxy_credentials(CREDENTIALS, "PROXY_CREDENTIALS"))
        .and_then(|target| target.with_secret_header("X-Gateway-Token", TOKEN, "GATEWAY_TOKEN"))
        .unwrap();
    Role::ALL.into_iter().fold(target, |target, role| {
        target.with_key(role, ApiKey::new(SECRET, role.variable()).unwrap())
    })
}

#[tokio::test]
async fn no_report_contains_a_secret() {
    let target = target(talkative()).await;
    // A list of known failures may contain anything.
    let known = format!(
        "[[failure]]\nid = 'limit/*'\nreason = 'since {SECRET}'\nexpires = 9999-12-31\n\
         [[failure]]\nid = 'no/{SECRET}'\nreason = 'of {SECRET}'\nexpires = 2020-01-01\n"
    );
    let har = Arc::new(Har::begin(Vec::new()).unwrap());
    let options = Options {
        allow_writes: true,
        only: ["add/*", "auth/*", "header/*", "limit/*", "schema/*"]
            .map(Into::into)
            .into(),
        recorder: Some(Arc::clone(&har) as _),
        known_failures: KnownFailures::parse("known.toml", &known).unwrap(),
        ..Options::default()
    };
    let mut shown = Vec::new();
    let report = run(catalogue(), &target, &options, &mut Terminal::new(&mut shown, Some(80)))
        .await
        .unwrap();
    assert!(report.summary.failed > 100, "{:?}", report.summary);
    assert!(report.summary.known > 0 && report.summary.stale > 0);
    let mut texts = vec![
        String::from_utf8(shown).unwrap(),
        String::from_utf8(har.finish().unwrap()).unwrap(),
        format!("{report:?} {target:?} {options:?}"),
    ];
    for format in Format::ALL {
        texts.push(written(format, &report));
    }
    for text in &texts {
        for variable in ["$PLATFORM_API_KEY", "$GATEWAY_TOKEN", "$PROXY_CREDENTIALS"] {
            assert!(
                text.contains(variable),
                "a request names {variable} instead of the secret"
            );
        }
    }
    for text in texts {
        for secret in [SECRET, TOKEN, CREDENTIALS, ENCODED, "p4ss-6c1e"] {
            let place = text
                .find(secret)
                .map(|place| &text[place.saturating_sub(200)..(place + 100).min(text.len())]);
            assert_eq!(place, None);
        }
    }
}

#[tokio::test]
async fn trouble_does_not_show_the_key() {
    let key = ApiKey::new(SECRET, "PLATFORM_API_KEY").unwrap();
    let target = Target::new("http://127.0.0.1:9/")
        .unwrap()
        .with_key(Role::FullAccess, key);
    let report = run(
        catalogue(),
        &target,
        &Options::default(),
        &mut platform_conformance::report::Silent,
    )
    .await
    .unwrap();
    assert_eq!(report.summary.errored, report.cases.len());
    let text = format!("{report:?} {}", serde_json::to_string(&report).unwrap());
    assert!(!text.contains(SECRET));
}

#[test]
fn malformed_key_is_not_repeated() {
    for text in ["", " ", "line\nbreak"] {
        let error = ApiKey::new(text, "PLATFORM_API_KEY").unwrap_err();
        assert!(!format!("{error} {error:?}").contains("break"));
    }
}
