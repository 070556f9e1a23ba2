//! Projects: rules of creation, reading, listing, changes and deletion.

use futures_util::future::join_all;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project};

const NO_COMMIT: &str = "0000000000000000000000000000000000000000";

async fn create(caller: &Caller, body: Value) -> Answer {
    caller.post("/api/v2/projects").json(body).await
}

async fn read(caller: &Caller, id: &str) -> Answer {
    caller.get(&format!("/api/v2/projects/{id}")).await
}

#[tokio::test]
async fn a_new_project_has_two_packages_and_a_commit() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let created = create(&alice, json!({ "name": "Gear" })).await;
    assert_snapshot!(created, @r#"
    201 {"id":"<id 1>","key":"GEAR","ownerId":"<id 2>","ownerSlug":"alice","projectSlug":"gear"}
    "#);
    let id = created.text("/id");
    assert_snapshot!(read(&alice, &id).await, @r#"
    200 {
      "project": {
        "createdAt": "<time>",
        "createdBy": "<id 1>",
        "defaultBranch": "main",
        "description": "",
        "id": "<id 2>",
        "key": "GEAR",
        "name": "Gear",
        "ownerId": "<id 1>",
        "ownerSlug": "alice",
        "projectSlug": "gear",
        "updatedAt": "<time>",
        "visibility": "private"
      }
    }
    "#);

    let tree = alice.get(&format!("/api/v2/projects/{id}/tree")).await.expect(200).json();
    let mut nodes: Vec<(String, String, i64)> = tree["tree"]
        .as_array()
        .unwrap()
        .iter()
        .map(|node| {
            let text = |field: &str| node[field].as_str().unwrap().to_owned();
            (text("name"), text("parent"), node["childrenCount"].as_i64().unwrap())
        })
        .collect();
    nodes.sort();
    assert_eq!(nodes, [("Library".to_owned(), id.clone(), 0), ("Model".to_owned(), id.clone(), 0)]);
    assert_eq!(tree["objectCount"], 3);

    let changes = alice.get(&format!("/api/v2/projects/{id}/branches/main/changes")).await;
    assert_snapshot!(changes, @r#"
    200 {
      "added": [],
      "committedHash": "<hash 1>",
      "deleted": [],
      "deletedObjects": [],
      "hasChanges": false,
      "modified": [],
      "totalObjectChanges": 0
    }
    "#);
    assert_snapshot!(
        alice.get(&format!("/api/v2/projects/{id}/packages")).await,
        @r#"200 {"meta":{"hasMore":false,"limit":50,"nextCursor":null},"packages":[]}"#
    );
}

#[tokio::test]
async fn without_an_initial_commit_the_packages_are_additions() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let id =
        create(&alice, json!({ "name": "Gear", "skipInitialCommit": true })).await.expect(201).text("/id");
    let changes = alice.get(&format!("/api/v2/projects/{id}/branches/main/changes")).await.expect(200).json();
    assert_eq!(changes["committedHash"], NO_COMMIT);
    assert_eq!((&changes["hasChanges"], &changes["totalObjectChanges"]), (&json!(true), &json!(2)));
    let tree = alice.get(&format!("/api/v2/projects/{id}/tree")).await.expect(200).json();
    let mut in_tree: Vec<&Value> = tree["tree"].as_array().unwrap().iter().map(|node| &node["id"]).collect();
    let mut added: Vec<&Value> = changes["added"].as_array().unwrap().iter().collect();
    in_tree.sort_by_key(|id| id.as_str());
    added.sort_by_key(|id| id.as_str());
    assert_eq!(in_tree, added);
    assert_eq!(deployment.database.count("select count(*) from git_objects").await, 0);
}

#[tokio::test]
async fn a_name_is_required_unless_a_prompt_gives_one() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let name = async |body: Value| {
        let id = create(&alice, body).await.expect(201).text("/id");
        read(&alice, &id).await.expect(200).text("/project/name")
    };
    assert_eq!(name(json!({ "name": "  Two\tstage \u{202e} gear " })).await, "Two stage gear");
    assert_eq!(name(json!({ "name": "é".repeat(300) })).await, "é".repeat(255));
    assert_eq!(name(json!({ "initialPrompt": "Design a gear. Make it red." })).await, "Design a gear");
    let both = json!({ "name": "Mine", "initialPrompt": "Design a gear." });
    assert_eq!(name(both).await, "Mine");
    let auto = json!({ "name": "Mine", "initialPrompt": "Design a gear.", "autoName": true });
    assert_eq!(name(auto).await, "Design a gear");
    let long = json!({ "initialPrompt": "word ".repeat(50), "autoName": true });
    let long = name(long).await;
    assert!(long.chars().count() <= 60 && long.starts_with("word word"), "{long}");

    let stored = "select count(*) from projects where initial_prompt is not null";
    assert_eq!(deployment.database.count(stored).await, 4);
}

