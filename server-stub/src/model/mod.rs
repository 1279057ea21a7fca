//! What the service knows and by which rules it goes, as plain data and functions.
//!
//! Nothing in here waits, reads the time, keeps state or knows of HTTP. What a text means comes as a
//! [`vector`], and from elsewhere.

mod action;
pub mod column;
pub mod condition;
pub mod field;
pub mod filter;
pub mod ids;
pub mod item;
pub mod organization;
pub mod pipeline;
pub mod policy;
pub mod process;
pub mod product;
pub mod question;
pub mod refusal;
pub mod rendering;
pub mod rule;
pub mod search;
pub mod seconds;
pub mod sort;
pub mod store_error;
pub mod value;
pub mod vector;
