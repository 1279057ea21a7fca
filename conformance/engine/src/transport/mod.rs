//! How requests get to a deployment and answers come back: what is sent, what it may cost, and what stood in the way.

pub mod account;
pub mod body;
pub mod client;
pub mod request;
pub mod trouble;
