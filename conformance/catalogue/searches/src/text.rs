//! Cases about the text of a search by text: its length, values that are not texts, and its encoding.

use serde_json::Value;

use crate::calls::{Finds, Search, count, distance, ids, results, total_count};
use engine::case::values::GIVEN_ONCE;
use engine::case::{Case, Rejection};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::Contract;

const GROUP: &str = "search-text";

/// Kinds of white space: from keyboards, from forms, typographic, East Asian.
const BLANKS: [&str; 4] = [" ", "\t\r\n", "\u{a0}\u{2003}", "\u{3000}"];
/// The beginning of two long texts.
const BEGINNING: &str = "loggers for the cold chain of fish";
/// The beginning of two other long texts.
const OTHER_BEGINNING: &str = "insurance for banks and brokers";
/// The end of two long texts.
const END: &str = "for bridges and towers of steel";
/// Characters of two, three and four bytes; the last is two units of UTF-16.
const LONG_CHARACTERS: [char; 3] = ['é', '魚', '🐟'];
/// The same with a combining accent: `é` is then two characters.
const COMBINED_CHARACTERS: [char; 4] = ['e', '\u{301}', '魚', '🐟'];

/// The cases of the group, in reading order.
pub fn cases(contract: &Contract) -> Vec<Case> {
    let searches = Search::all(contract);
    let by_text = searches.iter().filter(|search| !search.is_by_known_record());
    by_text.flat_map(of_search).collect()
}

fn of_search(search: &Search) -> Vec<Case> {
    let name = search.subject().name.as_str();
    let least = search.number(name, "minLength");
    let most = search.number(name, "maxLength");
    let case = |law: &str, title: &str, keyword: &str| search.case(GROUP, law, title, search.at(name, keyword));
    let unprocessable = search.operation.response_pointer(422);
    let bare = || search.bare_request();
    let with = |text: &str| bare().query(name, text);
    let page_of_one = |text: &str| with(text).query("limit", 1);
    let invalid = || Rejection::invalid().at(["query", name]);
    vec![
        search
            .case(
                GROUP,
                "missing-is-rejected",
                "A request without a text is rejected",
                format!("{}/required", search.place_of(name)),
            )
            .and(&unprocessable)
            .point("search-text-missing")
            .rejects(invalid(), [bare()]),
        case(
            "empty-is-rejected",
            &format!("A text of less than {least} character is rejected"),
            "minLength",
        )
        .and(&unprocessable)
        .point("search-text-missing")
        // Empty, and without an equals sign.
        .rejects(invalid(), [with(""), bare().raw_query(name)]),
        case(
            "blank-is-rejected",
            "A text of white space alone is rejected",
            "pattern",
        )
        .and(&unprocessable)
        .point("search-text-missing")
        .rejects(invalid(), search.share_of(&BLANKS).map(|text| with(text))),
        case(
            "one-character-is-accepted",
            &format!("A text of {least} character is accepted"),
            "minLength",
        )
        .point("search-text-length")
        .accepts([page_of_one("魚")]),
        case(
            "maximum-is-accepted",
            &format!("A text of {most} characters is accepted"),
            "maxLength",
        )
        .point("search-text-length")
        .accepts([page_of_one(&words(most))]),
        case(
            "maximum-counts-code-points",
            &format!("{most} characters of several bytes are accepted"),
            "maxLength",
        )
        .point("search-text-length")
        .accepts([page_of_one(&mixed(&LONG_CHARACTERS, most))]),
        case(
            "over-maximum-is-rejected",
            &format!("A text of {} characters is rejected", most + 1),
            "maxLength",
        )
        .and(&unprocessable)
        .point("search-text-length")
        // Spaces count, wherever they are.
        .rejects(
            invalid(),
            [words(most + 1), format!(" {} ", words(most))].map(|text| with(&text)),
        ),
        case(
            "over-maximum-counts-code-points",
            &format!("{} characters of several bytes are rejected", most + 1),
            "maxLength",
        )
        .and(&unprocessable)
        .point("search-text-length")
        .rejects(invalid(), [with(&mixed(&COMBINED_CHARACTERS, most + 1))]),
        case("repeated-is-rejected", "A text that is sent twice is rejected", "type")
            .led_by("/info", GIVEN_ONCE)
            .and(&unprocessable)
            .point("search-repeated-parameter")
            .rejects(invalid(), [search.request().query(name, "fish")]),
        case(
            "not-utf-8-is-rejected",
            "A value that is not UTF-8 is rejected, not repaired",
            "type",
        )
        .and(&unprocessable)
        .point("search-text-not-utf-8")
        .rejects(invalid(), [bare().raw_query(format!("{name}=fish%FF%FE"))]),
        case(
            "encoding-does-not-matter",
            "Any percent-encoding of a text finds the same",
            "type",
        )
        .point("search-text-encoding")
        .check_with(search.clone(), encodings),
        case(
            "decoded-once",
            "A text that decodes twice to white space is a text",
            "pattern",
        )
        .point("search-text-encoding")
        // A plus sign, and an encoded space: decoded twice, both are white space.
        .accepts(["+", "%20"].map(page_of_one)),
        case(
            "encoded-marks-stay-text",
            "An encoded & in a text does not begin a parameter",
            "type",
        )
        .point("search-text-encoding")
        .check_with(search.clone(), marks_stay_text),
        of_long_texts(
            search,
            "whole-text-counts",
            "Two long texts that only begin alike are ranked differently",
            [(BEGINNING, OTHER_BEGINNING), (BEGINNING, "bridges and towers of steel")],
        ),
        of_long_texts(
            search,
            "beginning-counts",
            "Two long texts that only end alike are ranked differently",
            [(BEGINNING, END), (OTHER_BEGINNING, END)],
        ),
    ]
}

