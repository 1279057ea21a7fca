//! The parts of the command line.

pub(crate) mod limits;
pub(crate) mod log;
pub(crate) mod quota;
