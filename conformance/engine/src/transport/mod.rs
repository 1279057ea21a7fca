//! How requests get to a deployment and responses come back: what is sent, what it may cost, and what prevented it.

pub mod attempt;
pub mod body;
pub mod budget;
pub mod client;
pub(crate) mod departure;
pub mod durations;
pub mod failed;
pub mod hanging;
pub mod limits;
mod pacer;
pub mod rate;
pub mod raw;
pub mod request;
pub mod response;
mod straight;
pub mod trouble;
mod wire;
