//! Download a project's files with their folders: only what changed, verified, resumable.
//!
//! A file appears under its name when it is whole. Before, its bytes are in a part beside it, named after its hash, from
//! which a stopped run goes on. A file that was edited on this machine is kept, and no link in the folder is followed.

mod comparison;
mod deletion;
mod journal;
mod places;

use std::io::ErrorKind;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::content::projects::GetTreeQuery;
use client::{Client, Downloads, RetryPolicy};
use domain::id::ObjectId;
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use crate::arguments::transfer::Sync;
use crate::bandwidth::limited;
use crate::commands::sync::comparison::{ComparedFiles, compare};
use crate::commands::sync::deletion::{VanishedFiles, delete, vanished};
use crate::commands::sync::journal::Journal;
use crate::commands::sync::places::{EmptyFolder, Places, RenamedObject, Wanted, wanted};
use crate::failure::{CommandFailure, CommandResult, Exit, local_reason};
use crate::naming::Beginning;
use crate::output::{self, Loudness, count, counted, duration, size};
use crate::progress::{Direction, Progress};
use crate::resource::Project;
use crate::stop::stopped;
use crate::upload::outcomes::{FileFailure, nothing_done};

/// Files at once.
const AT_ONCE: usize = 8;
/// Edited files and changed names that people are shown.
const SHOWN_MAX: usize = 20;

/// Downloads the files below a place.
pub(crate) async fn run(client: &Client, options: &Sync, json: bool) -> CommandResult<Exit> {
    let client = &limited(client, options.limits.bwlimit);
    let loudness = options.messages.loudness();
    let project = options.place.project.find(client, Beginning::Taken).await?;
    let root = project.object(client, &options.place.path).await?;
    let Places { files, empty, renamed } = {
        let query = GetTreeQuery {
            root: (!options.place.path.is_empty()).then_some(root),
            depth: None,
            object_type: None,
            q: None,
        };
        wanted(client.tree_nodes(&project.reference(), &query), root, &options.folder).await?
    };
    let place = format!("{} {}--{} {root}", client.url(), project.record.id, project.branch);
    let journal = Arc::new(Journal::open(&place, &options.folder)?);
    let vanished = match options.delete {
        true => {
            let wanted = files.iter().filter_map(|wanted| std::path::absolute(&wanted.path).ok()).collect();
            vanished(&journal, &wanted, &options.folder, options.force)?
        }
        false => VanishedFiles::default(),
    };
    let compared = {
        let (journal, is_forced) = (Arc::clone(&journal), options.force);
        let compared = tokio::task::spawn_blocking(move || compare(files, &journal, is_forced)).await;
        compared.map_err(|error| CommandFailure::local("compare files", error))??
    };
    announce(&compared, loudness, json);
    report_renamed(&renamed, json);
    if options.dry_run {
        return show(&compared, &vanished, json);
    }
    let ComparedFiles { unchanged, outdated, edited, linked } = compared;
    let edited: Vec<(PathBuf, Option<ObjectId>)> = edited
        .into_iter()
        .map(|wanted| (wanted.path, Some(wanted.object)))
        .chain(vanished.edited.iter().map(|path| (path.clone(), None)))
        .collect();
    report_edited(&edited, json);
    let mut failures: Vec<FileFailure> = linked.iter().filter_map(behind_link).collect();
    for (wanted, failure) in linked.iter().zip(&failures) {
        report(wanted.object, &wanted.path, Some(failure), json);
    }
    failures.extend(make_folders(&empty, json));
    let bytes: u64 = outdated.iter().map(|wanted| wanted.file.size).sum();
    let jobs = options.limits.jobs;
    let transfer = SyncTransfer { client, project: &project, journal: &journal, jobs, loudness, json };
    let (fetched, failed, progress) = transfer.run(outdated).await?;
    failures.extend(failed);
    let deleted = delete_all(&vanished, options, &journal, json, &mut failures)?;
    if json {
        output::json(&json!({
            "event": "summary", "downloaded": fetched, "unchanged": unchanged, "failed": failures,
            "kept": edited.iter().map(|(path, _)| path.display().to_string()).collect::<Vec<_>>(),
            "deleted": deleted, "renamed": renamed, "bytes": bytes, "seconds": progress.elapsed().as_secs_f64(),
        }));
    } else {
        let kept = match edited.len() {
            0 => String::new(),
            number => format!(", {} kept", counted_usize(number)),
        };
        let deleted = match deleted {
            0 => String::new(),
            number => format!(", {} deleted", count(number)),
        };
        loudness.note(&format!(
            "Done in {}: {} downloaded, {} unchanged{kept}{deleted}, {} failed.",
            duration(progress.elapsed()),
            count(fetched),
            count(unchanged),
            counted_usize(failures.len())
        ));
        if !edited.is_empty() {
            loudness.note("To overwrite what was edited here: --force");
        }
    }
    exit(fetched + unchanged, &failures, edited.len())
}

