//! The progress line of `run`, `probe` and `selftest`, below everything else on the terminal.
//!
//! All other output goes through [`Line::above`] or [`Line::suspend`], so that it never mixes with the line. If the
//! stream is not a terminal, nothing is drawn and nothing is locked.

use std::fmt;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use platform_conformance::report::shown::visible;
use platform_conformance::{Event, Reporter, Verdict};
use terminal_size::{Width, terminal_size_of};

/// The greatest length of the bar.
const BAR: usize = 24;
/// The interval between two redraws while nothing happens.
const TICK: Duration = Duration::from_millis(200);
/// The duration after which the line shows the seconds of a case.
const SLOW: Duration = Duration::from_secs(2);

/// The stream for people.
#[derive(Debug, Clone, Copy)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// The width of the terminal; `None` if the stream is not one.
    pub(super) fn columns(self) -> Option<usize> {
        let size = match self {
            Self::Stdout => terminal_size_of(io::stdout()),
            Self::Stderr => terminal_size_of(io::stderr()),
        };
        size.map(|(Width(columns), _)| columns.into())
    }

    /// A writer to the stream, without colours if they are not supported.
    pub(super) fn writer(self) -> Box<dyn Write + Send> {
        match self {
            Self::Stdout => Box::new(anstream::stdout()),
            Self::Stderr => Box::new(anstream::stderr()),
        }
    }

    fn target(self) -> ProgressDrawTarget {
        match self {
            Self::Stdout => ProgressDrawTarget::stdout(),
            Self::Stderr => ProgressDrawTarget::stderr(),
        }
    }
}

/// A progress line. Clones share the line.
#[derive(Debug, Clone)]
pub(super) struct Line {
    stream: Stream,
    /// `None` if the stream is not a terminal.
    bar: Option<ProgressBar>,
}

impl Line {
    /// Creates a line on a stream. [`Line::start`] shows it.
    pub(super) fn new(stream: Stream) -> Self {
        let shown = !stream.target().is_hidden();
        Self {
            stream,
            bar: shown.then(ProgressBar::hidden),
        }
    }

    /// Shows the line with the clock at zero.
    pub(super) fn start(&self, length: usize) {
        if let (Some(bar), Some(columns)) = (&self.bar, self.stream.columns()) {
            show(bar, self.stream.target(), length, columns);
            bar.enable_steady_tick(TICK);
        }
    }

    /// Increments the number of finished cases.
    pub(super) fn advance(&self) {
        if let Some(bar) = &self.bar {
            bar.inc(1);
        }
    }

    /// Shows failures, such as `3 failed`.
    pub(super) fn set_wrong(&self, wrong: &str) {
        if let Some(bar) = &self.bar {
            bar.set_prefix(wrong.to_owned());
        }
    }

    /// Shows the current case, cut to the width of the terminal.
    pub(super) fn set_message(&self, message: String) {
        if let Some(bar) = &self.bar {
            bar.set_message(message);
        }
    }

    /// Removes the line for good.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Hides the line while `print` prints.
    pub(super) fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Returns a writer to the stream of the line. Each write has to consist of whole lines: they appear above the
    /// progress line.
    pub(super) fn above(&self) -> Above {
        Above {
            line: self.clone(),
            out: self.stream.writer(),
        }
    }
}

fn show(bar: &ProgressBar, target: ProgressDrawTarget, length: usize, columns: usize) {
    bar.set_length(length as u64);
    bar.reset_elapsed();
    bar.set_draw_target(target);
    // Colours depend on the target.
    bar.set_style(style(columns));
}

#[expect(clippy::expect_used, reason = "the template is constant, except for a number")]
fn style(columns: usize) -> ProgressStyle {
    let bar = BAR.min(columns / 4);
    let template = format!("{{bar:{bar}./dim}} {{pos}}/{{len}} {{prefix:.red.bold}}{{seconds:.dim}} {{wide_msg:.dim}}");
    ProgressStyle::with_template(&template)
        .expect("a template")
        .progress_chars("━╸─")
        .with_key("seconds", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = write!(out, "{:.0} s", state.elapsed().as_secs_f64());
        })
}

