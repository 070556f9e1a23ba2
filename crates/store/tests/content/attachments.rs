//! Uploads that join a tree, and the files that they leave.

use domain::Code;
use domain::content::object::Object;
use domain::content::upload::NewFile;
use domain::id::ObjectId;
use serde_json::json;
use uuid::Uuid;

use crate::world::{Upload, World, attachment, attachment_of, id_of, name, now, show};

#[tokio::test]
async fn an_upload_joins_the_tree_with_everything_it_created() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let model = id_of(&world.tree(&project).await.unwrap(), "Model");
    let mut change = attachment(model);
    let child = Object {
        id: ObjectId::new(now()),
        name: name("Page 1"),
        parent: change.objects[0].id,
        file: None,
        ..change.objects[0].clone()
    };
    change.objects.push(child);

    let attached = world.attach(&session, &change).await.unwrap();
    assert!(attached.unneeded_blobs.is_empty());
    let (file, page) = (&change.objects[0], &change.objects[1]);
    assert_eq!(
        serde_json::to_value(&attached.map).unwrap(),
        json!({"object": {
            file.id.to_string(): {
                "id": file.id, "name": "gear.step", "kind": "reference", "type": "File", "parent": model,
                "fileName": "gear.step", "extension": ".step", "size": 7, "sha256": change.files[0].sha256,
                "mimeType": "model/step",
            },
            page.id.to_string(): {
                "id": page.id, "name": "Page 1", "kind": "reference", "type": "File", "parent": file.id,
            },
        }})
    );
    assert_eq!(
        show(&world.tree(&project).await.unwrap(), project.project),
        "5 objects\nModel (Package, 1 children)\n  gear.step (File, 1 children)\n    Page 1 (File, 0 children)\n\
         Library (Package, 0 children)"
    );
    let mut added = world.changes(&project).await.added;
    added.sort();
    let mut expected = vec![file.id, page.id];
    expected.sort();
    assert_eq!(added, expected);
}

#[tokio::test]
async fn an_upload_applies_once_however_often_and_by_whomever_it_is_applied() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let change = attachment(project.project.into());
    let (a, b, c) = tokio::join!(
        world.attach(&session, &change),
        world.attach(&session, &change),
        world.attach(&session, &change)
    );
    let first = a.unwrap();
    assert!(first.unneeded_blobs.is_empty());
    assert_eq!(b.unwrap(), first);
    assert_eq!(c.unwrap(), first);
    assert_eq!(world.tree(&project).await.unwrap().object_count, 4);
    assert_eq!(world.database.count("select count(*) from applied_uploads").await, 1);

    world.close(&session).await.unwrap();
    assert_eq!(world.attach(&session, &change).await.unwrap(), first, "an answered upload stays answered");
}

#[tokio::test]
async fn uploads_into_one_branch_at_the_same_time_all_join() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let changes: Vec<_> = (0..12).map(|_| attachment(project.project.into())).collect();
    let attached =
        futures_util::future::join_all(changes.iter().map(|change| world.attach(&session, change))).await;
    assert!(attached.iter().all(Result::is_ok));
    assert_eq!(world.tree(&project).await.unwrap().object_count, 15);
}

// The commit travels with the last statements, and must not overtake one that a connection has yet to prepare.
#[tokio::test]
async fn an_upload_is_one_transaction_on_a_connection_that_has_attached_none_before_as_on_any_other() {
    let world = World::new().await;
    for _ in 0..3 {
        let mut uploads = Vec::new();
        for _ in 0..4 {
            let project = world.project().await;
            uploads.push((world.session(&project).await, attachment(project.project.into())));
        }
        let attach = uploads.iter().map(|(session, change)| world.attach(session, change));
        let attached = futures_util::future::join_all(attach).await;
        assert!(attached.iter().all(Result::is_ok));
    }
    let whole = "select count(*) from applied_uploads a \
        join branches b on b.project_id = a.project_id \
        join files f on f.project_id = a.project_id \
        join working_changes w on w.branch_id = b.id \
        join session_events e on e.session_id = a.session_id and e.type = 'objects.changed' \
        where a.xmin = b.xmin and a.xmin = f.xmin and a.xmin = w.xmin and a.xmin = e.xmin";
    assert_eq!(world.database.count(whole).await, 12);
}

