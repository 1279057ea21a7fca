//! Requests that are sent byte for byte: how they reach the deployment, what they never send, and how they are shown.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use platform_conformance::report::har::Har;
use platform_conformance::report::{self, Silent};
use platform_conformance::{Case, Conversation, End, Message, Options, Report, Target, Verdict, catalogue, run, stub};
use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::connection::{Tls, assert_all_passed, with_key};
use crate::served;

/// Runs the cases that send their requests byte for byte, with these options.
async fn run_with(target: &Target, options: Options) -> Report {
    let options = Options {
        only: vec!["http/*".into()],
        ..options
    };
    run(catalogue(), target, &options, &mut Silent).await.unwrap()
}

/// An address in front of another one, and the bytes that clients send to it.
async fn tapped(behind: SocketAddr) -> (SocketAddr, Arc<Mutex<Vec<Vec<u8>>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let log: Arc<Mutex<Vec<Vec<u8>>>> = Arc::default();
    let notes = Arc::clone(&log);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(behind).await.unwrap();
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            let notes = Arc::clone(&notes);
            tokio::spawn(async move {
                let mut buffer = vec![0; 1 << 20];
                while let Ok(length @ 1..) = from_client.read(&mut buffer).await {
                    notes.lock().unwrap().push(buffer[..length].to_vec());
                    if to_server.write_all(&buffer[..length]).await.is_err() {
                        return;
                    }
                }
                let _ = to_server.shutdown().await;
            });
            tokio::spawn(async move {
                let _ = tokio::io::copy(&mut from_server, &mut to_client).await;
                let _ = to_client.shutdown().await;
            });
        }
    });
    (address, log)
}

#[tokio::test(flavor = "multi_thread")]
async fn only_reads_are_sent_without_permission() {
    let behind = served::address(crate::served::router()).await;
    let (address, log) = tapped(behind).await;
    let report = run_with(&stub::target(address), Options::default()).await;
    assert_eq!(report.summary.failed, 0, "{report:#?}");
    assert!(report.summary.passed > 10, "{:?}", report.summary);
    let log = std::mem::take(&mut *log.lock().unwrap());
    assert!(log.len() > 20, "{}", log.len());
    let all = String::from_utf8(log.concat()).unwrap();
    for method in ["POST ", "PUT ", "PATCH ", "DELETE ", "OPTIONS "] {
        assert!(!all.contains(method), "{method}");
    }
    assert!(all.contains("HEAD ") && all.contains(" and more HTTP/1.1"));
}

