//! Roles of projects, organizations and teams, and the permissions that each gives on its resource.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::permission::{Permission, Permissions};

macro_rules! roles {
    ($(#[$doc:meta])* $name:ident { $($(#[$role_doc:meta])* $role:ident = $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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
        /// Reaches only what it was added to.
        Guest = "guest",
        /// Creates projects, works on internal ones, sees internal teams.
        Member = "member",
        /// Manages every project and team of the organization.
        Admin = "admin",
        /// As an admin; the organization belongs to it.
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

/// A text that names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a role here")]
pub struct UnknownRole(String);

impl ProjectRole {
    /// What the role allows on its project.
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
    /// What the role allows on the organization itself: `project.write` creates projects there, `team.write` teams.
    pub fn permissions(self) -> Permissions {
        let guest = [Permission::ProjectRead, Permission::TeamRead];
        let member = [Permission::ProjectWrite, Permission::TeamWrite];
        let admin = [Permission::ProjectManage, Permission::TeamManage, Permission::UsageRead];
        let member = member.into_iter().filter(|_| self >= Self::Member);
        let admin = admin.into_iter().filter(|_| self >= Self::Admin);
        guest.into_iter().chain(member).chain(admin).collect()
    }

    /// The role that an organization's member has on a project that the organization owns, by the project's
    /// visibility alone (a membership of the project may give more).
    pub fn on_project(self, internal: bool) -> Option<ProjectRole> {
        match self {
            Self::Owner | Self::Admin => Some(ProjectRole::Manager),
            Self::Member if internal => Some(ProjectRole::Editor),
            Self::Member | Self::Guest => None,
        }
    }

    /// What an organization's member may do with a team of it, by the team's visibility alone (a membership of the
    /// team may give more); `None` where it does not see the team.
    pub fn on_team(self, internal: bool) -> Option<Permissions> {
        match self {
            Self::Owner | Self::Admin => Some(TeamRole::Manager.permissions()),
            Self::Member if internal => Some([Permission::TeamRead].into_iter().collect()),
            Self::Member | Self::Guest => None,
        }
    }
}

impl TeamRole {
    /// What the role allows on its team.
    pub fn permissions(self) -> Permissions {
        let member = [Permission::TeamRead, Permission::TeamWrite];
        let manager = [Permission::TeamManage];
        member.into_iter().chain(manager.into_iter().filter(|_| self >= Self::Manager)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{OrganizationRole, ProjectRole, TeamRole};
    use crate::permission::Permissions;

    fn assert_each_holds_the_one_before(roles: impl Iterator<Item = Permissions>) {
        let mut before = Permissions::default();
        for role in roles {
            assert!(before.intersection(role) == before && before != role, "{role:?} after {before:?}");
            before = role;
        }
    }

    #[test]
    fn a_higher_role_never_allows_less() {
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
    fn names_are_the_same_in_json_in_text_and_back() {
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
