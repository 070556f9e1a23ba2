//! Uploads of small files. Each is authorised, hashed, synced to the disk, and attached to the tree in a transaction.
//! The yardstick only receives and writes them.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};

use super::upload::Body;
use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::stack::{Session, Stack};
use crate::table::Row;

const FILE_BYTES: usize = 16 * 1024;
const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 8, time: Duration::from_secs(4) };

/// The rows of small uploads: to a project for each client, to one project through a session for each client, and
/// through one session. Uploads to one project queue for its branch.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let numbers = AtomicUsize::new(1);
    let rate = |url: &str, targets: &[Target]| {
        let prepare = |client: usize| {
            let target = targets.get(client % targets.len()).context("no upload target")?;
            Ok((Client::connect(url)?, target))
        };
        LOAD.rate(prepare, |(client, target), _| {
            let body = Body::new(FILE_BYTES, 1, numbers.fetch_add(1, Ordering::Relaxed));
            let whole = body.pieces().collect::<Vec<_>>().concat();
            let Target { path, bearer } = target;
            let request = Request { method: "POST", path, bearer, headers: &[Body::header()] };
            client.send(&request, &whole)?.expect(200).map(drop)
        })
    };
    // New sessions in each round, so that trees stay small.
    let upload = |sessions: Vec<Session>| {
        let targets: Vec<Target> = sessions.into_iter().map(Target::of).collect();
        rate(&stack.ready.data_url, &targets)
    };
    let own = || (0..LOAD.clients).map(|_| stack.session()).collect::<Result<Vec<_>>>();
    let in_one_project = || {
        let first = stack.session()?;
        let others = (1..LOAD.clients).map(|_| stack.session_on(first.project.clone()));
        let others = others.collect::<Result<Vec<_>>>()?;
        Ok::<_, anyhow::Error>(std::iter::once(first).chain(others).collect())
    };
    let [own, in_one_project, shared, yardstick] = medians(
        ROUNDS,
        [
            &mut |_| upload(own()?),
            &mut |_| upload(in_one_project()?),
            &mut |_| upload(vec![stack.session()?]),
            &mut |_| {
                // Its files stay until the end: after a deletion of thousands, an ext4 without a journal searches all of
                // their inodes for each new file, for minutes.
                let rate =
                    rate(&stack.handler.url, &[Target { path: "/".to_owned(), bearer: String::new() }]);
                // The yardstick doesn't sync; its writes must not run into the next measurement.
                Command::new("sync").status()?;
                rate
            },
        ],
    )?;
    let row = |name: &str, service| Row {
        name: name.to_owned(),
        unit: "/s",
        service,
        yardstick: Some(yardstick),
        required: None,
        aim: None,
        note: "bare actix handler: receive, write",
    };
    Ok(vec![
        row("uploads of 16 KiB, 8 clients", own),
        row("  the same, all to one project", in_one_project),
        row("  through one session", shared),
    ])
}

/// Address and credential of an upload.
struct Target {
    path: String,
    bearer: String,
}

impl Target {
    fn of(session: Session) -> Self {
        Self { path: session.upload_path, bearer: session.grant }
    }
}
