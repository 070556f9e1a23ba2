//! Show who is signed in.

use api::people::me::GetMe;
use client::Client;

use crate::arguments::Global;
use crate::failure::{CommandResult, Exit};
use crate::output;

/// Prints the user of the credential.
pub(crate) async fn run(client: &Client, global: &Global) -> CommandResult<Exit> {
    let user = client.call(GetMe, ()).await?.user;
    if global.json {
        output::json(&serde_json::json!({ "user": user, "url": client.url().as_str() }));
    } else {
        output::print(&format!("{} ({}) at {}", user.name, user.email, client.url()));
    }
    Ok(Exit::Done)
}
