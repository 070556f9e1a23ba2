//! Trees and uncommitted changes.

use domain::Code;
use domain::content::object::{Object, Signature};
use domain::id::ObjectId;
use git::{FirstCommit, first_commit};
use serde_json::{Map, json};

use crate::world::{World, attachment, id_of, name, now, show};

#[tokio::test]
async fn the_tree_shows_uncommitted_state_and_changes_list_it() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let before = world.tree(&project).await.unwrap();
    let (model, library) = (id_of(&before, "Model"), id_of(&before, "Library"));
    let gear = attachment(model);
    world.attach(&session, &gear).await.unwrap();

    let committed = json!({"id": library, "name": "Library", "type": "Package", "parent": project.project});
    let mut renamed = committed.clone();
    renamed["name"] = json!("Parts");
    let change = async |record: &str| {
        let insert = format!(
            "insert into working_changes (branch_id, object_id, record, committed, changed_at)
            select id, '{library}', {record}, '{committed}', now() from branches where project_id = '{}'
            on conflict (branch_id, object_id) do update set record = excluded.record",
            project.project
        );
        world.sql(&insert).await;
        world.sql("update branches set revision = revision + 1").await;
    };
    change(&format!("'{renamed}'")).await;
    let tree = world.tree(&project).await.unwrap();
    assert_eq!(
        show(&tree, project.project),
        "4 objects\nModel (Package, 1 children)\n  gear.step (File, 0 children)\nParts (Package, 0 children)"
    );
    let changes = world.changes(&project).await;
    assert_eq!((changes.added, changes.modified), (vec![gear.objects[0].id], vec![library]));

    change("null").await;
    let tree = world.tree(&project).await.unwrap();
    assert_eq!(
        show(&tree, project.project),
        "3 objects\nModel (Package, 1 children)\n  gear.step (File, 0 children)"
    );
    let changes = serde_json::to_value(world.changes(&project).await).unwrap();
    assert_eq!(
        changes,
        json!({
            "hasChanges": true,
            "totalObjectChanges": 2,
            "added": [gear.objects[0].id],
            "modified": [],
            "deleted": [library],
            "deletedObjects": [
                {"objectId": library, "name": "Library", "type": "Package", "parentId": project.project},
            ],
            "committedHash": changes["committedHash"],
        })
    );
}

#[tokio::test]
async fn an_etag_changes_with_the_branch_and_only_then() {
    let world = World::new().await;
    let (project, other) = (world.project().await, world.project().await);
    let session = world.session(&project).await;
    let model = id_of(&world.tree(&project).await.unwrap(), "Model");
    let (first, others) = (world.etag(&project).await, world.etag(&other).await);
    assert_ne!(first, others);
    assert_eq!(world.etag(&project).await, first);
    world.attach(&session, &attachment(model)).await.unwrap();
    assert_ne!(world.etag(&project).await, first);
    assert_eq!(world.etag(&other).await, others);
}

#[tokio::test]
async fn a_tree_with_a_hole_is_a_failure_and_not_a_smaller_tree() {
    let world = World::new().await;
    let project = world.project_without_commit().await;
    let orphan =
        "update working_changes set record = jsonb_set(record, '{parent}', to_jsonb(gen_random_uuid()))";
    assert_eq!(world.sql(orphan).await, 2);
    assert_eq!(world.tree(&project).await.unwrap_err().code, Code::InternalError);
}

#[tokio::test]
async fn a_commit_of_many_objects_is_read_whole_and_in_order() {
    const OBJECTS: usize = 20_000;
    let world = World::new().await;
    let project = world.project_without_commit().await;
    let root = ObjectId::from(project.project);
    // A chain of 1,000 levels, and the rest beside each other under its end.
    let mut objects: Vec<Object> = Vec::with_capacity(OBJECTS);
    for level in 0..OBJECTS {
        let parent =
            objects.last().filter(|_| level < 1_000).or(objects.get(999)).map_or(root, |object| object.id);
        objects.push(Object {
            id: ObjectId::new(now()),
            name: name(&format!("Part {level}")),
            object_type: "Part".to_owned(),
            parent,
            kind: None,
            file: None,
            include: None,
            data: Map::new(),
        });
    }
    let author = Signature { name: "Ada".to_owned(), email: "ada@example.com".to_owned(), time: now() };
    let commit =
        FirstCommit { project: project.project, objects: &objects, author: &author, message: "Many" };
    let (head, written) = first_commit(&commit).unwrap();
    let client = world.database.connect().await;
    let oids: Vec<&[u8]> = written.iter().map(|object| object.oid.0.as_slice()).collect();
    let kinds: Vec<&str> = written.iter().map(|object| object.kind.as_str()).collect();
    let data: Vec<&[u8]> = written.iter().map(|object| object.data.as_slice()).collect();
    let insert = format!(
        "insert into git_objects select '{}', * from unnest($1::bytea[], $2::text[], $3::bytea[])",
        project.project
    );
    client.execute(&insert, &[&oids, &kinds, &data]).await.unwrap();
    world.sql("delete from working_changes").await;
    world.sql(&format!("update branches set head = '\\x{head}', revision = revision + 1")).await;

    let tree = world.tree(&project).await.unwrap();
    assert_eq!(tree.object_count, 20_001);
    assert_eq!(tree.tree.len(), OBJECTS);
    for (node, object) in tree.tree.iter().zip(&objects).take(1_000) {
        assert_eq!((node.id, &node.name, node.parent), (object.id, &object.name, object.parent));
    }
    let counts: Vec<u64> = tree.tree.iter().map(|node| node.children_count).collect();
    assert_eq!((counts[0], counts[998], counts[999], counts[1_000]), (1, 1, 19_000, 0));
    assert!(tree.tree[1_000..].is_sorted_by_key(|node| node.id));

    // An upload into it finds its parent, and the next tree shows it.
    let session = world.session(&project).await;
    let parent = objects[19_999].id;
    world.attach(&session, &attachment(parent)).await.unwrap();
    let tree = world.tree(&project).await.unwrap();
    assert_eq!(tree.object_count, 20_002);
    assert_eq!(tree.tree.iter().find(|node| node.id == parent).unwrap().children_count, 1);
}
