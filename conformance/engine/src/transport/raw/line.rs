//! A conversation as a shell line that sends the same bytes, with `printf` and `nc` or `openssl s_client`. Secrets are
//! shown as their variables.

use std::fmt::Write as _;

use super::{Conversation, Order};
use crate::target::shell::quote;

/// A run of one letter that is at least this long is written as its length.
const LONG: usize = 256;

/// A part of the bytes sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Piece {
    Text(String),
    /// The value of an environment variable.
    Variable(String),
    /// A pause, in which what came before is delivered.
    Pause,
}

/// The destination of a conversation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) host: &'a str,
    pub(crate) port: u16,
    /// The options of `openssl s_client`; `None` without TLS.
    pub(crate) tls: Option<&'a str>,
}

/// The shell line for messages, each in its pieces.
pub(crate) fn line(conversation: &Conversation, messages: &[Vec<Piece>], to: Place<'_>) -> String {
    let commands: Vec<String> = match conversation.order {
        Order::InTurn => messages.iter().map(|pieces| in_turn(pieces)).collect(),
        Order::AtOnce => vec![printf(&messages.concat())],
    };
    let Place { host, port, tls } = to;
    let netcat = match conversation.is_ended {
        true => "nc -N",
        false => "nc",
    };
    let program = match tls {
        None => format!("{netcat} {} {port}", quote(host)),
        Some(options) => {
            let address = quote(&format!("{host}:{port}"));
            let name = quote(host.trim_matches(['[', ']']));
            format!("openssl s_client -quiet -connect {address} -servername {name}{options}")
        }
    };
    // The responses take a moment, and a program that reads the end of its input may close the connection.
    let pause = match conversation.is_ended {
        true => "",
        false => "; sleep 2",
    };
    format!("{{ {}{pause}; }} | {program}", commands.join("; sleep 1; "))
}

/// The commands that write these pieces, with their pauses.
fn in_turn(pieces: &[Piece]) -> String {
    let between = pieces.split(|piece| *piece == Piece::Pause);
    between.map(printf).collect::<Vec<_>>().join("; sleep 0.1; ")
}

/// The command that writes these pieces.
fn printf(pieces: &[Piece]) -> String {
    let (mut format, mut arguments) = (String::new(), String::new());
    for piece in pieces {
        match piece {
            Piece::Variable(name) => {
                format.push_str("%s");
                let _ = write!(arguments, " \"${name}\"");
            }
            Piece::Text(text) => write_text(text, &mut format, &mut arguments),
            Piece::Pause => {}
        }
    }
    format!("printf {}{arguments}", quote(&format))
}

fn write_text(text: &str, format: &mut String, arguments: &mut String) {
    for run in text.as_bytes().chunk_by(|one, next| one == next) {
        if run[0] == b'0' && run.len() >= LONG {
            format.push_str("%s");
            let _ = write!(arguments, " \"$(printf %0{}d 0)\"", run.len());
            continue;
        }
        for byte in run {
            match byte {
                b'\r' => format.push_str("\\r"),
                b'\n' => format.push_str("\\n"),
                b'\\' => format.push_str("\\\\"),
                b'%' => format.push_str("%%"),
                b' '..=b'~' => format.push(char::from(*byte)),
                _ => {
                    let _ = write!(format, "\\{byte:03o}");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::raw::Message;

    fn text(text: &str) -> Piece {
        Piece::Text(text.to_owned())
    }

    #[test]
    fn shell_line_writes_the_same_bytes() {
        let zeros = "0".repeat(1000);
        let sent = format!("GET /?a=%20'é\\{zeros}1 HTTP/1.1\r\nAPI-Key: secret-123\r\n\r\n");
        let (before, after) = sent.split_once("secret-123").unwrap();
        let pieces = [text(before), Piece::Variable("KEY".to_owned()), text(after)];
        let command = printf(&pieces);
        assert!(command.len() < 200 && !command.contains("secret"), "{command}");
        let shell = std::process::Command::new("sh")
            .args(["-c", &command])
            .env("KEY", "secret-123")
            .output()
            .unwrap();
        assert_eq!(String::from_utf8(shell.stdout).unwrap(), sent);
    }

    #[test]
    fn shell_line_connects_to_the_same_address() {
        let get = || Message::get("/");
        let pieces = vec![vec![text("A\r\n")], vec![text("B")]];
        let plain = Place {
            host: "127.0.0.1",
            port: 80,
            tls: None,
        };
        assert_eq!(
            line(&Conversation::in_turn([get(), get()]), &pieces, plain),
            r"{ printf 'A\r\n'; sleep 1; printf 'B'; sleep 2; } | nc '127.0.0.1' 80"
        );
        let in_pieces = [vec![text("A"), Piece::Pause, text("B")]];
        assert_eq!(
            line(&Conversation::of(get()), &in_pieces, plain),
            r"{ printf 'A'; sleep 0.1; printf 'B'; sleep 2; } | nc '127.0.0.1' 80"
        );
        let tls = Place {
            tls: Some(" -CAfile 'ca.pem'"),
            host: "host",
            port: 443,
        };
        assert_eq!(
            line(&Conversation::at_once([get(), get()]), &pieces, tls),
            r"{ printf 'A\r\nB'; sleep 2; } | openssl s_client -quiet -connect 'host:443' -servername 'host' -CAfile 'ca.pem'"
        );
    }
}
