//! Visibility of teams and rights of their roles; hidden teams look absent.

use serde_json::json;
use testkit::caller::Caller;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use crate::teams::support::Team;

/// The statuses of a caller who reads the team, adds a column, and changes the team.
async fn reach(makers: &Team, caller: &Caller, team: &str) -> [u16; 3] {
    let path = makers.in_org(&format!("teams/{team}"));
    let column = json!({ "name": uuid::Uuid::now_v7().to_string() });
    [
        caller.get(&path).await.status,
        caller.post(&format!("{path}/statuses")).json(column).await.status,
        caller.patch(&path).json(json!({ "description": "d" })).await.status,
    ]
}

#[tokio::test]
async fn roles_have_their_rights_on_private_and_internal_teams() {
    let team = Team::open().await;
    let internal = team.another_team(json!({ "name": "Open", "visibility": "internal" })).await;
    for (role, on_private, on_internal) in [
        ("guest", [404; 3], [404; 3]),
        ("member", [404; 3], [200, 403, 403]),
        ("admin", [200, 201, 200], [200, 201, 200]),
        ("owner", [200, 201, 200], [200, 201, 200]),
    ] {
        let (_, caller) = team.member(role, role).await;
        assert_eq!(reach(&team, &caller, &team.id).await, on_private, "{role}");
        assert_eq!(reach(&team, &caller, &internal).await, on_internal, "{role}");
    }
    for (role, expected) in [("member", [200, 201, 403]), ("manager", [200, 201, 200])] {
        let (user, caller) = team.member(&format!("team-{role}"), "guest").await;
        team.deployment.operator().add_member(&user, "--team", &team.id, role).await;
        assert_eq!(reach(&team, &caller, &team.id).await, expected, "{role}");
        assert_eq!(reach(&team, &caller, &internal).await, [404; 3], "{role}");
    }
}

#[tokio::test]
async fn a_guest_creates_no_team_and_a_stranger_finds_no_organization() {
    let team = Team::open().await;
    let (_, guest) = team.member("guest", "guest").await;
    let stranger = team.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let create =
        |caller: &Caller| caller.post(&team.in_org("teams")).json(json!({ "name": "x" })).into_future();
    assert_eq!(create(&guest).await.to_string(), "403 FORBIDDEN");
    assert_eq!(create(&stranger).await.to_string(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_team_below_another_organization_looks_absent() {
    let team = Team::open().await;
    let other = team.deployment.operator().organization("other", &team.alice).await;
    let status = team.status("To do").await;
    let read =
        async |org: &str, rest: &str| team.caller.get(&format!("/api/v2/orgs/{org}/teams/{rest}")).await;
    read(&team.org, &team.id).await.expect(200);
    let absent = read(&team.org, ABSENT_ID).await.expect(404);
    let another = team.another_team(json!({ "name": "Another" })).await;
    for (org, rest) in [
        (&other, team.id.clone()),
        (&other, format!("{}/statuses", team.id)),
        (&other, format!("{}/statuses/{status}", team.id)),
        (&team.org, format!("{another}/statuses/{status}")),
    ] {
        assert_eq!(read(org, &rest).await.expect(404).body, absent.body, "{rest}");
    }
}

#[tokio::test]
async fn a_key_confined_to_projects_has_no_access_to_teams() {
    let team = Team::open().await;
    let to_project = team.confined("projectIds", &team.project).await;
    assert_eq!(reach(&team, &to_project, &team.id).await, [404; 3]);
    to_project.get(&team.in_org("teams")).await.expect(404);
    let to_organization = team.confined("orgIds", &team.org).await;
    assert_eq!(reach(&team, &to_organization, &team.id).await, [200, 201, 200]);
}

#[tokio::test]
async fn leaving_the_organization_ends_its_team_memberships_permanently() {
    let makers = Team::open().await;
    let operator = makers.deployment.operator();
    let internal = makers.another_team(json!({ "name": "Open", "visibility": "internal" })).await;
    let (bob, by_bob) = makers.member("bob", "member").await;
    for team in [&makers.id, &internal] {
        operator.add_member(&bob, "--team", team, "manager").await;
    }
    assert_eq!(reach(&makers, &by_bob, &makers.id).await, [200, 201, 200]);
    operator.remove_member(&bob, "--org", &makers.org).await;
    for team in [&makers.id, &internal] {
        assert_eq!(reach(&makers, &by_bob, team).await, [404; 3]);
        let path = makers.in_org(&format!("teams/{team}"));
        assert_eq!(by_bob.delete(&path).await.status, 404);
    }
    operator.add_member(&bob, "--org", &makers.org, "guest").await;
    assert_eq!(reach(&makers, &by_bob, &makers.id).await, [404; 3]);
}

#[tokio::test]
async fn a_member_of_a_team_is_at_least_a_guest_of_its_organization() {
    let team = Team::open().await;
    let operator = team.deployment.operator();
    let (guest, member) = (operator.user("carol").await, team.member("dave", "admin").await);
    operator.add_member(&guest, "--team", &team.id, "member").await;
    operator.add_member(&member.0, "--team", &team.id, "member").await;
    let by_guest = guest.key(MANAGE_WITH_TEAMS).await;
    assert_eq!(reach(&team, &by_guest, &team.id).await, [200, 201, 403]);
    by_guest.get(&team.in_org("teams")).await.expect(200);
    assert_eq!(reach(&team, &member.1, &team.id).await, [200, 201, 200]);
}
