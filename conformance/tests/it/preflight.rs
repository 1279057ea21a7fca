//! Obstacles to a run: a rejected key, a wrong base URL, an unreachable host. Each is reported once and early. A
//! deployment that is merely broken is still checked.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use futures::future::join_all;
use platform_conformance::report::{Format, Silent, Trouble};
use platform_conformance::{
    ApiKey, Options, Report, Role, Target, Verdict, attempts_to_wait, catalogue, exit_code, init, plan, run,
};
use tokio::net::TcpSocket;

use crate::report::written;
use crate::served;

const KEY: &str = "sk-live-51f0c9a7e2";

fn target(base_url: &str, key: &str) -> Target {
    let key = ApiKey::new(key, "STAGING_KEY").unwrap();
    Target::new(base_url).unwrap().with_key(Role::FullAccess, key)
}

async fn url(router: Router) -> String {
    format!("http://{}", served::address(router).await)
}

fn some(only: &[&str]) -> Options {
    Options {
        only: only.iter().map(|pattern| (*pattern).into()).collect(),
        timeout: Duration::from_secs(3),
        ..Options::default()
    }
}

fn searches(request: &Request) -> bool {
    request.uri().path().starts_with("/search/")
}

/// A listener that never accepts, while the kernel still accepts connections.
struct Unanswered {
    url: String,
    _listener: std::net::TcpListener,
}

fn never_answers() -> Unanswered {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    Unanswered {
        url: format!("http://{}", listener.local_addr().unwrap()),
        _listener: listener,
    }
}

async fn redirects(request: Request) -> Response {
    let to = format!("https://api.example{}", request.uri());
    Redirect::permanent(&to).into_response()
}

async fn signs_in() -> Response {
    let to = "/login?next=secret";
    (StatusCode::FOUND, [(header::LOCATION, to)]).into_response()
}

#[tokio::test(flavor = "multi_thread")]
async fn obstacle_is_reported_in_one_sentence() {
    let silent = never_answers();
    let not_found = Router::new().fallback(|| async { (StatusCode::NOT_FOUND, Html("nginx")) });
    let page = Router::new().fallback(|| async { Html("<!doctype html><title>An app</title>") });
    let health = Router::new().fallback(|| async { axum::Json(serde_json::json!({ "status": "ok" })) });
    let forbidden = Router::new().fallback(|| async {
        let body = serde_json::json!({ "message": "Missing Authentication Token" });
        (StatusCode::FORBIDDEN, axum::Json(body))
    });
    // It is broken, but of the contract.
    let elsewhen = Router::new().fallback(|| async {
        let date = [(header::DATE, "Mon, 01 Jan 2018 10:00:00 GMT")];
        (date, axum::Json(serde_json::json!({ "total_count": 0, "results": [] })))
    });
    let other_api = Router::new().fallback(|| async {
        let body = serde_json::json!({ "detail": "Not Found" });
        (StatusCode::NOT_FOUND, axum::Json(body))
    });
    let without_products = crate::served::router().layer(middleware::from_fn(|request: Request, next: Next| async {
        if request.uri().path() == "/search/products/similar" {
            let problem = serde_json::json!({ "code": "route_not_found" });
            return (StatusCode::NOT_FOUND, axum::Json(problem)).into_response();
        }
        next.run(request).await
    }));
    let unknown_key = vec![
        "the key in STAGING_KEY is not accepted: GET /search/",
        "401 invalid_api_key. Set STAGING_KEY",
    ];
    let table = [
        (url(crate::served::router()).await, unknown_key.clone()),
        (url(without_products).await, unknown_key),
        (
            "http://127.0.0.1:9".to_owned(),
            vec!["http://127.0.0.1:9/ could not be reached (Connection refused"],
        ),
        (
            "http://no-such-host.invalid".to_owned(),
            vec!["http://no-such-host.invalid/ could not be reached ("],
        ),
        (silent.url.clone(), vec!["did not respond within 3 s"]),
        (
            url(not_found).await,
            vec!["does not respond like this API", "404 (text/html)", "may lack a path"],
        ),
        (
            url(page).await,
            vec!["does not respond like this API", "200 (text/html)"],
        ),
        (url(other_api).await, vec!["404 (application/json)"]),
        (
            url(health).await,
            vec!["200 (application/json), as every path does", "may lack a path"],
        ),
        (
            url(forbidden).await,
            vec![
                "the key in STAGING_KEY has no permission: GET /search/",
                "got a 403. Set STAGING_KEY",
            ],
        ),
        (
            url(elsewhen).await,
            vec![
                "the clocks disagree by more than 1 hour: the Date of ",
                "is 2018-01-01 10:00:00 UTC",
            ],
        ),
        (
            url(Router::new().fallback(redirects)).await,
            vec!["got a 308", "use the base URL https://api.example"],
        ),
        (
            url(Router::new().fallback(signs_in)).await,
            vec!["got a 302 to /login. Redirects are not followed"],
        ),
    ];
    for (base_url, parts) in table {
        let target = target(&base_url, KEY);
        let report = run(catalogue(), &target, &some(&[]), &mut Silent).await.unwrap();
        let sentence = report.obstacle().unwrap_or_else(|| panic!("{base_url}: {report:#?}"));
        for part in parts {
            assert!(sentence.contains(part), "{part}: {sentence}");
        }
        assert!(
            !sentence.contains('\n') && !sentence.contains(KEY) && !sentence.contains("secret"),
            "{sentence}"
        );
        assert!(report.requests <= 3, "{}", report.requests);
        assert_eq!(report.summary.errored, report.cases.len());
        assert_eq!(exit_code::of(&report.summary), exit_code::COULD_NOT_RUN);
        let draft = init::draft(target, Duration::from_secs(3)).await;
        assert_eq!(draft.unwrap_err().to_string(), sentence);
    }
}