#[tokio::test]
async fn an_invalid_field_is_named() {
    let deployment = Deployment::start().await;
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let refused = async |body: Value| create(&alice, body).await.to_string();
    assert_snapshot!(refused(json!({})).await, @"400 INVALID_REQUEST body.name required");
    assert_snapshot!(refused(json!({ "name": " \u{200b}" })).await, @"400 INVALID_REQUEST body.name format");
    assert_snapshot!(refused(json!({ "name": 7 })).await, @"400 INVALID_REQUEST body.name type");
    assert_snapshot!(
        refused(json!({ "name": "x", "colour": "red" })).await,
        @"400 INVALID_REQUEST body.colour unknown"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "visibility": "secret" })).await,
        @"400 INVALID_REQUEST body.visibility enum"
    );
    assert_snapshot!(refused(json!({ "name": "x", "orgId": "x" })).await, @"400 INVALID_REQUEST body.orgId format");
    assert_snapshot!(
        refused(json!({ "name": "x", "description": "é".repeat(10_001) })).await,
        @"400 INVALID_REQUEST body.description maxLength"
    );
    assert_snapshot!(
        refused(json!({ "initialPrompt": "é".repeat(4_001) })).await,
        @"400 INVALID_REQUEST body.initialPrompt maxLength"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "autoName": true })).await,
        @"400 INVALID_REQUEST body.initialPrompt required"
    );
    assert_snapshot!(
        refused(json!({ "initialPrompt": " \u{200b} " })).await,
        @"400 INVALID_REQUEST body.initialPrompt format"
    );
    assert_snapshot!(
        refused(json!({ "name": "x", "skipInitialCommit": "yes" })).await,
        @"400 INVALID_REQUEST body.skipInitialCommit type"
    );
    assert_snapshot!(refused(json!(["x"])).await, @"400 INVALID_REQUEST body type");
    create(
        &alice,
        json!({ "name": "x", "description": "é".repeat(10_000), "initialPrompt": "é".repeat(4_000) }),
    )
    .await
    .expect(201);
    assert_eq!(deployment.database.count("select count(*) from projects").await, 1);
}

#[tokio::test]
async fn a_slug_is_derived_from_the_name_and_unique_under_its_owner() {
    let deployment = Deployment::shared();
    let (alice, bob) = (deployment.operator().user("alice").await, deployment.operator().user("bob").await);
    let (alice, bob) = (alice.key(MANAGE).await, bob.key(MANAGE).await);
    let slug = async |caller: &Caller, name: &str| {
        create(caller, json!({ "name": name })).await.expect(201).text("/projectSlug")
    };
    assert_eq!(slug(&alice, "Getriebe für Löwe №2").await, "getriebe-fur-lowe-no2");
    assert_eq!(slug(&alice, "Gear").await, "gear");
    assert_eq!(slug(&alice, "gear!").await, "gear-2");
    assert_eq!(slug(&bob, "Gear").await, "gear");
    assert_eq!(slug(&alice, "设计").await, "project");
    // Any number of them, concurrently.
    let slugs = join_all((0..12).map(|_| slug(&bob, "Shaft"))).await;
    let unique: std::collections::BTreeSet<&String> = slugs.iter().collect();
    assert_eq!(unique.len(), 12, "{slugs:?}");
    assert!(slugs.iter().all(|slug| slug.starts_with("shaft") && slug.len() <= 63), "{slugs:?}");
}

