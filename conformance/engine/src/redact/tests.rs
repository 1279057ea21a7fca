use std::time::{Duration, Instant};

use super::*;

const KEY: &str = "S3cr3t/Key+A=<&\"%!x";

fn secrets(key: &str) -> Secrets {
    let secret = Secret::new(key, "KEY");
    Secrets::new([secret], "https://staging.example/platform")
}

#[test]
fn every_form_of_a_secret_is_removed() {
    let secrets = secrets(KEY);
    for form in [
        KEY,
        "s3CR3T/kEY+a=<&\"%!X",
        r#"S3cr3t/Key+A=<&\"%!x"#,
        r"S3cr3t\/Key+A=\u003c\u0026\u0022%!x",
        r"\u0053\u0033\u0063\u0072\u0033\u0074/Key+A=<&\u0022%!x",
        "S3cr3t%2FKey%2BA%3D%3C%26%22%25%21x",
        "S3cr3t%2fKey%2bA%3d%3c%26%22%25%21x",
        "%53%33%63%72%33%74%2f%4b%65%79%2b%41%3d%3c%26%22%25%21%78",
        "S3cr3t/Key+A=&lt;&amp;&quot;%!x",
        "S3cr3t/Key+A=&#60;&#38;&#34;%!x",
        "S3cr3t&#x2F;Key&#x2b;A=&#x3C;&#x26;&#x22;%!x",
        "UzNjcjN0L0tleStBPTwmIiUheA==",
        "UzNjcjN0L0tleStBPTwmIiUheA",
        "dXNlcjpTM2NyM3QvS2V5K0E9PCYiJSF4",
        "dTpTM2NyM3QvS2V5K0E9PCYiJSF4",
        "dXM6UzNjcjN0L0tleStBPTwmIiUheA",
        "5333637233742f4b65792b413d3c262225217 8",
        "5333637233742F4B65792B413D3C262225217 8",
        "53:33:63:72:33:74:2f:4b:65:79",
        "S3cr3t",
        "S3cr3t/Key…",
        "t/Key+A=<&\"%!x",
        "cr3t/Key+A=<",
        "cr3t%2FKey%2BA%3D%3C",
    ] {
        let form = form.replace("7 8", "78");
        for source in [Source::Deployment, Source::Kit] {
            let text = format!("[{form}] (.)");
            let redacted = secrets.redact(&text, source, usize::MAX).0;
            let rest = redacted.replace("$KEY", "").replace('…', "");
            assert_eq!(rest, "[] (.)", "{form}");
        }
    }
}

/// The search rules out most places by three bytes, and by two where the third begins an escape.
#[test]
fn secret_is_removed_if_its_third_character_is_an_escape_or_follows_a_separator() {
    let secrets = secrets("ab/Key-77+longer");
    for form in [
        "ab%2FKey-77%2Blonger",
        "ab\\/Key-77+longer",
        "ab&#47;Key-77+longer",
        "YW\r\nIvS2V5LTc3K2xvbmdlcg==",
        "61:62:2f:4b:65:79:2d:37:37:2b",
    ] {
        assert_eq!(secrets.said(&format!("[{form}]")), "[$KEY]", "{form:?}");
    }
}

/// The kit writes words that a key may contain: without a digit, the middle of a key is only removed from what the
/// deployment sends.
#[test]
fn middle_of_a_key_without_digits_stays_in_texts_of_the_kit() {
    let secrets = secrets("sk-zorblequandary-7");
    let text = "[zorblequanda]";
    assert_eq!(secrets.said(text), "[$KEY]");
    assert_eq!(secrets.written(text), text);
    assert_eq!(secrets.said("[zorblequand]"), "[zorblequand]");
}

#[test]
fn misread_key_is_removed() {
    let secrets = secrets("clé-“zorble”-Straße");
    for misread in [
        "clÃ©-â\u{80}\u{9c}zorbleâ\u{80}\u{9d}-StraÃ\u{9f}e",
        "clÃ©-â€œzorbleâ€\u{9d}-StraÃŸe",
    ] {
        assert_eq!(secrets.said(&format!("[{misread}]")), "[$KEY]");
    }
}

/// The digits after an escaped percent sign belong to the secret, and could be read as one more escape.
#[test]
fn escaped_percent_sign_may_stand_before_digits() {
    let secrets = secrets("sk%Aa-live-51f0%2e");
    for percent in ["%", "%25", "%2525", "%252525"] {
        let text = format!("[sk{percent}Aa-live-51f0{percent}2e]");
        let redacted = secrets.redact(&text, Source::Deployment, usize::MAX).0;
        assert_eq!(redacted, "[$KEY]", "{text}");
    }
}

#[test]
fn only_a_whole_secret_is_found_in_any_form() {
    let secrets = secrets(KEY);
    for form in [
        KEY,
        r"S3cr3t\/Key+A=\u003c\u0026\u0022%!x",
        "S3cr3t%2FKey%2BA%3D%3C%26%22%25%21x",
        "dXNlcjpTM2NyM3QvS2V5K0E9PCYiJSF4",
        "5333637233742f4b65792b413d3c26222521 78",
    ] {
        let form = form.replace("21 78", "2178");
        assert_eq!(secrets.whole_in(&format!("[{form}]")), Some("KEY"), "{form}");
    }
    for part in ["", "S3cr3t", "S3cr3t/Key+A=<&\"%!", "/Key+A=<&\"%!x"] {
        assert_eq!(secrets.whole_in(part), None, "{part}");
    }
}

