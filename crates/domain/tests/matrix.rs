//! The permissions of every role with every scope, as one table to review when it changes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;

use domain::people::permission::{Permission, Permissions, Scope};
use domain::people::role::{OrganizationRole, ProjectRole, TeamRole};

#[test]
fn permissions_of_every_role_with_every_scope() {
    let mut table = String::new();
    for role in ProjectRole::ALL {
        section(&mut table, &format!("project {role}"), role.permissions());
    }
    for role in OrganizationRole::ALL {
        section(&mut table, &format!("organization {role}"), role.permissions());
    }
    for role in TeamRole::ALL {
        section(&mut table, &format!("team {role}"), role.permissions());
    }
    insta::assert_snapshot!(table);
}

#[test]
fn project_roles_of_an_organizations_members() {
    let mut table = String::new();
    for role in OrganizationRole::ALL {
        let [internal, private] =
            [true, false].map(|internal| role.on_project(internal).map_or("nothing", ProjectRole::as_str));
        writeln!(table, "{role}: {internal} if internal, {private} if private").unwrap();
    }
    insta::assert_snapshot!(table, @"
    guest: nothing if internal, nothing if private
    member: editor if internal, nothing if private
    admin: manager if internal, manager if private
    owner: manager if internal, manager if private
    ");
}

#[test]
fn team_permissions_of_an_organizations_members() {
    let mut table = String::new();
    for role in OrganizationRole::ALL {
        let [internal, private] = [true, false]
            .map(|internal| role.on_team(internal).map_or("nothing".to_owned(), |may| format!("{may:?}")));
        writeln!(table, "{role}: {internal} if internal, {private} if private").unwrap();
    }
    insta::assert_snapshot!(table, @"
    guest: nothing if internal, nothing if private
    member: {TeamRead} if internal, nothing if private
    admin: {TeamRead, TeamWrite, TeamManage} if internal, {TeamRead, TeamWrite, TeamManage} if private
    owner: {TeamRead, TeamWrite, TeamManage} if internal, {TeamRead, TeamWrite, TeamManage} if private
    ");
}

/// The permissions of a role with each scope and with all scopes.
fn section(table: &mut String, role: &str, permissions: Permissions) {
    writeln!(table, "{role}").unwrap();
    for scope in Scope::ALL {
        line(table, scope.as_str(), Permissions::of_scopes(&[scope]).intersection(permissions));
    }
    line(table, "all scopes", Permissions::of_scopes(&Scope::ALL).intersection(permissions));
    line(table, "browser", Permissions::all().intersection(permissions));
    table.push('\n');
}

fn line(table: &mut String, name: &str, effective: Permissions) {
    let mut line = format!("  {name:<15}");
    for permission in Permission::ALL {
        let name = serde_json::to_value(permission).unwrap();
        let name = name.as_str().unwrap();
        let cell = if effective.contains(permission) { name } else { "" };
        write!(line, " {cell:<width$}", width = name.len()).unwrap();
    }
    writeln!(table, "{}", line.trim_end()).unwrap();
}
