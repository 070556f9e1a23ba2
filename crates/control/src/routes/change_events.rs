//! Follow the change events of a team or project, as a stream of server-sent events that can be resumed.

use api::operation::Raw;
use std::collections::HashSet;

use actix_web::HttpResponse;
use api::change_events::StreamChangesQuery;
use auth::actor::Requirement;
use bytes::Bytes;
use domain::event::change::{ChangeEvent, StoredChangeEvent};
use domain::id::{ProjectId, TeamId};
use domain::time::Timestamp;
use domain::{Code, Result};
use futures_util::stream::{self, LocalBoxStream, StreamExt};
use serde_json::{Value, json};
use store::change_events::{ChangeRange, ChangeSlice, FollowedScope, VisibleSubjects};
use store::{Call, Target};
use uuid::Uuid;
use wire::{HandlerAnswer, RequestHead, Schemas};

use crate::app::App;
use crate::change_feed::{Following, SentChange};
use crate::routes::event_stream::{self, EVENT_STREAM, RETRY};
use crate::streams::{OpenStream, StreamWake};

/// A stream of change events.
pub struct ChangeStream(LocalBoxStream<'static, Result<Bytes>>);

/// The team or project to follow, as a request names it.
pub struct FollowRequest<P, T: Target<P>>
where
    P: Requirement,
{
    /// The call.
    pub call: Call<P>,
    /// The team or project.
    pub at: T,
    /// Its id.
    pub subject: Uuid,
    /// The proof that the caller may follow it.
    pub prove: fn(&T::Witness) -> FollowedScope,
    /// The header with the client's position.
    pub head: RequestHead,
    /// The range of events.
    pub query: StreamChangesQuery,
}

/// Opens a stream. The position is fixed before the answer: what a client reads later includes all before it.
///
/// # Errors
/// `NOT_FOUND`, `INVALID_REQUEST`, `RATE_LIMITED`, `UNAVAILABLE`.
pub async fn follow<P, T>(app: App, request: FollowRequest<P, T>) -> Result<ChangeStream>
where
    P: Requirement + 'static,
    T: Target<P> + 'static,
{
    let FollowRequest { call, at, subject, prove, head, query } = request;
    let asked = event_stream::position(&head, query.after)?;
    let open = app.streams.open(&call.actor, subject, app.clock.now())?;
    let scope = prove(&app.store.find(&call, &at).await?);
    let range = app.store.change_range().await?;
    if head.is_head() {
        return Ok(ChangeStream(stream::empty().boxed_local()));
    }
    let following = query.follow.unwrap_or(true).then(|| app.changes.follow(scope, range.horizon));
    let from = following.as_ref().map_or(range.horizon, |following| following.from.max(range.horizon));
    let (position, waiting) = opening(asked, range, app.clock.now())?;
    let sight = Sight::default();
    let replays_until = Some(from);
    let client = ChangeFollower {
        app,
        call,
        at,
        prove,
        scope,
        following,
        position,
        replays_until,
        waiting,
        sight,
        open,
    };
    Ok(ChangeStream(stream::unfold(Some(Box::new(client)), advance).boxed_local()))
}

/// The stream of one client. It holds no database connection while it waits.
struct ChangeFollower<P: Requirement, T: Target<P>> {
    app: App,
    call: Call<P>,
    at: T,
    prove: fn(&T::Witness) -> FollowedScope,
    scope: FollowedScope,
    /// New events; `None` if the client wants only existing ones.
    following: Option<Following>,
    /// The sequence of the last event that was sent, or not to be seen.
    position: i64,
    /// The next events are in the database, up to this number.
    replays_until: Option<i64>,
    /// The first bytes to send.
    waiting: Bytes,
    sight: Sight,
    open: OpenStream,
}

/// The subjects of events that were asked for since the last check, and the visible ones of them.
#[derive(Default)]
struct Sight {
    projects: HashSet<ProjectId>,
    teams: HashSet<TeamId>,
    visible: VisibleSubjects,
}

/// The next step of a stream.
enum ChangeStep {
    Send(Bytes),
    /// The last bytes to send.
    End(Bytes),
}

async fn advance<P: Requirement, T: Target<P>>(
    client: Option<Box<ChangeFollower<P, T>>>,
) -> Option<(Result<Bytes>, Option<Box<ChangeFollower<P, T>>>)> {
    let mut client = client?;
    match client.next().await {
        Ok(ChangeStep::Send(bytes)) => Some((Ok(bytes), Some(client))),
        Ok(ChangeStep::End(bytes)) => Some((Ok(bytes), None)),
        Err(error) => {
            tracing::debug!("error.chain" = error.chain(), "a stream of change events ends");
            None
        }
    }
}

impl<P: Requirement, T: Target<P>> ChangeFollower<P, T> {
    async fn next(&mut self) -> Result<ChangeStep> {
        if !self.waiting.is_empty() {
            return Ok(ChangeStep::Send(std::mem::take(&mut self.waiting)));
        }
        loop {
            if let Some(until) = self.replays_until {
                if let Some(step) = self.replay(until).await? {
                    return Ok(step);
                }
                continue;
            }
            let Some(following) = &mut self.following else {
                return Ok(ChangeStep::End(Bytes::new()));
            };
            let woken = tokio::select! {
                sent = following.next() => Ok(sent),
                wake = self.open.wake() => Err(wake),
            };
            match woken {
                Ok(Some(sent)) if sent.event.sequence <= self.position => {}
                Ok(Some(sent)) => {
                    if let Some(step) = self.send(&sent).await? {
                        return Ok(step);
                    }
                }
                Ok(None) => self.follow_again(),
                Err(StreamWake::Heartbeat) => return Ok(ChangeStep::Send(self.heartbeat())),
                // Boxed: it takes far more memory than a waiting stream.
                Err(StreamWake::Check) => match Box::pin(self.check()).await {
                    // A failed check is repeated at the next interval.
                    Err(error) if error.code == Code::Unavailable => {}
                    Err(error) if error.code == Code::NotFound => return self.deletion().await,
                    checked => checked?,
                },
                Err(StreamWake::End) => return Ok(ChangeStep::End(Bytes::new())),
            }
        }
    }

    /// Reads a page up to `until` from the database; `None` if there is nothing to send.
    async fn replay(&mut self, until: i64) -> Result<Option<ChangeStep>> {
        let slice = ChangeSlice { after: self.position, until };
        if slice.after >= until {
            self.replays_until = None;
            return Ok(None);
        }
        let page = self.app.store.change_events(&[self.scope], slice).await?;
        let events: Vec<StoredChangeEvent> = page.events.into_iter().map(|(_, event)| event).collect();
        let last = events.last().map(|event| event.sequence).filter(|_| page.is_full);
        self.look_up(&events).await?;
        self.position = last.unwrap_or(until);
        let bytes = self.encode(events)?;
        Ok((!bytes.is_empty()).then_some(ChangeStep::Send(bytes)))
    }

    /// A new event, if the client sees it. One by which the client may lose access waits for a check.
    async fn send(&mut self, sent: &SentChange) -> Result<Option<ChangeStep>> {
        let event = &sent.event;
        if event.changes_access() {
            Box::pin(self.check()).await?;
        }
        self.look_up(std::slice::from_ref(event)).await?;
        self.position = event.sequence;
        if !self.sees(event) {
            return Ok(None);
        }
        let bytes = sent.bytes.clone();
        Ok(Some(if event.is_last() { ChangeStep::End(bytes) } else { ChangeStep::Send(bytes) }))
    }

    /// Continues from the database after the stream fell behind.
    fn follow_again(&mut self) {
        let following = self.app.changes.follow(self.scope, self.position);
        self.replays_until = Some(following.from);
        self.following = Some(following);
    }

    /// A comment that keeps the connection, with the position from which the client would continue.
    fn heartbeat(&mut self) -> Bytes {
        let reached = self.following.as_ref().and_then(Following::position);
        self.position = self.position.max(reached.unwrap_or_default());
        format!(": heartbeat\nid: {}\n\n", self.position).into()
    }

    /// Checks that the client can still read the team or project: its key, and its user's role.
    async fn check(&mut self) -> Result<()> {
        self.app.store.check_credential(&self.call.actor).await?;
        self.scope = (self.prove)(&self.app.store.find(&self.call, &self.at).await?);
        self.sight = Sight::default();
        Ok(())
    }

    /// The last events of a team or project that a check didn't find: they may not have come yet. Nothing if it was not
    /// deleted, or if its reader may have lost access before.
    async fn deletion(&mut self) -> Result<ChangeStep> {
        // Writers of its events held it until they committed, so all before the deletion are there, also beyond the horizon.
        let slice = ChangeSlice { after: self.position, until: i64::MAX };
        let page = self.app.store.change_events(&[self.scope], slice).await?;
        let events: Vec<StoredChangeEvent> = page.events.into_iter().map(|(_, event)| event).collect();
        let is_deleted = events.last().is_some_and(StoredChangeEvent::is_last);
        if !is_deleted || events.iter().any(StoredChangeEvent::changes_access) {
            return Ok(ChangeStep::End(Bytes::new()));
        }
        self.look_up(&events).await?;
        Ok(ChangeStep::End(self.encode(events)?))
    }

    /// Those of the events that the client sees, after their subjects were looked up.
    fn encode(&self, events: Vec<StoredChangeEvent>) -> Result<Bytes> {
        let mut bytes = Vec::new();
        for event in events {
            if self.sees(&event) {
                bytes.extend_from_slice(&SentChange::of(event)?.bytes);
            }
        }
        Ok(bytes.into())
    }

    /// Finds out which subjects of events the client sees.
    async fn look_up(&mut self, events: &[StoredChangeEvent]) -> Result<()> {
        let own = self.scope.scope().id();
        let projects =
            events.iter().filter(|event| event.is_of_cards || event.project.is_some_and(|id| id.0 != own));
        let others = events.iter().filter_map(|event| event.other_project);
        let projects: HashSet<ProjectId> = projects.filter_map(|event| event.project).chain(others).collect();
        let teams: HashSet<TeamId> =
            events.iter().filter_map(|event| event.team).filter(|team| team.0 != own).collect();
        let projects: Vec<ProjectId> = projects.difference(&self.sight.projects).copied().collect();
        let teams: Vec<TeamId> = teams.difference(&self.sight.teams).copied().collect();
        if projects.is_empty() && teams.is_empty() {
            return Ok(());
        }
        let found = self.app.store.visible_subjects(&self.call, &projects, &teams).await?;
        self.sight.projects.extend(projects);
        self.sight.teams.extend(teams);
        self.sight.visible.projects.extend(found.projects);
        self.sight.visible.with_cards.extend(found.with_cards);
        self.sight.visible.teams.extend(found.teams);
        Ok(())
    }

    /// True if the client sees the subjects of an event, which were looked up.
    fn sees(&self, event: &StoredChangeEvent) -> bool {
        let (own, visible) = (self.scope.scope().id(), &self.sight.visible);
        let sees_project = event.project.is_none_or(|project| match event.is_of_cards {
            true => visible.with_cards.contains(&project),
            false => project.0 == own || visible.projects.contains(&project),
        });
        let sees_other = event.other_project.is_none_or(|project| visible.with_cards.contains(&project));
        sees_project
            && sees_other
            && event.team.is_none_or(|team| team.0 == own || visible.teams.contains(&team))
    }
}

/// The client's position and the start of its stream: the reconnection delay, the position, and a `resync` if events were
/// missed. Without a position it starts now.
fn opening(asked: Option<i64>, range: ChangeRange, now: Timestamp) -> Result<(i64, Bytes)> {
    let position = match asked {
        Some(asked) if asked > range.drawn => range.horizon,
        Some(asked) => asked.max(range.deleted),
        None => range.horizon,
    };
    let mut opening = Vec::from(format!("{RETRY}id: {position}\n\n"));
    if asked.is_some_and(|asked| asked != position) {
        let resync = StoredChangeEvent {
            sequence: position,
            kind: "resync".to_owned(),
            data: json!({ "first": position + 1, "last": range.horizon.max(position) }),
            occurred_at: now,
            actor: None,
            project: None,
            team: None,
            other_project: None,
            is_of_cards: false,
        };
        opening.extend_from_slice(&SentChange::of(resync)?.bytes);
    }
    Ok((position, opening.into()))
}

impl HandlerAnswer for ChangeStream {
    type Declared = Raw;

    fn into_response(self, _: &RequestHead) -> Result<HttpResponse> {
        Ok(event_stream::answer(self.0))
    }

    fn describe(schemas: &mut Schemas) -> Vec<(u16, Value)> {
        let events = json!({ EVENT_STREAM: { "schema": schemas.answer::<ChangeEvent>() } });
        vec![(200, json!({ "description": "The events", "content": events }))]
    }
}
