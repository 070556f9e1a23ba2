//! The checks of the formats that schemas of requests name (docs/api.md, section 2). [`Rule`](crate::Rule) has their
//! requirements in words.

use crate::content::compare::Point;
use crate::content::edit::ObjectType;
use crate::content::package::PackageRef;
use crate::content::project::{BranchName, ProjectRef};
use crate::id::ObjectId;
use crate::key::CardName;
use crate::people::email::EmailAddress;
use crate::planning::board::changes::BoardRevision;
use crate::planning::card::{CardSort, CardType, OrNone, UserTerm, is_term};
use crate::planning::custom_field::FieldFilters;
use crate::planning::history::Sequence;
use crate::planning::saved_view::ViewColumn;
use crate::text::{Name, is_blank};
use crate::time::{CalendarDay, DateOrTime, Timestamp, Zone};
use crate::work::mcp_server::ServerUrl;

/// A format's name, and its check: true for texts of the format.
pub type TextFormat = (&'static str, fn(&str) -> bool);

/// All formats that a schema can name. Types use the same checks when they read a request.
pub const FORMATS: [TextFormat; 28] = [
    ("uuid", |text| text.parse::<ObjectId>().is_ok()),
    ("date-time", |text| Timestamp::parse(text).is_ok()),
    ("date", |text| text.parse::<CalendarDay>().is_ok()),
    ("date-or-time", |text| text.parse::<DateOrTime>().is_ok()),
    ("time-zone", |text| text.parse::<Zone>().is_ok()),
    ("text", |text| !text.contains('\0')),
    ("visible-text", |text| !text.contains('\0') && !is_blank(text)),
    ("name", |text| Name::sanitize(text).is_some()),
    ("object-type", |text| ObjectType::parse(text).is_ok()),
    ("branch", |text| text.parse::<BranchName>().is_ok()),
    ("revision", |text| text.parse::<Point>().is_ok()),
    ("project", |text| text.parse::<ProjectRef>().is_ok()),
    ("package", |text| text.parse::<PackageRef>().is_ok()),
    ("sequence", |text| text.parse::<Sequence>().is_ok()),
    ("board-revision", |text| text.parse::<BoardRevision>().is_ok()),
    ("field-filters", |text| text.parse::<FieldFilters>().is_ok()),
    ("card-type", |text| text.parse::<CardType>().is_ok()),
    ("card-type-filter", is_term::<CardType>),
    ("card-sort", |text| text.parse::<CardSort>().is_ok()),
    ("view-column", |text| text.parse::<ViewColumn>().is_ok()),
    ("card", |text| text.parse::<CardName>().is_ok()),
    ("uuid-filter", is_term::<ObjectId>),
    ("user-filter", is_term::<UserTerm>),
    ("optional-uuid-filter", is_term::<OrNone<ObjectId>>),
    ("optional-user-filter", is_term::<OrNone<UserTerm>>),
    ("optional-card-filter", is_term::<OrNone<CardName>>),
    ("email", |text| EmailAddress::parse(text).is_some()),
    ("uri", |text| text.parse::<ServerUrl>().is_ok()),
];

#[cfg(test)]
mod tests {
    use super::FORMATS;
    use crate::Rule;

    #[test]
    fn every_format_states_its_requirement() {
        for (name, accepts) in FORMATS {
            assert!(!Rule::format(name).to_string().contains("the format"), "{name}");
            assert!(!accepts("\0"), "{name}");
        }
    }
}
