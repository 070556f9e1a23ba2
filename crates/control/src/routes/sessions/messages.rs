//! Read a session's conversation.

use auth::actor::ProjectRead;
use domain::Result;
use domain::conversation::Message;
use domain::page::{Limit, PageMeta};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::conversation;
use wire::{Reply, Request};

use crate::app::App;
use crate::reader::Reader;
use crate::routes::page;
use crate::routes::sessions::SessionPath;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// A page of messages, in the order in which they were said.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListMessagesResponse")]
pub struct Answer {
    messages: Vec<Message>,
    meta: PageMeta,
}

/// Reads the session's conversation from its beginning; also that of a closed session. What the agent's tools answered is
/// withheld from whoever could not use them.
pub async fn handle(app: App, request: Request<ProjectRead, SessionPath, Query>) -> Result<Reply<Answer>> {
    let at = request.path.target();
    let limit = Limit::parse(request.query.limit.as_deref())?;
    let filter = ("messages", at.session);
    let cursor = request.query.cursor.as_deref();
    let after: Option<i64> = cursor.map(|cursor| app.cursors.open(&filter, cursor)).transpose()?;
    let rows = page::rows_to_ask(limit);
    let list = async |tx: &mut _, session: &_| {
        Ok((Reader::of(session, &request.call), conversation::list(tx, session, after, rows).await?))
    };
    let (reader, found) = app.store.read(&request.call, &at, list).await?;
    let (messages, meta) = page::cut(&app.cursors, &filter, limit, found, |message| message.sequence)?;
    let messages = messages.into_iter().map(|message| reader.read(message)).collect();
    Ok(Reply::ok(Answer { messages, meta }))
}
