//! Records for unit tests, each written as the data document writes it.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::data::PipelineData;
use crate::data::meaning::{Embedded, Meanings as _};
use crate::model::organization::Organization;
use crate::model::pipeline::Pipeline;
use crate::model::search::IndexedOrganization;

/// An organization with the id 1 and these fields, added to the minimum that a record needs.
pub(crate) fn organization(fields: Value) -> IndexedOrganization {
    let least = json!({"organization_id": 1, "name": "Weaver", "description": "Weaves linen for sails."});
    let organization: Organization = serde_json::from_value(over(least, fields)).unwrap();
    let meaning = Embedded.of_organization(&organization);
    IndexedOrganization {
        organization: Arc::new(organization),
        categories: BTreeSet::new(),
        meaning,
    }
}

/// An organization with every field that tests require.
pub(crate) fn well_known() -> IndexedOrganization {
    let mut known = organization(json!({
        "customer_base": "Sailors and yacht yards.",
        "metrics": {
            "employee_count": 40,
            "founded_on": "1999-05-02",
            "funding": {"total_usd": 1_000_000, "last_round_stage": "seed", "last_round_on": "2020-02-29"},
        },
        "headquarters": {"city": "Lyon", "region": "FR-ARA", "country": "FR"},
        "locations": [{"region": "US-CA", "country": "US"}],
        "contact": {"website_url": "https://weaver.example/"},
    }));
    known.categories.insert("textiles".to_owned());
    known
}

/// A pipeline with the id 1 and these fields.
pub(crate) fn pipeline(fields: Value) -> Pipeline {
    let data: PipelineData = serde_json::from_value(over(json!({"pipeline_id": 1, "name": "Test"}), fields)).unwrap();
    data.pipeline()
}

fn over(mut least: Value, fields: Value) -> Value {
    let (Some(record), Value::Object(fields)) = (least.as_object_mut(), fields) else {
        panic!("a record is an object");
    };
    record.extend(fields);
    least
}
