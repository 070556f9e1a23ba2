//! Roles in projects, organizations and teams with their permissions.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::people::permission::{Permission, Permissions};

macro_rules! roles {
    ($(#[$doc:meta])* $name:ident { $($(#[$role_doc:meta])* $role:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
        #[serde(rename_all = "lowercase")]
        pub enum $name { $($(#[$role_doc])* $role,)+ }

        impl $name {
            /// Every role, least first.
            pub const ALL: &'static [Self] = &[$(Self::$role),+];

            /// The role's name.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$role => $text,)+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl FromStr for $name {
            type Err = UnknownRole;

            fn from_str(text: &str) -> Result<Self, UnknownRole> {
                Self::ALL.iter().copied().find(|role| role.as_str() == text).ok_or_else(|| UnknownRole(text.to_owned()))
            }
        }
    };
}

roles! {
    /// A role on a project, the least first.
    ProjectRole {
        /// Reads.
        Viewer = "viewer",
        /// Works on content and cards.
        Editor = "editor",
        /// Manages the project; its owner has this role.
        Manager = "manager",
    }
}

roles! {
    /// A role in an organization, the least first.
    OrganizationRole {
        /// Reaches only resources that it was added to.
        Guest = "guest",
        /// Creates projects, works on internal ones, sees internal teams.
        Member = "member",
        /// Manages every project and team of the organization.
        Admin = "admin",
        /// Like an admin; owns the organization.
        Owner = "owner",
    }
}

roles! {
    /// A role in a team, the least first.
    TeamRole {
        /// Works on the board and its sprints.
        Member = "member",
        /// Changes or deletes the team.
        Manager = "manager",
    }
}

/// The text is not a role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role here")]
pub struct UnknownRole(String);

impl ProjectRole {
    /// Permissions on the project.
    pub fn permissions(self) -> Permissions {
        let viewer = [Permission::ProjectRead, Permission::CardRead];
        let editor = [Permission::ProjectWrite, Permission::CardWrite, Permission::UsageRead];
        let manager = [Permission::ProjectManage, Permission::CardDelete];
        let editor = editor.into_iter().filter(|_| self >= Self::Editor);
        let manager = manager.into_iter().filter(|_| self >= Self::Manager);
        viewer.into_iter().chain(editor).chain(manager).collect()
    }
}

impl OrganizationRole {
    /// Permissions on the organization: `project.write` creates projects in it, `team.write` teams.
    pub fn permissions(self) -> Permissions {
        let guest = [Permission::ProjectRead, Permission::TeamRead];
        let member = [Permission::ProjectWrite, Permission::TeamWrite];
        let admin = [Permission::ProjectManage, Permission::TeamManage, Permission::UsageRead];
        let member = member.into_iter().filter(|_| self >= Self::Member);
        let admin = admin.into_iter().filter(|_| self >= Self::Admin);
        guest.into_iter().chain(member).chain(admin).collect()
    }

    /// The role on a project of the organization without a membership of the project, by the project's visibility.
    pub fn on_project(self, internal: bool) -> Option<ProjectRole> {
        match self {
            Self::Owner | Self::Admin => Some(ProjectRole::Manager),
            Self::Member if internal => Some(ProjectRole::Editor),
            Self::Member | Self::Guest => None,
        }
    }

    /// Permissions on a team of the organization without a membership of the team; `None` if the team is hidden.
    pub fn on_team(self, internal: bool) -> Option<Permissions> {
        match self {
            Self::Owner | Self::Admin => Some(TeamRole::Manager.permissions()),
            Self::Member if internal => Some([Permission::TeamRead].into_iter().collect()),
            Self::Member | Self::Guest => None,
        }
    }
}

impl TeamRole {
    /// Permissions on the team.
    pub fn permissions(self) -> Permissions {
        let member = [Permission::TeamRead, Permission::TeamWrite];
        let manager = [Permission::TeamManage];
        member.into_iter().chain(manager.into_iter().filter(|_| self >= Self::Manager)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{OrganizationRole, ProjectRole, TeamRole};
    use crate::people::permission::Permissions;

    fn assert_each_holds_the_one_before(roles: impl Iterator<Item = Permissions>) {
        let mut before = Permissions::default();
        for role in roles {
            assert!(before.intersection(role) == before && before != role, "{role:?} after {before:?}");
            before = role;
        }
    }

    #[test]
    fn higher_roles_allow_at_least_as_much() {
        assert_each_holds_the_one_before(ProjectRole::ALL.iter().map(|role| role.permissions()));
        assert_each_holds_the_one_before(TeamRole::ALL.iter().map(|role| role.permissions()));
        let below_owner = OrganizationRole::ALL.iter().filter(|role| **role != OrganizationRole::Owner);
        assert_each_holds_the_one_before(below_owner.map(|role| role.permissions()));
        assert_eq!(OrganizationRole::Owner.permissions(), OrganizationRole::Admin.permissions());
        for role in OrganizationRole::ALL {
            assert!(role.on_project(true) >= role.on_project(false), "{role}");
        }
    }

    #[test]
    fn names_round_trip_in_json_and_text() {
        for role in ProjectRole::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
            assert_eq!(role.to_string().parse(), Ok(*role));
        }
        for role in OrganizationRole::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
            assert_eq!(role.to_string().parse(), Ok(*role));
        }
        for role in TeamRole::ALL {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
            assert_eq!(role.to_string().parse(), Ok(*role));
        }
        assert!("owner".parse::<ProjectRole>().is_err());
    }
}
