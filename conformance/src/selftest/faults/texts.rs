//! What is searched for: texts that are cut, mistaken, or not looked at.

use crate::selftest::exchange::Asked;
use crate::selftest::fault::{Family, Fault, fault, operation, parameter, response};
use crate::selftest::witness::get;

pub(super) const FAMILY: Family = Family {
    name: "text",
    title: "What is searched for",
    faults,
};

const DESCRIPTION: &str = "search_organizations_by_description";

fn faults() -> Vec<Fault> {
    let text = |keyword| parameter(DESCRIPTION, "description", keyword);
    let by = |text: &str| get(format!("/search/organizations/similar?description={text}"));
    let long = |character: &str, length: usize| by(&character.repeat(length));
    vec![
        fault(
            "empty-is-anything",
            text("minLength"),
            "An empty description finds anything.",
        )
        .shown_by([by("")])
        .request(|asked| replaced(asked, |text| text.is_empty().then(|| "anything".to_owned()))),
        fault(
            "blank-is-anything",
            text("pattern"),
            "A description of nothing but white space finds anything.",
        )
        .shown_by([by("%20"), by("%09"), by("%E2%80%83")])
        .request(|asked| {
            replaced(asked, |text| {
                let is_blank = !text.is_empty()
                    && text
                        .replace("%20", "")
                        .replace("%09", "")
                        .replace("%0A", "")
                        .replace('+', "")
                        .is_empty();
                is_blank.then(|| "anything".to_owned())
            });
        }),
        fault(
            "too-long-is-cut",
            text("maxLength"),
            "A description of more than 2000 characters is cut.",
        )
        .shown_by([long("a", 2001)])
        .request(|asked| {
            replaced(asked, |text| {
                let is_plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric());
                (is_plain && text.len() > 2000).then(|| text[..2000].to_owned())
            });
        }),
        fault(
            "longest-is-refused",
            text("maxLength"),
            "A description of 2000 characters is refused.",
        )
        .shown_by([long("a", 2000)])
        .request(|asked| {
            replaced(asked, |text| {
                (text.len() == 2000 && !text.contains('%')).then(|| "a".repeat(2001))
            })
        }),
        fault(
            "bytes-are-counted",
            text("maxLength"),
            "The length of a description is counted in bytes.",
        )
        .shown_by([long("%C3%A9", 1500)])
        .request(|asked| {
            replaced(asked, |text| {
                (text.matches('%').count() > 2000).then(|| "a".repeat(2001))
            });
        }),
        fault(
            "missing-is-anything",
            format!("{}/required", text("").trim_end_matches("/schema/")),
            "A search without a description finds anything.",
        )
        .shown_by([get("/search/organizations/similar")])
        .request(|asked| {
            if asked.calls(DESCRIPTION) {
                asked.default("description", "anything");
            }
        }),
        fault(
            "missing-customer-is-a-bad-request",
            response("search_products_by_customer", 422),
            "A search for products without a customer is answered 400.",
        )
        .shown_by([get("/search/products/similar-customers")])
        .answer(|asked, answered| {
            if asked.calls("search_products_by_customer")
                && asked.parameter("product_customer").is_none()
                && answered.status == 422
            {
                answered.status = axum::http::StatusCode::BAD_REQUEST;
                answered.json()["status"] = 400.into();
            }
        }),
        fault(
            "plus-stays",
            text("type"),
            "A plus in the query is not taken for a space.",
        )
        .shown_by([by("fresh+fish+on+its+way")])
        .request(|asked| {
            if asked.searches() {
                asked.query = asked.query.replace('+', "%2B");
            }
        }),
        fault(
            "encoded-plus-is-a-space",
            text("type"),
            "An encoded plus is taken for a space: it is decoded twice.",
        )
        .shown_by([by("c%2B%2B%20compiler")])
        .request(|asked| {
            if asked.searches() {
                asked.query = asked
                    .query
                    .replace("%2B", "+")
                    .replace("%26", "")
                    .replace("%3D", "")
                    .replace("%2525", "%25");
            }
        }),
        fault(
            "repeated-takes-the-last",
            text("type"),
            "Of several descriptions the last is taken.",
        )
        .shown_by([get(
            "/search/organizations/similar?description=fish&description=steel",
        )])
        .request(|asked| {
            let last = asked
                .query
                .rsplit('&')
                .find_map(|pair| pair.strip_prefix("description="));
            if let Some(last) = last.filter(|_| asked.searches()).map(str::to_owned) {
                asked.set("description", last);
            }
        }),
        fault(
            "broken-characters-are-replaced",
            text("type"),
            "Bytes that are no characters are taken for question marks.",
        )
        .shown_by([by("fish%FF")])
        .request(|asked| {
            if asked.searches() {
                asked.query = asked
                    .query
                    .replace("%FF", "%3F")
                    .replace("%C3%28", "%3F")
                    .replace("%C0%AF", "%3F")
                    .replace("%80", "%3F");
            }
        }),
        fault(
            "text-is-not-looked-at",
            operation(DESCRIPTION),
            "Whatever the description, the same is found.",
        )
        .shown_by([by("keeps%20fresh%20fish%20cold")])
        .request(|asked| {
            if asked.calls(DESCRIPTION) {
                replaced(asked, |text| {
                    (text.len() > 20 && !text.contains("%FF") && text.len() < 1500)
                        .then(|| "anything%20at%20all".to_owned())
                });
            }
        }),
        fault(
            "first-word-counts",
            operation("search_products_by_description"),
            "Of a description of a product the first word alone counts.",
        )
        .shown_by([get(
            "/search/products/similar?description=cold%20fish%20logger%20for%20ships",
        )])
        .request(|asked| {
            if asked.calls("search_products_by_description") {
                replaced(asked, |text| {
                    text.split_once("%20")
                        .filter(|(word, _)| !word.is_empty())
                        .map(|(word, _)| word.to_owned())
                });
            }
        }),
        fault(
            "customers-are-descriptions",
            operation("search_organizations_by_customer"),
            "A search for customers looks at what organizations do.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=fish%20exporters",
        )])
        .request(|asked| {
            if asked.calls("search_organizations_by_customer") {
                asked.path = "/search/organizations/similar".to_owned();
                asked.rename("organization_customer", "description");
            }
        }),
    ]
}

/// Puts another text in the place of the one that is searched for, encoded as it is.
fn replaced(asked: &mut Asked, text: impl Fn(&str) -> Option<String>) {
    if !asked.searches() {
        return;
    }
    for name in ["description", "organization_customer", "product_customer"] {
        let once = asked.query.matches(&format!("{name}=")).count() == 1;
        if let Some(other) = asked.parameter(name).filter(|_| once).and_then(&text) {
            asked.set(name, other);
        }
    }
}
