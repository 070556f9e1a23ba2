//! Uploads through one session that are attached together.

use domain::Code;
use domain::id::ObjectId;
use uuid::Uuid;

use crate::world::{World, attachment, now};

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
