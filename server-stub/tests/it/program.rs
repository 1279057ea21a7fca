//! The program: its first line, its data file, and its messages when it cannot serve.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use crate::model::query_encoder::tiny_model;

fn program() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
    command
        .args(["--listen", "127.0.0.1:0"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// A file that is deleted when the test ends.
struct DataFile(PathBuf);

impl DataFile {
    fn new(name: &str, text: &str) -> Self {
        let path = std::env::temp_dir().join(format!("platform-{}-{name}.json", std::process::id()));
        std::fs::write(&path, text).unwrap();
        Self(path)
    }
}

impl Drop for DataFile {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn rejected(name: &str, text: &str) -> String {
    let file = DataFile::new(name, text);
    let Output { status, stdout, stderr } = program().arg("--data").arg(&file.0).output().unwrap();
    assert!(!status.success() && stdout.is_empty(), "{name}");
    String::from_utf8(stderr).unwrap()
}

#[test]
fn first_line_names_the_address_and_the_data_is_that_of_the_file() {
    let file = DataFile::new(
        "least",
        r#"{"organizations": [{"organization_id": 7, "name": "Weaver", "description": "Weaves linen."}],
            "products": [{"product_id": 8, "organization_id": 7, "name": "Sheet", "description": "A linen sheet."}]}"#,
    );
    let mut child = Running(program().arg("--data").arg(&file.0).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(child.0.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    let address = line.strip_prefix("listening on http://").unwrap().trim_end().to_owned();
    for (path, expected) in [
        ("/search/organizations/similar?description=cloth", r#""total_count":1"#),
        ("/search/products/similar?description=bed", r#""name":"Weaver""#),
        ("/api/v1/pipelines/1/items", "pipeline_not_found"),
    ] {
        let mut stream = TcpStream::connect(&address).unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-read-only\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.contains(expected), "{answer}");
    }
}

#[test]
fn broken_file_is_rejected_with_the_place_and_the_reason() {
    let syntax = rejected("syntax", "{\"organizations\": [\n  {]}");
    assert!(syntax.contains("line 2"), "{syntax}");
    let kind = rejected(
        "kind",
        r#"{"organizations": [{"organization_id": 1, "name": "A", "description": 5}]}"#,
    );
    assert!(
        kind.contains("organizations[0].description") && kind.contains("expected a string"),
        "{kind}"
    );
    let sense = rejected(
        "sense",
        r#"{"products": [{"product_id": 1, "organization_id": 9, "name": "A", "description": "B"}]}"#,
    );
    assert!(
        sense.contains("products[0].organization_id") && sense.contains('9'),
        "{sense}"
    );
    let missing = program().args(["--data", "/nowhere/data.json"]).output().unwrap();
    assert!(
        String::from_utf8(missing.stderr)
            .unwrap()
            .contains("cannot read /nowhere/data.json")
    );
}

#[test]
fn key_of_a_broken_file_is_not_printed() {
    let text = rejected("key", r#"{"api_keys": [{"key": "top secret", "name": "a"}]}"#);
    assert!(
        text.contains("api_keys[0].key") && !text.contains("top secret"),
        "{text}"
    );
}

#[test]
fn invalid_quota_is_rejected() {
    let output = program().args(["--rate-limit", "0/60"]).output().unwrap();
    assert!(String::from_utf8(output.stderr).unwrap().contains("such as 100/60"));
}

#[test]
fn controls_are_served_on_request_and_only_to_this_machine() {
    let (_running, lines) = start(&["--admin"], 1);
    let address = lines[0].strip_prefix("listening on http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let request = "POST /__admin/clock/freeze HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.contains(r#""is_frozen":true"#), "{answer}");

    let rejected = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        let output = command.args(arguments).output().unwrap();
        assert!(!output.status.success() && output.stdout.is_empty());
        String::from_utf8(output.stderr).unwrap()
    };
    let error = rejected(&["--admin", "--listen", "0.0.0.0:0"]);
    assert!(
        error.contains("cannot serve /__admin on 0.0.0.0:")
            && error.contains("listen on 127.0.0.1, or allow public access with --admin-public"),
        "{error}"
    );
    let error = rejected(&["--admin-public"]);
    assert!(error.contains("add --admin, or leave out --admin-public"), "{error}");
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
    let command = command.args(["--admin", "--admin-public", "--listen", "0.0.0.0:0"]);
    let (_running, lines) = started(command.stdout(Stdio::piped()), 1);
    assert!(lines[0].starts_with("listening on http://0.0.0.0:"), "{lines:?}");
}

#[test]
fn address_needs_no_host() {
    for address in ["0", ":0", "localhost:0", "127.0.0.1:0"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        let command = command.args(["--listen", address]).stdout(Stdio::piped());
        let mut running = Running(command.spawn().unwrap());
        let output = running.0.stdout.take().unwrap();
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line).unwrap();
        let host = line.strip_prefix("listening on http://").unwrap();
        let (host, _) = host.rsplit_once(':').unwrap();
        assert!(["127.0.0.1", "[::1]"].contains(&host), "{address}: {line}");
    }
}

#[test]
fn file_that_is_not_utf_8_is_rejected_with_the_line() {
    let file = DataFile::new("latin", "");
    std::fs::write(&file.0, b"{\n\"pipelines\": \"caf\xE9\"}").unwrap();
    let output = program().arg("--data").arg(&file.0).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("line 2: not UTF-8; save the file as UTF-8"), "{error}");
}

/// The log lines of three requests: one with a key, one with a wrong key, and one without `Host`.
fn logged(arguments: &[&str]) -> [String; 3] {
    let mut running = Running(program().args(arguments).spawn().unwrap());
    let mut line = String::new();
    let output = running.0.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let address = line.trim().rsplit('/').next().unwrap();
    let mut log = BufReader::new(running.0.stderr.take().unwrap());
    let requests = [
        "Host: x\r\nAPI-Key: dev-read-only",
        "Host: x\r\nAPI-Key: sesame",
        "Accept: text/plain",
    ];
    requests.map(|headers| {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "GET /api/v1/pipelines/6/items?limit=0 HTTP/1.1\r\n{headers}\r\n\
             X-Request-Id: mine\r\nConnection: close\r\n\r\n"
        )
        .unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
        let mut line = String::new();
        log.read_line(&mut line).unwrap();
        line
    })
}

#[test]
fn each_request_is_a_line_of_the_log_without_its_content() {
    let [known, unknown, malformed] = logged(&[]);
    for part in [
        r#"method="GET""#,
        r#"route="/api/v1/pipelines/{pipeline_id}/items""#,
        "status=422",
        r#"code="validation_failed""#,
        "micros=",
        r#"request_id="mine""#,
        r#"key="read only""#,
    ] {
        assert!(known.contains(part), "{part}: {known}");
    }
    assert!(unknown.contains("status=401"), "{unknown}");
    assert!(malformed.contains("malformed_request"), "{malformed}");
    for line in [known, unknown, malformed] {
        for secret in ["limit", "sesame", "dev-", "\u{1b}"] {
            assert!(!line.contains(secret), "{secret}: {line}");
        }
    }
}

#[test]
fn probes_that_succeed_are_not_logged() {
    let mut running = Running(program().spawn().unwrap());
    let mut line = String::new();
    let output = running.0.stdout.take().unwrap();
    BufReader::new(output).read_line(&mut line).unwrap();
    let address = line.trim().rsplit('/').next().unwrap();
    for path in ["/healthz", "/readyz", "/openapi.json"] {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").unwrap();
        stream.read_to_end(&mut Vec::new()).unwrap();
    }
    let mut first = String::new();
    let mut log = BufReader::new(running.0.stderr.take().unwrap());
    log.read_line(&mut first).unwrap();
    assert!(first.contains(r#"route="/openapi.json""#), "{first}");
}

#[test]
fn log_can_be_read_by_programs() {
    for line in logged(&["--log", "json"]) {
        let line: serde_json::Value = serde_json::from_str(&line).unwrap();
        assert_eq!(line["request_id"], "mine");
        assert!([400, 401, 422].map(Into::into).contains(&line["status"]), "{line}");
    }
}

#[test]
fn option_can_be_set_by_the_environment() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
    command.env("PLATFORM_STUB_LISTEN", "nowhere.invalid:1");
    let output = command.output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("nowhere.invalid:1"), "{error}");
}

#[test]
fn generated_world_can_be_written_and_served() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.jsonl.zst");
    let path = path.to_str().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        command.args(arguments).output().unwrap()
    };
    let written = run(&["--generate", "40", "--write-data", path]);
    assert!(written.status.success(), "{written:?}");
    let [known, ..] = logged(&["--data", path]);
    assert!(known.contains("status=422"), "{known}");
    for (arguments, expected) in [
        (["--generate", "0"], "0 is not in 1..=10000000"),
        (["--data", "nowhere.jsonl.zst"], "cannot read nowhere.jsonl.zst: "),
        (
            ["--write-data", "data.json"],
            "cannot write data.json: end its name with .jsonl or .jsonl.zst",
        ),
        (
            ["--write-data", "/nowhere/data.jsonl"],
            "cannot write /nowhere/data.jsonl: ",
        ),
    ] {
        let output = run(&arguments);
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(expected), "{error}");
    }
}

/// The lines that the program writes at start, and its address.
fn start(arguments: &[&str], lines: usize) -> (Running, Vec<String>) {
    started(program().args(arguments), lines)
}

fn started(command: &mut Command, lines: usize) -> (Running, Vec<String>) {
    let mut running = Running(command.spawn().unwrap());
    let output = BufReader::new(running.0.stdout.take().unwrap());
    let lines = output.lines().take(lines).map(Result::unwrap).collect();
    (running, lines)
}

fn check_health(address: &str, more: &[&str]) -> (bool, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
    let command = command.args(["--check-health", "--listen", address]);
    let output = command.args(more).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    (output.status.success(), error)
}

#[test]
fn certificate_made_at_start_can_be_trusted_by_its_authority() {
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("new").display().to_string();
    let arguments = ["--tls", "self-signed", "--tls-names", "platform", "--tls-out", &out];
    let (_running, lines) = start(&arguments, 3);
    let address = lines[0].strip_prefix("listening on https://").unwrap();
    assert!(lines[1].starts_with("certificate SHA-256 "), "{lines:?}");
    let file = format!("{out}/ca.pem");
    assert!(
        lines[2].contains(&format!("--cacert '{file}' https://localhost:")),
        "{lines:?}"
    );
    let authority = std::fs::read_to_string(file).unwrap();
    // Base64 may spell any word, so only its labels say what a PEM file holds.
    let labels = authority.lines().filter(|line| line.starts_with("-----BEGIN"));
    assert_eq!(labels.collect::<Vec<_>>(), ["-----BEGIN CERTIFICATE-----"]);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        for name in ["localhost", "127.0.0.1", "platform"] {
            let stream = tokio::net::TcpStream::connect(address).await.unwrap();
            let name = name.try_into().unwrap();
            let connector = crate::serve::tls::connector(&authority, &[]);
            connector.connect(name, stream).await.unwrap();
        }
    });
    assert_eq!(check_health(address, &["--tls", "self-signed"]), (true, String::new()));
}