/// A case with this conversation and without expectations.
fn own(conversation: Conversation) -> Case {
    let clause = catalogue()[0].clauses[0].clone();
    Case::resting_on("own/talk", "A conversation", vec![clause]).check(move |probe| {
        let conversation = conversation.clone();
        async move {
            let talk = probe.talk(&conversation).await?;
            let seen = talk.end.shown().to_owned();
            probe.assert_shown(false, "the end", "", &seen, [talk.line.to_string()].into_iter());
            Ok(())
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn message_that_may_write_needs_permission_and_budget() {
    let behind = served::address(crate::served::router()).await;
    for hidden in [
        Message::new("POST", "/api/v1/pipelines/6/organizations").body("{}"),
        Message::get("/").body("POST / HTTP/1.1\r\n\r\n"),
    ] {
        let (address, log) = tapped(behind).await;
        let target = stub::target(address);
        for allow_writes in [false, true] {
            let options = Options {
                allow_writes,
                ..Options::default()
            };
            let case = own(Conversation::of(hidden.clone()));
            let report = run(vec![case], &target, &options, &mut Silent).await.unwrap();
            let verdict = report.case("own/talk").unwrap().verdict;
            assert!([Verdict::Skipped, Verdict::Errored].contains(&verdict), "{report:#?}");
        }
        let sent = log.lock().unwrap().concat();
        assert!(!String::from_utf8(sent).unwrap().contains("POST "));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn skipped_method_in_lower_case_is_named_as_such() {
    let target = stub::target(served::address(crate::served::router()).await);
    for (method, reason) in [
        ("POST", "sends POST; needs --allow-writes"),
        ("get", "sends the method `get` (lower case); needs --allow-writes"),
    ] {
        let case = own(Conversation::of(Message::new(method, "/")));
        let report = run(vec![case], &target, &Options::default(), &mut Silent).await;
        let report = report.unwrap();
        let case = report.case("own/talk").unwrap();
        assert_eq!((case.verdict, case.reason.as_deref()), (Verdict::Skipped, Some(reason)));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_stay_within_the_announcement() {
    let behind = served::address(crate::served::router()).await;
    let (address, _) = tapped(behind).await;
    let twenty = (0..20).map(|_| Message::get("/api/v1/pipelines/1/items?limit=1"));
    let case = own(Conversation::at_once(twenty)).sends(19);
    let report = run(vec![case], &stub::target(address), &Options::default(), &mut Silent)
        .await
        .unwrap();
    let case = report.case("own/talk").unwrap();
    assert_eq!(case.verdict, Verdict::Errored, "{case:#?}");
    assert!(case.reason.as_deref().unwrap().contains("19 requests"));
}

#[tokio::test]
async fn raw_requests_use_the_certificates_of_the_target() {
    let tls = Tls::start_for_clients("localhost").await;
    let url = format!("https://localhost:{}", tls.address.port());
    let target = with_key(Target::new(&url).unwrap().with_ca_file(tls.ca_file()).unwrap());
    let key = Some(tls.file("client-key.pem"));
    let known = target.with_client_certificate(tls.file("client.pem"), key);
    let options = Options {
        exclude: [
            "http/*addition*",
            "http/*/add_organization",
            "http/cut-off*",
            "http/*chunk*",
            "http/lower-case*",
        ]
        .map(Into::into)
        .into(),
        ..Options::default()
    };
    assert_all_passed(&run_with(&known.unwrap(), options.clone()).await);
    let other = Tls::start("other.example").await;
    let url = format!("https://localhost:{}", other.address.port());
    let insecure = with_key(Target::new(&url).unwrap().insecure());
    assert_all_passed(&run_with(&insecure, options).await);
}

/// A deployment that answers every list request wrongly after a request with a body.
fn wrong() -> Router {
    crate::served::router().layer(axum::middleware::from_fn(
        |request: axum::extract::Request, next: axum::middleware::Next| async move {
            let echo = format!("{:?}", request.headers().get("api-key"));
            match request.uri().query() {
                Some("limit=1") if request.headers().get("accept").is_some() => {
                    (StatusCode::IM_A_TEAPOT, echo).into_response()
                }
                _ => next.run(request).await,
            }
        },
    ))
}

#[tokio::test(flavor = "multi_thread")]
async fn conversation_is_shown_and_recorded_without_the_key() {
    let address = served::address(wrong()).await;
    let har = Arc::new(Har::begin(Vec::new()).unwrap());
    let options = Options {
        recorder: Some(har.clone()),
        ..Options::default()
    };
    let report = run_with(&stub::target(address), options).await;
    let failed = report.case("http/head-has-no-body").unwrap();
    assert_eq!(failed.verdict, Verdict::Failed, "{failed:#?}");
    let line = &failed.findings[0].requests[0];
    let port = format!("| nc '127.0.0.1' {}", address.port());
    assert!(
        line.starts_with("{ printf 'HEAD /api/v1/pipelines/1/items?limit=1 HTTP/1.1\\r\\n"),
        "{line}"
    );
    assert!(
        line.contains("API-Key: %s\\r\\n") && line.contains(" \"$PLATFORM_API_KEY\"; sleep 1; printf 'GET "),
        "{line}"
    );
    assert!(line.ends_with(&port), "{line}");
    let mut text = Vec::new();
    report::json::write(&report, &mut text).unwrap();
    let text = String::from_utf8(text).unwrap();
    let har = String::from_utf8(har.finish().unwrap()).unwrap();
    for text in [&text, &har] {
        assert!(!text.contains("dev-full-access"));
    }
    let har: Value = serde_json::from_str(&har).unwrap();
    let entries = har["log"]["entries"].as_array().unwrap();
    assert_eq!(entries.len() as u64, report.requests);
    let of_case = entries
        .iter()
        .filter(|entry| entry["_caseId"] == "http/head-has-no-body");
    let comments: Vec<_> = of_case.map(|entry| entry["comment"].as_str().unwrap()).collect();
    assert!(comments.len() >= 6, "{comments:#?}");
    assert!(comments.iter().all(|comment| comment.contains("| nc ")));
}

#[tokio::test(flavor = "multi_thread")]
async fn deployment_that_never_responds_is_given_up_in_time() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let sound = served::address(crate::served::router()).await;
    tokio::spawn(async move {
        while let Ok((mut client, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut first = [0; 4096];
                let length = client.read(&mut first).await.unwrap_or(0);
                // A malformed request is never answered.
                if String::from_utf8_lossy(&first[..length]).contains(" and more ") {
                    std::future::pending::<()>().await;
                }
                let mut server = TcpStream::connect(sound).await.unwrap();
                server.write_all(&first[..length]).await.unwrap();
                let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
            });
        }
    });
    let options = Options {
        timeout: std::time::Duration::from_secs(1),
        ..Options::default()
    };
    let report = run_with(&stub::target(address), options).await;
    let silent = report
        .case("http/malformed-is-rejected/words-behind-the-target")
        .unwrap();
    assert_eq!(silent.verdict, Verdict::Failed, "{silent:#?}");
    assert_eq!(silent.findings[0].seen, End::Silent.shown());
    let other = report.case("http/malformed-is-rejected/no-host").unwrap();
    assert_eq!(other.verdict, Verdict::Passed, "{other:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_failure_after_a_rejected_addition_is_not_judged() {
    let failing = Arc::new(AtomicBool::new(false));
    let router = crate::served::router().layer(axum::middleware::from_fn(
        move |request: axum::extract::Request, next: axum::middleware::Next| {
            let failing = Arc::clone(&failing);
            async move {
                let is_read = request.method() == axum::http::Method::GET;
                match failing.swap(!is_read, Ordering::Relaxed) && is_read {
                    true => (StatusCode::BAD_GATEWAY, "<h1>Bad Gateway</h1>").into_response(),
                    false => next.run(request).await,
                }
            }
        },
    ));
    let target = stub::target(served::address(router).await);
    let options = Options {
        only: vec!["http/body-of-an-addition-is-not-a-request".into()],
        allow_writes: true,
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    let case = report.case("http/body-of-an-addition-is-not-a-request").unwrap();
    assert_eq!(case.verdict, Verdict::Inconclusive, "{case:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn additions_that_a_quota_rejects_are_not_judged() {
    let router = crate::served::router().layer(axum::middleware::from_fn(
        |request: axum::extract::Request, next: axum::middleware::Next| async move {
            match request.method() == axum::http::Method::POST {
                true => (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "1")]).into_response(),
                false => next.run(request).await,
            }
        },
    ));
    let target = stub::target(served::address(router).await);
    let cases = ["http/chunked-body-is-read", "http/malformed-chunks-are-rejected/*"];
    let options = Options {
        only: cases.map(Into::into).into(),
        allow_writes: true,
        ..Options::default()
    };
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.cases.len(), 4);
    for case in &report.cases {
        assert_eq!(case.verdict, Verdict::Inconclusive, "{case:#?}");
    }
}
