//! Adding an operation takes only the contract and one command: the client of a contract with two more
//! operations compiles and calls them. It builds that client, so `cargo test` leaves it out and `.ci/run`
//! runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use platform_contract::Contract;
use platform_sdk_codegen::generate;
use serde_json::{Value, json};

/// The contract with two more operations: a GET without examples, and a DELETE with an empty response.
fn grown() -> Value {
    let mut contract = Contract::bundled().document().clone();
    let id = |name: &str, schema: &str| {
        let schema = format!("#/components/schemas/{schema}");
        json!({
            "name": name, "in": "path", "required": true, "description": "An id.",
            "schema": {"$ref": schema},
        })
    };
    let policy = |operation: Value| {
        let mut operation = operation;
        operation["x-idempotent"] = json!(true);
        operation["x-retryable-statuses"] = json!([429, 503]);
        operation["x-timeout-seconds"] = json!(10);
        operation
    };
    contract["paths"]["/api/v1/pipelines/{pipeline_id}"] = json!({"get": policy(json!({
        "operationId": "get_pipeline",
        "summary": "Read a pipeline",
        "parameters": [
            id("pipeline_id", "PipelineId"),
            {
                "name": "verbose", "in": "query", "description": "Whether to count the items.",
                "schema": {"type": "boolean"},
            },
        ],
        "responses": {"200": {
            "description": "The pipeline.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pipeline"}}},
        }},
    }))});
    contract["components"]["schemas"]["Pipeline"] = json!({
        "type": "object",
        "description": "A pipeline.",
        "required": ["pipeline_id", "name", "created_at"],
        "properties": {
            "pipeline_id": {"$ref": "#/components/schemas/PipelineId"},
            "name": {"type": "string", "description": "Its name."},
            "created_at": {"type": "string", "format": "date-time", "nullable": true, "description": "Since when."},
        },
    });
    contract["paths"]["/api/v1/pipelines/{pipeline_id}/items/{pipeline_item_id}"] = json!({"delete": policy(json!({
        "operationId": "remove_item",
        "summary": "Remove an item",
        "parameters": [id("pipeline_id", "PipelineId"), id("pipeline_item_id", "PipelineItemId")],
        "responses": {"204": {"description": "The item is removed."}},
    }))});
    contract
}

/// An app that calls the new operations.
const APP: &str = r#"
use platform_sdk::mock::{Answer, Server, from_json};

#[tokio::test(flavor = "current_thread")]
async fn new_operations_are_called() -> Result<(), platform_sdk::Error> {
    let server = Server::start().await;
    let client = server.client();
    let removal = server
        .when(client.remove_item().pipeline_id(2).pipeline_item_id(200_001))
        .answers([Answer::problem("unavailable"), Answer::from(())]);
    let removed = client.remove_item().pipeline_id(2).pipeline_item_id(200_001).send().await?;
    assert_eq!(removed.status(), 204);
    removal.assert_calls(2);

    let pipeline = serde_json::json!({"pipeline_id": 2, "name": "Cold chains", "created_at": null});
    let reading = server
        .when(client.get_pipeline().pipeline_id(2).verbose(true))
        .answer(from_json(pipeline));
    let read = client.get_pipeline().pipeline_id(2).verbose(Some(true)).send().await?;
    assert_eq!(read.name, "Cold chains");
    reading.assert_calls(1);
    Ok(())
}
"#;

/// The manifest of the app.
const MANIFEST: &str = r#"
[package]
name = "app"
version = "0.0.0"
edition = "2024"

[dev-dependencies]
platform-sdk = { workspace = true, features = ["mock"] }
serde_json.workspace = true
tokio = { workspace = true, features = ["macros", "rt"] }
"#;

#[test]
fn operations_are_added_by_the_contract_and_one_command() {
    let repository = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    // The whole workspace, so that the SDK is built with the dependencies of all other tests. Only the SDK's sources
    // are copied.
    link_all(
        &repository,
        folder.path(),
        &["sdk", "target", "Cargo.toml", "Cargo.lock"],
    );
    link_all(&repository.join("sdk"), &folder.path().join("sdk"), &["src"]);
    copy(&repository.join("sdk/src"), &folder.path().join("sdk/src"));
    let workspace = fs::read_to_string(repository.join("Cargo.toml")).unwrap();
    let with_app = workspace.replacen("members = [", "members = [\"app\", ", 1);
    fs::write(folder.path().join("Cargo.toml"), with_app).unwrap();
    fs::copy(repository.join("Cargo.lock"), folder.path().join("Cargo.lock")).unwrap();
    let app = folder.path().join("app");
    fs::create_dir_all(app.join("tests")).unwrap();
    fs::write(app.join("Cargo.toml"), MANIFEST).unwrap();
    fs::write(app.join("tests/app.rs"), APP).unwrap();

    let client = generate(&grown().to_string()).unwrap();
    client.write(&folder.path().join("sdk/src/generated")).unwrap();

    let tested = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--offline", "--workspace", "--test", "app"])
        .current_dir(folder.path())
        .env("CARGO_TARGET_DIR", target())
        .env_remove("RUSTFLAGS")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&tested.stderr);
    assert!(
        tested.status.success(),
        "{said}{}",
        String::from_utf8_lossy(&tested.stdout)
    );
}

/// The `target` folder, shared so that dependencies are not rebuilt.
fn target() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    // `target/debug/deps/new_operations-…`
    test.ancestors().nth(3).unwrap().to_owned()
}

/// Links everything in a folder except some of it.
fn link_all(from: &Path, to: &Path, except: &[&str]) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let name = entry.unwrap().file_name();
        if !except.iter().any(|left_out| name == *left_out) {
            symlink(from.join(&name), to.join(&name)).unwrap();
        }
    }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let to = to.join(path.file_name().unwrap());
        match path.is_dir() {
            true => copy(&path, &to),
            false => drop(fs::copy(&path, to).unwrap()),
        }
    }
}
