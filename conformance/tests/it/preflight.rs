//! What keeps a run from judging anything: a wrong key, a wrong base URL, a host that is not reached. It is said
//! once and soon. A deployment that is merely broken is judged.

use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::middleware::{self, Next};
use axum::response::{Html, IntoResponse, Redirect, Response};
use platform_conformance::report::Silent;
use platform_conformance::{
    ApiKey, Options, Report, Role, Target, Verdict, catalogue, exit_code, init, run,
};
use platform_server_stub::Server;

use crate::served;

const KEY: &str = "sk-live-51f0c9a7e2";

fn target(base_url: &str, key: &str) -> Target {
    let key = ApiKey::new(key, "STAGING_KEY").unwrap();
    Target::new(base_url)
        .unwrap()
        .with_key(Role::FullAccess, key)
}

async fn url(router: Router) -> String {
    format!("http://{}", served::address(router).await)
}

fn some(only: &[&str]) -> Options {
    Options {
        only: only.iter().map(|pattern| (*pattern).into()).collect(),
        timeout: Duration::from_secs(1),
        ..Options::default()
    }
}

/// The reference server, except for what `change` answers itself.
fn except(change: impl Fn(&Request) -> Option<Response> + Clone + Send + Sync + 'static) -> Router {
    let around = move |request: Request, next: Next| {
        let changed = change(&request);
        async move {
            match changed {
                Some(response) => response,
                None => next.run(request).await,
            }
        }
    };
    Server::built_in()
        .router()
        .layer(middleware::from_fn(around))
}

fn searches(request: &Request) -> bool {
    request.uri().path().starts_with("/search/")
}

/// Nobody answers there, and the kernel still lets connections in.
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
async fn what_cannot_be_judged_is_said_in_one_sentence() {
    let silent = never_answers();
    let not_found = Router::new().fallback(|| async { (StatusCode::NOT_FOUND, Html("nginx")) });
    let page = Router::new().fallback(|| async { Html("<!doctype html><title>An app</title>") });
    let other_api = Router::new().fallback(|| async {
        let body = serde_json::json!({ "detail": "Not Found" });
        (StatusCode::NOT_FOUND, axum::Json(body))
    });
    let table = [
        (
            url(Server::built_in().router()).await,
            vec![
                "the key in STAGING_KEY is not accepted: GET /search/",
                "401 invalid_api_key. Set STAGING_KEY",
            ],
        ),
        (
            "http://127.0.0.1:9".to_owned(),
            vec!["http://127.0.0.1:9/ was not reached (Connection refused"],
        ),
        (
            "http://no-such-host.invalid".to_owned(),
            vec!["http://no-such-host.invalid/ was not reached ("],
        ),
        (silent.url.clone(), vec!["did not answer within 1 s"]),
        (
            url(not_found).await,
            vec![
                "does not answer as this API",
                "404 (text/html)",
                "may lack a path",
            ],
        ),
        (
            url(page).await,
            vec!["does not answer as this API", "200 (text/html)"],
        ),
        (url(other_api).await, vec!["404 (application/json)"]),
        (
            url(Router::new().fallback(redirects)).await,
            vec!["was answered 308", "use the base URL https://api.example"],
        ),
        (
            url(Router::new().fallback(signs_in)).await,
            vec!["was answered 302 and leads to /login. No redirect is followed"],
        ),
    ];
    for (base_url, parts) in table {
        let target = target(&base_url, KEY);
        let report = run(catalogue(), &target, &some(&[]), &mut Silent)
            .await
            .unwrap();
        let sentence = report
            .obstacle()
            .unwrap_or_else(|| panic!("{base_url}: {report:#?}"));
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
        let draft = init::draft(target, Duration::from_secs(1)).await;
        assert_eq!(draft.unwrap_err().to_string(), sentence);
    }
}

