//! The session registry: which process hosts which session, kept alive by heartbeats.
//!
//! Two lifetimes: a session's record is remembered for hours, its connection is a lease of seconds. Both are written
//! from the host's memory with each heartbeat, so a wipe is healed by the next one. An epoch that grows with each
//! change of host keeps a host that slept through its replacement from coming back.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use domain::id::{ProcessId, ProjectId, SessionId};
use domain::project::BranchName;
use domain::session::{ConnectionId, SessionStatus};
use domain::time::Timestamp;
use domain::{Error, Result};
use redis::Script;
use serde::{Deserialize, Serialize};
use tokio::time::{MissedTickBehavior, interval};

use crate::inbox::source_of;
use crate::link::{Link, Shared, millis};
use crate::message::{Request, Response};

/// How long a host may take to say what a session's run is doing.
const STATUS_WAIT: Duration = Duration::from_secs(1);
/// Sessions renewed in one round trip: few enough that it stays within a command's time.
const RENEWED_AT_ONCE: usize = 250;

/// What a session's host registers of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Registration {
    /// The session.
    pub session: SessionId,
    /// The project that it opened.
    pub project: ProjectId,
    /// The branch that it works on.
    pub branch: BranchName,
    /// When it was opened.
    pub opened_at: Timestamp,
}

impl Registration {
    /// The session's own data-plane connection.
    pub fn connection(&self) -> ConnectionId {
        ConnectionId::of_session(self.session)
    }
}

/// What the registry knows of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Registered {
    /// What its host registered.
    pub registration: Registration,
    /// The process that hosts it, or did last.
    pub host: ProcessId,
    /// How many hosts it has had.
    pub epoch: u64,
    /// Whether the host renewed it lately: its connection is live.
    pub live: bool,
}

/// What the registry can tell of a session's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It has a host.
    Live,
    /// It is remembered, and its host is gone.
    WithoutHost,
    /// It lapsed, was closed, or never was.
    Lapsed,
    /// Redis is away, or was away or wiped so recently that hosts are still returning to it.
    Unknown,
}

impl Link {
    /// Makes this process the host of a session that nobody hosts, until it is released; `false` where another process
    /// hosts it or it is closed. Where Redis is away the first heartbeat that reaches it registers the session.
    ///
    /// # Errors
    /// `UNAVAILABLE`: the session is hosted, and nobody can find it yet.
    pub async fn host_session(&self, registration: Registration) -> Result<bool> {
        let (connection, hosted) = (registration.connection(), Hosted { registration, epoch: 1 });
        if self.hosted(&connection).is_some() {
            return Ok(true);
        }
        self.shared.hosted.lock().insert(connection.clone(), hosted.clone());
        let (renewed,): (bool,) = self.shared.renew(std::slice::from_ref(&hosted)).await?;
        if !renewed {
            self.shared.hosted.lock().remove(&connection);
        }
        Ok(renewed)
    }

    /// Removes a session that was closed, whichever process hosts it. Where Redis is away this is made up for with
    /// the first heartbeat that reaches it.
    pub async fn release_session(&self, session: SessionId) {
        self.shared.hosted.lock().remove(&ConnectionId::of_session(session));
        self.shared.closing.lock().insert(session);
        if let Err(error) = self.shared.close(session).await {
            tracing::warn!(%session, cause = source_of(&error), "a closed session will leave the registry later");
        }
    }

    /// The session's registration; `None` where it lapsed, was closed, or never was.
    ///
    /// # Errors
    /// `UNAVAILABLE`: Redis is away, or was away or wiped so recently that hosts are still returning to it.
    pub async fn find_session(&self, session: SessionId) -> Result<Option<Registered>> {
        let keys = &self.shared.keys;
        let mut pipeline = redis::pipe();
        pipeline
            .hmget(keys.session(session), &["registration", "host", "epoch", "closed"])
            .exists(keys.connection(&ConnectionId::of_session(session)))
            .exists(keys.known())
            .exists(keys.settling());
        let (fields, live, known, settling): (RecordFields, bool, bool, bool) =
            self.shared.commands.query(&pipeline).await?;
        let settled = known && !settling && !self.shared.away.load(Ordering::Relaxed);
        match fields {
            (_, _, _, Some(_closed)) => Ok(None),
            (Some(registration), Some(host), Some(epoch), None) if live || settled => Ok(Some(Registered {
                registration: serde_json::from_str(&registration).map_err(Error::internal)?,
                host: host.parse().map_err(Error::internal)?,
                epoch,
                live,
            })),
            _ if settled => Ok(None),
            _ => Err(Error::unavailable("hosts are still returning to the session registry")),
        }
    }

