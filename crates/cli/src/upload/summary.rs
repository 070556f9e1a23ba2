//! The end of a run in words and numbers: sent, left out, converted, kept unconverted, failed.

use std::time::Duration;

use serde_json::json;

use crate::arguments::Global;
use crate::arguments::transfer::Upload;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::output::{self, Loudness, count, counted, duration};
use crate::resource::Project;
use crate::upload::outcomes::{FileFailure, Outcomes};
use crate::upload::plan::Plan;

/// Files of a kind that people are shown.
const SHOWN_MAX: usize = 20;

/// The end of a run.
pub(crate) struct Summary {
    plan: Plan,
    planned: u64,
    outcomes: Outcomes,
    elapsed: Duration,
    /// The rules that leave files out, as people name them.
    rules: String,
    loudness: Loudness,
}

impl Summary {
    pub(crate) fn new(plan: Plan, planned: u64, options: &Upload) -> Self {
        let (rules, loudness) = (options.rules(), options.messages.loudness());
        Self { plan, planned, outcomes: Outcomes::default(), elapsed: Duration::ZERO, rules, loudness }
    }

    pub(crate) fn add(&mut self, outcomes: Outcomes, elapsed: Duration) {
        self.outcomes = outcomes;
        self.elapsed = elapsed;
    }

    /// True if every planned file has arrived.
    pub(crate) fn is_complete(&self) -> bool {
        self.outcomes.sent == self.planned
    }

    /// The exit code; the failure if files failed and none was sent.
    pub(crate) fn exit(&self) -> CommandResult<Exit> {
        self.plan.exit(self.outcomes.sent, &self.failed(), self.failed_count())
    }

    /// The failure that stopped the run, with how far it came.
    pub(crate) fn stopped(&self, failure: CommandFailure) -> CommandFailure {
        let (sent, planned) = (count(self.outcomes.sent), count(self.planned));
        let far = format!("{sent} of {planned} files are in");
        let next = match (failure.exit, &failure.next) {
            // The way out comes first.
            (Exit::SignedOut | Exit::Refused, Some(way_out)) => {
                format!("{way_out}\n  {far}; run the same command to go on")
            }
            _ => format!("{far}; run the same command to go on"),
        };
        failure.next(next)
    }

    pub(crate) fn print(&self, project: &Project, is_root: bool, global: &Global) {
        let Outcomes { sent, updated, bytes, converted, pending, partial, unconverted, .. } = &self.outcomes;
        let failed = self.failed();
        if global.json {
            output::json(&json!({
                "event": "summary", "sent": sent, "updated": updated, "unchanged": self.plan.unchanged,
                "different": self.plan.different, "failed": failed, "failedCount": self.failed_count(),
                "partial": partial, "unconverted": unconverted, "convertedLater": pending,
                "skippedLinks": self.plan.links, "leftOut": self.plan.left_out, "bytes": bytes,
                "seconds": self.elapsed.as_secs_f64(),
            }));
            return;
        }
        let (unchanged, failures) = (count(self.plan.unchanged), count(self.failed_count()));
        let time = if *sent > 0 { format!(" in {}", duration(self.elapsed)) } else { String::new() };
        let new_versions = match updated {
            0 => String::new(),
            number => format!(" ({})", counted(*number, "new version", "new versions")),
        };
        self.loudness.note(&format!(
            "Done{time}: {} sent{new_versions}, {unchanged} unchanged, {failures} failed.",
            count(*sent)
        ));
        let mut made = Vec::new();
        for (number, one, many) in [
            (converted.assemblies, "assembly", "assemblies"),
            (converted.parts, "part", "parts"),
            (converted.documents, "document", "documents"),
            (converted.objects, "object in all", "objects in all"),
        ] {
            if number > 0 {
                made.push(counted(number, one, many));
            }
        }
        if !made.is_empty() {
            self.loudness.note(&format!("  made {}", made.join(", ")));
        }
        if *pending > 0 {
            self.loudness.note(&format!("  {} converted later", are(*pending)));
        }
        list(&format!("{} converted in part:", count_of(partial)), partial.iter().map(line));
        list(&format!("{} kept unconverted", count_of(unconverted)), unconverted.iter().map(line));
        let (different, number) = (&self.plan.different, self.plan.different_count);
        let heading = format!("{} different here, and left alone; --update replaces them", are(number));
        list(&heading, different.iter().cloned());
        if self.plan.links > 0 {
            let links = counted(self.plan.links, "link", "links");
            self.loudness.note(&format!("  {links} not followed; --follow-links sends what they point to"));
        }
        if self.plan.left_out > 0 {
            let files = counted(self.plan.left_out, "file", "files");
            self.loudness.note(&format!("  {files} left out by {}", self.rules));
        }
        list(&format!("{failures} failed"), failed.iter().map(|failure| line(failure)));
        if self.failed_count() > 0 {
            self.loudness.note(
                "Mend them or leave them out (--exclude), then run the same command: only they are sent.",
            );
        } else if *sent > 0 {
            let what = if is_root { "Import files" } else { "Import parts" };
            self.loudness.note(&format!("Next: atelier commit {} -m \"{what}\"", project.argument()));
        }
    }

    fn failed(&self) -> Vec<&FileFailure> {
        self.plan.failed.iter().chain(&self.outcomes.failed).collect()
    }

    fn failed_count(&self) -> u64 {
        self.plan.failed_count + self.outcomes.failed_count
    }
}

fn count_of(failures: &[FileFailure]) -> String {
    count(u64::try_from(failures.len()).unwrap_or_default())
}

fn are(number: u64) -> String {
    format!("{} {}", count(number), if number == 1 { "is" } else { "are" })
}

fn line(failure: &FileFailure) -> String {
    match &failure.code {
        Some(code) if !code.is_empty() => format!("{}: {code}: {}", failure.path, failure.message),
        _ => format!("{}: {}", failure.path, failure.message),
    }
}

fn list(heading: &str, lines: impl ExactSizeIterator<Item = String>) {
    let all = lines.len();
    if all == 0 {
        return;
    }
    output::note(&format!("  {heading}"));
    for line in lines.take(SHOWN_MAX) {
        output::note(&format!("    {line}"));
    }
    if all > SHOWN_MAX {
        output::note(&format!("    and {} more (--json lists all)", all - SHOWN_MAX));
    }
}