#[tokio::test]
async fn an_upload_that_waited_for_the_branch_goes_on_from_what_that_has_become() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let mut other = world.database.connect().await;
    let lock = other.transaction().await.unwrap();
    lock.execute("update branches set revision = revision + 10", &[]).await.unwrap();
    let change = attachment(project.project.into());
    let (attached, ()) = tokio::join!(world.attach(&session, &change), async {
        world.database.wait_for_blocked(1).await;
        lock.commit().await.unwrap();
    });
    attached.unwrap();
    assert_eq!(world.tree(&project).await.unwrap().object_count, 4);
    assert_eq!(world.database.count("select revision from branches").await, 11);
}

#[tokio::test]
async fn nothing_is_attached_through_a_closed_session() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    world.close(&session).await.unwrap();
    let error = world.attach(&session, &attachment(project.project.into())).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated);
    let unknown = Upload { session: domain::id::SessionId(Uuid::new_v4()), ..session };
    let error = world.attach(&unknown, &attachment(project.project.into())).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated);
    assert_eq!(world.database.count("select count(*) from files").await, 0);
    assert!(!world.changes(&project).await.has_changes);
}

#[tokio::test]
async fn nothing_is_attached_for_a_revoked_key() {
    let world = World::new().await;
    let project = world.project().await;
    let key = world.key().await;
    let session = Upload { key: Some(key), ..world.session(&project).await };
    world.attach(&session, &attachment(project.project.into())).await.unwrap();
    world.store.revoke_api_key(key, now()).await.unwrap();
    let error = world.attach(&session, &attachment(project.project.into())).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated);
}

#[tokio::test]
async fn closing_a_session_waits_for_what_is_being_attached_through_it() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let change = attachment(project.project.into());
    let mut other = world.database.connect().await;
    let lock = other.transaction().await.unwrap();
    lock.batch_execute("lock table files in share mode").await.unwrap();
    let close = async {
        world.database.wait_for_blocked(1).await;
        let (closed, ()) = tokio::join!(world.close(&session), async {
            world.database.wait_for_blocked(2).await;
            lock.commit().await.unwrap();
        });
        closed
    };
    let (attached, closed) = tokio::join!(world.attach(&session, &change), close);
    attached.unwrap();
    closed.unwrap();
    assert_eq!(world.tree(&project).await.unwrap().object_count, 4);
    let error = world.attach(&session, &attachment(project.project.into())).await.unwrap_err();
    assert_eq!(error.code, Code::Unauthenticated);
}

#[tokio::test]
async fn a_parent_that_is_not_in_the_tree_is_not_found_and_nothing_stays() {
    let world = World::new().await;
    let (project, other) = (world.project().await, world.project().await);
    let session = world.session(&project).await;
    let deleted = attachment(project.project.into());
    world.attach(&session, &deleted).await.unwrap();
    world.attach(&session, &attachment(project.project.into())).await.unwrap();
    let delete = format!(
        "update working_changes set record = null, committed = record where object_id = '{}'",
        deleted.objects[0].id
    );
    assert_eq!(world.sql(&delete).await, 1);

    let foreign = id_of(&world.tree(&other).await.unwrap(), "Model");
    for parent in [deleted.objects[0].id, foreign, other.project.into(), ObjectId(Uuid::new_v4())] {
        let error = world.attach(&session, &attachment(parent)).await.unwrap_err();
        assert_eq!(error.code, Code::NotFound);
    }
    assert_eq!(world.database.count("select count(*) from applied_uploads").await, 2);
    assert_eq!(world.database.count("select count(*) from files").await, 2);
}