/// The exit code; the failure if files failed and none was downloaded or there already.
fn exit(done: u64, failures: &[FileFailure], kept: usize) -> CommandResult<Exit> {
    match failures.len() {
        0 if kept == 0 => Ok(Exit::Done),
        number if number > 0 && done == 0 => {
            let number = u64::try_from(number).unwrap_or(u64::MAX);
            Err(nothing_done("downloaded", &failures.iter().collect::<Vec<_>>(), number))
        }
        _ => Ok(Exit::Part),
    }
}

fn announce(compared: &ComparedFiles, loudness: Loudness, json: bool) {
    if json {
        return;
    }
    let bytes = compared.outdated.iter().map(|wanted| wanted.file.size).sum();
    let number = u64::try_from(compared.outdated.len()).unwrap_or_default();
    let to_fetch = counted(number, "file", "files");
    loudness.note(&format!(
        "{} unchanged, {to_fetch} to download, {}.",
        count(compared.unchanged),
        size(bytes)
    ));
}

/// Says which names are others here. With `--json` the summary has them.
fn report_renamed(renamed: &[RenamedObject], json: bool) {
    if json {
        return;
    }
    for RenamedObject { name, path, .. } in renamed.iter().take(SHOWN_MAX) {
        output::note(&format!("  the name \"{name}\" is not possible here: see {}", path.display()));
    }
    note_rest(renamed.len());
}

/// Says how many lines of a list are not shown.
fn note_rest(all: usize) {
    if all > SHOWN_MAX {
        output::note(&format!("  and {} more (--json lists all)", counted_usize(all - SHOWN_MAX)));
    }
}

/// Shows a dry run.
fn show(compared: &ComparedFiles, vanished: &VanishedFiles, json: bool) -> CommandResult<Exit> {
    let files = [
        ("would download", &compared.outdated),
        ("would keep", &compared.edited),
        ("would fail", &compared.linked),
    ];
    for (status, files) in files {
        for wanted in files {
            let path = wanted.path.display();
            match json {
                true => {
                    output::json(&json!({ "event": "file", "path": path.to_string(), "status": status }));
                }
                false => output::print(&format!("{status} {path}  {}", size(wanted.file.size))),
            }
        }
    }
    for (status, paths) in [("would delete", &vanished.untouched), ("would keep", &vanished.edited)] {
        for path in paths {
            let path = path.display();
            match json {
                true => {
                    output::json(&json!({ "event": "file", "path": path.to_string(), "status": status }));
                }
                false => output::print(&format!("{status} {path}")),
            }
        }
    }
    let failures: Vec<FileFailure> = compared.linked.iter().filter_map(behind_link).collect();
    for failure in &failures {
        output::note(&format!("  {}: {}", failure.path, failure.message));
    }
    let outdated = u64::try_from(compared.outdated.len()).unwrap_or_default();
    exit(outdated + compared.unchanged, &failures, compared.edited.len() + vanished.edited.len())
}

/// The failure of a file behind a link.
fn behind_link(wanted: &Wanted) -> Option<FileFailure> {
    let link = wanted.link.as_ref()?.display();
    let message = format!("{link} is a symbolic link, which is not followed; remove it, or rename it");
    Some(FileFailure { path: wanted.path.display().to_string(), code: None, message })
}

/// Makes the folders without files. Answers the failures.
fn make_folders(folders: &[EmptyFolder], json: bool) -> Vec<FileFailure> {
    let failure = |folder: &EmptyFolder| {
        let error = std::fs::create_dir_all(&folder.path).err()?;
        let path = folder.path.display().to_string();
        let failure = FileFailure { path, code: None, message: local_reason(&error) };
        report(folder.object, &folder.path, Some(&failure), json);
        Some(failure)
    };
    folders.iter().filter_map(failure).collect()
}

/// Prints the outcome of a file: for programs each one, for people a failure.
fn report(object: ObjectId, path: &Path, failure: Option<&FileFailure>, json: bool) {
    let path = path.display().to_string();
    if json {
        output::json(&json!({
            "event": "file", "path": path, "objectId": object,
            "status": if failure.is_none() { "downloaded" } else { "failed" },
            "code": failure.and_then(|failure| failure.code.as_ref()),
            "message": failure.map(|failure| &failure.message),
        }));
    } else if let Some(failure) = failure {
        output::note(&format!("  {path}: {}", failure.message));
    }
}

/// Says which files were edited here; without an object the project has no more of them.
fn report_edited(edited: &[(PathBuf, Option<ObjectId>)], json: bool) {
    for (path, object) in edited.iter().take(if json { usize::MAX } else { SHOWN_MAX }) {
        let path = path.display().to_string();
        if json {
            output::json(&json!({ "event": "file", "path": path, "status": "kept", "objectId": object }));
            continue;
        }
        let others = if object.is_some() { "has another" } else { "has it no more" };
        output::note(&format!("  kept {path}: it was edited here, and the project {others}"));
    }
    if !json {
        note_rest(edited.len());
    }
}

