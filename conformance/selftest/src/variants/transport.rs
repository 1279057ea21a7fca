//! Variants of transport: through proxies, in chunks, slow, with a path prefix, with quotas.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::Router;
use axum::body::{Body, Bytes, to_bytes};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, Version};
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use futures::stream;

use super::{Variant, variant};
use crate::exchange::{Answered, Asked, Plant};
use crate::fault::{EVERY_OPERATION, header};

/// The number of accepted requests before one is rejected.
const TURNED_AWAY: u64 = 40;
/// The key of the reference server that has a quota.
const LIMITED: &str = "dev-rate-limited";
/// The number of reads of which one does not reach the deployment.
const UNREACHED: u64 = 50;

pub(super) fn variants() -> Vec<Variant> {
    vec![
        variant(
            "further-headers",
            EVERY_OPERATION,
            "Responses have the headers of proxies.",
        )
        .answer(|_, answered| {
            for (name, value) in [
                ("server", "envoy"),
                ("via", "1.1 edge-7"),
                ("vary", "Origin, Accept-Encoding"),
                ("pragma", "no-cache"),
                ("strict-transport-security", "max-age=31536000"),
                ("x-content-type-options", "nosniff"),
                ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
            ] {
                answered.set_header(name, value);
            }
        }),
        variant(
            "head-of-a-proxy",
            EVERY_OPERATION,
            "GET has headers of a proxy that HEAD does not have, and Allow is split into two headers.",
        )
        .answer(|asked, answered| {
            if asked.method == "GET" {
                answered.set_header("etag", "W/\"5f3a9c\"");
                answered.set_header("vary", "Accept-Encoding");
            }
            if asked.method == "HEAD" {
                answered.remove_header("content-length");
            }
            if asked.method == "OPTIONS" {
                let methods = HeaderValue::from_static("PROPFIND, TRACE");
                answered.headers.append("allow", methods);
                answered.set_header("access-control-allow-origin", "*");
            }
        }),
        variant("in-pieces", EVERY_OPERATION, "Bodies are chunked, without a length.")
            .layer(|router, _| around(router, in_pieces)),
        variant(
            "one-request-a-connection",
            EVERY_OPERATION,
            "Every connection is closed after its first response.",
        )
        .answer(|_, answered| {
            answered.headers.insert("connection", HeaderValue::from_static("close"));
        }),
        variant("http-1-0", EVERY_OPERATION, "Responses come through an HTTP/1.0 proxy.").layer(|router, _| {
            around(router, |mut response| async {
                *response.version_mut() = Version::HTTP_10;
                response
            })
        }),
        variant(
            "slow",
            EVERY_OPERATION,
            "Every response is delayed by a few milliseconds.",
        )
        .planted(Plant::default().delayed(Duration::from_millis(4))),
        variant(
            "out-of-order",
            EVERY_OPERATION,
            "Some responses are slower than those to later requests.",
        )
        .layer(|router, seed| {
            let number = Arc::new(AtomicU64::new(seed));
            router.layer(from_fn(move |request: Request, next: Next| {
                let wait = number.fetch_add(1, Ordering::Relaxed) % 7;
                async move {
                    tokio::time::sleep(Duration::from_millis(wait)).await;
                    next.run(request).await
                }
            }))
        }),
        variant("below-a-path", "/servers/0", "The API is below a path prefix.")
            .below("/platform/eu")
            .layer(|router, _| below("/platform/eu", router)),
        variant(
            "quota-for-all",
            header("RateLimit"),
            "Every key has a quota, and most never reach it.",
        )
        .answer(|asked, answered| {
            let limited = asked.header("api-key") == Some("dev-rate-limited");
            if asked.operation.is_some() && !limited && !matches!(answered.status.as_u16(), 401 | 404 | 405) {
                answered.set_header("ratelimit", r#""default"; r=99998; t=60"#);
                answered.set_header("ratelimit-policy", r#""default"; q=100000; w=60"#);
            }
        }),
        variant(
            "behind-a-gateway-that-fails",
            "/components/responses/ServerError",
            "Some reads get 502 from a gateway, with a page for a browser.",
        )
        .layer(|router, seed| {
            let number = Arc::new(AtomicU64::new(seed));
            let plant = Plant::answer(move |asked, answered| {
                if asked.method == Method::GET && number.fetch_add(1, Ordering::Relaxed) % UNREACHED == UNREACHED - 1 {
                    lose(answered);
                }
            });
            plant.around(router)
        }),
        variant(
            "responses-of-a-quota-are-lost",
            "/components/responses/ServerError",
            "A gateway loses the second and the last response of every quota.",
        )
        .answer(|asked, answered| {
            let is_limited = asked.header("api-key") == Some(LIMITED) && asked.method == Method::GET;
            let left = answered.headers.get("ratelimit").and_then(|left| left.to_str().ok());
            let is_one = left.is_some_and(|left| ["r=0", "r=3"].iter().any(|rest| left.contains(rest)));
            if is_limited && is_one && answered.is_success() {
                lose(answered);
            }
        }),
        variant(
            "unavailable-now-and-then",
            "/components/responses/ServerError",
            "Some reads get 503, with Retry-After.",
        )
        .layer(|router, seed| {
            let number = Arc::new(AtomicU64::new(seed));
            let plant = Plant::answer(move |asked, answered| {
                if asked.method == Method::GET && number.fetch_add(1, Ordering::Relaxed) % UNREACHED == UNREACHED - 1 {
                    answered.becomes(503, "unavailable");
                    answered.set_header("retry-after", "1");
                }
            });
            plant.around(router)
        }),
        variant(
            "quota-renewed-in-between",
            "/components/responses/RateLimited",
            "Twice for each path, a quota that is used up is renewed, and the request takes the last of it.",
        )
        .layer(|router, _| {
            let of_list = |asked: &Asked| asked.calls("list_items") && asked.header("api-key") == Some(LIMITED);
            let is_used_up = Arc::new(AtomicBool::new(false));
            let renewed_for = Mutex::new(BTreeMap::<String, u8>::new());
            let used_up = Arc::clone(&is_used_up);
            let plant = Plant::request(move |asked| {
                let may_be = asked.header("api-key") == Some(LIMITED) && !of_list(asked);
                if !may_be || !used_up.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(mut renewed_for) = renewed_for.lock() else {
                    return;
                };
                let times = renewed_for.entry(asked.path.clone()).or_default();
                if *times < 2 {
                    *times += 1;
                    // It has the same permissions, and no quota.
                    asked.set_header("api-key", "dev-read-only");
                }
            });
            let plant = plant.and_answer(move |asked, answered| {
                let has_quota = answered.headers.contains_key("ratelimit");
                if asked.header("api-key") == Some(LIMITED) && !has_quota {
                    answered.set_header("ratelimit", r#""default";r=0;t=2"#);
                    answered.set_header("ratelimit-policy", r#""default";q=5;w=2"#);
                } else if of_list(asked) {
                    let is_rejected = answered.status == StatusCode::TOO_MANY_REQUESTS;
                    is_used_up.store(is_rejected, Ordering::Relaxed);
                }
            });
            plant.around(router)
        }),
        variant(
            "turns-away",
            "/components/responses/RateLimited",
            "Some requests are rejected for a second by a quota.",
        )
        .layer(|router, seed| {
            let number = Arc::new(AtomicU64::new(seed));
            let rejection = Plant::answer(|_, answered| {
                answered.becomes(429, "rate_limited");
                answered.set_header("retry-after", "1");
                answered.set_header("ratelimit", r#""default";r=0;t=1"#);
                answered.set_header("ratelimit-policy", r#""default";q=39;w=1"#);
            });
            let rejected = rejection.around(router.clone());
            router.layer(from_fn(move |request: Request, next: Next| {
                let known = request.headers().get_all("api-key").iter().collect::<Vec<_>>();
                let may_be =
                    known.len() == 1 && [&b"dev-full-access"[..], b"dev-read-only"].contains(&known[0].as_bytes());
                let turned_away = may_be && number.fetch_add(1, Ordering::Relaxed) % TURNED_AWAY == TURNED_AWAY - 1;
                let rejected = rejected.clone();
                async move {
                    if turned_away {
                        turn_away(request, rejected).await
                    } else {
                        next.run(request).await
                    }
                }
            }))
        }),
    ]
}

/// Returns a router whose responses are changed.
fn around<Changed>(router: Router, change: fn(Response) -> Changed) -> Router
where
    Changed: Future<Output = Response> + Send + 'static,
{
    let changed = move |request: Request, next: Next| async move { change(next.run(request).await).await };
    Router::new().fallback_service(router).layer(from_fn(changed))
}

async fn in_pieces(response: Response) -> Response {
    let (parts, body) = response.into_parts();
    let bytes = to_bytes(body, usize::MAX).await.unwrap_or_default();
    let pieces: Vec<_> = bytes
        .chunks(1013)
        .map(Bytes::copy_from_slice)
        .map(Ok::<_, std::io::Error>)
        .collect();
    let mut response = Response::from_parts(parts, Body::from_stream(stream::iter(pieces)));
    response.headers_mut().remove("content-length");
    response
}

/// Replaces a response by the page of a gateway that did not get it.
fn lose(answered: &mut Answered) {
    answered.set_text("<h1>Bad Gateway</h1>");
    answered.set_header("content-type", "text/html");
    answered.status = StatusCode::BAD_GATEWAY;
}

/// Replaces the request by a read of a status, so that a rejected request changes nothing.
async fn turn_away(request: Request, mut rejected: Router) -> Response {
    let mut harmless = Request::new(Body::empty());
    *harmless.uri_mut() = request.uri().clone();
    *harmless.headers_mut() = request.headers().clone();
    harmless.headers_mut().remove("content-length");
    let Ok(response) = tower::Service::call(&mut rejected, harmless).await;
    response
}

/// Returns a router below a path prefix, which its responses include in their paths.
fn below(prefix: &'static str, router: Router) -> Router {
    let named = Plant::answer(move |_, answered| {
        let location = answered.headers.get("location").and_then(|path| path.to_str().ok());
        if let Some(path) = location.map(|path| format!("{prefix}{path}")) {
            answered.set_header("location", &path);
        }
        if answered.status.is_client_error() && answered.json()["instance"].is_string() {
            let instance = format!("{prefix}{}", answered.json()["instance"].as_str().unwrap_or_default());
            answered.json()["instance"] = instance.into();
        }
    });
    Router::new().nest_service(prefix, named.around(router))
}
