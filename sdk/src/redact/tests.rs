//! Independent decoders do not find a secret in redacted text, however the server encoded it.

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::percent_decode_str;
use proptest::prelude::*;
use reqwest::{Method, Request, Url};
use serde_json::{Value, json};

use super::{HIDDEN, Redactor};

/// Encoding of a character.
#[derive(Debug, Clone, Copy)]
enum Form {
    Plain,
    OtherCase,
    Json,
    Unicode { upper: bool },
    Url { upper: bool },
    UrlTwice,
    HtmlDecimal { ends: bool },
    HtmlHex { upper: bool },
    HtmlNamed,
    HtmlTwice,
}

fn form() -> impl Strategy<Value = Form> {
    let upper = || any::<bool>();
    prop_oneof![
        Just(Form::Plain),
        Just(Form::OtherCase),
        Just(Form::Json),
        upper().prop_map(|upper| Form::Unicode { upper }),
        upper().prop_map(|upper| Form::Url { upper }),
        Just(Form::UrlTwice),
        upper().prop_map(|ends| Form::HtmlDecimal { ends }),
        upper().prop_map(|upper| Form::HtmlHex { upper }),
        Just(Form::HtmlNamed),
        Just(Form::HtmlTwice),
    ]
}

impl Form {
    fn write(self, c: char) -> String {
        let code = u32::from(c);
        let cased = |text: String, upper| if upper { text.to_uppercase() } else { text };
        let bytes = || c.to_string().into_bytes();
        match self {
            Self::Plain => c.to_string(),
            Self::OtherCase if c.is_lowercase() => single(c, c.to_uppercase()),
            Self::OtherCase => single(c, c.to_lowercase()),
            Self::Json => {
                let quoted = json!(c.to_string()).to_string();
                quoted[1..quoted.len() - 1].to_owned()
            }
            Self::Unicode { upper } => {
                let mut units = [0; 2];
                let units = c.encode_utf16(&mut units).iter();
                units
                    .map(|unit| format!("\\u{}", cased(format!("{unit:04x}"), upper)))
                    .collect()
            }
            Self::Url { upper } => {
                let bytes = bytes();
                let bytes = bytes.iter();
                bytes
                    .map(|byte| format!("%{}", cased(format!("{byte:02x}"), upper)))
                    .collect()
            }
            Self::UrlTwice => Self::Url { upper: true }.write(c).replace('%', "%25"),
            Self::HtmlDecimal { ends } => format!("&#{code}{}", if ends { ";" } else { "" }),
            Self::HtmlHex { upper } => format!("&#x{};", cased(format!("{code:x}"), upper)),
            Self::HtmlNamed => html_escape::encode_quoted_attribute(&c.to_string()).into_owned(),
            Self::HtmlTwice => format!("&amp;#{code};"),
        }
    }
}

fn write(text: &str, forms: &[Form]) -> String {
    let mut written = String::new();
    let mut is_open = false;
    for (c, form) in text.chars().zip(forms) {
        let next = form.write(c);
        if is_open && next.starts_with(|c: char| c.is_ascii_digit() || c == ';') {
            // Without the semicolon, the reference would be to another character.
            written.push(';');
        }
        written.push_str(&next);
        is_open = matches!(form, Form::HtmlDecimal { ends: false });
    }
    written
}

/// Returns the character in the other case, if it is a single character that maps back.
fn single(c: char, mut other: impl Iterator<Item = char>) -> String {
    match (other.next(), other.next()) {
        (Some(other), None) if other.to_lowercase().eq(c.to_lowercase()) => other.to_string(),
        _ => c.to_string(),
    }
}

/// Decodes the text in all ways used here, one after the other.
fn read(text: &str) -> Vec<String> {
    let url = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    let html = |text: &str| {
        // Unlike browsers, the decoder requires a semicolon.
        let mut closed = String::new();
        let mut rest = text;
        while let Some(at) = rest.find("&#") {
            let (before, reference) = rest.split_at(at + 2);
            let digits = reference.bytes().take_while(u8::is_ascii_digit).count();
            closed.push_str(before);
            closed.push_str(&reference[..digits]);
            if digits > 0 && !reference[digits..].starts_with(';') {
                closed.push(';');
            }
            rest = &reference[digits..];
        }
        closed.push_str(rest);
        html_escape::decode_html_entities(&closed).into_owned()
    };
    let unescaped = |text: &str| {
        let quoted = format!("\"{}\"", text.replace('"', "\\\"").replace("\\\\\"", "\\\""));
        serde_json::from_str::<String>(&quoted).unwrap_or_default()
    };
    let once = url(&html(text));
    let twice = url(&html(&once));
    vec![text.to_owned(), unescaped(&twice), unescaped(&once), twice, once]
}

fn betrays(text: &str, secret: &str, least: usize) -> bool {
    let prefix: String = secret.chars().take(least).collect();
    let prefix = prefix.to_lowercase();
    read(text).iter().any(|text| text.to_lowercase().contains(&prefix))
}

fn key() -> impl Strategy<Value = String> {
    "[!-~]{1,48}"
}

fn search(text: &str) -> Request {
    let mut url = Url::parse("http://127.0.0.1/search").unwrap();
    url.query_pairs_mut().append_pair("description", text);
    Request::new(Method::GET, url)
}

