//! Reads a model from the published files of all-MiniLM-L6-v2.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use safetensors::{Dtype, SafeTensors};
use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::arithmetic::{Linear, Normalization};
use super::digest::Digest;
use super::error::{EncoderError, read};
use super::transformer::{Layer, Transformer};
use crate::wordpiece::{LONGEST_WORD, WordPiece};

/// Upper limit for each size of a model. Any larger model would be too slow to answer while a client waits. The limit
/// keeps products of sizes far below the largest number.
const LARGEST_SIZE: usize = 1 << 20;

/// A model with its tokenizer.
pub(super) struct Model {
    pub(super) tokenizer: WordPiece,
    /// The token of a word outside the vocabulary.
    pub(super) unknown: usize,
    pub(super) transformer: Transformer,
    /// Identifies the weights and the vocabulary.
    pub(super) digest: String,
}

/// The relevant parts of `config.json`.
#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_act: String,
    #[serde(default = "absolute")]
    position_embedding_type: String,
    hidden_size: usize,
    intermediate_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    max_position_embeddings: usize,
    layer_norm_eps: f64,
}

fn absolute() -> String {
    "absolute".to_owned()
}

/// The relevant parts of `tokenizer.json`.
#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Normalizer,
    model: WordPieceModel,
}

#[derive(Deserialize)]
struct Normalizer {
    #[serde(rename = "type")]
    kind: String,
    lowercase: bool,
    strip_accents: Option<bool>,
    clean_text: bool,
    handle_chinese_chars: bool,
}

#[derive(Deserialize)]
struct WordPieceModel {
    #[serde(rename = "type")]
    kind: String,
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
    vocab: HashMap<String, usize>,
}

impl Model {
    /// Reads a model from a directory.
    pub(super) fn read(directory: &Path) -> Result<Self, EncoderError> {
        let config: Config = read_json(&directory.join("config.json"))?;
        config.check(&directory.join("config.json"))?;
        let file = directory.join("tokenizer.json");
        let tokenizer: TokenizerFile = read_json(&file)?;
        let pieces = tokenizer.pieces(&file)?;
        let token = |piece: &str| {
            let token = tokenizer.model.vocab.get(piece).copied();
            token.ok_or_else(|| EncoderError::damaged(&file, format!("it has no token {piece}")))
        };
        let (first, last) = (token("[CLS]")?, token("[SEP]")?);
        let unknown = token(&tokenizer.model.unk_token)?;
        let vocabulary = pieces.join("\n");

        let file = directory.join("model.safetensors");
        let bytes = read(&file)?;
        let weights = Weights::new(&file, &bytes)?;
        let transformer = weights.transformer(&config, pieces.len(), first, last)?;
        let pieces = pieces.into_iter().map(|piece| Cow::Owned(piece.to_owned()));
        Ok(Self {
            tokenizer: WordPiece::of_pieces(pieces).with_unknown(unknown),
            unknown,
            transformer,
            digest: Digest::new().add(&bytes).add(vocabulary.as_bytes()).text(),
        })
    }
}

fn read_json<T: DeserializeOwned>(file: &Path) -> Result<T, EncoderError> {
    serde_json::from_slice(&read(file)?).map_err(|error| EncoderError::damaged(file, error))
}

impl Config {
    fn check(&self, file: &Path) -> Result<(), EncoderError> {
        for (name, found, wanted) in [
            ("model_type", &self.model_type, "bert"),
            ("hidden_act", &self.hidden_act, "gelu"),
            ("position_embedding_type", &self.position_embedding_type, "absolute"),
        ] {
            if found != wanted {
                let reason = format!("{name} is {found:?} instead of {wanted:?}");
                return Err(EncoderError::other_kind(file, reason));
            }
        }
        for (name, size, least) in [
            ("hidden_size", self.hidden_size, 1),
            ("intermediate_size", self.intermediate_size, 1),
            ("num_hidden_layers", self.num_hidden_layers, 1),
            ("num_attention_heads", self.num_attention_heads, 1),
            ("max_position_embeddings", self.max_position_embeddings, 3),
        ] {
            if !(least..=LARGEST_SIZE).contains(&size) {
                let reason = format!("{name} is {size}");
                return Err(EncoderError::other_kind(file, reason));
            }
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            let reason = "hidden_size is not a multiple of num_attention_heads";
            return Err(EncoderError::other_kind(file, reason));
        }
        if !(0.0..1.0).contains(&self.layer_norm_eps) {
            let reason = format!("layer_norm_eps is {}", self.layer_norm_eps);
            return Err(EncoderError::other_kind(file, reason));
        }
        Ok(())
    }
}