#[tokio::test]
async fn an_organizations_project_belongs_to_it_and_its_members_create_it() {
    let deployment = Deployment::start().await;
    let operator = deployment.operator();
    let (alice, bob, guest, eve) = (
        operator.user("alice").await,
        operator.user("bob").await,
        operator.user("guest").await,
        operator.user("eve").await,
    );
    let org = operator.organization("works", &alice).await;
    operator.add_member(&bob, "--org", &org, "member").await;
    operator.add_member(&guest, "--org", &org, "guest").await;
    let body = json!({ "name": "Gear", "orgId": org });
    let of_bob = create(&bob.key(MANAGE).await, body.clone()).await;
    assert_snapshot!(of_bob, @r#"
    201 {"id":"<id 1>","key":"GEAR","ownerId":"<id 2>","ownerSlug":"works","projectSlug":"gear"}
    "#);
    assert_snapshot!(create(&guest.key(MANAGE).await, body.clone()).await, @"403 FORBIDDEN");
    let hidden = create(&eve.key(MANAGE).await, body).await;
    let absent = create(&eve.key(MANAGE).await, json!({ "name": "Gear", "orgId": eve.id })).await;
    assert_snapshot!(hidden, @"400 INVALID_REQUEST body.orgId exists");
    assert_eq!(hidden.body.len(), absent.body.len());
    let record = read(&alice.key(MANAGE).await, &of_bob.text("/id")).await.expect(200);
    assert_eq!((record.text("/project/ownerId"), record.text("/project/createdBy")), (org, bob.id));
}

#[tokio::test]
async fn visibility_decides_who_sees_a_project_and_roles_decide_the_rights() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let (owner, member, guest, stranger) = (
        operator.user("owner").await,
        operator.user("member").await,
        operator.user("guest").await,
        operator.user("eve").await,
    );
    let org = operator.organization("works", &owner).await;
    operator.add_member(&member, "--org", &org, "member").await;
    operator.add_member(&guest, "--org", &org, "guest").await;
    let viewer = operator.user("viewer").await;
    let callers = [
        owner.key(MANAGE).await,
        member.key(MANAGE).await,
        guest.key(MANAGE).await,
        viewer.key(MANAGE).await,
        stranger.key(MANAGE).await,
    ];
    let mut table = String::from("             owner member guest viewer stranger\n");
    for visibility in ["private", "internal", "public"] {
        let body = json!({ "name": visibility, "orgId": org, "visibility": visibility });
        let id = create(&callers[0], body).await.expect(201).text("/id");
        operator.add_member(&viewer, "--project", &id, "viewer").await;
        let path = format!("/api/v2/projects/{id}");
        let mut line = async |what: &str, request: &dyn Fn(&Caller) -> testkit::caller::Request| {
            let statuses = join_all(callers.iter().map(|caller| request(caller).into_future())).await;
            let statuses: Vec<String> = statuses.iter().map(|answer| answer.status.to_string()).collect();
            table.push_str(&format!("{visibility:8} {what:6} {}\n", statuses.join(" ")));
        };
        line("read", &|caller| caller.get(&path)).await;
        line("write", &|caller| caller.post(&format!("{path}/sessions"))).await;
        line("manage", &|caller| caller.patch(&path).json(json!({ "description": "d" }))).await;
    }
    assert_snapshot!(table, @"
                 owner member guest viewer stranger
    private  read   200 404 404 200 404
    private  write  201 404 404 403 404
    private  manage 200 404 404 403 404
    internal read   200 200 404 200 404
    internal write  201 201 404 403 404
    internal manage 200 403 404 403 404
    public   read   200 200 200 200 200
    public   write  201 201 403 403 403
    public   manage 200 403 403 403 403
    ");
}

#[tokio::test]
async fn an_owner_has_a_limit_of_projects_even_for_concurrent_creations() {
    let deployment = Deployment::with(Options {
        control_replicas: 2,
        environment: vec![("ATELIER_PROJECT_LIMIT", "3".to_owned())],
        ..Options::default()
    })
    .await;
    let alice = deployment.operator().user("alice").await;
    let caller = alice.key(MANAGE).await;
    let answers = join_all((0..10).map(|number| {
        let caller = caller.at(&deployment.control_urls[number % 2]);
        async move { create(&caller, json!({ "name": "Gear" })).await }
    }))
    .await;
    assert_eq!(answers.iter().filter(|answer| answer.status == 201).count(), 3);
    let refused = answers.iter().find(|answer| answer.status != 201).unwrap();
    assert_snapshot!(
        refused,
        @r#"403 PROJECT_LIMIT_REACHED {"current":3,"limit":3,"ownerId":"<id 1>","scope":"user"}"#
    );
    assert_eq!(refused.text("/error/details/ownerId"), alice.id);
    assert_eq!(deployment.database.count("select count(*) from projects").await, 3);

    let org = deployment.operator().organization("works", &alice).await;
    for _ in 0..3 {
        create(&caller, json!({ "name": "Gear", "orgId": org })).await.expect(201);
    }
    let refused = create(&caller, json!({ "name": "Gear", "orgId": org })).await;
    assert_snapshot!(
        refused,
        @r#"403 PROJECT_LIMIT_REACHED {"current":3,"limit":3,"ownerId":"<id 1>","scope":"organization"}"#
    );

    let first = answers.iter().find(|answer| answer.status == 201).unwrap().text("/id");
    caller.delete(&format!("/api/v2/projects/{first}")).await.expect(200);
    create(&caller, json!({ "name": "Gear" })).await.expect(201);
}

#[tokio::test]
async fn a_patch_changes_the_named_fields_and_null_clears() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let created = create(&alice, json!({ "name": "Gear", "description": "old" })).await.expect(201);
    let path = format!("/api/v2/projects/{}", created.text("/id"));
    let patch = async |body: Value| alice.patch(&path).json(body).await;
    let fields = |answer: &Answer| {
        let project = &answer.json()["project"];
        format!(
            "{} {} {} {}",
            project["name"], project["description"], project["visibility"], project["projectSlug"]
        )
    };
    assert_eq!(
        fields(&patch(json!({ "name": " Two  gears " })).await.expect(200)),
        r#""Two gears" "old" "private" "gear""#
    );
    assert_eq!(
        fields(&patch(json!({ "visibility": "public" })).await.expect(200)),
        r#""Two gears" "old" "public" "gear""#
    );
    assert_eq!(
        fields(&patch(json!({ "description": null })).await.expect(200)),
        r#""Two gears" "" "public" "gear""#
    );
    assert_eq!(fields(&alice.get(&path).await.expect(200)), r#""Two gears" "" "public" "gear""#);
    assert_snapshot!(patch(json!({})).await, @"400 INVALID_REQUEST body minProperties");
    assert_snapshot!(patch(json!({ "name": null })).await, @"400 INVALID_REQUEST body.name required");
    assert_eq!(patch(json!({ "visibility": null })).await.expect(200).text("/project/visibility"), "private");
    assert_snapshot!(patch(json!({ "name": "" })).await, @"400 INVALID_REQUEST body.name format");
    assert_snapshot!(patch(json!({ "ownerId": "x" })).await, @"400 INVALID_REQUEST body.ownerId unknown");
}

#[tokio::test]
async fn an_unchanged_project_gets_304() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let id = create_project(&alice, "Gear").await;
    for path in [format!("/api/v2/projects/{id}"), format!("/api/v2/projects/{id}/tree")] {
        let first = alice.get(&path).await.expect(200);
        let etag = first.header("etag");
        assert_ne!(etag, "", "{path}");
        let known = alice.get(&path).header("if-none-match", etag).await;
        assert_eq!((known.status, known.body.len(), known.header("etag")), (304, 0, etag));
        let several = alice.get(&path).header("if-none-match", &format!("\"x\", {etag}")).await;
        assert_eq!(several.status, 304);
        alice.get(&path).header("if-none-match", "\"x\"").await.expect(200);
    }
    let path = format!("/api/v2/projects/{id}");
    let before = alice.get(&path).await.expect(200);
    alice.patch(&path).json(json!({ "description": "new" })).await.expect(200);
    let after = alice.get(&path).header("if-none-match", before.header("etag")).await.expect(200);
    assert_ne!(after.header("etag"), before.header("etag"));
    let head = alice.head(&path).await.expect(200);
    assert_eq!((head.header("etag"), head.body.len()), (after.header("etag"), 0));
}

