//! Uploads of a mesh file whose previews are made after them, beside the next uploads. The yardstick is the same uploads to
//! a data plane that makes previews only when it is asked.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::client::{Client, Request};
use crate::groups::Tell;
use crate::load::medians;
use crate::log;
use crate::replica::Replica;
use crate::stack::{Session, Stack};
use crate::table::{Bound, Row};

const ROUNDS: usize = 5;
/// Uploads of a round, one after the other.
const UPLOADS: u32 = 10;
/// Aim, against uploads without previews.
const ANSWERS: f64 = 0.95;
/// Bytes at the beginning of an STL file, which mean nothing. Each upload has others.
const HEADER: usize = 80;
const FRONT: &[u8] =
    b"--frontier\r\nContent-Disposition: form-data; name=\"file\"; filename=\"ring.stl\"\r\n\
                       Content-Type: model/stl\r\n\r\n";
const BACK: &[u8] = b"\r\n--frontier--\r\n";
/// Pause between two looks at a preview, and the longest wait for one.
const POLL: Duration = Duration::from_millis(50);
const LIMIT: Duration = Duration::from_secs(60);

/// The row of uploads.
pub(super) fn measure(stack: &Stack, mesh: &Path, tell: Tell<'_>) -> Result<()> {
    let file = std::fs::read(mesh)?;
    let content = file.get(HEADER..).context("not an STL file")?;
    log("uploads with previews and without");
    let without = Replica::start(stack, "dataplane", &stack.data, &[("ATELIER_PREVIEWS", "asked")])?;
    let [with, without] = medians(
        ROUNDS,
        [
            &mut |round| {
                let session = stack.session()?;
                let (rate, objects) = upload(&stack.ready.data_url, &session, content, round)?;
                // The next contestant shares the processors with none of them.
                objects.iter().try_for_each(|object| wait(stack, &session, object))?;
                Ok(rate)
            },
            &mut |round| Ok(upload(&without.url, &stack.session()?, content, round)?.0),
        ],
    )?;
    #[expect(clippy::as_conversions, reason = "a size for a figure")]
    let megabytes = file.len() as f64 / 1e6;
    tell(vec![Row {
        name: format!("uploads of a mesh of {megabytes:.0} MB, with previews"),
        unit: "/s",
        service: with,
        yardstick: Some(without),
        required: None,
        aim: Some(Bound::Ratio(ANSWERS)),
        note: "the same, previews only when asked",
    }])
}

/// Uploads per second, and the objects of the files.
fn upload(url: &str, session: &Session, content: &[u8], round: usize) -> Result<(f64, Vec<String>)> {
    let Session { upload_path: path, grant: bearer, .. } = session;
    let headers = ["content-type: multipart/form-data; boundary=frontier".to_owned()];
    let mut client = Client::connect(url)?;
    let mut objects = Vec::new();
    let begun = Instant::now();
    for number in 0..UPLOADS {
        let name = format!("ring {round} {number}");
        let header = format!("{name:<HEADER$}");
        let pieces = [FRONT, header.as_bytes(), content, BACK];
        let length = pieces.iter().map(|piece| piece.len()).sum();
        let request = Request { method: "POST", path, bearer, headers: &headers };
        let answer = client.send_pieces(&request, length, pieces.into_iter())?.expect(200)?.json()?;
        let created = answer.pointer("/object").and_then(Value::as_object).context("no objects")?;
        objects.extend(created.keys().cloned());
    }
    Ok((f64::from(UPLOADS) / begun.elapsed().as_secs_f64(), objects))
}

/// Waits until the preview of an object is made.
fn wait(stack: &Stack, session: &Session, object: &str) -> Result<()> {
    let path = format!("/api/v1/projects/{}/objects/{object}/preview", session.project);
    let mut client = Client::connect(&stack.ready.data_url)?;
    let begun = Instant::now();
    loop {
        let request = Request { method: "GET", path: &path, bearer: &session.grant, headers: &[] };
        let preview = client.send(&request, b"")?.expect(200)?.json()?;
        let status = preview.pointer("/status").and_then(Value::as_str).unwrap_or_default();
        if status != "making" {
            ensure!(status == "ready", "a preview was not made: {preview}");
            return Ok(());
        }
        ensure!(begun.elapsed() < LIMIT, "a preview takes too long");
        std::thread::sleep(POLL);
    }
}