#[test]
fn certificate_of_files_is_used_and_one_that_cannot_be_is_rejected_with_the_file_and_the_reason() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let made = || rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (one, other) = (made(), made());
    let certificate = file("cert.pem", &one.cert.pem());
    let key = file("key.pem", &one.signing_key.serialize_pem());
    let other_key = file("other.pem", &other.signing_key.serialize_pem());
    let empty = file("empty.pem", "");
    let (_running, lines) = start(&["--tls", &format!("{certificate},{key}")], 2);
    assert!(lines[0].starts_with("listening on https://"), "{lines:?}");
    for (files, expected) in [
        (
            format!("{certificate},/nowhere/key.pem"),
            "cannot read /nowhere/key.pem",
        ),
        (
            format!("{empty},{key}"),
            "empty.pem cannot be used: there is no certificate",
        ),
        (
            format!("{certificate},{empty}"),
            "empty.pem cannot be used: there is no private key",
        ),
        (
            format!("{certificate},{other_key}"),
            "other.pem cannot be used: the private key does not belong",
        ),
        (
            certificate.clone(),
            "use two PEM files, such as cert.pem,key.pem, or self-signed",
        ),
    ] {
        let output = program().args(["--tls", &files]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && error.contains(expected), "{files}: {error}");
    }
    let output = program().args(["--tls-out", "/nowhere"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("add --tls self-signed"), "{error}");
}

