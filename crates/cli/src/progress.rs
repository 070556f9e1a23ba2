//! Progress of transfers: bars in a terminal, plain lines without one, lines of JSON for programs.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;
use tokio::task::JoinHandle;

use crate::output;

/// Interval of plain lines.
const LINES: Duration = Duration::from_secs(5);
/// Interval of lines of JSON.
const JSON: Duration = Duration::from_secs(1);
/// Files that have a bar of their own.
const LARGEST: u64 = 8 * 1024 * 1024;

/// The progress of a run. Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct Progress(Arc<Counts>);

#[derive(Debug)]
struct Counts {
    files: u64,
    bytes: u64,
    done: AtomicU64,
    moved: AtomicI64,
    began: Instant,
    style: Style,
}

#[derive(Debug)]
enum Style {
    Bars { all: MultiProgress, total: ProgressBar },
    Lines,
    Json,
}

/// The bytes of one file, and its bar if it is large.
#[derive(Clone, Debug)]
pub(crate) struct FileProgress {
    progress: Progress,
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
    pub(crate) fn start(files: u64, bytes: u64, json: bool) -> (Self, Reports) {
        let is_terminal =
            std::io::stderr().is_terminal() && std::env::var("TERM").is_ok_and(|term| term != "dumb");
        let style = match (json, is_terminal) {
            (true, _) => Style::Json,
            (false, false) => Style::Lines,
            (false, true) => {
                let all = MultiProgress::with_draw_target(ProgressDrawTarget::stderr_with_hz(10));
                let total = all.add(ProgressBar::new(bytes));
                total.set_style(style(
                    "[{bar:24}] {percent:>3} %  {bytes} / {total_bytes}  {bytes_per_sec}  {msg}",
                ));
                Style::Bars { all, total }
            }
        };
        let counts = Counts { files, bytes, done: 0.into(), moved: 0.into(), began: Instant::now(), style };
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
                bar.set_style(style("  {msg:24!} [{bar:12}] {percent:>3} %  {total_bytes}"));
                bar.set_message(name.to_owned());
                Some(bar)
            }
            _ => None,
        };
        FileProgress { progress: self.clone(), bar }
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

    /// Prints a message above the bars.
    pub(crate) fn note(&self, line: &str) {
        match &self.0.style {
            Style::Bars { all, .. } => all.suspend(|| output::note(line)),
            Style::Lines => output::note(line),
            Style::Json => {}
        }
    }

    async fn report(&self) {
        let counts = &self.0;
        let interval = match counts.style {
            Style::Bars { .. } => Duration::from_millis(200),
            Style::Lines => LINES,
            Style::Json => JSON,
        };
        let mut ticks = tokio::time::interval_at(tokio::time::Instant::now() + interval, interval);
        loop {
            ticks.tick().await;
            let (done, moved) =
                (self.done(), u64::try_from(counts.moved.load(Ordering::Relaxed)).unwrap_or_default());
            let left = left(moved, counts.bytes, self.elapsed());
            match &counts.style {
                Style::Bars { total, .. } => {
                    let left =
                        left.map_or_else(String::new, |left| format!("{} left   ", HumanDuration(left)));
                    total.set_position(moved);
                    total.set_message(format!("{left}{done}/{} files", counts.files));
                }
                Style::Lines => {
                    let left =
                        left.map_or_else(String::new, |left| format!(", {} left", output::duration(left)));
                    let (moved, bytes) = (output::size(moved), output::size(counts.bytes));
                    output::note(&format!("{done}/{} files, {moved} / {bytes}{left}", counts.files));
                }
                Style::Json => output::json(&json!({
                    "event": "progress", "sent": done, "total": counts.files,
                    "bytes": moved, "totalBytes": counts.bytes,
                })),
            }
        }
    }
}

impl FileProgress {
    /// The file is done.
    pub(crate) fn finish(&self) {
        self.progress.0.done.fetch_add(1, Ordering::Relaxed);
        self.clear();
    }

    /// Removes the file's bar.
    pub(crate) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

impl client::Sink for FileProgress {
    fn moved(&self, bytes: i64) {
        self.progress.0.moved.fetch_add(bytes, Ordering::Relaxed);
        if let Some(bar) = &self.bar {
            bar.set_position(bar.position().saturating_add_signed(bytes));
        }
    }
}

/// The time that the rest takes at the pace so far.
fn left(moved: u64, all: u64, elapsed: Duration) -> Option<Duration> {
    let rest = all.checked_sub(moved)?;
    let millis = u128::from(rest).checked_mul(elapsed.as_millis())?.checked_div(u128::from(moved))?;
    (elapsed >= Duration::from_secs(1))
        .then(|| Duration::from_secs(u64::try_from(millis / 1000).unwrap_or(u64::MAX)))
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("█░ ")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{left, style};

    #[test]
    fn the_rest_is_estimated_by_the_pace_so_far() {
        let second = Duration::from_secs(1);
        assert_eq!(left(10, 40, 10 * second), Some(30 * second));
        assert_eq!(left(0, 40, 10 * second), None);
        assert_eq!(left(10, 40, second / 2), None);
    }

    #[test]
    fn templates_are_valid() {
        drop(style("[{bar:24}] {percent:>3} %  {bytes} / {total_bytes}  {bytes_per_sec}  {msg}"));
        assert!(
            indicatif::ProgressStyle::with_template("  {msg:24!} [{bar:12}] {percent:>3} %  {total_bytes}")
                .is_ok()
        );
    }
}
