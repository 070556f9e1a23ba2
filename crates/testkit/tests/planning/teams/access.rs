//! Visibility of teams and rights of their roles; hidden teams look absent.

use serde_json::json;
use testkit::caller::Caller;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use crate::teams::support::Team;

/// The statuses of a caller who reads the team, adds a column, and changes the team.
async fn reach(works: &Team, caller: &Caller, team: &str) -> [u16; 3] {
    let path = works.in_org(&format!("teams/{team}"));
    let column = json!({ "name": uuid::Uuid::now_v7().to_string() });
    [
        caller.get(&path).await.status,
        caller.post(&format!("{path}/statuses")).json(column).await.status,
        caller.patch(&path).json(json!({ "description": "d" })).await.status,
    ]
}

#[tokio::test]
async fn roles_have_their_rights_on_private_and_internal_teams() {
    let works = Team::open().await;
    let internal = works.another_team(json!({ "name": "Open", "visibility": "internal" })).await;
    for (role, on_private, on_internal) in [
        ("guest", [404; 3], [404; 3]),
        ("member", [404; 3], [200, 403, 403]),
        ("admin", [200, 201, 200], [200, 201, 200]),
        ("owner", [200, 201, 200], [200, 201, 200]),
    ] {
        let (_, caller) = works.member(role, role).await;
        assert_eq!(reach(&works, &caller, &works.team).await, on_private, "{role}");
        assert_eq!(reach(&works, &caller, &internal).await, on_internal, "{role}");
    }
    for (role, expected) in [("member", [200, 201, 403]), ("manager", [200, 201, 200])] {
        let (user, caller) = works.member(&format!("team-{role}"), "guest").await;
        works.deployment.operator().add_member(&user, "--team", &works.team, role).await;
        assert_eq!(reach(&works, &caller, &works.team).await, expected, "{role}");
        assert_eq!(reach(&works, &caller, &internal).await, [404; 3], "{role}");
    }
}

#[tokio::test]
async fn a_guest_creates_no_team_and_a_stranger_finds_no_organization() {
    let works = Team::open().await;
    let (_, guest) = works.member("guest", "guest").await;
    let stranger = works.deployment.operator().user("stranger").await.key(MANAGE_WITH_TEAMS).await;
    let create =
        |caller: &Caller| caller.post(&works.in_org("teams")).json(json!({ "name": "x" })).into_future();
    assert_eq!(create(&guest).await.to_string(), "403 FORBIDDEN");
    assert_eq!(create(&stranger).await.to_string(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_team_below_another_organization_looks_absent() {
    let works = Team::open().await;
    let other = works.deployment.operator().organization("other", &works.alice).await;
    let status = works.status("To do").await;
    let read =
        async |org: &str, rest: &str| works.caller.get(&format!("/api/v2/orgs/{org}/teams/{rest}")).await;
    read(&works.org, &works.team).await.expect(200);
    let absent = read(&works.org, ABSENT_ID).await.expect(404);
    let another = works.another_team(json!({ "name": "Another" })).await;
    for (org, rest) in [
        (&other, works.team.clone()),
        (&other, format!("{}/statuses", works.team)),
        (&other, format!("{}/statuses/{status}", works.team)),
        (&works.org, format!("{another}/statuses/{status}")),
    ] {
        assert_eq!(read(org, &rest).await.expect(404).body, absent.body, "{rest}");
    }
}

#[tokio::test]
async fn a_key_confined_to_projects_has_no_access_to_teams() {
    let works = Team::open().await;
    let to_project = works.confined("projectIds", &works.project).await;
    assert_eq!(reach(&works, &to_project, &works.team).await, [404; 3]);
    to_project.get(&works.in_org("teams")).await.expect(404);
    let to_organization = works.confined("orgIds", &works.org).await;
    assert_eq!(reach(&works, &to_organization, &works.team).await, [200, 201, 200]);
}

#[tokio::test]
async fn leaving_the_organization_ends_its_team_memberships_permanently() {
    let works = Team::open().await;
    let operator = works.deployment.operator();
    let internal = works.another_team(json!({ "name": "Open", "visibility": "internal" })).await;
    let (bob, by_bob) = works.member("bob", "member").await;
    for team in [&works.team, &internal] {
        operator.add_member(&bob, "--team", team, "manager").await;
    }
    assert_eq!(reach(&works, &by_bob, &works.team).await, [200, 201, 200]);
    operator.remove_member(&bob, "--org", &works.org).await;
    for team in [&works.team, &internal] {
        assert_eq!(reach(&works, &by_bob, team).await, [404; 3]);
        let path = works.in_org(&format!("teams/{team}"));
        assert_eq!(by_bob.delete(&path).await.status, 404);
    }
    operator.add_member(&bob, "--org", &works.org, "guest").await;
    assert_eq!(reach(&works, &by_bob, &works.team).await, [404; 3]);
}

#[tokio::test]
async fn a_member_of_a_team_is_at_least_a_guest_of_its_organization() {
    let works = Team::open().await;
    let operator = works.deployment.operator();
    let (guest, member) = (operator.user("carol").await, works.member("dave", "admin").await);
    operator.add_member(&guest, "--team", &works.team, "member").await;
    operator.add_member(&member.0, "--team", &works.team, "member").await;
    let by_guest = guest.key(MANAGE_WITH_TEAMS).await;
    assert_eq!(reach(&works, &by_guest, &works.team).await, [200, 201, 403]);
    by_guest.get(&works.in_org("teams")).await.expect(200);
    assert_eq!(reach(&works, &member.1, &works.team).await, [200, 201, 200]);
}