impl TokenizerFile {
    /// The pieces of the vocabulary in the order of their tokens; an error unless this is the tokenizer of BERT's
    /// uncased models.
    fn pieces(&self, file: &Path) -> Result<Vec<&str>, EncoderError> {
        let Self { normalizer, model } = self;
        let uncased = normalizer.kind == "BertNormalizer"
            && normalizer.lowercase
            && normalizer.strip_accents != Some(false)
            && normalizer.clean_text
            && normalizer.handle_chinese_chars;
        let word_piece = model.kind == "WordPiece"
            && model.continuing_subword_prefix == "##"
            && model.max_input_chars_per_word == LONGEST_WORD;
        if !uncased || !word_piece {
            let reason = "its tokenizer is not that of BERT's uncased models";
            return Err(EncoderError::other_kind(file, reason));
        }
        let mut pieces = vec![None; model.vocab.len()];
        for (piece, token) in &model.vocab {
            let place = pieces.get_mut(*token);
            let place = place.ok_or_else(|| EncoderError::damaged(file, "it lacks a token"))?;
            *place = Some(piece.as_str());
        }
        let pieces: Option<Vec<_>> = pieces.into_iter().collect();
        pieces.ok_or_else(|| EncoderError::damaged(file, "two pieces have the same token"))
    }
}

/// The tensors of a file.
struct Weights<'a> {
    file: PathBuf,
    tensors: SafeTensors<'a>,
}

impl<'a> Weights<'a> {
    fn new(file: &Path, bytes: &'a [u8]) -> Result<Self, EncoderError> {
        let tensors = SafeTensors::deserialize(bytes);
        let tensors = tensors.map_err(|error| EncoderError::damaged(file, error))?;
        let file = file.to_owned();
        Ok(Self { file, tensors })
    }

    fn transformer(
        &self,
        config: &Config,
        vocabulary: usize,
        first: usize,
        last: usize,
    ) -> Result<Transformer, EncoderError> {
        let width = config.hidden_size;
        let mut positions = self.tensor(
            "embeddings.position_embeddings.weight",
            &[config.max_position_embeddings, width],
        )?;
        // Every text is one segment, the first of two.
        let segments = self.tensor("embeddings.token_type_embeddings.weight", &[2, width])?;
        for position in positions.chunks_exact_mut(width) {
            for (x, segment) in position.iter_mut().zip(&segments) {
                *x += segment;
            }
        }
        let layers = 0..config.num_hidden_layers;
        Ok(Transformer {
            width,
            heads: config.num_attention_heads,
            words: self.tensor("embeddings.word_embeddings.weight", &[vocabulary, width])?,
            positions,
            normalization: self.normalization("embeddings.LayerNorm", config)?,
            layers: layers
                .map(|number| self.layer(&format!("encoder.layer.{number}"), config))
                .collect::<Result<_, _>>()?,
            first,
            last,
        })
    }

    fn layer(&self, name: &str, config: &Config) -> Result<Layer, EncoderError> {
        let (width, wide) = (config.hidden_size, config.intermediate_size);
        let linear = |part, outputs, inputs| self.linear(&format!("{name}.{part}"), outputs, inputs);
        let normalization = |part| self.normalization(&format!("{name}.{part}"), config);
        Ok(Layer {
            queries: linear("attention.self.query", width, width)?,
            keys: linear("attention.self.key", width, width)?,
            values: linear("attention.self.value", width, width)?,
            attended: linear("attention.output.dense", width, width)?,
            after_attention: normalization("attention.output.LayerNorm")?,
            wide: linear("intermediate.dense", wide, width)?,
            narrow: linear("output.dense", width, wide)?,
            after_all: normalization("output.LayerNorm")?,
        })
    }

    fn linear(&self, name: &str, outputs: usize, inputs: usize) -> Result<Linear, EncoderError> {
        let weights = self.tensor(&format!("{name}.weight"), &[outputs, inputs])?;
        let bias = self.tensor(&format!("{name}.bias"), &[outputs])?;
        Ok(Linear::new(weights, bias))
    }

    fn normalization(&self, name: &str, config: &Config) -> Result<Normalization, EncoderError> {
        let scale = self.tensor(&format!("{name}.weight"), &[config.hidden_size])?;
        let offset = self.tensor(&format!("{name}.bias"), &[config.hidden_size])?;
        Ok(Normalization::new(scale, offset, config.layer_norm_eps))
    }

    /// The numbers of a tensor, which must have this shape.
    fn tensor(&self, name: &str, shape: &[usize]) -> Result<Vec<f32>, EncoderError> {
        let tensor = self.tensors.tensor(name);
        let tensor = tensor.map_err(|error| EncoderError::damaged(&self.file, error))?;
        if tensor.dtype() != Dtype::F32 || tensor.shape() != shape {
            let reason = format!(
                "{name} is {} {:?} instead of F32 {shape:?}",
                tensor.dtype(),
                tensor.shape()
            );
            return Err(EncoderError::other_kind(&self.file, reason));
        }
        let numbers = tensor.data().as_chunks().0.iter();
        let numbers: Vec<f32> = numbers.map(|bytes| f32::from_le_bytes(*bytes)).collect();
        if numbers.iter().all(|x| x.is_finite()) {
            Ok(numbers)
        } else {
            let reason = format!("{name} holds numbers that are infinite or none");
            Err(EncoderError::damaged(&self.file, reason))
        }
    }
}
