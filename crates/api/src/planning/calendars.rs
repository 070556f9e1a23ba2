//! Calendar feeds of the caller, and the calendars that programs fetch by their addresses.

use domain::id::{CalendarFeedId, ProjectId, TeamId};
use domain::planning::calendar::CalendarFeedRecord;
use domain::secret::Secret;
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Json, Raw};
use crate::{operations, tags};

operations! {
    tag: tags::CALENDARS;

    /// Lists the caller's calendar feeds, the newest first, without their addresses.
    ListCalendarFeeds = Get "/api/v2/me/calendar-feeds" {
        summary: "List the caller's calendar feeds",
        answer: ListCalendarFeedsResponse,
        effect: Reads,
        tool: NotATool("credentials are for people"),
    }

    /// Makes a feed for calendar programs. Its address is shown once; a repeat with the same `Idempotency-Key` shows a
    /// new one. More than 20: `LIMIT_REACHED`.
    CreateCalendarFeed = Post "/api/v2/me/calendar-feeds" {
        summary: "Make a calendar feed",
        body: Json<CreateCalendarFeedRequest>,
        answer: IssuedCalendarFeed,
        effect: Creates,
        tool: NotATool("credentials are for people"),
        also: secret(),
    }

    /// Ends a feed: its address is 404 from the next request on.
    RevokeCalendarFeed = Delete "/api/v2/me/calendar-feeds/{feedId}" {
        summary: "Revoke a calendar feed",
        path: CalendarFeedPath,
        answer: RevokeCalendarFeedResponse,
        effect: Idempotent,
        tool: NotATool("credentials are for people"),
    }

    /// Answers what a feed's person may read now, as iCalendar (RFC 5545): due open cards and sprints. The
    /// address is the credential; others are `NOT_FOUND`.
    GetCalendar = Get "/api/v2/calendars/{feedSecret}/calendar.ics" {
        summary: "Read a calendar",
        path: CalendarPath,
        answer: Raw,
        effect: Reads,
        tool: NotATool("only for calendar programs"),
    }
}

/// The caller's calendar feeds.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListCalendarFeedsResponse {
    /// The feeds, at most 20.
    pub feeds: Vec<CalendarFeedRecord>,
}

/// A feed to make, of everything that the caller may read by default.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CreateCalendarFeedRequest {
    /// Name of the calendar.
    pub name: Name,
    /// The only project whose cards it has. It then has no sprints.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The only team whose sprints and cards on the board it has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// True for cards that are assigned to the caller, and sprints of teams that the caller is a member of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mine: Option<bool>,
}

/// A feed with its address, which is shown only once.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct IssuedCalendarFeed {
    /// The feed's record.
    pub feed: CalendarFeedRecord,
    /// The address for calendar programs. It is not stored and can't be shown again.
    pub url: Secret,
}

/// The revoked feed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RevokeCalendarFeedResponse {
    /// Always true.
    pub deleted: bool,
    /// The feed.
    pub feed_id: CalendarFeedId,
}

/// The path of an operation on one feed.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarFeedPath {
    /// The feed's id.
    pub feed_id: CalendarFeedId,
}

/// The path of a calendar.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarPath {
    /// The secret of the feed's address.
    pub feed_secret: Secret,
}
