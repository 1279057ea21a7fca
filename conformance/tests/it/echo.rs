//! A deployment that repeats the key it receives, in every form and at every place. The reports must not contain it:
//! decoders that share nothing with the kit search for it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::process::Command;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderValue, Response};
use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE, BASE64_URL_SAFE_NO_PAD};
use percent_encoding::{NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use platform_conformance::report::Format;
use platform_conformance::report::har::Har;
use platform_conformance::report::terminal::Terminal;
use platform_conformance::{ApiKey, Contract, Options, Role, stub};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use regex::Regex;
use serde_json::{Value, json};

use crate::served::{self, SkippedTime, run_on_clock};

/// The number of consecutive characters of a key that no report may contain.
const LEAST: usize = 6;

type Form = fn(&str) -> String;

fn each(key: &str, escape: impl Fn(u8) -> String) -> String {
    key.bytes().map(escape).collect()
}

/// A character of a key as HTML names it.
fn named(byte: u8) -> String {
    match byte {
        b'&' => "&amp;".to_owned(),
        b'<' => "&lt;".to_owned(),
        b'>' => "&gt;".to_owned(),
        b'"' => "&quot;".to_owned(),
        b'\'' => "&apos;".to_owned(),
        b'/' => "&sol;".to_owned(),
        b'+' => "&plus;".to_owned(),
        b'%' => "&percnt;".to_owned(),
        byte => char::from(byte).to_string(),
    }
}

fn in_json(key: &str) -> String {
    let quoted = Value::from(key).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

fn encoded(key: &str) -> String {
    utf8_percent_encode(key, NON_ALPHANUMERIC).to_string()
}

/// Every form in which a deployment might repeat a key.
const FORMS: [Form; 30] = [
    str::to_owned,
    str::to_uppercase,
    str::to_lowercase,
    in_json,
    |key| in_json(&in_json(key)),
    |key| in_json(key).replace('/', "\\/"),
    |key| each(key, |byte| format!("\\u{byte:04x}")),
    |key| each(key, |byte| format!("\\u{byte:04X}")),
    |key| {
        each(key, |byte| {
            if byte % 2 == 0 {
                format!("\\u{byte:04x}")
            } else {
                in_json(&char::from(byte).to_string())
            }
        })
    },
    encoded,
    |key| encoded(key).to_lowercase(),
    |key| encoded(&encoded(key)),
    |key| encoded(&in_json(key)),
    |key| each(key, |byte| format!("%{byte:02x}")),
    |key| each(key, |byte| format!("%{byte:02X}")),
    |key| {
        each(key, |byte| {
            if byte % 3 == 0 || !byte.is_ascii_alphanumeric() {
                format!("%{byte:02x}")
            } else {
                char::from(byte).to_string()
            }
        })
    },
    |key| encoded(key).replace("%20", "+"),
    |key| each(key, named),
    |key| each(key, |byte| format!("&#{byte};")),
    |key| each(key, |byte| format!("&#x{byte:X};")),
    |key| each(key, |byte| format!("&#x{byte:04x}")),
    |key| BASE64_STANDARD.encode(key),
    |key| BASE64_URL_SAFE_NO_PAD.encode(key),
    |key| BASE64_STANDARD_NO_PAD.encode(format!("a:{key}")),
    |key| BASE64_URL_SAFE.encode(format!("user:{key}")),
    |key| BASE64_STANDARD.encode(format!("someone:{key}:{key}")),
    |key| each(key, |byte| format!("{byte:02x}")),
    |key| each(key, |byte| format!("{byte:02X}")),
    // Truncated by another program.
    |key| key.chars().take(key.chars().count() * 3 / 4).chain(['…']).collect(),
    |key| encoded(key).chars().take(encoded(key).len() / 2 + 3).collect(),
];

/// The places at which a deployment might repeat it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Place {
    Detail,
    Code,
    Member,
    Item,
    Header,
    Location,
    Text,
    BrokenText,
    GatewayText,
    GatewayBrokenText,
}

impl Place {
    /// The kit repeats the request after a response of a gateway, and pauses first.
    fn is_of_gateway(self) -> bool {
        matches!(self, Self::GatewayText | Self::GatewayBrokenText)
    }
}

const PLACES: [Place; 10] = [
    Place::Detail,
    Place::Code,
    Place::Member,
    Place::Item,
    Place::Header,
    Place::Location,
    Place::Text,
    Place::BrokenText,
    Place::GatewayText,
    Place::GatewayBrokenText,
];

/// The way in which the key is repeated: in this form, at this place, after this number of other characters.
#[derive(Debug, Clone, Copy)]
struct Echo {
    form: usize,
    place: Place,
    behind: usize,
}

fn echoed(echo: Echo, key: &str) -> Response<Body> {
    let said = format!("{} {} .", ".".repeat(echo.behind), FORMS[echo.form](key));
    let problem = |code: &str, detail: &str| json!({"type": "about:blank", "title": "no", "status": 500, "code": code, "detail": detail});
    let item = json!({"total_count": 1, "items": [{
        "pipeline_item_id": 1, "pipeline_id": 1, "entity_type": said,
        "values": {"question.1": {"status": "completed", "result": [said]}},
    }]});
    let broken = [b"\xff\xfe", said.as_bytes(), b"\xc3"].concat();
    let (status, media_type, body) = match echo.place {
        Place::Detail => (
            500,
            "application/problem+json",
            problem("internal", &said).to_string().into(),
        ),
        Place::Code => (500, "application/json", problem(&said, "no").to_string().into()),
        Place::Member => (
            200,
            "application/json",
            json!({&said: 1, "items": {&said: 1}}).to_string().into(),
        ),
        Place::Item => (200, "application/json", item.to_string().into()),
        Place::Header | Place::Location => (200, "application/json", b"{}".to_vec()),
        Place::Text => (500, "text/plain", said.clone().into_bytes()),
        Place::GatewayText => (502, "text/html", said.clone().into_bytes()),
        Place::BrokenText => (500, "text/plain", broken),
        Place::GatewayBrokenText => (502, "text/plain", broken),
    };
    let mut response = Response::builder().status(status).header("Content-Type", media_type);
    if let Ok(value) = HeaderValue::from_bytes(said.as_bytes()) {
        response = match echo.place {
            Place::Header => response.header("X-Request-Id", value),
            Place::Location => response
                .header("Location", value.clone())
                .header("Cache-Control", value.clone())
                .header("Deprecation", value),
            _ => response,
        };
    }
    response.body(body.into()).unwrap()
}

/// A deployment that repeats keys in the way that `next` returns.
fn talkative(next: impl Fn() -> Echo + Clone + Send + Sync + 'static) -> Router {
    Router::new().fallback(move |request: Request| {
        let echo = next();
        async move {
            let key = request.headers().get("API-Key");
            let key = key.and_then(|key| key.to_str().ok()).unwrap_or_default();
            echoed(echo, key)
        }
    })
}

/// A text with one kind of escapes decoded.
fn unescaped(text: &str, escape: &Regex) -> String {
    let decoded = escape.replace_all(text, |found: &regex::Captures<'_>| {
        let group = |name: &str| found.name(name).map(|group| group.as_str());
        let number = group("hex")
            .map(|hex| (hex, 16))
            .or(group("decimal").map(|text| (text, 10)));
        if let Some((digits, radix)) = number {
            let character = u32::from_str_radix(digits, radix).ok().and_then(char::from_u32);
            return character.unwrap_or('?').to_string();
        }
        match group("name") {
            Some("amp") => "&".to_owned(),
            Some("lt") => "<".to_owned(),
            Some("gt") => ">".to_owned(),
            Some("quot") => "\"".to_owned(),
            Some("apos") => "'".to_owned(),
            Some("sol") => "/".to_owned(),
            Some("plus") => "+".to_owned(),
            Some("percnt") => "%".to_owned(),
            _ => group("mark").unwrap_or_default().to_owned(),
        }
    });
    decoded.into_owned()
}

