//! Calls of the run: a mix of all operations, walks, and writes that each occur once.

use std::ops::Range;
use std::time::Duration;

use platform_sdk::paging::Walk;
use platform_sdk::types::SortOrder;
use platform_sdk::{Client, Error, Presence, ResponseValue};
use serde::Serialize;
use serde_json::{Value, json};

use super::dice::Dice;

/// The only pipeline that organizations are added to, each once.
pub(super) const ADDED_TO: i64 = 6;

/// Pipeline that organizations are ensured in; nothing else changes it.
pub(super) const ENSURED_IN: i64 = 7;

/// Pipeline that is walked; nothing changes it.
pub(super) const WALKED: i64 = 1;

/// Timeout for an item that never becomes ready, by the clock of the call.
const WAIT: Duration = Duration::from_secs(20);

/// Limits how often a failed walk is resumed.
pub(super) const MAX_FAILURES: usize = 20;

/// Number of items after which a resuming walk is interrupted again, in the middle of a page.
const INTERRUPTED_AFTER: usize = 13;

/// Organizations that are in neither `ADDED_TO` nor `ENSURED_IN` before the run.
const ABSENT: Range<i64> = 1001..2331;

const TEXTS: [&str; 6] = [
    "keeps fresh fish cold on its way to the shops",
    "seafood exporters and supermarket chains",
    "hospital pharmacies",
    "linen",
    "software for accountants",
    "drones that count trees",
];

/// One call and its parameters.
#[derive(Debug, Clone)]
pub(super) struct Call {
    pub(super) number: usize,
    pub(super) what: What,
    /// Number of refused connections for its first request.
    pub(super) refusals: u32,
    /// Whether it has a deadline.
    pub(super) is_hurried: bool,
}

#[derive(Debug, Clone)]
pub(super) enum What {
    OrganizationsByOrganization {
        id: i64,
        limit: i64,
    },
    OrganizationsByDescription {
        text: &'static str,
        limit: i64,
    },
    OrganizationsByCustomer {
        text: &'static str,
        limit: i64,
    },
    ProductsByProduct {
        id: i64,
        limit: i64,
    },
    ProductsByDescription {
        text: &'static str,
        limit: i64,
    },
    ProductsByCustomer {
        text: &'static str,
        limit: i64,
    },
    ListItems {
        pipeline: i64,
        limit: i64,
    },
    ItemValues {
        pipeline: i64,
        item: i64,
    },
    ItemStatus {
        pipeline: i64,
        item: i64,
    },
    WaitUntilReady {
        pipeline: i64,
        item: i64,
    },
    Walk(Walked),
    AddOrganization {
        pipeline: i64,
        organization: i64,
    },
    EnsureOrganization {
        organization: i64,
        /// Whether other calls ensure the same organization at the same time.
        is_contested: bool,
    },
}

/// Result of a successful call.
pub(super) enum Given {
    Answer(Value),
    Added(i64),
    Ensured(i64, Presence),
}

/// Organizations to add and ensure next.
struct Absent {
    addable: Range<i64>,
    ensurable: Range<i64>,
    /// Organization that further calls ensure, and the number of these calls.
    contested: (i64, u64),
}

