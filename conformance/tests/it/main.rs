//! The promises of the kit: its ids, its coverage of the contract, its verdicts, its reports, and the secrecy of keys.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

use mimalloc::MiMalloc;

/// As in the program: a run allocates and frees millions of JSON values.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

mod action;
mod bodies;
mod byte_for_byte;
mod causes;
mod cli;
mod conformance_in_ci;
mod connection;
mod coverage;
mod dependencies;
mod diff;
mod echo;
mod files;
mod first_fault;
mod foreign;
mod formats;
mod guides;
mod harmless;
mod harness;
mod ids;
mod init;
mod keys;
mod known_failures;
mod lifecycle;
mod missing_operations;
mod nothing_seen;
mod own_case;
mod points;
mod preflight;
mod profile;
mod property_runs;
mod record;
mod reference_server;
mod report;
mod requests;
mod rules;
mod run;
mod search_names;
mod secrets;
mod selftest;
mod served;
mod shared_database;
mod stated;
mod texts;
mod times;
