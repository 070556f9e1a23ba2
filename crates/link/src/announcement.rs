//! Announcements of committed events between processes.

use std::fmt;
use std::str::FromStr;

use domain::id::SessionId;

/// The word for change events in an announcement.
const CHANGES: &str = "changes";

/// Committed events of which processes tell each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Announcement {
    /// Events of a session.
    Session(SessionId),
    /// Change events of any team or project.
    Changes,
}

impl fmt::Display for Announcement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Session(session) => session.fmt(f),
            Self::Changes => f.write_str(CHANGES),
        }
    }
}

impl FromStr for Announcement {
    type Err = <SessionId as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == CHANGES { Ok(Self::Changes) } else { text.parse().map(Self::Session) }
    }
}
