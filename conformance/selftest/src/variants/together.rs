//! Which variants one deployment has together, so that a self-test takes fewer runs.
//!
//! A kit that fails one of several differences nearly always fails them together: each of a group changes something
//! else, and none hides what another changes. If a case fails, each is judged alone.

use std::collections::BTreeMap;

use super::{Records, Variant};

/// The groups, each from the inside out: a change of the spelling of JSON comes last, since JSON that is read again
/// loses its spelling. A variant in no group is judged alone.
const GROUPS: &[&[&str]] = &[
    &[
        "compares-words",
        "quota-renewed-in-between",
        "few-to-add",
        "below-a-path",
    ],
    &[
        "results-of-other-kinds",
        "documents-with-persons",
        "another-challenge",
        "further-headers",
        "gateway-rejects-malformed",
        "keys-backwards",
    ],
    &[
        "other-texts",
        "errors-repeat-requests",
        "no-sources",
        "more-methods",
        "out-of-order",
        "server-rejects-malformed",
        "spread-out",
    ],
    &[
        "general-kinds",
        "more-columns",
        "another-time-zone",
        "head-of-a-proxy",
        "errors-end-the-connection-unsaid",
        "ascii",
    ],
    &[
        "types-with-an-authority",
        "little-is-known",
        "another-metric",
        "other-request-ids",
        "quota-for-all",
        "two-framings-are-rejected",
        "exponents",
    ],
    &[
        "faults-backwards",
        "no-crm",
        "more-prices",
        "waits-a-second-longer",
        "errors-are-json",
        "json-has-a-charset",
        "bodies-of-reads-are-rejected",
        "in-pieces",
    ],
    &[
        "members-by-key",
        "errors-end-the-connection",
        "slow",
        "turns-away",
        "long-targets-are-read",
        "spaces-vary",
    ],
    &[
        "further-members",
        "whole-numbers-in-two-forms",
        "syncs-again",
        "refreshes-an-answer",
        "one-request-a-connection",
        "unavailable-now-and-then",
    ],
    &[
        "responses-of-a-quota-are-lost",
        "behind-a-gateway-that-fails",
        "http-1-0",
    ],
    &[
        "otherwise/unknown-key-is-403",
        "otherwise/no-request-id",
        "otherwise/order-in-capitals",
        "otherwise/word-question-ids",
        "otherwise/no-challenge",
        "otherwise/no-location",
        "otherwise/errors-are-details",
        "otherwise/plus-is-a-plus",
        "otherwise/nearest-last",
        "otherwise/searches-in-camel-case",
    ],
    &[
        "otherwise/unknown-method-is-404",
        "otherwise/no-quota-headers",
        "otherwise/filters-in-camel-case",
        "otherwise/first-value-counts",
        "otherwise/first-key-counts",
        "otherwise/white-space-is-part-of-the-key",
        "otherwise/results-are-objects",
        "otherwise/times-without-zone",
        "otherwise/texts-are-short",
        "otherwise/errors-are-texts",
        "otherwise/products-by-id",
        "otherwise/searches-reject-a-limit",
        "otherwise/searches-are-lists",
    ],
    &[
        "otherwise/malformed-is-400",
        "otherwise/may-be-cached",
        "otherwise/no-allow",
        "otherwise/no-head",
        "otherwise/references-have-no-scheme",
        "otherwise/sync-error-is-absent",
        "otherwise/added-item-of-its-own-type",
        "otherwise/unknown-parameters-are-ignored",
        "otherwise/other-field-paths",
        "otherwise/other-codes",
        "otherwise/ties-in-any-order",
        "otherwise/tied-results-in-any-order",
        "otherwise/only-headquarters-are-shown",
        "otherwise/searches-have-one-page",
        "otherwise/searches-have-hits",
    ],
    &[
        "otherwise/media-type-of-its-own",
        "otherwise/organizations-were-synced-before",
        "otherwise/past-the-end-is-not-found",
        "otherwise/limits-are-clamped",
        "otherwise/lists-omit-empty-columns",
        "otherwise/unknown-stages-are-ignored",
        "otherwise/great-bounds-are-ignored",
        "otherwise/great-skips-are-ignored",
        "otherwise/ids-have-32-bits",
        "otherwise/numbers-are-coerced",
        "otherwise/no-search-key",
        "otherwise/existing-is-412",
        "otherwise/faults-have-no-place",
        "otherwise/search-pages-are-short",
        "otherwise/searches-end-with-not-found",
        "otherwise/filters-are-ignored",
    ],
    &[
        "foreign/asgi",
        "foreign/asgi-large",
        "foreign/asgi-html-errors",
        "foreign/asgi-missing-first",
        "foreign/asgi-uuids",
        "foreign/asgi-basic-times",
        "foreign/asgi-asks-again",
        "foreign/asgi-organization-first",
        "foreign/asgi-hides-methods",
    ],
    &[
        "foreign/asgi-clamps",
        "foreign/asgi-bare-errors",
        "foreign/asgi-missing-last",
        "foreign/asgi-short-times",
        "foreign/asgi-indexed",
        "foreign/asgi-looks-up-first",
        "foreign/asgi-conflicts",
    ],
    &[
        "foreign/asgi-limit-default",
        "foreign/asgi-bad-request",
        "foreign/asgi-unknown-key",
        "foreign/asgi-searches-keyed",
        "foreign/asgi-added-document",
    ],
    &[
        "foreign/servlet",
        "foreign/servlet-text-errors",
        "foreign/servlet-last-value",
        "foreign/servlet-sorts-texts",
        "foreign/servlet-other-refusals",
    ],
    &[
        "foreign/servlet-listed-errors",
        "foreign/servlet-strict",
        "foreign/servlet-no-slash",
    ],
    &["foreign/servlet-lenient", "foreign/servlet-bare"],
];