#[tokio::test]
async fn lists_have_pages_of_the_callers_projects_newest_first() {
    let deployment = Deployment::shared();
    let operator = deployment.operator();
    let (alice, bob) = (operator.user("alice").await, operator.user("bob").await);
    let org = operator.organization("works", &alice).await;
    operator.add_member(&bob, "--org", &org, "member").await;
    let (alice, bob_key) = (alice.key(MANAGE).await, bob.key(MANAGE).await);
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.insert(0, create_project(&alice, &format!("Gear {number}")).await);
    }
    let internal = create(&alice, json!({ "name": "Shaft", "orgId": org, "visibility": "internal" }))
        .await
        .expect(201)
        .text("/id");
    let public =
        create(&alice, json!({ "name": "Public", "visibility": "public" })).await.expect(201).text("/id");
    operator.add_member(&bob, "--project", &ids[0], "viewer").await;

    let list = async |caller: &Caller, query: &str| {
        let mut listed = Vec::new();
        let mut cursor = String::new();
        loop {
            let page = caller.get(&format!("/api/v2/projects?{query}{cursor}")).await.expect(200).json();
            listed.extend(
                page["projects"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|project| project["id"].as_str().unwrap().to_owned()),
            );
            assert_eq!(page["meta"]["hasMore"], !page["meta"]["nextCursor"].is_null());
            match page["meta"]["nextCursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => return listed,
            }
        }
    };
    let all: Vec<String> = [public.clone(), internal.clone()].into_iter().chain(ids.clone()).collect();
    assert_eq!(list(&alice, "limit=2").await, all);
    assert_eq!(list(&alice, "limit=7").await, all);
    assert_eq!(list(&alice, "limit=2&q=GEAR").await, ids);
    // Names fold as cards' do: in any script, and after a change.
    let rename = json!({ "name": "Stra\u{df}e" });
    alice.patch(&format!("/api/v2/projects/{}", ids[0])).json(rename).await.expect(200);
    assert_eq!(list(&alice, "q=STRASSE").await, [ids[0].clone()]);
    alice.patch(&format!("/api/v2/projects/{}", ids[0])).json(json!({ "name": "Gear" })).await.expect(200);
    assert_eq!(list(&alice, &format!("ownerId={org}")).await, [internal.as_str()]);
    // A public project of another user can be read by id but isn't in the caller's list.
    assert_eq!(list(&bob_key, "limit=1").await, [internal, ids[0].clone()]);
    read(&bob_key, &public).await.expect(200);

    let cursor = alice.get("/api/v2/projects?limit=2").await.text("/meta/nextCursor");
    let mut forged = cursor.clone();
    forged.replace_range(0..1, if cursor.starts_with('A') { "B" } else { "A" });
    for query in [
        "limit=0",
        "limit=101",
        "limit=x",
        "limit=",
        "cursor=x",
        "cursor=",
        &format!("cursor={forged}"),
        &format!("q=gear&cursor={cursor}"),
        &format!("cursor={}", "A".repeat(1_025)),
    ] {
        assert_eq!(
            alice.get(&format!("/api/v2/projects?{query}")).await.to_string(),
            "400 INVALID_PAGINATION"
        );
    }
    let slug =
        alice.get(&format!("/api/v2/projects/{}", ids[1])).await.expect(200).text("/project/projectSlug");
    assert_eq!(list(&alice, &format!("slug={slug}")).await, [ids[1].as_str()]);
    assert_eq!(list(&alice, "slug=absent").await, Vec::<String>::new());
    let no_slug = alice.get("/api/v2/projects?slug=Gear%00").await;
    assert_snapshot!(no_slug, @"400 INVALID_REQUEST query.slug pattern");
    let unknown = alice.get("/api/v2/projects?sort=name").await;
    assert_snapshot!(unknown, @"400 INVALID_REQUEST query.sort enum");
    let long = alice.get(&format!("/api/v2/projects?q={}", "x".repeat(201))).await;
    assert_snapshot!(long, @"400 INVALID_REQUEST query.q maxLength");
}

