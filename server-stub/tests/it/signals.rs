//! Signals to the program while clients hold connections open.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

/// Much longer than any of these tests can take.
const PATIENCE: Duration = Duration::from_secs(60);

const GET: &str = "GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n";

/// A request whose body has not arrived.
const ADD: &str = "POST /api/v1/pipelines/6/organizations HTTP/1.1\r\nHost: x\r\nAPI-Key: dev-full-access\r\n\
                   Content-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 100\r\n\r\n";

/// A program that is killed if the test ends first.
struct Program {
    child: Child,
    address: String,
}

impl Program {
    fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_platform-server-stub"));
        Self::spawn(command.args(["--listen", "localhost:0"]).args(arguments))
    }

    fn spawn(command: &mut Command) -> Self {
        let command = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        let stdout = child.stdout.take().unwrap();
        BufReader::new(stdout).read_line(&mut line).unwrap();
        let address = line.trim_end().strip_prefix("listening on http://");
        let address = address.unwrap_or_else(|| panic!("{line}")).to_owned();
        Self { child, address }
    }

    /// A client that has received one response, so the program has certainly accepted it.
    fn client(&self) -> TcpStream {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(GET.as_bytes()).unwrap();
        read_response(&mut stream);
        stream
    }

    fn signal(&self, name: &str) {
        let process = self.child.id().to_string();
        let kill = Command::new("kill").args(["-s", name, &process]).status();
        assert!(kill.unwrap().success());
    }

    /// Returns when the program no longer accepts connections: it has received the signal.
    fn wait_until_it_drains(&self) {
        let deadline = Instant::now() + PATIENCE;
        while TcpStream::connect(&self.address).is_ok() {
            assert!(Instant::now() < deadline, "the signal was not taken");
            std::thread::yield_now();
        }
    }

    fn wait(&mut self) -> ExitStatus {
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the program does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    fn log(&mut self) -> String {
        let mut log = String::new();
        let stderr = self.child.stderr.as_mut().unwrap();
        stderr.read_to_string(&mut log).unwrap();
        log
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Reads one response: its header, and a body of the announced length.
fn read_response(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap().to_ascii_lowercase();
    let length = head
        .split("content-length: ")
        .nth(1)
        .and_then(|rest| rest.lines().next());
    let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
    stream.read_exact(&mut body).unwrap();
    head
}

#[test]
fn signal_ends_the_program_with_open_connections() {
    // What is held open, and whether it is a request in flight, which gets until the drain deadline.
    let table = [
        ("TERM", "", "1h", false),
        ("INT", "", "1h", false),
        ("TERM", "GET / HTTP/1.1\r\n", "100ms", false),
        ("TERM", ADD, "100ms", true),
        ("INT", ADD, "100ms", true),
    ];
    for (signal, held, drain, in_flight) in table {
        let mut program = Program::start(&["--drain", drain]);
        let fresh = TcpStream::connect(&program.address).unwrap();
        let mut clients = [fresh, program.client()];
        for client in &mut clients {
            client.write_all(held.as_bytes()).unwrap();
            if in_flight {
                assert!(read_response(client).contains("100 continue"));
            }
        }
        program.signal(signal);
        assert_eq!(program.wait().code(), Some(0), "{signal} {held:?}");
        let log = program.log();
        let cut = log.contains("connections were cut at the drain deadline");
        assert!(cut || !in_flight, "{signal} {held:?}: {log}");
    }
}

#[test]
fn second_signal_ends_the_program_at_once() {
    for (second, code) in [("TERM", 143), ("INT", 130)] {
        let mut program = Program::start(&["--drain", "1h"]);
        let mut client = program.client();
        client.write_all(ADD.as_bytes()).unwrap();
        assert!(read_response(&mut client).contains("100 continue"));
        program.signal("TERM");
        program.wait_until_it_drains();
        program.signal(second);
        assert_eq!(program.wait().code(), Some(code));
    }
}

/// When no file descriptor is left, the program logs this and continues when one is free again.
#[test]
fn running_out_of_file_descriptors_does_not_end_the_program() {
    let mut command = Command::new("sh");
    let program = env!("CARGO_BIN_EXE_platform-server-stub");
    let script = format!("ulimit -n 40; exec '{program}' --listen :0");
    let mut program = Program::spawn(command.args(["-c", &script]));
    let clients: Vec<_> = (0..60).map(|_| TcpStream::connect(&program.address).unwrap()).collect();
    // The program runs out of descriptors only after it has accepted all but the last few.
    let mut line = String::new();
    let mut log = BufReader::new(program.child.stderr.take().unwrap());
    log.read_line(&mut line).unwrap();
    assert!(line.contains("cannot accept a connection"), "{line}");
    assert!(
        !line.contains('\u{1b}'),
        "a log that is not on a terminal has no colours: {line}"
    );
    for client in clients {
        client.shutdown(Shutdown::Both).unwrap();
    }
    program.client();
    program.child.kill().unwrap();
}
