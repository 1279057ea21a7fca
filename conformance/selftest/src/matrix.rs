//! The matrix of cases and faults as an HTML page: which chapter of the catalogue detects which family of faults, then
//! every fault with the cases that detect it, and every case with the faults that it detects.
//!
//! The page loads nothing. It shows the first names of a long list; the JSON contains all of them.

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::faults::FAMILIES;
use super::judgement::{Judgement, OnFault};
use catalogue::{GROUPS, catalogue};
use engine::report::{CONTRACT_FILE, html};
use platform_contract::Contract;

const STYLE: &str = include_str!("matrix.css");
/// The content security policy of the page: only its own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/// The limit on the names of one list.
const SHOWN: usize = 12;

/// Renders a judgement with its matrix as a page.
pub fn render(judgement: &Judgement) -> String {
    let noticed = noticed(judgement);
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                title { "Case × fault: " (judgement.killed()) " of " (judgement.faults.len()) " noticed" }
                style { (PreEscaped(html::STYLE)) (PreEscaped(STYLE)) }
            }
            body {
                (head(judgement))
                main {
                    (chapters(judgement))
                    (idle(judgement))
                    (faults(judgement))
                    (cases(&noticed))
                }
            }
        }
    };
    page.into_string()
}

/// The faults that each case detected, ordered by name.
fn noticed(judgement: &Judgement) -> BTreeMap<&str, Vec<&str>> {
    let mut noticed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for on in &judgement.faults {
        for case in &on.killed_by {
            noticed.entry(case).or_default().push(&on.name);
        }
    }
    noticed
}

fn head(judgement: &Judgement) -> Markup {
    let quiet = judgement.variants.len() - judgement.alarmed().len();
    html! {
        header {
            h1 { (judgement.killed()) " of " (judgement.faults.len()) " faults detected" }
            dl.facts {
                @if !judgement.variants.is_empty() {
                    div { dt { "Legal variants passed" } dd { (quiet) " of " (judgement.variants.len()) } }
                }
                div { dt { "Cases that detect no fault" } dd { (judgement.idle_cases.len()) } }
                div { dt { "Seed" } dd { (judgement.seed) } }
                div { dt { "Duration" } dd { (judgement.duration_ms / 1000) " s" } }
            }
        }
    }
}

/// Chapter × family: the number of the family's faults that some case of the chapter detects.
fn chapters(judgement: &Judgement) -> Markup {
    let family = |name: &str| -> Vec<&OnFault> {
        let faults = judgement.faults.iter();
        faults.filter(|on| on.family() == name).collect()
    };
    let families: Vec<_> = FAMILIES
        .iter()
        .map(|known| (known, family(known.name)))
        .filter(|(_, faults)| !faults.is_empty())
        .collect();
    // Not the chapters of a run with a profile.
    let cases = catalogue();
    let groups = GROUPS.iter();
    let groups = groups.filter(|group| cases.iter().any(|case| case.group() == group.name));
    html! {
        h2 { "Chapters and families" }
        p.note { "The number of a family's faults that some case of a chapter detects." }
        div.scroll {
            table.matrix {
                thead { tr {
                    th { "chapter" }
                    @for (family, faults) in &families {
                        th title=(family.title) { span { (family.name) } " " span.note { (faults.len()) } }
                    }
                } }
                tbody {
                    @for group in groups {
                        tr {
                            th scope="row" title=(group.title) { (group.name) }
                            @for (_, faults) in &families { (cell(group.name, faults)) }
                        }
                    }
                }
            }
        }
    }
}

fn cell(group: &str, faults: &[&OnFault]) -> Markup {
    let of_group = |id: &String| id.split('/').next() == Some(group);
    let noticed = faults.iter().filter(|on| on.killed_by.iter().any(of_group)).count();
    let share = (100 * noticed).checked_div(faults.len()).unwrap_or(0);
    html! {
        td style={ "--share:" (share) "%" } { @if noticed > 0 { (noticed) } @else { span.none { "·" } } }
    }
}

fn idle(judgement: &Judgement) -> Markup {
    html! {
        h2 { "Cases that detect no fault" }
        @if judgement.idle_cases.is_empty() { p { "None." } }
        ul { @for id in &judgement.idle_cases { li { code { (id) } } } }
    }
}

fn faults(judgement: &Judgement) -> Markup {
    html! {
        h2 { "Faults" }
        @for family in FAMILIES {
            h3 { (family.title) " " span.note { (family.name) } }
            @for on in judgement.faults.iter().filter(|on| on.family() == family.name) { (fault(on)) }
        }
    }
}

fn fault(on: &OnFault) -> Markup {
    let verdict = if on.killed_by.is_empty() { "failed" } else { "passed" };
    let place = Contract::bundled()
        .line(&on.clause)
        .map(|line| format!("{CONTRACT_FILE}:{line} "));
    let killers: Vec<_> = on.killed_by.iter().map(String::as_str).collect();
    html! {
        details.case.(verdict) id=(on.name) {
            summary {
                span.mark { (on.killed_by.len()) } " " span.id { (on.name) } " " span.title { (on.wrong) }
            }
            div.body {
                blockquote { "breaks " code { (place.unwrap_or_default()) } code.pointer { (on.clause) } }
                (names(&killers))
            }
        }
    }
}

fn cases(noticed: &BTreeMap<&str, Vec<&str>>) -> Markup {
    html! {
        h2 { "Cases" }
        @for case in catalogue() {
            @let faults = noticed.get(case.id.as_str()).map_or(&[][..], Vec::as_slice);
            details.case.(if faults.is_empty() { "inconclusive" } else { "passed" }) id=(case.id) {
                summary { span.mark { (faults.len()) } " " span.id { (case.id) } " " span.title { (case.title) } }
                div.body { (names(faults)) }
            }
        }
    }
}

fn names(names: &[&str]) -> Markup {
    html! {
        ul {
            @for name in names.iter().take(SHOWN) { li { a href={ "#" (name) } { code { (name) } } } }
            @if names.len() > SHOWN { li.note { "and " (names.len() - SHOWN) " more" } }
        }
    }
}
