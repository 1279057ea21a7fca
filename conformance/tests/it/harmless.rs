//! The effects of a run on a deployment: without permission it only reads, and with permission it adds at most what it
//! has announced, even if the deployment accepts everything.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::extract::Request;
use axum::http::{Method, StatusCode};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use futures::future::join_all;
use percent_encoding::percent_decode_str;
use platform_conformance::profile::take;
use platform_conformance::report::{Event, Reporter, Silent};
use platform_conformance::{
    ApiKey, Contract, Options, PlannedAdds, Report, Role, Target, Verdict, catalogue, exit_code, init, run,
};
use serde_json::json;

use crate::served;

/// A request as the deployment received it.
#[derive(Debug, Clone)]
struct Sent {
    method: Method,
    path: String,
    body: String,
}

impl Sent {
    fn only_reads(&self) -> bool {
        [Method::GET, Method::HEAD, Method::OPTIONS].contains(&self.method)
    }

    /// Whether the contract has the route.
    fn is_known(&self) -> bool {
        let path = percent_decode_str(&self.path).decode_utf8_lossy();
        let sent: Vec<_> = path.split('/').collect();
        Contract::bundled().operations().iter().any(|operation| {
            let known: Vec<_> = operation.path.split('/').collect();
            let same = |(known, sent): (&&str, &&str)| known.starts_with('{') || known == sent;
            known.len() == sent.len() && known.iter().zip(&sent).all(same)
        })
    }
}

type Log = Arc<Mutex<Vec<Sent>>>;

/// The router, with a log of every request.
fn noted(router: Router) -> (Router, Log) {
    let log = Log::default();
    let notes = Arc::clone(&log);
    let around = move |request: Request, next: Next| {
        let notes = Arc::clone(&notes);
        async move {
            let (parts, body) = request.into_parts();
            // A body may be cut off.
            let body = to_bytes(body, usize::MAX).await.unwrap_or_default();
            notes.lock().unwrap().push(Sent {
                method: parts.method.clone(),
                path: parts.uri.path().to_owned(),
                body: String::from_utf8_lossy(&body).into_owned(),
            });
            next.run(Request::from_parts(parts, Body::from(body))).await
        }
    };
    (router.layer(middleware::from_fn(around)), log)
}