    /// What is known of these sessions, in their order, in one round trip.
    pub async fn presences(&self, sessions: &[SessionId]) -> Vec<Presence> {
        let keys = &self.shared.keys;
        let mut pipeline = redis::pipe();
        pipeline.exists(keys.known()).exists(keys.settling());
        for session in sessions {
            let record = keys.session(*session);
            pipeline.exists(keys.connection(&ConnectionId::of_session(*session)));
            pipeline.hexists(&record, "host").hexists(&record, "closed");
        }
        let answers: Vec<bool> = self.shared.commands.query(&pipeline).await.unwrap_or_default();
        let [known, settling, answers @ ..] = answers.as_slice() else {
            return vec![Presence::Unknown; sessions.len()];
        };
        let settled = *known && !settling && !self.shared.away.load(Ordering::Relaxed);
        let presence = |answer: &[bool]| match answer {
            [_, _, true] => Presence::Lapsed,
            [true, _, _] => Presence::Live,
            [false, true, _] if settled => Presence::WithoutHost,
            [false, false, _] if settled => Presence::Lapsed,
            _ => Presence::Unknown,
        };
        answers.chunks(3).map(presence).collect()
    }

    /// Sees to it that a session has a live host: its own, or else this process from now on. `None` where the session
    /// lapsed or was closed.
    ///
    /// # Errors
    /// As for [`Link::find_session`].
    pub async fn ensure_hosted(&self, session: SessionId) -> Result<Option<Registered>> {
        let found = self.find_session(session).await?;
        let Some(lost) = found.clone().filter(|found| !found.live) else {
            return Ok(found);
        };
        let epoch = self.shared.take_over(session).await?;
        if epoch == 0 {
            // Another process was faster, or its host came back.
            return self.find_session(session).await;
        }
        let registration = lost.registration;
        let hosted = Hosted { registration: registration.clone(), epoch };
        self.shared.hosted.lock().insert(registration.connection(), hosted);
        tracing::info!(%session, epoch, "this process took over a session");
        Ok(Some(Registered { registration, host: self.shared.process, epoch, live: true }))
    }

    /// What this process hosts under a connection id.
    pub fn hosted(&self, connection: &ConnectionId) -> Option<Registration> {
        self.shared.hosted.lock().get(connection).map(|hosted| hosted.registration.clone())
    }

    /// The status of a session's run, from whoever knows it (specification, "Session run status"). Never fails:
    /// what can't be found out is `unknown`.
    pub async fn status(&self, session: SessionId) -> SessionStatus {
        let host = match self.find_session(session).await {
            Ok(Some(found)) if found.live => found.host,
            Ok(Some(_)) => return SessionStatus::ProjectNotRunning,
            Ok(None) => return SessionStatus::NoSession,
            Err(_) => return SessionStatus::Unknown,
        };
        let request = Request::SessionStatus { session };
        match self.ask(host, request, STATUS_WAIT).await {
            Ok(Some(Response::SessionStatus(status))) => status,
            _ => SessionStatus::Unknown,
        }
    }

    /// Gives up all that this process hosts, so that others can take it over at once: the last thing that a stopping
    /// process does with its link. Where Redis is away the leases run out instead.
    pub async fn leave(&self) {
        self.stop_tasks();
        let shared = &self.shared;
        let hosted = std::mem::take(&mut *shared.hosted.lock());
        if let Err(error) = shared.let_go(hosted).await {
            tracing::warn!(cause = source_of(&error), "leases are left to run out");
        }
    }
}

/// `registration`, `host`, `epoch` and `closed` of a session's record.
type RecordFields = (Option<String>, Option<String>, Option<u64>, Option<String>);

/// A session in its host's memory.
#[derive(Clone, Debug)]
pub(crate) struct Hosted {
    registration: Registration,
    epoch: u64,
}

/// The registry's scripts: what must be read and written in one step.
pub(crate) struct Scripts {
    renew: Script,
    take_over: Script,
    let_go: Script,
    settle: Script,
    pub(crate) hand: Script,
    pub(crate) rate: Script,
}

impl Scripts {
    pub(crate) fn new() -> Self {
        Self {
            renew: Script::new(include_str!("registry/renew.lua")),
            take_over: Script::new(include_str!("registry/take_over.lua")),
            let_go: Script::new(include_str!("registry/let_go.lua")),
            settle: Script::new(include_str!("registry/settle.lua")),
            hand: Script::new(include_str!("inbox/hand.lua")),
            rate: Script::new(include_str!("rate.lua")),
        }
    }
}

/// Beats until aborted.
pub(crate) async fn beat(shared: Arc<Shared>) {
    let mut ticks = interval(shared.config.heartbeat);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let away = shared.away.load(Ordering::Relaxed);
        match shared.beat_once(away).await {
            Ok(()) if away => tracing::info!("the session registry can be reached again"),
            Err(error) if !away => {
                tracing::warn!(cause = source_of(&error), "the session registry can't be reached");
            }
            Ok(()) | Err(_) => {}
        }
    }
}

