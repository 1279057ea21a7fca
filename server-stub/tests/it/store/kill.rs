//! The program on a state directory: killed repeatedly during concurrent additions, and with a full disk; and two
//! programs on one database, where one of them is killed repeatedly.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::postgres;

/// Much longer than any of these tests can take.
const PATIENCE: Duration = Duration::from_secs(60);
const ROUNDS: usize = 6;
const CLIENTS: usize = 8;
/// Additions that are confirmed before the next kill.
const ANSWERED: usize = 20;

/// The program, which is killed when this is dropped.
struct Program {
    child: Child,
    address: String,
}

impl Program {
    fn start(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let output = child.stdout.take().unwrap();
        BufReader::new(output).read_line(&mut line).unwrap();
        let Some(address) = line.strip_prefix("listening on http://") else {
            let mut log = String::new();
            child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
            panic!("{line}{log}");
        };
        let address = address.trim_end().to_owned();
        Self { child, address }
    }

    fn on(directory: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        command.args(["--listen", ":0", "--data"]);
        command.arg(directory.join("data.json"));
        command.arg("--state").arg(directory.join("state"));
        // The log of requests is not read, and would fill the pipe.
        Self::start(command.env("RUST_LOG", "off"))
    }

    /// On a database, with the data of a directory. Searches are in memory or in the database.
    fn on_postgres(directory: &Path, url: &str, searches: &str) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        command.args(["--listen", ":0", "--data"]);
        command.arg(directory.join("data.json"));
        command.args(["--store-search", searches]);
        Self::start(command.env("PLATFORM_STUB_STORE", url).env("RUST_LOG", "off"))
    }

    /// On data exported from the state directory, without its own state.
    fn on_export(directory: &Path) -> Self {
        let command = |data: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
            command.args(["--listen", ":0", "--data", data]);
            command.current_dir(directory).env("RUST_LOG", "off");
            command
        };
        let mut export = command("data.json");
        let export = export.args(["--state", "state", "--write-data", "export.jsonl"]);
        let output = export.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        Self::start(&mut command("export.jsonl"))
    }

    fn client(&self) -> Client {
        let stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Client(BufReader::new(stream))
    }

    /// Sends SIGKILL: the process does nothing more.
    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A client on one connection. It gets `None` when the program is gone.
struct Client(BufReader<TcpStream>);

impl Client {
    fn request(&mut self, head: &str, body: &str) -> Option<(u16, Value)> {
        let length = body.len();
        let request = format!(
            "{head} HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{body}"
        );
        self.0.get_mut().write_all(request.as_bytes()).ok()?;
        let mut lines = Vec::new();
        while lines.last().is_none_or(|line: &String| !line.is_empty()) {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            lines.push(line.trim_end().to_ascii_lowercase());
        }
        let status = lines[0].split(' ').nth(1).unwrap().parse().unwrap();
        let mut lengths = lines.iter().filter_map(|it| it.strip_prefix("content-length: "));
        let mut body = vec![0; lengths.next().unwrap().parse().unwrap()];
        self.0.read_exact(&mut body).ok()?;
        Some((status, serde_json::from_slice(&body).unwrap()))
    }

    fn add(&mut self, organization: i64) -> Option<(u16, Value)> {
        let body = json!({"organization_id": organization}).to_string();
        self.request("POST /api/v1/pipelines/1/organizations", &body)
    }

    /// Every item of the pipeline.
    fn items(&mut self) -> Vec<Value> {
        let mut items = Vec::new();
        loop {
            let head = format!("GET /api/v1/pipelines/1/items?limit=1000&skip={}", items.len());
            let (status, mut list) = self.request(&head, "").unwrap();
            assert_eq!(status, 200, "{list}");
            let Value::Array(page) = list["items"].take() else {
                panic!("{list}");
            };
            items.extend(page);
            if items.len() as u64 >= list["total_count"].as_u64().unwrap() {
                return items;
            }
        }
    }
}

