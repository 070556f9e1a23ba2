//! The data plane's endpoints: the handlers of the operations that `api` declares.

pub mod attachment_uploads;
pub mod attachments;
pub mod download;
pub mod lfs;
pub mod place;
pub mod previews;
pub mod replace;
pub mod resumable;
pub mod upload;
pub mod upload_archive;
pub mod upload_files;

use api::content::git;
use api::{control, dataplane};
use bytes::Bytes;
use domain::work::session::ConnectionId;
use domain::{Code, Error, Result};
use serde_json::Value;
use wire::{Endpoint, StaticContent, Table, endpoint, page};

use crate::app::App;

/// Examples for the OpenAPI document, which a test writes.
const EXAMPLES: &str = include_str!("../generated/examples.json");

/// All endpoints of the data plane.
pub fn table() -> Table<App> {
    let attachments =
        [endpoint(attachments::attach), endpoint(attachments::download), endpoint(previews::attachment)];
    let endpoints = files()
        .into_iter()
        .chain(resumable::endpoints())
        .chain(attachments)
        .chain(attachment_uploads::endpoints());
    let table = Table::new(&dataplane::PLANE, EXAMPLES, endpoints);
    let index = Bytes::from(Value::Object(table.index()).to_string());
    let index = StaticContent::new("application/json", index);
    table.with_pages([page("/", "readIndex", move |head, _| index.respond(head))]).elsewhere(&ELSEWHERE)
}

/// Hints for paths of the other plane.
const ELSEWHERE: [(&str, &str); 3] =
    [(control::PLANE.root(), CONTROL_PLANE), (git::ADDRESS, CONTROL_PLANE), ("/docs", CONTROL_PLANE)];
const CONTROL_PLANE: &str = "It belongs to the control plane.";

/// The endpoints of whole files, and of what is made of them.
fn files() -> [Endpoint<App>; 9] {
    [
        endpoint(upload::handle),
        endpoint(upload_files::handle),
        endpoint(replace::handle),
        endpoint(upload_archive::handle),
        endpoint(download::handle),
        endpoint(lfs::handle),
        endpoint(previews::preview),
        endpoint(previews::thumbnail),
        endpoint(previews::model),
    ]
}

/// The connection that a path names.
fn connection_id(text: &str) -> Result<ConnectionId> {
    text.parse()
        .map_err(|_| Error::new(Code::InvalidConnectionId, "The connection id must start with `headless-`."))
}
