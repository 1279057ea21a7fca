//! Searching a million records, compared with only reading their vectors.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use platform_server_stub::embedding::vector::{DIMENSIONS, Vector};
use platform_server_stub::model::filter::Filters;
use platform_server_stub::model::ids::OrganizationId;
use platform_server_stub::model::search::{IndexedOrganization, Meaning, Page, Query};
use platform_server_stub::store::{Catalogue, MemoryCatalogue};
use serde_json::{from_value, json};

use super::{Outcome, median, scaled};

const RECORDS: usize = 1_000_000;
/// The number of countries: a filter on one of them matches every `COUNTRIES`th record.
const COUNTRIES: usize = 20;
const TURNS: usize = 15;

/// Measures how long searches take, and how long reading the bytes of the scanned vectors takes.
pub(super) async fn large_catalogue() -> Outcome<()> {
    let count = scaled(RECORDS);
    println!("search over {count} organizations, median of {TURNS} turns");
    let started = Instant::now();
    let mut noise = Noise(1);
    let template: Arc<_> = Arc::new(from_value(json!({
        "organization_id": 1, "name": "Weaver", "description": "Weaves.",
    }))?);
    let mut templates = Vec::with_capacity(COUNTRIES);
    for country in 0..COUNTRIES {
        let letters = [b'A', b'A' + country as u8];
        let mut record = platform_server_stub::model::organization::Organization::clone(&template);
        record.headquarters.country = Some(String::from_utf8_lossy(&letters).into_owned());
        templates.push(record);
    }
    let mut records = Vec::with_capacity(count);
    for id in 1..=count {
        let mut organization = templates[id % COUNTRIES].clone();
        organization.organization_id = OrganizationId::new(i64::try_from(id)?)?;
        records.push(IndexedOrganization {
            organization: Arc::new(organization),
            categories: BTreeSet::new(),
            meaning: Meaning {
                offer: noise.vector(),
                customers: None,
            },
        });
    }
    let catalogue = MemoryCatalogue::new(records, [], []);
    println!("  made in                   {:.1?}", started.elapsed());
    let bytes: Vec<u8> = (0..count * DIMENSIONS).map(|place| place as u8).collect();
    let page = Page { skip: 0, limit: 20 };
    let deep = Page { skip: 900, limit: 100 };
    let known = Query::Known(OrganizationId::new(77)?);
    let text = Query::Offer(noise.vector());
    let none = Filters::default();
    let one_in_twenty = Filters {
        countries: vec!["AC".to_owned()],
        ..Filters::default()
    };
    let searches = [
        ("a text", &text, &none, page),
        ("a text, skip 900", &text, &none, deep),
        ("a text, 5 % pass", &text, &one_in_twenty, page),
        ("a known record", &known, &none, page),
    ];
    let mut reading = Vec::new();
    let mut times = vec![Vec::new(); searches.len()];
    // In turns, so that a busy machine slows all equally.
    for _ in 0..TURNS {
        reading.push(
            taken(async || {
                black_box(read(&bytes));
                Ok(())
            })
            .await?,
        );
        for ((_, query, filters, page), times) in searches.iter().zip(&mut times) {
            times.push(
                taken(async || {
                    black_box(catalogue.search_organizations(query, filters, *page).await?);
                    Ok(())
                })
                .await?,
            );
        }
    }
    let reading = median(reading);
    println!("  reading the bytes         {reading:.1?}");
    let times: Vec<_> = times.into_iter().map(median).collect();
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    for ((name, ..), time) in searches.iter().zip(&times) {
        println!("  {name:25} {time:.1?}, {:.2} of reading", ratio(*time, reading));
    }
    println!(
        "  the filter makes it       {:.2} times as fast",
        ratio(times[0], times[2])
    );
    Ok(())
}

/// Reads every byte.
fn read(bytes: &[u8]) -> u64 {
    let words = bytes.as_chunks::<8>().0.iter();
    words.fold(0, |sum, word| sum ^ u64::from_le_bytes(*word))
}

async fn taken(work: impl AsyncFn() -> Outcome<()>) -> Outcome<Duration> {
    let start = Instant::now();
    work().await?;
    Ok(start.elapsed())
}

/// Pseudo-random numbers, the same in every run.
struct Noise(u64);

impl Noise {
    fn vector(&mut self) -> Vector {
        let mut components = [0; DIMENSIONS];
        for some in components.as_chunks_mut::<8>().0 {
            // Xorshift by Marsaglia.
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            *some = self.0.to_le_bytes().map(u8::cast_signed);
        }
        Vector::new(components)
    }
}
