//! Download the file of an object, to a file or to standard output.

use std::path::Path;

use api::content::objects::{GetObject, ObjectPath};
use client::{Client, Downloads};
use domain::content::object::FileRef;
use domain::id::ObjectId;

use crate::arguments::Global;
use crate::arguments::transfer::Download;
use crate::bandwidth::limited;
use crate::commands::objects::one;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::local_file::LocalName;
use crate::naming::Beginning;
use crate::output::{self, Loudness, size};
use crate::progress::{Direction, Progress};
use crate::resource::Project;
use crate::shell::quoted;
use crate::stop::stopped;

/// Writes the file of one object. It appears when it is whole and verified; standard output gets bytes as they arrive.
pub(crate) async fn run(client: &Client, arguments: Download, global: &Global) -> CommandResult<Exit> {
    let Download { place, output, force, bwlimit, messages } = arguments;
    let loudness = messages.loudness();
    let (project, id) = one(client, &place, Beginning::Taken).await?;
    let object =
        client.call(GetObject, ObjectPath { project_id: project.reference(), object_id: id }).await?.object;
    let Some(file) = object.file else {
        let message = format!("{} has no file of its own", object.name);
        return Err(CommandFailure::new(Exit::Refused, message).next(format!(
            "Download what is below it: atelier sync {} FOLDER",
            project.place(&id.to_string())
        )));
    };
    let client = &limited(client, bwlimit);
    if output.as_deref() == Some(Path::new("-")) {
        return print(client, &project, (id, &file), loudness).await;
    }
    let path = output.unwrap_or_else(|| LocalName::of_file(&object.name, &file).name.into());
    check_place(&path, force)?;
    let downloads = Downloads::open(client, &project.reference()).await?;
    let (progress, reports) = Progress::start(Direction::Down, (1, file.size), loudness, global.json);
    let sink = progress.file(object.name.as_str(), file.size);
    let fetched = tokio::select! {
        // First, so that a stop is caught before there is a part of the file.
        biased;
        () = stopped() => {
            Err(CommandFailure::new(Exit::Stopped, "stopped").next("Run the same command to go on"))
        }
        fetched = downloads.fetch(id, &file, &path, &sink) => {
            fetched.map_err(|error| CommandFailure::download(&path, error))
        }
    };
    drop(reports);
    progress.clear();
    fetched?;
    if global.json {
        output::json(
            &serde_json::json!({ "objectId": id, "path": path, "sha256": file.sha256, "size": file.size }),
        );
    } else {
        loudness.note(&format!("{}  {}", path.display(), size(file.size)));
    }
    Ok(Exit::Done)
}

/// Writes a file to standard output as it arrives.
async fn print(
    client: &Client,
    project: &Project,
    (id, file): (ObjectId, &FileRef),
    loudness: Loudness,
) -> CommandResult<Exit> {
    let downloads = Downloads::open(client, &project.reference()).await?;
    let (progress, reports) = Progress::start(Direction::Down, (1, file.size), loudness, false);
    let sink = progress.file(&id.to_string(), file.size);
    let streamed = tokio::select! {
        biased;
        () = stopped() => Err(CommandFailure::new(Exit::Stopped, "stopped")),
        streamed = downloads.stream(id, file, &sink, output::stream) => streamed.map_err(CommandFailure::from),
    };
    drop(reports);
    progress.clear();
    streamed.map(|()| Exit::Done)
}

/// Refuses a place that has something which is not to be lost.
pub(crate) fn check_place(path: &Path, is_forced: bool) -> CommandResult<()> {
    if path.symlink_metadata().is_err() {
        let above = path.parent().filter(|above| !above.as_os_str().is_empty() && !above.is_dir());
        return above.map_or(Ok(()), |above| {
            let above = above.display().to_string();
            Err(CommandFailure::new(Exit::Refused, format!("there is no folder {above}"))
                .next(format!("Make it: mkdir -p {}", quoted(&above))))
        });
    }
    let shown = path.display();
    if path.metadata().is_ok_and(|looked| !looked.is_file()) {
        return Err(CommandFailure::new(Exit::Refused, format!("{shown} is there, and is not a file"))
            .next("Name a file: -o FILE, or -o - for standard output"));
    }
    if is_forced {
        return Ok(());
    }
    Err(CommandFailure::new(Exit::Refused, format!("{shown} is there already"))
        .next("Overwrite it: --force, or name another file: -o FILE"))
}