/// The memory of a process in megabytes, without mapped files.
#[cfg(target_os = "linux")]
fn memory(process: &Running) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.0.id())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap();
    let kilobytes: f64 = line.trim().trim_end_matches(" kB").parse().unwrap();
    kilobytes / 1e3
}

#[cfg(target_os = "linux")]
#[test]
fn memory_of_half_sent_bodies_is_freed_when_their_clients_leave() {
    const BODIES: usize = 400;
    const SENT: usize = 60_000;
    let (server, lines) = start(&[], 1);
    let address = lines[0].strip_prefix("listening on http://").unwrap().trim_end();
    let head = "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
                Content-Type: application/json\r\nContent-Length: 65000\r\n\r\n";
    let half = [head.as_bytes(), &[b' '; SENT]].concat();
    let send = |count: usize| -> Vec<TcpStream> {
        let open = |_| TcpStream::connect(address).unwrap();
        let mut clients: Vec<_> = (0..count).map(open).collect();
        for client in &mut clients {
            client.write_all(&half).unwrap();
        }
        clients
    };
    // Memory that the server allocates for its first requests is not counted.
    drop(send(10));
    std::thread::sleep(std::time::Duration::from_secs(1));
    let before = memory(&server);
    let sent = (BODIES * SENT) as f64 / 1e6;
    let until = |wanted: &dyn Fn(f64) -> bool| {
        let mut grown = f64::NAN;
        for _ in 0..300 {
            std::thread::sleep(std::time::Duration::from_millis(100));
            grown = memory(&server) - before;
            if wanted(grown) {
                break;
            }
        }
        grown
    };
    let clients = send(BODIES);
    let grown = until(&|grown| grown >= sent);
    assert!(grown >= sent, "{sent} MB were sent, and {grown} MB are there");
    drop(clients);
    // The allocator keeps the buffers of connections, but not the bodies beside them.
    let left = until(&|left| left < 1.2 * sent);
    assert!(left < 1.2 * sent, "of {sent} MB, {left} MB stay");
}

