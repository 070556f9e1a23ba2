//! Uploads through one session that are attached at the same time.

use domain::Code;
use domain::id::ObjectId;
use domain::upload::Attachment;
use futures_util::future::join_all;
use uuid::Uuid;

use crate::world::{Upload, World, attachment, now};

async fn attach_all(world: &World, session: &Upload, changes: &[Attachment]) -> Vec<Option<Code>> {
    let uploads: Vec<_> = changes.iter().map(|change| world.finished(session, change)).collect();
    let attached = join_all(uploads.iter().map(|upload| world.store.attach(upload, now()))).await;
    attached.into_iter().map(|done| done.err().map(|error| error.code)).collect()
}

#[tokio::test]
async fn those_that_wait_share_a_transaction() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let changes: Vec<_> = (0..12).map(|_| attachment(project.project.into())).collect();
    assert_eq!(attach_all(&world, &session, &changes).await, [None; 12]);
    assert_eq!(world.tree(&project).await.unwrap().object_count, 15);
    // The first has nobody to share with: the others come while it is being attached.
    let transactions = "select count(distinct xmin::text) from applied_uploads";
    assert_eq!(world.database.count(transactions).await, 2);
}

#[tokio::test]
async fn one_that_fails_takes_no_other_with_it() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let mut changes: Vec<_> = (0..6).map(|_| attachment(project.project.into())).collect();
    changes[3] = attachment(ObjectId(Uuid::new_v4()));
    let expected = [None, None, None, Some(Code::NotFound), None, None];
    assert_eq!(attach_all(&world, &session, &changes).await, expected);
    assert_eq!(world.tree(&project).await.unwrap().object_count, 8);
}

#[tokio::test]
async fn one_whose_request_is_given_up_while_it_leads_keeps_nobody_waiting() {
    let world = World::new().await;
    let project = world.project().await;
    let session = world.session(&project).await;
    let changes: Vec<_> = (0..4).map(|_| attachment(project.project.into())).collect();
    let mut blocker = world.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    let given_up = world.finished(&session, &changes[0]);
    let mut leads = Box::pin(world.store.attach(&given_up, now()));
    tokio::select! {
        biased;
        _ = &mut leads => {}
        () = world.database.wait_for_blocked(1) => {}
    }
    let rest = async { attach_all(&world, &session, &changes[1..]).await };
    let release = async {
        tokio::task::yield_now().await;
        drop(leads);
        lock.rollback().await.unwrap();
    };
    let (done, ()) = tokio::join!(rest, release);
    assert_eq!(done, [None; 3]);
}
