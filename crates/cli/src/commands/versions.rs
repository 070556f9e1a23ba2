//! List the versions of an object's file.

use api::content::objects::{ListObjectVersions, ObjectPath};
use client::Client;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::commands::objects::one;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, size};
use crate::resource::PlaceArgument;
use crate::revision::short;

/// Prints the versions, newest first.
pub(crate) async fn run(client: &Client, place: &PlaceArgument, global: &Global) -> CommandResult<Exit> {
    let (project, id) = one(client, place, Beginning::Taken).await?;
    let mut versions =
        client.call(ListObjectVersions, ObjectPath { project_id: project.reference(), object_id: id }).rows();
    let mut rows = Vec::new();
    while let Some(listed) = versions.try_next().await? {
        if global.json {
            output::json(&listed);
            continue;
        }
        let version = listed.version;
        let commit = version.commit_hash.map_or_else(|| "uncommitted".to_owned(), |hash| short(&hash));
        let author = version.author.map_or_else(|| "-".to_owned(), |author| author.name);
        let subject = version.message.as_deref().and_then(|message| message.lines().next());
        let subject = subject.unwrap_or("-").to_owned();
        rows.push([commit, output::minute(version.created_at), author, size(version.file.size), subject]);
    }
    if !global.json {
        let headings = ["COMMIT", "TIME (UTC)", "AUTHOR", "FILE", "MESSAGE"];
        output::print_table(headings, &rows, "It has no file, so it has no versions.");
    }
    Ok(Exit::Done)
}
