//! Reads searches whose results are written otherwise than in the contract.
//!
//! The source states what a search returns, but neither the names of the fields nor the form of a page. At the level
//! `stated` the results are found by their shape: a list of objects with ids, scores and the organizations of products.
//! A response is then read as if it were written as in the contract, as far as its parts are found.

mod fields;
mod form;
mod path;
mod shape;
mod words;

use std::collections::BTreeMap;
use std::sync::OnceLock;

use parking_lot::Mutex;
use serde_json::Value;

use self::form::Form;
pub use self::path::{Path, at, leaves, plain};
pub use self::shape::{is_organization, names_organization};
use self::words::Words;
use crate::target::search_names::SearchNames;
use crate::transport::response::HttpResponse;
use crate::verdict::Level;
use platform_contract::{Contract, Operation};

/// The forms of the searches of a deployment.
#[derive(Debug, Default)]
pub(crate) struct SearchForms {
    /// By the ids of their operations, as soon as they are certain.
    forms: Mutex<BTreeMap<String, Form>>,
    /// The names that the target gives.
    names: SearchNames,
    words: Words,
    /// The greatest `limit`, if it is less than that of the contract. `None` inside if none is accepted.
    most: OnceLock<Option<i64>>,
    /// Whether a `skip` is rejected, as where pages have tokens.
    rejects_skip: OnceLock<()>,
}

impl SearchForms {
    /// The forms, if a run at this level looks for them. At the level `contract`, another form is a departure.
    pub(crate) fn at(level: Level, names: &SearchNames) -> Option<Self> {
        (level == Level::Stated).then(|| Self {
            names: names.clone(),
            words: Words::of(names),
            ..Self::default()
        })
    }

    pub(crate) fn names(&self) -> &SearchNames {
        &self.names
    }

    /// Remembers the greatest `limit` that is accepted, if one is.
    pub(crate) fn set_most(&self, most: Option<i64>) {
        self.most.get_or_init(|| most);
    }

    /// Remembers that a `skip` is rejected.
    pub(crate) fn set_rejects_skip(&self) {
        self.rejects_skip.get_or_init(|| ());
    }

    /// Writes a query as the deployment takes it: the names of its parameters were decided. It asks for no more results
    /// than are accepted.
    pub(crate) fn fit(&self, query: &mut Vec<String>) {
        let limit = |pair: &str| pair.strip_prefix("limit=")?.parse::<i64>().ok();
        if self.rejects_skip.get().is_some() {
            query.retain(|pair| !pair.starts_with("skip="));
        }
        match self.most.get() {
            None => {}
            Some(None) => query.retain(|pair| !pair.starts_with("limit=") && !pair.starts_with("skip=")),
            Some(Some(most)) => {
                let mut pairs = query.iter_mut();
                if let Some(pair) = pairs.find(|pair| limit(pair).is_some_and(|limit| limit > *most)) {
                    *pair = format!("limit={most}");
                }
            }
        }
        self.words.write(query);
        self.names.rename(query);
    }

    /// Reads a page of a search in the form of the contract.
    pub(crate) fn read(&self, contract: &Contract, operation: &Operation, response: &mut HttpResponse) {
        if operation.is_search() && response.status == 200 {
            let body = std::mem::take(&mut response.body);
            response.body = self.read_body(contract, operation, body);
        }
    }

