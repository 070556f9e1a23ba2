//! List, create, rename and delete organizations.

use api::people::organizations::{
    CreateOrganization, CreateOrganizationRequest, DeleteOrganization, ListOrganizations, UpdateOrganization,
    UpdateOrganizationRequest,
};
use client::Client;
use domain::people::organization::OrganizationRecord;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::people::Orgs;
use crate::commands::objects::parse_name;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output::{self, outcome};
use crate::person::explained;
use crate::team::organization;

/// Runs a command on organizations.
pub(crate) async fn run(client: &Client, command: Orgs, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Orgs::List => list(client, global).await?,
        Orgs::Create { name } => {
            let request = CreateOrganizationRequest { name: parse_name(&name)? };
            let created =
                client.call_with(CreateOrganization, (), &request).await.map_err(explained)?.organization;
            outcome(&created, &format!("Created {}, as {}.", created.name, created.slug), global.json);
        }
        Orgs::Rename { org, name } => {
            let request = UpdateOrganizationRequest { name: parse_name(&name)? };
            let found = organization(client, &org, beginning).await?;
            let changed =
                client.call_with(UpdateOrganization, found.id, &request).await.map_err(explained)?;
            let renamed = changed.organization;
            outcome(&renamed, &format!("{} is now called {}.", renamed.slug, renamed.name), global.json);
        }
        Orgs::Rm { org, yes } => {
            let found = organization(client, &org, beginning).await?;
            if !yes && may_ask(global.json) {
                ask(&format!("Delete the organization {}? It can't be brought back.", found.slug))?;
            }
            let deleted = client.call(DeleteOrganization, found.id).await.map_err(explained)?;
            outcome(&deleted, &format!("Deleted {}.", found.slug), global.json);
        }
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, global: &Global) -> CommandResult<()> {
    let organizations: Vec<OrganizationRecord> =
        client.call(ListOrganizations, ()).rows().try_collect().await?;
    if global.json {
        organizations.iter().for_each(output::json);
        return Ok(());
    }
    let row = |one: &OrganizationRecord| {
        [one.slug.to_string(), one.name.to_string(), one.role.clone(), one.id.to_string()]
    };
    let rows: Vec<[String; 4]> = organizations.iter().map(row).collect();
    output::print_table(["SLUG", "NAME", "ROLE", "ID"], &rows, "You are in no organization.");
    Ok(())
}
