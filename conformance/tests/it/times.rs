//! The duration of a run: the estimate before its cases, the percentiles of all responses, and the slowest requests by
//! name.

use std::time::Duration;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{Next, from_fn};
use platform_conformance::report::Format;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::{ApiKey, Estimate, Event, Options, Report, Reporter, Role, Target, catalogue, plan, run};

use crate::report::written;
use crate::served;

/// The shortest duration of a slow response.
const LONG: Duration = Duration::from_secs(3);
/// The rule whose requests are answered slowly.
const SLOW: &str = "limit/below-minimum-is-rejected";

/// The reference server, which is slow to reject a limit of 0.
fn slow() -> Router {
    let wait = |request: Request, next: Next| async move {
        let query = request.uri().query().unwrap_or_default();
        if query.split('&').any(|part| part == "limit=0") {
            tokio::time::sleep(LONG).await;
        }
        next.run(request).await
    };
    crate::served::router().layer(from_fn(wait))
}

fn terminal(report: &Report) -> String {
    let mut shown = Vec::new();
    let mut terminal = Terminal::new(&mut shown, None);
    terminal.event(&Event::Started {
        target: &report.target,
        cases: report.cases.len(),
    });
    terminal.event(&Event::Finished { report });
    String::from_utf8(shown).unwrap()
}

#[tokio::test]
async fn slowest_responses_are_named() {
    let report = served::run_on(slow(), &["limit/*"]).await;
    let times = &report.answer_times;
    assert_eq!(times.count, report.requests);
    let percentiles = times.percentiles().map(|(_, millis)| millis);
    assert!(percentiles.is_sorted(), "{percentiles:?}");
    let slowest = &times.slowest[0];
    assert_eq!(slowest.duration_ms, times.max_ms);
    assert!(u128::from(times.max_ms) >= LONG.as_millis(), "{times:?}");
    assert_eq!(slowest.case.as_deref(), Some(SLOW));
    assert_eq!((slowest.method.as_str(), slowest.status), ("GET", 422));
    assert!(slowest.path.ends_with("?limit=0"), "{slowest:?}");
    let all: Vec<_> = times.slowest.iter().map(|slow| slow.duration_ms).collect();
    assert!(all.iter().rev().is_sorted() && all.len() == 10, "{all:?}");
    let summary = times.summary().unwrap();
    assert!(terminal(&report).contains(&summary));
    for format in [Format::Json, Format::Html, Format::Markdown] {
        let text = written(format, &report);
        assert!(text.contains(&slowest.path), "{format}: {text}");
    }
}

#[tokio::test]
async fn unreachable_deployment_has_no_times() {
    let target = Target::new("http://127.0.0.1:9/").unwrap();
    let key = ApiKey::new("secret-123", "PLATFORM_API_KEY").unwrap();
    let target = target.with_key(Role::FullAccess, key);
    let mut noted = Noted::default();
    let report = run(catalogue(), &target, &Options::default(), &mut noted).await;
    let report = report.unwrap();
    assert_eq!(noted.estimate, None);
    assert_eq!(report.answer_times, Default::default());
    assert!(!terminal(&report).contains("response times"));
    for format in [Format::Html, Format::Markdown] {
        assert!(!written(format, &report).contains("Response times"), "{format}");
    }
}

/// Notes the kinds of events and the estimate of a run.
#[derive(Debug, Default)]
struct Noted {
    usual: u64,
    events: Vec<&'static str>,
    estimate: Option<Estimate>,
}

impl Reporter for Noted {
    fn event(&mut self, event: &Event<'_>) {
        self.events.push(match event {
            Event::Planned { plan } => {
                self.usual = plan.requests.usual;
                "planned"
            }
            Event::Started { .. } => "started",
            Event::Estimated { estimate } => {
                self.estimate = Some(**estimate);
                "estimated"
            }
            _ => "other",
        });
    }
}

#[tokio::test]
async fn time_of_a_run_is_estimated_before_its_cases() {
    let target = served::target(crate::served::router()).await;
    let options = Options {
        only: vec!["limit/*".into()],
        concurrency: 3,
        ..Options::default()
    };
    let mut noted = Noted::default();
    run(catalogue(), &target, &options, &mut noted).await.unwrap();
    assert_eq!(noted.events[..3], ["planned", "started", "estimated"]);
    let estimate = noted.estimate.unwrap();
    assert_eq!(estimate.requests, noted.usual);
    assert_eq!(estimate.concurrency, 3);
    assert!(!estimate.response.is_zero() && !estimate.duration().is_zero());
    let mut shown = Vec::new();
    let estimate = &estimate;
    Terminal::new(&mut shown, None).event(&Event::Estimated { estimate });
    let shown = String::from_utf8(shown).unwrap();
    assert!(shown.ends_with(" per response, 3 at a time\n\n"), "{shown}");
}

#[test]
fn plan_with_a_rate_has_a_minimum_time() {
    let key = ApiKey::new("secret-123", "PLATFORM_API_KEY").unwrap();
    let target = Target::new("https://staging.example").unwrap();
    let target = target.with_key(Role::FullAccess, key);
    let with_rate = |rate: Option<&str>| {
        let options = Options {
            rate: rate.map(|rate| rate.parse().unwrap()),
            ..Options::default()
        };
        plan(catalogue(), &target, &options).unwrap()
    };
    let plan = with_rate(Some("1/m"));
    assert_eq!(plan.least_ms, Some(plan.requests.usual * 60_000));
    let shown = plan.to_string();
    assert!(
        shown.contains(" hours at the given rate\n") || shown.contains(" days at"),
        "{shown}"
    );
    let without = with_rate(None);
    assert_eq!(without.least_ms, None);
    assert!(!without.to_string().contains("given rate"), "{without}");
}
