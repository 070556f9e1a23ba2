//! Calendar feeds: which deadlines and sprints a person's calendar program gets, and how. `icalendar` writes the file.

pub mod icalendar;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::id::{CalendarFeedId, CardId, OrganizationId, ProjectId, SprintId, TeamId};
use crate::key::CardKey;
use crate::planning::calendar::icalendar::{CalendarEntry, EntryTime, IcalendarWriter};
use crate::text::Name;
use crate::time::{Deadline, Timestamp, Zone};

/// A calendar feed, without its address.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CalendarFeedRecord {
    /// Id.
    pub id: CalendarFeedId,
    /// Name of the calendar.
    pub name: Name,
    /// The project whose cards it has, without sprints; absent for all projects.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_id: Option<ProjectId>,
    /// The team whose sprints it has, and the cards on its board; absent for all teams.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub team_id: Option<TeamId>,
    /// True for cards that are assigned to the person, and sprints of the person's teams alone.
    pub mine: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// The last time at which a program fetched it, to the minute.
    pub last_fetched_at: Option<Timestamp>,
}

/// The content of a calendar, as its reader may see it now.
#[derive(Clone, Debug, Default)]
pub struct CalendarContent {
    /// Open cards with a deadline.
    pub cards: Vec<DueCard>,
    /// Sprints with both dates.
    pub sprints: Vec<ScheduledSprint>,
}

/// An open card with its deadline.
#[derive(Clone, Debug)]
pub struct DueCard {
    /// Id.
    pub id: CardId,
    /// Its key, once its project has one.
    pub key: Option<CardKey>,
    /// Name.
    pub name: Name,
    /// Its project.
    pub project_id: ProjectId,
    /// The project's name.
    pub project_name: Name,
    /// Its due time.
    pub deadline: Deadline,
    /// Time of its last change.
    pub updated_at: Timestamp,
}

/// A sprint with both dates.
#[derive(Clone, Debug)]
pub struct ScheduledSprint {
    /// Id.
    pub id: SprintId,
    /// Name.
    pub name: Name,
    /// Its team.
    pub team_id: TeamId,
    /// The team's organization.
    pub organization_id: OrganizationId,
    /// The team's name.
    pub team_name: Name,
    /// The zone of the team's days.
    pub time_zone: Zone,
    /// Its start.
    pub start: Timestamp,
    /// Its end.
    pub end: Timestamp,
    /// Its creation, start or completion: the last of these.
    pub revised_at: Timestamp,
}

/// The calendar file of a feed. `console_url` is the console's address, without a slash at its end. Equal content gives
/// equal bytes.
pub fn file(name: &Name, content: &CalendarContent, console_url: &str) -> String {
    let mut file = IcalendarWriter::begin(name.as_str());
    for card in &content.cards {
        file.add(&card.entry(console_url));
    }
    for sprint in &content.sprints {
        file.add(&sprint.entry(console_url));
    }
    file.end()
}

impl DueCard {
    fn entry(&self, console_url: &str) -> CalendarEntry {
        let key = self.key.as_ref().map(ToString::to_string);
        let named_in_address = key.clone().unwrap_or_else(|| self.id.to_string());
        let url = format!("{console_url}/projects/{}/cards/{named_in_address}", self.project_id);
        CalendarEntry {
            uid: self.id.0,
            stamp: self.updated_at,
            modified: Some(self.updated_at),
            time: match self.deadline.day() {
                Some(day) => EntryTime::Days { first: day, last: day },
                None => EntryTime::Moment(self.deadline.0),
            },
            summary: key.map_or_else(|| self.name.to_string(), |key| format!("{key} {}", self.name)),
            description: format!("{}\n{url}", self.project_name),
            url,
        }
    }
}

