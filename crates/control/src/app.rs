//! The state of the control plane, which every handler gets.

use std::sync::Arc;

use agent::models::Models;
use agent::tools::{ClientTools, Executor};
use auth::sign_up::SignUp;
use domain::id::SessionId;
use domain::page::CursorKey;
use domain::time::Clock;
use execution::Engine;
use link::Link;
use packs::Packs;
use store::Store;
use tokio::sync::Notify;
use wire::{AllowedOrigin, Bounds};

use crate::change_feed::ChangeFeed;
use crate::credentials::grants::Grants;
use crate::credentials::issuers::Issuers;
use crate::files::FileReader;
use crate::job_client::JobClient;
use crate::kept::KeptAnswers;
use crate::mail::Mails;
use crate::sessions::events::EventStreams;
use crate::streams::Streams;

/// The state of a control process. Cheap to clone.
#[derive(Clone)]
pub struct App {
    /// The database.
    pub store: Store,
    /// Coordination with other processes.
    pub link: Link,
    /// Dates what happens outside of requests.
    pub clock: Clock,
    /// Starts and stops jobs.
    pub jobs: JobClient,
    /// The models that answer prompts.
    pub models: Models,
    /// Most agent runs of a process.
    pub max_runs: u32,
    /// The open event streams.
    pub streams: Streams,
    /// The events of sessions.
    pub events: EventStreams,
    /// The change events of teams and projects.
    pub changes: ChangeFeed,
    /// Recently sent packs.
    pub packs: Packs,
    /// Recent answers with whole trees and boards.
    pub kept: KeptAnswers,
    /// Signs and verifies cursors.
    pub cursors: CursorKey,
    /// The accepted issuers of browser tokens.
    pub issuers: Arc<Issuers>,
    /// The people who get an account with their first sign-in.
    pub sign_up: SignUp,
    /// Signs and verifies grants.
    pub grants: Arc<Grants>,
    /// Runs code.
    pub engine: Arc<Engine>,
    /// Lists and invokes tools.
    pub tools: Executor<Self>,
    /// The tools of MCP clients without a session.
    pub client_tools: ClientTools<Self>,
    /// Mails that invite people.
    pub mails: Mails,
    /// Wakes the work on imports.
    pub imports: Arc<Notify>,
    /// Reads files for answers that hold them.
    pub files: FileReader,
    /// The origins of pages that may speak MCP: the plane's own, and those that the deployment allows.
    pub origins: Arc<[AllowedOrigin]>,
    /// Most projects of an owner without a limit of its own.
    pub project_limit: u32,
    /// Constants that tests change.
    pub bounds: Bounds,
    /// Days for which entries of the audit log are kept.
    pub audit_days: u32,
}

impl App {
    /// Tells the hosts of sessions that a transaction has closed, so that their streams and runs end at once.
    pub async fn release_sessions(&self, closed: Vec<SessionId>) {
        for session in closed {
            self.link.announce_events(session);
            self.link.release_session(session).await;
        }
    }
}
