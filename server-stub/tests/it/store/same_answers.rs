//! Every store gives the same answers as the simplest one: any sequence of requests, over the wire, byte by byte.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode};
use http_body_util::BodyExt;
use platform_server_stub::Server;
use platform_server_stub::data::Dataset;
use platform_server_stub::platform::Platform;
use platform_server_stub::platform::clock::ManualClock;
use platform_server_stub::platform::keys::KeyRing;
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest, prop_state_machine};
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tower::ServiceExt;

use super::{Kind, MEMORY, NAIVE, POSTGRES, REDB, Store, postgres};

const ORGANIZATIONS: i64 = 60;

/// A step that is carried out on all servers.
#[derive(Debug, Clone)]
enum Step {
    /// Time passes.
    Wait(Duration),
    /// An organization is added to a pipeline.
    Add { pipeline: i64, organization: i64 },
    /// Something is read.
    Get(String),
    /// The process is killed, and another is started.
    Kill,
}

/// Generates requests; the reference server determines the correct responses.
struct AnySteps;

impl ReferenceStateMachine for AnySteps {
    type State = ();
    type Transition = Step;

    fn init_state() -> BoxedStrategy<()> {
        Just(()).boxed()
    }

    fn transitions((): &()) -> BoxedStrategy<Step> {
        let wait = (0u64..3000).prop_map(|millis| Step::Wait(Duration::from_millis(millis)));
        let add =
            (1..5i64, 1..=ORGANIZATIONS + 1).prop_map(|(pipeline, organization)| Step::Add { pipeline, organization });
        prop_oneof![
            1 => wait,
            3 => add,
            1 => Just(Step::Kill),
            4 => listing().prop_map(Step::Get),
            4 => search().prop_map(Step::Get),
            1 => (1..4i64, 1..40i64, prop::sample::select(vec!["values", "status"])).prop_map(
                |(pipeline, item, what)| {
                    Step::Get(format!("/api/v1/pipelines/{pipeline}/items/{item}/{what}"))
                }
            ),
        ]
        .boxed()
    }

    fn apply((): (), _: &Step) {}
}

fn listing() -> impl Strategy<Value = String> {
    let sort = prop::sample::select(vec![
        "",
        "&sort_by=question.1",
        "&sort_by=question.2",
        "&sort_by=question.3",
        "&sort_by=question.4",
    ]);
    let order = prop::sample::select(vec!["", "&sort_order=asc", "&sort_order=desc"]);
    (1..5i64, sort, order, 0..40u32, 1..30u32).prop_map(|(pipeline, sort, order, skip, limit)| {
        format!("/api/v1/pipelines/{pipeline}/items?skip={skip}&limit={limit}{sort}{order}")
    })
}

fn search() -> impl Strategy<Value = String> {
    let text = prop::sample::select(vec!["linen", "fish", "pumps+for+mills", "schools", "%01", "zzz"]);
    let what = prop_oneof![
        text.clone()
            .prop_map(|text| format!("organizations/similar?description={text}")),
        text.clone()
            .prop_map(|text| format!("organizations/similar-customers?organization_customer={text}")),
        text.clone()
            .prop_map(|text| format!("products/similar?description={text}")),
        text.prop_map(|text| format!("products/similar-customers?product_customer={text}")),
        (1..=ORGANIZATIONS + 1).prop_map(|id| format!("organizations/{id}/similar?limit=50")),
        (1..=ORGANIZATIONS + 1).prop_map(|id| format!("products/{id}/similar?limit=50")),
    ];
    let filters = vec![
        "&countries=NO",
        "&countries=NO&countries=SE",
        "&regions=US-CA",
        "&headquarters_only=false",
        "&employee_count_min=20",
        "&employee_count_max=60",
        "&founded_year_min=1990",
        "&founded_year_max=1999",
        "&business_types=a",
        "&business_types=b&business_types=nobody",
        "&funding_stages=seed",
        "&funding_stages=grant&funding_stages=angel",
        "&funded_from=2010-06-01",
        "&funded_to=2020-01-01",
        "&skip=7",
    ];
    let filters = prop::sample::subsequence(filters, 0..4);
    (what, filters).prop_map(|(what, filters)| format!("/search/{what}{}", filters.concat()))
}

