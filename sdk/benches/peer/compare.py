#!/usr/bin/env python3
"""Compares the SDK with peers, mainly the client that openapi-generator generates from the same contract.

    python3 -m venv target/peer/venv
    target/peer/venv/bin/pip install openapi-generator-cli==7.26.0
    target/peer/venv/bin/python sdk/benches/peer/compare.py calls [time] [instructions]
    target/peer/venv/bin/python sdk/benches/peer/compare.py build [ROUNDS]

`calls` measures a call through the SDK and through the generated client, decoding with sonic-rs and simd-json,
and the benchmarks of `cargo bench`. `build` measures cold builds of three apps that print the ids of a pipeline:
with reqwest alone, with the SDK, and with the generated client. The builds take turns.

Requires Python 3.11, Java 11 and crates.io. It writes only below `target/peer`; no build or test of the workspace
needs these files.
"""

import os
import resource
import shutil
import statistics
import subprocess
import sys
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", REPOSITORY / "target"))
HERE = TARGET / "peer"

# The default of the generated client is native TLS. With the same TLS everywhere, only the clients differ.
GENERATED = f'openapi_client = {{ path = "{HERE}/client", default-features = false, features = ["rustls"] }}'
SDK = f'platform-sdk = {{ path = "{REPOSITORY}/sdk" }}'
REQWEST = 'reqwest = { version = "0.13", default-features = false, features = ["json", "query", "rustls"] }'
JSON = ['serde = "1"', 'serde_json = "1"', 'simd-json = "0.19"', 'sonic-rs = "0.5"']
TOKIO = 'tokio = { version = "1", features = ["macros", "net", "rt-multi-thread"] }'

APPS = {
    "reqwest alone": (
        [REQWEST, 'serde = { version = "1", features = ["derive"] }', TOKIO],
        """
#[derive(serde::Deserialize)]
struct Page { items: Vec<Item> }

#[derive(serde::Deserialize)]
struct Item { pipeline_item_id: i64 }

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let request = reqwest::Client::new().get("http://127.0.0.1:8080/api/v1/pipelines/1/items");
    let answer = request.header("API-Key", "dev-full-access").send().await?;
    for item in answer.error_for_status()?.json::<Page>().await?.items {
        println!("{}", item.pipeline_item_id);
    }
    Ok(())
}
""",
    ),
    "SDK": (
        [SDK, TOKIO],
        """
#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let client = platform_sdk::Client::builder()
        .base_url("http://127.0.0.1:8080")
        .api_key("dev-full-access")
        .build()?;
    for item in &client.list_items().pipeline_id(1).send().await?.items {
        println!("{}", item.pipeline_item_id);
    }
    Ok(())
}
""",
    ),
    "openapi-generator": (
        [GENERATED, TOKIO],
        """
use openapi_client::apis::configuration::{ApiKey, Configuration};
use openapi_client::apis::pipeline_items_api::list_items;

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let api_key = ApiKey { prefix: None, key: "dev-full-access".to_owned() };
    let configuration = Configuration { api_key: Some(api_key), ..Configuration::new() };
    for item in list_items(&configuration, 1, None, None, None, None).await?.items {
        println!("{}", item.pipeline_item_id);
    }
    Ok(())
}
""",
    ),
}


def main() -> None:
    match sys.argv[1:]:
        case ["calls", *words]:
            generate()
            calls(words)
        case ["build", *rounds]:
            generate()
            build(int(rounds[0]) if rounds else 5)
        case _:
            sys.exit(__doc__)


def generate() -> None:
    """Generates the peer from the unchanged contract."""
    shutil.rmtree(HERE / "client", ignore_errors=True)
    generator = Path(sys.executable).with_name("openapi-generator-cli")
    command = [generator, "generate", "-g", "rust", "--library", "reqwest"]
    command += ["-i", REPOSITORY / "openapi.yaml", "-o", HERE / "client"]
    command += ["--additional-properties", "packageName=openapi_client"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def package(name: str, dependencies: list[str], more: str = "") -> Path:
    """Writes a package outside the workspace, with the versions of its lock file."""
    folder = HERE / name.replace(" ", "-")
    (folder / "src").mkdir(parents=True, exist_ok=True)
    manifest = ["[package]", f'name = "{folder.name}"', 'edition = "2024"', more]
    manifest += ["[workspace]", "[dependencies]", *dependencies]
    (folder / "Cargo.toml").write_text("\n".join(manifest))
    shutil.copy(REPOSITORY / "Cargo.lock", folder)
    return folder


def calls(words: list[str]) -> None:
    program = f'[[bin]]\nname = "peer"\npath = "{REPOSITORY}/sdk/benches/peer/main.rs"'
    stub = f'platform-server-stub = {{ path = "{REPOSITORY}/server-stub" }}'
    folder = package("calls", [SDK, stub, GENERATED, REQWEST, TOKIO, *JSON], program)
    environment = os.environ | {"CARGO_TARGET_DIR": str(TARGET)}
    command = ["cargo", "run", "--release", "--quiet", "--", *words]
    subprocess.run(command, check=True, cwd=folder, env=environment)


def build(rounds: int) -> None:
    folders, figures = {}, {name: [] for name in APPS}
    for name, (dependencies, source) in APPS.items():
        folders[name] = package(name, dependencies)
        (folders[name] / "src" / "main.rs").write_text(source)
        subprocess.run(["cargo", "fetch", "--quiet"], check=True, cwd=folders[name])
    for _ in range(rounds):
        for name, folder in folders.items():
            figures[name].append(cold_build(folder))
    print("| app | crates | seconds | seconds of CPU |\n|---|---:|---:|---:|")
    for name, folder in folders.items():
        wall, cpu = (statistics.median(column) for column in zip(*figures[name]))
        print(f"| {name} | {len(crates(folder))} | {wall:.1f} | {cpu:.1f} |")
    added = crates(folders["SDK"]) - crates(folders["reqwest alone"])
    print("\nThe SDK adds:", ", ".join(sorted(added)))


def cold_build(folder: Path) -> tuple[float, float]:
    """Returns the wall-clock and CPU seconds of a cold debug build, without downloads."""
    shutil.rmtree(HERE / "cold", ignore_errors=True)
    environment = os.environ | {"CARGO_TARGET_DIR": str(HERE / "cold")}
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    command = ["cargo", "build", "--offline", "--quiet"]
    subprocess.run(command, check=True, cwd=folder, env=environment)
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def crates(folder: Path) -> set[str]:
    """Returns the crates that a build compiles, without the app itself."""
    command = ["cargo", "tree", "--offline", "--edges", "normal,build", "--prefix", "none"]
    tree = subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True).stdout
    found = {" ".join(line.split()[:2]) for line in tree.splitlines()[1:]}
    return found - {""}


if __name__ == "__main__":
    main()