/// A data file of many organizations, and a pipeline with work for each that takes some time.
fn home(organizations: i64, description: &str) -> TempDir {
    let organizations: Vec<_> = (1..=organizations)
        .map(|id| json!({"organization_id": id, "name": "Weaver", "description": description}))
        .collect();
    let question = |id, seconds| {
        json!({"question_id": id, "text": "?", "takes_seconds": seconds,
        "answer": {"field": "organization.name"}})
    };
    let data = json!({"organizations": organizations, "pipelines": [{
        "pipeline_id": 1,
        "name": "one",
        "entity_data": ["organization.description"],
        "crm_sync": {"provider": "crm", "takes_seconds": 0.2},
        "questions": [question(1, 0.0), question(2, 0.1), question(3, 0.5)],
    }]});
    let home = TempDir::new().unwrap();
    fs::write(home.path().join("data.json"), data.to_string()).unwrap();
    home
}

fn id(item: &Value) -> i64 {
    item["pipeline_item_id"].as_i64().unwrap()
}

/// Adds organizations until the program is gone, and records each confirmed addition.
fn keep_adding(mut client: Client, next: &AtomicI64, added: &Sender<(i64, i64)>) {
    loop {
        let organization = next.fetch_add(1, Ordering::Relaxed);
        match client.add(organization) {
            Some((201, item)) => added.send((organization, id(&item))).unwrap(),
            Some((status, body)) => panic!("{status} {body}"),
            None => return,
        }
    }
}

#[test]
fn additions_are_neither_lost_nor_doubled_if_one_of_two_programs_on_a_database_is_killed() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let Some(url) = runtime.unwrap().block_on(postgres::schema_url()) else {
        return;
    };
    let home = home(5_000, "Weaves.");
    let steady = Program::on_postgres(home.path(), &url, "memory");
    let next = AtomicI64::new(1);
    let mut answered = BTreeMap::new();
    for _ in 0..ROUNDS {
        let killed = Program::on_postgres(home.path(), &url, "memory");
        let mut before = all_are_there(&killed, &answered);
        answered.append(&mut before);
        let (sender, added) = channel();
        let is_over = &AtomicBool::new(false);
        thread::scope(|scope| {
            for _ in 0..CLIENTS / 2 {
                let (client, sender, again, next) = (killed.client(), sender.clone(), sender.clone(), &next);
                scope.spawn(move || keep_adding(client, next, &sender));
                let (mut client, sender) = (steady.client(), again);
                scope.spawn(move || {
                    while !is_over.load(Ordering::Relaxed) {
                        let organization = next.fetch_add(1, Ordering::Relaxed);
                        let (status, item) = client.add(organization).expect("it goes on");
                        assert_eq!(status, 201, "{item}");
                        sender.send((organization, id(&item))).unwrap();
                    }
                });
            }
            drop(sender);
            answered.extend(added.iter().take(ANSWERED));
            killed.kill();
            // More than can have been under way, so some of these begin after the end of the other.
            answered.extend(added.iter().take(ANSWERED + CLIENTS));
            is_over.store(true, Ordering::Relaxed);
            answered.extend(added.iter());
        });
    }
    assert!(answered.len() >= ROUNDS * ANSWERED);
    all_are_there(&steady, &answered);
    all_become_ready(&mut steady.client());
    let other = Program::on_postgres(home.path(), &url, "database");
    assert_eq!(other.client().items(), steady.client().items());
    let search = "GET /search/organizations/7/similar?skip=900&limit=20";
    let (status, found) = other.client().request(search, "").unwrap();
    assert_eq!((status, found["results"].as_array().unwrap().len()), (200, 20));
    assert_eq!(steady.client().request(search, "").unwrap().1, found);
    let (status, problem) = other.client().add(*answered.keys().next().unwrap()).unwrap();
    assert_eq!(status, 409, "{problem}");
}

