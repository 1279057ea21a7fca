//! A run: its announcement, its handling of trouble, and its verdicts.

mod announcement;
mod discovery;
mod growth;
mod judgement;
mod trouble;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::extract::Request;
use axum::http::Method;
use axum::response::Response;
use platform_conformance::report::Silent;
use platform_conformance::{Options, Report, Verdict, catalogue, run};

use crate::served::{self, SkippedTime, run_on_clock};

fn only(patterns: &[&str]) -> Options {
    Options {
        only: patterns.iter().map(|pattern| (*pattern).into()).collect(),
        ..Options::default()
    }
}

/// The reference server, except for requests that `change` answers; it receives their number, counted from 1.
fn changed(change: impl Fn(u64, &Request) -> Option<Response> + Clone + Send + Sync + 'static) -> Router {
    let count = Arc::new(AtomicU64::new(0));
    served::except(move |request| change(count.fetch_add(1, Ordering::SeqCst) + 1, request))
}

fn is_list(request: &Request) -> bool {
    request.method() == Method::GET && request.uri().path().ends_with("/items")
}

fn asks_for(request: &Request, query: &str) -> bool {
    is_list(request)
        && request
            .uri()
            .query()
            .is_some_and(|sent| sent.split('&').any(|part| part == query))
}

async fn run_on(router: Router, options: &Options) -> Report {
    run(catalogue(), &served::target(router).await, options, &mut Silent)
        .await
        .unwrap()
}

/// Like [`run_on`], on a clock that every wait moves forward.
async fn run_without_waiting(router: Router, options: &Options) -> Report {
    run_on_clock(
        Arc::new(SkippedTime::default()),
        &served::target(router).await,
        options,
        &mut Silent,
    )
    .await
}

/// Returns the verdict of the only case of a run.
fn verdict(report: &Report, id: &str) -> Verdict {
    report.case(id).unwrap().verdict
}