    pub(crate) fn read_body(&self, contract: &Contract, operation: &Operation, body: Value) -> Value {
        let known = self.forms.lock().get(&operation.id).cloned();
        // A gateway may answer some requests in another form.
        if let Some(form) = known.filter(|form| form.fits(&body)) {
            return form.read(body, &self.words);
        }
        let Some(found) = shape::find(contract, operation, &self.names, &body) else {
            return body;
        };
        if found.is_certain {
            self.forms.lock().insert(operation.id.clone(), found.form.clone());
        }
        found.form.read(body, &self.words)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const ORGANIZATIONS: &str = "search_organizations_by_description";
    const PRODUCTS: &str = "search_products_by_description";

    /// Pages, one after the other, as they are read.
    fn read<const N: usize>(operation: &str, pages: [Value; N]) -> [Value; N] {
        let contract = Contract::bundled();
        let forms = SearchForms::default();
        pages.map(|page| forms.read_body(contract, contract.operation(operation), page))
    }

    /// The id and the distance of each result.
    fn shown(page: &Value, id: &str) -> Vec<(Value, Value)> {
        let results = page["results"].as_array().into_iter().flatten();
        let shown = results.map(|result| (result[id].clone(), result["similarity"]["cosine_distance"].clone()));
        shown.collect()
    }

    fn pair(id: impl Into<Value>, distance: impl Into<Value>) -> (Value, Value) {
        (id.into(), distance.into())
    }

    #[test]
    fn page_in_the_form_of_the_contract_stays_as_it_is() {
        let result = |id: i64| json!({"organization_id": id, "score": 7, "similarity": {"cosine_distance": 0.1}});
        let page = json!({"total_count": 9, "results": [result(3), result(4)]});
        assert_eq!(read(ORGANIZATIONS, [page.clone()]), [page]);
    }

    #[test]
    fn page_in_another_form_than_the_first_is_read_too() {
        let page =
            |distance: f64| json!({"results": [{"organization_id": 3, "similarity": {"cosine_distance": distance}}]});
        let hits = json!([{"organization_id": 4, "distance": 0.5}, {"organization_id": 5, "distance": 0.6}]);
        let [_, hits, last] = read(ORGANIZATIONS, [page(0.1), hits, page(0.2)]);
        assert_eq!(shown(&hits, "organization_id"), [pair(4, 0.5), pair(5, 0.6)]);
        assert_eq!(shown(&last, "organization_id"), [pair(3, 0.2)]);
    }

    /// As of a search that compares words and knows none of these.
    #[test]
    fn one_of_two_scores_is_found_where_all_results_tie() {
        let result = |id: i64| json!({"organization_id": id, "distance": 1, "similarity": 0});
        let [page] = read(ORGANIZATIONS, [json!({"results": [result(3), result(4)]})]);
        assert_eq!(shown(&page, "organization_id"), [pair(3, 1.0), pair(4, 1.0)]);
    }

    #[test]
    fn only_text_that_describes_a_result_is_its_description() {
        let result = |id: i64| {
            let company = json!({"id": 9, "description": "of the company"});
            json!({"id": id, "score": 0.5, "company": company, "short-description": "of the product", "about": 3})
        };
        let [page] = read(PRODUCTS, [json!({"results": [result(3), result(4)]})]);
        assert_eq!(page["results"][0]["description"], "of the product");
        let two = |id: i64| json!({"id": id, "score": 0.5, "short_description": "one", "long_description": "other"});
        let [page] = read(ORGANIZATIONS, [json!({"results": [two(3), two(4)]})]);
        assert_eq!(page["results"][0]["description"], Value::Null);
    }

    #[test]
    fn list_ids_scores_and_the_total_are_found() {
        let first = json!({
            "hits": {
                "total": {"value": 12, "relation": "eq"},
                "hits": [
                    {"_id": "31", "_score": 0.75, "_source": {"employeeCount": 4, "riskScore": 3}},
                    {"_id": "17", "_score": 0.5, "_source": {"employeeCount": 9, "riskScore": 1}},
                ],
            },
        });
        let last = json!({"hits": {"total": {"value": 12}, "hits": [{"_id": "5", "_score": 0.25, "_source": {}}]}});
        let empty = json!({"hits": {"total": {"value": 12}, "hits": []}});
        let [first, last, empty] = read(ORGANIZATIONS, [first, last, empty]);
        assert_eq!(shown(&first, "organization_id"), [pair(31, 0.25), pair(17, 0.5)]);
        assert_eq!(first["total_count"], 12);
        assert_eq!(first["results"][0]["metrics"]["employee_count"], 4);
        assert_eq!(shown(&last, "organization_id"), [pair(5, 0.75)]);
        assert_eq!(empty["results"], json!([]));
    }

    #[test]
    fn count_is_the_total_if_it_is_greater_than_a_page() {
        let total = |page: Value| {
            let [page] = read(ORGANIZATIONS, [page]);
            page["total_count"].as_i64()
        };
        let results = json!([{"id": 1, "score": 0.5}, {"id": 2, "score": 0.25}]);
        assert_eq!(
            total(json!({"count": 9, "next": "?page=2", "results": results})),
            Some(9)
        );
        assert_eq!(total(json!({"meta": {"count": 9}, "data": results})), Some(9));
        assert_eq!(total(json!({"count": 2, "total": 9, "results": results})), Some(9));
        assert_eq!(total(json!({"count": 2, "results": results})), None);
        let by_value = json!({"country": {"NO": {"count": 9}}});
        assert_eq!(total(json!({"facets": by_value, "results": results})), None);
    }

    #[test]
    fn organization_of_a_product_is_found_beside_its_own_id() {
        let product = |id: i64, company: i64, distance: f64| {
            json!({
                "product": {"id": id, "name": "A", "description": "Does it"},
                "vendor": {"id": company, "name": "B", "employees": 3, "description": "Sells it"},
                "cosineDistance": distance,
            })
        };
        let [page] = read(PRODUCTS, [json!([product(1, 7, 0.1), product(2, 7, 0.3)])]);
        assert_eq!(shown(&page, "product_id"), [pair(1, 0.1), pair(2, 0.3)]);
        let first = &page["results"][0];
        assert_eq!(first["name"], "A");
        assert_eq!(first["organization"]["organization_id"], 7);
        assert_eq!(first["organization"]["description"], "Sells it");
    }

    #[test]
    fn ids_are_found_under_what_they_identify() {
        let id = |operation: &str, result: Value| {
            let [page] = read(operation, [json!({"ROWS": [result]})]);
            let result = page["results"][0].clone();
            let ids = [&result["product_id"], &result["organization_id"]];
            let of_offering = &result["organization"]["organization_id"];
            (ids.map(Value::as_i64), of_offering.as_i64())
        };
        let product = |result| {
            let ([product, _], organization) = id(PRODUCTS, result);
            [product, organization]
        };
        assert_eq!(product(json!({"PRODUCT_NO": 1, "ORG_NO": "2"})), [Some(1), Some(2)]);
        let detailed = json!({"product-details": {"id": 1}, "owner": {"id": 2}, "category": {"id": 3}});
        assert_eq!(product(detailed), [Some(1), Some(2)]);
        assert_eq!(
            product(json!({"objectID": "1", "companyRecord": {"id": 2}})),
            [Some(1), Some(2)]
        );
        let related = json!({"id": "1", "relationships": {"organization": {"data": {"id": 2}}}});
        assert_eq!(product(related), [Some(1), Some(2)]);
        assert_eq!(product(json!({"pk": 1, "organization": {"pk": 2}})), [Some(1), Some(2)]);
        // An id of another record is none of this one.
        assert_eq!(product(json!({"company": {"id": 2}})), [None, None]);
        let organization = |result| id(ORGANIZATIONS, result).0[1];
        assert_eq!(organization(json!({"entity": {"profile": {"id": 4}}})), Some(4));
        assert_eq!(organization(json!({"id": 3, "firm": {"id": 4}})), Some(4));
        assert_eq!(organization(json!({"product": {"id": 4}})), None);
        assert_eq!(organization(json!({"a": {"id": 3}, "b": {"id": 4}})), None);
    }

    #[test]
    fn scores_are_known_by_their_names_first() {
        let distance = |result: fn(f64) -> Value| {
            let results = [(3, 0.75), (1, 0.5), (2, 0.25)].map(|(id, score)| {
                let mut result = result(score);
                result["id"] = id.into();
                result
            });
            let [page] = read(ORGANIZATIONS, [json!({"data": results})]);
            page["results"][0]["similarity"]["cosine_distance"].as_f64()
        };
        assert_eq!(
            distance(|score| json!({"score": score, "similarity_by": {"text": 7}})),
            Some(0.25)
        );
        assert_eq!(
            distance(|score| json!({"similarity": {"value": score.to_string()}})),
            Some(0.25)
        );
        assert_eq!(distance(|score| json!({"matchPercent": 100.0 * score})), Some(-74.0));
        assert_eq!(distance(|score| json!({"_distance": 1.0 - score})), Some(0.25));
        assert_eq!(distance(|score| json!({"cos_dist": 1.0 - score})), Some(0.25));
        assert_eq!(distance(|score| json!({"dist": 1.0 - score, "cost": 3})), Some(0.25));
        assert_eq!(
            distance(|score| json!({"cosSim": score, "distributors": 3})),
            Some(0.25)
        );
        assert_eq!(distance(|score| json!({"risk_score": score})), None);
    }

    #[test]
    fn one_of_several_scores_is_the_one_in_order() {
        let result = |id: i64, texts: f64, all: f64| json!({"id": id, "similarity": {"texts": texts, "all": all}});
        let page = json!({"data": [result(1, 0.4, 0.9), result(2, 0.6, 0.8), result(3, 0.5, 0.7)]});
        let [page] = read(ORGANIZATIONS, [page]);
        let expected = [(1, 0.9), (2, 0.8), (3, 0.7)].map(|(id, score)| pair(id, 1.0 - score));
        assert_eq!(shown(&page, "organization_id"), expected);
        // A later page decides between two that are in order.
        let both = json!({"data": [result(1, 0.4, 0.9), result(2, 0.5, 0.8)]});
        let other = json!({"data": [result(1, 0.9, 0.4), result(2, 0.5, 0.5), result(3, 0.8, 0.6)]});
        let [_, other] = read(ORGANIZATIONS, [both, other]);
        assert_eq!(shown(&other, "organization_id")[0], pair(1, 0.4));
        let none = json!({"data": [result(1, 0.4, 0.9), result(2, 0.6, 0.8), result(3, 0.5, 0.9)]});
        let [none] = read(ORGANIZATIONS, [none]);
        assert_eq!(shown(&none, "organization_id")[0], pair(1, Value::Null));
    }

    #[test]
    fn result_without_a_score_is_read_without_one() {
        let first = json!({"data": [{"id": 1, "score": 3.5}, {"id": 2, "score": 2.5}]});
        let second = json!({"data": [{"id": 1, "score": 3.5}, {"id": 2}]});
        let [_, second] = read(ORGANIZATIONS, [first, second]);
        let expected = [pair(1, -2.5), pair(2, Value::Null)];
        assert_eq!(shown(&second, "organization_id"), expected);
    }

    #[test]
    fn what_is_not_unambiguous_is_left_alone() {
        let record = |id: i64| json!({"id": id, "score": id});
        let pages = [
            // Which of two lists?
            json!({"data": [record(1)], "related": [record(2)]}),
            // The numbers of results are no ids of records.
            json!({"data": [{"rank": 1, "score": 3}, {"rank": 2, "score": 2}]}),
            // Of two organizations.
            json!({"data": [{"company_id": 1, "org_id": 2, "score": 3}]}),
            json!({"data": [{"id": "f3a0", "score": 3}]}),
            json!({"data": ["Acme"]}),
            json!("data"),
            Value::Null,
        ];
        assert_eq!(read(ORGANIZATIONS, pages.clone()), pages);
    }

    #[test]
    fn fields_are_read_where_the_target_says_they_are() {
        let names = SearchNames::default()
            .with_field("organization.headquarters.country", "hq.iso")
            .and_then(|names| names.with_field("product.categories", "tags"));
        let forms = SearchForms::at(Level::Stated, &names.unwrap()).unwrap();
        let contract = Contract::bundled();
        let read = |operation: &str, page: Value| forms.read_body(contract, contract.operation(operation), page);
        let organization = |iso: Value| json!({"hq": {"iso": iso}, "headquarters": {"country": "Norway"}});
        let result = |id: i64, iso: Value| {
            let mut result = organization(iso);
            result["id"] = id.into();
            result["distance"] = id.into();
            result
        };
        let page = read(ORGANIZATIONS, json!([result(1, json!("NO")), result(2, Value::Null)]));
        let countries = [0, 1].map(|position| page["results"][position]["headquarters"]["country"].clone());
        assert_eq!(countries, [json!("NO"), Value::Null]);
        let product =
            |id: i64| json!({"product_id": id, "distance": id, "tags": ["a"], "vendor": result(7, json!("SE"))});
        let page = read(PRODUCTS, json!([product(1), product(2)]));
        assert_eq!(page["results"][0]["categories"], json!(["a"]));
        assert_eq!(page["results"][0]["organization"]["headquarters"]["country"], "SE");
    }

    #[test]
    fn ids_are_read_where_the_target_says_they_are() {
        let names = SearchNames::default()
            .with_field("organization.organization_id", "core.code")
            .and_then(|names| names.with_field("product.product_id", "item.number"));
        let forms = SearchForms::at(Level::Stated, &names.unwrap()).unwrap();
        let contract = Contract::bundled();
        let organization = |code: i64| json!({"core": {"code": code, "id": 9}, "cosine": 0.5});
        let page = json!([organization(7), organization(8)]);
        let page = forms.read_body(contract, contract.operation(ORGANIZATIONS), page);
        let ids = [0, 1].map(|position| page["results"][position]["organization_id"].as_i64());
        assert_eq!(ids, [Some(7), Some(8)]);
        let product = |number: i64| json!({"item": {"number": number}, "cosine": 0.5, "vendor": organization(7)});
        let page = forms.read_body(contract, contract.operation(PRODUCTS), json!([product(1), product(2)]));
        assert_eq!(page["results"][1]["product_id"], 2);
        assert_eq!(page["results"][1]["organization"]["organization_id"], 7);
        // What is around it may be a part of the place.
        let names = SearchNames::default()
            .with_field("organization.organization_id", "company.key")
            .and_then(|names| names.with_field("product.product_id", "product.key"));
        let forms = SearchForms::at(Level::Stated, &names.unwrap()).unwrap();
        let product = |key: i64| json!({"product": {"key": key}, "company": {"key": 7, "size": 8}, "cosine": 0.5});
        let page = forms.read_body(contract, contract.operation(PRODUCTS), json!([product(1), product(2)]));
        assert_eq!(page["results"][1]["product_id"], 2);
        assert_eq!(page["results"][1]["organization"]["organization_id"], 7);
    }

    #[test]
    fn scores_are_read_where_the_target_says_they_are() {
        let names = SearchNames::default()
            .with_field("organization.similarity.cosine_distance", "ranking.v")
            .and_then(|names| names.with_field("product.similarity.cosine_distance", "q"));
        let forms = SearchForms::at(Level::Stated, &names.unwrap()).unwrap();
        let contract = Contract::bundled();
        // The other score has the likelier name.
        let organization = |id: i64, v: f64| json!({"id": id, "ranking": {"v": v}, "similarity": 9 - id, "q": v});
        let page = json!([organization(1, 0.25), organization(2, 0.5)]);
        let page = forms.read_body(contract, contract.operation(ORGANIZATIONS), page);
        assert_eq!(shown(&page, "organization_id"), [pair(1, 0.25), pair(2, 0.5)]);
        let product = |id: i64, q: f64| json!({"product_id": id, "q": q, "vendor": organization(7, 0.5)});
        let page = forms.read_body(
            contract,
            contract.operation(PRODUCTS),
            json!([product(1, 0.75), product(2, 0.5)]),
        );
        assert_eq!(shown(&page, "product_id"), [pair(1, 0.25), pair(2, 0.5)]);
        assert_eq!(page["results"][0]["organization"]["organization_id"], 7);
        assert_eq!(page["results"][0]["organization"]["similarity"], Value::Null);
        // Where there are no scores, no others are read.
        let elsewhere = json!([{"id": 1, "score": 3}, {"id": 2, "score": 2}]);
        let forms = SearchForms::at(Level::Stated, forms.names()).unwrap();
        let page = forms.read_body(contract, contract.operation(ORGANIZATIONS), elsewhere);
        assert_eq!(
            shown(&page, "organization_id"),
            [pair(1, Value::Null), pair(2, Value::Null)]
        );
    }

    #[test]
    fn organization_of_a_product_lacks_what_only_leads_to_a_result() {
        let country = SearchNames::default().with_field("organization.headquarters.country", "_source.hq.iso");
        let forms = SearchForms::at(Level::Stated, &country.unwrap()).unwrap();
        let contract = Contract::bundled();
        let organization = json!({"id": 7, "hq": {"iso": "NO"}});
        let page = json!([{"_score": 0.5, "_source": {"id": 1, "organization": organization}}]);
        let page = forms.read_body(contract, contract.operation(PRODUCTS), page);
        assert_eq!(page["results"][0]["organization"]["headquarters"]["country"], "NO");
        let page = forms.read_body(
            contract,
            contract.operation(ORGANIZATIONS),
            json!([{"_score": 0.5, "_source": organization}]),
        );
        assert_eq!(page["results"][0]["headquarters"]["country"], "NO");
    }

    /// The id of an organization may stand in a group of its fields.
    #[test]
    fn organization_of_a_product_may_have_its_id_further_inside() {
        let place = "_source.place.hq.iso";
        let country = SearchNames::default().with_field("organization.headquarters.country", place);
        let forms = SearchForms::at(Level::Stated, &country.unwrap()).unwrap();
        let vendor = json!({"identity": {"organization_id": 7}, "place": {"hq": {"iso": "NO"}}});
        let page = json!([{"product_id": 1, "distance": 0.5, "vendor": vendor, "place": {"hq": {"iso": "SE"}}}]);
        let contract = Contract::bundled();
        let page = forms.read_body(contract, contract.operation(PRODUCTS), page);
        assert_eq!(page["results"][0]["organization"]["headquarters"]["country"], "NO");
    }

    #[test]
    fn values_are_read_as_the_contract_writes_them() {
        let names = SearchNames::default()
            .with_dates_in_seconds()
            .with_field("organization.metrics.founded_on", "since")
            .and_then(|names| names.with_field("organization.metrics.employee_count", "headcount"))
            .and_then(|names| names.with_field("organization.metrics.funding.last_round_stage", "funding.stage"))
            .and_then(|names| names.with_field("organization.locations.country", "offices.iso"))
            .and_then(|names| names.with_field("organization.locations.region", "offices.area.code"))
            .and_then(|names| names.with_field("product.categories", "tags.slug"));
        let forms = SearchForms::at(Level::Stated, &names.unwrap()).unwrap();
        let contract = Contract::bundled();
        let page = json!([{
            "product_id": 1,
            "distance": 0.5,
            "tags": [{"slug": "a"}, {"slug": "b"}],
            "vendor": {
                "id": 7,
                "since": 1_582_977_600,
                "headcount": "64",
                "funding": {"stage": "Series A"},
                "offices": [{"iso": "NO", "area": {"code": "NO-46"}}, {"iso": "SE"}],
            },
        }]);
        let page = forms.read_body(contract, contract.operation(PRODUCTS), page);
        let product = &page["results"][0];
        assert_eq!(product["categories"], json!(["a", "b"]));
        let organization = &product["organization"];
        assert_eq!(organization["metrics"]["founded_on"], "2020-02-29");
        assert_eq!(organization["metrics"]["employee_count"], 64);
        assert_eq!(organization["metrics"]["funding"]["last_round_stage"], "series_a");
        let locations = json!([{"country": "NO", "region": "NO-46"}, {"country": "SE", "region": null}]);
        assert_eq!(organization["locations"], locations);
        let mut query = vec!["funding_stages=series_a".to_owned()];
        forms.fit(&mut query);
        assert_eq!(query, ["funding_stages=Series+A"]);
    }

    #[test]
    fn query_asks_for_what_is_accepted() {
        let fitted = |most: Option<i64>, query: &[&str]| {
            let forms = SearchForms::default();
            forms.set_most(most);
            let mut query = query.iter().map(|pair| (*pair).to_owned()).collect();
            forms.fit(&mut query);
            query.join("&")
        };
        assert_eq!(
            fitted(None, &["description=limit=", "skip=2", "limit=3"]),
            "description=limit="
        );
        assert_eq!(fitted(Some(20), &["limit=100", "skip=2"]), "limit=20&skip=2");
        assert_eq!(fitted(Some(20), &["limit=7", "limit=x"]), "limit=7&limit=x");
        let forms = SearchForms::default();
        forms.set_rejects_skip();
        let mut query = vec!["skip=0".to_owned(), "limit=100".to_owned()];
        forms.fit(&mut query);
        assert_eq!(query, ["limit=100"]);
    }
}