#[tokio::test]
async fn objects_that_do_not_hang_under_their_parent_are_a_bug() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let mut stray = attachment(project.project.into());
    stray.objects[0].parent = ObjectId(Uuid::new_v4());
    let mut none = attachment(project.project.into());
    none.objects.clear();
    let mut twice = attachment(project.project.into());
    twice.objects.push(twice.objects[0].clone());
    for change in [stray, none, twice] {
        assert_eq!(world.attach(&session, &change).await.unwrap_err().code, Code::InternalError);
    }
}

#[tokio::test]
async fn a_file_is_found_by_its_one_name_as_long_as_its_object_is_in_the_tree() {
    let world = World::new().await;
    let (project, other) = (world.project().await, world.project().await);
    let session = world.session(&project).await;
    let change = attachment(project.project.into());
    world.attach(&session, &change).await.unwrap();
    let id = change.objects[0].id;

    let found = world.file(&project, &format!("{id}.step")).await.unwrap();
    assert_eq!(Some(&found.file), change.objects[0].file.as_ref());
    assert_eq!((found.name.as_str(), &found.blob_key), ("gear.step", &change.files[0].blob_key));
    for name in [format!("{id}"), format!("{id}.stp"), format!("{}.step", Uuid::new_v4())] {
        assert_eq!(world.file(&project, &name).await, None, "{name}");
    }
    assert_eq!(world.file(&other, &format!("{id}.step")).await, None);
    let model = id_of(&world.tree(&project).await.unwrap(), "Model");
    assert_eq!(world.file(&project, &model.to_string()).await, None);

    world.sql("update working_changes set record = null, committed = record").await;
    assert_eq!(world.file(&project, &format!("{id}.step")).await, None);
}

#[tokio::test]
async fn bytes_that_a_project_has_keep_their_blob_and_the_new_one_is_unreferenced() {
    let world = World::new().await;
    let (project, other) = (world.project().await, world.project().await);
    let (session, elsewhere) = (world.session(&project).await, world.session(&other).await);
    let first = attachment(project.project.into());
    let same = attachment_of(project.project.into(), first.files[0].sha256);
    let same_elsewhere = attachment_of(other.project.into(), first.files[0].sha256);
    let unneeded = async |by, change| world.attach(by, change).await.unwrap().unneeded_blobs;
    assert!(unneeded(&session, &first).await.is_empty());
    assert_eq!(unneeded(&session, &same).await, [same.files[0].blob_key.as_str()]);
    assert_eq!(
        unneeded(&session, &same).await,
        [same.files[0].blob_key.as_str()],
        "nor when it is asked again"
    );
    assert!(unneeded(&elsewhere, &same_elsewhere).await.is_empty());

    let found = world.file(&project, &format!("{}.step", same.objects[0].id)).await.unwrap();
    assert_eq!(found.blob_key, first.files[0].blob_key);
    let keys = [&first, &same, &same_elsewhere].map(|change| change.files[0].blob_key.clone());
    assert_eq!(world.store.unreferenced_blobs(&keys).await.unwrap(), vec![same.files[0].blob_key.clone()]);
}

#[tokio::test]
async fn of_files_with_the_same_bytes_in_one_upload_the_first_is_kept() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let mut change = attachment(project.project.into());
    let (page, blank) = (attachment(change.parent).files.remove(0), change.files[0].clone());
    let copy = NewFile { blob_key: "blobs/copy".to_owned(), ..page.clone() };
    let again = NewFile { blob_key: "blobs/again".to_owned(), ..blank };
    change.files.extend([page, copy, again]);
    for _ in 0..2 {
        let attached = world.attach(&session, &change).await.unwrap();
        assert_eq!(attached.unneeded_blobs, ["blobs/copy", "blobs/again"]);
    }
    assert_eq!(world.database.count("select count(*) from files").await, 2);
}
