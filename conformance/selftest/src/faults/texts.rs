//! Search texts that are truncated, misinterpreted or ignored.

use percent_encoding::percent_decode_str;
use platform_server_stub::data::Data;

use crate::exchange::Asked;
use crate::fault::{Family, Fault, fault, operation, parameter, response};
use crate::witness::get;
use engine::transport::request::encode;

pub(super) const FAMILY: Family = Family {
    name: "text",
    title: "The text to search for",
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
            "An empty description is accepted.",
        )
        .shown_by([by("")])
        .request(|asked| replaced(asked, |text| text.is_empty().then(|| "anything".to_owned()))),
        fault(
            "one-character-is-refused",
            text("minLength"),
            "A description of one character is rejected.",
        )
        .shown_by([by("a")])
        .request(|asked| {
            replaced(asked, |text| (decoded(text).chars().count() == 1).then(String::new));
        }),
        fault(
            "blank-is-anything",
            text("pattern"),
            "A description of white space alone is accepted.",
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
                let text = decoded(text);
                let cut = || encode(&text.chars().take(2000).collect::<String>());
                (text.chars().count() > 2000).then(cut)
            });
        }),
        fault(
            "longest-is-refused",
            text("maxLength"),
            "A description of 2000 characters is rejected.",
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
            "A search without a description is accepted.",
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
            "A search for products without a customer gets 400.",
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
            "encoded-plus-is-a-space",
            text("type"),
            "An encoded plus is treated as a space: a text is decoded twice.",
        )
        .shown_by([by("c%2B%2B%20compiler")])
        .request(|asked| {
            replaced(asked, |text| {
                let once = decoded(text);
                (!once.contains('\u{fffd}')).then(|| encode(&decoded(&once)))
            });
        }),
        fault(
            "plus-is-no-space",
            "/info",
            "A plus sign in the query of a search for customers is a plus sign.",
        )
        .shown_by([get("/search/organizations/similar-customers?organization_customer=+")])
        .request(|asked| {
            if asked.calls("search_organizations_by_customer") {
                asked.query = asked.query.replace('+', "%2B");
            }
        }),
        fault(
            "query-is-decoded-before-it-is-split",
            text("type"),
            "An encoded ampersand ends a description and begins a parameter.",
        )
        .shown_by([by("fish%26limit%3D1")])
        .request(|asked| {
            if asked.searches() {
                asked.query = asked.query.replace("%26", "&").replace("%3D", "=");
            }
        }),
        fault(
            "repeated-takes-the-last",
            text("type"),
            "The last of several descriptions counts.",
        )
        .shown_by([get("/search/organizations/similar?description=fish&description=steel")])
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
            "Invalid UTF-8 is replaced by question marks.",
        )
        .shown_by([by("fish%FF")])
        .request(|asked| replaced(asked, |text| Some(encode(&decoded(text).replace('\u{fffd}', "?"))))),
        fault(
            "text-is-not-looked-at",
            operation(DESCRIPTION),
            "Any description returns the same results.",
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
            "Only the first word of a product description counts.",
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
            "long-text-is-cut",
            operation("search_organizations_by_customer"),
            "Only the first 100 characters of a description of customers count.",
        )
        .shown_by([get(format!(
            "/search/organizations/similar-customers?organization_customer={}steel",
            "fish%20".repeat(40)
        ))])
        .request(|asked| {
            if asked.calls("search_organizations_by_customer") {
                replaced(asked, |text| {
                    let cut = text.get(..text.len().min(140))?;
                    let cut = cut.rsplit_once("%20").map_or(cut, |(whole, _)| whole);
                    (cut.len() < text.len()).then(|| cut.to_owned())
                });
            }
        }),
        fault(
            "longest-text-is-cut",
            operation("search_products_by_customer"),
            "Only the first 1000 characters of a description of customers count.",
        )
        .shown_by([get(format!(
            "/search/products/similar-customers?product_customer={}{}",
            "fish%20".repeat(200),
            "steel%20".repeat(160)
        ))])
        .request(|asked| {
            if asked.calls("search_products_by_customer") {
                replaced(asked, |text| first_of(text, 1000, |_| 1));
            }
        }),
        fault(
            "ends-after-2000-bytes",
            operation("search_products_by_description"),
            "Only the first 2000 bytes of a description count.",
        )
        .shown_by([get(format!(
            "/search/products/similar?description={}{}",
            "f%C3%A9%20".repeat(500),
            "steel%20".repeat(80)
        ))])
        .request(|asked| {
            if asked.calls("search_products_by_description") {
                replaced(asked, |text| first_of(text, 2000, char::len_utf8));
            }
        }),
        fault(
            "ends-at-a-comma",
            operation("search_organizations_by_customer"),
            "A description of customers ends at the first comma.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=fish%2C%20steel",
        )])
        .request(|asked| ended(asked, "organization_customer", &["%2C", ","])),
        fault(
            "ends-at-a-number-sign",
            operation("search_products_by_customer"),
            "A description of customers ends at an encoded number sign.",
        )
        .shown_by([get(
            "/search/products/similar-customers?product_customer=fish%20%23%201",
        )])
        .request(|asked| ended(asked, "product_customer", &["%23"])),
        fault(
            "letters-beyond-ascii-are-dropped",
            operation(DESCRIPTION),
            "The letters of a description that are not ASCII are dropped.",
        )
        .shown_by([by("cr%C3%A8me%20br%C3%BBl%C3%A9e")])
        .request(|asked| {
            if asked.calls(DESCRIPTION) {
                replaced(asked, |text| {
                    let text = decoded(text);
                    let ascii: String = text.chars().filter(char::is_ascii).collect();
                    let is_text = !ascii.trim().is_empty() && text.chars().count() < 1000;
                    (is_text && ascii != text && !text.contains('\u{fffd}')).then(|| encode(&ascii))
                });
            }
        }),
        fault(
            "tags-are-removed",
            operation(DESCRIPTION),
            "A description ends at a mark that begins a tag.",
        )
        .shown_by([by("ferries%20%3Cfish%3E")])
        .request(|asked| ended(asked, "description", &["%3C", "<"])),
        fault(
            "only-the-phrase-counts",
            operation("search_organizations_by_customer"),
            "Of a text with a phrase in quotation marks only the phrase counts.",
        )
        .shown_by([get(
            "/search/organizations/similar-customers?organization_customer=fish%20%22steel%22",
        )])
        .request(|asked| {
            if asked.calls("search_organizations_by_customer") {
                replaced(asked, |text| {
                    let text = decoded(text);
                    let phrase = text.split('"').nth(1).filter(|phrase| !phrase.trim().is_empty());
                    phrase.filter(|_| text.matches('"').count() == 2).map(encode)
                });
            }
        }),
        fault("nul-fails", text("type"), "A description with U+0000 gets 500.")
            .shown_by([by("fish%00")])
            .answer(|asked, answered| {
                if asked.calls(DESCRIPTION) && asked.query.contains("%00") {
                    answered.becomes(500, "internal_error");
                }
            }),
        fault(
            "semicolon-begins-a-parameter",
            text("type"),
            "A semicolon separates parameters like an ampersand.",
        )
        .shown_by([by("fish;limit=1")])
        .request(|asked| {
            if asked.searches() {
                asked.query = asked.query.replace(';', "&");
            }
        }),
        fault(
            "customers-are-descriptions",
            operation("search_organizations_by_customer"),
            "A search for customers searches the descriptions of organizations.",
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
        fault(
            "own-description-finds-others",
            operation(DESCRIPTION),
            "A record whose description is the text is taken for the known record, and left out.",
        )
        .shown_by([by(&description_of_an_organization())])
        .answer(|asked, answered| {
            let text = asked.parameter("description").map(decoded);
            if let Some(text) = text.filter(|_| asked.searches())
                && let Some(results) = answered.list("results")
            {
                results.retain(|result| result["description"] != *text);
            }
        }),
    ]
}

