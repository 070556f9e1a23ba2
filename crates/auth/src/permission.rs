//! Scopes, permissions, and the ceiling that a key's scopes put on what it may do.
//!
//! What a call may do is the ceiling, cut with the acting user's role on the resource (`role`).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What an operation needs (contract, section 3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Permission {
    /// Read a project: record, tree, changes, commits, packages, sessions, files.
    #[serde(rename = "project.read")]
    ProjectRead,
    /// Create a project; change its content; work in sessions; upload.
    #[serde(rename = "project.write")]
    ProjectWrite,
    /// Change or delete a project's record; publish packages.
    #[serde(rename = "project.manage")]
    ProjectManage,
    /// Read cards, tags, comments and history.
    #[serde(rename = "card.read")]
    CardRead,
    /// Create, change and place cards.
    #[serde(rename = "card.write")]
    CardWrite,
    /// Delete cards.
    #[serde(rename = "card.delete")]
    CardDelete,
    /// Read teams, boards and sprints.
    #[serde(rename = "team.read")]
    TeamRead,
    /// Change statuses, sprints, placements and links.
    #[serde(rename = "team.write")]
    TeamWrite,
    /// Change or delete a team.
    #[serde(rename = "team.manage")]
    TeamManage,
    /// Read what work cost.
    #[serde(rename = "usage.read")]
    UsageRead,
}

impl Permission {
    /// Every permission.
    pub const ALL: [Self; 10] = [
        Self::ProjectRead,
        Self::ProjectWrite,
        Self::ProjectManage,
        Self::CardRead,
        Self::CardWrite,
        Self::CardDelete,
        Self::TeamRead,
        Self::TeamWrite,
        Self::TeamManage,
        Self::UsageRead,
    ];

    /// The least scope that gives this permission.
    pub fn scope(self) -> Scope {
        match self {
            Self::ProjectRead => Scope::ProjectsRead,
            Self::ProjectWrite => Scope::ProjectsWrite,
            Self::ProjectManage => Scope::ProjectsManage,
            Self::CardRead => Scope::CardsRead,
            Self::CardWrite => Scope::CardsWrite,
            Self::CardDelete => Scope::CardsManage,
            Self::TeamRead => Scope::TeamsRead,
            Self::TeamWrite => Scope::TeamsWrite,
            Self::TeamManage => Scope::TeamsManage,
            Self::UsageRead => Scope::UsageRead,
        }
    }
}

/// What a key was issued for (specification, "Authentication", 2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Scope {
    /// Read projects.
    #[serde(rename = "projects:read")]
    ProjectsRead,
    /// Work on projects.
    #[serde(rename = "projects:write")]
    ProjectsWrite,
    /// Manage projects.
    #[serde(rename = "projects:manage")]
    ProjectsManage,
    /// Read cards.
    #[serde(rename = "cards:read")]
    CardsRead,
    /// Work on cards.
    #[serde(rename = "cards:write")]
    CardsWrite,
    /// Manage cards.
    #[serde(rename = "cards:manage")]
    CardsManage,
    /// Read teams.
    #[serde(rename = "teams:read")]
    TeamsRead,
    /// Work on boards and sprints.
    #[serde(rename = "teams:write")]
    TeamsWrite,
    /// Manage teams.
    #[serde(rename = "teams:manage")]
    TeamsManage,
    /// Read usage; nothing implies it.
    #[serde(rename = "usage:read")]
    UsageRead,
}

impl Scope {
    /// Every scope.
    pub const ALL: [Self; 10] = [
        Self::ProjectsRead,
        Self::ProjectsWrite,
        Self::ProjectsManage,
        Self::CardsRead,
        Self::CardsWrite,
        Self::CardsManage,
        Self::TeamsRead,
        Self::TeamsWrite,
        Self::TeamsManage,
        Self::UsageRead,
    ];

    /// The scope's name, as in `projects:read`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ProjectsRead => "projects:read",
            Self::ProjectsWrite => "projects:write",
            Self::ProjectsManage => "projects:manage",
            Self::CardsRead => "cards:read",
            Self::CardsWrite => "cards:write",
            Self::CardsManage => "cards:manage",
            Self::TeamsRead => "teams:read",
            Self::TeamsWrite => "teams:write",
            Self::TeamsManage => "teams:manage",
            Self::UsageRead => "usage:read",
        }
    }

    /// The permissions that this scope gives: an enumerated list, the ladder's lower rungs included.
    pub fn permissions(self) -> &'static [Permission] {
        match self {
            Self::ProjectsRead => &[Permission::ProjectRead],
            Self::ProjectsWrite => &[Permission::ProjectRead, Permission::ProjectWrite],
            Self::ProjectsManage => &[
                Permission::ProjectRead,
                Permission::ProjectWrite,
                Permission::ProjectManage,
            ],
            Self::CardsRead => &[Permission::CardRead],
            Self::CardsWrite => &[Permission::CardRead, Permission::CardWrite],
            Self::CardsManage => &[
                Permission::CardRead,
                Permission::CardWrite,
                Permission::CardDelete,
            ],
            Self::TeamsRead => &[Permission::TeamRead],
            Self::TeamsWrite => &[Permission::TeamRead, Permission::TeamWrite],
            Self::TeamsManage => &[
                Permission::TeamRead,
                Permission::TeamWrite,
                Permission::TeamManage,
            ],
            Self::UsageRead => &[Permission::UsageRead],
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Self::ALL
            .into_iter()
            .find(|scope| scope.as_str() == text)
            .ok_or_else(|| UnknownScope(text.to_owned()))
    }
}

/// A text that names no scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope")]
pub struct UnknownScope(String);

/// A set of permissions.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Permissions(u16);

impl Permissions {
    /// Every permission: what a browser session's ceiling is.
    pub fn all() -> Self {
        Permission::ALL.into_iter().collect()
    }

    /// The ceiling of a key with these scopes.
    pub fn of_scopes(scopes: &[Scope]) -> Self {
        scopes
            .iter()
            .flat_map(|scope| scope.permissions())
            .copied()
            .collect()
    }

    /// Whether the set holds `permission`.
    pub fn contains(self, permission: Permission) -> bool {
        self.0 & bit(permission) != 0
    }

    /// What both sets hold.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The permissions, in order.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL
            .into_iter()
            .filter(move |permission| self.contains(*permission))
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        Self(
            permissions
                .into_iter()
                .fold(0, |set, permission| set | bit(permission)),
        )
    }
}

impl fmt::Debug for Permissions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl Serialize for Permissions {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Permissions {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Vec::<Permission>::deserialize(deserializer)?
            .into_iter()
            .collect())
    }
}

fn bit(permission: Permission) -> u16 {
    match permission {
        Permission::ProjectRead => 1,
        Permission::ProjectWrite => 1 << 1,
        Permission::ProjectManage => 1 << 2,
        Permission::CardRead => 1 << 3,
        Permission::CardWrite => 1 << 4,
        Permission::CardDelete => 1 << 5,
        Permission::TeamRead => 1 << 6,
        Permission::TeamWrite => 1 << 7,
        Permission::TeamManage => 1 << 8,
        Permission::UsageRead => 1 << 9,
    }
}