/// The beginning and the end of a long text.
type Halves = (&'static str, &'static str);

fn of_long_texts(search: &Search, law: &str, title: &str, texts: [Halves; 2]) -> Case {
    let case = search
        .case(GROUP, law, title, &search.operation.pointer)
        .quote(ranks(search))
        .check_with((search.clone(), texts), whole_text);
    // For products it is decided.
    match search.finds {
        Finds::Organizations => case,
        Finds::Products => case.point("search-own-words"),
    }
}

/// The sentence that defines what a search by text ranks.
fn ranks(search: &Search) -> &'static str {
    let is_of_customers = search.subject().name.ends_with("_customer");
    match (search.finds, is_of_customers) {
        (Finds::Organizations, false) => {
            "Ranks organizations by how close what they do is in meaning to a free-text description."
        }
        (Finds::Organizations, true) => {
            "Ranks organizations by how close their customer bases are in meaning to a free-text description of a \
             target customer."
        }
        (Finds::Products, false) => {
            "Ranks products, each with its organization, by how close what they do is in meaning to a free-text \
             description."
        }
        (Finds::Products, true) => {
            "Ranks products, each with its organization, by how close their customer bases are in meaning to a \
             free-text description of a target customer."
        }
    }
}

/// A text of this length, made of words.
fn words(length: i64) -> String {
    let words = "cold-chain-".chars().cycle();
    words.take(usize::try_from(length).unwrap_or_default()).collect()
}

/// A text of this length, made of these characters in turn.
fn mixed(characters: &[char], length: i64) -> String {
    let characters = characters.iter().cycle();
    characters.take(usize::try_from(length).unwrap_or_default()).collect()
}

/// Texts that share one half. A search that ignores or truncates the text ranks them alike.
async fn whole_text(probe: Probe, (search, texts): (Search, [Halves; 2])) -> Outcome {
    let mut found = Vec::new();
    for (beginning, end) in texts {
        let text = format!("{} {}", [beginning; 8].join(" "), [end; 8].join(" "));
        found.push(probe.ok(search.call_with(&probe, text).send().await?)?);
    }
    let ranked = |page: &HttpResponse| -> Vec<_> {
        let results = results(page).iter();
        results
            .map(|result| (search.finds.id(result), distance(result).to_bits()))
            .collect()
    };
    let (one, other) = (ranked(&found[0]), ranked(&found[1]));
    let has_distances = results(&found[0]).iter().any(|result| !distance(result).is_nan());
    // The order of a few records may be the same by chance.
    let least = if has_distances { 1 } else { 10 };
    if one.len() < least {
        return probe.inconclusive("a search that finds a record with a distance, or ten records");
    }
    probe.assert(
        one != other,
        "the results for two texts with one half in common",
        "other distances or another order",
        "the same distances in the same order",
        &[&found[0], &found[1]],
    );
    Ok(())
}

/// Encodes every byte of a text, with upper-case and with lower-case digits.
async fn encodings(probe: Probe, search: Search) -> Outcome {
    let text = "fraîche 魚 & 50% frozen";
    let encoded = |digits: fn(u8) -> String| {
        let value: String = text.bytes().map(digits).collect();
        let name = &search.subject().name;
        let call = probe.call(&search.operation.id);
        call.raw_query(&format!("{name}={value}"))
    };
    let usual = probe.ok(search.call_with(&probe, text).send().await?)?;
    let found = |page: &HttpResponse| Value::from(ids(search.finds, results(page)));
    for call in [
        encoded(|byte| format!("%{byte:02X}")),
        encoded(|byte| format!("%{byte:02x}")),
    ] {
        let page = probe.ok(call.send().await?)?;
        let what = "the results for the same text in another encoding";
        probe.assert_same(what, &found(&usual), &found(&page), &[&usual, &page]);
    }
    Ok(())
}

/// A text that, decoded twice, would contain a `limit` parameter.
async fn marks_stay_text(probe: Probe, search: Search) -> Outcome {
    let default = search.number("limit", "default");
    for text in ["fish&limit=1", "fish%26limit%3D1"] {
        let page = probe.ok(search.call_with(&probe, text).send().await?)?;
        let expected = total_count(&page).min(default);
        if expected <= 1 {
            return probe.inconclusive("a search that finds more than one record");
        }
        let seen = count(results(&page));
        probe.assert(seen == expected, "the number of results", expected, seen, &[&page]);
    }
    Ok(())
}