/// Digits after an escaped percent sign belong to the secret, but could be read as another escape.
#[test]
fn an_escaped_percent_sign_may_stand_before_digits() {
    for percent in ["%", "%25", "%2525", "%252525"] {
        let key = format!("sk{percent}Aa-live-51f0");
        let shown = Redactor::of(["sk%Aa-live-51f0"], None).text(&format!("'{key}' is unknown"));
        assert_eq!(shown, format!("'{HIDDEN}' is unknown"));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn key_is_hidden_in_every_mixture_of_spellings(
        key in key(),
        forms in proptest::collection::vec(form(), 48),
        before in "[g-z ]{0,12}",
        after in "( [g-z ]{0,12})?",
        end in 0_usize..48,
    ) {
        let end = end.clamp(key.len().min(6), key.len());
        let written = write(&key[..end], &forms);
        let shown = Redactor::of([key.as_str()], None).text(&format!("{before}{written}{after}"));
        prop_assert!(shown.contains(HIDDEN), "{} in {}", written, shown);
        let least = key.len().min(6);
        prop_assume!(!betrays(&format!("{before}{after}"), &key, least));
        prop_assert!(!betrays(&shown.replace(HIDDEN, "\u{1}"), &key, least), "{}", shown);
    }

    #[test]
    fn search_text_is_hidden_in_every_mixture_of_spellings(
        text in "[a-zA-Zéøß東🐟&%+\"<>\\\\ ]{8,60}",
        forms in proptest::collection::vec(form(), 60),
    ) {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        prop_assume!(text.chars().count() >= 8);
        let written = write(&text, &forms);
        let shown = Redactor::of(["key-of-somebody"], Some(&search(&text))).text(&format!("'{written}' is long"));
        prop_assert_eq!(shown, format!("'{HIDDEN}' is long"), "{}", written);
    }

    #[test]
    fn key_is_hidden_in_base64_at_any_place(
        key in key(),
        user in proptest::collection::vec(any::<u8>(), 0..8),
        rest in proptest::collection::vec(any::<u8>(), 0..8),
        engine in 0_usize..4,
    ) {
        // A secret of fewer than three bytes determines few or no characters.
        prop_assume!(key.len() >= 3);
        let bytes = [&user[..], key.as_bytes(), &rest].concat();
        let encoded = match engine {
            0 => STANDARD.encode(bytes),
            1 => STANDARD_NO_PAD.encode(bytes),
            2 => URL_SAFE.encode(bytes),
            _ => URL_SAFE_NO_PAD.encode(bytes),
        };
        let shown = Redactor::of([key.as_str()], None).text(&format!("Basic {encoded} refused"));
        prop_assert_eq!(&shown, &format!("Basic {HIDDEN} refused"), "{}", encoded);
    }

    #[test]
    fn key_is_hidden_in_hexadecimal(key in key(), upper: bool, end in 0_usize..48) {
        let end = end.clamp(key.len().min(6), key.len());
        let hex: String = key[..end].bytes().map(|byte| format!("{byte:02x}")).collect();
        let hex = if upper { hex.to_uppercase() } else { hex };
        // The text before must not be read as part of it.
        let shown = Redactor::of([key.as_str()], None).text(&format!("_{hex}."));
        prop_assert!(shown.contains(HIDDEN) && !shown.contains(&hex), "{} {}", hex, shown);
    }

    #[test]
    fn text_that_repeats_nothing_stays_as_it_is(
        key in "[A-F]{6,20}",
        text in "[ g-z.,:;'`éß東🐟%&+\\\\#=-]{0,200}",
    ) {
        prop_assert_eq!(Redactor::of([key.as_str()], None).text(&text), text);
    }

    #[test]
    fn no_text_makes_it_panic(key in key(), text in "(%|&|;|#|x|\\\\|u|\\{|\\}|2|5|a|m|p|é|🐟|[!-~])*") {
        let _ = Redactor::of([key.as_str()], Some(&search(&text))).text(&text);
    }
}

#[test]
fn ordinary_words_are_left_in_messages() {
    for (text, message) in [
        ("limit", "`limit` is at most 100"),
        ("organization that sells fish", "organization 7 is not in the pipeline"),
        ("is a the in to of", "pipeline 7 is not open to the key"),
    ] {
        let redactor = Redactor::of(["key-of-somebody"], Some(&search(text)));
        assert_eq!(redactor.text(message), message);
    }
    let redactor = Redactor::of(["key-of-somebody"], Some(&search("keeps fresh fish  cold")));
    assert_eq!(
        redactor.text("'Keeps fresh  fish cold' and 'keeps fresh fish…' and 'keeps fresh'"),
        format!("'{HIDDEN}' and '{HIDDEN}…' and 'keeps fresh'")
    );
}

#[test]
fn names_and_numbers_of_json_are_searched_too() {
    let redactor = Redactor::of(["12345678"], None);
    let value = json!({"12345678": [12_345_678, 1234, "x-12345678"], "status": 400});
    let shown = redactor.json(value);
    let expected: Value = json!({HIDDEN: [HIDDEN, 1234, format!("x-{HIDDEN}")], "status": 400});
    assert_eq!(shown, expected);
}

#[test]
fn long_text_takes_no_longer_than_it_has_to() {
    // Nearly matches the key everywhere.
    let redactor = Redactor::of(["a".repeat(60).as_str()], Some(&search(&"fish ".repeat(400))));
    let text = "aaaaafish fish fish %61%61\\u0061".repeat(2000);
    let began = std::time::Instant::now();
    let _ = redactor.text(&text);
    assert!(began.elapsed() < std::time::Duration::from_secs(20));
}
