//! Calendar feeds of users: list, creation, revocation. The database has only hashes of their secrets. Submodule: what
//! their calendars show.

pub mod content;

use auth::actor::{Actor, ActorCredential, BrowserOnly, Confinement};
use auth::calendar_secret::CalendarSecret;
use database::decode;
use database::error::SqlError;
use database::prelude::*;
use database::schema::calendar_feeds;
use domain::id::{CalendarFeedId, ProjectId, TeamId, UserId};
use domain::people::permission::{Permission, Permissions, Scope};
use domain::planning::calendar::CalendarFeedRecord;
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Error, Result, Rule};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::access::user::{self, User};
use crate::access::visible_teams;
use crate::resources::audit;
use crate::resources::limits;
use crate::resources::store::{Store, Tx};

/// Most feeds of a user.
const FEEDS_MAX: u32 = 20;
/// How often a feed's last fetch is written, in seconds.
const LAST_FETCHED_RESOLUTION_SECS: i64 = 60;

/// The attributes of a new feed.
#[derive(Clone, Debug)]
pub struct NewCalendarFeed {
    /// Name of the calendar.
    pub name: Name,
    /// The only project whose cards it has.
    pub project: Option<ProjectId>,
    /// The only team whose sprints and cards it has.
    pub team: Option<TeamId>,
    /// True for the user's own cards, and sprints of the user's teams.
    pub is_mine: bool,
}

/// A feed that a calendar program fetches.
#[derive(Clone, Debug)]
pub struct FetchedFeed {
    /// The feed's record.
    pub record: CalendarFeedRecord,
    /// Its user.
    user: UserId,
}

impl FetchedFeed {
    /// Its user, with the permission to read cards and teams.
    pub fn actor(&self) -> Actor {
        let confinement = self
            .record
            .project_id
            .map(|project| Confinement { projects: vec![project], organizations: Vec::new() });
        Actor {
            user: self.user,
            credential: ActorCredential::Job,
            ceiling: Permissions::of_scopes(&[Scope::CardsRead, Scope::TeamsRead]),
            confinement,
            acting_in: None,
        }
    }
}

/// Creates the record of a feed of the caller. Its secret is unknown until [`set_secret`] sets one: recorded outcomes
/// of idempotency keys never hold a secret.
///
/// # Errors
/// `INVALID_REQUEST` if the caller doesn't see the project or the team; `LIMIT_REACHED`; `UNAVAILABLE`.
pub async fn create(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    new: &NewCalendarFeed,
) -> Result<CalendarFeedRecord> {
    let all = calendar_feeds::table.filter(calendar_feeds::user_id.eq(user.id().0));
    let count = async |tx: &mut Tx| -> Result<i64> { Ok(all.count().get_result(tx).await?) };
    limits::count_and_refuse(tx, ("calendarFeeds", user.id().0), FEEDS_MAX, count).await?;
    user::require_enabled(tx, user.id()).await?;
    require_visible(tx, call, new).await?;
    let row: FeedRow = diesel::insert_into(calendar_feeds::table)
        .values((
            calendar_feeds::id.eq(CalendarFeedId::new(call.now).0),
            calendar_feeds::user_id.eq(user.id().0),
            calendar_feeds::name.eq(new.name.as_str()),
            calendar_feeds::secret_hash.eq(CalendarSecret::generate().hash().to_vec()),
            calendar_feeds::project_id.eq(new.project.map(|project| project.0)),
            calendar_feeds::team_id.eq(new.team.map(|team| team.0)),
            calendar_feeds::is_mine.eq(new.is_mine),
            calendar_feeds::created_at.eq(call.now.0),
        ))
        .returning(FeedRow::as_returning())
        .get_result(tx)
        .await
        .map_err(gone)?;
    let record = row.record()?;
    audit::record(tx, call, record.id.0).await?;
    Ok(record)
}

/// Refuses a project whose cards the caller doesn't read, and a team that the caller doesn't see.
async fn require_visible(tx: &mut Tx, call: &Call<BrowserOnly>, new: &NewCalendarFeed) -> Result<()> {
    if let Some(project) = new.project
        && reachable::among(tx, call, &[project], Permission::CardRead).await?.is_empty()
    {
        return Err(Error::broken("projectId", Rule::Exists));
    }
    if let Some(team) = new.team
        && visible_teams::among(tx, call, [team]).await?.is_empty()
    {
        return Err(Error::broken("teamId", Rule::Exists));
    }
    Ok(())
}

/// The failure of an insertion. What it refers to may have been deleted meanwhile.
fn gone(error: SqlError) -> Error {
    let fields = [("calendar_feeds_project_id_fkey", "projectId"), ("calendar_feeds_team_id_fkey", "teamId")];
    match fields.into_iter().find(|(constraint, _)| error.violates_foreign_key(constraint)) {
        Some((_, field)) => Error::broken(field, Rule::Exists),
        None => error.into(),
    }
}

