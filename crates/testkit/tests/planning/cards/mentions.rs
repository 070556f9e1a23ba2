//! Users whom descriptions and comments of cards mention, and what those learn who mention others.

use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::seed::MANAGE_WITH_CARDS;

use crate::cards::support::{Card, Project};

/// The name by which texts mention the user of a caller.
async fn handle(caller: &Caller) -> String {
    caller.get("/api/v2/me").await.expect(200).text("/user/slug")
}

/// The names of the open cards that mention the user of a caller.
async fn work(caller: &Caller) -> Vec<String> {
    let work = caller.get("/api/v2/me/work").await.expect(200).json();
    assert_eq!(work["hasMoreMentioned"], json!(false));
    let name = |item: &Value| item["card"]["name"].as_str().unwrap().to_owned();
    work["mentioned"].as_array().unwrap().iter().map(name).collect()
}

impl Project {
    async fn described(&self, name: &str, description: &str) -> Card {
        Card::of(&self.post("cards", json!({ "name": name, "description": description })).await.expect(201))
    }

    async fn comment(&self, card: &Card, body: &str) -> String {
        self.post(&card.at("comments"), json!({ "body": body })).await.expect(201).text("/comment/id")
    }

    /// The ids of the users whom a card mentions, as a caller sees them.
    async fn mentions(&self, caller: &Caller, card: &Card) -> Vec<String> {
        let read = caller.get(&self.at(&card.path())).await.expect(200).json();
        let id = |user: &Value| user["userId"].as_str().unwrap().to_owned();
        read["mentions"].as_array().unwrap().iter().map(id).collect()
    }
}

#[tokio::test]
async fn open_cards_that_mention_a_member_are_its_work_those_with_the_newest_mention_first() {
    let project = Project::open().await;
    let (bob, as_bob) = project.member("bob", "viewer").await;
    let bobs = handle(&as_bob).await;
    let first = project.described("first", &format!("For @{}", bobs.to_uppercase())).await;
    let second = project.card("second").await;
    project.described("code", &format!("`@{bobs}` and x@{bobs}")).await;
    let comment = project.comment(&second, &format!("Please look, @{bobs}: @{bobs}.")).await;
    assert_eq!(work(&as_bob).await, ["second", "first"]);
    assert_eq!(work(&project.caller).await, Vec::<String>::new());
    let read = project.get(&first.path()).await.expect(200).json();
    assert_eq!(read["mentions"], json!([{ "userId": bob.id, "handle": bobs }]));
    // A mention that stays keeps its time, and one that comes again has a new one.
    let body = json!({ "description": format!("Still for @{bobs}") });
    project.patch(&first.path(), body).await.expect(200);
    assert_eq!(work(&as_bob).await, ["second", "first"]);
    project.comment(&first, &format!("@{bobs}?")).await;
    assert_eq!(work(&as_bob).await, ["first", "second"]);
    project.patch(&second.at(&format!("comments/{comment}")), json!({ "body": "Done." })).await.expect(200);
    assert_eq!(work(&as_bob).await, ["first"]);
    project.patch(&first.path(), json!({ "isOpen": false })).await.expect(200);
    assert_eq!(work(&as_bob).await, Vec::<String>::new());
    assert_eq!(project.mentions(&project.caller, &first).await, [bob.id.as_str()]);
}

#[tokio::test]
async fn a_mention_ends_with_its_comment_its_text_or_its_card() {
    let project = Project::open().await;
    let (_, as_bob) = project.member("bob", "editor").await;
    let text = format!("@{}", handle(&as_bob).await);
    let bulk = json!({ "operations": [
        { "op": "create", "name": "a", "description": text },
        { "op": "create", "name": "b", "description": text },
    ] });
    project.post("cards/bulk", bulk).await.expect(200);
    let commented = project.card("c").await;
    let comment = project.comment(&commented, &text).await;
    let mut mentioned = work(&as_bob).await;
    mentioned.sort_unstable();
    assert_eq!(mentioned, ["a", "b", "c"]);
    project.delete(&commented.at(&format!("comments/{comment}"))).await.expect(200);
    project.patch("cards/GEAR-1", json!({ "description": "" })).await.expect(200);
    project.delete("cards/GEAR-2").await.expect(200);
    assert_eq!(work(&as_bob).await, Vec::<String>::new());
}

