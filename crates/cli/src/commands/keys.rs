//! List, issue, rotate and revoke API keys, with a person's browser token.

use api::people::api_keys::{
    CreateApiKey, CreateApiKeyRequest, IssuedKey, KeyPath, ListApiKeys, RevokeApiKey, RotateApiKey,
    RotateApiKeyRequest,
};
use client::Client;
use domain::people::api_key::ApiKeyRecord;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::work::Keys;
use crate::commands::objects::parse_name;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::output;
use crate::person::explained;

/// Runs a command on keys.
pub(crate) async fn run(client: &Client, command: Keys, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Keys::List => list(client, global).await?,
        Keys::Create { name, scope, project, expires } => {
            let name = parse_name(&name)?;
            let mut project_ids = Vec::new();
            for project in project {
                project_ids.push(project.find(client, beginning).await?.record.id);
            }
            let request = CreateApiKeyRequest {
                name,
                scopes: scope,
                expires_at: expires,
                project_ids: (!project_ids.is_empty()).then_some(project_ids),
                org_ids: None,
                test: None,
            };
            print(&client.call_with(CreateApiKey, (), &request).await.map_err(explained)?, global);
        }
        Keys::Rotate { key, grace } => {
            let key = find(client, &key, beginning).await?;
            let request = RotateApiKeyRequest { grace_seconds: (grace > 0).then_some(grace) };
            print(
                &client
                    .call_with(RotateApiKey, KeyPath { key_id: key.id }, &request)
                    .await
                    .map_err(explained)?,
                global,
            );
        }
        Keys::Revoke { key, yes } => {
            let key = find(client, &key, beginning).await?;
            if !yes && may_ask(global.json) {
                ask(&format!("Revoke the key \"{}\" ({})? What uses it stops at once.", key.name, key.mask))?;
            }
            let revoked = client.call(RevokeApiKey, KeyPath { key_id: key.id }).await.map_err(explained)?;
            if global.json {
                output::json(&revoked);
            } else {
                output::note(&format!("Revoked \"{}\".", key.name));
            }
        }
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, global: &Global) -> CommandResult<()> {
    let mut keys = client.call(ListApiKeys, ()).rows();
    let mut rows = Vec::new();
    while let Some(key) = keys.try_next().await.map_err(explained)? {
        if global.json {
            output::json(&key);
            continue;
        }
        let scopes: Vec<String> = key.scopes.iter().map(ToString::to_string).collect();
        let used = key.last_used_at.map_or_else(|| "never".to_owned(), output::minute);
        let expires = output::day(key.expires_at);
        rows.push([key.name.to_string(), key.mask, scopes.join(" "), expires, used, key.id.to_string()]);
    }
    if !global.json {
        output::print_table(
            ["NAME", "KEY", "SCOPES", "EXPIRES", "LAST USED (UTC)", "ID"],
            &rows,
            "You have no key.",
        );
    }
    Ok(())
}

/// Prints a secret to standard output alone, so that it can be piped to where it is kept.
fn print(issued: &IssuedKey, global: &Global) {
    if global.json {
        return output::json(issued);
    }
    let expires = output::day(issued.api_key.expires_at);
    output::note(&format!("Key \"{}\", until {expires}. It is shown only here:", issued.api_key.name));
    output::print(issued.key.reveal());
}

async fn find(client: &Client, text: &str, beginning: Beginning) -> CommandResult<ApiKeyRecord> {
    let keys: Vec<ApiKeyRecord> =
        client.call(ListApiKeys, ()).rows().try_collect().await.map_err(explained)?;
    let wanted = RowName { kind: "key", text, list: "atelier keys list", beginning };
    wanted.among(keys, |key| (key.id.to_string(), key.name.to_string()))
}
