//! Standard input as one file, by way of a file on disk: its size must be known first.

use std::fs::File;
use std::path::PathBuf;

use client::{Client, FileBody, FileUpload, RetryPolicy, Session};
use tokio::sync::oneshot;

use super::stopped;
use crate::arguments::{Global, Upload};
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::folders;
use crate::output::{self, size};
use crate::progress::Progress;
use crate::resource::Project;

/// Uploads standard input under the name of `--name`. A stop removes what was read.
pub(super) async fn send(
    client: &Client,
    project: &Project,
    options: &Upload,
    global: &Global,
) -> CommandResult<Exit> {
    tokio::select! {
        sent = send_whole(client, project, options, global) => sent,
        () = stopped() => Err(CommandFailure::new(Exit::Stopped, "stopped").next("Nothing was sent")),
    }
}

async fn send_whole(
    client: &Client,
    project: &Project,
    options: &Upload,
    global: &Global,
) -> CommandResult<Exit> {
    let Some(name) = options.name.clone().filter(|_| options.paths.len() == 1) else {
        return Err(CommandFailure::usage("standard input needs a name, and goes alone")
            .next("For example: … | atelier upload - --name backup.tar --to gearbox:/Library"));
    };
    let parent = project.object(client, &options.to.path).await?;
    if options.dry_run {
        output::print(&format!("would send {name}"));
        return Ok(Exit::Done);
    }
    let folder = folders::state()?.join("input");
    folders::make_private(&folder)?;
    let spool = Spool(folder.join(uuid::Uuid::new_v4().to_string()));
    let failed = |error: std::io::Error| CommandFailure::local("keep standard input", error);
    let file = File::create(&spool.0).map_err(failed)?;
    read_into(file).await.map_err(failed)?;
    let patient = client.with_retry(RetryPolicy::default());
    let session = Session::open(&patient, &project.reference()).await?;
    let body = FileBody::path(&spool.0).await?;
    let bytes = body.size_bytes();
    let (progress, reports) = Progress::start(1, bytes, global.json);
    let sink = progress.file(&name, bytes);
    let stored = session.upload(parent, &FileUpload { name: name.clone(), body, key: None }, &sink).await;
    drop(reports);
    progress.clear();
    // The run is over without it, too: an open session lapses.
    drop(session.close().await);
    let stored = stored?;
    if global.json {
        output::json(&stored);
    } else {
        output::note(&format!("Sent {name}, {}.", size(bytes)));
    }
    Ok(Exit::Done)
}

/// Copies standard input to a file, by a thread that the end of the program doesn't wait for: input may never end.
async fn read_into(mut file: File) -> std::io::Result<()> {
    let (sender, read) = oneshot::channel();
    std::thread::spawn(move || {
        let copied = std::io::copy(&mut std::io::stdin().lock(), &mut file);
        // Nobody waits after a stop.
        drop(sender.send(copied));
    });
    read.await.map_err(std::io::Error::other)?.map(drop)
}

/// A file that is removed when the command ends.
struct Spool(PathBuf);

impl Drop for Spool {
    fn drop(&mut self) {
        drop(std::fs::remove_file(&self.0));
    }
}