#[tokio::test]
async fn a_text_that_names_a_stranger_is_a_text_that_names_nobody() {
    let project = Project::open().await;
    let operator = project.deployment.operator();
    let mallory = operator.user("mallory").await;
    let as_mallory = mallory.key(MANAGE_WITH_CARDS).await;
    let strangers = handle(&as_mallory).await;
    let card = project.described("secret", &format!("Not for @{strangers}")).await;
    let other = project.described("other", "Not for @nobody-at-all").await;
    for card in [&card, &other] {
        assert_eq!(project.mentions(&project.caller, card).await, Vec::<String>::new());
    }
    assert_eq!(work(&as_mallory).await, Vec::<String>::new());
    // Earlier texts don't mention a new member.
    operator.add_member(&mallory, "--project", &project.id, "viewer").await;
    assert_eq!(work(&as_mallory).await, Vec::<String>::new());
    project.patch(&card.path(), json!({ "description": format!("For @{strangers}") })).await.expect(200);
    assert_eq!(work(&as_mallory).await, ["secret"]);
    let tag = project.get(&card.path()).await.expect(200).header("etag").to_owned();
    // Who loses the card loses it from its work, and is not shown any more.
    operator.remove_member(&mallory, "--project", &project.id).await;
    assert_eq!(work(&as_mallory).await, Vec::<String>::new());
    assert_eq!(project.mentions(&project.caller, &card).await, Vec::<String>::new());
    assert_ne!(project.get(&card.path()).await.expect(200).header("etag"), tag);
    project.patch(&card.path(), json!({ "description": format!("Again @{strangers}") })).await.expect(200);
    operator.add_member(&mallory, "--project", &project.id, "viewer").await;
    assert_eq!(work(&as_mallory).await, Vec::<String>::new());
}

#[tokio::test]
async fn readers_of_a_public_project_are_not_mentioned_and_see_no_mentions() {
    let project = Project::open().await;
    let public = json!({ "visibility": "public" });
    project.caller.patch(&format!("/api/v2/projects/{}", project.id)).json(public).await.expect(200);
    let (bob, as_bob) = project.member("bob", "viewer").await;
    let reader = project.deployment.operator().user("reader").await.key(MANAGE_WITH_CARDS).await;
    let text = format!("@{} @{}", handle(&as_bob).await, handle(&reader).await);
    let card = project.described("public", &text).await;
    assert_eq!(project.mentions(&as_bob, &card).await, [bob.id.as_str()]);
    assert_eq!(project.mentions(&reader, &card).await, Vec::<String>::new());
    assert_eq!(work(&as_bob).await, ["public"]);
    assert_eq!(work(&reader).await, Vec::<String>::new());
}

#[tokio::test]
async fn members_of_the_organization_who_reach_the_project_are_mentioned() {
    let project = Project::open().await;
    let operator = project.deployment.operator();
    let org = operator.organization("works", &project.alice).await;
    let body = json!({ "name": "Rack", "orgId": org, "visibility": "internal" });
    let rack = project.caller.post("/api/v2/projects").json(body).await.expect(201).text("/id");
    let mut mentioned = Vec::new();
    for role in ["member", "guest"] {
        let user = operator.user(role).await;
        operator.add_member(&user, "--org", &org, role).await;
        mentioned.push(user.key(MANAGE_WITH_CARDS).await);
    }
    let text = format!("@{} @{}", handle(&mentioned[0]).await, handle(&mentioned[1]).await);
    let cards = format!("/api/v2/projects/{rack}/cards");
    let new = json!({ "name": "internal", "description": text });
    project.caller.post(&cards).json(new).await.expect(201);
    assert_eq!(work(&mentioned[0]).await, ["internal"]);
    assert_eq!(work(&mentioned[1]).await, Vec::<String>::new());
    // Members are listed with their handles.
    let members = project.caller.get(&format!("/api/v2/projects/{rack}/members")).await.expect(200).json();
    let handles: Vec<&str> =
        members["members"].as_array().unwrap().iter().map(|one| one["handle"].as_str().unwrap()).collect();
    assert_eq!(handles, [handle(&project.caller).await, handle(&mentioned[0]).await]);
    let private = json!({ "visibility": "private" });
    project.caller.patch(&format!("/api/v2/projects/{rack}")).json(private).await.expect(200);
    assert_eq!(work(&mentioned[0]).await, Vec::<String>::new());
}
