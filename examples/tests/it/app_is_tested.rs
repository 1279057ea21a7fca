//! The tests in the example `test_an_app` pass.

use crate::test_an_app::{
    test_bad_day_is_told, test_item_is_finished_in_the_end, test_new_item_is_unfinished,
};

#[tokio::test]
async fn app_is_tested_on_the_reference_server() {
    test_new_item_is_unfinished().await.unwrap();
}

#[tokio::test]
async fn app_is_tested_on_an_emulator() {
    test_item_is_finished_in_the_end().await.unwrap();
}

#[tokio::test]
async fn app_is_tested_on_answers_that_are_made_up() {
    test_bad_day_is_told().await.unwrap();
}
