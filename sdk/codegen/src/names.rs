//! Conversion of contract names to Rust names.

/// Returns `ListItems` for `list_items`.
pub(crate) fn pascal_case(id: &str) -> String {
    let capitalised = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    id.split('_').map(capitalised).collect()
}

/// Returns `item_page` for `ItemPage`.
pub(crate) fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(letter.to_lowercase());
    }
    snake
}

/// Returns the last segment of a reference.
pub(crate) fn name_of(reference: &str) -> &str {
    reference.rsplit('/').next().unwrap_or(reference)
}
