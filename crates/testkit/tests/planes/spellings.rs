//! Ids, numbers, limits and conditions in other spellings than the documented ones, and lists that are usually short.

use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::Deployment;
use testkit::open_session::OpenSession;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::session::{Session, create_project};

#[tokio::test]
async fn ids_are_taken_with_hyphens_in_any_case_and_answered_in_lower() {
    let opened = OpenSession::open().await;
    let id = &opened.model;
    let path = |id: &str| format!("/api/v2/projects/{}/objects/{id}", opened.project);
    opened.caller.get(&path(id)).await.expect(200);
    let upper = id.to_uppercase();
    let read =
        opened.caller.get(&path(&upper).replace(&opened.project, &opened.project.to_uppercase())).await;
    assert_eq!(read.expect(200).text("/object/id"), *id);
    let objects = format!("/api/v2/projects/{}/objects", opened.project.to_uppercase());
    let made = opened.caller.post(&objects).json(json!({ "name": "x", "parent": upper })).await.expect(201);
    assert_eq!(made.text("/object/parent"), *id);
    let listed = opened.caller.get(&format!("{objects}?parent={upper}")).await.expect(200).json();
    assert_eq!(listed["objects"].as_array().unwrap().len(), 1);
    for other in [id.replace('-', ""), format!("%7B{id}%7D"), format!("urn:uuid:{id}")] {
        let answer = opened.caller.get(&path(&other)).await;
        assert_eq!(answer.to_string(), "400 INVALID_REQUEST path.objectId format", "{other}");
        let body = json!({ "name": "x", "parent": other.replace("%7B", "{").replace("%7D", "}") });
        let answer =
            opened.caller.post(&format!("/api/v2/projects/{}/objects", opened.project)).json(body).await;
        assert_eq!(answer.to_string(), "400 INVALID_REQUEST body.parent format", "{other}");
        let project = other.replace(id.as_str(), &opened.project);
        if project != other {
            assert_eq!(
                opened.caller.get(&format!("/api/v2/projects/{project}")).await.status,
                400,
                "{project}"
            );
        }
    }
    for limit in ["%2B5", "05", "5.0", "%205", "1e1", "0", "101"] {
        let answer = opened.caller.get(&format!("/api/v2/projects?limit={limit}")).await;
        assert_eq!(answer.to_string(), "400 INVALID_PAGINATION", "{limit}");
    }
}

#[tokio::test]
async fn card_ids_and_heads_are_taken_in_upper_case_in_paths_bodies_and_headers() {
    let opened = OpenSession::open().await;
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    let at = |path: &str| format!("/api/v2/projects/{}/{path}", opened.project.to_uppercase());
    let user = opened.alice.id.to_uppercase();
    let body = json!({ "name": "x", "assigneeId": user });
    let made = caller.post(&at("cards")).json(body).await.expect(201);
    let (card, head) = (made.text("/card/id").to_uppercase(), made.text("/historyHeadId").to_uppercase());
    let path = at(&format!("cards/{card}"));
    let changed = caller.patch(&path).json(json!({ "effort": 1, "expectedHistoryHeadId": head }));
    let changed = changed.header("if-match", &format!("\"{head}\"")).await.expect(200);
    let head = changed.text("/historyHeadId").to_uppercase();
    let found = caller.get(&at(&format!("cards?assignee={user}"))).await.expect(200).json();
    assert_eq!(found["cards"][0]["id"], card.to_lowercase());
    let operations = json!([{ "op": "delete", "cardId": card, "expectedHistoryHeadId": head }]);
    let deleted = caller.post(&at("cards/bulk")).json(json!({ "operations": operations })).await.expect(200);
    assert_eq!(deleted.json()["results"][0]["cardId"], card.to_lowercase());
}

