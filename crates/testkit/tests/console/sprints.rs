//! Sprints, the backlog, reports, flow, the past, the table of cards, relations and custom fields in a real browser.

use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::noon;
use testkit::past::let_an_hour_pass;
use testkit::seed::{MANAGE_WITH_TEAMS, User};

use crate::browser::Browser;

/// A name that would run, and turns the direction of writing.
const HOSTILE: &str = "<img src=x onerror=globalThis.broken=1>\u{202e} gear";

/// A name that is read from right to left: "hardening of the tooth".
const RIGHT_TO_LEFT: &str = "הקשיית השן";

/// A team with three columns and a project, as a journey's arguments: link, path of the team, project.
struct Planning {
    deployment: Deployment,
    alice: User,
    caller: Caller,
    project: String,
    team: String,
    columns: Vec<String>,
}

impl Planning {
    async fn open() -> Self {
        let deployment = Deployment::with(Options::default()).await;
        let alice = deployment.operator().user("Alice Ames").await;
        let org = deployment.operator().organization("works", &alice).await;
        let caller = alice.key(MANAGE_WITH_TEAMS).await;
        let id =
            async |path: &str, body: Value, at: &str| caller.post(path).json(body).await.expect(201).text(at);
        let project = id("/api/v2/projects", json!({ "name": "Gearbox", "orgId": org }), "/id").await;
        let teams = format!("/api/v2/orgs/{org}/teams");
        let team = format!("{teams}/{}", id(&teams, json!({ "name": "Gear makers" }), "/team/id").await);
        caller.put(&format!("{team}/projects/{project}")).json(json!({})).await.expect(200);
        let mut columns = Vec::new();
        for (name, state, mode) in
            [("To do", "not_started", "off"), ("Doing", "started", "off"), ("Done", "closed", "automatic")]
        {
            let body = json!({ "name": name, "transitionState": state, "closeMode": mode });
            columns.push(id(&format!("{team}/statuses"), body, "/status/id").await);
        }
        Self { deployment, alice, caller, project, team, columns }
    }

    /// Creates cards in one request, the last ones first on no board; returns their ids.
    async fn cards(&self, names: &[String]) -> Vec<String> {
        let mut made = Vec::new();
        for part in names.chunks(500) {
            let operations: Vec<Value> = (1_u32..)
                .zip(part)
                .map(|(number, name)| json!({ "op": "create", "name": name, "effort": number % 6 }))
                .collect();
            let path = format!("/api/v2/projects/{}/cards/bulk", self.project);
            let answer = self.caller.post(&path).json(json!({ "operations": operations })).await.expect(200);
            made.extend(
                answer.json()["results"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|one| one["cardId"].as_str().unwrap().to_owned()),
            );
        }
        made
    }

    /// The arguments of a journey.
    async fn given(&self, more: &[&str]) -> Vec<String> {
        let link =
            format!("{}/sign-in#ticket={}", self.deployment.control_urls[0], self.alice.ticket().await);
        let own = [link, self.team.replace("/api/v2", ""), self.project.clone()];
        own.into_iter().chain(more.iter().map(|&text| text.to_owned())).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_plans_runs_and_completes_a_sprint() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    let names: Vec<String> =
        ["Cut the teeth", HOSTILE, RIGHT_TO_LEFT, "Harden", "Measure the run-out"].map(str::to_owned).into();
    let cards = planning.cards(&names).await;
    for card in cards.iter().take(3) {
        let body = json!({ "statusId": planning.columns[0] });
        planning.caller.put(&format!("{}/cards/{card}", planning.team)).json(body).await.expect(200);
    }
    browser.run("sprints.mjs", planning.given(&[&planning.columns[2]]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_changes_many_cards_of_a_table_at_once() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    let names: Vec<String> = std::iter::once(HOSTILE.to_owned())
        .chain(std::iter::once("W".repeat(300)))
        .chain((3..=39).map(|number| format!("Card {number}")))
        .chain(std::iter::once(RIGHT_TO_LEFT.to_owned()))
        .collect();
    for card in planning.cards(&names).await {
        let body = json!({ "statusId": planning.columns[0] });
        planning.caller.put(&format!("{}/cards/{card}", planning.team)).json(body).await.expect(200);
    }
    let tags = format!("/api/v2/projects/{}/card-tags", planning.project);
    planning.caller.post(&tags).json(json!({ "name": "Urgent", "color": "#aa3300" })).await.expect(201);
    let done = format!("{}/statuses/{}", planning.team, planning.columns[2]);
    planning.caller.patch(&done).json(json!({ "wipLimit": 2, "wipPolicy": "block" })).await.expect(200);
    browser.run("cards.mjs", planning.given(&[&planning.alice.id]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_orders_cards_by_urgency_parents_and_blockers_and_finds_them_by_key() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    for card in planning.cards(&["Build the gearbox", "Order the hob"].map(str::to_owned)).await {
        let body = json!({ "statusId": planning.columns[0] });
        planning.caller.put(&format!("{}/cards/{card}", planning.team)).json(body).await.expect(200);
    }
    browser.run("relations.mjs", planning.given(&[]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_defines_custom_fields_fills_filters_renames_and_archives_them() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    for card in planning.cards(&["Build the gearbox", "Order the hob"].map(str::to_owned)).await {
        let body = json!({ "statusId": planning.columns[0] });
        planning.caller.put(&format!("{}/cards/{card}", planning.team)).json(body).await.expect(200);
    }
    browser.run("fields.mjs", planning.given(&[]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_defines_a_type_of_cards_whose_preset_fills_in_a_new_one() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    browser.run("types.mjs", planning.given(&[]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_have_custom_fields_that_are_edited_checked_and_marked_where_they_no_longer_fit() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    browser.run("object_fields.mjs", planning.given(&[]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_looks_at_a_board_and_its_cards_as_of_a_time_and_comes_back_to_now() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    let names = ["Build the gearbox", "Order the hob", "Deburr"].map(str::to_owned);
    let cards = planning.cards(&names).await;
    for card in &cards {
        let body = json!({ "statusId": planning.columns[0] });
        planning.caller.put(&format!("{}/cards/{card}", planning.team)).json(body).await.expect(200);
    }
    let_an_hour_pass(&planning.deployment.database).await;
    let at = |card: &str| format!("/api/v2/projects/{}/cards/{card}", planning.project);
    let name = json!({ "name": "Test the gearbox" });
    planning.caller.patch(&at(&cards[0])).json(name).await.expect(200);
    let body = json!({ "statusId": planning.columns[2] });
    planning.caller.put(&format!("{}/cards/{}", planning.team, cards[0])).json(body).await.expect(200);
    planning.caller.delete(&at(&cards[2])).await.expect(200);
    let_an_hour_pass(&planning.deployment.database).await;
    browser.run("past.mjs", planning.given(&[]).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_team_reads_how_its_cards_flow() {
    let Some(browser) = Browser::find() else { return };
    let planning = Planning::open().await;
    let names = ["Build the gearbox", "Order the hob", "Cut the teeth", HOSTILE].map(str::to_owned);
    for card in planning.cards(&names).await {
        let body = json!({ "statusId": planning.columns[0] });
        planning.caller.put(&format!("{}/cards/{card}", planning.team)).json(body).await.expect(200);
    }
    let zone = json!({ "timeZone": noon::zone() });
    planning.caller.patch(&planning.team).json(zone).await.expect(200);
    browser.run("flow.mjs", planning.given(&[&planning.columns[1], &planning.columns[2]]).await).await;
}
