//! Cases about the text of a search by text: its length, values that are not texts, and its encoding.

use serde_json::Value;

use crate::calls::{Search, count, ids, results, total_count};
use engine::case::values::GIVEN_ONCE;
use engine::case::{Case, Rejection};
use engine::session::Probe;
use engine::transport::response::HttpResponse;
use engine::verdict::Outcome;
use platform_contract::Contract;

const GROUP: &str = "search-text";

/// Kinds of white space: from keyboards, from forms, typographic, East Asian.
const BLANKS: [&str; 4] = [" ", "\t\r\n", "\u{a0}\u{2003}", "\u{3000}"];
/// A text with a character that many languages take for the end of a text.
const WITH_NUL: &str = "fish\0loggers";
/// Characters of two, three and four bytes; the last is two units of UTF-16.
const LONG_CHARACTERS: [char; 3] = ['é', '魚', '🐟'];
/// The same with a combining accent: `é` is then two characters.
const COMBINED_CHARACTERS: [char; 4] = ['e', '\u{301}', '魚', '🐟'];

/// The cases of the group, in reading order.
pub(crate) fn cases(contract: &Contract) -> Vec<Case> {
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
        .rejects(invalid(), BLANKS.map(with)),
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
            .primary_quote("/info", GIVEN_ONCE)
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
            "Any percent-encoding of a text finds the same, and so does + for a space",
            "type",
        )
        .and_quote("/info", "In a query, + is a space.")
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
            "An encoded & or a semicolon in a text does not begin a parameter",
            "type",
        )
        .point("search-text-encoding")
        .check_with(search.clone(), marks_stay_text),
        case(
            "control-characters-are-no-failure",
            "A text with U+0000 is a text, or rejected",
            "type",
        )
        .point("search-text-encoding")
        .check_with(search.clone(), control_characters),
    ]
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

/// Checks that a character which ends texts in many languages is one of the text, or rejected.
async fn control_characters(probe: Probe, search: Search) -> Outcome {
    let response = search.call_with(&probe, WITH_NUL).query("limit", 1).send().await?;
    let is_read = response.status == 200 && response.at("/results").is_array();
    probe.assert(
        is_read || (400..500).contains(&response.status),
        "the response to a text with U+0000",
        "200 with results, or a rejection",
        response.summary(),
        &[&response],
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
        encoded(|byte| match byte {
            b' ' => "+".to_owned(),
            byte => format!("%{byte:02X}"),
        }),
    ] {
        let page = probe.ok(call.send().await?)?;
        let what = "the results for the same text in another encoding";
        probe.assert_same(what, &found(&usual), &found(&page), &[&usual, &page]);
    }
    // Read as a space, the plus sign is white space alone, which is rejected. A deployment that reads it as a plus
    // sign accepts it.
    let name = &search.subject().name;
    let blank = probe.call(&search.operation.id).raw_query(&format!("{name}=+"));
    probe.expect(&blank.send().await?).rejected(422, "validation_failed");
    probe.saw_record(&search.operation, &usual)
}

/// A text that contains a `limit` parameter, or would if it was decoded twice. A semicolon does not begin a parameter
/// even if it is not encoded; a deployment may reject it, because a client encodes it.
async fn marks_stay_text(probe: Probe, search: Search) -> Outcome {
    let default = search.number("limit", "default");
    let name = &search.subject().name;
    let bare = probe
        .call(&search.operation.id)
        .raw_query(&format!("{name}=fish;limit=1"));
    let encoded = ["fish&limit=1", "fish%26limit%3D1", "fish;limit=1"];
    let encoded = encoded.map(|text| search.call_with(&probe, text));
    for (is_bare, call) in encoded.into_iter().map(|call| (false, call)).chain([(true, bare)]) {
        let response = call.send().await?;
        if is_bare && response.status == 422 {
            continue;
        }
        let page = probe.ok(response)?;
        let expected = total_count(&page).min(default);
        if expected <= 1 {
            return probe.inconclusive("a search that finds more than one record");
        }
        let seen = count(results(&page));
        probe.assert(seen == expected, "the number of results", expected, seen, &[&page]);
    }
    Ok(())
}
