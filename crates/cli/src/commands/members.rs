//! List the members of an organization, change their roles, and remove them.

use api::people::organizations::members::{
    ListMembers, MemberPath, RemoveMember, UpdateMember, UpdateMemberRequest,
};
use client::Client;
use domain::people::member::OrganizationMember;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::people::{Members, role};
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, outcome};
use crate::person::{Candidates, explained};
use crate::team::organization;

/// Runs a command on members.
pub(crate) async fn run(client: &Client, command: Members, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Members::List { org } => {
            let found = organization(client, &org, Beginning::Taken).await?;
            let members: Vec<OrganizationMember> =
                client.call(ListMembers, found.id).rows().try_collect().await?;
            if global.json {
                members.iter().for_each(output::json);
            } else {
                let rows: Vec<[String; 5]> = members.into_iter().map(row).collect();
                output::print_table(["NAME", "ROLE", "KIND", "EMAIL", "ID"], &rows, "It has no member.");
            }
        }
        Members::Role { org, member, role: name } => {
            let request = UpdateMemberRequest { role: role(&name)? };
            let found = organization(client, &org, beginning).await?;
            let list = format!("atelier members list {}", found.slug);
            let members = Candidates::of_organization(client, &found.id).await?;
            let member = members.find(client, &member, &list, beginning).await?;
            let changed = client
                .call_with(UpdateMember, MemberPath { org_id: found.id, member_id: member.id }, &request)
                .await
                .map_err(explained)?;
            let member = changed.member;
            outcome(&member, &format!("{} is {} of {}.", member.name, member.role, found.slug), global.json);
        }
        Members::Rm { org, member, yes } => {
            let found = organization(client, &org, beginning).await?;
            let list = format!("atelier members list {}", found.slug);
            let members = Candidates::of_organization(client, &found.id).await?;
            let member = members.find(client, &member, &list, beginning).await?;
            if !yes && may_ask(global.json) {
                ask(&format!("Remove {} from {}, its teams and its projects?", member.name, found.slug))?;
            }
            let removed = client
                .call(RemoveMember, MemberPath { org_id: found.id, member_id: member.id })
                .await
                .map_err(explained)?;
            outcome(&removed, &format!("Removed {} from {}.", member.name, found.slug), global.json);
        }
    }
    Ok(Exit::Done)
}

fn row(member: OrganizationMember) -> [String; 5] {
    let email = member.email.unwrap_or_else(|| "-".to_owned());
    let kind = output::word(member.kind);
    [member.name.to_string(), member.role.to_string(), kind, email, member.user_id.to_string()]
}