/// The decodings of a run of characters, starting at each of them.
fn decoded_runs(text: &str, run: &Regex, decode: impl Fn(&str) -> Vec<u8>) -> String {
    let mut decoded = String::new();
    for run in run.find_iter(text) {
        for start in 0..4 {
            let part = run.as_str().get(start..).unwrap_or_default();
            let _ = writeln!(decoded, "{}", String::from_utf8_lossy(&decode(part)));
        }
    }
    decoded
}

fn from_base64(text: &str) -> Vec<u8> {
    let standard = text.replace('-', "+").replace('_', "/");
    let whole = standard.len() / 4 * 4;
    BASE64_STANDARD_NO_PAD.decode(&standard[..whole]).unwrap_or_default()
}

fn from_hex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
    let pairs = digits.chunks_exact(2);
    pairs
        .filter_map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}

/// The part of a key that a text contains, if any.
fn leak(text: &str, key: &str) -> Option<String> {
    let json = Regex::new(r#"\\u\{?(?<hex>[0-9a-fA-F]{2,4})\}?|\\(?<mark>[^a-zA-Z0-9])"#).unwrap();
    let html = Regex::new(r"&#[xX](?<hex>[0-9a-fA-F]+);?|&#(?<decimal>[0-9]+);?|&(?<name>[a-z]+);").unwrap();
    let base64 = Regex::new(r"[A-Za-z0-9+/_-]{7,}").unwrap();
    let hex = Regex::new(r"[0-9a-fA-F]{12,}").unwrap();
    let percent = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    // Escapes can be nested: a report adds its own to those of a deployment.
    let mut plain = BTreeSet::from([text.to_owned()]);
    let mut last = text.to_owned();
    for _ in 0..3 {
        plain.insert(percent(&last));
        plain.insert(unescaped(&last, &json));
        plain.insert(unescaped(&last, &html));
        last = unescaped(&unescaped(&percent(&last), &json), &html);
        plain.insert(last.clone());
    }
    let decoded: BTreeSet<_> = plain
        .iter()
        .flat_map(|reading| {
            [
                decoded_runs(reading, &base64, from_base64),
                decoded_runs(reading, &hex, from_hex),
            ]
        })
        .collect();
    let key: Vec<_> = key.to_lowercase().chars().collect();
    let windows: Vec<String> = [&key[..LEAST], &key[key.len() - LEAST..]]
        .map(|window| window.iter().collect())
        .into();
    for reading in plain.union(&decoded) {
        let reading = reading.to_lowercase();
        for reading in [reading.replace('+', " "), reading] {
            for window in &windows {
                if let Some(at) = reading.find(window) {
                    let around = reading[..at].chars().rev().take(80).collect::<Vec<_>>();
                    let before: String = around.into_iter().rev().collect();
                    let behind: String = reading[at..].chars().take(80).collect();
                    return Some(format!("{window} in {before}{behind}"));
                }
            }
        }
    }
    None
}

/// All output of a run.
async fn outputs(router: Router, key: &str, only: &[&str]) -> Vec<(String, String)> {
    let target = stub::target(served::address(router).await);
    let target = Role::ALL.into_iter().fold(target, |target, role| {
        target.with_key(role, ApiKey::new(key, role.variable()).unwrap())
    });
    let har = Arc::new(Har::begin(Vec::new()).unwrap());
    let options = Options {
        allow_writes: true,
        recorder: Some(Arc::clone(&har) as _),
        only: only.iter().map(|pattern| (*pattern).into()).collect(),
        ..Options::default()
    };
    let mut shown = Vec::new();
    let clock = Arc::new(SkippedTime::default());
    let report = run_on_clock(clock, &target, &options, &mut Terminal::new(&mut shown, None)).await;
    let mut outputs = vec![
        ("terminal".to_owned(), String::from_utf8(shown).unwrap()),
        ("Debug".to_owned(), format!("{report:?} {target:?}")),
        ("HAR".to_owned(), String::from_utf8(har.finish().unwrap()).unwrap()),
    ];
    for format in Format::ALL {
        let mut text = Vec::new();
        format.write(&report, Contract::bundled(), &mut text).unwrap();
        outputs.push((format.to_string(), String::from_utf8(text).unwrap()));
    }
    outputs
}

/// Keys that a header can carry: of one kind of characters, or of all that are escaped anywhere.
fn keys() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9]{8,40}",
        r#"[A-Za-z0-9"\\%<&>+/='_.~!-]{8,40}"#,
        r#"[A-Z]["\\%<&>+/]{3}[a-z0-9 ]{4,20}[%+/&;x]{2}[0-9]"#,
    ]
}

