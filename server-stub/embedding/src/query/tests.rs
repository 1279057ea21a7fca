//! The query encoder compared with a reference in Python, and tested on directories that it must reject.
//!
//! The model is tiny and random; `scripts/write_tiny_model.py` writes it together with the reference's results for some
//! texts.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;

#[derive(Deserialize)]
struct Expected {
    text: String,
    tokens: Vec<usize>,
    meaning: Vec<f32>,
    /// The first components of the vectors.
    offer: Vec<i8>,
    customers: Vec<i8>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/tiny-model")
}

fn tiny() -> QueryEncoder {
    QueryEncoder::open(&folder()).unwrap()
}

fn expected() -> Vec<Expected> {
    let text = fs::read_to_string(folder().join("expected.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn tokens_and_vectors_are_those_of_the_reference() {
    let encoder = tiny();
    let all = expected();
    assert!(all.len() >= 10 && all.iter().any(|it| it.tokens.len() > 44));
    for Expected {
        text,
        tokens,
        meaning,
        offer,
        customers,
    } in all
    {
        assert_eq!(encoder.model.tokenizer.tokens(&text), tokens, "{text}");
        let found = encoder.meaning(&text).unwrap();
        let apart = found.iter().zip(&meaning).map(|(a, b)| (a - b).abs());
        let apart = apart.fold(0.0, f32::max);
        assert!(apart < 5e-6, "{text}: {apart:e}");
        for (aspect, vector) in [(Aspect::Offer, offer), (Aspect::Customers, customers)] {
            let found = encoder.embed(&text, aspect);
            let components = found.as_bytes().iter().map(|byte| byte.cast_signed());
            let apart = components.zip(vector).map(|(a, b)| a.abs_diff(b)).max();
            assert!(apart.is_some_and(|apart| apart <= 1), "{text}: {apart:?}");
        }
    }
}

#[test]
fn same_text_always_has_the_same_vector() {
    let (one, other) = (tiny(), tiny());
    for Expected { text, .. } in expected() {
        assert_eq!(
            one.embed(&text, Aspect::Offer),
            one.embed(&text, Aspect::Offer),
            "{text}"
        );
        assert_eq!(
            one.embed(&text, Aspect::Offer),
            other.embed(&text, Aspect::Offer),
            "{text}"
        );
    }
}

#[test]
fn word_order_and_every_part_of_a_long_text_count() {
    let encoder = tiny();
    let order = ["pumps for breweries", "breweries for pumps"];
    assert_ne!(
        encoder.embed(order[0], Aspect::Offer),
        encoder.embed(order[1], Aspect::Offer)
    );
    let long = |word: &str| format!("{} {word}", "pump for company ".repeat(200));
    assert_ne!(
        encoder.embed(&long("brew"), Aspect::Offer),
        encoder.embed(&long("cafe"), Aspect::Offer)
    );
}

#[test]
fn texts_without_a_known_word_are_all_zero() {
    let encoder = tiny();
    for text in ["", " \n", "\u{1F9FF}", "\u{1F9FF} ÷", &"x".repeat(101)] {
        assert_eq!(
            encoder.embed(text, Aspect::Offer),
            Vector::new([0; DIMENSIONS]),
            "{text}"
        );
    }
}

/// A copy of the tiny model with one file changed.
fn changed(file: &str, change: impl FnOnce(&Path)) -> TempDir {
    let copy = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(folder()).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    change(&copy.path().join(file));
    copy
}

/// The error when one file of the tiny model has been changed. Its message must name the file.
fn rejection(file: &str, change: impl FnOnce(&Path)) -> String {
    let copy = changed(file, change);
    let error = QueryEncoder::open(copy.path()).unwrap_err();
    let text = error.to_string();
    let path = copy.path().join(file).display().to_string();
    assert!(text.contains(&path), "{text}");
    text.replace(&path, file)
}

/// Changes a member of a JSON file, named by a pointer.
fn with(pointer: &str, value: Value) -> impl FnOnce(&Path) {
    move |file| {
        let mut document: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
        *document.pointer_mut(pointer).unwrap() = value;
        fs::write(file, document.to_string()).unwrap();
    }
}

/// Truncates a file.
fn cut(file: &Path) {
    let bytes = fs::read(file).unwrap();
    fs::write(file, &bytes[..bytes.len() * 2 / 3]).unwrap();
}

/// Replaces a text in a binary file with another of the same length.
fn replaced(old: &str, new: &str) -> impl FnOnce(&Path) {
    assert_eq!(old.len(), new.len());
    move |file| {
        let mut bytes = fs::read(file).unwrap();
        let mut windows = bytes.windows(old.len());
        let at = windows.position(|window| window == old.as_bytes()).unwrap();
        bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
        fs::write(file, bytes).unwrap();
    }
}

#[test]
fn missing_or_torn_file_is_rejected_with_what_to_do() {
    for file in ["config.json", "tokenizer.json", "model.safetensors", "head.safetensors"] {
        let missing = rejection(file, |path| fs::remove_file(path).unwrap());
        assert!(missing.starts_with("cannot read "), "{missing}");
        assert!(missing.contains("a query encoder is a directory with"), "{missing}");
        for torn in [
            rejection(file, cut),
            rejection(file, |path| fs::write(path, "").unwrap()),
        ] {
            assert!(torn.starts_with(&format!("{file} is damaged (")), "{torn}");
            assert!(torn.ends_with("; copy it again from where it came from"), "{torn}");
        }
    }
}

#[test]
fn model_of_another_kind_is_rejected_with_the_difference() {
    for (file, pointer, value, reason) in [
        (
            "config.json",
            "/model_type",
            json!("roberta"),
            r#"model_type is "roberta""#,
        ),
        ("config.json", "/hidden_act", json!("relu"), r#"hidden_act is "relu""#),
        (
            "config.json",
            "/position_embedding_type",
            json!("relative_key"),
            "instead of \"absolute\"",
        ),
        ("config.json", "/num_hidden_layers", json!(0), "num_hidden_layers is 0"),
        ("config.json", "/num_attention_heads", json!(5), "not a multiple"),
        (
            "config.json",
            "/max_position_embeddings",
            json!(2),
            "max_position_embeddings is 2",
        ),
        (
            "config.json",
            "/hidden_size",
            json!(1_099_511_627_776u64),
            "hidden_size is 1099511627776",
        ),
        ("config.json", "/layer_norm_eps", json!(-1.0), "layer_norm_eps is -1"),
        (
            "tokenizer.json",
            "/normalizer/lowercase",
            json!(false),
            "BERT's uncased models",
        ),
        (
            "tokenizer.json",
            "/normalizer/strip_accents",
            json!(false),
            "BERT's uncased models",
        ),
        ("tokenizer.json", "/model/type", json!("BPE"), "BERT's uncased models"),
    ] {
        let text = rejection(file, with(pointer, value));
        assert!(text.contains(reason), "{text}");
        assert!(text.ends_with("use the files of all-MiniLM-L6-v2"), "{text}");
    }
    let more_layers = changed("config.json", with("/num_hidden_layers", json!(3)));
    let error = QueryEncoder::open(more_layers.path()).unwrap_err();
    assert!(error.to_string().contains("encoder.layer.2."), "{error}");
    let wider = changed("config.json", with("/hidden_size", json!(64)));
    let error = QueryEncoder::open(wider.path()).unwrap_err();
    assert!(error.to_string().contains("instead of F32 [24, 64]"), "{error}");
}

#[test]
fn broken_vocabulary_is_rejected() {
    for (pointer, value, reason) in [
        ("/model/vocab/pump", json!(5000), "it lacks a token"),
        ("/model/vocab/pump", json!(1), "two pieces have the same token"),
        ("/model/unk_token", json!("[NONE]"), "it has no token [NONE]"),
    ] {
        let text = rejection("tokenizer.json", with(pointer, value));
        assert!(text.contains(reason), "{text}");
    }
}

#[test]
fn heads_serve_only_the_model_and_the_table_that_they_were_fitted_to() {
    let file = "head.safetensors";
    let text = rejection(file, replaced("query-head-1", "query-head-2"));
    assert!(
        text.contains("does not have the format platform-query-head-1"),
        "{text}"
    );
    let table = Digest::new().add(TOKENS).add(PHRASES).text();
    let text = rejection(file, replaced(&table, &"0".repeat(16)));
    assert!(text.contains("another version of this server; copy "), "{text}");
    let head = |change: Box<dyn FnOnce(&Path)>, other: &str| {
        let copy = changed(other, change);
        QueryEncoder::open(copy.path()).unwrap_err()
    };
    // The last byte of the weights, and two words of the vocabulary.
    let flip = |path: &Path| {
        let mut bytes = fs::read(path).unwrap();
        let last = bytes.len() - 4;
        bytes[last] ^= 1;
        fs::write(path, bytes).unwrap();
    };
    let swap = |path: &Path| {
        let mut document: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let vocabulary = document["model"]["vocab"].as_object_mut().unwrap();
        let (pump, company) = (vocabulary["pump"].clone(), vocabulary["company"].clone());
        vocabulary.insert("pump".to_owned(), company);
        vocabulary.insert("company".to_owned(), pump);
        fs::write(path, document.to_string()).unwrap();
    };
    for error in [
        head(Box::new(flip), "model.safetensors"),
        head(Box::new(swap), "tokenizer.json"),
    ] {
        assert!(matches!(error, EncoderError::OtherModel(_)), "{error}");
        assert!(error.to_string().contains("copy the model again"));
    }
    // A foreign safetensors file, and one of the right format with a wrong shape.
    let text = rejection(file, |path| {
        fs::copy(folder().join("model.safetensors"), path).unwrap();
    });
    assert!(text.contains("does not have the format"), "{text}");
    let text = rejection(file, replaced("[256, 32]", "[128, 64]"));
    assert!(text.contains("256 rows of 32 int8"), "{text}");
}

#[test]
fn weights_that_are_not_numbers_are_rejected() {
    let text = rejection("model.safetensors", |path| {
        let mut bytes = fs::read(path).unwrap();
        let last = bytes.len() - 4;
        bytes[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        fs::write(path, bytes).unwrap();
    });
    assert!(text.contains("is damaged ("), "{text}");
}
