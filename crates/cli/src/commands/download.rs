//! Download the file of an object.

use std::path::PathBuf;

use client::{Client, Downloads};

use crate::arguments::Global;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::local_file::file_name;
use crate::output::{self, size};
use crate::progress::{Direction, Progress};
use crate::resource::PlaceArgument;

/// Writes the file of one object. It appears under its name when it is whole and verified.
pub(crate) async fn run(
    client: &Client,
    place: &PlaceArgument,
    output: Option<PathBuf>,
    global: &Global,
) -> CommandResult<Exit> {
    let project = place.project.find(client).await?;
    let id = project.object(client, &place.path).await?;
    let object = client.get_object(&project.reference(), &id).await?.object;
    let Some(file) = object.file else {
        return Err(CommandFailure::new(
            crate::failure::Exit::Refused,
            format!("{} has no file of its own", object.name),
        )
        .next("Download what is below it: atelier sync"));
    };
    let path = output.unwrap_or_else(|| file_name(&object.name, &file).into());
    let downloads = Downloads::open(client, &project.reference()).await?;
    let (progress, reports) = Progress::start(Direction::Down, 1, file.size, global.json);
    let sink = progress.file(object.name.as_str(), file.size);
    let fetched = downloads.fetch(id, &file, &path, &sink).await;
    drop(reports);
    progress.clear();
    fetched.map_err(|error| CommandFailure::download(&path, error))?;
    if global.json {
        output::json(
            &serde_json::json!({ "objectId": id, "path": path, "sha256": file.sha256, "size": file.size }),
        );
    } else {
        output::note(&format!("{}  {}", path.display(), size(file.size)));
    }
    Ok(Exit::Done)
}
