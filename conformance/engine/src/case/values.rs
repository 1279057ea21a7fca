//! Values that cases share.

use std::collections::BTreeSet;

use platform_contract::{Contract, Operation};

use crate::case::exchange::QueryFault;

/// The sentence on how an integer is written in a path or a query.
pub const WRITTEN_AS_IN_JSON: &str =
    "An integer is written as in JSON, with neither a fraction nor an exponent: +1, 1.0 and 1e2 are malformed.";
/// Texts that are not whole numbers.
pub const NOT_INTEGERS: [&str; 13] = [
    "ten",
    "2004-05-01",
    "",
    "1.0",
    "1e2",
    "0x10",
    "+1",
    " 1",
    "1,000",
    "null",
    " ",
    "١",
    // 1 if it is decoded once more than it was encoded.
    "%31",
];
/// Whole numbers that do not fit 64 bits.
pub const HUGE: [&str; 4] = [
    "9223372036854775808",
    "-9223372036854775809",
    "100000000000000000000000000",
    // 2^64 + 1, which is 1 when truncated to 64 bits.
    "18446744073709551617",
];
/// Names that are not a query parameter of any operation. An error repeats the non-ASCII name as it was sent.
pub const UNKNOWN_PARAMETERS: [&str; 14] = [
    "offset",
    "_",
    "api_key",
    "Limit",
    "limit ",
    "skip[]",
    "countries[]",
    // Names that some frameworks and gateways drop.
    "utm_source",
    "x_trace",
    "callback",
    "format",
    "pipeline_id",
    "größe",
    "",
];
/// Returns the query parameters that other operations have and this one does not, each as an error.
pub fn parameters_of_others(contract: &Contract, operation: &Operation) -> Vec<QueryFault> {
    let in_query = |operation: &Operation| {
        let all = operation.parameters.iter();
        let in_query = all.filter(|parameter| parameter.location == "query");
        let names: BTreeSet<_> = in_query.map(|parameter| parameter.name.clone()).collect();
        names
    };
    let own = in_query(operation);
    let all: BTreeSet<_> = contract.operations().iter().flat_map(|other| in_query(other)).collect();
    let others = all.difference(&own);
    others.map(|name| QueryFault::new(name, "1")).collect()
}

/// 2^32, which is 0 when truncated to 32 bits.
pub const BEYOND_32_BITS: i64 = 1 << 32;
/// A text that is not a key of any deployment.
pub const UNKNOWN_KEY: &str = "not-a-key-of-any-deployment-0000";
/// The sentence of the contract about a parameter that is sent twice.
pub const GIVEN_ONCE: &str = "a parameter that takes one value may be given only once";