/// Walk over items of a pipeline or over search results.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walked {
    pub(super) over: Collection,
    pub(super) skip: usize,
    pub(super) limit: usize,
    pub(super) page_size: u32,
    pub(super) prefetch: usize,
    /// Whether it resumes from a serialized cursor after a failure or an interruption.
    pub(super) resumes: bool,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Collection {
    ItemsById,
    ItemsByAnswer,
    Organizations { text: &'static str },
}

/// Returns the `count` calls of a run, chosen by the dice.
pub(super) fn calls(seed: u64, count: usize) -> Vec<Call> {
    let mut absent = Absent {
        addable: ABSENT,
        ensurable: ABSENT,
        contested: (0, 0),
    };
    let planned = (0..count).map(|number| {
        let mut dice = Dice::new(seed, &format!("call {number}"));
        let what = what(&mut dice, &mut absent);
        Call {
            number,
            is_hurried: dice.below(10) == 0 && !what.waits_at_random(),
            what,
            refusals: match dice.below(40) {
                0 => 1 + dice.below(5) as u32,
                _ => 0,
            },
        }
    });
    planned.collect()
}

fn what(dice: &mut Dice, absent: &mut Absent) -> What {
    // The server itself rejects some of each: the record does not exist, or the limit is out of range.
    let limit = dice.pick(&[1, 2, 5, 5, 101]);
    let text = dice.pick(&TEXTS);
    match dice.below(100) {
        0..5 => What::OrganizationsByOrganization {
            id: dice.pick(&[1001, 1002, 1500, 7]),
            limit,
        },
        5..10 => What::OrganizationsByDescription { text, limit },
        10..15 => What::OrganizationsByCustomer { text, limit },
        15..20 => What::ProductsByProduct {
            id: dice.pick(&[5001, 5002, 6000, 7]),
            limit,
        },
        20..25 => What::ProductsByDescription { text, limit },
        25..30 => What::ProductsByCustomer { text, limit },
        30..48 => What::ListItems {
            pipeline: dice.pick(&[2, 3, 4, 5, 999]),
            limit: dice.pick(&[1, 3, 10, 1001]),
        },
        48..66 => What::ItemValues {
            pipeline: dice.pick(&[2, 2, 3]),
            item: dice.pick(&[200_001, 200_002, 300_001, 7]),
        },
        66..82 => What::ItemStatus {
            pipeline: dice.pick(&[2, 2, 3]),
            item: dice.pick(&[200_001, 200_002, 300_001, 7]),
        },
        82..84 => What::WaitUntilReady {
            pipeline: dice.pick(&[2, 2, 3]),
            item: dice.pick(&[200_001, 200_002, 300_001, 7]),
        },
        84..88 => What::Walk(walk(dice, text)),
        // A very long run uses up all organizations.
        88..92 if let Some(organization) = absent.addable.next() => What::AddOrganization {
            pipeline: ADDED_TO,
            organization,
        },
        92..98 if let Some(ensured) = absent.ensured(dice) => ensured,
        _ => What::AddOrganization {
            pipeline: dice.pick(&[2, 3, 999]),
            organization: dice.pick(&[1001, 1003, 7]),
        },
    }
}

impl Absent {
    fn ensured(&mut self, dice: &mut Dice) -> Option<What> {
        if let (organization, left @ 1..) = self.contested {
            self.contested = (organization, left - 1);
            return Some(What::EnsureOrganization {
                organization,
                is_contested: true,
            });
        }
        let organization = self.ensurable.next()?;
        let others = dice.pick(&[0, 0, 0, 1, 3]);
        self.contested = (organization, others);
        Some(What::EnsureOrganization {
            organization,
            is_contested: others > 0,
        })
    }
}

fn walk(dice: &mut Dice, text: &'static str) -> Walked {
    let over = [
        Collection::ItemsById,
        Collection::ItemsByAnswer,
        Collection::Organizations { text },
    ];
    let prefetch = dice.pick(&[1, 1, 1, 3, 8]);
    Walked {
        over: dice.pick(&over),
        skip: dice.pick(&[0, 150, 980]),
        limit: dice.pick(&[10, 40, 90]),
        page_size: dice.pick(&[7, 20, 50]),
        prefetch,
        // With several pages in flight, timing decides which of them fails for good. Such a walk is always
        // resumed, so that its result is complete whichever failed first.
        resumes: prefetch > 1 || dice.below(3) == 0,
    }
}

impl What {
    /// Returns whether its duration, by its own clock, varies between runs by more than a deadline
    /// allows.
    fn waits_at_random(&self) -> bool {
        matches!(self, Self::Walk(_) | Self::WaitUntilReady { .. })
    }

    /// Returns pipeline and organization of the item that it may create.
    pub(super) fn place(&self) -> Option<(i64, i64)> {
        match *self {
            Self::AddOrganization {
                pipeline: ADDED_TO,
                organization,
            } => Some((ADDED_TO, organization)),
            Self::EnsureOrganization { organization, .. } => Some((ENSURED_IN, organization)),
            _ => None,
        }
    }

    /// Returns its request as the contract defines it. For a walk this is the common prefix of its requests;
    /// for an ensured organization, the substring they share.
    pub(super) fn request(&self) -> String {
        let search = |kind: &str, by: &str, name: &str, text: &str, limit: &i64| {
            let text = text.replace(' ', "+");
            match name < "limit" {
                true => format!("GET /search/{kind}/{by}?{name}={text}&limit={limit}"),
                false => format!("GET /search/{kind}/{by}?limit={limit}&{name}={text}"),
            }
        };
        match self {
            Self::OrganizationsByOrganization { id, limit } => {
                format!("GET /search/organizations/{id}/similar?limit={limit}")
            }
            Self::OrganizationsByDescription { text, limit } => {
                search("organizations", "similar", "description", text, limit)
            }
            Self::OrganizationsByCustomer { text, limit } => search(
                "organizations",
                "similar-customers",
                "organization_customer",
                text,
                limit,
            ),
            Self::ProductsByProduct { id, limit } => {
                format!("GET /search/products/{id}/similar?limit={limit}")
            }
            Self::ProductsByDescription { text, limit } => search("products", "similar", "description", text, limit),
            Self::ProductsByCustomer { text, limit } => {
                search("products", "similar-customers", "product_customer", text, limit)
            }
            Self::ListItems { pipeline, limit } => {
                format!("GET /api/v1/pipelines/{pipeline}/items?limit={limit}")
            }
            Self::ItemValues { pipeline, item } => {
                format!("GET /api/v1/pipelines/{pipeline}/items/{item}/values")
            }
            Self::ItemStatus { pipeline, item } | Self::WaitUntilReady { pipeline, item } => {
                format!("GET /api/v1/pipelines/{pipeline}/items/{item}/status")
            }
            Self::Walk(walk) => match walk.over {
                Collection::Organizations { text } => {
                    let text = text.replace(' ', "+");
                    format!("GET /search/organizations/similar?description={text}&limit=")
                }
                _ => format!("GET /api/v1/pipelines/{WALKED}/items?limit="),
            },
            Self::EnsureOrganization { .. } => format!("/api/v1/pipelines/{ENSURED_IN}/"),
            Self::AddOrganization { pipeline, .. } => {
                format!("POST /api/v1/pipelines/{pipeline}/organizations")
            }
        }
    }

    pub(super) async fn make(&self, client: &Client) -> Result<Given, Error> {
        match *self {
            Self::OrganizationsByOrganization { id, limit } => {
                let search = client.search_organizations_by_organization();
                value(search.organization_id(id).limit(limit).send().await)
            }
            Self::OrganizationsByDescription { text, limit } => {
                let search = client.search_organizations_by_description();
                value(search.description(text).limit(limit).send().await)
            }
            Self::OrganizationsByCustomer { text, limit } => {
                let search = client.search_organizations_by_customer();
                value(search.organization_customer(text).limit(limit).send().await)
            }
            Self::ProductsByProduct { id, limit } => {
                let search = client.search_products_by_product();
                value(search.product_id(id).limit(limit).send().await)
            }
            Self::ProductsByDescription { text, limit } => {
                let search = client.search_products_by_description();
                value(search.description(text).limit(limit).send().await)
            }
            Self::ProductsByCustomer { text, limit } => {
                let search = client.search_products_by_customer();
                value(search.product_customer(text).limit(limit).send().await)
            }
            Self::ListItems { pipeline, limit } => {
                let list = client.list_items().pipeline_id(pipeline);
                value(list.limit(limit).send().await)
            }
            Self::ItemValues { pipeline, item } => {
                let values = client.get_item_values().pipeline_id(pipeline);
                value(values.pipeline_item_id(item).send().await)
            }
            Self::ItemStatus { pipeline, item } => {
                let status = client.get_item_status().pipeline_id(pipeline);
                value(status.pipeline_item_id(item).send().await)
            }
            Self::WaitUntilReady { pipeline, item } => {
                let wait = client.wait_until_ready().pipeline_id(pipeline);
                let wait = wait.pipeline_item_id(item).timeout(WAIT);
                value(wait.send().await)
            }
            Self::Walk(walk) => walk.make(client).await.map(Given::Answer),
            Self::AddOrganization { pipeline, organization } => {
                let add = client.add_organization().pipeline_id(pipeline);
                let item = add.organization_id(organization).send().await?;
                Ok(Given::Added(item.pipeline_item_id.get()))
            }
            Self::EnsureOrganization { organization, .. } => {
                let ensure = client.ensure_organization().pipeline_id(ENSURED_IN);
                let ensured = ensure.organization_id(organization).send().await?;
                let item = ensured.item.pipeline_item_id.get();
                Ok(Given::Ensured(item, ensured.presence))
            }
        }
    }
}

impl Walked {
    async fn make(self, client: &Client) -> Result<Value, Error> {
        match self.over {
            Collection::Organizations { text } => {
                let search = client.search_organizations_by_description();
                let search = search.description(text).skip(self.skip).limit(self.limit);
                let id = |found: platform_sdk::types::OrganizationSearchResult| found.organization_id.get();
                self.ids(|| search.clone().walk(), id).await
            }
            over => {
                let list = client.list_items().pipeline_id(WALKED);
                let mut list = list.skip(self.skip as u64).limit(self.limit as u64);
                if let Collection::ItemsByAnswer = over {
                    list = list.sort_by("question.101").sort_order(SortOrder::Desc);
                }
                let id = |item: platform_sdk::types::PipelineItem| item.pipeline_item_id.get();
                self.ids(|| list.clone().walk(), id).await
            }
        }
    }

    async fn ids<T: Send + 'static>(self, walk: impl Fn() -> Walk<T>, id: fn(T) -> i64) -> Result<Value, Error> {
        let walk = || walk().page_size(self.page_size).prefetch(self.prefetch);
        let mut items = walk().items()?;
        let mut failures = 0;
        let mut ids = Vec::new();
        while let Some(item) = items.next().await {
            match item {
                Ok(item) => {
                    ids.push(id(item));
                    if !self.resumes || !ids.len().is_multiple_of(INTERRUPTED_AFTER) {
                        continue;
                    }
                }
                Err(_) if self.resumes && failures < MAX_FAILURES => failures += 1,
                Err(error) => return Err(error),
            }
            let written_down = items.cursor().to_string();
            items = walk().resume(written_down.parse().unwrap()).items()?;
        }
        Ok(json!(ids))
    }
}

fn value<T: Serialize>(answered: Result<ResponseValue<T>, Error>) -> Result<Given, Error> {
    answered.map(|answer| Given::Answer(json!(*answer)))
}