fn assert_only_reads(log: &Log) {
    let log = std::mem::take(&mut *log.lock().unwrap());
    assert!(log.len() > 20, "{}", log.len());
    for sent in log {
        assert!(sent.only_reads(), "{sent:?}");
        let made_up = sent.path.contains("platform-conformance-no-such-route");
        assert!(sent.is_known() != made_up, "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_permission_only_reads_are_sent() {
    let (router, log) = noted(crate::served::router());
    let target = served::target(router).await;
    let options = Options::default();
    let report = run(catalogue(), &target, &options, &mut Silent).await.unwrap();
    assert_only_reads(&log);
    assert_eq!(exit_code::of(&report.summary), exit_code::PASSED);
    assert_eq!(report.summary.inconclusive, 0, "{:?}", report.summary);
    let skipped = report.cases.iter().filter(|case| case.verdict == Verdict::Skipped);
    for case in skipped {
        let reason = case.reason.as_deref().unwrap();
        assert!(reason.contains("--allow-writes"), "{}: {reason}", case.id);
    }
    let (profile, _) = take(&target, &options, &mut Silent).await.unwrap();
    assert_only_reads(&log);
    for (id, observed) in &profile.points {
        let unknown = observed.unknown.as_deref().unwrap_or("--allow-writes");
        assert!(unknown.contains("--allow-writes"), "{id}: {unknown}");
    }
    init::draft(target, Duration::from_secs(30)).await.unwrap();
    assert_only_reads(&log);
}

/// Permission to write has no effect without a writable pipeline.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_writable_pipeline_only_reads_are_sent() {
    let (router, log) = noted(crate::served::router());
    let target = served::target(router).await;
    let bare = Target::new(target.base_url().as_str()).unwrap();
    let key = ApiKey::new("dev-full-access", "TEST_KEY").unwrap();
    let bare = bare.with_key(Role::FullAccess, key);
    let only = ["auth/*", "error/*", "header/*", "parameter/*", "schema/*"];
    let options = Options {
        allow_writes: true,
        only: only.map(Into::into).into(),
        ..Options::default()
    };
    let report = run(catalogue(), &bare, &options, &mut Silent).await.unwrap();
    assert_only_reads(&log);
    let skipped = report.case("auth/missing-key/add_organization").unwrap();
    assert!(skipped.reason.as_deref().unwrap().contains("as writable"));
}

/// Records the announcement.
#[derive(Default)]
struct Announced(Option<PlannedAdds>);

impl Reporter for Announced {
    fn event(&mut self, event: &Event<'_>) {
        if let Event::Planned { plan } = event {
            self.0 = plan.adds.clone();
        }
    }
}

/// Runs the cases that do not only read; no other case would send such requests.
async fn run_with_writes(target: &Target) -> (Report, PlannedAdds) {
    let cases = catalogue().into_iter();
    let writing = cases.filter(|case| case.write_limit(1) > 0);
    let options = Options {
        allow_writes: true,
        only: writing.map(|case| case.id.as_str().into()).collect(),
        ..Options::default()
    };
    let mut announced = Announced::default();
    let report = run(catalogue(), target, &options, &mut announced).await.unwrap();
    (report, announced.0.unwrap())
}

/// A deployment without rules: it adds every organization, and finds every record.
async fn accepts_everything(request: Request) -> Response {
    let path = request.uri().path().to_owned();
    if request.method() != Method::GET {
        return (StatusCode::CREATED, Json(json!({ "pipeline_item_id": 1 }))).into_response();
    }
    let item = |id: u64| {
        json!({
            "pipeline_item_id": id, "pipeline_id": 6, "entity_type": "organization", "organization_id": id,
            "person_id": null, "document_id": null, "values": {}, "is_ready": true,
        })
    };
    let response = match path.rsplit('/').next() {
        Some("items") => json!({ "total_count": 2, "items": [item(1), item(2)] }),
        Some("values" | "status") => item(1),
        _ => {
            let result = |id: u64| json!({ "organization_id": id, "product_id": id });
            let results: Vec<_> = (101..=140).map(result).collect();
            json!({ "total_count": 40, "results": results })
        }
    };
    Json(response).into_response()
}

/// The reference server, except that it answers every addition with success.
fn adds_anything() -> Router {
    let accept = |request: Request, next: Next| async move {
        match request.method() {
            &Method::GET => next.run(request).await,
            _ => StatusCode::CREATED.into_response(),
        }
    };
    crate::served::router().layer(middleware::from_fn(accept))
}

#[tokio::test(flavor = "multi_thread")]
async fn additions_stay_within_the_announcement_even_if_everything_is_accepted() {
    let routers = [
        Router::new().fallback(accepts_everything),
        adds_anything(),
        crate::served::router(),
    ];
    // Each run waits for its additions.
    join_all(routers.map(assert_additions_are_announced)).await;
}

async fn assert_additions_are_announced(router: Router) {
    let (router, log) = noted(router);
    // One of the pipelines that are named is not to be added to.
    let target = served::target(router).await.without_pipelines_to_add();
    let (report, announced) = run_with_writes(&target.with_pipelines_to_add([4, 5, 7])).await;
    assert!(report.cases.len() > 40, "{}", report.cases.len());
    let sent = log.lock().unwrap().clone();
    let added: Vec<_> = sent.iter().filter(|sent| !sent.only_reads()).collect();
    let most = usize::try_from(announced.at_most).unwrap();
    assert!(!added.is_empty() && added.len() <= most, "{} of {most}", added.len());
    // An announcement that is much too high is worthless.
    assert!(added.len() * 4 > most, "{} of {most}", added.len());
    for sent in added {
        // A pipeline that is named to be read. That with many items rejects what is there already.
        let to_read = ["2"];
        let pipeline = sent.path.split('/').nth(4).unwrap_or_default();
        let pipeline = pipeline.replace("%20", "").replace("%2B", "");
        let pipeline = pipeline.trim_start_matches('0').trim_end_matches(".0");
        let adds = sent.path.ends_with("/organizations");
        assert!(!adds || !to_read.contains(&pipeline), "{sent:?}");
        assert!(sent.is_known() || sent.path.contains("no-such-route"));
        // Under either reading, the request cannot be executed.
        let twice = sent.body.matches("organization_id\":").count() > 1;
        assert!(!twice || sent.body.contains("8006399337547544"), "{sent:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn unannounced_requests_are_not_sent_and_reported() {
    let (router, log) = noted(adds_anything());
    let target = served::target(router).await;
    let case = catalogue()
        .into_iter()
        .find(|case| case.id == "add/at-once-exactly-one")
        .unwrap();
    assert_eq!((case.adds, case.writes), (1, 8));
    let options = Options {
        allow_writes: true,
        only: vec![case.id.as_str().into()],
        ..Options::default()
    };
    let mut announced = Announced::default();
    run(catalogue(), &target, &options, &mut announced).await.unwrap();
    let announced = announced.0.unwrap();
    assert_eq!((announced.organizations, announced.at_most), (1, 8));
    let added = log.lock().unwrap().clone();
    assert_eq!(added.iter().filter(|sent| !sent.only_reads()).count(), 8);
    assert_eq!(
        announced.to_string(),
        "adds at most 1 organization to pipeline 6 (up to 8 if the deployment accepts what it should reject); additions \
         cannot be removed"
    );
}