/// A server for each kind of store, and the reference server.
struct Servers {
    runtime: Runtime,
    oracle: Served,
    others: Vec<(&'static str, Served)>,
}

struct Served {
    /// `None` only while another is started.
    running: Option<Running>,
    clock: ManualClock,
}

struct Running {
    router: Router,
    platform: Platform,
    store: Store,
}

impl Served {
    async fn start(kind: &Kind) -> Self {
        let clock = ManualClock::new("2026-11-20T12:00:00Z".parse().unwrap());
        let running = Some(Running::on((kind.make)(&DATA).await, &clock));
        Self { running, clock }
    }

    async fn kill(&mut self) {
        self.clock.settle().await;
        let running = self.running.take();
        let Running {
            router,
            platform,
            store,
        } = running.unwrap();
        platform.shut_down().await;
        drop((router, platform));
        let again = Running::on(store.killed(&DATA).await, &self.clock);
        again.platform.resume();
        self.clock.settle().await;
        self.running = Some(again);
    }

    /// Everything that a client sees of a step.
    async fn answer(&mut self, step: &Step) -> String {
        let request = match step {
            Step::Kill => {
                self.kill().await;
                return format!("{:?}", self.clock.next_due());
            }
            Step::Wait(duration) => {
                self.clock.advance(*duration).await;
                return format!("{:?}", self.clock.next_due());
            }
            Step::Add { pipeline, organization } => {
                Request::post(format!("/api/v1/pipelines/{pipeline}/organizations"))
                    .header("Content-Type", "application/json")
                    .body(Body::from(json!({"organization_id": organization}).to_string()))
            }
            Step::Get(path) => Request::get(path).body(Body::empty()),
        };
        let mut request = request.unwrap();
        let headers = request.headers_mut();
        headers.insert("API-Key", "dev-full-access".parse().unwrap());
        headers.insert("X-Request-Id", "same".parse().unwrap());
        let router = self.running.as_ref().unwrap().router.clone();
        let response = router.oneshot(request).await.unwrap();
        let (head, body) = response.into_parts();
        assert_ne!(head.status, StatusCode::INTERNAL_SERVER_ERROR, "{step:?}");
        assert_ne!(head.status, StatusCode::UNPROCESSABLE_ENTITY, "{step:?}");
        let body = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        format!("{} {:?}\n{text}", head.status, head.headers)
    }
}

impl Running {
    fn on(store: Store, clock: &ManualClock) -> Self {
        let keys = KeyRing::new(DATA.api_keys().iter().cloned());
        let catalogue = Arc::clone(&store.catalogue);
        let ledger = Arc::clone(&store.ledger);
        let platform = Platform::new(catalogue, ledger, keys, Arc::new(clock.clone()));
        Self {
            router: Server::new(platform.clone()).router(),
            platform,
            store,
        }
    }
}

/// A few records that differ in every filterable field, and pipelines with and without items.
static DATA: LazyLock<Dataset> = LazyLock::new(|| {
    let pick = |list: &[&'static str], number: i64| list[number as usize % list.len()];
    let country = |number| pick(&["NO", "SE", "US", "FR"], number);
    let organizations: Vec<_> = (1..=ORGANIZATIONS)
        .map(|id| {
            json!({
                "organization_id": id,
                "name": format!("{} {}", pick(&["Weaver", "Fisher", "Pump"], id), id % 7),
                "description": format!("{} for {}.", pick(&["Linen", "Fish", "Pumps"], id), pick(&["mills", "schools"], id / 3)),
                "customer_base": (id % 4 != 0).then(|| pick(&["Mills", "Schools and pupils", "\u{1}"], id / 2)),
                "metrics": {
                    "employee_count": (id % 5 != 0).then_some(id),
                    "founded_on": (id % 6 != 0).then(|| format!("{}-01-31", 1960 + id)),
                    "funding": {
                        "last_round_stage": (id % 3 != 0).then(|| pick(&["seed", "grant", "angel"], id / 3)),
                        "last_round_on": (id % 7 != 0).then(|| format!("{}-06-01", 1990 + id % 35)),
                    },
                },
                "headquarters": match id % 9 {
                    0 => json!({}),
                    3 => json!({"country": "US", "region": "US-CA"}),
                    _ => json!({"country": country(id)}),
                },
                "locations": match id % 4 {
                    0 => json!([{"country": country(id / 4)}, {"country": "US", "region": "US-CA"}]),
                    _ => json!([]),
                },
            })
        })
        .collect();
    let products: Vec<_> = (1..=ORGANIZATIONS)
        .map(|id| {
            json!({
                "product_id": id,
                "organization_id": 1 + id * 7 % ORGANIZATIONS,
                "name": pick(&["Sail", "Net"], id),
                "description": pick(&["A sail of linen.", "A net to fish with.", "A pump."], id / 2),
                "customer_base": (id % 3 != 0).then(|| pick(&["Sailors", "Schools"], id)),
                "categories": match id % 5 { 0 => json!([]), 1 => json!(["a", "b"]), _ => json!([pick(&["a", "b"], id / 2)]) },
            })
        })
        .collect();
    let questions = json!([
        {"question_id": 1, "text": "Size?", "answer_type": "number", "answer": {"field": "organization.metrics.employee_count"}, "takes_seconds": 0.5},
        {"question_id": 2, "text": "Name?", "answer": {"field": "organization.name"}},
        {"question_id": 3, "text": "Large?", "answer_type": "yes_no", "takes_seconds": 2,
            "answer": {"holds": {"at_least": {"field": "organization.metrics.employee_count", "value": 30}}}},
        {"question_id": 4, "text": "Who?"},
    ]);
    let item = |id: i64| json!({"pipeline_item_id": id, "organization_id": id});
    let mixed = |id: i64| {
        let result = pick(&["1", "\"a\"", "true", "2.5", "\"B\"", "false"], id);
        let result: Value = serde_json::from_str(result).unwrap();
        json!({"pipeline_item_id": id, "organization_id": id, "values": {"question.4": {"result": [result]}}})
    };
    let sync = json!({"provider": "hubspot", "rejects": [{"column": "question.2", "error": "no"}]});
    let document = json!({
        "organizations": organizations,
        "products": products,
        "pipelines": [
            {"pipeline_id": 1, "name": "one", "questions": questions, "items": (1..=20).map(item).collect::<Vec<_>>(),
                "entity_data": ["organization.name"], "entity_data_takes_seconds": 0.25, "crm_sync": sync},
            {"pipeline_id": 2, "name": "two", "questions": questions},
            {"pipeline_id": 3, "name": "three", "questions": questions, "items": (31..=36).map(mixed).collect::<Vec<_>>()},
        ],
    });
    Dataset::from_json(&document.to_string()).unwrap()
});

impl Servers {
    fn start(kinds: impl IntoIterator<Item = Kind>) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.unwrap();
        let served = |kind: Kind| (kind.name, runtime.block_on(Served::start(&kind)));
        let others = kinds.into_iter().map(served).collect();
        Self {
            oracle: runtime.block_on(Served::start(&NAIVE)),
            others,
            runtime,
        }
    }

    fn step(mut self, step: &Step) -> Self {
        let expected = self.runtime.block_on(self.oracle.answer(step));
        for (name, served) in &mut self.others {
            let answer = self.runtime.block_on(served.answer(step));
            assert_eq!(answer, expected, "{name}, {step:?}");
        }
        self
    }
}

/// The stores that exist within a process.
struct SameAnswers;

impl StateMachineTest for SameAnswers {
    type SystemUnderTest = Servers;
    type Reference = AnySteps;

    fn init_test((): &()) -> Servers {
        Servers::start([MEMORY, REDB])
    }

    fn apply(servers: Servers, (): &(), step: Step) -> Servers {
        servers.step(&step)
    }
}

/// The store that asks another process, which takes longer.
struct SameAnswersOfPostgres;

impl StateMachineTest for SameAnswersOfPostgres {
    type SystemUnderTest = Servers;
    type Reference = AnySteps;

    fn init_test((): &()) -> Servers {
        Servers::start(postgres::is_there().then_some(POSTGRES))
    }

    fn apply(servers: Servers, (): &(), step: Step) -> Servers {
        servers.step(&step)
    }
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_store_gives_the_same_results_as_the_simplest(sequential 1..60 => SameAnswers);
}

prop_state_machine! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn postgres_gives_the_same_results_as_the_simplest_store(sequential 1..80 => SameAnswersOfPostgres);
}
