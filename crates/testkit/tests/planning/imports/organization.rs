//! The export of an organization, and the import of its projects into an empty one.

use insta::assert_snapshot;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::seed::{ABSENT_ID, MANAGE_WITH_TEAMS};

use super::boards::portable;
use super::ndjson::lines;
use super::support::Importer;

impl Importer {
    /// Two projects on one board with an active sprint, and a team without projects; returns the second project.
    async fn fill_organization(&self) -> String {
        let (bob, bobs) = self.bob().await;
        self.fill(&bob, &bobs).await;
        let other = self.new_project("Other", "OT").await;
        let pin =
            self.part(&format!("/api/v2/projects/{other}/cards"), json!({ "name": "Pin" }), "/card/id").await;
        let team = self.team(json!({ "name": "Wheels", "timeZone": "Asia/Tokyo" })).await;
        self.caller.put(&format!("{team}/projects/{other}")).await.expect(200);
        self.part(&self.in_org("teams"), json!({ "name": "Idle" }), "/team/id").await;
        let doing = json!({ "name": "Doing", "transitionState": "started" });
        let doing = self.part(&format!("{team}/statuses"), doing, "/status/id").await;
        let sprint = json!({ "name": "One", "startDate": "2026-11-02", "endDate": "2026-11-13" });
        let sprint = self.part(&format!("{team}/sprints"), sprint, "/sprint/id").await;
        let place = json!({ "statusId": doing, "sprintId": sprint });
        self.put_on(&team, "PR-4", place.clone()).await;
        self.caller.put(&format!("{team}/cards/{pin}")).json(place.clone()).await.expect(200);
        self.put_on(&team, "PR-1", place).await;
        self.caller.post(&format!("{team}/sprints/{sprint}/start")).json(json!({})).await.expect(200);
        other
    }

    async fn export_all(&self, caller: &Caller) -> Answer {
        caller.get(&self.in_org("export.ndjson")).await.expect(200)
    }
}

/// The bytes of each project in an organization's export.
fn projects(export: &Answer) -> Vec<String> {
    let text = String::from_utf8(export.body.to_vec()).unwrap();
    let mut projects: Vec<String> = Vec::new();
    for line in text.split_inclusive('\n') {
        let kind = serde_json::from_str::<Value>(line).unwrap()["kind"].as_str().unwrap().to_owned();
        match kind.as_str() {
            "organization" | "organizationEnd" => {}
            "project" => projects.push(line.to_owned()),
            _ => projects.last_mut().unwrap().push_str(line),
        }
    }
    projects
}

fn values(project: &str) -> Vec<Value> {
    project.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn an_organization_is_the_same_after_its_export_and_an_import_into_an_empty_one() {
    let (source, mut target) = (Importer::with_teams().await, Importer::with_teams().await);
    let other = source.fill_organization().await;
    let export = source.export_all(&source.caller).await;
    assert_eq!(export.header("content-type"), "application/x-ndjson");
    let all = projects(&export);
    // Each part is the project's own export, to the byte.
    let own = source.caller.get(&format!("/api/v2/projects/{other}/export.ndjson")).await.expect(200);
    let first = source.export().await;
    assert_eq!(all, [&first, &own].map(|export| String::from_utf8(export.body.to_vec()).unwrap()));
    let found = lines(&export);
    let (head, end) = (&found[0], found.last().unwrap());
    assert_eq!((&head["format"], &head["version"]), (&json!("atelier-organization"), &json!(1)));
    assert_eq!(head["organization"]["id"], json!(source.org));
    let text = std::str::from_utf8(&export.body).unwrap();
    let before = text.trim_end().rfind('\n').unwrap() + 1;
    let sha256: String =
        Sha256::digest(text.get(..before).unwrap()).iter().map(|byte| format!("{byte:02x}")).collect();
    let expected = json!({
        "kind": "organizationEnd", "projects": 2, "lines": found.len() - 1, "sha256": sha256,
    });
    assert_eq!(*end, expected);
    assert!(!text.contains("\"Idle\""), "no project is linked to this team");

    target.bob().await;
    let copies = [target.project.clone(), target.new_project("Other", "OT").await];
    for (copy, part) in copies.iter().zip(&all) {
        target.project.clone_from(copy);
        let done = target.import("ndjson", &[], part.as_bytes()).await;
        assert_eq!((&done["state"], &done["failure"]), (&json!("finished"), &json!(null)));
    }
    let again = projects(&target.export_all(&target.caller).await);
    assert_eq!(again.len(), 2);
    for (after, before) in again.iter().zip(&all) {
        assert_eq!(portable(values(after)), portable(values(before)));
    }
    let board = target.board(&target.only_team().await).await;
    assert_snapshot!(board, @r"
    Doing: PR-4 OT-1 PR-1
    One: active
    ");
}

#[tokio::test]
async fn only_admins_export_an_organization_and_only_what_their_keys_read() {
    let works = Importer::with_teams().await;
    works.fill_organization().await;
    let operator = works.deployment.operator();
    let path = works.in_org("export.ndjson");
    let carol = operator.user("carol").await;
    let carols = carol.key(MANAGE_WITH_TEAMS).await;
    assert_snapshot!(carols.get(&path).await, @"404 NOT_FOUND");
    let absent = format!("/api/v2/orgs/{ABSENT_ID}/export.ndjson");
    assert_snapshot!(carols.get(&absent).await, @"404 NOT_FOUND");
    operator.add_member(&carol, "--org", &works.org, "member").await;
    assert_snapshot!(carols.get(&path).await, @"403 FORBIDDEN");
    let dave = operator.user("dave").await;
    operator.add_member(&dave, "--org", &works.org, "admin").await;
    let daves = dave.key(MANAGE_WITH_TEAMS).await;
    assert_eq!(projects(&works.export_all(&daves).await).len(), 2);
    let without_cards = works.alice.key(&["projects:read", "teams:read"]).await;
    assert_snapshot!(
        without_cards.get(&path).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:read"}"#
    );

    // A key that reads cards alone gets no boards, and no names of projects.
    let cards_alone = works.alice.key(&["cards:read"]).await;
    let parts = projects(&works.export_all(&cards_alone).await);
    let found: Vec<Value> = parts.iter().flat_map(|part| values(part)).collect();
    assert!(found.iter().all(|line| line["kind"] != "team" && line["kind"] != "sprint"));
    assert!(
        found.iter().filter(|line| line["kind"] == "project").all(|line| line["project"]["name"].is_null())
    );
    // Nothing of another organization, and nobody's own projects.
    let elsewhere = operator.organization("elsewhere", &works.alice).await;
    for body in [json!({ "name": "Foreign", "orgId": elsewhere }), json!({ "name": "Private" })] {
        works.caller.post("/api/v2/projects").json(body).await.expect(201);
    }
    assert_eq!(projects(&works.export_all(&works.caller).await).len(), 2);
}

#[tokio::test]
async fn the_file_of_an_organization_is_no_file_of_a_project() {
    let works = Importer::with_teams().await;
    let export = works.export_all(&works.caller).await;
    let fields = [("tool", "ndjson"), ("projectId", works.project.as_str())];
    let answer = works.post_form(&works.org, &fields, &export.body).await;
    assert_eq!(answer.to_string(), "400 INVALID_REQUEST body.file format");
    assert!(answer.text("/error/message").contains("the export of an organization"));
}