#[tokio::test]
async fn a_project_may_be_named_with_or_without_its_branch() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let id = create_project(&alice, "Gear").await;
    let get = async |path: &str| alice.get(&format!("/api/v2/projects/{path}")).await.to_string();
    for name in [id.clone(), format!("{id}--main"), format!("{id}--m%61in")] {
        assert!(get(&name).await.starts_with("200"), "{name}");
        assert!(get(&format!("{name}/tree")).await.starts_with("200"), "{name}");
        assert!(get(&format!("{name}/branches/main/changes")).await.starts_with("200"), "{name}");
        assert!(get(&format!("{name}/packages?branch=main")).await.starts_with("200"), "{name}");
    }
    for name in [format!("{id}--other"), format!("{id}--a%2Fb")] {
        assert_eq!(get(&name).await, "404 NOT_FOUND");
    }
    assert_snapshot!(get(&format!("{id}/branches/other/changes")).await, @"404 NOT_FOUND");
    assert_snapshot!(get(&format!("{id}/packages?branch=other")).await, @"404 NOT_FOUND");
    assert_snapshot!(
        get(&format!("{id}--main/branches/other/changes")).await,
        @"400 INVALID_REQUEST path.branch conflict"
    );
    assert_snapshot!(
        get(&format!("{id}--main/packages?branch=other")).await,
        @"400 INVALID_REQUEST query.branch conflict"
    );
    for name in ["x", &format!("{id}--"), &format!("{id}--a..b"), &format!("{id}-main"), "%FF"] {
        assert!(get(name).await.starts_with("400 INVALID_REQUEST path.projectId"), "{name}");
    }
}

