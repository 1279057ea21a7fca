//! Deployments that decided otherwise about connections and about keys that may only add, made from faults of the
//! self-test.

use platform_conformance::profile::take;
use platform_conformance::report::Silent;
use platform_conformance::selftest::{faults, serve_fault};
use platform_conformance::{Options, Pattern, stub};
use tokio::net::TcpListener;

#[tokio::test(flavor = "multi_thread")]
async fn behaviours_below_the_router_are_recognized() {
    for (point, fault, expected) in [
        ("malformed-request", "http/malformed-is-not-answered", "closed"),
        (
            "malformed-request",
            "http/malformed-is-500",
            "refused [500, malformed_request]",
        ),
        ("too-long-request", "http/too-long-target-is-400", "refused [400, 431]"),
        ("kept-connection", "http/body-without-a-key-is-a-request", "the-body"),
        ("cut-off-body", "http/half-a-body-is-enough", "added"),
        ("key-that-may-only-add", "auth/adders-may-read", "reads-too"),
        (
            "key-that-may-only-add",
            "auth/adders-may-add-anywhere",
            "adds-elsewhere",
        ),
        ("key-that-may-only-add", "auth/adders-may-not-add", "nothing"),
        (
            "key-that-reads-and-adds",
            "auth/permission-to-add-opens-pages",
            "reads-elsewhere",
        ),
        (
            "key-that-reads-and-adds",
            "auth/permission-to-add-and-read-is-for-any-pipeline",
            "adds-elsewhere",
        ),
        (
            "key-that-reads-and-adds",
            "auth/first-action-of-a-policy-counts",
            "reads",
        ),
        (
            "key-for-organizations",
            "auth/organizations-open-products",
            "products-too",
        ),
        ("key-for-organizations", "auth/organizations-open-items", "items-too"),
        ("key-for-organizations", "auth/organizations-are-products", "nothing"),
    ] {
        let fault = faults::all().into_iter().find(|one| one.name == fault);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let target = stub::target(listener.local_addr().unwrap());
        let never = std::future::pending();
        tokio::spawn(async move { serve_fault(&fault.unwrap(), 0, listener, never).await });
        let options = Options {
            allow_writes: true,
            only: vec![Pattern::from(format!("profile/{point}").as_str())],
            ..Options::default()
        };
        let (profile, _) = take(&target, &options, &mut Silent).await.unwrap();
        let observed = &profile.points[point];
        assert_eq!(observed.shown().as_deref(), Some(expected), "{point}: {observed:#?}");
        assert_eq!(observed.as_the_contract, Some(false), "{point}");
    }
}
