//! List, make and revoke calendar feeds, with a person's browser token.

use api::planning::calendars::{
    CalendarFeedPath, CreateCalendarFeed, CreateCalendarFeedRequest, ListCalendarFeeds, RevokeCalendarFeed,
};
use client::Client;
use domain::planning::calendar::CalendarFeedRecord;

use crate::arguments::Global;
use crate::arguments::people::Calendars;
use crate::commands::objects::parse_name;
use crate::confirmation::{ask, may_ask};
use crate::failure::{CommandResult, Exit};
use crate::naming::{Beginning, RowName};
use crate::output;
use crate::person::explained;

/// Runs a command on calendar feeds.
pub(crate) async fn run(client: &Client, command: Calendars, global: &Global) -> CommandResult<Exit> {
    let beginning = Beginning::of_change(global.json);
    match command {
        Calendars::List => list(client, global).await?,
        Calendars::Create { name, project, team, mine } => {
            let project_id = match project {
                Some(project) => Some(project.find(client, beginning).await?.record.id),
                None => None,
            };
            let team_id = match team {
                Some(team) => Some(team.find(client, beginning).await?.record.id),
                None => None,
            };
            let name = parse_name(&name)?;
            let request = CreateCalendarFeedRequest { name, project_id, team_id, mine: mine.then_some(true) };
            let made = client.call_with(CreateCalendarFeed, (), &request).await.map_err(explained)?;
            if global.json {
                output::json(&made);
            } else {
                output::note(&format!("Calendar \"{}\". Its address is shown only here:", made.feed.name));
                output::print(made.url.reveal());
            }
        }
        Calendars::Revoke { feed, yes } => {
            let feed = find(client, &feed, beginning).await?;
            if !yes && may_ask(global.json) {
                ask(&format!(
                    "Revoke the calendar \"{}\"? Programs that subscribe to it get no more.",
                    feed.name
                ))?;
            }
            let path = CalendarFeedPath { feed_id: feed.id };
            let revoked = client.call(RevokeCalendarFeed, path).await.map_err(explained)?;
            output::outcome(&revoked, &format!("Revoked \"{}\".", feed.name), global.json);
        }
    }
    Ok(Exit::Done)
}

async fn list(client: &Client, global: &Global) -> CommandResult<()> {
    let feeds = feeds(client).await?;
    if global.json {
        feeds.iter().for_each(output::json);
        return Ok(());
    }
    let row = |feed: &CalendarFeedRecord| {
        let fetched = feed.last_fetched_at.map_or_else(|| "never".to_owned(), output::minute);
        let created = output::day(feed.created_at);
        [feed.name.to_string(), content(feed), created, fetched, feed.id.to_string()]
    };
    let rows: Vec<[String; 5]> = feeds.iter().map(row).collect();
    let nothing = "You have no calendar feed.";
    output::print_table(["NAME", "CONTENT", "CREATED", "LAST FETCHED (UTC)", "ID"], &rows, nothing);
    Ok(())
}

/// The content of a feed in words.
fn content(feed: &CalendarFeedRecord) -> String {
    let of = match (feed.project_id, feed.team_id) {
        (Some(project), _) => format!("project {project}"),
        (None, Some(team)) => format!("team {team}"),
        (None, None) => "everything".to_owned(),
    };
    if feed.mine { format!("{of}, mine") } else { of }
}

async fn feeds(client: &Client) -> CommandResult<Vec<CalendarFeedRecord>> {
    Ok(client.call(ListCalendarFeeds, ()).await.map_err(explained)?.feeds)
}

async fn find(client: &Client, text: &str, beginning: Beginning) -> CommandResult<CalendarFeedRecord> {
    let wanted = RowName { kind: "calendar feed", text, list: "atelier calendar list", beginning };
    wanted.among(feeds(client).await?, |feed| (feed.id.to_string(), feed.name.to_string()))
}