#[test]
fn no_form_of_a_key_is_left_in_any_report() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let config = Config {
        cases: 32,
        failure_persistence: None,
        ..Config::default()
    };
    // A form of any length may cross the position at which texts are cut.
    let behind = prop_oneof![Just(0_usize), 300..410_usize];
    let law = (keys(), 0..FORMS.len(), 0..PLACES.len(), behind);
    let holds = |(key, form, place, behind): (String, usize, usize, usize)| {
        let echo = Echo {
            form,
            place: PLACES[place],
            behind,
        };
        for (name, text) in runtime.block_on(outputs(talkative(move || echo), &key, &ECHOED)) {
            let leak = leak(&text, &key);
            prop_assert_eq!(leak, None, "{}", name);
        }
        Ok(())
    };
    TestRunner::new(config).run(&law, holds).unwrap();
    // A key beside a byte that is not UTF-8, which is shown with a part of the text around it.
    holds((r"A-A<&\A+".to_owned(), 13, 7, 0)).unwrap();
}

/// Cases whose reports may show what a deployment repeats.
const ECHOED: [&str; 5] = [
    "limit/over-maximum-is-rejected",
    "schema/list_items/*",
    "header/not-stored",
    "add/created",
    "auth/near-key/*",
];

#[test]
fn decoders_of_this_test_find_every_form() {
    let key = "S3cr3t/Key+A=<&\"%!x\\Zq";
    for (position, form) in FORMS.iter().enumerate() {
        let report = json!({"seen": format!("... {} ...", form(key))}).to_string();
        assert!(leak(&report, key).is_some(), "form {position}: {report}");
    }
    assert_eq!(leak("nothing of it, S3cr3 at the most", key), None);
}

