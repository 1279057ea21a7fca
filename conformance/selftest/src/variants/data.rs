//! Variants with other data: little, none, with ties everywhere or nowhere, in other alphabets, with other ids.

use std::sync::Arc;

use platform_server_stub::data::{Data, Dataset};
use serde_json::{Value, json};

use super::{Variant, variant};
use engine::target::Role::{FullAccess, NoAccess, RateLimited, ReadOnly};

const NOTHING_IS_SAID: &str = "/components/schemas/Organization";

pub(super) fn variants() -> Vec<Variant> {
    // There are fewer pipelines here.
    let other = |name, differs| {
        variant(name, NOTHING_IS_SAID, differs)
            .known(|target| target.without_pipelines_to_add().without_some_pipelines())
    };
    vec![
        other(
            "small",
            "There are two dozen organizations and pipelines with few items.",
        )
        .data(|| Shape::default().dataset()),
        other(
            "ties-everywhere",
            "Organizations have the same description and the same values in pairs.",
        )
        .data(|| {
            let same = |number: u64| number / 4;
            Shape {
                kind: same,
                ..Shape::default()
            }
            .dataset()
        }),
        other(
            "named-in-descriptions",
            "Descriptions begin with a name, which does not count in a search; otherwise many have the same.",
        )
        .data(|| {
            Shape {
                kind: |number| number / 6,
                numbered: false,
                ..Shape::default()
            }
            .dataset()
        })
        .answer(|_, answered| {
            let named = |record: &mut Value, id: &str| {
                if let Some((id, text)) = record[id].as_u64().zip(record["description"].as_str()) {
                    record["description"] = json!(format!("{id:o} & Co: {text}"));
                }
            };
            answered.results(|product| named(product, "product_id"));
            answered.organizations(|organization| named(organization, "organization_id"));
        }),
        other("no-ties", "No two organizations have anything in common.").data(|| {
            Shape {
                organizations: KINDS.len() as u64,
                ..Shape::default()
            }
            .dataset()
        }),
        other("sparse", "Half of the organizations have only a description.").data(|| {
            Shape {
                sparse: true,
                ..Shape::default()
            }
            .dataset()
        }),
        other("alone", "There is one organization, in no pipeline.").data(|| {
            Shape {
                organizations: 1,
                items: 0,
                ..Shape::default()
            }
            .dataset()
        }),
        other("no-products", "There are no products.").data(|| {
            Shape {
                products: false,
                ..Shape::default()
            }
            .dataset()
        }),
        other("without-questions", "Pipelines have no questions.").data(|| {
            Shape {
                questions: false,
                ..Shape::default()
            }
            .dataset()
        }),
        other("alphabets", "Names and texts are in other alphabets.").data(|| {
            Shape {
                alphabets: true,
                ..Shape::default()
            }
            .dataset()
        }),
        other(
            "many-documents",
            "The pipeline with many items holds documents, each of an organization.",
        )
        .data(|| {
            Shape {
                many_are: "document",
                ..Shape::default()
            }
            .dataset()
        }),
        other("slow-questions", "Questions take half a minute to answer.").data(|| {
            Shape {
                takes_seconds: 30,
                ..Shape::default()
            }
            .dataset()
        }),
        other("an-hour-a-question", "Questions take an hour to answer.").data(|| {
            Shape {
                takes_seconds: 3600,
                ..Shape::default()
            }
            .dataset()
        }),
        variant(
            "greatest-ids",
            "/components/schemas/PipelineId/maximum",
            "Ids are near the maximum, and an organization and a product have it.",
        )
        .data(|| {
            Shape {
                first_id: GREATEST - 9_000,
                last_is_greatest: true,
                ..Shape::default()
            }
            .dataset()
        })
        .known(|target| {
            // The pipeline of the restricted key has another id here.
            let target = target.with_keys_of(&[FullAccess, ReadOnly, NoAccess, RateLimited]);
            let target = target.without_pipelines_to_add().without_some_pipelines();
            let moved = target.pipelines().clone().into_iter();
            let moved = moved.map(|(role, id)| (role, id + GREATEST - 9_000));
            moved.fold(target, |target, (role, id)| target.with_pipeline(role, id))
        }),
    ]
}

/// The greatest id.
const GREATEST: u64 = 9_007_199_254_740_991;

/// Descriptions, each at a distance from the others.
const KINDS: [&str; 24] = [
    "refrigerated trucks that carry fish from the coast to the markets",
    "software for the accounts of small firms",
    "hip implants and surgical tools for hospitals",
    "bakery of rye bread with a dozen shops",
    "wind turbines for farms on windy hills",
    "weaving of linen and wool for curtains",
    "machine learning that reads invoices",
    "language courses for nurses from abroad",
    "cement and bricks for bridges",
    "insurance of fishing boats against storms",
    "toys of wood for small children",
    "satellite images of forests",
    "vaccines against diseases of cattle",
    "concert tickets and festivals",
    "steel beams cut by laser",
    "electric scooters for hire in cities",
    "legal advice for inventors",
    "olive oil from old groves",
    "security audits of computer networks",
    "apartments for the elderly",
    "dredging of harbours",
    "video games about history",
    "gold jewellery made by hand",
    "recycling of plastic bottles",
];

/// The same in other alphabets.
const ALPHABETS: [&str; 6] = [
    "冷蔵トラックで魚を市場へ運ぶ会社",
    "Программы для бухгалтерии малых фирм",
    "أدوات جراحية للمستشفيات",
    "Ψωμί από σίκαλη, δώδεκα αρτοποιεία",
    "पवन चक्कियाँ 🌬️ खेतों के लिए",
    "Świeże ryby i „owoce morza” — prosto z łodzi",
];

