//! The self-test: every fault is visible and detected, no legal variant fails, and each can be served to any other
//! kit.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use expect_test::expect_file;
use futures::{StreamExt, stream};
use platform_conformance::selftest::{Judgement, Plan, Plant, faults, judge, judge_together, variants};
use platform_conformance::{Contract, Pattern, exit_code};

/// The least number of faults and variants.
const FAULTS: usize = 600;
const VARIANTS: usize = 100;

/// The subjects of faults, each with the family for it.
const SUBJECTS: [(&str, &str); 36] = [
    ("paging", "paging"),
    ("limits", "limit"),
    ("sorting", "sort"),
    ("filters", "filter"),
    ("ranking", "ranking"),
    ("auth", "auth"),
    ("codes", "code"),
    ("their precedence", "precedence"),
    ("error bodies", "problem"),
    ("schemas", "schema"),
    ("headers", "header"),
    ("readiness and values", "item"),
    ("adding", "add"),
    ("rules for every operation", "operation"),
    ("numbers that lose bits", "wrapped"),
    ("filters together", "combined"),
    ("records in several places", "shown"),
    ("additions beside each other", "additions"),
    ("items after readiness", "lifecycle"),
    ("what an addition leaves behind", "aftermath"),
    ("state, caching and concurrency", "state"),
    ("encoding", "encoding"),
    ("rare faults", "rare"),
    ("parameters", "parameter"),
    ("texts", "text"),
    ("quotas", "quota"),
    ("other deployments", "foreign"),
    ("connections", "http"),
    ("kinds of faults in errors", "kind"),
    ("bodies in chunks and encoded characters", "transfer"),
    ("rejected additions that are carried out", "carried-out"),
    ("CRM sync", "crm"),
    ("what a search compares", "meaning"),
    ("checks that are missing for part of the requests", "cross"),
    ("what is added to other pipelines", "elsewhere"),
    ("rules broken in one place", "in-one-place"),
];

#[test]
fn faults_cover_every_subject() {
    let (faults, variants) = (faults::all(), variants::all());
    assert!(faults.len() >= FAULTS && variants.len() >= VARIANTS);
    for (subject, family) in SUBJECTS {
        let of = faults.iter().filter(|fault| fault.family() == family);
        assert!(of.count() >= 5, "too few faults of {subject}");
    }
    let known: BTreeSet<_> = SUBJECTS.iter().map(|(_, family)| *family).collect();
    for family in faults::FAMILIES {
        assert!(known.contains(family.name), "{} has no subject", family.name);
    }
}

#[test]
fn every_name_is_unique_and_typeable() {
    let faults = faults::all();
    let variants = variants::all();
    let names = faults.iter().map(|fault| fault.name.as_str());
    let names = names.chain(variants.iter().map(|variant| variant.name));
    let mut seen = BTreeSet::new();
    for name in names {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_/".contains(&byte);
        assert!(name.bytes().all(plain), "{name}");
        assert!(seen.insert(name.to_owned()), "{name} is a duplicate");
    }
    for fault in &faults {
        assert!(fault.name.contains('/'), "{} has no family", fault.name);
    }
}

#[test]
fn faults_and_variants_cite_the_contract_and_have_a_sentence() {
    let faults = faults::all();
    let cited = faults
        .iter()
        .map(|fault| (fault.name.as_str(), &fault.clause, fault.wrong));
    let variants = variants::all();
    let permitted = variants
        .iter()
        .map(|variant| (variant.name, &variant.clause, variant.differs));
    for (name, clause, says) in cited.chain(permitted) {
        assert!(
            Contract::bundled().get(clause).is_some(),
            "{name}: the contract has no node at {clause}"
        );
        assert!(
            says.ends_with('.') && says.len() > 10,
            "{name}: {says:?} is not a sentence"
        );
    }
}

/// A fault that changes no response could not be detected, and its survival would say nothing about the kit.
#[tokio::test(flavor = "multi_thread")]
async fn every_fault_changes_a_response_to_its_witness() {
    // Some faults delay a response; the delays overlap.
    let unseen: Vec<_> = stream::iter(faults::all())
        .map(async |fault| (!fault.is_shown().await).then_some(fault.name))
        .buffered(32)
        .filter_map(async |unseen| unseen)
        .collect()
        .await;
    assert!(
        unseen.is_empty(),
        "these faults change no response to their witness: {unseen:#?}"
    );
}

/// Runs every twentieth fault that a single request can show. `.ci/run` runs all faults.
///
/// With `UPDATE_EXPECT=1` it runs all of these faults and records the case that detected each, so that it runs first
/// the next time.
#[tokio::test(flavor = "multi_thread")]
async fn faults_are_noticed() {
    let update = std::env::var_os("UPDATE_EXPECT").is_some();
    let faults = faults::all().into_iter();
    let steady = faults.filter(|fault| fault.family() != "rare");
    let chosen = steady.step_by(if update { 1 } else { 20 });
    let names: Vec<Pattern> = chosen.map(|fault| fault.name.as_str().into()).collect();
    let asked = names.len();
    let plan = Plan {
        faults: names,
        variants: Vec::new(),
        ..Plan::default()
    };
    let judgement = judge(&plan, |_| ()).await.unwrap();
    if update {
        remember(&judgement);
    }
    let survivors = judgement.survivors();
    assert!(survivors.is_empty(), "no case detects these faults: {survivors:#?}");
    assert_eq!((judgement.killed(), asked > 30), (asked, true));
}