/// Sorts variants into deployments: those of a group share one.
pub fn grouped(variants: Vec<Variant>) -> Vec<Vec<Variant>> {
    let mut variants: BTreeMap<_, _> = variants.into_iter().map(|variant| (variant.name, variant)).collect();
    let mut deployments: Vec<Vec<Variant>> = Vec::new();
    for names in GROUPS {
        let mut group: Vec<Variant> = Vec::new();
        for variant in names.iter().filter_map(|name| variants.remove(name)) {
            group.push(variant);
            if combined(&group).is_none() {
                deployments.extend(group.pop().map(|alone| vec![alone]));
            }
        }
        deployments.push(group);
    }
    deployments.extend(variants.into_values().map(|variant| vec![variant]));
    deployments.retain(|group| !group.is_empty());
    deployments
}

/// A deployment with all differences of a group, the first innermost. `None` if no deployment can have all of them.
pub(crate) fn combined(group: &[Variant]) -> Option<Variant> {
    let (first, others) = group.split_first()?;
    others
        .iter()
        .try_fold(first.clone(), |inside, outside| inside.inside(outside))
}

impl Variant {
    /// A deployment with this difference, and another one around it.
    fn inside(&self, outside: &Self) -> Option<Self> {
        if self.level != outside.level || self.grows || outside.grows {
            return None;
        }
        match (&self.foreign, &outside.foreign) {
            (Some(one), Some(other)) => return Some(outside.clone().of_origin(one.and(other)?)),
            (None, None) => {}
            _ => return None,
        }
        let have_both = self.relay.is_some() && outside.relay.is_some()
            || self.known.is_some() && outside.known.is_some()
            || self.prefix.is_some() && outside.prefix.is_some();
        if have_both {
            return None;
        }
        Some(Self {
            layers: [self.layers.as_slice(), &outside.layers].concat(),
            relay: self.relay.clone().or(outside.relay.clone()),
            data: self.data.and(outside.data)?,
            known: self.known.or(outside.known),
            prefix: self.prefix.or(outside.prefix),
            ..outside.clone()
        })
    }
}

impl Records {
    /// The data of a deployment with both. `None` if each has data of its own.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Part, data) | (data, Self::Part) => Some(data),
            (Self::BuiltIn, Self::BuiltIn) => Some(Self::BuiltIn),
            _ => None,
        }
    }
}
