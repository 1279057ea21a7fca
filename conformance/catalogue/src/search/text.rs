//! What the searches by text take as a text: how long it may be, what is no text, and that it arrives as
//! it was sent.

use serde_json::Value;

use crate::search::calls::{Search, count, ids, results, total_count};
use engine::case::Case;
use engine::session::{Call, Probe};
use engine::transport::client::Answer;
use engine::verdict::Outcome;
use platform_contract::Contract;

const GROUP: &str = "search-text";

/// Kinds of white space: typed, of a form, of typesetters, of East Asian scripts.
const BLANKS: [&str; 4] = [" ", "\t\r\n", "\u{a0}\u{2003}", "\u{3000}"];
/// Characters of two, three and four bytes.
const LONG_CHARACTERS: [char; 3] = ['é', '魚', '🐟'];

pub(crate) fn cases(contract: &'static Contract) -> Vec<Case> {
    let by_text = |search: &Search| !search.is_by_known_record();
    Search::of(contract)
        .into_iter()
        .filter(by_text)
        .flat_map(of_search)
        .collect()
}

fn of_search(search: Search) -> Vec<Case> {
    let name = search.subject.name.as_str();
    let (least, most) = (
        search.number(name, "minLength"),
        search.number(name, "maxLength"),
    );
    let case = |law: &str, title: String, keyword: &str| {
        search.case(GROUP, law, &title, search.at(name, keyword))
    };
    let refused = |case: Case| case.and(search.operation.response_pointer(422));
    vec![
        refused(search.case(
            GROUP,
            "missing-is-rejected",
            "A request without a text is rejected",
            format!("{}/required", search.place_of(name)),
        ))
        .check(move |probe| missing(probe, search)),
        refused(case(
            "empty-is-rejected",
            format!("A text of less than {least} character is rejected"),
            "minLength",
        ))
        .check(move |probe| empty(probe, search)),
        refused(case(
            "blank-is-rejected",
            "A text of white space alone is rejected".to_owned(),
            "pattern",
        ))
        .check(move |probe| refused_as(probe, search, search.one_of(&BLANKS).to_owned())),
        case(
            "one-character-is-accepted",
            format!("A text of {least} character is accepted"),
            "minLength",
        )
        .check(move |probe| accepted(probe, search, "魚".to_owned())),
        case(
            "maximum-is-accepted",
            format!("A text of {most} characters is accepted"),
            "maxLength",
        )
        .check(move |probe| accepted(probe, search, words(most))),
        case(
            "maximum-counts-code-points",
            format!("{most} characters of several bytes are accepted"),
            "maxLength",
        )
        .check(move |probe| accepted(probe, search, repeat(search.one_of(&LONG_CHARACTERS), most))),
        refused(case(
            "over-maximum-is-rejected",
            format!("A text of {} characters is rejected", most + 1),
            "maxLength",
        ))
        .check(move |probe| refused_as(probe, search, words(most + 1))),
        refused(case(
            "over-maximum-counts-code-points",
            format!("{} long characters are rejected", most + 1),
            "maxLength",
        ))
        .check(move |probe| {
            refused_as(
                probe,
                search,
                repeat(search.one_of(&LONG_CHARACTERS), most + 1),
            )
        }),
        refused(case(
            "repeated-is-rejected",
            "A text that is given twice is rejected".to_owned(),
            "type",
        ))
        .led_by(
            "/info",
            "a parameter that takes one value may be given only once",
        )
        .check(move |probe| repeated(probe, search)),
        refused(case(
            "not-utf-8-is-rejected",
            "What is no text is rejected, not mended".to_owned(),
            "type",
        ))
        .check(move |probe| not_utf8(probe, search)),
        case(
            "encoding-does-not-matter",
            "However it is percent-encoded, it is the same text".to_owned(),
            "type",
        )
        .check(move |probe| encodings(probe, search)),
        case(
            "decoded-once",
            "What decoding twice would make white space is a text".to_owned(),
            "pattern",
        )
        .check(move |probe| decoded_once(probe, search)),
        case(
            "encoded-marks-stay-text",
            "What is encoded in a text is not read as a parameter".to_owned(),
            "type",
        )
        .check(move |probe| marks_stay_text(probe, search)),
    ]
}