/// Deletes the files that the project has no more. Answers their number, and adds the failures.
fn delete_all(
    vanished: &VanishedFiles,
    options: &Sync,
    journal: &Journal,
    json: bool,
    failures: &mut Vec<FileFailure>,
) -> CommandResult<u64> {
    let mut deleted = 0;
    for path in &vanished.untouched {
        if let Some(failure) = delete(path, &options.folder) {
            failures.push(failure);
            continue;
        }
        journal.remove(path)?;
        deleted += 1;
        if json {
            let path = path.display().to_string();
            output::json(&json!({ "event": "file", "path": path, "status": "deleted" }));
        }
    }
    Ok(deleted)
}

/// The transfer of a run.
struct SyncTransfer<'a> {
    client: &'a Client,
    project: &'a Project,
    journal: &'a Arc<Journal>,
    jobs: Option<NonZeroU32>,
    loudness: Loudness,
    json: bool,
}

impl SyncTransfer<'_> {
    /// Downloads files, several at a time. Answers their number, the failures, and the finished progress.
    async fn run(&self, outdated: Vec<Wanted>) -> CommandResult<(u64, Vec<FileFailure>, Progress)> {
        let number = u64::try_from(outdated.len()).unwrap_or_default();
        let bytes: u64 = outdated.iter().map(|wanted| wanted.file.size).sum();
        let patient = self.client.with_retry(RetryPolicy::default());
        let (progress, reports) = Progress::start(Direction::Down, (number, bytes), self.loudness, self.json);
        if outdated.is_empty() {
            return Ok((0, Vec::new(), progress));
        }
        let downloads = Arc::new(Downloads::open(&patient, &self.project.reference()).await?);
        let transfers = stream::iter(outdated).map(|wanted| {
            let fetch = Fetch {
                downloads: Arc::clone(&downloads),
                journal: Arc::clone(self.journal),
                progress: progress.clone(),
                loudness: self.loudness,
                json: self.json,
            };
            async move { fetch.run(&wanted).await }
        });
        let at_once = self.jobs.map_or(AT_ONCE, |jobs| usize::try_from(jobs.get()).unwrap_or(AT_ONCE));
        let failures = transfers.buffer_unordered(at_once).try_collect::<Vec<_>>();
        let done = tokio::select! {
            // First, so that a stop is caught before there is a part of a file.
            biased;
            () = stopped() => Err(CommandFailure::new(Exit::Stopped, "stopped")),
            done = failures => done,
        };
        drop(reports);
        progress.clear();
        let fetched = progress.done();
        match done {
            Ok(failures) => Ok((fetched, failures.into_iter().flatten().collect(), progress)),
            Err(failure) => {
                let far = format!("{} of {} files are here", count(fetched), count(number));
                let way_out = failure.next.iter().map(|next| format!("{next}\n  ")).collect::<String>();
                Err(failure.next(format!("{way_out}{far}; run the same command to go on")))
            }
        }
    }
}

/// The means of a download.
struct Fetch {
    downloads: Arc<Downloads>,
    journal: Arc<Journal>,
    progress: Progress,
    loudness: Loudness,
    json: bool,
}

impl Fetch {
    /// Downloads one file. A failure of this file alone is a value; one of all is the error.
    async fn run(&self, wanted: &Wanted) -> CommandResult<Option<FileFailure>> {
        let shown = wanted.path.display().to_string();
        let sink = self.progress.file(&shown, wanted.file.size);
        let fetched = async {
            let above = wanted.path.parent().unwrap_or(&wanted.path);
            let failed = |error| client::RequestError::file(&wanted.path, error);
            tokio::fs::create_dir_all(above).await.map_err(failed)?;
            self.downloads.fetch(wanted.object, &wanted.file, &wanted.path, &sink).await
        };
        let failure = match fetched.await {
            Ok(()) => {
                self.journal.set(&wanted.path, &wanted.file.sha256)?;
                sink.finish();
                None
            }
            // No other file has a place, either.
            Err(error @ client::RequestError::File { .. }) if is_disk_full(&error) => {
                sink.clear();
                return Err(CommandFailure::download(&wanted.path, error));
            }
            Err(client::RequestError::File { source, .. }) => Some((None, local_reason(&source))),
            Err(error @ client::RequestError::Damaged { .. }) => Some((None, error.to_string())),
            Err(error) if error.is_not_found() => {
                let code = error.answer().map(|answer| answer.code_text.clone());
                Some((code, error.to_string()))
            }
            Err(error) => {
                sink.clear();
                return Err(error.into());
            }
        };
        let failure = failure.map(|(code, message)| FileFailure { path: shown.clone(), code, message });
        if failure.is_some() {
            sink.clear();
        }
        if failure.is_some() || self.json {
            self.progress.above(|| report(wanted.object, &wanted.path, failure.as_ref(), self.json));
        } else {
            self.progress.above(|| self.loudness.detail(&format!("  downloaded {shown}")));
        }
        Ok(failure)
    }
}

fn is_disk_full(error: &client::RequestError) -> bool {
    matches!(error, client::RequestError::File { source, .. } if source.kind() == ErrorKind::StorageFull)
}

fn counted_usize(number: usize) -> String {
    count(u64::try_from(number).unwrap_or_default())
}
