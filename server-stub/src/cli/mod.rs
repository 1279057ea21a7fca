//! The parts of the command line.

pub(crate) mod admin;
pub(crate) mod check_health;
pub(crate) mod limits;
pub(crate) mod log;
pub(crate) mod quota;
pub(crate) mod store;
pub(crate) mod tls;