/// The properties of a small data set.
struct Shape {
    organizations: u64,
    items: u64,
    products: bool,
    questions: bool,
    sparse: bool,
    alphabets: bool,
    /// Whether each name has a number of its own.
    numbered: bool,
    takes_seconds: u64,
    /// The kind of the items of the pipeline with many items.
    many_are: &'static str,
    /// The offset added to every id.
    first_id: u64,
    /// Whether the last organization and the last product have the greatest id.
    last_is_greatest: bool,
    /// The index of an organization's description.
    kind: fn(u64) -> u64,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            organizations: 24,
            items: 9,
            products: true,
            questions: true,
            sparse: false,
            alphabets: false,
            numbered: true,
            takes_seconds: 1,
            many_are: "organization",
            first_id: 0,
            last_is_greatest: false,
            kind: |number| number,
        }
    }
}

impl Shape {
    #[expect(
        clippy::expect_used,
        reason = "each data set is part of this crate and made by a test"
    )]
    fn dataset(self) -> Arc<Dataset> {
        let organizations: Vec<_> = (0..self.organizations)
            .map(|number| self.organization(number))
            .collect();
        let products = (0..self.organizations)
            .filter(|_| self.products)
            .map(|number| self.product(number));
        let data = json!({
            "organizations": organizations,
            "products": products.collect::<Vec<_>>(),
            "pipelines": [
                self.pipeline(1, self.many_are, self.items),
                self.pipeline(2, "organization", self.items / 3),
                self.pipeline(3, "person", self.items / 2),
                self.pipeline(6, "organization", self.items.min(1)),
            ],
        });
        let data: Data = serde_json::from_value(data).expect("data of the right form");
        Arc::new(Dataset::new(data).expect("sound data"))
    }

    /// The id of a record in a range of ids that begins at `first`.
    fn id(&self, first: u64, number: u64) -> u64 {
        match self.last_is_greatest && number == self.organizations - 1 {
            true => GREATEST,
            false => self.first_id + first + number,
        }
    }

    fn text(&self, number: u64) -> &'static str {
        let texts: &[&str] = if self.alphabets { &ALPHABETS } else { &KINDS };
        let kind = usize::try_from((self.kind)(number)).unwrap_or(0);
        texts[kind % texts.len()]
    }

    /// The number in the name of a record.
    fn name_of(&self, number: u64) -> u64 {
        match self.numbered {
            true => number,
            false => (self.kind)(number),
        }
    }

    fn organization(&self, number: u64) -> Value {
        let kind = (self.kind)(number);
        let (id, text) = (self.id(1001, number), self.text(number));
        let mut organization = json!({
            "organization_id": id,
            "name": format!("Firm {}: {text}", self.name_of(number)),
            "description": text,
        });
        if self.sparse && number % 2 == 1 {
            return organization;
        }
        let countries = [("NO", "NO-46"), ("US", "US-CA"), ("DK", "DK-81"), ("JP", "JP-13")];
        let (country, region) = countries[usize::try_from(kind).unwrap_or(0) % countries.len()];
        let (elsewhere, _) = countries[usize::try_from(kind + 1).unwrap_or(0) % countries.len()];
        let stage = ["seed", "series_a", "grant"][usize::try_from(kind).unwrap_or(0) % 3];
        organization["customer_base"] = json!(format!("those who need {text}"));
        organization["metrics"] = json!({
            "employee_count": 5 + kind * 37 % 400,
            "founded_on": format!("{}-0{}-1{}", 1980 + kind, 1 + kind % 9, kind % 9),
            "funding": {
                "total_usd": 100_000 * (kind + 1),
                "last_round_stage": stage,
                "last_round_usd": 50_000,
                "last_round_on": format!("20{}-06-30", 10 + kind % 14),
            },
        });
        organization["headquarters"] = json!({"country": country, "region": region, "city": "Somewhere"});
        organization["locations"] = json!([{"country": elsewhere}]);
        organization
    }

    fn product(&self, number: u64) -> Value {
        let categories = [["freight"], ["software"], ["health"], ["food"]];
        json!({
            "product_id": self.id(5001, number),
            "organization_id": self.id(1001, number),
            "name": format!("Product {}", self.name_of(number)),
            "description": format!("What comes of {}", self.text(number)),
            "customer_base": format!("buyers of {}", self.text(number)),
            "categories": categories[usize::try_from((self.kind)(number)).unwrap_or(0) % categories.len()],
        })
    }

    fn pipeline(&self, id: u64, entity_type: &str, items: u64) -> Value {
        let question = |number: u64, answer_type: &str, field: &str| {
            json!({
                "question_id": id * 100 + number,
                "text": format!("What is {field}?"),
                "answer_type": answer_type,
                "category": "llm",
                "answer": {"field": field},
                "takes_seconds": self.takes_seconds,
            })
        };
        let questions = [
            question(1, "number", "organization.metrics.employee_count"),
            question(2, "text", "organization.headquarters.country"),
        ];
        let item = |number: u64| {
            let mut item = json!({
                "pipeline_item_id": self.first_id + id * 100 + number,
                "organization_id": self.id(1001, number * 2 % self.organizations),
            });
            if entity_type != "organization" {
                item[format!("{entity_type}_id")] = json!(self.first_id + 7001 + number);
            }
            item
        };
        json!({
            "pipeline_id": self.first_id + id,
            "name": format!("Pipeline {id}"),
            "entity_type": entity_type,
            "entity_data": ["organization.name"],
            "questions": questions.into_iter().filter(|_| self.questions).collect::<Vec<_>>(),
            "items": (1..=items).map(item).collect::<Vec<_>>(),
        })
    }
}