/// The description of an organization of the built-in data, encoded.
fn description_of_an_organization() -> String {
    let first = Data::built_in().organizations.into_iter().next();
    encode(&first.map(|organization| organization.description).unwrap_or_default())
}

/// Ends a text at the first of these marks, unless nothing is left of it.
fn ended(asked: &mut Asked, name: &str, marks: &[&str]) {
    let text = asked.parameter(name).unwrap_or_default();
    let ends = marks.iter().filter_map(|mark| text.find(mark));
    if let Some(cut) = ends.min().filter(|end| *end > 0).map(|end| text[..end].to_owned()) {
        asked.set(name, cut);
    }
}

/// Decodes a text of a query as in forms, with the replacement character for invalid UTF-8.
fn decoded(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

/// Replaces the text to search for, encoded like the old one.
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

/// As much of a text as has this size, if an accepted text has more.
fn first_of(text: &str, most: usize, size: fn(char) -> usize) -> Option<String> {
    let text = decoded(text);
    let mut left = most;
    let fits = |letter: &char| {
        let rest = left.checked_sub(size(*letter));
        left = rest.unwrap_or(0);
        rest.is_some()
    };
    let first: String = text.chars().take_while(fits).collect();
    (first.len() < text.len() && text.chars().count() <= 2000).then(|| encode(&first))
}
