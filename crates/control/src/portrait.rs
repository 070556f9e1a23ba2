//! Pictures of people: a confined process draws an untrusted image as a small PNG, so that no byte of it, no metadata
//! and no fault of a format reaches others.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::process::ExitCode;
use std::time::Duration;

use domain::people::picture::{PICTURE_MAX_BYTES, SENT_MAX_BYTES, is_image};
use domain::{Error, Result, Rule};
use sandbox::{Limits, Output, Protection, WorkContext, Worker, WorkerEnd};
use shape::flat;
use shape::picture::PictureSize;
use tokio::io::AsyncReadExt;
use tokio::sync::Semaphore;

/// The command of this binary that draws.
pub const WORKER: &str = "draw";

/// Bounds of a worker. Images may decode to 512 MiB, beside the program and what its allocator reserves.
const LIMITS: Limits = Limits {
    time: Duration::from_secs(20),
    processor_time: Duration::from_secs(10),
    memory_bytes: 2 * 1024 * 1024 * 1024,
    output_bytes: PICTURE_MAX_BYTES,
    processors: Some(1),
};

/// Turns to draw: a worker may take a gigabyte.
static TURNS: Semaphore = Semaphore::const_new(1);

/// Draws the image passed to this process. Call it from the main thread before any other thread starts.
pub fn work() -> ExitCode {
    sandbox::work(|WorkContext { input, mut output, .. }| {
        let mut bytes = Vec::new();
        input.take(SENT_MAX_BYTES).read_to_end(&mut bytes)?;
        // No output: it is no image.
        if let Ok(image) = flat::image(&bytes) {
            output.write_all(&image.draw(PictureSize::Small).png().map_err(io::Error::other)?)?;
        }
        output.flush()
    })
}

/// The picture that an image becomes.
///
/// # Errors
/// `INVALID_REQUEST` at `file` if it is no PNG, JPEG or WebP that can be read.
pub async fn draw(mut image: File) -> Result<Vec<u8>> {
    let mut head = [0; 16];
    let read = image.read(&mut head).map_err(Error::internal)?;
    if !is_image(head.get(..read).unwrap_or_default()) {
        return Err(unreadable());
    }
    image.rewind().map_err(Error::internal)?;
    let _turn = TURNS.acquire().await.map_err(Error::internal)?;
    let worker = Worker {
        program: Worker::own_program(),
        arguments: vec![WORKER.into()],
        task: String::new(),
        limits: LIMITS,
        protection: Protection::Required,
        foreign: None,
    };
    let receive = async |output: &mut Output| {
        let mut png = Vec::new();
        output.read_to_end(&mut png).await.map(|_| png)
    };
    match worker.run(image, receive).await? {
        WorkerEnd::Finished(png) => {
            let png = png.map_err(Error::internal)?;
            if png.is_empty() { Err(unreadable()) } else { Ok(png) }
        }
        WorkerEnd::Unprotected(cause) => {
            tracing::error!(cause, "this kernel can't confine the drawing of pictures");
            Err(Error::internal("a worker can't be confined"))
        }
        WorkerEnd::Crashed(crash) => {
            tracing::warn!(cause = %crash, "drawing of a picture ended");
            Err(unreadable())
        }
        end @ (WorkerEnd::TimedOut | WorkerEnd::OutOfMemory | WorkerEnd::OutputTooLarge) => {
            tracing::warn!(cause = ?end, "drawing of a picture met a bound");
            Err(unreadable())
        }
    }
}

fn unreadable() -> Error {
    Error::invalid(
        "file",
        Rule::Format("image".to_owned()),
        "must be a PNG, JPEG or WebP image that can be read",
    )
}
