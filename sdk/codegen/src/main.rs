//! `cargo codegen` writes the client of the SDK; `cargo codegen --check` only compares it with the contract.

use std::path::Path;
use std::process::ExitCode;

use platform_sdk_codegen::{Client, Error, generate};

const USAGE: &str = "\
Generates the client of platform-sdk from openapi.yaml.

Usage: cargo codegen [--check]

  --check  Compare the committed client with the contract, and write nothing.
           The exit code is 1 if they differ.
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        [] => write(),
        ["--check"] => check(),
        ["--help" | "-h"] => {
            print(USAGE);
            return ExitCode::SUCCESS;
        }
        _ => {
            print_error(USAGE);
            return ExitCode::from(2);
        }
    };
    done.unwrap_or_else(|error| {
        print_error(&format!("error: {error}\n"));
        ExitCode::from(2)
    })
}

fn write() -> Result<ExitCode, Error> {
    let client = fresh()?;
    client.write(&folder())?;
    Ok(ExitCode::SUCCESS)
}

fn check() -> Result<ExitCode, Error> {
    let differences = fresh()?.differences(&folder())?;
    for difference in &differences {
        print_error(&format!("sdk/src/generated/{difference}\n"));
    }
    if differences.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    print_error("The committed client does not match openapi.yaml: run `cargo codegen`.\n");
    Ok(ExitCode::FAILURE)
}

/// The client of the contract in this repository.
fn fresh() -> Result<Client, Error> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../openapi.yaml");
    let contract = std::fs::read_to_string(&path).map_err(|why| Error::File { path, why })?;
    generate(&contract)
}

/// `sdk/src/generated`.
fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../src/generated")
}

#[expect(clippy::print_stdout, reason = "this is a program")]
fn print(text: &str) {
    print!("{text}");
}

#[expect(clippy::print_stderr, reason = "this is a program")]
fn print_error(text: &str) {
    eprint!("{text}");
}
