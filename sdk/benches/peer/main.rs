//! The SDK compared to peers that the workspace does not depend on: the client that openapi-generator
//! generates from the same contract, and the fastest JSON decoders for Rust. `compare.py` generates that
//! client and the package of this program.

#![allow(clippy::print_stdout)]

#[path = "../speed/call.rs"]
mod call;
#[path = "../speed/canned.rs"]
mod canned;
#[path = "../speed/decode.rs"]
mod decode;
#[path = "../speed/instructions.rs"]
mod instructions;
#[path = "../speed/items.rs"]
mod items;
#[path = "../speed/pair.rs"]
mod pair;

use std::env;
use std::hint::black_box;
use std::time::Duration;

use openapi_client::apis::configuration::{ApiKey, Configuration};
use openapi_client::apis::pipeline_items_api::{get_item_status, list_items};

use platform_sdk::types::ItemPage;

use crate::call::Calls;
use crate::items::Items;
use crate::pair::Pair;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let words = arguments.iter().map(String::as_str);
    let words: Vec<&str> = words.filter(|word| *word != "--bench").collect();
    let items = Items::get(&words)?;
    let page = items.page(0, 1000);
    let page = page.as_bytes();
    let base_url = canned::start(&items, Duration::ZERO)?;
    let calls = Calls::start(&base_url)?;
    let configuration = Configuration {
        base_path: base_url,
        client: reqwest::Client::builder().no_proxy().build()?,
        api_key: Some(ApiKey {
            prefix: None,
            key: call::KEY.to_owned(),
        }),
        ..Configuration::default()
    };
    let mut pairs = call::pairs(&calls);
    pairs.extend(decode::pairs(page));
    pairs.push(Pair {
        name: "status over openapi-generator",
        counted: 200,
        ours: Box::new(|| calls.sdk_status().map(drop)),
        peer: Box::new(|| {
            let call = get_item_status(&configuration, 1, 1);
            Ok(calls.runtime.block_on(call).map(drop)?)
        }),
    });
    pairs.push(Pair {
        name: "page of 100 items over openapi-generator",
        counted: 20,
        ours: Box::new(|| calls.sdk_page().map(drop)),
        peer: Box::new(|| {
            let call = list_items(&configuration, 1, None, Some(100), None, None);
            Ok(calls.runtime.block_on(call).map(drop)?)
        }),
    });
    pairs.push(Pair {
        name: "decode 1000 items over sonic-rs",
        counted: 5,
        ours: Box::new(|| decode::sdk(page)),
        peer: Box::new(|| {
            black_box(sonic_rs::from_slice::<ItemPage>(page)?);
            Ok(())
        }),
    });
    pairs.push(Pair {
        name: "decode 1000 items over simd-json",
        counted: 5,
        ours: Box::new(|| decode::sdk(page)),
        peer: Box::new(|| {
            // `simd_json` modifies its input, so each page is copied first.
            black_box(simd_json::from_slice::<ItemPage>(&mut page.to_vec())?);
            Ok(())
        }),
    });
    pair::measure(&pairs, &words)
}
