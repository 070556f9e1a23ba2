//! The session registry: which process hosts which session, kept alive by heartbeats.
//!
//! There are two lifetimes: a session's record lives for hours, its connection is a lease of seconds. The host writes both
//! from its memory with each heartbeat, which repairs a wipe. An epoch grows with each change of host; it keeps a host
//! that was suspended during its replacement from returning.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use domain::id::{ProcessId, SessionId};
use domain::work::session::ConnectionId;
use domain::{Code, Error, Result};
use tokio::time::{MissedTickBehavior, interval};

use crate::inbox::source_of;
use crate::link::{Link, LinkState, millis};
use crate::registration::{HostedSession, Registration};

/// Sessions renewed in one round trip, within the timeout of a command.
const RENEWED_AT_ONCE: usize = 250;

/// A session's entry in the registry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegistryEntry {
    /// The session as its host registered it.
    pub registration: Registration,
    /// The current or last host.
    pub host: ProcessId,
    /// Number of hosts so far.
    pub epoch: u64,
    /// True while the host's lease is valid.
    pub live: bool,
}

/// State of a session in the registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It has a host.
    Live,
    /// It has a record, and no host.
    WithoutHost,
    /// It expired, was closed, or never existed.
    Lapsed,
    /// Redis is unavailable, or it was unavailable or wiped, and hosts are still registering again.
    Unknown,
}

impl Link {
    /// Makes this process the host of a session until its release. Returns `false` if another process hosts it or it is
    /// closed. If Redis is unavailable, the first successful heartbeat registers the session.
    ///
    /// # Errors
    /// `UNAVAILABLE`: the session is hosted, and other processes can't find it yet.
    pub async fn host_session(&self, registration: Registration) -> Result<bool> {
        let (connection, hosted) = (registration.connection(), HostedSession { registration, epoch: 1 });
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

    /// Removes a closed session of any host. If Redis is unavailable, the first successful heartbeat does it.
    pub async fn release_session(&self, session: SessionId) {
        self.shared.hosted.lock().remove(&ConnectionId::of_session(session));
        self.shared.closing.lock().insert(session);
        if let Err(error) = self.shared.close(session).await {
            tracing::warn!(%session, cause = source_of(&error), "removal of a closed session from the registry deferred");
        }
    }

    /// Finds a session; `None` if it expired, was closed, or never existed.
    ///
    /// # Errors
    /// `UNAVAILABLE`: see [`Presence::Unknown`].
    pub async fn find_session(&self, session: SessionId) -> Result<Option<RegistryEntry>> {
        let keys = &self.shared.keys;
        let away = self.shared.is_away();
        let mut pipeline = redis::pipe();
        pipeline
            .hmget(keys.session(session), &["registration", "host", "epoch", "closed"])
            .exists(keys.connection(&ConnectionId::of_session(session)))
            .exists(keys.known())
            .exists(keys.settling());
        let (fields, live, known, settling): (RecordFields, bool, bool, bool) =
            self.shared.commands.query(&pipeline).await?;
        let settled = known && !settling && !away;
        match fields {
            (_, _, _, Some(_closed)) => Ok(None),
            (Some(registration), Some(host), Some(epoch), None) if live || settled => {
                Ok(Some(RegistryEntry {
                    registration: serde_json::from_str(&registration).map_err(Error::internal)?,
                    host: host.parse().map_err(Error::internal)?,
                    epoch,
                    live,
                }))
            }
            _ if settled => Ok(None),
            _ => Err(Error::unavailable("hosts are still registering again")),
        }
    }

    /// The states of sessions in their order, in one round trip.
    pub async fn presences(&self, sessions: &[SessionId]) -> Vec<Presence> {
        let keys = &self.shared.keys;
        let away = self.shared.is_away();
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
        let settled = *known && !settling && !away;
        let presence = |answer: &[bool]| match answer {
            [_, _, true] => Presence::Lapsed,
            [true, _, _] => Presence::Live,
            [false, true, _] if settled => Presence::WithoutHost,
            [false, false, _] if settled => Presence::Lapsed,
            _ => Presence::Unknown,
        };
        answers.chunks(3).map(presence).collect()
    }

    /// The state of one session, as by [`Link::presences`].
    pub async fn presence(&self, session: SessionId) -> Presence {
        self.presences(&[session]).await.pop().unwrap_or(Presence::Unknown)
    }

    /// Ensures that a session has a live host: its current one, or this process. `None` if the session expired or was
    /// closed.
    ///
    /// # Errors
    /// See [`Link::find_session`].
    pub async fn ensure_hosted(&self, session: SessionId) -> Result<Option<RegistryEntry>> {
        let found = self.find_session(session).await?;
        let Some(lost) = found.clone().filter(|found| !found.live) else {
            return Ok(found);
        };
        let epoch = self.shared.take_over(session).await?;
        if epoch == 0 {
            // Another process was faster, or its host returned.
            return self.find_session(session).await;
        }
        let registration = lost.registration;
        let hosted = HostedSession { registration: registration.clone(), epoch };
        self.shared.hosted.lock().insert(registration.connection(), hosted);
        tracing::info!(%session, epoch, "this process took over a session");
        Ok(Some(RegistryEntry { registration, host: self.shared.process, epoch, live: true }))
    }

    /// The process that works for a session: its host, as by [`Link::ensure_hosted`]. While Redis is unavailable it is this
    /// process, because a job needs the database alone.
    ///
    /// # Errors
    /// `INTERNAL_ERROR`.
    pub async fn worker_for(&self, session: SessionId) -> Result<Option<ProcessId>> {
        match self.ensure_hosted(session).await {
            Ok(found) => Ok(found.map(|found| found.host)),
            Err(error) if error.code == Code::Unavailable => Ok(Some(self.process())),
            Err(error) => Err(error),
        }
    }

    /// The session that this process hosts under a connection id.
    pub fn hosted(&self, connection: &ConnectionId) -> Option<Registration> {
        self.shared.hosted.lock().get(connection).map(|hosted| hosted.registration.clone())
    }

    /// Releases all sessions of this process, so that others can take them over at once. The last call of a stopping
    /// process. If Redis is unavailable, the leases expire instead.
    pub async fn leave(&self) {
        self.stop_tasks();
        let shared = &self.shared;
        let hosted = std::mem::take(&mut *shared.hosted.lock());
        if let Err(error) = shared.let_go(hosted).await {
            tracing::warn!(cause = source_of(&error), "release of leases failed; waiting for their expiry");
        }
    }
}

/// The fields `registration`, `host`, `epoch` and `closed` of a session's record.
type RecordFields = (Option<String>, Option<String>, Option<u64>, Option<String>);

/// Sends heartbeats until aborted.
pub(crate) async fn beat(shared: Arc<LinkState>) {
    let mut ticks = interval(shared.config.heartbeat);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        let away = shared.is_away();
        let beaten = shared.beat_once(away).await;
        match &beaten {
            Ok(()) if away => tracing::info!("session registry reachable again"),
            Err(error) if !away => {
                tracing::warn!(cause = source_of(error), "session registry unreachable");
            }
            Ok(()) | Err(_) => {}
        }
        // A refusal comes over a sound connection.
        if beaten.is_err()
            && let Err(error) = shared.commands.reconnect()
        {
            tracing::warn!(cause = source_of(&error), "no new connection to Redis");
        }
    }
}