#[tokio::test]
async fn whole_numbers_are_integers_in_any_spelling() {
    let opened = OpenSession::open().await;
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    let at = |path: &str| format!("/api/v2/projects/{}/{path}", opened.project);
    let send =
        async |path: &str, body: &str| caller.post(&at(path)).body("application/json", body.to_owned()).await;
    for (spelling, effort) in [("3.0", 3), ("3e0", 3), ("0.3e1", 3), ("-0.0", 0), ("2147483647.0", i32::MAX)]
    {
        let card = send("cards", &format!(r#"{{"name":"x","effort":{spelling}}}"#)).await.expect(201);
        assert_eq!(card.json()["card"]["effort"], effort, "{spelling}");
        let body = format!(r#"{{"operations":[{{"op":"create","name":"x","effort":{spelling}}}]}}"#);
        assert_eq!(send("cards/bulk", &body).await.expect(200).json()["applied"], 1, "{spelling}");
    }
    for (spelling, rule) in
        [("3.5", "type"), ("2147483648.0", "maximum"), ("-1.0", "minimum"), ("\"3\"", "type")]
    {
        let refused = send("cards", &format!(r#"{{"name":"x","effort":{spelling}}}"#)).await;
        assert_eq!(refused.to_string(), format!("400 INVALID_REQUEST body.effort {rule}"), "{spelling}");
    }
    let refused = send("cards", r#"{"name":"x","effort":1.0,"effort":2}"#).await;
    assert!(refused.to_string().contains("body.effort duplicate"), "{refused}");
    // Data of objects stay as they are sent.
    let body = r#"{"name":"x","data":{"length":1.5,"teeth":20}}"#;
    let object = send("objects", body).await.expect(201).json();
    assert_eq!(object["object"]["data"], json!({ "length": 1.5, "teeth": 20 }));
}

#[tokio::test]
async fn an_empty_object_without_a_media_type_is_no_body() {
    let opened = OpenSession::open().await;
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    let at = |path: &str| format!("/api/v2/projects/{}/{path}", opened.project);
    let delete = async |content_type: Option<&str>, body: &str| {
        let card = caller.post(&at("cards")).json(json!({ "name": "x" })).await.expect(201).text("/card/id");
        caller.delete(&at(&format!("cards/{card}"))).raw_body(content_type, body).await.status
    };
    assert_eq!(delete(None, "{}").await, 200);
    assert_eq!(delete(None, " { }\n").await, 200);
    assert_eq!(delete(Some("application/json"), "{}").await, 200);
    assert_eq!(delete(None, r#"{"expectedHistoryHeadId":null}"#).await, 415);
    assert_eq!(delete(Some("text/plain"), "{}").await, 415);
}

#[tokio::test]
async fn an_empty_condition_is_refused() {
    let opened = OpenSession::open().await;
    let caller = opened.alice.key(MANAGE_WITH_CARDS).await;
    let at = |path: &str| format!("/api/v2/projects/{}/{path}", opened.project);
    let card = caller.post(&at("cards")).json(json!({ "name": "x" })).await.expect(201).text("/card/id");
    let tag = caller.post(&at("card-tags")).json(json!({ "name": "x" })).await.expect(201).text("/tag/id");
    let objects = caller.post(&at("objects")).json(json!({ "name": "x" })).await.expect(201);
    let paths = [
        format!("cards/{card}"),
        format!("card-tags/{tag}"),
        format!("objects/{}", objects.text("/object/id")),
    ];
    for path in paths {
        for empty in ["", " ", ","] {
            let requests = [caller.patch(&at(&path)).json(json!({ "name": "y" })), caller.delete(&at(&path))];
            for request in requests {
                let answer = request.header("if-match", empty).await;
                assert_eq!(
                    answer.to_string(),
                    "400 INVALID_REQUEST header.If-Match format",
                    "{path} {empty:?}"
                );
            }
        }
    }
}

/// The pages of a list, each shown by one field of its rows.
async fn pages(caller: &Caller, path: &str, list: &str, shown: impl Fn(&Value) -> String) -> Vec<String> {
    let mut pages = Vec::new();
    let mut from = String::new();
    loop {
        let page = caller.get(&format!("{path}?limit=2{from}")).await.expect(200).json();
        pages.push(page[list].as_array().unwrap().iter().map(&shown).collect::<Vec<_>>().join(" "));
        let Some(cursor) = page["meta"]["nextCursor"].as_str() else { return pages };
        from = format!("&cursor={cursor}");
    }
}

#[tokio::test]
async fn organizations_and_keys_come_in_pages() {
    let deployment = Deployment::start().await;
    let operator = deployment.operator();
    let alice = operator.user("alice").await;
    for slug in ["mills", "lathes", "drills"] {
        operator.organization(slug, &alice).await;
    }
    let browser = alice.browser().await;
    for name in ["a", "b", "c", "d"] {
        let body = json!({ "name": name, "scopes": ["projects:read"] });
        browser.post("/api/v2/api-keys").json(body).await.expect(201);
    }
    let field = |name: &'static str| move |row: &Value| row[name].as_str().unwrap().to_owned();
    assert_eq!(
        pages(&browser, "/api/v2/orgs", "organizations", field("slug")).await,
        ["drills lathes", "mills"]
    );
    assert_eq!(pages(&browser, "/api/v2/api-keys", "apiKeys", field("name")).await, ["d c", "b a"]);
    for path in ["/api/v2/orgs", "/api/v2/api-keys"] {
        let refused = browser.get(&format!("{path}?cursor=x")).await;
        assert_eq!(refused.to_string(), "400 INVALID_PAGINATION", "{path}");
    }
}

#[tokio::test]
async fn the_tools_of_a_session_come_in_pages_by_toolbox_and_name() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE_WITH_CARDS).await;
    let project = create_project(&alice, "Gear").await;
    let session = Session::open(&alice, &project).await;
    let name =
        |tool: &Value| format!("{}/{}", tool["toolbox"].as_str().unwrap(), tool["name"].as_str().unwrap());
    let path = format!("{}/tools", session.path());
    let paged = pages(&alice, &path, "tools", name).await;
    let listed: Vec<&str> = paged.iter().flat_map(|page| page.split(' ')).collect();
    assert!(listed.is_sorted() && listed.len() > 30, "{listed:?}");
    let first = alice.get(&path).await.expect(200).json();
    assert_eq!(first["tools"].as_array().unwrap().len(), listed.len().min(50));
}