impl Shared {
    async fn beat_once(&self, was_away: bool) -> Result<()> {
        let settled = self.settle(was_away).await;
        self.away.store(settled.is_err(), Ordering::Relaxed);
        let () = settled?;
        let closing: Vec<_> = self.closing.lock().iter().copied().collect();
        for session in closing {
            self.close(session).await?;
        }
        let hosted: Vec<_> = self.hosted.lock().values().cloned().collect();
        for some in hosted.chunks(RENEWED_AT_ONCE) {
            let renewed: Vec<bool> = self.renew(some).await?;
            for (hosted, _) in some.iter().zip(renewed).filter(|(_, renewed)| !renewed) {
                self.drop_lost(hosted);
            }
        }
        Ok(())
    }

    /// Writes sessions to the registry; a truth value for each: whether this process (still) is its host.
    async fn renew<T: redis::FromRedisValue>(&self, sessions: &[Hosted]) -> Result<T> {
        let mut pipeline = redis::pipe();
        // A restarted Redis does not know the script; sending it along costs less than finding that out.
        pipeline.load_script(&self.scripts.renew).ignore();
        for Hosted { registration, epoch } in sessions {
            let text = serde_json::to_string(registration).map_err(Error::internal)?;
            let mut call = self.scripts.renew.prepare_invoke();
            call.key(self.keys.session(registration.session))
                .key(self.keys.connection(&registration.connection()))
                .arg(text)
                .arg(self.process.to_string())
                .arg(epoch)
                .arg(millis(self.config.lease))
                .arg(millis(self.config.memory));
            pipeline.invoke_script(&call);
        }
        self.commands.query(&pipeline).await
    }

    /// The new epoch, or 0 where the session can't be taken over.
    async fn take_over(&self, session: SessionId) -> Result<u64> {
        let mut call = self.scripts.take_over.prepare_invoke();
        call.key(self.keys.session(session))
            .key(self.keys.connection(&ConnectionId::of_session(session)))
            .arg(self.process.to_string())
            .arg(millis(self.config.lease))
            .arg(millis(self.config.memory));
        let mut pipeline = redis::pipe();
        pipeline.load_script(&self.scripts.take_over).ignore().invoke_script(&call);
        let (epoch,) = self.commands.query(&pipeline).await?;
        Ok(epoch)
    }

    /// Forgets a session that this process no longer hosts, unless it became its host once more meanwhile.
    fn drop_lost(&self, lost: &Hosted) {
        let connection = lost.registration.connection();
        let mut hosted = self.hosted.lock();
        if hosted.get(&connection).is_some_and(|now| now.epoch == lost.epoch) {
            hosted.remove(&connection);
            tracing::info!(session = %lost.registration.session, "a session was closed or has another host");
        }
    }

    /// Leaves a mark in place of the record, which keeps a host that has not heard of it from registering it again.
    async fn close(&self, session: SessionId) -> Result<()> {
        let record = self.keys.session(session);
        let mut pipeline = redis::pipe();
        pipeline
            .atomic()
            .del(&record)
            .ignore()
            .hset(&record, "closed", "1")
            .ignore()
            .cmd("PEXPIRE")
            .arg(&record)
            .arg(millis(self.config.memory))
            .ignore()
            .del(self.keys.connection(&ConnectionId::of_session(session)))
            .ignore();
        let () = self.commands.query(&pipeline).await?;
        self.closing.lock().remove(&session);
        Ok(())
    }

    async fn let_go(&self, hosted: HashMap<ConnectionId, Hosted>) -> Result<()> {
        let mut pipeline = redis::pipe();
        pipeline.load_script(&self.scripts.let_go).ignore();
        for connection in hosted.keys() {
            let mut call = self.scripts.let_go.prepare_invoke();
            call.key(self.keys.connection(connection)).arg(self.process.to_string());
            pipeline.invoke_script(&call).ignore();
        }
        pipeline.del(self.keys.inbox(self.process)).ignore();
        self.commands.query(&pipeline).await
    }

    /// Notices that Redis was wiped, or came back: leases and records may be missing until every live host has sent
    /// a heartbeat, for which two intervals are given.
    async fn settle(&self, was_away: bool) -> Result<()> {
        let mut call = self.scripts.settle.prepare_invoke();
        call.key(self.keys.known())
            .key(self.keys.settling())
            .arg(millis(self.config.heartbeat * 2))
            .arg(was_away);
        let mut pipeline = redis::pipe();
        pipeline.load_script(&self.scripts.settle).ignore().invoke_script(&call).ignore();
        self.commands.query(&pipeline).await
    }
}
