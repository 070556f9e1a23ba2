//! `upload`: plan, send, report. The same command goes on after any stop, and nothing arrives twice.

mod input;
mod limiter;
pub(crate) mod local;
mod missing;
pub(crate) mod outcomes;
mod patterns;
mod plan;
mod send;
mod state;
mod summary;
mod walk;

use std::io::ErrorKind;
use std::sync::Arc;

use api::content::projects::GetTreeQuery;
use api::work::sessions::SessionPath;
use api::work::sessions::uploads::ListUploads;
use client::{Client, RetryPolicy};
use domain::content::object::{ASSEMBLY_TYPE, Object};
use domain::content::upload::ResumableUpload;
use domain::id::ObjectId;
use domain::text::Name;
use futures_util::TryStreamExt;
use serde_json::json;

use crate::arguments::Global;
use crate::arguments::transfer::Upload;
use crate::bandwidth::limited;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, counted, size};
use crate::progress::{Direction, Progress};
use crate::resource::Project;
use crate::stop::stopped;
use crate::upload::input::Input;
use crate::upload::patterns::expand;
use crate::upload::plan::{Plan, Planner};
use crate::upload::send::{Reporting, Transfer};
use crate::upload::state::State;
use crate::upload::state::files::{FileKind, PlannedFile};
use crate::upload::summary::Summary;

/// Nodes of the tree that are written to the state at once.
const NODES: usize = 5_000;

/// Uploads files and folders.
pub(crate) async fn run(client: &Client, options: &Upload, global: &Global) -> CommandResult<Exit> {
    let name = Input::name(options)?;
    check_paths(options)?;
    let project = options.to.project.find(client, Beginning::of_change(global.json)).await?;
    let input = match name {
        Some(name) => Some(Input::read(name).await?),
        None => None,
    };
    // Each run keeps standard input elsewhere, but its state is that of its name.
    let named: Vec<_> = options.paths.iter().cloned().chain(options.name.as_ref().map(Into::into)).collect();
    let mut options = options.clone();
    if let Some(input) = &input {
        options.paths = vec![input.path()];
    }
    let (existing, missing) = folder(client, &project, &options.to.path).await?;
    let path: String = options.to.path.iter().map(|name| format!("/{name}")).collect();
    let target = format!("{}:{path}", project.reference());
    let state = Arc::new(State::open(&format!("{} {target}", client.url()), &named)?);
    if missing.is_empty() {
        read_tree(client, &project, existing, &state).await?;
    }
    state.index_remote()?;
    let plan = {
        let (state, options, missing) = (Arc::clone(&state), options.clone(), missing.to_vec());
        let planned = move || Planner::new(&state, &options).run(existing, &missing);
        let planned = tokio::task::spawn_blocking(planned).await;
        planned.map_err(|error| CommandFailure::local("plan the upload", error))??
    };
    let (files, bytes) = state.planned()?;
    let left = bytes.saturating_sub(arrived_bytes(client, &project, &state).await?);
    announce(&plan, (files, left), &state, &options, global)?;
    if options.dry_run {
        return show_plan(&plan, &state, global);
    }
    let folders = state.missing_folder_count()?;
    let loudness = options.messages.loudness();
    let mut summary = Summary::new(plan, files, &options);
    if files > 0 || folders > 0 {
        let patient = limited(client, options.limits.bwlimit).with_retry(RetryPolicy::default());
        let session = send::session(&patient, &project, &state).await?;
        let (progress, reports) = Progress::start(Direction::Up, (files, bytes), loudness, global.json);
        let reporting = Reporting { progress: progress.clone(), loudness, json: global.json };
        let transfer = Transfer::new(Arc::clone(&state), session.clone(), options.limits.jobs, reporting);
        let done = tokio::select! {
            // First, so that a stop is caught before anything is sent.
            biased;
            () = stopped() => Err(CommandFailure::new(Exit::Stopped, "stopped")),
            done = transfer.run() => done,
        };
        drop(reports);
        progress.clear();
        summary.add(transfer.outcomes(), progress.elapsed());
        if let Err(failure) = done {
            return Err(summary.stopped(failure));
        }
        if summary.is_complete() {
            // The run is over without it, too: an open session lapses.
            drop(session.close().await);
        }
    }
    if summary.is_complete() {
        state.finish()?;
    }
    summary.print(&project, options.to.path.is_empty(), global);
    summary.exit()
}

/// Refuses paths that lead nowhere, before anything is asked or sent.
fn check_paths(options: &Upload) -> CommandResult<()> {
    let mut absent = Vec::new();
    for typed in options.paths.iter().filter(|_| options.name.is_none()) {
        let paths = expand(typed)?;
        absent.extend(
            paths.into_iter().filter(|path| path.symlink_metadata().is_err_and(|error| is_absent(&error))),
        );
    }
    if absent.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = absent.iter().map(|path| path.display().to_string()).collect();
    Err(CommandFailure::new(Exit::NotFound, format!("there is no file or folder {}", names.join(", "))))
}

fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

