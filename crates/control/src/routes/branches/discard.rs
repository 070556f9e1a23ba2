//! Discard uncommitted changes.

use auth::actor::ProjectWrite;
use domain::error::Location;
use domain::id::ObjectId;
use domain::project::BranchName;
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::content::changes;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::branches::BranchPath;

/// Most objects that a request names.
const MAX_OBJECTS: usize = 100;

/// Which changes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// Only those of these objects: at most 100 ids, separated by commas.
    object_ids: Option<String>,
}

/// What was discarded.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "DiscardChangesResponse")]
pub struct Answer {
    deleted: bool,
    /// The branch's name.
    branch: BranchName,
    /// How many objects are as the branch's commit has them again.
    discarded_count: usize,
}

/// Puts a branch, or some objects of it, back to what its commit holds. An object that others need to hang under, or
/// that would hang under one that is not there, is not put back without them.
pub async fn handle(app: App, request: Request<ProjectWrite, BranchPath, Query>) -> Result<Reply<Answer>> {
    let (call, at) = (&request.call, request.path.resolve()?);
    let objects = request.query.object_ids.as_deref().map(ids).transpose()?;
    let objects = objects.as_deref();
    let discarded_count = app
        .store
        .mutate(call, &at, async |tx, project| changes::discard(tx, project, call, objects).await)
        .await?;
    Ok(Reply::ok(Answer { deleted: true, branch: request.path.branch, discarded_count }))
}

fn ids(text: &str) -> Result<Vec<ObjectId>> {
    let ids: Result<Vec<ObjectId>, _> = text.split(',').map(str::parse).collect();
    let ids = ids.map_err(|_| {
        Error::invalid("objectIds", "format", "must be ids of objects, separated by commas")
            .at(Location::Query)
    })?;
    if ids.len() > MAX_OBJECTS {
        let message = format!("must name at most {MAX_OBJECTS} objects");
        return Err(Error::invalid("objectIds", "maxItems", message).at(Location::Query));
    }
    Ok(ids)
}
