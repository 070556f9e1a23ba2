//! Uploads that are attached together: those of one session, and those of several.

use domain::Code;
use domain::content::project::ProjectRef;
use domain::content::upload::Attached;
use domain::id::{ObjectId, ProjectId};
use store::content::uploads::FinishedUpload;
use uuid::Uuid;

use crate::world::{Upload, World, attachment, attachment_of, now};

#[tokio::test]
async fn uploads_that_are_attached_together_are_attached_all_or_none_and_at_most_once() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let finished = |parent| world.finished(&session, &attachment(parent));
    let root: ObjectId = project.project.into();
    let uploads = [finished(root), finished(root), finished(root)];
    let stray = finished(ObjectId(Uuid::new_v4()));

    let with_stray = [&uploads[0], &stray, &uploads[1]];
    let refused = world.store.attach(&with_stray, now()).await.unwrap_err();
    assert_eq!(refused.code, Code::NotFound);
    assert_eq!(world.tree(&project).await.unwrap().object_count, 3);

    let first = world.store.attach(&[&uploads[0]], now()).await.unwrap();
    let all = world.store.attach(&[&uploads[1], &uploads[0], &uploads[2]], now()).await.unwrap();
    assert_eq!(all[1], first[0]);
    assert_eq!(world.tree(&project).await.unwrap().object_count, 6);
    let transactions = "select count(distinct xmin::text) from applied_uploads";
    assert_eq!(world.database.count(transactions).await, 2);
}

#[tokio::test]
async fn uploads_of_different_grants_are_not_attached_together() {
    let world = World::new().await;
    let project = world.project().await;
    let (one, other) = (world.session(&project).await, world.session(&project).await);
    let finished = |session| world.finished(session, &attachment(project.project.into()));
    let refused = world.store.attach(&[&finished(&one), &finished(&other)], now()).await.unwrap_err();
    assert_eq!(refused.code, Code::InternalError);
    assert_eq!(world.tree(&project).await.unwrap().object_count, 3);
}

/// Results of uploads that are attached in one transaction; `None` for those that are left out.
async fn at_once(world: &World, uploads: &[FinishedUpload]) -> Vec<Option<Attached>> {
    let uploads: Vec<&FinishedUpload> = uploads.iter().collect();
    world.store.try_attach(&uploads, now()).await.unwrap()
}

/// A session in a project of its own.
async fn session(world: &World) -> Upload {
    world.session(&world.project().await).await
}

#[tokio::test]
async fn uploads_of_several_sessions_share_a_transaction_and_each_joins_its_own_tree() {
    let world = World::new().await;
    let (one, other) = (session(&world).await, session(&world).await);
    let finished = |session: &Upload| world.finished(session, &attachment(session.project.project.into()));
    // Those of one session need not follow each other.
    let uploads = [finished(&one), finished(&other), finished(&one)];
    let attached: Vec<Attached> = at_once(&world, &uploads).await.into_iter().map(Option::unwrap).collect();
    for (finished, attached) in uploads.iter().zip(&attached) {
        let object = &finished.attachment.objects[0];
        assert_eq!(attached.map.object.keys().collect::<Vec<_>>(), [&object.id]);
        assert!(attached.unneeded_blobs.is_empty());
    }
    for (session, added) in [(&one, 2), (&other, 1)] {
        assert_eq!(world.changes(&session.project).await.added.len(), added);
        let told = format!(
            "select count(*) from session_events e where session_id = '{}' and type = 'objects.changed'
               and sequence between 2 and 1 + {added}",
            session.session.0
        );
        assert_eq!(world.database.count(&told).await, i64::try_from(added).unwrap());
    }
    assert_eq!(world.database.count("select count(distinct xmin::text) from applied_uploads").await, 1);
    assert_eq!(world.database.count("select count(*) from branches where revision = 1").await, 2);

    // A repeated upload gets its first result, beside one that is new.
    let repeated = at_once(&world, &[uploads[1].clone(), finished(&one)]).await;
    assert_eq!(repeated[0].as_ref(), Some(&attached[1]));
    assert!(repeated[1].is_some());
}