/// A text of so many characters, in words.
fn words(length: i64) -> String {
    "cold-chain-"
        .chars()
        .cycle()
        .take(usize::try_from(length).unwrap_or_default())
        .collect()
}

fn repeat(character: char, times: i64) -> String {
    std::iter::repeat_n(character, usize::try_from(times).unwrap_or_default()).collect()
}

/// The search without a text.
fn bare(probe: &Probe, search: Search) -> Call {
    probe.call(&search.operation.id)
}

fn expect_refused(probe: &Probe, search: Search, answer: &Answer) {
    probe
        .expect(answer)
        .refused(422, "validation_failed")
        .fault_at(&["query", &search.subject.name]);
}

async fn missing(probe: Probe, search: Search) -> Outcome {
    expect_refused(&probe, search, &bare(&probe, search).send().await?);
    Ok(())
}

/// Empty, and without even the sign that a value follows.
async fn empty(probe: Probe, search: Search) -> Outcome {
    let name = &search.subject.name;
    for call in [
        bare(&probe, search).query(name, ""),
        bare(&probe, search).raw_query(name),
    ] {
        expect_refused(&probe, search, &call.send().await?);
    }
    Ok(())
}

async fn refused_as(probe: Probe, search: Search, text: String) -> Outcome {
    expect_refused(
        &probe,
        search,
        &search.call_with(&probe, text).send().await?,
    );
    Ok(())
}

async fn accepted(probe: Probe, search: Search, text: String) -> Outcome {
    let answer = search
        .call_with(&probe, text)
        .query("limit", 1)
        .send()
        .await?;
    probe.expect(&answer).status(200);
    Ok(())
}

async fn repeated(probe: Probe, search: Search) -> Outcome {
    let answer = search
        .call(&probe)?
        .query(&search.subject.name, "fish")
        .send()
        .await?;
    expect_refused(&probe, search, &answer);
    Ok(())
}

async fn not_utf8(probe: Probe, search: Search) -> Outcome {
    let query = format!("{}=fish%FF%FE", search.subject.name);
    expect_refused(
        &probe,
        search,
        &bare(&probe, search).raw_query(&query).send().await?,
    );
    Ok(())
}

/// Unreserved characters as they are, every byte encoded, and encoded in lower-case digits.
async fn encodings(probe: Probe, search: Search) -> Outcome {
    let text = "fraîche 魚 & 50% frozen";
    let encoded = |digits: fn(u8) -> String| {
        let value: String = text.bytes().map(digits).collect();
        bare(&probe, search).raw_query(&format!("{}={value}", search.subject.name))
    };
    let usual = probe.ok(search.call_with(&probe, text).send().await?)?;
    let found = |page: &Answer| Value::from(ids(search.finds, results(page)));
    for call in [
        encoded(|byte| format!("%{byte:02X}")),
        encoded(|byte| format!("%{byte:02x}")),
    ] {
        let page = probe.ok(call.send().await?)?;
        let what = "the results of the same text, encoded in another way";
        probe.assert_same(what, &found(&usual), &found(&page), &[&usual, &page]);
    }
    Ok(())
}

/// A plus, and a percent sign before two digits: decoded twice, both are white space, which is no text.
async fn decoded_once(probe: Probe, search: Search) -> Outcome {
    for text in ["+", "%20"] {
        let answer = search
            .call_with(&probe, text)
            .query("limit", 1)
            .send()
            .await?;
        probe.expect(&answer).status(200);
    }
    Ok(())
}

/// A text that is decoded twice would bring a `limit` of its own.
async fn marks_stay_text(probe: Probe, search: Search) -> Outcome {
    let default = search.number("limit", "default");
    for text in ["fish&limit=1", "fish%26limit%3D1"] {
        let page = probe.ok(search.call_with(&probe, text).send().await?)?;
        let expected = total_count(&page).min(default);
        if expected <= 1 {
            return probe.inconclusive("a search that finds more than one record");
        }
        let seen = count(results(&page));
        probe.assert(
            seen == expected,
            "the number of results",
            expected,
            seen,
            &[&page],
        );
    }
    Ok(())
}
