//! Planning on a board, by the journey `planning.mjs`: two people at once.

use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::seed::MANAGE_WITH_TEAMS;

use crate::browser::Browser;

/// A name of markup, a turn of the writing's direction, and more characters than a name can hold.
fn hostile() -> String {
    format!("<img src=x onerror=globalThis.broken=1>\u{202e}{}", "gear".repeat(2_000))
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_plan_on_one_board_with_cards_columns_filters_and_keys() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options::default()).await;
    let (alice, bob) = (deployment.operator().user("alice").await, deployment.operator().user("bob").await);
    let org = deployment.operator().organization("works", &alice).await;
    deployment.operator().add_member(&bob, "--org", &org, "admin").await;
    let caller = alice.key(MANAGE_WITH_TEAMS).await;
    let board = board(&caller, &org, &["To do", "Doing", "Done"]).await;
    for (column, name) in [(0, "Cut the teeth"), (0, "Harden"), (0, "Polish"), (1, "Draw the gear")] {
        board.card(&caller, column, name).await;
    }
    board.card(&caller, 1, &hostile()).await;
    let links = [alice.ticket().await, bob.ticket().await]
        .map(|ticket| format!("{}/sign-in#ticket={ticket}", deployment.control_urls[0]));
    let [first, second] = links;
    browser.run("planning.mjs", vec![first, second, board.path, board.project]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_board_of_2000_cards_and_one_of_100_columns_open_scroll_and_move() {
    let Some(browser) = Browser::find() else { return };
    let deployment = Deployment::with(Options::default()).await;
    let alice = deployment.operator().user("alice").await;
    let org = deployment.operator().organization("works", &alice).await;
    let board = board(&alice.key(MANAGE_WITH_TEAMS).await, &org, &["To do"]).await;
    let link = format!("{}/sign-in#ticket={}", deployment.control_urls[0], alice.ticket().await);
    browser.run("large_board.mjs", vec![link, board.path, board.project]).await;
}

/// A team's board with its columns and a linked project.
struct Board {
    path: String,
    project: String,
    columns: Vec<String>,
}

impl Board {
    /// Puts a new card at the end of a column.
    async fn card(&self, caller: &Caller, column: usize, name: &str) {
        let cards = format!("/api/v2/projects/{}/cards", self.project);
        let made = caller.post(&cards).json(json!({ "name": name })).await.expect(201);
        let place = format!("/api/v2{}/cards/{}", self.path, made.text("/card/id"));
        caller.put(&place).json(json!({ "statusId": self.columns[column] })).await.expect(200);
    }
}

async fn board(caller: &Caller, org: &str, names: &[&str]) -> Board {
    let create = async |path: &str, body: Value| caller.post(path).json(body).await.expect(201);
    let project =
        create("/api/v2/projects", json!({ "name": "Gear", "orgId": org })).await.text("/id").to_owned();
    let team = create(&format!("/api/v2/orgs/{org}/teams"), json!({ "name": "Wheels" })).await;
    let path = format!("/orgs/{org}/teams/{}", team.text("/team/id"));
    caller.put(&format!("/api/v2{path}/projects/{project}")).await.expect(200);
    let mut columns = Vec::new();
    for name in names {
        let status = create(&format!("/api/v2{path}/statuses"), json!({ "name": name })).await;
        columns.push(status.text("/status/id").to_owned());
    }
    Board { path, project, columns }
}
