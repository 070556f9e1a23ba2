//! Read a session's conversation.

use api::work::sessions::conversation::{ListMessages, ListMessagesResponse};
use auth::actor::ProjectRead;
use domain::Result;
use store::work::conversation;
use wire::{Reply, Request};

use crate::app::App;
use crate::routes::page::PageRequest;
use crate::routes::target::PathTarget;
use crate::sessions::conversation_reader::ConversationReader;

/// Reads the session's conversation from its beginning, also after it is closed. Answers of tools are withheld from
/// readers who can't use these tools.
pub async fn handle(
    app: App,
    request: Request<ProjectRead, ListMessages>,
) -> Result<Reply<ListMessagesResponse>> {
    let at = request.path.target();
    let page: PageRequest<_, i64> = PageRequest::of(request.query, &app.cursors, ("messages", at.session))?;
    let list = async |tx: &mut _, session: &_| {
        Ok((
            ConversationReader::of(session, &request.call),
            conversation::list(tx, session, page.from, page.rows()).await?,
        ))
    };
    let (reader, found) = app.store.read(&request.call, &at, list).await?;
    let (messages, meta) = page.cut(found, |message| message.sequence)?;
    let messages = messages.into_iter().map(|message| reader.read(message)).collect();
    Ok(Reply::ok(ListMessagesResponse { messages, meta }))
}