/// A list of all cases that were not run says less than the reason.
#[tokio::test]
async fn markdown_of_an_unreachable_host_is_short() {
    let target = target("http://127.0.0.1:9", KEY);
    let report = run(catalogue(), &target, &some(&[]), &mut Silent).await.unwrap();
    let text = written(Format::Markdown, &report);
    assert!(text.contains(report.obstacle().unwrap()), "{text}");
    assert!(text.contains(" errored** of "), "{text}");
    assert!(text.len() < 1_500, "{} bytes:\n{text}", text.len());
    assert!(!text.contains("limit/"), "{text}");
}

/// Each of these keys may do something, but not what the key with full access has to do.
#[tokio::test(flavor = "multi_thread")]
async fn key_of_another_role_is_an_obstacle() {
    for key in ["dev-no-access", "dev-create-only"] {
        let target = target(&url(crate::served::router()).await, key);
        let report = run(catalogue(), &target, &some(&[]), &mut Silent).await.unwrap();
        let sentence = report.obstacle().unwrap();
        let wanted = "403 authorization_denied. Set STAGING_KEY to a key with full access to this deployment";
        assert!(sentence.contains(wanted), "{sentence}");
    }
}

async fn judged(router: Router) -> Report {
    let target = target(&url(router).await, "dev-full-access");
    run(catalogue(), &target, &some(&["limit/*", "search-limit/*"]), &mut Silent)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_deployment_is_still_checked() {
    let status = |status: StatusCode| move |request: &Request| searches(request).then(|| status.into_response());
    let lists = |response: fn() -> Response| move |request: &Request| (!searches(request)).then(response);
    let broken = [
        served::except(status(StatusCode::INTERNAL_SERVER_ERROR)),
        served::except(status(StatusCode::FORBIDDEN)),
        served::except(status(StatusCode::UNPROCESSABLE_ENTITY)),
        served::except(status(StatusCode::UNAUTHORIZED)),
        served::except(status(StatusCode::NOT_FOUND)),
        served::except(lists(|| StatusCode::UNAUTHORIZED.into_response())),
        served::except(lists(|| Html("a page").into_response())),
        served::except(lists(|| StatusCode::BAD_GATEWAY.into_response())),
        served::except(|_| Some(StatusCode::INTERNAL_SERVER_ERROR.into_response())),
        served::except(|request| {
            let path = request.uri().path();
            Some(axum::Json(serde_json::json!({ "path": path })).into_response())
        }),
        // Some responses reject the key, others are not from this API: the cause is unclear.
        served::except(|request| {
            Some(match searches(request) {
                true => StatusCode::UNAUTHORIZED.into_response(),
                false => StatusCode::NOT_FOUND.into_response(),
            })
        }),
    ];
    for (number, router) in broken.into_iter().enumerate() {
        let report = judged(router).await;
        assert_eq!(report.obstacle(), None, "{number}");
        assert!(
            report.summary.errored < report.cases.len(),
            "{number}: {:?}",
            report.summary
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn route_that_never_responds_does_not_prevent_a_run() {
    let hangs = |request: Request, next: Next| async move {
        if request.uri().path() == "/search/products/by-description" {
            std::future::pending::<()>().await;
        }
        next.run(request).await
    };
    let router = crate::served::router().layer(middleware::from_fn(hangs));
    let sent = Arc::new(AtomicU64::new(0));
    let counts = Arc::clone(&sent);
    let router = router.layer(middleware::map_request(move |request: Request| {
        counts.fetch_add(1, Ordering::SeqCst);
        async move { request }
    }));
    judged(router).await;
    assert!(sent.load(Ordering::SeqCst) > 10, "it went on to look for data");
}

/// The options of a run that waits.
fn waiting(seconds: u64) -> Options {
    Options {
        wait_for: Some(Duration::from_secs(seconds)),
        ..some(&["limit/*"])
    }
}

/// The requests that a deployment received: their methods and paths.
type Sent = Arc<Mutex<Vec<String>>>;

/// The reference server, which answers its first requests as `not_up` does.
fn up_after(first: usize, not_up: fn() -> Response) -> (Router, Sent) {
    let sent = Sent::default();
    let seen = Arc::clone(&sent);
    let router = served::except(move |request| {
        let mut seen = seen.lock().unwrap();
        seen.push(format!("{} {}", request.method(), request.uri().path()));
        (seen.len() <= first).then(not_up)
    });
    (router, sent)
}

#[tokio::test(flavor = "multi_thread")]
async fn run_waits_for_a_starting_deployment() {
    let page = || (StatusCode::NOT_FOUND, Html("starting")).into_response();
    let not_up: [fn() -> Response; 4] = [
        || StatusCode::SERVICE_UNAVAILABLE.into_response(),
        || StatusCode::BAD_GATEWAY.into_response(),
        || StatusCode::INTERNAL_SERVER_ERROR.into_response(),
        page,
    ];
    let waits = not_up.map(async |not_up| {
        let (router, sent) = up_after(3, not_up);
        let target = target(&url(router).await, "dev-full-access");
        let report = run(catalogue(), &target, &waiting(20), &mut Silent).await.unwrap();
        assert_eq!(report.obstacle(), None);
        assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
        assert_eq!(report.trouble, Trouble::default(), "waiting is no trouble");
        let sent = sent.lock().unwrap();
        assert_eq!(report.requests, sent.len() as u64);
        let first = &sent[0];
        assert!(first.starts_with("GET /search/"), "{first}");
        // The fourth attempt is answered. The run checks the deployment only then.
        assert_eq!(sent[..4], vec![first.clone(); 4]);
    });
    join_all(waits).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn run_waits_for_a_port_without_a_listener() {
    // The port is reserved meanwhile, so that no other test gets it.
    let reserved = TcpSocket::new_v4().unwrap();
    reserved.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = reserved.local_addr().unwrap();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(600)).await;
        let listener = reserved.listen(1024).unwrap();
        axum::serve(listener, crate::served::router()).await.unwrap();
    });
    let target = target(&format!("http://{address}"), "dev-full-access");
    let report = run(catalogue(), &target, &waiting(20), &mut Silent).await.unwrap();
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
    assert_eq!(report.trouble.count, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn wait_is_announced_and_ends_in_time_or_when_pointless() {
    let (router, sent) = up_after(usize::MAX, || StatusCode::SERVICE_UNAVAILABLE.into_response());
    let base_url = url(router).await;
    let start = Instant::now();
    let never = target(&base_url, KEY);
    let report = run(catalogue(), &never, &waiting(1), &mut Silent).await.unwrap();
    assert!(start.elapsed() >= Duration::from_secs(1));
    let sentence = report.obstacle().unwrap();
    let wanted = format!("{base_url}/ was not up within 1 s (4 attempts, the last: it returned 503)");
    assert!(sentence.starts_with(&wanted), "{sentence}");
    assert_eq!(sent.lock().unwrap().len(), 4, "nothing follows the wait");
    assert_eq!(attempts_to_wait(Duration::from_secs(1)), 4);
    let usual = plan(catalogue(), &never, &some(&["limit/*"])).unwrap();
    let longer = plan(catalogue(), &never, &waiting(1)).unwrap();
    assert_eq!(longer.requests.most(), usual.requests.most() + 4);
    assert!(longer.to_string().contains(", 4 to wait for the deployment"));
    assert_eq!(report.most_requests, longer.requests.most());
    // Any response ends the wait, and is then interpreted as without a wait.
    let rejecting = target(&url(crate::served::router()).await, KEY);
    let start = Instant::now();
    let report = run(catalogue(), &rejecting, &waiting(60), &mut Silent).await.unwrap();
    assert!(report.obstacle().unwrap().contains("is not accepted"));
    assert!(start.elapsed() < Duration::from_secs(20));
    assert_eq!(report.requests, 4);
}

#[test]
fn every_command_exits_with_3_and_one_sentence_after_waiting() {
    let directory = tempfile::tempdir().unwrap();
    for command in ["run", "probe", "init"] {
        let arguments = [command, "--base-url", "http://127.0.0.1:9", "--wait-for", "1"];
        let (output, took) = program(&arguments, directory.path());
        let stderr = String::from_utf8(output.stderr).unwrap();
        let code = i32::from(exit_code::COULD_NOT_RUN);
        assert_eq!(output.status.code(), Some(code), "{stderr}");
        let announced = "waiting up to 1 s until http://127.0.0.1:9/ responds: at most 4 GET requests\n";
        assert!(stderr.starts_with(announced), "{stderr}");
        let sentences = stderr.matches("was not up within 1 s (4 attempts, the last: Connection refused");
        assert_eq!(sentences.count(), 1, "{stderr}");
        assert!(
            took >= Duration::from_secs(1) && took < Duration::from_secs(20),
            "{took:?}"
        );
    }
    for seconds in ["0", "soon", "3601"] {
        let (output, _) = program(&["run", "--stub", "--wait-for", seconds], directory.path());
        assert_eq!(output.status.code(), Some(i32::from(exit_code::USAGE)));
    }
}

fn program(arguments: &[&str], directory: &std::path::Path) -> (Output, Duration) {
    let start = Instant::now();
    let output = Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
        .args(arguments)
        .current_dir(directory)
        .env("PLATFORM_API_KEY", KEY)
        .output()
        .unwrap();
    (output, start.elapsed())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_command_reports_the_obstacle_once_and_early() {
    let base_url = url(crate::served::router()).await;
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("profile.json");
    std::fs::write(&file, "of yesterday").unwrap();
    for arguments in [
        &["run", "--report", "json=report.json"][..],
        &["run", "--only", "limit/*"],
        &["run", "--report", "json=-"],
        &["probe", "--out", "profile.json"],
        &["init"],
    ] {
        let arguments = [arguments, &["--base-url", &base_url]].concat();
        let (output, took) = program(&arguments, directory.path());
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code(),
            Some(i32::from(exit_code::COULD_NOT_RUN)),
            "{stderr}"
        );
        let sentences = stderr.lines().filter(|line| line.contains("not accepted"));
        assert_eq!(sentences.count(), 1, "{stderr}");
        assert!(
            stderr.contains("error: the key in PLATFORM_API_KEY is not accepted: GET /"),
            "{stderr}"
        );
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(shown.starts_with('{') || shown.lines().count() < 8, "{shown}");
        assert!(!shown.contains(KEY) && !stderr.contains(KEY));
        // Much longer than it needs, and much shorter than a run.
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    let report = std::fs::read_to_string(directory.path().join("report.json")).unwrap();
    let report = platform_conformance::report::json::read(&report).unwrap();
    assert!(report.obstacle().unwrap().starts_with("the key in PLATFORM_API_KEY"));
    assert!(report.cases.iter().all(|case| case.verdict == Verdict::Errored));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "of yesterday");
}

#[test]
fn every_test_of_the_harness_reports_the_obstacle() {
    use platform_conformance::harness::Harness;

    let key = ApiKey::new(KEY, "TEST_KEY").unwrap();
    let target = Target::in_process().with_key(Role::FullAccess, key);
    let harness = Harness::on_router(catalogue(), async { crate::served::router() }, target);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log");
    let log = format!("--logfile={}", file.display());
    let code = harness.main_with(["conformance", &log, "skip/"].map(str::to_owned));
    assert_eq!(code, 101);
    let printed = std::fs::read_to_string(file).unwrap();
    assert!(printed.contains("the key in TEST_KEY is not accepted"), "{printed}");
}

/// The reference server, with the bytes of each successful body changed, and a header.
async fn recoded(change: fn(Vec<u8>) -> Vec<u8>, encoding: Option<&'static str>) -> String {
    let map = move |response: Response| async move {
        let (mut parts, body) = response.into_parts();
        let body = axum::body::to_bytes(body, usize::MAX).await.unwrap();
        if !parts.status.is_success() {
            return Response::from_parts(parts, axum::body::Body::from(body));
        }
        parts.headers.remove(header::CONTENT_LENGTH);
        if let Some(encoding) = encoding {
            parts
                .headers
                .insert(header::CONTENT_ENCODING, encoding.parse().unwrap());
        }
        Response::from_parts(parts, axum::body::Body::from(change(body.to_vec())))
    };
    url(served::router().layer(middleware::map_response(map))).await
}

#[tokio::test]
async fn unrequested_encoding_is_named() {
    let base_url = recoded(|_| vec![0x1f, 0x8b, 0x08, 0x00, 0xff], Some("gzip")).await;
    let target = target(&base_url, "dev-full-access");
    let report = run(catalogue(), &target, &some(&["limit/*"]), &mut Silent)
        .await
        .unwrap();
    let sentence = report.obstacle().unwrap();
    assert!(
        sentence.contains("got a 200 with Content-Encoding: gzip. Turn"),
        "{sentence}"
    );
    assert!(!sentence.contains("base URL"), "{sentence}");
}

#[tokio::test]
async fn body_that_is_not_utf_8_is_reported_with_its_first_bad_byte() {
    let latin_1 = |body: Vec<u8>| {
        let text = String::from_utf8(body).unwrap();
        let text = text.replacen("\"entity_type\":\"", "\"entity_type\":\"ß", 1);
        let bytes = text.chars().map(|char| u8::try_from(u32::from(char)).unwrap_or(b'?'));
        bytes.collect()
    };
    let base_url = recoded(latin_1, None).await;
    let target = target(&base_url, "dev-full-access");
    let options = some(&["limit/*-is-accepted", "schema/list_items/200"]);
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_eq!(report.obstacle(), None);
    let causes: Vec<_> = report.causes.iter().map(|cause| cause.cause.as_str()).collect();
    assert_eq!(causes, ["body is not UTF-8"]);
    let findings = report.cases.iter().flat_map(|case| &case.findings);
    for finding in findings {
        assert!(finding.seen.contains("not UTF-8: byte 0xDF at offset "), "{finding}");
        assert!(finding.seen.contains("entity_type"), "{finding}");
    }
}
