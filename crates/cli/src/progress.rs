//! Progress of transfers: bars in a terminal, plain lines without one, lines of JSON for programs.

mod moment;
mod pace;

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;

use crate::output::{self, Loudness};
use crate::progress::moment::{Moment, PlainLines};
use crate::progress::pace::{Outlook, Pace};

/// Interval of plain lines.
const LINES: Duration = Duration::from_secs(5);
/// Interval of lines of JSON.
const JSON: Duration = Duration::from_secs(1);
/// Files that have a bar of their own.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The line of the whole run, and the columns that it takes at most before its message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Template {
    line: &'static str,
    columns: usize,
}

const WIDE: Template = Template {
    line: "[{bar:24}] {percent:>3} %  {decimal_bytes} / {decimal_total_bytes}  {decimal_bytes_per_sec}  {wide_msg}",
    columns: 70,
};
/// From 64 columns on.
const MEDIUM: Template = Template {
    line: "[{bar:10}] {percent:>3} %  {decimal_bytes} / {decimal_total_bytes}  {wide_msg}",
    columns: 43,
};
const NARROW: Template = Template { line: "{percent:>3} %  {decimal_total_bytes}  {wide_msg}", columns: 18 };

/// The lines of a file. The name is cut to the terminal.
const FILE: &str = "  {percent:>3} %  {decimal_total_bytes}  {wide_msg}";
const CONVERTED: &str = "  converting …  {decimal_total_bytes}  {wide_msg}";

/// The ends of names whose files the service converts into several objects, which takes its time.
const CONVERTED_ENDS: [&str; 9] =
    [".step", ".stp", ".p21", ".stpz", ".stp.gz", ".step.gz", ".pdf", ".ipynb", ".ifc"];

/// The line for a terminal with this number of columns, with room for the message.
const fn template(columns: usize) -> Template {
    match columns {
        ..64 => NARROW,
        64..120 => MEDIUM,
        _ => WIDE,
    }
}

/// True for a file that the service converts.
fn is_converted(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    CONVERTED_ENDS.iter().any(|end| name.ends_with(end))
}

/// The direction of a run's transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Uploads: the service converts a file whose bytes have all arrived, then answers.
    Up,
    /// Uploads of which nothing is made.
    Attach,
    /// Downloads.
    Down,
}

/// The progress of a run. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    direction: Direction,
    files: u64,
    bytes: u64,
    done: AtomicU64,
    moved: AtomicI64,
    /// Number of files to convert whose bytes have all moved, and which are not done.
    whole: AtomicI64,
    began: Instant,
    style: Style,
}

#[derive(Debug)]
enum Style {
    Bars { all: MultiProgress, total: ProgressBar },
    Lines,
    Json,
    Nothing,
}

/// The bytes of one file, and its bar if it is large.
#[derive(Clone, Debug)]
pub(crate) struct FileProgress {
    progress: Progress,
    size: i64,
    is_converted: bool,
    moved: Arc<AtomicI64>,
    bar: Option<ProgressBar>,
}

/// The task that reports; it ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Reports(JoinHandle<()>);

impl Drop for Reports {
    fn drop(&mut self) {
        self.0.abort();
    }
}

impl Progress {
    /// The progress of a number of files and bytes, and the task that reports it.
    pub(crate) fn start(
        direction: Direction,
        (files, bytes): (u64, u64),
        loudness: Loudness,
        json: bool,
    ) -> (Self, Reports) {
        let is_terminal =
            std::io::stderr().is_terminal() && std::env::var("TERM").is_ok_and(|term| term != "dumb");
        let style = match (json, is_terminal) {
            (true, _) => Style::Json,
            _ if loudness == Loudness::Quiet => Style::Nothing,
            (false, false) => Style::Lines,
            (false, true) => {
                let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
                let total = all.add(ProgressBar::new(bytes));
                total.set_style(style(template(columns()).line));
                Style::Bars { all, total }
            }
        };
        let counts = Counts {
            direction,
            files,
            bytes,
            done: 0.into(),
            moved: 0.into(),
            whole: 0.into(),
            began: Instant::now(),
            style,
        };
        let progress = Self(Arc::new(counts));
        let reported = progress.clone();
        let reports = tokio::spawn(async move { reported.report().await });
        (progress, Reports(reports))
    }

    /// The progress of one file.
    pub(crate) fn file(&self, name: &str, size_bytes: u64) -> FileProgress {
        let bar = match &self.0.style {
            Style::Bars { all, .. } if size_bytes > LARGEST => {
                let bar = all.add(ProgressBar::new(size_bytes));
                bar.set_style(style(FILE));
                bar.set_message(output::visible(name).into_owned());
                Some(bar)
            }
            _ => None,
        };
        let size = i64::try_from(size_bytes).unwrap_or(i64::MAX);
        let is_converted = self.0.direction == Direction::Up && is_converted(name);
        FileProgress { progress: self.clone(), size, is_converted, moved: Arc::default(), bar }
    }

    /// Number of files that the service converts.
    fn converting(&self) -> i64 {
        self.0.whole.load(Ordering::Relaxed)
    }

    /// Number of files that are done.
    pub(crate) fn done(&self) -> u64 {
        self.0.done.load(Ordering::Relaxed)
    }

    /// Time since the beginning.
    pub(crate) fn elapsed(&self) -> Duration {
        self.0.began.elapsed()
    }

    /// Removes the bars.
    pub(crate) fn clear(&self) {
        if let Style::Bars { all, .. } = &self.0.style {
            drop(all.clear());
        }
    }

