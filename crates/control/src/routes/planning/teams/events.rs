//! Follow the change events of a team.

use api::planning::teams::StreamTeamEvents;
use auth::actor::TeamRead;
use domain::Result;
use store::change_events::FollowedScope;
use wire::Request;

use crate::app::App;
use crate::routes::change_events::{ChangeStream, FollowRequest, follow};
use crate::routes::target::PathTarget;

/// Sends the changes of the team, of its board, and of the cards on it, as far as the caller may read them.
pub async fn handle(app: App, request: Request<TeamRead, StreamTeamEvents>) -> Result<ChangeStream> {
    let Request { call, path, query, head, .. } = request;
    let at = path.target();
    follow(app, FollowRequest { call, subject: at.team.0, at, prove: FollowedScope::of_team, head, query })
        .await
}
