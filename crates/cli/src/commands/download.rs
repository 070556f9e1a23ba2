//! Download the file of an object, to a file or to standard output.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use client::{Client, Downloads};

use crate::arguments::Global;
use crate::commands::objects::one;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::folders::TemporaryFolder;
use crate::local_file::file_name;
use crate::output::{self, size};
use crate::progress::{Direction, Progress};
use crate::resource::PlaceArgument;
use crate::shell::quoted;
use crate::stop::stopped;

/// Bytes that are written to standard output at once.
const CHUNK_BYTES: usize = 128 * 1024;

/// The place of the bytes.
#[derive(Debug)]
pub(crate) struct Output {
    /// The file, or `-`; the object's name by default.
    pub(crate) path: Option<PathBuf>,
    /// True to overwrite a file.
    pub(crate) is_forced: bool,
}

/// Writes the file of one object. It appears when it is whole and verified.
pub(crate) async fn run(
    client: &Client,
    place: &PlaceArgument,
    output: Output,
    global: &Global,
) -> CommandResult<Exit> {
    let (project, id) = one(client, place).await?;
    let object = client.get_object(&project.reference(), &id).await?.object;
    let Some(file) = object.file else {
        let message = format!("{} has no file of its own", object.name);
        return Err(CommandFailure::new(Exit::Refused, message).next(format!(
            "Download what is below it: atelier sync {} FOLDER",
            project.place(&id.to_string())
        )));
    };
    // Bytes for standard output wait in a file until they are verified.
    let waiting = match output.path.as_deref() == Some(Path::new("-")) {
        true => Some(TemporaryFolder::make("output")?),
        false => None,
    };
    let path = match (&waiting, output.path) {
        (Some(folder), _) => folder.path().join("file"),
        (None, Some(path)) => path,
        (None, None) => file_name(&object.name, &file).into(),
    };
    check_place(&path, output.is_forced)?;
    let downloads = Downloads::open(client, &project.reference()).await?;
    let json = global.json && waiting.is_none();
    let (progress, reports) = Progress::start(Direction::Down, 1, file.size, json);
    let sink = progress.file(object.name.as_str(), file.size);
    let fetched = tokio::select! {
        fetched = downloads.fetch(id, &file, &path, &sink) => {
            fetched.map_err(|error| CommandFailure::download(&path, error))
        }
        () = stopped() => Err(match waiting {
            Some(_) => CommandFailure::new(Exit::Stopped, "stopped"),
            None => CommandFailure::new(Exit::Stopped, "stopped").next("Run the same command to go on"),
        }),
    };
    drop(reports);
    progress.clear();
    fetched?;
    if let Some(folder) = waiting {
        print(&path, folder)?;
    } else if global.json {
        output::json(
            &serde_json::json!({ "objectId": id, "path": path, "sha256": file.sha256, "size": file.size }),
        );
    } else {
        output::note(&format!("{}  {}", path.display(), size(file.size)));
    }
    Ok(Exit::Done)
}

/// Refuses a place that has something which is not to be lost.
fn check_place(path: &Path, is_forced: bool) -> CommandResult<()> {
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

/// Writes a file to standard output. Its folder is removed before, because a reader that leaves ends the program.
fn print(path: &Path, folder: TemporaryFolder) -> CommandResult<()> {
    let failed = |error: std::io::Error| CommandFailure::io("read the downloaded file", &error);
    let mut file = File::open(path).map_err(failed)?;
    drop(folder);
    let mut buffer = vec![0; CHUNK_BYTES];
    loop {
        match file.read(&mut buffer).map_err(failed)? {
            0 => return Ok(()),
            length => output::stream(buffer.get(..length).unwrap_or_default()),
        }
    }
}