#[test]
fn secret_that_is_a_common_word_is_not_searched_for() {
    for word in ["secret-1234", "staging.example", "validation_failed"] {
        assert!(!secrets(word).can_be_found(), "{word}");
        assert_eq!(secrets(word).whole_in(word), None);
    }
    assert!(secrets("secret-12345").can_be_found());
}

#[test]
fn short_fragment_of_a_secret_stays() {
    let secrets = secrets(KEY);
    for text in ["S3cr3", "key", "UzNjcj", "5333637233", "a=b&c", "100 %", r"C:\u12"] {
        assert_eq!(secrets.said(text), text);
    }
}

#[test]
fn words_of_the_contract_and_the_base_url_stay() {
    for key in ["platform-abc", "staging-xyz", "organization_8f3a", "x-platform"] {
        let secrets = secrets(key);
        let text = "https://staging.example/platform {\"platform_entity_data_ready\": 1} organizations";
        assert_eq!(secrets.said(text), text, "{key}");
        assert_eq!(secrets.said(&format!("[{key}]")), "[$KEY]");
    }
    let secrets = secrets("banana-8f3a61");
    assert_eq!(secrets.written("a bananatree"), "a bananatree");
    assert_eq!(secrets.written("banana-8"), "$KEY");
    assert_eq!(secrets.said("banana…"), "$KEY…");
}

#[test]
fn short_key_is_removed_where_it_is_a_word_of_its_own() {
    let one = secrets("a");
    assert_eq!(
        one.said("needs a key, that 'a' is: a"),
        "needs a key, that '$KEY' is: $KEY"
    );
    let short = secrets("k3y-1");
    assert_eq!(short.said("is k3y-1, ak3y-1, k3y-12"), "is $KEY, ak3y-1, k3y-12");
    assert_eq!(short.said("%22k3y%2D1%22 azN5LTE= 6b33792d31"), "%22$KEY%22 $KEY= $KEY");
}

#[test]
fn redaction_is_idempotent() {
    let secrets = Secrets::new([Secret::new("key_abcdef", "KEY_ABCDEF")], "http://host");
    let once = secrets.said("the key_abcdef is wrong");
    assert_eq!(once, "the $KEY_ABCDEF is wrong");
    assert_eq!(secrets.written(&once), once);
}

#[test]
fn longest_matching_secret_is_named() {
    let secrets = Secrets::new(
        [Secret::new("dev-read", "SHORT"), Secret::new("dev-read-only", "LONG")],
        "http://host",
    );
    assert_eq!(secrets.said("dev-read dev-read-only"), "$SHORT $LONG");
}

#[test]
fn scheme_is_not_a_secret() {
    let secrets = Secrets::new(
        [
            Secret::new("Bearer abcdefgh", "TOKEN"),
            Secret::new("Basic dXNlcjpwYXNzd29yZC0x", "LOGIN"),
        ],
        "http://host",
    );
    assert_eq!(
        secrets.said("Bearer abcdefgh, user:password-1, password-1, Basic dXNlcjpwYXNzd29yZC0x"),
        "Bearer $TOKEN, $LOGIN, $LOGIN, Basic $LOGIN"
    );
}

#[test]
fn cut_text_shows_no_part_of_a_secret() {
    let secrets = secrets(KEY);
    let forms = [
        KEY,
        "S3cr3t%2FKey%2BA%3D%3C%26%22%25%21x",
        "dXNlcjpTM2NyM3QvS2V5K0E9PCYiJSF4",
    ];
    for form in forms {
        for before in SHOWN - 60..=SHOWN + 1 {
            let text = format!("{}{form}{}", ".".repeat(before), ".".repeat(199));
            let shown = secrets.excerpt(&text);
            let (rest, count) = shown.split_once('…').unwrap();
            assert_eq!(count, format!(" ({} characters in all)", text.len()), "{before}");
            let rest = rest.replace("$KEY", "").replace('.', "");
            // The user name is not a secret.
            assert!("dXNlcjp".starts_with(&rest), "{before}: {rest}");
        }
    }
}

#[test]
fn excerpt_within_a_text_keeps_the_length_of_the_whole() {
    let secrets = secrets(KEY);
    for before in [0, SHOWN - 1] {
        let body = format!("{}{KEY}{}", ".".repeat(before), ".".repeat(27_000));
        let shown = format!("200 {}", secrets.excerpt(&body));
        let length = format!("… ({} characters in all)", body.len());
        assert!(shown.ends_with(&length), "{shown}");
        assert_eq!(secrets.excerpt(&shown), shown);
    }
}

#[test]
fn redaction_takes_linear_time() {
    let secrets = Secrets::new([Secret::new("a".repeat(63) + "b", "KEY")], "http://host");
    for part in ["a", "%61", "\\", "%25", "&#97;", "YWFh", "\\u0061"] {
        let text = part.repeat(20_000 / part.len());
        let start = Instant::now();
        let redacted = secrets.said(&text);
        assert!(redacted.len() <= text.len());
        // It takes a fraction of a second; quadratic search would take many minutes.
        assert!(start.elapsed() < Duration::from_secs(60), "{part}");
    }
}