impl ScheduledSprint {
    fn entry(&self, console_url: &str) -> CalendarEntry {
        let first = self.time_zone.day_of(self.start);
        let (org, team) = (self.organization_id, self.team_id);
        let url = format!("{console_url}/orgs/{org}/teams/{team}/sprints/{}", self.id);
        CalendarEntry {
            uid: self.id.0,
            stamp: self.revised_at,
            // Other changes of a sprint leave no time.
            modified: None,
            time: EntryTime::Days { first, last: self.time_zone.day_of(self.end).max(first) },
            summary: format!("{}: {}", self.team_name, self.name),
            description: url.clone(),
            url,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CalendarContent, DueCard, ScheduledSprint, file};
    use crate::id::{CardId, OrganizationId, ProjectId, SprintId, TeamId};
    use crate::text::Name;
    use crate::time::{DateOrTime, Deadline, Timestamp, Zone};

    const AT: &str = "https://atelier.example";

    fn name(text: &str) -> Name {
        Name::sanitize(text).unwrap()
    }

    fn time(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap()
    }

    fn id<T: std::str::FromStr>(number: u8) -> T {
        format!("0198c5f0-0000-7000-8000-0000000000{number:02}").parse().ok().unwrap()
    }

    fn card(key: Option<&str>, due: &str) -> DueCard {
        DueCard {
            id: id::<CardId>(1),
            key: key.map(|key| key.parse().unwrap()),
            name: name("Grind, then harden"),
            project_id: id::<ProjectId>(2),
            project_name: name("Gearbox"),
            deadline: Deadline::from(due.parse::<DateOrTime>().unwrap()),
            updated_at: time("2026-11-02T09:00:00Z"),
        }
    }

    fn entries(content: &CalendarContent) -> String {
        let file = file(&name("Work"), content, AT).replace("\r\n", "\n");
        let (_, entries) = file.split_once("BEGIN:VEVENT\n").unwrap();
        entries.to_owned()
    }

    #[test]
    fn a_due_day_is_a_day_and_a_due_time_a_moment() {
        let of = |card| entries(&CalendarContent { cards: vec![card], sprints: Vec::new() });
        insta::assert_snapshot!(of(card(Some("GEAR-12"), "2026-12-24")), @r"
        UID:0198c5f0-0000-7000-8000-000000000001
        DTSTAMP:20261102T090000Z
        LAST-MODIFIED:20261102T090000Z
        DTSTART;VALUE=DATE:20261224
        DTEND;VALUE=DATE:20261225
        SUMMARY:GEAR-12 Grind\, then harden
        DESCRIPTION:Gearbox\nhttps://atelier.example/projects/0198c5f0-0000-7000-80
         00-000000000002/cards/GEAR-12
        URL:https://atelier.example/projects/0198c5f0-0000-7000-8000-000000000002/c
         ards/GEAR-12
        TRANSP:TRANSPARENT
        END:VEVENT
        END:VCALENDAR
        ");
        let moment = of(card(None, "2026-12-24T16:30:00+01:00"));
        assert!(moment.contains("\nDTSTART:20261224T153000Z\nSUMMARY:Grind\\, then harden\n"), "{moment}");
        let last = of(card(None, "9999-12-31"));
        assert!(last.contains("\nDTSTART;VALUE=DATE:99991231\nSUMMARY:"), "{last}");
    }

    #[test]
    fn a_sprint_has_the_days_of_its_teams_zone() {
        let zone: Zone = "America/Winnipeg".parse().unwrap();
        let day = |text: &str| text.parse::<DateOrTime>().unwrap();
        let sprint = ScheduledSprint {
            id: id::<SprintId>(3),
            name: name("Sprint 4"),
            team_id: id::<TeamId>(4),
            organization_id: id::<OrganizationId>(5),
            team_name: name("Wheels"),
            start: day("2026-12-10").start_in(&zone),
            end: day("2026-12-23").end_in(&zone),
            time_zone: zone,
            revised_at: time("2026-11-02T09:00:00Z"),
        };
        let content = CalendarContent { cards: Vec::new(), sprints: vec![sprint] };
        insta::assert_snapshot!(entries(&content), @r"
        UID:0198c5f0-0000-7000-8000-000000000003
        DTSTAMP:20261102T090000Z
        DTSTART;VALUE=DATE:20261210
        DTEND;VALUE=DATE:20261224
        SUMMARY:Wheels: Sprint 4
        DESCRIPTION:https://atelier.example/orgs/0198c5f0-0000-7000-8000-0000000000
         05/teams/0198c5f0-0000-7000-8000-000000000004/sprints/0198c5f0-0000-7000-8
         000-000000000003
        URL:https://atelier.example/orgs/0198c5f0-0000-7000-8000-000000000005/teams
         /0198c5f0-0000-7000-8000-000000000004/sprints/0198c5f0-0000-7000-8000-0000
         00000003
        TRANSP:TRANSPARENT
        END:VEVENT
        END:VCALENDAR
        ");
    }
}
