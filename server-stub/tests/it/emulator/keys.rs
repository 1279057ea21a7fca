use std::time::Duration;

use platform_server_stub::model::ids::PipelineId;
use platform_server_stub::model::policy::{Action, ApiKey, RateLimit, Resource};
use platform_server_stub::platform::keys::Decision;
use serde_json::{Value, json};

use super::admin::{admin, with_admin};
use super::{INBOX, frozen, get, send};

fn key(secret: &str, name: &str, policies: Value) -> ApiKey {
    let key = json!({"key": secret, "name": name, "policies": policies});
    serde_json::from_value(key).unwrap()
}

async fn status(emulator: &platform_server_stub::Emulator, key: &str) -> u16 {
    let request = format!("GET {INBOX} HTTP/1.1\r\nAPI-Key: {key}");
    send(emulator, &request, "").await.unwrap().status
}

#[tokio::test]
async fn keys_and_policies_change_while_the_emulator_runs() {
    let emulator = frozen().await;
    let reader = key("reader-secret", "reader", json!([{"effect": "allow"}]));
    assert_eq!(status(&emulator, "reader-secret").await, 401);
    emulator.put_key(reader).unwrap();
    assert_eq!(status(&emulator, "reader-secret").await, 200);
    emulator.set_policies("reader", Vec::new());
    assert_eq!(status(&emulator, "reader-secret").await, 403);
    assert!(emulator.remove_key("reader"));
    assert_eq!(status(&emulator, "reader-secret").await, 401);
    assert!(emulator.remove_key("emulator"));
    assert_eq!(get(&emulator, INBOX).await.status, 401);
    emulator.reset().await.unwrap();
    assert_eq!(get(&emulator, INBOX).await.status, 200);
}

#[tokio::test]
async fn explain_agrees_with_what_the_service_does() {
    let emulator = frozen().await;
    for (name, secret) in [
        ("full access", "dev-full-access"),
        ("no access", "dev-no-access"),
        ("one pipeline", "dev-one-pipeline"),
    ] {
        for pipeline in [2, 6] {
            let path = format!("/api/v1/pipelines/{pipeline}/items");
            let request = format!("GET {path} HTTP/1.1\r\nAPI-Key: {secret}");
            let seen = send(&emulator, &request, "").await.unwrap().status;
            let id = PipelineId::new(pipeline).ok();
            let decision = emulator.explain(name, Action::Read, Resource::CollectionItem, id);
            assert_eq!(decision.unwrap().is_allowed, seen == 200, "{name} {pipeline}");
        }
    }
    let own = PipelineId::new(2).ok();
    let allowed = Decision {
        is_allowed: true,
        policy: Some(0),
    };
    let items = emulator.explain("one pipeline", Action::Read, Resource::CollectionItem, own);
    assert_eq!(items, Some(allowed));
    let read = emulator.explain("no access", Action::Read, Resource::Product, None);
    let denied = Decision {
        is_allowed: false,
        policy: None,
    };
    assert_eq!(read, Some(denied));
    assert_eq!(emulator.explain("x", Action::Read, Resource::Product, None), None);
}

#[tokio::test]
async fn quotas_change_and_follow_the_clock_of_the_emulator() {
    let emulator = frozen().await;
    let limit = |requests| {
        Some(RateLimit {
            requests,
            window_seconds: 60,
        })
    };
    emulator.set_default_quota(limit(1));
    assert_eq!(get(&emulator, INBOX).await.status, 200);
    assert_eq!(get(&emulator, INBOX).await.status, 429);
    emulator.clock().advance(Duration::from_secs(60)).await;
    assert_eq!(get(&emulator, INBOX).await.status, 200);
    let quotas = emulator.quotas();
    let quota = quotas.iter().find(|quota| quota.key == "emulator").unwrap();
    assert_eq!((quota.limit, quota.used), (limit(1), 1));
    assert_eq!(quota.ends.unwrap() - super::noon(), chrono::TimeDelta::seconds(120));
    assert!(emulator.set_quota("emulator", limit(2)));
    assert_eq!(get(&emulator, INBOX).await.status, 200);
    assert_eq!(get(&emulator, INBOX).await.status, 429);
    emulator.clear_quotas();
    assert_eq!(get(&emulator, INBOX).await.status, 200);
    emulator.reset().await.unwrap();
    assert_eq!(emulator.default_quota(), None);
    let own = emulator.keys().into_iter().find(|key| key.name == "emulator");
    assert_eq!(own.unwrap().rate_limit, None);
}

