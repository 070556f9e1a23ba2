//! Single objects: creation, reading, changes, moves and deletion.

use insta::assert_snapshot;
use serde_json::{Value, json};

use crate::support::{Project, texts};
use testkit::caller::Base;
use testkit::seed::ABSENT_ID;

#[tokio::test]
async fn an_object_is_created_read_and_changed_field_by_field() {
    let project = Project::open().await;
    let whole = json!({
        "name": "  Gear\t20T ", "type": "Part", "parent": project.model,
        "data": { "teeth": 20, "size": { "d": 1.5, "w": 2 }, "tags": ["a", null] },
    });
    let created = project.post("objects", whole).await;
    assert_snapshot!(created, @r#"
    201 {
      "object": {
        "data": {"size":{"d":1.5,"w":2},"tags":["a",null],"teeth":20},
        "id": "<id 1>",
        "name": "Gear 20T",
        "parent": "<id 2>",
        "type": "Part"
      }
    }
    "#);
    let path = format!("objects/{}", created.text("/object/id"));
    let read = project.get(&path).await.expect(200);
    assert_eq!(read.json(), created.json());
    assert_snapshot!(project.get(&path).header("if-none-match", read.header("etag")).await, @"304");

    let change =
        json!({ "name": "Wheel", "data": { "size": { "d": null, "h": 3 }, "tags": 7, "teeth": null } });
    let changed = project.patch(&path, change).await;
    assert_snapshot!(changed, @r#"
    200 {
      "object": {
        "data": {"size":{"h":3,"w":2},"tags":7},
        "id": "<id 1>",
        "name": "Wheel",
        "parent": "<id 2>",
        "type": "Part"
      }
    }
    "#);
    assert_ne!(changed.header("etag"), read.header("etag"));
    let cleared = project.patch(&path, json!({ "data": null, "type": "Assembly" })).await.expect(200).json();
    assert_eq!((&cleared["object"]["data"], &cleared["object"]["type"]), (&json!({}), &json!("Assembly")));

    let least = project.post("objects", json!({ "name": "x" })).await.expect(201).json();
    assert_eq!(
        (&least["object"]["type"], &least["object"]["parent"]),
        (&json!("Object"), &json!(project.id))
    );
    assert_snapshot!(project.get(&format!("objects/{}", project.id)).await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn invalid_values_are_refused_with_their_position() {
    let project = Project::open().await;
    let gear = format!("objects/{}", project.create(&project.model, "Gear").await);
    let nested = |levels: usize| (1..levels).fold(json!({}), |below, _| json!({ "a": below }));
    for (body, expected) in [
        (json!({}), "body.name required"),
        (json!({ "name": " " }), "body.name format"),
        (json!({ "name": ".Git", "parent": project.model }), "body.name reserved"),
        (json!({ "name": "hooks/git~1 ." }), "body.name reserved"),
        (json!({ "name": "x", "kind": "code" }), "body.kind unknown"),
        (json!({ "name": "x", "id": project.id }), "body.id unknown"),
        (json!({ "name": "x", "type": "" }), "body.type format"),
        (json!({ "name": "x", "type": "Project" }), "body.type format"),
        (json!({ "name": "x", "type": "t".repeat(65) }), "body.type maxLength"),
        (json!({ "name": "x", "parent": "model" }), "body.parent format"),
        (json!({ "name": "x", "parent": ABSENT_ID }), "body.parent exists"),
        (json!({ "name": "x", "data": [] }), "body.data type"),
        (json!({ "name": "x", "data": { "a\u{0}": 1 } }), "body.data format"),
        (json!({ "name": "x", "data": { "a": ["\u{0}"] } }), "body.data format"),
        (json!({ "name": "x", "data": nested(33) }), "body.data maxDepth"),
        (json!({ "name": "x", "data": { "a": "x".repeat(256 * 1024) } }), "body.data maxBytes"),
    ] {
        let answer = project.post("objects", body).await;
        assert_eq!(answer.to_string(), format!("400 INVALID_REQUEST {expected}"));
    }
    for (body, expected) in [
        (json!({}), "body minProperties"),
        (json!({ "name": null }), "body.name required"),
        (json!({ "parent": null }), "body.parent required"),
        (json!({ "name": ".g\u{200c}it" }), "body.name reserved"),
        (json!({ "parent": ABSENT_ID }), "body.parent exists"),
        (json!({ "data": { "a": "\u{0}" } }), "body.data format"),
        (json!({ "file": null }), "body.file unknown"),
    ] {
        let answer = project.patch(&gear, body).await;
        assert_eq!(answer.to_string(), format!("400 INVALID_REQUEST {expected}"));
    }
    // The limit of properties holds for the merged result, too.
    let half = "x".repeat(200 * 1024);
    project.patch(&gear, json!({ "data": { "a": half } })).await.expect(200);
    let answer = project.patch(&gear, json!({ "data": { "b": half } })).await;
    assert_snapshot!(answer, @"400 INVALID_REQUEST body.data maxBytes");
    project.post("objects", json!({ "name": "x", "data": nested(32) })).await.expect(201);
    assert_snapshot!(project.get("objects/none").await, @"400 INVALID_REQUEST path.objectId format");
    for request in [
        project.get("objects/0198c5f0-0000-7000-8000-000000000000"),
        project.patch("objects/0198c5f0-0000-7000-8000-000000000000", json!({ "name": "x" })),
        project.delete("objects/0198c5f0-0000-7000-8000-000000000000"),
    ] {
        assert_eq!(request.await.to_string(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn any_name_survives_tree_commit_and_git() {
    let project = Project::open().await;
    let longest = "é".repeat(255);
    let names = [
        "a/b\\c",
        "..",
        ".",
        "...hidden",
        "CON",
        "gear",
        "Gear",
        "GEAR",
        "Getriebe für Löwe №2",
        "设计",
        "😀👨‍👩‍👧",
        "a\"b'c",
        "<script>",
        "%2F",
        "x.json",
        ABSENT_ID,
        "- -",
        "~",
        longest.as_str(),
    ];
    let mut ids = Vec::new();
    for name in names {
        ids.push(project.create(&project.model, name).await);
    }
    project.commit("main", "Names").await;
    let tree = project.get(&format!("tree?root={}", project.model)).await.expect(200).json();
    assert_eq!(texts(&tree["tree"], "name")[1..], names);
    assert_eq!(texts(&tree["tree"], "id")[1..], ids);
    let repository = project.repository().await;
    for (id, name) in ids.iter().zip(names) {
        let files = repository.git(&["ls-tree", "-r", "--name-only", "main", "objects"]);
        let file = files.lines().find(|file| file.ends_with(&format!("{id}.json"))).unwrap();
        let object: Value =
            serde_json::from_str(&repository.git(&["show", &format!("main:{file}")])).unwrap();
        assert_eq!(object["name"], name);
    }
    // Renaming keeps their types and ids.
    for id in &ids {
        project.patch(&format!("objects/{id}"), json!({ "name": "one name" })).await.expect(200);
    }
    project.commit("main", "One name").await;
    assert_eq!(project.object(&ids[3]).await["name"], "one name");
    project.repository().await;
}

#[tokio::test]
async fn an_object_moves_with_its_descendants_and_never_below_itself() {
    let project = Project::open().await;
    let assembly = project.create(&project.model, "Assembly").await;
    let gear = project.create(&assembly, "Gear").await;
    let tooth = project.create(&gear, "Tooth").await;
    project.commit("main", "Three").await;
    let bolt = project.create(&tooth, "Bolt").await;
    let to = |id: &str, parent: &str| project.patch(&format!("objects/{id}"), json!({ "parent": parent }));
    for (id, parent) in [(&assembly, &assembly), (&assembly, &gear), (&assembly, &bolt), (&gear, &tooth)] {
        assert_eq!(to(id, parent).await.to_string(), "400 INVALID_REQUEST body.parent cycle");
    }
    to(&gear, &project.id).await.expect(200);
    assert_snapshot!(project.outline().await, @"
    7 objects
    Model 1
      Assembly 0
    Library 0
    Gear 1
      Tooth 1
        Bolt 0
    ");
    // After their separation, in the other direction.
    to(&assembly, &bolt).await.expect(200);
    assert_snapshot!(project.outline().await, @"
    7 objects
    Model 0
    Library 0
    Gear 1
      Tooth 1
        Bolt 1
          Assembly 0
    ");
    assert_eq!(to(&gear, &assembly).await.to_string(), "400 INVALID_REQUEST body.parent cycle");
    project.commit("main", "Turned").await;
    project.repository().await;
}

#[tokio::test]
async fn a_deletion_includes_all_descendants() {
    let project = Project::open().await;
    let assembly = project.create(&project.model, "Assembly").await;
    let gear = project.create(&assembly, "Gear").await;
    let moved_in = project.create(&project.model, "Moved in").await;
    let moved_out = project.create(&gear, "Moved out").await;
    project.commit("main", "Committed").await;
    let added = project.create(&gear, "Added").await;
    project.patch(&format!("objects/{moved_in}"), json!({ "parent": gear })).await.expect(200);
    project.patch(&format!("objects/{moved_out}"), json!({ "parent": project.model })).await.expect(200);
    let deleted = project.delete(&format!("objects/{assembly}")).await;
    assert_snapshot!(deleted, @r#"200 {"deleted":true,"deletedCount":4,"objectId":"<id 1>"}"#);
    assert_snapshot!(project.outline().await, @"
    4 objects
    Model 1
      Moved out 0
    Library 0
    ");
    for id in [&assembly, &gear, &added, &moved_in] {
        project.get(&format!("objects/{id}")).await.expect(404);
    }
    let changes = project.changes("main").await;
    assert_eq!(changes["modified"], json!([moved_out]));
    // With their committed state, not that after later moves.
    let gone = texts(&changes["deletedObjects"], "objectId");
    assert_eq!(gone, [assembly.clone(), gear.clone(), moved_in.clone()]);
    assert_eq!(
        texts(&changes["deletedObjects"], "parentId"),
        [project.model.clone(), assembly, project.model.clone()]
    );
    assert_eq!(changes["added"], json!([]));
    project.commit("main", "Deleted").await;
    let files = project.repository().await.git(&["ls-tree", "-r", "--name-only", "main", "objects"]);
    assert_eq!(files.lines().count(), 3);
}

#[tokio::test]
async fn reserved_packages_can_not_be_changed_or_moved() {
    let project = Project::open().await;
    let model = format!("objects/{}", project.model);
    let other = project.create(&project.id, "Other").await;
    assert_snapshot!(project.delete(&model).await, @r#"409 RESERVED_OBJECT {"name":"Model","objectId":"<id 1>"}"#);
    for body in [json!({ "name": "Parts" }), json!({ "parent": other }), json!({ "type": "Part" })] {
        assert_eq!(project.patch(&model, body).await.code(), "RESERVED_OBJECT");
    }
    project.patch(&model, json!({ "data": { "unit": "mm" } })).await.expect(200);
    // A second one of their kind would be ambiguous.
    let other = project.patch(&format!("objects/{}", project.model), json!({ "name": "Library" })).await;
    assert_eq!(other.code(), "RESERVED_OBJECT");
    let again = json!({ "name": "Model", "type": "Package" });
    assert_eq!(project.post("objects", again).await.code(), "RESERVED_OBJECT");
    let named = json!({ "name": "Model", "type": "Package", "parent": project.model });
    let named = project.post("objects", named).await.expect(201).text("/object/id");
    let up = project.patch(&format!("objects/{named}"), json!({ "parent": project.id })).await;
    assert_eq!(up.code(), "RESERVED_OBJECT");
    project.post("objects", json!({ "name": "Model" })).await.expect(201);
}

#[tokio::test]
async fn only_a_stale_tag_refuses_the_change() {
    let project = Project::open().await;
    let gear = project.create(&project.model, "Gear").await;
    let path = format!("objects/{gear}");
    let first = project.get(&path).await.header("etag").to_owned();
    let rename =
        |name: &str, tag: &str| project.patch(&path, json!({ "name": name })).header("if-match", tag);
    let second = rename("Wheel", &first).await.expect(200).header("etag").to_owned();
    let stale = rename("Disc", &first).await;
    assert_eq!((stale.status, stale.code()), (412, "PRECONDITION_FAILED".to_owned()));
    assert_eq!(stale.text("/error/details/etag"), second);
    assert_eq!(project.delete(&path).header("if-match", &first).await.status, 412);
    assert_eq!(project.object(&gear).await["name"], "Wheel");
    // The tag depends only on the content: a commit or an undone change keeps it.
    project.commit("main", "Wheel").await;
    rename("Disc", &format!("\"x\", {second}")).await.expect(200);
    rename("Wheel", "*").await.expect(200);
    assert_eq!(project.get(&path).await.header("etag"), second);
    let unreadable = project.delete(&path).header("if-match", "\"é\"").await;
    assert_snapshot!(unreadable, @"400 INVALID_REQUEST header.If-Match format");
    project.delete(&path).header("if-match", &second).await.expect(200);
    assert_eq!(project.delete(&path).header("if-match", "*").await.status, 404);
}

#[tokio::test]
async fn objects_are_listed_in_pages_and_by_type() {
    let project = Project::open().await;
    let mut ids = Vec::new();
    for number in 0..5 {
        ids.push(project.create(&project.model, &format!("Gear {number}")).await);
    }
    project.commit("main", "Five").await;
    let screw = json!({ "name": "Schraube Größe 3", "type": "Screw", "parent": ids[0], "data": { "d": 3 } });
    let screw = project.post("objects", screw).await.expect(201).text("/object/id");
    project.delete(&format!("objects/{}", ids[4])).await.expect(200);
    let list = async |query: &str| {
        texts(&project.get(&format!("objects{query}")).await.expect(200).json()["objects"], "id")
    };
    assert_eq!(list("?q=gear").await, ids[..4]);
    assert_eq!(list("?q=GR%C3%96SSE").await, std::slice::from_ref(&screw));
    assert_eq!(list("?type=Screw").await, std::slice::from_ref(&screw));
    assert_eq!(list(&format!("?parent={}", project.model)).await, ids[..4]);
    assert_eq!(list(&format!("?parent={}", ids[0])).await, std::slice::from_ref(&screw));
    assert_eq!(list("?name=Gear%202").await, ids[2..3]);
    assert_eq!(list("?name=gear%202").await, Vec::<String>::new());
    assert_eq!(
        list("?path=/Model/Gear%200/Schraube%20Gr%C3%B6%C3%9Fe%203").await,
        std::slice::from_ref(&screw)
    );
    assert_eq!(list("?path=Model").await, std::slice::from_ref(&project.model));
    for nowhere in ["/Gear%200", "/Model/Gear%209", "/Model/Gear%204", "/Model/Model"] {
        assert_eq!(list(&format!("?path={nowhere}")).await, Vec::<String>::new(), "{nowhere}");
    }
    let twin = project.create(&project.model, "Gear 1").await;
    assert_eq!(list("?path=/Model/Gear%201").await, [ids[1].clone(), twin.clone()]);
    project.delete(&format!("objects/{twin}")).await.expect(200);
    for query in ["path=/", "path=/Model/", "path=/Model//Gear", "path=", "name=%00", "name="] {
        let refused = project.get(&format!("objects?{query}")).await;
        assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_REQUEST"), "{query}");
    }
    assert_eq!(list("").await.len(), 7);
    let first = project.get("objects?q=gear&limit=3").await.expect(200).json();
    assert_eq!(texts(&first["objects"], "id"), ids[..3]);
    let cursor = first["meta"]["nextCursor"].as_str().unwrap();
    assert_eq!(list(&format!("?q=gear&limit=3&cursor={cursor}")).await, ids[3..4]);
    let other = project.get(&format!("objects?q=wheel&limit=3&cursor={cursor}")).await;
    assert_snapshot!(other, @"400 INVALID_PAGINATION");
    let whole = project.get(&format!("objects?parent={}", ids[0])).await.expect(200).json();
    assert_eq!(whole["objects"][0]["data"], json!({ "d": 3 }));
}
