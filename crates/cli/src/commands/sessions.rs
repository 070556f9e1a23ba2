//! List, follow, stop and close sessions.

use api::work::sessions::conversation::StopRun;
use api::work::sessions::{CloseSession, ListSessions, SessionPath};
use client::{Client, Session};
use domain::event::typed::TypedEvent;
use futures_util::TryStreamExt;

use crate::arguments::Global;
use crate::arguments::work::{SessionArgument, Sessions};
use crate::commands::prompt;
use crate::commands::prompt::screen::Screen;
use crate::failure::{CommandResult, Exit};
use crate::naming::Beginning;
use crate::output;
use crate::session::{find, whole};

/// Runs a command on sessions.
pub(crate) async fn run(client: &Client, command: Sessions, global: &Global) -> CommandResult<Exit> {
    match command {
        Sessions::List { project } => {
            let project = project.find(client, Beginning::Taken).await?;
            let mut sessions = client.call(ListSessions, whole(&project)).rows();
            let mut rows = Vec::new();
            while let Some(session) = sessions.try_next().await? {
                if global.json {
                    output::json(&session);
                    continue;
                }
                let created = output::minute(session.created_at);
                let id = session.session_id.to_string();
                rows.push([id, output::word(session.status), session.branch.to_string(), created]);
            }
            if !global.json {
                output::print_table(
                    ["SESSION", "STATUS", "BRANCH", "OPENED (UTC)"],
                    &rows,
                    &format!("{project} has no open session."),
                );
            }
            Ok(Exit::Done)
        }
        Sessions::Prompt(arguments) => prompt::run(client, arguments, global).await,
        Sessions::Attach { session } => attach(client, &session, global).await,
        Sessions::Stop { session } => {
            let (project, id) = find(client, &session, Beginning::of_change(global.json)).await?;
            let stopped = client
                .call(StopRun, SessionPath { project_id: project.record.id.into(), session_id: id })
                .await?;
            if global.json {
                output::json(&stopped);
            } else {
                output::note(if stopped.stopped { "Stopped." } else { "Nothing was running." });
            }
            Ok(Exit::Done)
        }
        Sessions::Close { session } => {
            let (project, id) = find(client, &session, Beginning::of_change(global.json)).await?;
            let closed = client
                .call(CloseSession, SessionPath { project_id: project.record.id.into(), session_id: id })
                .await?;
            if global.json {
                output::json(&closed);
            } else {
                output::note("Closed.");
            }
            Ok(Exit::Done)
        }
    }
}

/// Prints a session's events until it is closed.
async fn attach(client: &Client, argument: &SessionArgument, global: &Global) -> CommandResult<Exit> {
    let (project, id) = find(client, argument, Beginning::Taken).await?;
    let session = Session::resume(client, &project.reference(), id).await?;
    let mut events = session.events(None);
    let mut screen = Screen::default();
    loop {
        let event = tokio::select! {
            event = events.try_next() => event?,
            _ = tokio::signal::ctrl_c() => None,
        };
        let Some(event) = event else { break };
        match event.typed() {
            _ if global.json => output::print(&event.json),
            Some(TypedEvent::SessionClosed { .. }) => output::note("The session is closed."),
            Some(event) => screen.show(&event),
            None => {}
        }
    }
    screen.end();
    Ok(Exit::Done)
}
