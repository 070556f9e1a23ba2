//! Standard input as one file, by way of a file on disk: its size and its hash must be known first.

use std::ffi::OsStr;
use std::fs::File;
use std::path::PathBuf;

use tokio::sync::oneshot;

use super::local::project_name;
use crate::arguments::transfer::Upload;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::folders::TemporaryFolder;
use crate::stop::stopped;

/// Standard input that was read to its end. Its file is removed when the command ends.
pub(super) struct Input {
    folder: TemporaryFolder,
    name: String,
}

impl Input {
    /// Reads standard input to its end. A stop removes what was read.
    pub(super) async fn read(name: String) -> CommandResult<Self> {
        let input = Self { folder: TemporaryFolder::make("input")?, name };
        let failed = |error: std::io::Error| CommandFailure::io("keep standard input", &error);
        let path = input.path();
        tokio::select! {
            // First, so that a stop is caught before there is a file to remove.
            biased;
            () = stopped() => Err(CommandFailure::new(Exit::Stopped, "stopped").next("Nothing was sent")),
            read = async { read_into(File::create(path)?).await } => read.map_err(failed).map(|()| input),
        }
    }

    /// The name of standard input where it is to be sent. Wrong usage is known before the first request.
    pub(super) fn name(options: &Upload) -> CommandResult<Option<String>> {
        let is_input = options.paths.iter().any(|path| path.as_os_str() == "-");
        match &options.name {
            None if is_input => Err(usage("standard input needs a name")),
            None => Ok(None),
            Some(_) if !is_input => Err(usage("--name is the name of standard input alone")),
            Some(_) if options.paths.len() > 1 => Err(usage("standard input goes alone")),
            Some(name) if name.contains('/') => {
                Err(usage(&format!("standard input can't be named \"{name}\"")))
            }
            Some(name) => match project_name(OsStr::new(name)) {
                Ok(_) => Ok(Some(name.clone())),
                Err(reason) => Err(usage(&format!("standard input can't be named \"{name}\": {reason}"))),
            },
        }
    }

    /// The file on disk.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.path().join(&self.name)
    }
}

fn usage(message: &str) -> CommandFailure {
    CommandFailure::usage(message)
        .next("For example: … | atelier upload - --name backup.tar --to gearbox:/Library")
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
