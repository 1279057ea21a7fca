//! The service's data and rules, as plain data and functions.
//!
//! Nothing here waits, reads the time, keeps state or depends on HTTP. The meanings of texts come from outside as
//! [vectors](platform_embedding::Vector).

mod action;
pub mod column;
pub mod condition;
pub mod field;
pub mod filter;
pub mod ids;
pub mod item;
pub mod organization;
pub mod pipeline;
pub mod planned;
pub mod policy;
pub mod process;
pub mod product;
pub mod question;
pub mod rejection;
pub mod rendering;
pub mod rule;
pub mod search;
pub mod seconds;
pub mod sort;
pub mod store_error;
pub mod value;
pub mod values;