    /// Prints above the bars, if there are any.
    pub(crate) fn above(&self, print: impl FnOnce()) {
        match &self.0.style {
            Style::Bars { all, .. } => all.suspend(print),
            Style::Lines | Style::Json | Style::Nothing => print(),
        }
    }

    async fn report(&self) {
        let counts = &self.0;
        let interval = match counts.style {
            Style::Bars { .. } => Duration::from_millis(200),
            Style::Lines => LINES,
            Style::Json => JSON,
            Style::Nothing => return,
        };
        let (mut pace, mut lines) = (Pace::default(), PlainLines::default());
        let mut shown = None;
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + interval, interval);
        loop {
            ticks.tick().await;
            let moved = u64::try_from(counts.moved.load(Ordering::Relaxed)).unwrap_or_default();
            let converting = self.converting();
            let outlook = pace.outlook(self.elapsed(), moved, counts.bytes);
            let moment = Moment {
                done: self.done(),
                files: counts.files,
                moved,
                bytes: counts.bytes,
                converting,
                // A file that is converted moves no bytes.
                outlook: outlook.filter(|outlook| converting == 0 || matches!(outlook, Outlook::Left(_))),
            };
            match &counts.style {
                Style::Bars { total, .. } => {
                    // A window may be resized.
                    let columns = columns();
                    let template = template(columns);
                    if shown.replace(template).is_some_and(|before| before != template) {
                        total.set_style(style(template.line));
                    }
                    total.set_position(moved);
                    total.set_message(moment.message(columns.saturating_sub(template.columns)));
                }
                Style::Lines => {
                    if lines.is_due(&moment, self.elapsed()) {
                        output::note(&moment.line());
                    }
                }
                Style::Json => output::json(&moment.event(counts.direction)),
                Style::Nothing => {}
            }
        }
    }
}

impl FileProgress {
    /// The file is done.
    pub(crate) fn finish(&self) {
        // A repeat may be answered before all bytes are sent.
        let rest = self.size - self.moved.load(Ordering::Relaxed);
        if rest > 0 {
            client::Sink::moved(self, rest);
        }
        self.progress.0.done.fetch_add(1, Ordering::Relaxed);
        self.clear();
    }

    /// Removes the file's bar.
    pub(crate) fn clear(&self) {
        if self.is_whole(self.moved.swap(0, Ordering::Relaxed)) {
            self.progress.0.whole.fetch_sub(1, Ordering::Relaxed);
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn is_whole(&self, moved: i64) -> bool {
        self.is_converted && self.size > 0 && moved >= self.size
    }
}

impl client::Sink for FileProgress {
    fn moved(&self, bytes: i64) {
        let counts = &self.progress.0;
        counts.moved.fetch_add(bytes, Ordering::Relaxed);
        let before = self.moved.fetch_add(bytes, Ordering::Relaxed);
        let (was_whole, is_whole) = (self.is_whole(before), self.is_whole(before + bytes));
        if was_whole != is_whole {
            counts.whole.fetch_add(if is_whole { 1 } else { -1 }, Ordering::Relaxed);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(bar.position().saturating_add_signed(bytes));
            if was_whole != is_whole {
                bar.set_style(style(if is_whole { CONVERTED } else { FILE }));
            }
        }
    }
}

/// The columns of the terminal now.
fn columns() -> usize {
    usize::from(terminal::Term::stderr().size().1)
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█░ ")
}

#[cfg(test)]
mod tests {
    use client::Sink;

    use super::{CONVERTED, Direction, FILE, Loudness, Progress, template};

    #[tokio::test]
    async fn a_file_is_converted_from_its_last_byte_to_its_answer() {
        let (progress, _reports) = Progress::start(Direction::Up, (2, 30), Loudness::Normal, true);
        let (file, empty) = (progress.file("gear.step", 20), progress.file("empty.txt", 0));
        file.moved(20);
        assert_eq!(progress.converting(), 1);
        file.moved(-20);
        assert_eq!(progress.converting(), 0);
        file.moved(20);
        file.finish();
        empty.finish();
        assert_eq!((progress.converting(), progress.done()), (0, 2));
    }

    #[tokio::test]
    async fn a_file_that_is_not_converted_is_never_called_so() {
        let (progress, _reports) = Progress::start(Direction::Up, (2, 30), Loudness::Normal, true);
        for name in ["backup.tar", "notes.txt", "step"] {
            progress.file(name, 20).moved(20);
        }
        assert_eq!(progress.converting(), 0);
        progress.file("manual.PDF", 20).moved(20);
        assert_eq!(progress.converting(), 1);
    }

    #[test]
    fn no_line_is_longer_than_its_terminal() {
        let widths = |template: &str| {
            assert!(indicatif::ProgressStyle::with_template(template).is_ok(), "{template}");
            let mut longest = template.to_owned();
            for (part, width) in [
                ("{bar:24}", 24),
                ("{bar:10}", 10),
                ("{wide_msg}", 0),
                ("{percent:>3}", 3),
                ("{decimal_bytes}", "999.99 MB".len()),
                ("{decimal_total_bytes}", "999.99 MB".len()),
                ("{decimal_bytes_per_sec}", "999.99 MB/s".len()),
            ] {
                longest = longest.replace(part, &"x".repeat(width));
            }
            assert!(!longest.contains('{'), "{longest}");
            longest.chars().count()
        };
        for columns in [40, 63, 64, 80, 119, 120, 200] {
            let template = template(columns);
            assert_eq!(widths(template.line), template.columns);
            assert!(template.columns < columns && widths(FILE) < columns && widths(CONVERTED) < columns);
        }
    }
}
