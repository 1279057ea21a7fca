//! The cases about the service as a whole: keys, quotas, headers, methods, and any input to any operation. The files
//! are named after the groups.

pub mod auth;
pub mod cross;
pub mod header;
pub mod http;
pub mod law;
pub mod operation;
mod quota;
pub mod rate_limit;
pub mod schema;
