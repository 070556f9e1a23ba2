//! Download a project's files with their folders: only what changed, verified, resumable.
//!
//! A file appears under its name when it is whole. Before, its bytes are in a part beside it, named after its hash, from
//! which a stopped run goes on.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use api::projects::GetTreeQuery;
use client::{Client, Downloads, RetryPolicy};
use domain::id::ObjectId;
use domain::object::{FileRef, TreeNode};
use futures_util::{StreamExt, TryStreamExt, stream};
use serde_json::json;

use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::local_file::{file_name, folder_name, numbered};
use crate::output::{self, count, counted, duration, size};
use crate::progress::Progress;
use crate::resource::PlaceArgument;
use crate::upload::plan::{FileFailure, hash_of, local_reason};
use crate::upload::stopped;

/// Files at once.
const AT_ONCE: usize = 8;

/// Arguments of `sync`.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    /// The place in a project.
    pub(crate) place: PlaceArgument,
    /// The folder to write to.
    pub(crate) folder: PathBuf,
    /// True if nothing is to be written.
    pub(crate) dry_run: bool,
    /// True for lines of JSON.
    pub(crate) json: bool,
}

/// A file to download.
#[derive(Clone, Debug)]
struct Wanted {
    object: ObjectId,
    file: FileRef,
    path: PathBuf,
}

/// Downloads the files below a place.
pub(crate) async fn run(client: &Client, options: &Options) -> CommandResult<Exit> {
    let project = options.place.project.find(client).await?;
    let root = project.object(client, &options.place.path).await?;
    let wanted = {
        let query = GetTreeQuery {
            root: (!options.place.path.is_empty()).then_some(root),
            depth: None,
            object_type: None,
            q: None,
        };
        wanted(client.tree_nodes(&project.reference(), &query), root, &options.folder).await?
    };
    let all = wanted.len();
    let changed =
        tokio::task::spawn_blocking(move || wanted.into_iter().filter(is_changed).collect::<Vec<_>>())
            .await
            .map_err(|error| CommandFailure::local("compare files", error))?;
    let unchanged = all - changed.len();
    let bytes = changed.iter().map(|wanted| wanted.file.size).sum();
    let number = u64::try_from(changed.len()).unwrap_or_default();
    if !options.json {
        let there = count(u64::try_from(unchanged).unwrap_or_default());
        let to_fetch = counted(number, "file", "files");
        output::note(&format!("{there} unchanged, {to_fetch} to download, {}.", size(bytes)));
    }
    if options.dry_run {
        for wanted in &changed {
            let path = wanted.path.display();
            match options.json {
                true => output::json(
                    &json!({ "event": "file", "path": path.to_string(), "status": "would download" }),
                ),
                false => output::print(&format!("would download {path}  {}", size(wanted.file.size))),
            }
        }
        return Ok(Exit::Done);
    }
    let patient = client.with_retry(RetryPolicy::default());
    let (progress, reports) = Progress::start(number, bytes, options.json);
    let downloads = Arc::new(Downloads::open(&patient, &project.reference()).await?);
    let transfers = stream::iter(changed).map(|wanted| {
        let (downloads, progress) = (Arc::clone(&downloads), progress.clone());
        let json = options.json;
        async move { fetch(&downloads, &wanted, &progress, json).await }
    });
    let failures = transfers.buffer_unordered(AT_ONCE).try_collect::<Vec<_>>();
    let done = tokio::select! {
        done = failures => done,
        () = stopped() => Err(CommandFailure::new(Exit::Stopped, "stopped")),
    };
    drop(reports);
    progress.clear();
    let fetched = progress.done();
    let failures: Vec<FileFailure> = match done {
        Ok(failures) => failures.into_iter().flatten().collect(),
        Err(failure) => {
            let far = format!("{} of {} files are here", count(fetched), count(number));
            return Err(failure.next(format!("{far}; run the same command to go on")));
        }
    };
    if options.json {
        output::json(&json!({
            "event": "summary", "downloaded": fetched, "unchanged": unchanged, "failed": failures,
            "bytes": bytes, "seconds": progress.elapsed().as_secs_f64(),
        }));
    } else {
        let time = duration(progress.elapsed());
        output::note(&format!(
            "Done in {time}: {} downloaded, {unchanged} unchanged, {} failed.",
            count(fetched),
            failures.len()
        ));
    }
    Ok(if failures.is_empty() { Exit::Done } else { Exit::Part })
}

/// The files of a tree with their places on this machine. Two objects of one name get different places. What is below an
/// object with a file was made of that file, and is left out.
async fn wanted(
    mut nodes: stream::BoxStream<'static, client::RequestResult<TreeNode>>,
    root: ObjectId,
    folder: &Path,
) -> CommandResult<Vec<Wanted>> {
    let mut folders = HashMap::from([(root, folder.to_owned())]);
    let mut taken: HashSet<PathBuf> = HashSet::new();
    let mut wanted = Vec::new();
    while let Some(TreeNode { id, name, parent, file, .. }) = nodes.try_next().await? {
        let Some(above) = folders.get(&parent) else { continue };
        match file {
            Some(file) => {
                let path = free(&taken, above, &file_name(&name, &file));
                taken.insert(path.clone());
                wanted.push(Wanted { object: id, file: *file, path });
            }
            None => {
                let path = free(&taken, above, &folder_name(&name));
                taken.insert(path.clone());
                folders.insert(id, path);
            }
        }
    }
    Ok(wanted)
}

/// The first place of this name that no other object has.
fn free(taken: &HashSet<PathBuf>, above: &Path, name: &str) -> PathBuf {
    let mut path = above.join(name);
    let mut number = 2;
    while taken.contains(&path) {
        path = above.join(numbered(name, number));
        number += 1;
    }
    path
}

fn is_changed(wanted: &Wanted) -> bool {
    match std::fs::metadata(&wanted.path) {
        Ok(looked) if looked.len() == wanted.file.size => {
            hash_of(&wanted.path).ok().as_ref() != Some(&wanted.file.sha256)
        }
        _ => true,
    }
}

/// Downloads one file. A failure of this file alone is a value; one of all is the error.
async fn fetch(
    downloads: &Downloads,
    wanted: &Wanted,
    progress: &Progress,
    json: bool,
) -> CommandResult<Option<FileFailure>> {
    let shown = wanted.path.display().to_string();
    let sink = progress.file(&shown, wanted.file.size);
    let fetched = async {
        let above = wanted.path.parent().unwrap_or(&wanted.path);
        let failed = |error| client::RequestError::file(&wanted.path, error);
        tokio::fs::create_dir_all(above).await.map_err(failed)?;
        downloads.fetch(wanted.object, &wanted.file, &wanted.path, &sink).await
    };
    let failure = match fetched.await {
        Ok(()) => {
            sink.finish();
            None
        }
        Err(client::RequestError::File { source, .. }) => Some((None, local_reason(&source))),
        Err(error @ client::RequestError::Damaged { .. }) => Some((None, error.to_string())),
        Err(error) if error.is_not_found() => Some((Some("NOT_FOUND".to_owned()), error.to_string())),
        Err(error) => {
            sink.clear();
            return Err(error.into());
        }
    };
    if json {
        let status = if failure.is_none() { "downloaded" } else { "failed" };
        output::json(&json!({ "event": "file", "path": shown, "status": status, "objectId": wanted.object }));
    }
    Ok(failure.map(|(code, message)| {
        sink.clear();
        progress.note(&format!("  {shown}: {message}"));
        FileFailure { path: shown.clone(), code, message }
    }))
}