/// A deployment that repeats the key in another form and at another place with every response. It answers as a gateway
/// in every fourth round of the forms only: a program pauses after each of these responses.
fn restless() -> Router {
    let sent = Arc::new(Mutex::new(0_usize));
    talkative(move || {
        let mut sent = sent.lock().unwrap();
        *sent += 1;
        let (round, form) = (*sent / FORMS.len(), *sent % FORMS.len());
        let mut places = PLACES.iter().cycle().skip((round + *sent) % PLACES.len());
        let place = places.find(|place| round.is_multiple_of(4) || !place.is_of_gateway());
        Echo {
            form,
            place: *place.unwrap(),
            behind: if sent.is_multiple_of(3) { 380 + *sent % 20 } else { 0 },
        }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn no_command_shows_an_echoed_key() {
    const KEY: &str = "S3cr3t/Key+A=<&\"%!x\\Zq";
    let base_url = format!("http://{}", served::address(restless()).await);
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str| directory.path().join(name).display().to_string();
    let reports = Format::ALL.map(|format| format!("--report={format}={}", file(format.as_str())));
    // The pauses overlap.
    let at_once = ["--base-url", &base_url, "--concurrency", "64"];
    let mut run = [&["run"], &at_once[..]].concat();
    run.extend(["--only", "limit/*", "--only", "schema/list*", "--only", "header/*"]);
    run.extend(["--only", "auth/near-key/*"]);
    run.extend(reports.iter().map(String::as_str));
    let (profile, target, har) = (file("profile.json"), file("target.toml"), file("run.har"));
    let commands = [
        run,
        [&["probe"], &at_once[..], &["--out", &profile]].concat(),
        vec!["init", "--base-url", &base_url, "--out", &target],
        vec!["diff", &profile, &profile],
        [&["run"], &at_once[..], &["--profile", &profile, "--only", "profile/*"]].concat(),
        [
            &["run"],
            &at_once[..],
            &["--only", "limit/*", "--only", "header/*", "--record", &har],
        ]
        .concat(),
    ];
    let program = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-conformance"));
        command.args(arguments).env("PLATFORM_API_KEY", KEY).output().unwrap()
    };
    for arguments in commands {
        let output = tokio::task::block_in_place(|| program(&arguments));
        for text in [&output.stdout, &output.stderr] {
            let text = String::from_utf8_lossy(text);
            assert_eq!(leak(&text, KEY), None, "{arguments:?}");
        }
    }
    let mut files = 0;
    for file in std::fs::read_dir(directory.path()).unwrap() {
        let file = file.unwrap().path();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(leak(&text, KEY), None, "{}", file.display());
        files += 1;
    }
    assert!(files > Format::ALL.len() + 1, "{files} files");
}