fn remember(judgement: &Judgement) {
    let noticed = judgement.faults.iter();
    let lines = noticed.filter_map(|on| Some(format!("{} {}\n", on.name, on.noticed_in.as_ref()?)));
    expect_file!["../../selftest/last_noticed.txt"].assert_eq(&lines.collect::<String>());
}

/// One variant with other data, and part of the catalogue on one with another form. `.ci/run` runs all of them.
#[tokio::test(flavor = "multi_thread")]
async fn no_legal_variant_fails() {
    let of_form = ["add/*", "error/*", "item/*", "schema/*", "search-limit/*"];
    for (name, only) in [("small", &[][..]), ("results-of-other-kinds", &of_form)] {
        let plan = Plan {
            faults: Vec::new(),
            variants: vec![name.into()],
            only: only.iter().map(|pattern| (*pattern).into()).collect(),
            ..Plan::default()
        };
        let judgement = judge(&plan, |_| ()).await.unwrap();
        let alarmed = judgement.alarmed();
        assert!(alarmed.is_empty(), "this legal variant fails: {alarmed:#?}");
        let [on] = judgement.variants.as_slice() else {
            panic!("{name} is not one variant");
        };
        assert!(on.passed > 0, "{name} was never checked");
    }
}

/// A case may see a 429 that it did not ask for, so a legal one has all that the contract requires.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn requests_are_turned_away_as_the_contract_requires() {
    let serving = Serving::start("turns-away");
    let client = reqwest::Client::new();
    let items = format!("{}/api/v1/pipelines/1/items", serving.base_url);
    let send = async |key| client.get(&items).header("API-Key", key).send().await.unwrap();
    for (key, most) in [("dev-rate-limited", 20), ("dev-read-only", 80)] {
        let mut response = send(key).await;
        for _ in 0..most {
            if response.status() == 429 {
                break;
            }
            response = send(key).await;
        }
        assert_eq!(response.status(), 429, "{key}");
        for name in ["retry-after", "ratelimit", "ratelimit-policy", "x-request-id"] {
            assert!(response.headers().contains_key(name), "{key}: no {name}");
        }
        let problem: serde_json::Value = response.json().await.unwrap();
        let expected = "https://platform.example/problems/rate_limited";
        assert_eq!(problem["type"], expected, "{key}");
    }
    assert_eq!(serving.interrupt(), exit_code::PASSED);
}

/// A kit without the relevant cases detects nothing.
#[tokio::test(flavor = "multi_thread")]
async fn fault_that_no_case_checks_survives() {
    let plan = Plan {
        faults: vec!["limit/default-is-50".into()],
        variants: vec![],
        only: vec!["limit/huge-is-rejected".into()],
        ..Plan::default()
    };
    let judgement = judge(&plan, |_| ()).await.unwrap();
    assert_eq!((judgement.killed(), judgement.survivors().len()), (0, 1));
    assert!(!judgement.is_flawless());
}

#[tokio::test(flavor = "multi_thread")]
async fn matrix_names_detecting_and_idle_cases() {
    let only: Vec<Pattern> = vec!["limit/*".into()];
    let plan = Plan {
        faults: vec!["limit/zero-is-one".into()],
        variants: vec![],
        only,
        matrix: true,
        ..Plan::default()
    };
    let judgement = judge(&plan, |_| ()).await.unwrap();
    let mut killers = judgement.faults[0].killed_by.iter();
    assert!(killers.any(|id| id == "limit/below-minimum-is-rejected"));
    assert!(judgement.idle_cases.contains(&"limit/default-applies".to_owned()));
    assert!(
        !judgement
            .idle_cases
            .contains(&"limit/below-minimum-is-rejected".to_owned())
    );
}

/// The program, serving one fault or variant.
struct Serving {
    child: Child,
    base_url: String,
}

