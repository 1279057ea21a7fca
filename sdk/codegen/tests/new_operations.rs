//! Adding an operation takes only the contract and one command: the client of a contract with two more
//! operations compiles and calls them. It builds that client, so `cargo test` leaves it out and `.ci/run`
//! runs it by name.

#![allow(clippy::expect_used, clippy::unwrap_used)]

use std::fs;
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

#[test]
fn operations_are_added_by_the_contract_and_one_command() {
    let folder = tempfile::tempdir().unwrap();
    let sdk = folder.path().join("sdk");
    let repository = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    copy(&repository.join("sdk/src"), &sdk.join("src"));
    for name in ["Cargo.lock", "openapi.yaml"] {
        fs::copy(repository.join(name), folder.path().join(name)).unwrap();
    }
    let workspace = fs::read_to_string(repository.join("Cargo.toml")).unwrap();
    let (start, rest) = workspace.split_once("members = [").unwrap();
    let (_, rest) = rest.split_once(']').unwrap();
    let workspace = format!("{start}members = [\"sdk\"]{rest}");
    fs::write(folder.path().join("Cargo.toml"), workspace).unwrap();
    let package = fs::read_to_string(repository.join("sdk/Cargo.toml")).unwrap();
    let (package, _) = package.split_once("[dev-dependencies]").unwrap();
    let package = format!(
        "{package}[dev-dependencies]\n\
         tokio = {{ workspace = true, features = [\"io-util\", \"macros\", \"net\", \"rt-multi-thread\", \"sync\", \"test-util\"] }}\n"
    );
    fs::write(sdk.join("Cargo.toml"), package).unwrap();
    fs::create_dir(sdk.join("tests")).unwrap();
    fs::write(sdk.join("tests/app.rs"), APP).unwrap();

    let client = generate(&grown().to_string()).unwrap();
    client.write(&sdk.join("src/generated")).unwrap();

    let tested = Command::new(env!("CARGO"))
        .args([
            "test",
            "--quiet",
            "--offline",
            "--package",
            "platform-sdk",
            "--test",
            "app",
        ])
        // Without TLS and compression, which the new operations do not need.
        .args([
            "--no-default-features",
            "--features",
            "blocking,metrics,mock,opentelemetry,schemars,tower",
        ])
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