#[test]
fn health_check_finds_a_ready_server_and_no_other() {
    let (running, lines) = start(&[], 1);
    let address = lines[0].strip_prefix("listening on http://").unwrap();
    assert_eq!(check_health(address, &[]), (true, String::new()));
    let port = address.rsplit_once(':').unwrap().1;
    assert_eq!(check_health(&format!("0.0.0.0:{port}"), &[]), (true, String::new()));
    drop(running);
    let (ready, error) = check_health(address, &[]);
    assert!(!ready && error.contains("did not respond"), "{error}");
}

#[test]
fn invalid_origin_is_rejected() {
    let output = program().args(["--cors", "app.example"]).output().unwrap();
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("`app.example` is not an origin"), "{error}");
}

/// The status line and the body of the response to a request with a key.
fn answer(address: &str, path: &str) -> (String, String) {
    let mut stream = TcpStream::connect(address).unwrap();
    write!(
        stream,
        "GET {path} HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-read-only\r\nConnection: close\r\n\r\n"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    (head.lines().next().unwrap().to_owned(), body.to_owned())
}

#[test]
fn query_encoder_changes_only_searches_by_text() {
    let serve = |encoder: Option<PathBuf>| {
        let mut command = program();
        if let Some(directory) = encoder {
            command.env("PLATFORM_STUB_QUERY_ENCODER", directory);
        }
        let mut running = Running(command.spawn().unwrap());
        let mut line = String::new();
        let output = running.0.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let address = line.strip_prefix("listening on http://").unwrap().trim();
        (address.to_owned(), running)
    };
    let (plain, _plain) = serve(None);
    let (encoded, _encoded) = serve(Some(tiny_model()));
    let text = "/search/organizations/similar?description=pumps+for+breweries";
    for path in [
        "/healthz",
        "/readyz",
        "/openapi.json",
        "/search/organizations/1001/similar",
        "/api/v1/pipelines/2/items",
        text,
    ] {
        let (status, body) = answer(&plain, path);
        assert!(status.ends_with("200 OK"), "{path}: {status}");
        let (status_with, body_with) = answer(&encoded, path);
        assert_eq!(status_with, status, "{path}");
        assert_eq!(body_with == body, path != text, "{path}");
        assert_eq!(answer(&encoded, path).1, body_with, "{path}");
    }
}

#[test]
fn query_encoder_that_cannot_be_used_is_rejected_with_the_file_and_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    for entry in std::fs::read_dir(tiny_model()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).unwrap();
    }
    let directory = folder.path().display().to_string();
    std::fs::write(folder.path().join("head.safetensors"), "{}").unwrap();
    for (directory, expected) in [
        ("/nowhere", "cannot read /nowhere/config.json: "),
        ("/nowhere", "and with server-stub/embedding/assets/head.safetensors"),
        (&directory, "head.safetensors is damaged ("),
        (&directory, "copy it again from where it came from"),
    ] {
        let output = program().args(["--query-encoder", directory]).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(output.stdout.is_empty() && error.contains(expected), "{error}");
    }
}