/// Sets a new secret for a feed of the caller. The earlier secret no longer works.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn set_secret(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    id: CalendarFeedId,
) -> Result<(CalendarFeedRecord, CalendarSecret)> {
    let secret = CalendarSecret::generate();
    let row: Option<FeedRow> = diesel::update(own(user.id(), id))
        .set(calendar_feeds::secret_hash.eq(secret.hash().to_vec()))
        .returning(FeedRow::as_returning())
        .get_result(tx)
        .await
        .optional()?;
    Ok((row.ok_or_else(Error::not_found)?.record()?, secret))
}

/// The caller's feeds, newest first.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, user: &User<BrowserOnly>) -> Result<Vec<CalendarFeedRecord>> {
    let rows: Vec<FeedRow> = calendar_feeds::table
        .filter(calendar_feeds::user_id.eq(user.id().0))
        .order(calendar_feeds::id.desc())
        .select(FeedRow::as_select())
        .load(tx)
        .await?;
    rows.into_iter().map(FeedRow::record).collect()
}

/// Deletes a feed of the caller, and with it its secret.
///
/// # Errors
/// `NOT_FOUND`.
pub async fn revoke(
    tx: &mut Tx,
    user: &User<BrowserOnly>,
    call: &Call<BrowserOnly>,
    id: CalendarFeedId,
) -> Result<()> {
    if diesel::delete(own(user.id(), id)).execute(tx).await? == 0 {
        return Err(Error::not_found());
    }
    audit::record(tx, call, id.0).await
}

/// Deletes the feeds of a user who is disabled.
pub(crate) async fn revoke_all(tx: &mut Tx, user: UserId) -> Result<()> {
    diesel::delete(calendar_feeds::table.filter(calendar_feeds::user_id.eq(user.0))).execute(tx).await?;
    Ok(())
}

impl Store {
    /// The feed with the secret of this hash, if there is one. Notes that it is fetched.
    ///
    /// # Errors
    /// `UNAVAILABLE`.
    pub async fn find_calendar_feed(&self, hash: &[u8; 32], now: Timestamp) -> Result<Option<FetchedFeed>> {
        let found: Option<(Uuid, FeedRow)> = calendar_feeds::table
            .filter(calendar_feeds::secret_hash.eq(hash.as_slice()))
            .select((calendar_feeds::user_id, FeedRow::as_select()))
            .first(&self.connection().await?)
            .await
            .optional()?;
        let Some((user, row)) = found else { return Ok(None) };
        let record = row.record()?;
        let noted = record.last_fetched_at;
        if noted.is_none_or(|noted| noted.plus_seconds(LAST_FETCHED_RESOLUTION_SECS) <= now) {
            self.note_fetch_in_background(record.id, now);
        }
        Ok(Some(FetchedFeed { record, user: UserId(user) }))
    }

    /// Notes a fetch without delay of the request.
    fn note_fetch_in_background(&self, id: CalendarFeedId, now: Timestamp) {
        let store = self.clone();
        tokio::spawn(async move {
            let Ok(connection) = store.connection().await else {
                return;
            };
            let noted = diesel::update(calendar_feeds::table.find(id.0))
                .set(calendar_feeds::last_fetched_at.eq(now.0))
                .execute(&connection)
                .await;
            if let Err(error) = noted {
                let chain = Error::from(error).chain();
                tracing::warn!("error.chain" = chain, "last fetch of calendar feed {id} not recorded");
            }
        });
    }
}

#[diesel::dsl::auto_type(no_type_alias)]
fn own(user: UserId, id: CalendarFeedId) -> _ {
    let (id, owner): (Uuid, Uuid) = (id.0, user.0);
    calendar_feeds::table.find(id).filter(calendar_feeds::user_id.eq(owner))
}

/// A feed's columns, without its hash.
#[derive(Queryable, Selectable)]
#[diesel(table_name = calendar_feeds)]
struct FeedRow {
    id: Uuid,
    name: String,
    project_id: Option<Uuid>,
    team_id: Option<Uuid>,
    is_mine: bool,
    created_at: OffsetDateTime,
    last_fetched_at: Option<OffsetDateTime>,
}

impl FeedRow {
    fn record(self) -> Result<CalendarFeedRecord> {
        Ok(CalendarFeedRecord {
            id: CalendarFeedId(self.id),
            name: decode::name(&self.name)?,
            project_id: self.project_id.map(ProjectId),
            team_id: self.team_id.map(TeamId),
            mine: self.is_mine,
            created_at: Timestamp::from(self.created_at),
            last_fetched_at: self.last_fetched_at.map(Timestamp::from),
        })
    }
}