/// The object that takes the files, and the folders that are missing below it.
async fn folder<'a>(
    client: &Client,
    project: &Project,
    path: &'a [Name],
) -> CommandResult<(ObjectId, &'a [Name])> {
    let object = project.find(client, path).await?;
    if let Some(object) = object {
        return takes_files(&object).map(|()| (object.id, <&[Name]>::default()));
    }
    let (deepest, found) = project.descend(client, path).await?;
    let (there, missing) = path.split_at_checked(found).unwrap_or((path, &[]));
    // The part of the path that is there may be ambiguous or a file, too.
    match project.find(client, there).await? {
        Some(object) => takes_files(&object).map(|()| (object.id, missing)),
        None => Ok((deepest, missing)),
    }
}

/// Refuses a file as the place of an upload.
fn takes_files(object: &Object) -> CommandResult<()> {
    // A STEP file becomes an assembly, which takes more.
    if object.file.is_none() || object.object_type == ASSEMBLY_TYPE {
        return Ok(());
    }
    let message = format!("\"{}\" is a file, not a folder", object.name);
    Err(CommandFailure::usage(message).next("Name the folder that it is in"))
}

/// Reads the project's tree below an object into the state.
async fn read_tree(client: &Client, project: &Project, root: ObjectId, state: &State) -> CommandResult<()> {
    let is_all = root == ObjectId::from(project.record.id);
    let query = GetTreeQuery { root: (!is_all).then_some(root), depth: None, object_type: None, q: None };
    let mut nodes = client.tree_nodes(&project.reference(), &query).try_ready_chunks(NODES);
    loop {
        let chunk = match nodes.try_next().await {
            Ok(Some(chunk)) => chunk,
            Ok(None) => return Ok(()),
            Err(error) => return Err(error.1.into()),
        };
        state.together(|| chunk.iter().try_for_each(|node| state.add_remote(node)))?;
    }
}

/// The bytes of unfinished files that an earlier run has sent.
async fn arrived_bytes(client: &Client, project: &Project, state: &State) -> CommandResult<u64> {
    let kept = state.kept_pieces()?;
    let Some(session) = state.session()?.filter(|_| !kept.is_empty()) else { return Ok(0) };
    let uploads = client
        .call(ListUploads, SessionPath { project_id: project.record.id.into(), session_id: session })
        .rows()
        .try_collect()
        .await;
    let uploads: Vec<ResumableUpload> = match uploads {
        // Its session has ended.
        Err(error) if error.is_not_found() => return Ok(0),
        uploads => uploads?,
    };
    let is_kept = |upload: &&ResumableUpload| {
        let id = upload.id.to_string();
        kept.iter().any(|location| location.ends_with(&id))
    };
    Ok(uploads.iter().filter(is_kept).map(|upload| upload.received_bytes).sum())
}

fn announce(
    plan: &Plan,
    (files, bytes): (u64, u64),
    state: &State,
    options: &Upload,
    global: &Global,
) -> CommandResult<()> {
    if global.json {
        output::json(&json!({
            "event": "plan", "files": plan.files, "bytes": plan.bytes, "unchanged": plan.unchanged,
            "leftOut": plan.left_out, "toSend": files, "updates": plan.updates, "bytesToSend": bytes,
            "foldersToMake": state.missing_folder_count()?, "resumed": state.is_resumed,
        }));
        return Ok(());
    }
    let all = format!("{}, {}", counted(plan.files, "file", "files"), size(plan.bytes));
    let there = match plan.unchanged {
        0 => String::new(),
        unchanged => format!(" {} there already (same content),", are(unchanged)),
    };
    let left_out = match plan.left_out {
        0 => String::new(),
        left_out => format!(" {} left out ({}).", are(left_out), options.rules()),
    };
    let loudness = options.messages.loudness();
    loudness.note(&format!("Scanned {all}.{left_out}{there} {} to send.", output::count(files)));
    if state.is_resumed && files > 0 {
        loudness.note(&format!("Resuming: {}, {} left.", counted(files, "file", "files"), size(bytes)));
    }
    Ok(())
}

fn are(number: u64) -> String {
    format!("{} {}", output::count(number), if number == 1 { "is" } else { "are" })
}

fn show_plan(plan: &Plan, state: &State, global: &Global) -> CommandResult<Exit> {
    let folders = state.missing_folder_count()?;
    if !global.json && folders > 0 {
        output::print(&format!("would make {}", counted(folders, "folder", "folders")));
    }
    for kind in [FileKind::Small, FileKind::Replacing, FileKind::Large] {
        let mut after = 0;
        loop {
            let page = state.pending(kind, after, NODES)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            page.iter().for_each(|file| show_file(file, global.json));
        }
    }
    for failure in &plan.failed {
        output::note(&format!("  {}: {}", failure.path, failure.message));
    }
    let (files, _) = state.planned()?;
    if !state.is_resumed {
        state.finish()?;
    }
    plan.exit(files, &plan.failed.iter().collect::<Vec<_>>(), plan.failed_count)
}

fn show_file(file: &PlannedFile, json: bool) {
    let status = if file.replaces.is_some() { "would replace" } else { "would send" };
    match json {
        true => output::json(
            &json!({ "event": "file", "path": file.shown, "status": status, "bytes": file.size }),
        ),
        false => output::print(&format!("{status} {}  {}", file.shown, size(file.size))),
    }
}
