//! Names of sessions on the command line: an id, a unique beginning, or nothing for the only open session.

use api::work::sessions::ListSessions;
use client::Client;
use domain::content::project::ProjectRef;
use domain::id::SessionId;
use futures_util::TryStreamExt;

use crate::arguments::work::SessionArgument;
use crate::failure::{CommandFailure, CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::resource::Project;

/// The session that is meant; without a text, the only open one.
pub(crate) async fn find(
    client: &Client,
    argument: &SessionArgument,
    beginning: Beginning,
) -> CommandResult<(Project, SessionId)> {
    let project = argument.project.find(client, beginning).await?;
    let id = find_in(client, &project, argument.session.as_deref(), beginning).await?;
    Ok((project, id))
}

/// The session of a project that is meant.
pub(crate) async fn find_in(
    client: &Client,
    project: &Project,
    text: Option<&str>,
    beginning: Beginning,
) -> CommandResult<SessionId> {
    if let Some(id) = text.and_then(|text| text.parse().ok()) {
        return Ok(id);
    }
    let sessions = client.call(ListSessions, whole(project)).rows();
    let sessions: Vec<_> = sessions.map_ok(|session| session.session_id).try_collect().await?;
    if text.is_none() && sessions.is_empty() {
        let message = format!("{project} has no open session");
        return Err(CommandFailure::new(Exit::NotFound, message)
            .next(format!("Open one: atelier prompt {} \"…\" --keep", project.argument())));
    }
    let list = format!("atelier sessions list {}", project.argument());
    // The only one needs no name.
    let beginning = if text.is_none() { Beginning::Taken } else { beginning };
    let wanted = RowName { kind: "session", text: text.unwrap_or_default(), list: &list, beginning };
    wanted.among(sessions, |id| (id.to_string(), String::new()))
}

/// The project without a branch, whose sessions are those of all branches.
pub(crate) fn whole(project: &Project) -> ProjectRef {
    ProjectRef { project: project.record.id, branch: None }
}