impl LinkState {
    /// The state of heartbeats: true while they fail. A reader asks before it reads the registry: the heartbeat that ends
    /// an outage marks the registry as settling, and an answer that was given before that doesn't show the mark.
    fn is_away(&self) -> bool {
        self.away.load(Ordering::Relaxed)
    }

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

    /// Writes sessions to the registry. Returns for each whether this process is still its host.
    async fn renew<T: redis::FromRedisValue>(&self, sessions: &[HostedSession]) -> Result<T> {
        let mut pipeline = redis::pipe();
        // Loads the script each time, which is cheaper than a retry after a restart of Redis.
        pipeline.load_script(&self.scripts.renew).ignore();
        for HostedSession { registration, epoch } in sessions {
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

    /// Takes a session over. Returns the new epoch, or 0 if that is impossible.
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

    /// Removes a lost session from memory, unless this process has become its host again.
    fn drop_lost(&self, lost: &HostedSession) {
        let connection = lost.registration.connection();
        let mut hosted = self.hosted.lock();
        if hosted.get(&connection).is_some_and(|now| now.epoch == lost.epoch) {
            hosted.remove(&connection);
            tracing::info!(session = %lost.registration.session, "session closed or hosted elsewhere");
        }
    }

    /// Replaces the record by a mark, which keeps an uninformed host from registering the session again.
    async fn close(&self, session: SessionId) -> Result<()> {
        let record = self.keys.session(session);
        let mut pipeline = redis::pipe();
        pipeline
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

    async fn let_go(&self, hosted: HashMap<ConnectionId, HostedSession>) -> Result<()> {
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

    /// Detects a wipe or a return of Redis. Leases and records may be missing until every live host has sent a
    /// heartbeat, so the registry is unsettled for two intervals.
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