#[tokio::test]
async fn an_upload_that_would_wait_for_others_holds_up_no_other_session() {
    let world = World::new().await;
    let locks = [
        "select from projects where id = '{project}' for update",
        "select from sessions where id = '{session}' for no key update",
        "select from branches where project_id = '{project}' for no key update",
    ];
    for lock in locks {
        let (busy, free) = (session(&world).await, session(&world).await);
        let lock = lock
            .replace("{project}", &busy.project.project.to_string())
            .replace("{session}", &busy.session.to_string());
        let mut client = world.database.connect().await;
        let held = client.transaction().await.unwrap();
        assert_eq!(held.execute(&lock, &[]).await.unwrap(), 1);
        let finished = [&busy, &free]
            .map(|session| world.finished(session, &attachment(session.project.project.into())));
        let attached = at_once(&world, &finished).await;
        assert!(attached[0].is_none() && attached[1].is_some(), "{lock}");
        held.rollback().await.unwrap();
        let attached = at_once(&world, &finished).await;
        assert!(attached.iter().all(Option::is_some), "{lock}");
    }
}

#[tokio::test]
async fn a_session_whose_upload_is_refused_harms_no_other() {
    let world = World::new().await;
    let closed = session(&world).await;
    world.close(&closed).await.unwrap();
    let (open, fine) = (session(&world).await, session(&world).await);
    let gone =
        Upload { project: ProjectRef { project: ProjectId(Uuid::new_v4()), branch: None }, ..open.clone() };
    let root = |session: &Upload| ObjectId::from(session.project.project);
    let uploads = [
        world.finished(&closed, &attachment(root(&closed))),
        world.finished(&open, &attachment(ObjectId(Uuid::new_v4()))),
        world.finished(&gone, &attachment(root(&open))),
        world.finished(&fine, &attachment(root(&fine))),
    ];
    let attached = at_once(&world, &uploads).await;
    assert_eq!(attached.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, false, true]);
    // Nothing is changed where nothing was attached.
    assert_eq!(world.database.count("select count(*) from branches where revision > 0").await, 1);
    assert_eq!(world.database.count("select count(*) from files").await, 1);
}

#[tokio::test]
async fn a_branch_that_is_nearly_full_costs_no_other_session_its_transaction() {
    let world = World::new().await;
    let (full, fine) = (session(&world).await, session(&world).await);
    let of_full = format!("where project_id = '{}'", full.project.project);
    let fill = format!("update branches set uncommitted_bytes = 256 * 1024 * 1024 - 10 {of_full}");
    assert_eq!(world.sql(&fill).await, 1);
    let uploads =
        [&full, &fine].map(|session| world.finished(session, &attachment(session.project.project.into())));
    let attached = at_once(&world, &uploads).await;
    assert!(attached[0].is_none() && attached[1].is_some());
    let refused = world.store.attach(&[&uploads[0]], now()).await.unwrap_err();
    assert_eq!(refused.code, Code::BranchConflict);
}

#[tokio::test]
async fn a_file_that_comes_through_two_sessions_at_once_is_stored_once_in_each_project() {
    let world = World::new().await;
    let (one, other) = (session(&world).await, session(&world).await);
    let beside = world.session(&one.project).await;
    let first = attachment(one.project.project.into());
    let same = |session: &Upload| {
        world.finished(session, &attachment_of(session.project.project.into(), first.files[0].sha256))
    };
    let uploads = [world.finished(&one, &first), same(&other), same(&beside)];
    let attached = at_once(&world, &uploads).await;
    let unneeded: Vec<_> = attached.into_iter().map(|attached| attached.unwrap().unneeded_blobs).collect();
    assert_eq!(unneeded, [vec![], vec![], vec![uploads[2].attachment.files[0].blob_key.clone()]]);
    assert_eq!(world.database.count("select count(*) from files").await, 2);
}