#[test]
fn unusable_store_is_rejected_without_showing_its_password() {
    let url = "postgres://user:hidden@127.0.0.1:1/platform";
    for (arguments, expected) in [
        (&["--store", url][..], "cannot reach database platform at 127.0.0.1:1"),
        (
            &["--store", "hidden"],
            "the URL of the store is not valid; write postgres://",
        ),
        (
            &["--store", url, "--admin"],
            "leave out one of the two, or keep the state of one server with --state",
        ),
        (&["--store", url, "--store-ca", "/nowhere"], "cannot read /nowhere: "),
    ] {
        let output = program().args(arguments).output().unwrap();
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{error}");
        assert!(output.stdout.is_empty() && error.contains(expected), "{error}");
        assert!(!error.contains("hidden"), "{error}");
    }
    for arguments in [&["--state", "/nowhere"][..], &["--help"], &["--store-connections", "0"]] {
        let output = program()
            .env("PLATFORM_STUB_STORE", url)
            .args(arguments)
            .output()
            .unwrap();
        for text in [output.stdout, output.stderr] {
            let text = String::from_utf8(text).unwrap();
            assert!(!text.contains("hidden"), "{text}");
        }
    }
}

#[test]
fn help_lists_the_options_of_https_under_their_heading() {
    let help = program().arg("--help").output().unwrap().stdout;
    let help = String::from_utf8(help).unwrap();
    let (_, https) = help.split_once("\nHTTPS:\n").unwrap();
    let (https, _) = https.split_once("\nLimits on connections").unwrap();
    for option in ["--tls ", "--tls-names ", "--tls-out "] {
        assert!(https.contains(option), "{option}: {https}");
    }
}
