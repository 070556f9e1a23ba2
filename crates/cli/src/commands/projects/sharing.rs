//! The users with a role on a project: list them, share it, and end a membership.

use api::content::projects::members::{
    ListProjectMembers, ProjectMemberPath, PutProjectMember, PutProjectMemberRequest, RemoveProjectMember,
};
use client::Client;
use domain::people::member::ProjectMember;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::people::role;
use crate::credentials::person;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, outcome};
use crate::person::{Candidates, explained};
use crate::resource::ProjectArgument;

/// Prints the users with a role on a project.
pub(super) async fn list(client: &Client, project: &ProjectArgument, global: &Global) -> CommandResult<Exit> {
    let found = project.find(client, Beginning::Taken).await?;
    let members: Vec<ProjectMember> =
        client.call(ListProjectMembers, found.record.id).rows().try_collect().await?;
    if global.json {
        members.iter().for_each(output::json);
        return Ok(Exit::Done);
    }
    let row = |one: &ProjectMember| {
        let by = if one.is_direct { "itself" } else { "its owner" };
        [one.name.to_string(), one.role.to_string(), by.to_owned(), one.user_id.to_string()]
    };
    let rows: Vec<[String; 4]> = members.iter().map(row).collect();
    output::print_table(["NAME", "ROLE", "BY", "ID"], &rows, &format!("{found} has no member."));
    Ok(Exit::Done)
}

/// Gives a user a role on a project.
pub(super) async fn share(
    project: &ProjectArgument,
    user: &str,
    name: &str,
    global: &Global,
) -> CommandResult<Exit> {
    let request = PutProjectMemberRequest { role: role(name)? };
    let (client, beginning) = (person(global)?, Beginning::of_change(global.json));
    let found = project.find(&client, beginning).await?;
    let candidates = Candidates::of_caller(&client).await?;
    let user = candidates.find(&client, user, "atelier members list ORG", beginning).await?;
    let call = client.call_with(
        PutProjectMember,
        ProjectMemberPath { project_id: found.record.id.into(), member_id: user.id },
        &request,
    );
    let member = call.await.map_err(explained)?.member;
    outcome(&member, &format!("{} is {} of {found}.", member.name, member.role), global.json);
    Ok(Exit::Done)
}

/// Ends a user's membership of a project.
pub(super) async fn unshare(project: &ProjectArgument, user: &str, global: &Global) -> CommandResult<Exit> {
    let (client, beginning) = (person(global)?, Beginning::of_change(global.json));
    let found = project.find(&client, beginning).await?;
    let list = format!("atelier projects members {}", found.argument());
    let members = Candidates::of_project(&client, &found.record.id).await?;
    let user = members.find(&client, user, &list, beginning).await?;
    let removed = client
        .call(
            RemoveProjectMember,
            ProjectMemberPath { project_id: found.record.id.into(), member_id: user.id },
        )
        .await
        .map_err(explained)?;
    outcome(&removed, &format!("Removed {} from {found}.", user.name), global.json);
    Ok(Exit::Done)
}
