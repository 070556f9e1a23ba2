//! Make a calendar feed for the calling user.

use api::operation::Operation;
use api::planning::calendars::{
    CalendarPath, CreateCalendarFeed, CreateCalendarFeedRequest, GetCalendar, IssuedCalendarFeed,
};
use auth::actor::BrowserOnly;
use auth::calendar_secret::CalendarSecret;
use domain::secret::Secret;
use domain::{Code, Error, Result, Rule};
use store::Me;
use store::planning::calendars::{self, NewCalendarFeed};
use wire::{Created, Reply, Request};

use crate::app::App;

/// Makes a feed, whose address is shown only once. A repeat under the same idempotency key answers the same record with
/// a new address and invalidates the first.
pub async fn handle(
    app: App,
    request: Request<BrowserOnly, CreateCalendarFeed>,
) -> Result<Created<IssuedCalendarFeed>> {
    let call = &request.call;
    let new = validate(request.body.0)?;
    let create = async |tx: &mut _, me: &_| calendars::create(tx, me, call, &new).await;
    let made = app.store.create(call, &Me, create).await?;
    let id = made.value.id;
    let shown = app.store.mutate(call, &Me, async |tx, me| calendars::set_secret(tx, me, id).await).await;
    // The feed exists already.
    let (feed, secret) = shown
        .map_err(|error| if error.code == Code::Unavailable { error.outcome_unknown() } else { error })?;
    let url = address(&request.public_url, &secret);
    Ok(Reply::created(made.map(|_| IssuedCalendarFeed { feed, url })))
}

fn validate(body: CreateCalendarFeedRequest) -> Result<NewCalendarFeed> {
    let CreateCalendarFeedRequest { name, project_id: project, team_id: team, mine } = body;
    if project.is_some() && team.is_some() {
        let message = "can't be combined with `projectId`";
        return Err(Error::invalid("teamId", Rule::conflict("projectId"), message));
    }
    Ok(NewCalendarFeed { name, project, team, is_mine: mine.unwrap_or_default() })
}

/// The address at which programs fetch the calendar.
fn address(public_url: &str, secret: &CalendarSecret) -> Secret {
    let path = CalendarPath { feed_secret: Secret::from(secret.reveal()) };
    Secret::from(format!("{public_url}{}", GetCalendar::DECLARATION.path_with(&path)).as_str())
}
