//! Progress of transfers: bars in a terminal, plain lines without one, lines of JSON for programs.

mod moment;
mod pace;

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::task::JoinHandle;

use crate::output;
use crate::progress::moment::{Moment, PlainLines};
use crate::progress::pace::{Outlook, Pace};

/// Interval of plain lines.
const LINES: Duration = Duration::from_secs(5);
/// Interval of lines of JSON.
const JSON: Duration = Duration::from_secs(1);
/// Files that have a bar of their own.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The lines of the bars.
#[derive(Debug)]
struct Templates {
    total: &'static str,
    file: &'static str,
    converted: &'static str,
}

const WIDE: Templates = Templates {
    total: "[{bar:24}] {percent:>3} %  {decimal_bytes} / {decimal_total_bytes}  {decimal_bytes_per_sec}  {wide_msg}",
    file: "  {msg:24!} [{bar:12}] {percent:>3} %  {decimal_total_bytes}",
    converted: "  {msg:24!} converting …  {decimal_total_bytes}",
};
/// From 64 columns on.
const MEDIUM: Templates = Templates {
    total: "[{bar:10}] {percent:>3} %  {decimal_bytes} / {decimal_total_bytes}  {wide_msg}",
    ..WIDE
};
const NARROW: Templates = Templates {
    total: "{percent:>3} %  {decimal_total_bytes}  {wide_msg}",
    file: "  {percent:>3} %  {decimal_total_bytes}  {wide_msg}",
    converted: "  converting …  {wide_msg}",
};

/// The lines for a terminal with this number of columns. None of them is longer, because a longer one wraps.
const fn templates(columns: usize) -> &'static Templates {
    match columns {
        ..64 => &NARROW,
        64..100 => &MEDIUM,
        _ => &WIDE,
    }
}

/// The direction of a run's transfers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    /// Uploads: the service converts a file whose bytes have all arrived, then answers.
    Up,
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
    /// Number of files whose bytes have all moved, and which are not done.
    whole: AtomicI64,
    began: Instant,
    style: Style,
}

#[derive(Debug)]
enum Style {
    Bars { all: MultiProgress, total: ProgressBar, templates: &'static Templates },
    Lines,
    Json,
}

/// The bytes of one file, and its bar if it is large.
#[derive(Clone, Debug)]
pub(crate) struct FileProgress {
    progress: Progress,
    size: i64,
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
    pub(crate) fn start(direction: Direction, files: u64, bytes: u64, json: bool) -> (Self, Reports) {
        let is_terminal =
            std::io::stderr().is_terminal() && std::env::var("TERM").is_ok_and(|term| term != "dumb");
        let style = match (json, is_terminal) {
            (true, _) => Style::Json,
            (false, false) => Style::Lines,
            (false, true) => {
                let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
                let total = all.add(ProgressBar::new(bytes));
                let templates = templates(usize::from(terminal::Term::stderr().size().1));
                total.set_style(style(templates.total));
                Style::Bars { all, total, templates }
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
            Style::Bars { all, templates, .. } if size_bytes > LARGEST => {
                let bar = all.add(ProgressBar::new(size_bytes));
                bar.set_style(style(templates.file));
                bar.set_message(output::visible(name).into_owned());
                Some(bar)
            }
            _ => None,
        };
        let size = i64::try_from(size_bytes).unwrap_or(i64::MAX);
        FileProgress { progress: self.clone(), size, moved: Arc::default(), bar }
    }

    /// Number of files that the service converts.
    fn converting(&self) -> i64 {
        match self.0.direction {
            Direction::Up => self.0.whole.load(Ordering::Relaxed),
            Direction::Down => 0,
        }
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
            Style::Lines | Style::Json => print(),
        }
    }

    async fn report(&self) {
        let counts = &self.0;
        let interval = match counts.style {
            Style::Bars { .. } => Duration::from_millis(200),
            Style::Lines => LINES,
            Style::Json => JSON,
        };
        let (mut pace, mut lines) = (Pace::default(), PlainLines::default());
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
                    total.set_position(moved);
                    total.set_message(moment.message());
                }
                Style::Lines => {
                    if lines.is_due(&moment, self.elapsed()) {
                        output::note(&moment.line());
                    }
                }
                Style::Json => output::json(&moment.event(counts.direction)),
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
        self.size > 0 && moved >= self.size
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
            if let Style::Bars { templates, .. } = &counts.style
                && was_whole != is_whole
                && counts.direction == Direction::Up
            {
                bar.set_style(style(if is_whole { templates.converted } else { templates.file }));
            }
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█░ ")
}

#[cfg(test)]
mod tests {
    use client::Sink;

    use super::{Direction, Progress, templates};

    #[tokio::test]
    async fn a_file_is_converted_from_its_last_byte_to_its_answer() {
        let (progress, _reports) = Progress::start(Direction::Up, 2, 30, true);
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

    #[test]
    fn no_line_is_longer_than_its_terminal() {
        for columns in [40, 63, 64, 80, 99, 100, 200] {
            let of_terminal = templates(columns);
            for template in [of_terminal.total, of_terminal.file, of_terminal.converted] {
                assert!(indicatif::ProgressStyle::with_template(template).is_ok(), "{template}");
                // `wide_msg` takes the rest, and cuts its text.
                let mut longest = template.to_owned();
                for (part, width) in [
                    ("{bar:24}", 24),
                    ("{bar:12}", 12),
                    ("{bar:10}", 10),
                    ("{msg:24!}", 24),
                    ("{wide_msg}", 0),
                    ("{percent:>3}", 3),
                    ("{decimal_bytes}", "999.99 MB".len()),
                    ("{decimal_total_bytes}", "999.99 MB".len()),
                    ("{decimal_bytes_per_sec}", "999.99 MB/s".len()),
                ] {
                    longest = longest.replace(part, &"x".repeat(width));
                }
                assert!(!longest.contains('{') && longest.chars().count() < columns, "{columns}: {longest}");
            }
        }
    }
}
