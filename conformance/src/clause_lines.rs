//! Where the clauses of the contract stand: the line of every node of a YAML text, by JSON pointer.
//!
//! What the nodes say is none of its business: [`crate::Contract`] reads that.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, Span, StrInput};

use crate::contract::escape;

/// The line of every node, counted from 1, by its JSON pointer. A member of a mapping stands where its name
/// does, an item of a sequence where its value begins. References are not followed: what `#/components` holds stands there and nowhere else.
///
/// A text that is no YAML has the lines up to the place where it goes wrong.
pub(crate) fn lines(text: &str) -> BTreeMap<String, u64> {
    let mut reader = Reader {
        parser: Parser::new_from_str(text),
        lines: BTreeMap::new(),
    };
    while let Some((event, _)) = reader.next() {
        reader.node(&event, "");
    }
    reader.lines
}

struct Reader<'a> {
    parser: Parser<'a, StrInput<'a>>,
    lines: BTreeMap<String, u64>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Option<(Event<'a>, Span)> {
        self.parser.next()?.ok()
    }

    /// Reads on to the end of the node that begins with this event.
    fn node(&mut self, event: &Event<'_>, pointer: &str) {
        match event {
            Event::MappingStart(..) => self.mapping(pointer),
            Event::SequenceStart(..) => self.sequence(pointer),
            _ => {}
        }
    }

    fn mapping(&mut self, pointer: &str) {
        while let Some((Event::Scalar(name, ..), span)) = self.next() {
            let member = format!("{pointer}/{}", escape(&name));
            self.lines.insert(member.clone(), line(span));
            let Some((value, _)) = self.next() else {
                return;
            };
            self.node(&value, &member);
        }
    }

    fn sequence(&mut self, pointer: &str) {
        for position in 0.. {
            let Some((value, span)) = self.next() else {
                return;
            };
            if matches!(value, Event::SequenceEnd) {
                return;
            }
            let item = format!("{pointer}/{position}");
            self.lines.insert(item.clone(), line(span));
            self.node(&value, &item);
        }
    }
}

fn line(span: Span) -> u64 {
    u64::try_from(span.start.line()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::lines;

    #[test]
    fn every_node_has_the_line_of_its_name() {
        let text = "a: 1\nb:\n  - x: {y: 2}\n\n  - plain\n/p/{q}: |\n  z\n";
        let lines = lines(text);
        let lines: Vec<_> = lines
            .iter()
            .map(|(pointer, line)| (&**pointer, *line))
            .collect();
        let wanted = [
            ("/a", 1),
            ("/b", 2),
            ("/b/0", 3),
            ("/b/0/x", 3),
            ("/b/0/x/y", 3),
            ("/b/1", 5),
            ("/~1p~1{q}", 6),
        ];
        assert_eq!(lines, wanted);
    }

    #[test]
    fn a_text_that_goes_wrong_has_the_lines_until_there() {
        assert_eq!(lines("a: 1\nb: [").get("/a"), Some(&1));
    }
}
