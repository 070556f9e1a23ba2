//! Upload of one file of 2 GiB to the data plane with its local store. The yardstick is a single thread that receives,
//! hashes and writes the same body. The requirement compares with its time without a sync; a second row compares with a
//! sync, after which the data plane answers. Parallel uploads of 64 MiB measure memory.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, anyhow, ensure};

use crate::client::{Client, Request};
use crate::load::medians;
use crate::stack::{Session, Stack, Yardstick};
use crate::table::{Bound, Row};

/// Size of the file, the largest that the service accepts.
const FILE_BYTES: usize = 2 * 1024 * 1024 * 1024;
/// Size of the block that is repeated in the file.
const BLOCK_BYTES: usize = 1024 * 1024;
const ROUNDS: usize = 3;
const REQUIRED: f64 = 0.9;
const AIM: f64 = 1.3;
const MEMORY_MIB: f64 = 16.0;
/// Parallel uploads: the size of each, their number, and the number of their sessions.
const PARALLEL_BYTES: usize = 64 * 1024 * 1024;
const PARALLEL: u16 = 64;
const SESSIONS: usize = 8;

/// A `multipart/form-data` body with one file, generated while it is sent.
pub(super) struct Body {
    front: Vec<u8>,
    block: Vec<u8>,
    blocks: usize,
    back: Vec<u8>,
}

/// The rows of large uploads.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let session = stack.session()?;
    stack.data.reset_peak()?;
    let before = stack.data.resident_mib()?;
    let [service, plain, synced] = medians(
        ROUNDS,
        [
            &mut |round| upload(stack, &session, round),
            &mut |round| receive(&stack.receiver, "/plain", round),
            &mut |round| receive(&stack.receiver, "/synced", round),
        ],
    )?;
    let grown = stack.data.peak_mib()? - before;
    let of_each = in_parallel(stack)?;
    let row = |name: &str, yardstick, required, aim, note| {
        let name = name.to_owned();
        Row { name, unit: "MB/s", service, yardstick: Some(yardstick), required, aim, note }
    };
    Ok(vec![
        row(
            "upload of 2 GiB",
            plain,
            Some(Bound::Ratio(REQUIRED)),
            Some(Bound::Ratio(AIM)),
            "one thread: receive, SHA-256, write",
        ),
        row("  the same", synced, None, None, "the same thread, and sync"),
        Row {
            name: "  growth of memory".to_owned(),
            unit: "MiB",
            service: grown,
            yardstick: None,
            required: Some(Bound::Below(MEMORY_MIB)),
            aim: None,
            note: "",
        },
        Row {
            name: "  and with 64 of 64 MiB at once, for each".to_owned(),
            unit: "MiB",
            service: of_each,
            yardstick: None,
            required: Some(Bound::Below(MEMORY_MIB)),
            aim: None,
            note: "",
        },
    ])
}

/// Uploads files in parallel. Returns the peak growth of the data plane's memory for each, in MiB.
fn in_parallel(stack: &Stack) -> Result<f64> {
    let sessions = (0..SESSIONS).map(|_| stack.session()).collect::<Result<Vec<_>>>()?;
    stack.data.reset_peak()?;
    let before = stack.data.resident_mib()?;
    let upload = |number: usize| {
        let session = sessions.get(number % SESSIONS).context("no session")?;
        let body = Body::new(BLOCK_BYTES, PARALLEL_BYTES / BLOCK_BYTES, number);
        let Session { upload_path: path, grant: bearer, .. } = session;
        let request = Request { method: "POST", path, bearer, headers: &[Body::header()] };
        let mut client = Client::connect(&stack.ready.data_url)?;
        client.send_pieces(&request, body.length(), body.pieces())?.expect(200).map(drop)
    };
    std::thread::scope(|scope| {
        let upload = &upload;
        let clients: Vec<_> =
            (0..usize::from(PARALLEL)).map(|number| scope.spawn(move || upload(number))).collect();
        clients.into_iter().try_for_each(|client| client.join().map_err(|_| anyhow!("a client panicked"))?)
    })?;
    let grown = stack.data.peak_mib()? - before;
    for session in &sessions {
        remove_files(&blobs_of(stack, session))?;
    }
    Ok(grown / f64::from(PARALLEL))
}

impl Body {
    /// A file of `blocks` times `block_bytes`, different for each `number`.
    pub(super) fn new(block_bytes: usize, blocks: usize, number: usize) -> Self {
        let front = "--frontier\r\nContent-Disposition: form-data; name=\"file\"; filename=\"bench.bin\"\r\nContent-Type: application/octet-stream\r\n\r\n";
        // Pseudo-random bytes by Knuth's generator.
        let mut state = u64::try_from(number).unwrap_or_default();
        let mut noise = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32).to_le_bytes().into_iter().take(4)
        };
        let block = (0..block_bytes.div_ceil(4)).flat_map(|_| noise()).take(block_bytes).collect();
        Self { front: front.into(), block, blocks, back: b"\r\n--frontier--\r\n".into() }
    }

    /// The header that names its type.
    pub(super) fn header() -> String {
        "content-type: multipart/form-data; boundary=frontier".to_owned()
    }

    /// Its length in bytes.
    pub(super) fn length(&self) -> usize {
        self.front.len() + self.block.len() * self.blocks + self.back.len()
    }

    /// Its bytes, in order.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        let file = std::iter::repeat_n(self.block.as_slice(), self.blocks);
        std::iter::once(self.front.as_slice()).chain(file).chain([self.back.as_slice()])
    }
}

fn upload(stack: &Stack, session: &Session, round: usize) -> Result<f64> {
    let megabytes = send(&stack.ready.data_url, &session.upload_path, &session.grant, round)?;
    // Checked for completeness, and removed, so that each contestant finds the disk equally empty.
    let blobs = blobs_of(stack, session);
    let sizes = remove_files(&blobs)?;
    ensure!(sizes == [u64::try_from(FILE_BYTES)?], "{} holds {sizes:?}", blobs.display());
    Ok(megabytes)
}

fn blobs_of(stack: &Stack, session: &Session) -> PathBuf {
    stack.service_folder.join("blobs").join("blobs").join(&session.project)
}

fn receive(yardstick: &Yardstick, path: &str, round: usize) -> Result<f64> {
    let megabytes = send(&yardstick.url, path, "", round)?;
    remove_files(&yardstick.folder)?;
    Ok(megabytes)
}

/// Sends the file, and returns the megabytes per second.
fn send(url: &str, path: &str, bearer: &str, round: usize) -> Result<f64> {
    let body = Body::new(BLOCK_BYTES, FILE_BYTES / BLOCK_BYTES, round + 1);
    let mut client = Client::connect(url)?;
    let request = Request { method: "POST", path, bearer, headers: &[Body::header()] };
    let begun = Instant::now();
    client.send_pieces(&request, body.length(), body.pieces())?.expect(200)?;
    let megabytes = f64::from(u32::try_from(FILE_BYTES / 1_000_000)?);
    Ok(megabytes / begun.elapsed().as_secs_f64())
}

/// Removes the files of a folder, and returns their sizes.
fn remove_files(folder: &Path) -> Result<Vec<u64>> {
    let mut sizes = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| format!("read {}", folder.display()))? {
        let entry = entry?;
        sizes.push(entry.metadata()?.len());
        std::fs::remove_file(entry.path())?;
    }
    Ok(sizes)
}