#[test]
fn additions_are_neither_lost_nor_doubled_if_the_program_is_killed() {
    let home = home(20_000, "Weaves.");
    let next = AtomicI64::new(1);
    // Item ids by organization, as in the responses.
    let mut answered = BTreeMap::new();
    for _ in 0..ROUNDS {
        let program = Program::on(home.path());
        let mut before = all_are_there(&program, &answered);
        answered.append(&mut before);
        let (sender, added) = channel();
        thread::scope(|scope| {
            for _ in 0..CLIENTS {
                let (client, sender, next) = (program.client(), sender.clone(), &next);
                scope.spawn(move || keep_adding(client, next, &sender));
            }
            drop(sender);
            answered.extend(added.iter().take(ANSWERED));
            program.kill();
            answered.extend(added.iter());
        });
    }
    assert!(answered.len() >= ROUNDS * ANSWERED);
    let program = Program::on(home.path());
    all_are_there(&program, &answered);
    let mut client = program.client();
    let (status, problem) = client.add(*answered.keys().next().unwrap()).unwrap();
    assert_eq!(status, 409, "{problem}");
    all_become_ready(&mut client);
    let items = client.items();
    program.kill();
    assert_eq!(Program::on_export(home.path()).client().items(), items);
}

/// Checks that each confirmed addition is one item, and returns all items. An addition whose response was cut off may
/// exist or not.
fn all_are_there(program: &Program, answered: &BTreeMap<i64, i64>) -> BTreeMap<i64, i64> {
    let items = program.client().items();
    let organization = |item: &Value| item["organization_id"].as_i64().unwrap();
    let there: BTreeMap<_, _> = items.iter().map(|item| (organization(item), id(item))).collect();
    assert_eq!(there.len(), items.len(), "an organization is there twice");
    let mut ids: Vec<_> = there.values().collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), items.len(), "an item id was given out twice");
    for (organization, id) in answered {
        assert_eq!(there.get(organization), Some(id), "organization {organization} is lost");
    }
    there
}

fn all_become_ready(client: &mut Client) {
    let deadline = Instant::now() + PATIENCE;
    let is_done = |item: &Value| {
        let values = item["values"].as_object().unwrap();
        values.values().all(|value| value["sync_status"] == "success")
    };
    while !client.items().iter().all(is_done) {
        assert!(Instant::now() < deadline, "the work does not go on");
        thread::sleep(Duration::from_millis(20));
    }
    for item in client.items() {
        let head = format!("GET /api/v1/pipelines/1/items/{}/status", id(&item));
        let (_, status) = client.request(&head, "").unwrap();
        assert_eq!(status["is_ready"], true, "{status}");
    }
}

/// A limit on the size of files simulates a full disk, and can be raised while the program runs.
#[cfg(target_os = "linux")]
#[test]
fn full_disk_rejects_additions_until_there_is_space_and_loses_nothing() {
    let home = home(5_000, &"Weaves linen. ".repeat(200));
    let program = env!("CARGO_BIN_EXE_platform-server-stub");
    let script = format!("trap '' XFSZ; ulimit -S -f 500; exec '{program}' --listen :0 --data data.json --state state");
    let mut command = Command::new("sh");
    command.current_dir(home.path()).args(["-c", &script]);
    let mut program = Program::start(command.env("RUST_LOG", "error"));
    let mut client = program.client();
    let mut answered = BTreeMap::new();
    let mut organization = 0;
    let rejected = loop {
        organization += 1;
        match client.add(organization).unwrap() {
            (201, item) => answered.insert(organization, id(&item)),
            rejected => break rejected,
        };
    };
    assert!(!answered.is_empty());
    assert_eq!(rejected.0, 500, "{}", rejected.1);
    let mut line = String::new();
    let log = program.child.stderr.as_mut().unwrap();
    BufReader::new(log).read_line(&mut line).unwrap();
    assert!(line.contains("cannot write") && line.contains("free space"), "{line}");
    // The existing items can be read in the meantime.
    all_are_there(&program, &answered);

    let process = program.child.id().to_string();
    let raised = Command::new("prlimit")
        .args(["--pid", &process, "--fsize=unlimited"])
        .status();
    assert!(raised.unwrap().success());
    let (status, item) = client.add(organization).unwrap();
    assert_eq!(status, 201, "{item}");
    answered.insert(organization, id(&item));
    all_are_there(&program, &answered);
    program.kill();
    all_are_there(&Program::on(home.path()), &answered);
}
