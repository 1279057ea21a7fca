//! `search-*/*`: the six searches, one file for each group, and what the groups share.

pub(crate) mod agree;
pub(crate) mod combined;
pub(crate) mod error;
pub(crate) mod filter;
pub(crate) mod headquarters;
pub(crate) mod limit;
pub(crate) mod ranking;
pub(crate) mod text;
pub(crate) mod total;
pub(crate) mod values;

pub(crate) mod calls;
pub(crate) mod keeps;
pub(crate) mod order;
pub(crate) mod seen;
