//! The heads: they turn a vector of the model into one that can be compared with records.

use std::path::Path;

use safetensors::{Dtype, SafeTensors};

use super::arithmetic::Linear;
use super::error::{EncoderError, read};
use crate::vector::{DIMENSIONS, Vector};

/// The format of the file. Its metadata hold this name and the digests of the model and of the table that it was fitted
/// to.
const FORMAT: &str = "platform-query-head-1";

/// The part of a record that a search text is compared with. Each has a separate head, because the two kinds of text in
/// records differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Aspect {
    /// What the record is and does.
    Offer,
    /// Whom it serves.
    Customers,
}

/// A matrix for each aspect, with a row for each dimension of the records' vectors.
pub(super) struct Heads {
    offer: Linear,
    customers: Linear,
}

impl Heads {
    /// Reads heads that turn vectors of this width, from a model with this digest, into vectors of a table with this
    /// digest.
    pub(super) fn read(file: &Path, width: usize, model: &str, table: &str) -> Result<Self, EncoderError> {
        let bytes = read(file)?;
        let damaged = |error| EncoderError::damaged(file, error);
        let (_, header) = SafeTensors::read_metadata(&bytes).map_err(damaged)?;
        let stated = |name: &str| header.metadata().as_ref()?.get(name).map(String::as_str);
        if stated("format") != Some(FORMAT) {
            return Err(EncoderError::OtherFormat {
                file: file.to_owned(),
                wanted: FORMAT,
            });
        }
        if stated("model") != Some(model) {
            return Err(EncoderError::OtherModel(file.to_owned()));
        }
        if stated("table") != Some(table) {
            return Err(EncoderError::OtherTable(file.to_owned()));
        }
        let tensors = SafeTensors::deserialize(&bytes).map_err(damaged)?;
        let head = |aspect| matrix(file, &tensors, aspect, width);
        Ok(Self {
            offer: head("offer")?,
            customers: head("customers")?,
        })
    }

    /// The vector of a query.
    pub(super) fn apply(&self, meaning: &[f32], aspect: Aspect) -> Vector {
        let head = match aspect {
            Aspect::Offer => &self.offer,
            Aspect::Customers => &self.customers,
        };
        let mut numbers = [0.0; DIMENSIONS];
        numbers.copy_from_slice(&head.apply(meaning));
        Vector::of_direction(&numbers)
    }
}

/// Reads a matrix from a file, which has rows of int8 and a scale for each.
fn matrix(file: &Path, tensors: &SafeTensors<'_>, name: &str, width: usize) -> Result<Linear, EncoderError> {
    let tensor = |part| {
        let found = tensors.tensor(&format!("{name}.{part}"));
        found.map_err(|error| EncoderError::damaged(file, error))
    };
    let (rows, scales) = (tensor("rows")?, tensor("scales")?);
    if (rows.dtype(), rows.shape()) != (Dtype::I8, &[DIMENSIONS, width])
        || (scales.dtype(), scales.shape()) != (Dtype::F32, &[DIMENSIONS])
    {
        let reason = format!("{name} does not have {DIMENSIONS} rows of {width} int8 with a scale");
        return Err(EncoderError::damaged(file, reason));
    }
    let scales = scales.data().as_chunks().0.iter();
    let scales: Vec<f32> = scales.map(|bytes| f32::from_le_bytes(*bytes)).collect();
    if !scales.iter().all(|scale| scale.is_finite()) {
        let reason = format!("{name} has scales that are not finite");
        return Err(EncoderError::damaged(file, reason));
    }
    let rows = rows.data().chunks_exact(width).zip(scales);
    let weights = rows.flat_map(|(row, scale)| {
        let components = row.iter().map(|byte| f32::from(byte.cast_signed()));
        components.map(move |component| component * scale)
    });
    Ok(Linear::new(weights.collect(), vec![0.0; DIMENSIONS]))
}
