//! Follow the change events of a project.

use api::content::projects::StreamProjectEvents;
use auth::actor::ProjectRead;
use domain::Result;
use store::change_events::FollowedScope;
use wire::Request;

use crate::app::App;
use crate::routes::change_events::{ChangeStream, FollowRequest, follow};

/// Sends the changes of the project, its objects, commits and cards, as far as the caller may read them.
pub async fn handle(app: App, request: Request<ProjectRead, StreamProjectEvents>) -> Result<ChangeStream> {
    let Request { call, path, query, head, .. } = request;
    let at = path.project_id;
    follow(
        app,
        FollowRequest { call, subject: at.project.0, at, prove: FollowedScope::of_project, head, query },
    )
    .await
}
