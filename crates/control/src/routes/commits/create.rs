//! Commit a branch's changes.

use auth::actor::ProjectWrite;
use domain::Result;
use domain::commit::{CommitMessage, MESSAGE_MAX_CHARS};
use domain::text::Text;
use schemars::JsonSchema;
use serde::Deserialize;
use store::content::commits;
use wire::{Json, NoQuery, Reply, Request, TaggedCreated};

use crate::app::App;
use crate::routes::branches::BranchPath;
use crate::routes::commits::CommitAnswer;

/// The commit's message.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(rename = "CreateCommitRequest")]
pub struct Body {
    /// The commit's message.
    #[schemars(extend("format" = "visible-text"))]
    message: Text<MESSAGE_MAX_CHARS>,
}

/// Commits all uncommitted changes of a branch in the caller's name.
pub async fn handle(
    app: App,
    request: Request<ProjectWrite, BranchPath, NoQuery, Json<Body>>,
) -> Result<TaggedCreated<CommitAnswer>> {
    let call = &request.call;
    let at = request.path.resolve()?;
    let message = CommitMessage::parse("message", request.body.0.message)?;
    let created = app
        .store
        .create_on_branch(call, &at, async |tx, project| commits::create(tx, project, call, &message).await)
        .await?;
    Ok(Reply::created(created.map(|commit| CommitAnswer { commit })).etag_of_body())
}