/// See [`Line::above`].
pub(super) struct Above {
    line: Line,
    out: Box<dyn Write + Send>,
}

impl Write for Above {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.write_all(text)?;
        Ok(text.len())
    }

    fn write_all(&mut self, text: &[u8]) -> io::Result<()> {
        self.line.suspend(|| {
            self.out.write_all(text)?;
            self.out.flush()
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Shows the progress of a run below the output of another reporter.
#[derive(Debug)]
pub(super) struct Watched<R> {
    line: Line,
    reporter: R,
    failed: usize,
    /// The running cases, the oldest first.
    running: Vec<(String, Instant)>,
}

impl<R: Reporter> Watched<R> {
    /// Creates the reporter; `reporter` prints through [`Line::above`].
    pub(super) fn new(line: &Line, reporter: R) -> Self {
        Self {
            line: line.clone(),
            reporter,
            failed: 0,
            running: Vec::new(),
        }
    }

    /// Shows the longest-running case, with its seconds once it is slow.
    fn show_longest(&self) {
        let message = match self.running.first() {
            Some((id, since)) if since.elapsed() > SLOW => {
                format!("{} ({} s)", visible(id), since.elapsed().as_secs())
            }
            Some((id, _)) => visible(id),
            None => String::new(),
        };
        self.line.set_message(message);
    }
}

impl<R: Reporter> Reporter for Watched<R> {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Planned { .. } | Event::Estimated { .. } => {}
            Event::Started { cases, .. } => self.line.start(*cases),
            Event::CaseStarted { id } => {
                self.running.push(((*id).to_owned(), Instant::now()));
                self.show_longest();
            }
            Event::Waiting { .. } => self.show_longest(),
            Event::CaseFinished { case } => {
                self.running.retain(|(id, _)| *id != case.id);
                self.line.advance();
                if case.verdict == Verdict::Failed {
                    self.failed += 1;
                    self.line.set_wrong(&format!("{} failed ", self.failed));
                }
                self.show_longest();
            }
            Event::Finished { .. } => self.line.clear(),
        }
        self.reporter.event(event);
    }
}

#[cfg(test)]
mod tests {
    use indicatif::InMemoryTerm;

    use super::*;

    /// Returns what a terminal of this width shows after `draw`.
    fn drawn(columns: u16, draw: impl FnOnce(&Line)) -> String {
        let terminal = InMemoryTerm::new(10, columns);
        let target = ProgressDrawTarget::term_like(Box::new(terminal.clone()));
        let bar = ProgressBar::hidden();
        show(&bar, target, 842, columns.into());
        let line = Line {
            stream: Stream::Stdout,
            bar: Some(bar),
        };
        draw(&line);
        terminal.contents()
    }

    fn at_work(line: &Line) {
        for _ in 0..421 {
            line.advance();
        }
        line.set_wrong("3 failed ");
        line.set_message(format!("schema/{} (5 s)", "x".repeat(200)));
    }

    #[test]
    fn line_has_bar_counts_failures_seconds_and_case() {
        let shown = drawn(100, |line| {
            at_work(line);
            line.set_message("limit/zero-is-rejected (5 s)".to_owned());
        });
        let bar = "━".repeat(BAR / 2) + "╸" + &"─".repeat(BAR / 2 - 1);
        assert_eq!(
            shown,
            format!("{bar} 421/842 3 failed 0 s limit/zero-is-rejected (5 s)")
        );
    }

    #[test]
    fn line_fits_the_terminal() {
        for columns in [40, 60, 80, 120] {
            let shown = drawn(columns, at_work);
            assert_eq!(shown.lines().count(), 1, "{shown}");
            assert!(shown.contains(" 421/842 3 failed 0 s"), "{shown}");
        }
    }

    #[test]
    fn cleared_line_leaves_no_text() {
        let shown = drawn(80, |line| {
            at_work(line);
            line.clear();
            line.suspend(|| ());
        });
        assert_eq!(shown, "");
    }
}