#[tokio::test]
async fn keys_and_quotas_are_controlled_over_http_and_secrets_are_not_shown() {
    let emulator = with_admin().await;
    let body = json!({
        "key": "reader-secret", "name": "reader", "policies": [{"effect": "allow", "actions": ["READ"], "pipelines": [6]}],
        "rate_limit": {"requests": 2, "window_seconds": 60},
    });
    let added = admin(&emulator, "POST /keys", &body).await;
    let mut shown = body.clone();
    shown.as_object_mut().unwrap().remove("key");
    assert_eq!((added.status, &added.body), (201, &shown));
    assert_eq!(status(&emulator, "reader-secret").await, 200);
    let list = admin(&emulator, "GET /keys", &Value::Null).await;
    assert_eq!(list.body["keys"].as_array().unwrap().last(), Some(&shown));
    assert!(
        !list.text.contains("secret") && !list.text.contains("dev-"),
        "{}",
        list.text
    );

    let question = json!({"action": "READ", "resource": "COLLECTION_ITEM", "pipeline_id": 6});
    let explained = admin(&emulator, "POST /keys/reader/explain", &question).await;
    let expected = json!({"is_allowed": true, "decided_by": 0, "policy": shown["policies"][0]});
    assert_eq!(explained.body, expected);
    let question = json!({"action": "CREATE", "resource": "COLLECTION_ITEM", "pipeline_id": 6});
    let explained = admin(&emulator, "POST /keys/reader/explain", &question).await;
    let expected = json!({"is_allowed": false, "decided_by": null, "policy": null});
    assert_eq!(explained.body, expected);

    let deny = json!({"policies": [{"effect": "deny"}]});
    let unlimited = json!({"rate_limit": null});
    for (line, body, status) in [
        ("PUT /keys/reader/rate-limit", &unlimited, 204),
        ("PUT /keys/reader/policies", &deny, 204),
        ("PUT /keys/no%20access/policies", &deny, 204),
        ("PUT /keys/nobody/policies", &deny, 404),
        (
            "PUT /rate-limits",
            &json!({"default": {"requests": 1, "window_seconds": 5}}),
            204,
        ),
        ("POST /rate-limits/reset", &Value::Null, 204),
    ] {
        assert_eq!(admin(&emulator, line, body).await.status, status, "{line}");
    }
    assert_eq!(status(&emulator, "reader-secret").await, 403);
    assert_eq!(status(&emulator, "reader-secret").await, 429);
    let limits = admin(&emulator, "GET /rate-limits", &Value::Null).await;
    let used = limits.body["keys"].as_array().unwrap().last().unwrap().clone();
    let expected = json!({
        "key": "reader", "rate_limit": {"requests": 1, "window_seconds": 5}, "used": 1, "ends": "2026-11-20T12:00:05Z",
    });
    assert_eq!(used, expected);
    assert_eq!(admin(&emulator, "DELETE /keys/reader", &Value::Null).await.status, 204);
    assert_eq!(admin(&emulator, "DELETE /keys/reader", &Value::Null).await.status, 404);
}

#[tokio::test]
async fn key_that_cannot_be_added_is_rejected_without_being_shown() {
    let emulator = with_admin().await;
    for (body, status, expected) in [
        (
            json!({"key": "not visible", "name": "a"}),
            422,
            "key: a key is a string of 1 to 256 visible ASCII",
        ),
        (json!({"key": "hush-1", "name": " "}), 422, "name: must not be blank"),
        (
            json!({"key": "hush-1", "name": "a", "policy": []}),
            422,
            "unknown field `policy`, expected one of",
        ),
        (
            json!({"key": "hush-1", "name": "a", "rate_limit": {"requests": 0, "window_seconds": 1}}),
            422,
            "must be at least 1",
        ),
        (
            json!({"key": "hush-1", "name": "a", "policies": [{"effect": "allow", "pipelines": [0]}]}),
            422,
            "policies[0].pipelines[0]",
        ),
        (
            json!({"key": "dev-full-access", "name": "a"}),
            409,
            "belongs to `full access` already",
        ),
    ] {
        let answer = admin(&emulator, "POST /keys", &body).await;
        let detail = answer.body["detail"].as_str().unwrap();
        assert_eq!(answer.status, status, "{detail}");
        assert!(detail.contains(expected), "{detail}");
        for secret in ["not visible", "hush-1", "dev-full"] {
            assert!(!answer.text.contains(secret), "{detail}");
        }
    }
}
