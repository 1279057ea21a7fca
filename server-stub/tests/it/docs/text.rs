//! Texts of the contract as HTML.

use maud::{Markup, PreEscaped, html as markup};
use pulldown_cmark::{Event, HeadingLevel, Parser, Tag, TagEnd, html};
use serde_json::Value;

/// Code of at most this many characters fits on a line of the narrowest screen and is not broken.
const LINE: usize = 32;

/// A string member of a node; empty if there is none.
pub(super) fn string<'a>(node: &'a Value, member: &str) -> &'a str {
    node[member].as_str().unwrap_or_default()
}

/// A description, which is CommonMark. HTML in it is shown as text.
pub(super) fn markdown(text: &str) -> Markup {
    let events = Parser::new(text).map(|event| match event {
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Code(code) if code.chars().count() <= LINE => {
            Event::InlineHtml(markup! { code.whole { (code.as_ref()) } }.into_string().into())
        }
        // All headings of a description go below those of the page.
        Event::Start(Tag::Heading { id, classes, attrs, .. }) => Event::Start(Tag::Heading {
            level: HeadingLevel::H3,
            id,
            classes,
            attrs,
        }),
        Event::End(TagEnd::Heading(_)) => Event::End(TagEnd::Heading(HeadingLevel::H3)),
        event => event,
    });
    let mut page = String::new();
    html::push_html(&mut page, events);
    PreEscaped(page)
}

/// The first sentence of a description.
pub(super) fn first_sentence(text: &str) -> &str {
    let text = text.trim();
    let end = text.find(". ").or_else(|| text.find(".\n"));
    end.map_or(text, |end| &text[..=end])
}

/// Turns a name with hyphens into a heading.
pub(super) fn title_of(name: &str) -> String {
    let mut letters = name.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    first.into_iter().chain(letters).collect::<String>().replace('-', " ")
}

#[test]
fn html_in_a_description_is_text() {
    let page = markdown("a <b>bold</b> `x`\n\n<script>alert(1)</script>").into_string();
    assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
    assert!(page.contains(">x</code>"), "{page}");
}

#[test]
fn short_code_is_not_broken() {
    let page = markdown("`API-Key: a<b` and `^[A-Za-z0-9._-]{1,128}$ or longer`").into_string();
    assert!(
        page.contains("<code class=\"whole\">API-Key: a&lt;b</code>") && page.contains("<code>^["),
        "{page}"
    );
    assert!(include_str!("page.css").contains(".whole { white-space: nowrap; }"));
}

#[test]
fn sentence_ends_at_a_full_stop() {
    assert_eq!(first_sentence("One `a.b` thing. Two."), "One `a.b` thing.");
    assert_eq!(first_sentence("One"), "One");
}
