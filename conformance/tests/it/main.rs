//! What the kit promises: its ids, its coverage of the contract, its verdicts, its reports, its silence
//! about keys.

#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod bodies;
mod cli;
mod connection;
mod coverage;
mod diff;
mod echo;
mod files;
mod first_fault;
mod formats;
mod harmless;
mod harness;
mod ids;
mod init;
mod own_case;
mod points;
mod preflight;
mod profile;
mod reference_server;
mod report;
mod rooms;
mod run;
mod secrets;
mod selftest;
mod served;
mod texts;
mod walks;
