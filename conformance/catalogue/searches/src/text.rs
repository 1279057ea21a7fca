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
/// Marks between the halves of a long text; each could be taken for the end of the text. A firewall may object to
/// quotes.
const MARKS: &str = "(as above), fish & fruit #1: a+b/c; 50% – more? Yes!\n\t* and so on... ";
/// Texts with a place for words, each with marks that could be taken for the end of the text, for a remark, a tag, a
/// phrase or a field. A gateway may object to some of them.
const MARKED: [&str; 9] = [
    "producers, = | ; : # ~ ^ \\ < ( [ { \" ' ` $ % @ {}",
    "{} = : | > ) ] } producers",
    "producers ({}) in Europe",
    "producers [{}] in Europe",
    "producers <{}> in Europe",
    "producers \"{}\" in Europe",
    "{} (in Europe)",
    "{} \"in Europe\"",
    "producers\n\n{}",
];
/// Words for the place in a text.
const WORDS: [&str; 2] = [
    "of loggers for the cold chain of fish",
    "of insurance for banks and brokers",
];
/// A text that means something else, or nothing, without the letters beyond ASCII.
const ACCENTED: &str = "crème brûlée, pâté, entrepôt réfrigéré";
/// A text with a character that many languages take for the end of a text.
const WITH_NUL: &str = "fish\0loggers";
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
        of_texts(
            search,
            "accents-count",
            "A text ranks differently without its letters beyond ASCII",
        )
        .check_with(search.clone(), accented),
        of_texts(
            search,
            "marks-hide-no-words",
            "Texts with different words inside, before or behind brackets, quotes and other marks are ranked differently",
        )
        .sends((MARKED.len() * WORDS.len()) as u64)
        .check_with(search.clone(), marked),
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
    of_texts(search, law, title).check_with((search.clone(), texts), whole_text)
}

fn of_texts(search: &Search, law: &str, title: &str) -> Case {
    let case = search
        .case(GROUP, law, title, &search.operation.pointer)
        .quote(ranks(search));
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
        let text = format!("{} {MARKS}{}", [beginning; 8].join(" "), [end; 8].join(" "));
        found.push(probe.ok(search.call_with(&probe, text).send().await?)?);
    }
    assert_differ(
        &probe,
        &search,
        "the results for two texts with one half in common",
        &found,
    )
}

/// Pairs of texts that differ only in the words beside some marks.
async fn marked(probe: Probe, search: Search) -> Outcome {
    let mut is_compared = false;
    for text in MARKED {
        let mut found = Vec::new();
        for words in WORDS {
            found.push(search.call_with(&probe, text.replace("{}", words)).send().await?);
        }
        let is_page = |page: &HttpResponse| page.status == 200 && !is_flat(page);
        if !found.iter().all(is_page) {
            continue;
        }
        is_compared = true;
        let what = format!(
            "the results for {:?} and with other words",
            text.replace("{}", WORDS[0])
        );
        assert_differ(&probe, &search, &what, &found)?;
    }
    match is_compared {
        true => Ok(()),
        false => probe.inconclusive("results at different distances for a text with marks"),
    }
}

/// Whether all results are at one distance, as when a search knows none of the words.
fn is_flat(page: &HttpResponse) -> bool {
    let mut distances = results(page).iter().map(distance);
    let first = distances.next();
    distances.all(|one| Some(one) == first)
}

/// A text, and what is left of it without the letters beyond ASCII.
async fn accented(probe: Probe, search: Search) -> Outcome {
    let bare: String = ACCENTED.chars().filter(char::is_ascii).collect();
    let mut found = Vec::new();
    for text in [ACCENTED, &bare] {
        found.push(probe.ok(search.call_with(&probe, text).send().await?)?);
    }
    if is_flat(&found[0]) {
        return probe.inconclusive("results at different distances for a text with accents");
    }
    let what = "the results for a text with accents, and without the letters that have one";
    assert_differ(&probe, &search, what, &found)
}

/// Asserts that two pages have other distances or another order.
fn assert_differ(probe: &Probe, search: &Search, what: &str, found: &[HttpResponse]) -> Outcome {
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
        what,
        "other distances or another order",
        "the same distances in the same order",
        &[&found[0], &found[1]],
    );
    Ok(())
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
    ] {
        let page = probe.ok(call.send().await?)?;
        let what = "the results for the same text in another encoding";
        probe.assert_same(what, &found(&usual), &found(&page), &[&usual, &page]);
    }
    Ok(())
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