async fn judged(router: Router) -> Report {
    let target = target(&url(router).await, "dev-full-access");
    run(
        catalogue(),
        &target,
        &some(&["limit/*", "search-limit/*"]),
        &mut Silent,
    )
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deployment_that_is_merely_broken_is_judged() {
    let status = |status: StatusCode| {
        move |request: &Request| searches(request).then(|| status.into_response())
    };
    let lists =
        |answer: fn() -> Response| move |request: &Request| (!searches(request)).then(answer);
    let broken = [
        except(status(StatusCode::INTERNAL_SERVER_ERROR)),
        except(status(StatusCode::FORBIDDEN)),
        except(status(StatusCode::UNPROCESSABLE_ENTITY)),
        except(status(StatusCode::UNAUTHORIZED)),
        except(status(StatusCode::NOT_FOUND)),
        except(lists(|| StatusCode::UNAUTHORIZED.into_response())),
        except(lists(|| Html("a page").into_response())),
        except(lists(|| StatusCode::BAD_GATEWAY.into_response())),
        except(|_| Some(StatusCode::INTERNAL_SERVER_ERROR.into_response())),
        except(|_| Some(StatusCode::FORBIDDEN.into_response())),
        except(|_| Some(axum::Json(serde_json::json!({})).into_response())),
        // Some refuse the key, others are no page of this API: nothing is clear.
        except(|request| {
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
async fn one_route_that_never_answers_does_not_stop_a_run_before_it_begins() {
    let hangs = |request: Request, next: Next| async move {
        if request.uri().path() == "/search/products/by-description" {
            std::future::pending::<()>().await;
        }
        next.run(request).await
    };
    let router = Server::built_in()
        .router()
        .layer(middleware::from_fn(hangs));
    let sent = Arc::new(AtomicU64::new(0));
    let counts = Arc::clone(&sent);
    let router = router.layer(middleware::map_request(move |request: Request| {
        counts.fetch_add(1, Ordering::SeqCst);
        async move { request }
    }));
    judged(router).await;
    assert!(
        sent.load(Ordering::SeqCst) > 10,
        "it went on to look for data"
    );
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
async fn the_program_says_it_once_and_soon_whatever_it_was_asked_for() {
    let base_url = url(Server::built_in().router()).await;
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
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(
            output.status.code(),
            Some(i32::from(exit_code::COULD_NOT_RUN)),
            "{told}"
        );
        let sentences = told.lines().filter(|line| line.contains("not accepted"));
        assert_eq!(sentences.count(), 1, "{told}");
        assert!(
            told.contains("error: the key in PLATFORM_API_KEY is not accepted: GET /"),
            "{told}"
        );
        let shown = String::from_utf8(output.stdout).unwrap();
        assert!(
            shown.starts_with('{') || shown.lines().count() < 8,
            "{shown}"
        );
        assert!(!shown.contains(KEY) && !told.contains(KEY));
        // Far more than it takes, and far less than a run.
        assert!(took < Duration::from_secs(20), "{took:?}");
    }
    let report = std::fs::read_to_string(directory.path().join("report.json")).unwrap();
    let report = platform_conformance::report::json::read(&report).unwrap();
    assert!(
        report
            .obstacle()
            .unwrap()
            .starts_with("the key in PLATFORM_API_KEY")
    );
    assert!(
        report
            .cases
            .iter()
            .all(|case| case.verdict == Verdict::Errored)
    );
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "of yesterday");
}

#[test]
fn every_test_of_the_harness_says_it() {
    use platform_conformance::harness::Harness;

    let key = ApiKey::new(KEY, "TEST_KEY").unwrap();
    let target = Target::in_process().with_key(Role::FullAccess, key);
    let harness = Harness::on_router(catalogue(), async { Server::built_in().router() }, target);
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("log");
    let log = format!("--logfile={}", file.display());
    let code = harness.main_with(["conformance", &log, "skip/"].map(str::to_owned));
    assert_eq!(code, 101);
    let printed = std::fs::read_to_string(file).unwrap();
    assert!(
        printed.contains("the key in TEST_KEY is not accepted"),
        "{printed}"
    );
}
