//! Reads of a project, each authorised: its record, and its tree from the cache.

use std::time::Duration;

use anyhow::Result;

use crate::client::{Client, Request};
use crate::load::{Load, medians};
use crate::stack::Stack;
use crate::table::Row;

const ROUNDS: usize = 3;
const LOAD: Load = Load { clients: 8, time: Duration::from_secs(3) };

/// The rows of reads.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let project = stack.session()?.project;
    let rate = |path: String| {
        let request = |client: &mut Client, _| {
            let bearer = &stack.ready.api_key;
            client
                .send(&Request { method: "GET", path: &path, bearer, headers: &[] }, b"")?
                .expect(200)
                .map(drop)
        };
        LOAD.rate(|_| Client::connect(&stack.ready.control_url), request)
    };
    let [record, tree] = medians(
        ROUNDS,
        [&mut |_| rate(format!("/api/v2/projects/{project}")), &mut |_| {
            rate(format!("/api/v2/projects/{project}/tree"))
        }],
    )?;
    let row = |name: &str, service| {
        let name = format!("{name}, 8 clients");
        Row { name, unit: "/s", service, yardstick: None, required: None, aim: None, note: "" }
    };
    Ok(vec![row("reads of a project", record), row("reads of its tree", tree)])
}
