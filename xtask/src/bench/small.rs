//! Small files: each is authorised, hashed, synced to the disk and attached to the tree by the session's host, in two
//! transactions. The yardstick receives them and writes them, and that is all.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::Result;

use super::client::{Client, Request};
use super::load::{Load, medians};
use super::stack::Stack;
use super::table::Row;
use super::upload::Body;

const FILE_BYTES: usize = 16 * 1024;
const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 8, time: Duration::from_secs(4) };

/// The row of small uploads.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let numbers = AtomicUsize::new(1);
    let rate = |url: &str, path: &str, bearer: &str| {
        let request = |client: &mut Client, _| {
            let body = Body::new(FILE_BYTES, 1, numbers.fetch_add(1, Ordering::Relaxed));
            let whole = body.pieces().collect::<Vec<_>>().concat();
            let request = Request { method: "POST", path, bearer, headers: &[Body::header()] };
            client.send(&request, &whole)?.expect(200).map(drop)
        };
        LOAD.rate(|_| Client::connect(url), request)
    };
    let [service, yardstick] = medians(
        ROUNDS,
        [
            &mut |_| {
                // A tree of thousands is not what is measured.
                let session = stack.session()?;
                rate(&stack.ready.data_url, &session.upload_path, &session.grant)
            },
            &mut |_| {
                let rate = rate(&stack.handler.url, "/", "")?;
                stack.handler.clear()?;
                Ok(rate)
            },
        ],
    )?;
    Ok(vec![Row {
        name: "uploads of 16 KiB, 8 clients".to_owned(),
        unit: "/s",
        service,
        yardstick: Some(yardstick),
        required: None,
        aim: None,
        note: "bare actix handler: receive, write",
    }])
}
