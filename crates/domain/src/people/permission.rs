//! Scopes and permissions. A key's scopes are the ceiling of its permissions.
//!
//! The permissions of a call are the intersection of this ceiling and the user's role on the resource (`role`).

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A permission that an operation requires (docs/api.md, section 3).
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
    /// Read usage and costs.
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

    /// The smallest scope that includes this permission.
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

/// A scope of an API key.
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
    /// Read usage; no other scope includes it.
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

    /// The permissions of this scope, including those of the smaller scopes of its family.
    pub fn permissions(self) -> &'static [Permission] {
        match self {
            Self::ProjectsRead => &[Permission::ProjectRead],
            Self::ProjectsWrite => &[Permission::ProjectRead, Permission::ProjectWrite],
            Self::ProjectsManage => {
                &[Permission::ProjectRead, Permission::ProjectWrite, Permission::ProjectManage]
            }
            Self::CardsRead => &[Permission::CardRead],
            Self::CardsWrite => &[Permission::CardRead, Permission::CardWrite],
            Self::CardsManage => &[Permission::CardRead, Permission::CardWrite, Permission::CardDelete],
            Self::TeamsRead => &[Permission::TeamRead],
            Self::TeamsWrite => &[Permission::TeamRead, Permission::TeamWrite],
            Self::TeamsManage => &[Permission::TeamRead, Permission::TeamWrite, Permission::TeamManage],
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

/// The text is not a scope.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a scope")]
pub struct UnknownScope(String);

/// A set of permissions.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Permissions(u16);

impl Permissions {
    /// Every permission, the ceiling of a browser session.
    pub fn all() -> Self {
        Permission::ALL.into_iter().collect()
    }

    /// The ceiling of a key with these scopes.
    pub fn of_scopes(scopes: &[Scope]) -> Self {
        scopes.iter().flat_map(|scope| scope.permissions()).copied().collect()
    }

    /// True if the set has `permission`.
    pub fn contains(self, permission: Permission) -> bool {
        self.0 & bit(permission) != 0
    }

    /// The permissions of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The permissions of both sets.
    #[must_use]
    pub fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The permissions, in order.
    pub fn iter(self) -> impl Iterator<Item = Permission> {
        Permission::ALL.into_iter().filter(move |permission| self.contains(*permission))
    }
}

impl FromIterator<Permission> for Permissions {
    fn from_iter<I: IntoIterator<Item = Permission>>(permissions: I) -> Self {
        Self(permissions.into_iter().fold(0, |set, permission| set | bit(permission)))
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
        Ok(Vec::<Permission>::deserialize(deserializer)?.into_iter().collect())
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{Permission, Permissions, Scope};
    use crate::people::role::{OrganizationRole, ProjectRole, TeamRole};

    fn scopes() -> impl Strategy<Value = Vec<Scope>> {
        proptest::sample::subsequence(Scope::ALL.to_vec(), 0..=Scope::ALL.len())
    }

    fn permissions() -> impl Strategy<Value = Permissions> {
        let subsets = proptest::sample::subsequence(Permission::ALL.to_vec(), 0..=Permission::ALL.len());
        subsets.prop_map(|permissions| permissions.into_iter().collect())
    }

    fn within(inner: Permissions, outer: Permissions) -> bool {
        inner.intersection(outer) == inner
    }

    #[test]
    fn the_lists_of_all_values_are_complete_without_repetition() {
        assert_eq!(Permissions::all().iter().collect::<Vec<_>>(), Permission::ALL);
        assert_eq!(serde_json::to_value(Permissions::all()).unwrap().as_array().unwrap().len(), 10);
        for scope in Scope::ALL {
            assert_eq!(Scope::ALL.iter().filter(|other| **other == scope).count(), 1, "{scope}");
        }
    }

    #[test]
    fn names_round_trip_in_json_and_text() {
        for scope in Scope::ALL {
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.as_str());
            assert_eq!(scope.to_string().parse(), Ok(scope));
        }
        for unknown in ["", "projects", "projects:", "PROJECTS:READ", " projects:read", "usage:write", "*"] {
            assert!(unknown.parse::<Scope>().is_err(), "{unknown}");
        }
    }

    #[test]
    fn each_scope_adds_one_permission_to_the_smaller_scope() {
        let ladders = [
            [Scope::ProjectsRead, Scope::ProjectsWrite, Scope::ProjectsManage],
            [Scope::CardsRead, Scope::CardsWrite, Scope::CardsManage],
            [Scope::TeamsRead, Scope::TeamsWrite, Scope::TeamsManage],
        ];
        for ladder in ladders {
            for (rung, scope) in ladder.into_iter().enumerate() {
                let gives = Permissions::of_scopes(&[scope]);
                assert_eq!(gives.iter().count(), rung + 1, "{scope}");
                for lower in ladder.into_iter().take(rung) {
                    assert!(within(Permissions::of_scopes(&[lower]), gives), "{scope} above {lower}");
                }
            }
        }
    }

    #[test]
    fn the_scope_of_a_permission_is_the_smallest_that_includes_it() {
        for permission in Permission::ALL {
            let named = permission.scope().permissions();
            assert!(named.contains(&permission), "{permission:?}");
            let least = Scope::ALL.iter().map(|scope| scope.permissions());
            let least = least.filter(|given| given.contains(&permission)).map(<[_]>::len).min();
            assert_eq!(Some(named.len()), least, "{permission:?}");
        }
    }

    #[test]
    fn only_the_usage_scope_includes_usage() {
        let others: Vec<_> = Scope::ALL.into_iter().filter(|scope| *scope != Scope::UsageRead).collect();
        assert!(!Permissions::of_scopes(&others).contains(Permission::UsageRead));
        assert_eq!(
            Permissions::of_scopes(&[Scope::UsageRead]),
            [Permission::UsageRead].into_iter().collect()
        );
    }

    proptest! {
        #[test]
        fn adding_scopes_never_removes_a_permission(some in scopes(), more in scopes()) {
            let both: Vec<_> = some.iter().chain(&more).copied().collect();
            prop_assert!(within(Permissions::of_scopes(&some), Permissions::of_scopes(&both)));
            prop_assert!(within(Permissions::of_scopes(&more), Permissions::of_scopes(&both)));
        }

        #[test]
        fn scopes_and_roles_limit_each_other(scopes in scopes()) {
            let ceiling = Permissions::of_scopes(&scopes);
            let projects = ProjectRole::ALL.iter().map(|role| role.permissions());
            let organizations = OrganizationRole::ALL.iter().map(|role| role.permissions());
            let teams = TeamRole::ALL.iter().map(|role| role.permissions());
            for role in projects.chain(organizations).chain(teams) {
                let effective = ceiling.intersection(role);
                prop_assert!(within(effective, role) && within(effective, ceiling));
                for permission in Permission::ALL {
                    let both = ceiling.contains(permission) && role.contains(permission);
                    prop_assert_eq!(effective.contains(permission), both);
                }
            }
        }

        #[test]
        fn sets_round_trip_in_json(set in permissions()) {
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(serde_json::from_str::<Permissions>(&json).unwrap(), set);
        }
    }
}