impl Serving {
    fn start(name: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
            .args(["selftest", "--serve", name, "--listen", "127.0.0.1:0"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let base_url = line.split_whitespace().next().unwrap().to_owned();
        assert!(base_url.starts_with("http://127.0.0.1:"), "{line}");
        Self { child, base_url }
    }

    async fn get(&self, path: &str) -> serde_json::Value {
        let request = reqwest::Client::new().get(format!("{}{path}", self.base_url));
        let request = request.header("API-Key", "dev-full-access");
        request.send().await.unwrap().json().await.unwrap()
    }

    /// Stops it like Ctrl-C.
    fn interrupt(mut self) -> u8 {
        let killed = Command::new("kill")
            .args(["-INT", &self.child.id().to_string()])
            .status();
        assert!(killed.unwrap().success());
        self.child.wait().unwrap().code().unwrap().try_into().unwrap()
    }
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn fault_is_served_until_ctrl_c() {
    let serving = Serving::start("limit/default-is-50");
    let page = serving.get("/api/v1/pipelines/1/items").await;
    assert_eq!(page["items"].as_array().unwrap().len(), 50);
    assert_eq!(serving.interrupt(), exit_code::PASSED);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn legal_variant_is_served_until_ctrl_c() {
    let serving = Serving::start("further-members");
    let page = serving.get("/api/v1/pipelines/1/items?limit=1").await;
    assert!(page["x_further"].is_object(), "{page}");
    assert_eq!(serving.interrupt(), exit_code::PASSED);
}

#[test]
fn unknown_name_is_wrong_usage() {
    for arguments in [
        ["--serve", "limit/no-such"],
        ["--fault", "no-such/*"],
        ["--variant", "no-such"],
        ["--only", "no-such/*"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
            .arg("selftest")
            .args(arguments)
            .output()
            .unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(
            output.status.code(),
            Some(exit_code::USAGE.into()),
            "{arguments:?}: {stderr}"
        );
        assert!(stderr.contains("no-such"), "{stderr}");
    }
}

#[test]
fn list_shows_every_fault_and_variant() {
    let output = Command::new(env!("CARGO_BIN_EXE_platform-conformance"))
        .args(["selftest", "--list"])
        .output()
        .unwrap();
    let listed = String::from_utf8_lossy(&output.stdout);
    for fault in faults::all() {
        assert!(
            listed.contains(&fault.name) && listed.contains(fault.wrong),
            "{}",
            fault.name
        );
    }
    for variant in variants::all() {
        assert!(
            listed.contains(variant.name) && listed.contains(variant.differs),
            "{}",
            variant.name
        );
    }
}

/// A further header, and a missing request id.
fn a_legal_one_and_an_illegal_one() -> [variants::Variant; 2] {
    let legal = Plant::answer(|_, answered| answered.set_header("x-further", "1"));
    let illegal = Plant::answer(|_, answered| answered.remove_header("x-request-id"));
    [("legal", legal), ("illegal", illegal)].map(|(name, plant)| {
        variants::Variant::new(name, "/info", "It differs.", move |router, _| plant.around(router))
    })
}

fn only_request_ids() -> Plan {
    Plan {
        only: vec!["header/request-id-is-new".into()],
        ..Plan::default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_are_judged_alone_after_an_alarm() {
    let [legal, illegal] = judge_together(&a_legal_one_and_an_illegal_one(), &only_request_ids())
        .await
        .unwrap()
        .try_into()
        .unwrap();
    let is_told_apart = legal.alarms.is_empty() && !illegal.alarms.is_empty();
    assert!(is_told_apart, "{legal:?} {illegal:?}");
    assert!(legal.together_with.is_empty() && illegal.together_with.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn alarm_that_no_variant_causes_alone_is_blamed_on_the_group() {
    let [legal, _] = a_legal_one_and_an_illegal_one();
    let illegal_together = Plant::answer(|_, answered| {
        if answered.headers.contains_key("x-further") {
            answered.remove_header("x-request-id");
        }
    });
    let around = move |router, _| illegal_together.around(router);
    let other = variants::Variant::new("other", "/info", "It differs.", around);
    let judged = judge_together(&[legal, other], &only_request_ids()).await.unwrap();
    for (on, with) in judged.iter().zip(["other", "legal"]) {
        assert!(!on.alarms.is_empty());
        assert_eq!(on.together_with, [with]);
    }
}

/// A variant that cannot share a deployment with the others of its group gets one of its own, which only takes time.
#[test]
fn few_variants_need_their_own_deployment() {
    let mut alone: Vec<_> = variants::grouped(variants::all())
        .iter()
        .filter(|group| group.len() == 1)
        .map(|group| group[0].name)
        .collect();
    alone.sort_unstable();
    let expected = [
        "alone",
        "alphabets",
        "an-hour-a-question",
        "as-it-is",
        "greatest-ids",
        "many-documents",
        "named-in-descriptions",
        "no-names",
        "no-products",
        "no-ties",
        "one-key",
        "others-add-items",
        "otherwise/fields-have-other-names",
        "otherwise/finds-only-words",
        "otherwise/other-results",
        "slow-questions",
        "small",
        "sparse",
        "ties-everywhere",
        "without-questions",
    ];
    assert_eq!(alone, expected);
}

/// What one deployment shares is judged in one run, unless the plan says otherwise.
#[tokio::test(flavor = "multi_thread")]
async fn variants_share_a_deployment_unless_each_is_judged_alone() {
    let names = ["ascii", "further-headers", "general-kinds", "one-key"];
    for (alone, expected) in [(false, vec!["general-kinds"]), (true, vec![])] {
        let plan = Plan {
            faults: Vec::new(),
            variants: names.map(Pattern::from).into(),
            alone,
            ..only_request_ids()
        };
        let judgement = judge(&plan, |_| ()).await.unwrap();
        assert_eq!(judgement.variants.len(), names.len());
        let ascii = judgement.variants.iter().find(|on| on.name == "ascii").unwrap();
        assert_eq!(ascii.together_with, expected);
    }
}
