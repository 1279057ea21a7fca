//! The cases about the six searches: a file `text` contains the group `search-text`. What the groups share is in
//! `calls`, `compared`, `keeps`, `order` and `seen`.

mod agree;
mod associated;
mod audiences;
mod combined;
mod compared;
mod encoding;
pub mod error;
mod filter;
pub mod headquarters;
mod lacking;
mod later;
pub mod law;
pub mod limit;
mod meaning;
mod order;
pub mod own_words;
mod pairs;
pub mod ranking;
pub mod record;
mod single_values;
mod stated;
mod text;
pub mod total;
pub mod values;
mod words;

pub mod calls;
mod carries;
pub mod keeps;
pub mod seen;

use engine::case::Case;
use platform_contract::Contract;

/// The cases of the group `search-filter`.
pub fn of_filters(contract: &Contract) -> Vec<Case> {
    [
        filter::cases(contract),
        combined::cases(contract),
        pairs::cases(contract),
        later::cases(contract),
    ]
    .concat()
}

/// The cases of the group `search-text`.
pub fn of_texts(contract: &Contract) -> Vec<Case> {
    [text::cases(contract), words::cases(contract)].concat()
}

/// The cases of the group `search-ranking`.
pub fn of_rankings(contract: &Contract) -> Vec<Case> {
    [
        ranking::cases(contract),
        own_words::cases(contract),
        agree::cases(contract),
        record::cases(contract),
        meaning::cases(contract),
        audiences::cases(contract),
    ]
    .concat()
}
