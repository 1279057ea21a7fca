//! `assets/docs.html`, the contract as a page for a browser: every operation with its parameters, its responses and an
//! example to paste.
//!
//! The page is generated from `openapi.yaml` and adds nothing to it. It is a single file and blocks all connections, so
//! it works offline. It can be read without its script, which only filters, copies and fills in the address and the
//! key.

mod curl;
mod operation;
mod schema;
mod text;

use std::collections::BTreeSet;

use expect_test::expect_file;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use platform_contract::{Contract, Operation};
use serde_json::Value;

use self::text::{markdown, string, title_of};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

#[test]
fn committed_page_is_generated_from_the_contract() {
    expect_file!["../../../assets/docs.html"].assert_eq(&page());
}

#[test]
fn page_has_every_operation_parameter_status_and_code_of_the_contract() {
    let contract = Contract::bundled();
    let page = page();
    assert_eq!(contract.operations().len(), 10);
    for operation in contract.operations() {
        let id = &operation.id;
        assert!(page.contains(&format!("<article id=\"{id}\"")), "{id}");
        for parameter in operation.parameters.iter().chain(&operation.request_headers) {
            let anchor = format!("id=\"{id}.{}\"", parameter.name);
            assert!(page.contains(&anchor), "{anchor}");
        }
        for response in &operation.responses {
            let anchor = format!("id=\"{id}.{}\"", response.status);
            assert!(page.contains(&anchor), "{anchor}");
            for code in &response.codes {
                assert!(page.contains(&format!("id=\"error-{code}\"")), "{code}");
            }
        }
    }
    for name in contract.document()["components"]["schemas"].as_object().unwrap().keys() {
        assert!(page.contains(&format!("id=\"schema-{name}\"")), "{name}");
    }
}

#[test]
fn every_link_on_the_page_has_a_target_and_every_anchor_is_unique() {
    let page = page();
    let values = |attribute: &str| {
        let start = format!(" {attribute}=\"");
        page.split(&start)
            .skip(1)
            .filter_map(|part| part.split('"').next())
            .collect::<Vec<_>>()
    };
    let anchors = values("id");
    let distinct: BTreeSet<_> = anchors.iter().copied().collect();
    assert_eq!(distinct.len(), anchors.len());
    for link in values("href") {
        let is_known = match link.strip_prefix('#') {
            Some(anchor) => distinct.contains(anchor),
            None => ["data:,", "/openapi.yaml", "/openapi.json"].contains(&link),
        };
        assert!(is_known, "{link}");
    }
}

#[test]
fn page_loads_nothing() {
    let page = page();
    for outside in ["src=", "@import", "url(", "fetch(", "<iframe", "<base"] {
        assert!(!page.contains(outside), "{outside}");
    }
}

#[test]
fn inputs_have_visible_labels_at_every_width() {
    let page = page();
    for label in ["<span>Filter</span>", "<span>API key</span>"] {
        assert!(page.contains(label), "{label}");
    }
    assert!(!STYLE.contains("label span { display: none"));
}

#[test]
fn page_shows_types_ranges_and_defaults() {
    let page = page();
    let (_, limit) = page.split_once("id=\"list_items.limit\"").unwrap();
    let (limit, _) = limit.split_once("id=\"list_items.sort_by\"").unwrap();
    for part in ["integer", "1 to 1000", "default <code>100</code>"] {
        assert!(limit.contains(part), "{part}: {limit}");
    }
}

fn page() -> String {
    render(Contract::bundled()).into_string()
}

fn render(contract: &Contract) -> Markup {
    let info = &contract.document()["info"];
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (string(info, "title")) }
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                header.top {
                    a.skip href="#content" { "Skip to the operations" }
                    p.name { a href="#about" { (string(info, "title")) } " " span.version { (string(info, "version")) } }
                    div.tools {
                        label { span { "Filter" } input #filter type="search" placeholder="limit, 409, values …" autocomplete="off"; }
                        label { span { "API key" } input #key value=(curl::KEY) autocomplete="off" spellcheck="false"; }
                    }
                }
                div.page {
                    (navigation(contract))
                    main #content {
                        p #nothing hidden { "Nothing matches the filter." }
                        (about(info))
                        @for tag in tags(contract) { (group(contract, tag)) }
                        (problems(contract))
                        (schema::all(contract))
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    }
}

fn navigation(contract: &Contract) -> Markup {
    html! {
        nav aria-label="Contents" {
            details open {
                summary { "Contents" }
                ul { li { a href="#about" { "About" } } }
                @for tag in tags(contract) {
                    h2 { a href={ "#" (string(tag, "name")) } { (title_of(string(tag, "name"))) } }
                    ul {
                        @for (operation, node) in operations(contract, string(tag, "name")) {
                            li data-of=(operation.id) {
                                a href={ "#" (operation.id) } {
                                    span class={ "method " (operation.method.to_lowercase()) } { (operation.method) }
                                    span { (string(node, "summary")) }
                                }
                            }
                        }
                    }
                }
                h2 { "Reference" }
                ul {
                    li { a href="#errors" { "Errors" } }
                    li { a href="#schemas" { "Schemas" } }
                    li { a href="/openapi.yaml" { "openapi.yaml" } }
                    li { a href="/openapi.json" { "openapi.json" } }
                }
            }
        }
    }
}

fn about(info: &Value) -> Markup {
    html! {
        section #about.about data-block="" {
            h1 { (string(info, "title")) }
            (markdown(string(info, "description")))
        }
    }
}

fn group(contract: &Contract, tag: &Value) -> Markup {
    let name = string(tag, "name");
    html! {
        section id=(name) data-group="" {
            h2 { a.anchor href={ "#" (name) } { (title_of(name)) } }
            (markdown(string(tag, "description")))
            @for (operation, node) in operations(contract, name) {
                (operation::article(contract, operation, node))
            }
        }
    }
}

/// The codes of all errors, each with its meaning and what to do.
fn problems(contract: &Contract) -> Markup {
    let listed = contract.get("/components/schemas/ProblemCode/x-problems");
    html! {
        section #errors data-group="" {
            h2 { a.anchor href="#errors" { "Errors" } }
            p {
                "Every error has the body " a href="#schema-Problem" { "Problem" }
                "; its member " code { "code" } " is one of these."
            }
            dl.rows {
                @for problem in listed.and_then(Value::as_array).into_iter().flatten() {
                    div.row id={ "error-" (string(problem, "code")) } data-block="" {
                        dt {
                            span class={ "status " (operation::class_of(&problem["status"].to_string())) } { (problem["status"]) }
                            " " code { (string(problem, "code")) }
                        }
                        dd {
                            (markdown(string(problem, "meaning")))
                            (markdown(string(problem, "remedy")))
                        }
                    }
                }
            }
        }
    }
}

fn tags(contract: &Contract) -> impl Iterator<Item = &Value> {
    contract.document()["tags"].as_array().into_iter().flatten()
}

/// The operations of a tag, each with its node in the contract.
fn operations<'a>(contract: &'a Contract, tag: &'a str) -> impl Iterator<Item = (&'a Operation, &'a Value)> {
    let all = contract.operations().iter();
    let all = all.filter_map(|operation| Some((&**operation, contract.get(&operation.pointer)?)));
    all.filter(move |(_, node)| node["tags"].as_array().is_some_and(|tags| tags.contains(&tag.into())))
}
