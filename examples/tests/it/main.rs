//! The examples do what they document, as programs, on the reference server.

#![allow(clippy::expect_used, clippy::unwrap_used)]

mod adding;
mod deployment;
mod every_example;
mod export;
mod guides;
mod pipelines;
mod program;
mod readme;
mod searches;
// The tests of the kit and of the server use the rest.
#[allow(dead_code)]
mod shell;
// Its tests run here too.
#[allow(dead_code)]
#[path = "../../test_an_app.rs"]
mod test_an_app;