#[tokio::test]
async fn a_deleted_project_is_absent_with_its_content() {
    let mut opened = testkit::open_session::OpenSession::own().await;
    opened.deployment.leaves_blobs = true;
    opened.session.upload(&opened.model, "gear.step", "solid").await.expect(200);
    let path = format!("/api/v2/projects/{}", opened.project);
    let deleted = opened.caller.delete(&path).await;
    assert_snapshot!(deleted, @r#"200 {"deleted":true,"projectId":"<id 1>"}"#);
    assert_snapshot!(opened.caller.get(&path).await, @"404 NOT_FOUND");
    assert_snapshot!(opened.caller.delete(&path).await, @"404 NOT_FOUND");
    assert_snapshot!(opened.session.upload(&opened.model, "b", "b").await, @"401 UNAUTHENTICATED");
    for table in
        ["projects", "branches", "git_objects", "working_changes", "sessions", "files", "applied_uploads"]
    {
        assert_eq!(
            opened.deployment.database.count(&format!("select count(*) from {table}")).await,
            0,
            "{table}"
        );
    }
    let slug = create(&opened.caller, json!({ "name": "Gear" })).await.expect(201).text("/projectSlug");
    assert_eq!(slug, "gear");
}

#[tokio::test]
async fn a_project_changes_when_its_content_does_and_lists_by_activity_follow() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let (gear, axle) = (create_project(&alice, "Gear").await, create_project(&alice, "Axle").await);
    let updated = async |id: &str| read(&alice, id).await.expect(200).text("/project/updatedAt");
    let listed = async |sort: &str| {
        let page = alice.get(&format!("/api/v2/projects?sort={sort}")).await.expect(200).json();
        let names =
            page["projects"].as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap().to_owned());
        names.collect::<Vec<_>>().join(" ")
    };
    assert_eq!((listed("newest").await, listed("updated").await), ("Axle Gear".into(), "Axle Gear".into()));
    let mut last = updated(&gear).await;
    let mut moved = async |step: &str| {
        let now = updated(&gear).await;
        assert!(now > last, "{step}: {now} {last}");
        last = now;
    };
    let at = |path: &str| format!("/api/v2/projects/{gear}/{path}");
    let post = async |path: &str, body: Value| alice.post(&at(path)).json(body).await.expect(201);
    post("objects", json!({ "name": "x" })).await;
    moved("an object").await;
    post("branches/main/commits", json!({ "message": "x" })).await;
    moved("a commit").await;
    let session = Session::open(&alice, &gear).await;
    session.upload(&session.model().await, "a.txt", "a").await.expect(200);
    moved("an upload").await;
    post("branches/main/commits", json!({ "message": "y" })).await;
    post("branches", json!({ "name": "side" })).await;
    moved("a branch").await;
    alice.delete(&at("branches/side")).await.expect(200);
    moved("a deleted branch").await;
    assert_eq!((listed("newest").await, listed("updated").await), ("Axle Gear".into(), "Gear Axle".into()));
    let first = alice.get("/api/v2/projects?sort=updated&limit=1").await.expect(200);
    let cursor = first.text("/meta/nextCursor");
    let rest = alice.get(&format!("/api/v2/projects?sort=updated&limit=1&cursor={cursor}")).await.expect(200);
    assert_eq!(rest.json()["projects"][0]["id"], axle.as_str());
    // The tag follows, too.
    let etag = read(&alice, &gear).await.header("etag").to_owned();
    let change = alice.patch(&format!("/api/v2/projects/{gear}")).json(json!({ "description": "d" }));
    change.header("if-match", &etag).await.expect(200);
}
