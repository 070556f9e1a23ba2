//! Pin an include to another commit of its package.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::object::CommitHash;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::includes;
use wire::{Json, NoQuery, Reply, Request, TaggedReply};

use crate::app::App;
use crate::routes::includes::{IncludeAnswer, IncludePath};

/// The change.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "UpdateIncludeRequest")]
pub struct Body {
    /// A commit at which the package was published.
    commit_hash: CommitHash,
}

/// Pins an include to another commit, uncommitted.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, IncludePath, NoQuery, Json<Body>>,
) -> Result<TaggedReply<IncludeAnswer>> {
    let (call, path) = (&request.call, &request.path);
    let commit = request.body.0.commit_hash;
    let expected = request.head.if_match()?;
    let include = app
        .store
        .mutate(call, &path.project_id, async |tx, project| {
            if expected.is_some() {
                let include = includes::hold(tx, project, call, path.include_id).await?;
                wire::check_if_match(expected.as_ref(), &IncludeAnswer { include })?;
            }
            includes::pin(tx, project, call, path.include_id, commit).await
        })
        .await?;
    Ok(Reply::ok(IncludeAnswer { include }).etag_of_body())
}
