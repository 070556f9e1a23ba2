//! Interrupted pieces, and credentials that may continue.

use insta::assert_snapshot;
use testkit::deployment::{Deployment, Options};
use testkit::invariants::partial_files;
use testkit::open_session::{OpenSession, eventually, eventually_async};
use testkit::seed::MANAGE;
use testkit::session::{Session, uploaded};
use testkit::upload::sha256;

use crate::resumable::support::{PieceUpload, content, sweeping, tus, wait_for_uploads, wait_for_writer};

const MIB: usize = 1024 * 1024;

#[tokio::test]
async fn bytes_before_a_broken_connection_count_and_the_upload_continues() {
    let opened = OpenSession::open().await;
    let file = content(3 * MIB);
    let upload = PieceUpload::of(&opened, "a.bin", file.len()).await;
    let connection = upload.begin_piece(0, file.len(), &file[..2 * MIB]).await;
    wait_for_writer(&opened).await;
    drop(connection);
    eventually_async("the received bytes count", async || upload.offset().await == 2 * MIB).await;
    eventually_async("the lease has ended", async || {
        upload.append(2 * MIB, &file[2 * MIB..]).await.status == 204
    })
    .await;
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(&file));
}

#[tokio::test]
async fn of_two_concurrent_pieces_one_is_accepted() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.txt", 6).await;
    let mut first = upload.begin_piece(0, 6, b"abc").await;
    wait_for_writer(&opened).await;
    assert_eq!(upload.append(0, "ABCDEF").await.to_string(), "423 UPLOAD_IN_PROGRESS");
    assert_eq!(tus(upload.caller.delete(&upload.path)).await.to_string(), "423 UPLOAD_IN_PROGRESS");
    first.send("def").await;
    assert_eq!(first.answer().await.status, 204);
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(b"abcdef"));
}

#[tokio::test]
async fn a_silent_client_gives_way_to_a_returning_one() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.txt", 6).await;
    let mut silent = upload.begin_piece(0, 6, b"abc").await;
    wait_for_writer(&opened).await;
    // Wait until the request that will be refused is blocked.
    eventually_async("the silent client is disconnected", async || upload.append(0, "").await.status != 423)
        .await;
    assert_eq!(silent.answer().await.to_string(), "423 UPLOAD_IN_PROGRESS");
    assert_eq!(upload.offset().await, 3);
    upload.append(3, "def").await.expect(204);
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(b"abcdef"));
}

// X4
#[tokio::test]
async fn an_upload_survives_the_death_of_both_planes_within_a_piece() {
    let mut opened = OpenSession::own().await;
    let file = content(80 * MIB);
    let upload = PieceUpload::of(&opened, "a.bin", file.len()).await;
    let mut piece = upload.begin_piece(0, file.len(), &file[..70 * MIB]).await;
    wait_for_uploads(&opened, "offset_bytes > 0", 1).await;
    opened.deployment.data[0].restart();
    opened.deployment.control[0].restart();
    assert!(piece.try_answer().await.is_none());

    let offset = upload.offset().await;
    assert!((64 * MIB..=70 * MIB).contains(&offset), "{offset}");
    eventually_async("the lease of the dead process has ended", async || {
        upload.append(offset, &file[offset..]).await.status == 204
    })
    .await;
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(&file));
    assert_eq!(opened.added().await.len(), 1);
}

#[tokio::test]
async fn an_upload_whose_last_answer_was_lost_is_completed_by_the_next_request() {
    let mut opened = OpenSession::own().await;
    let upload = PieceUpload::of(&opened, "a.txt", 3).await;
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    let mut piece = upload.begin_piece(0, 3, b"abc").await;
    opened.deployment.database.wait_for_blocked(1).await;
    assert_eq!(upload.status().await, "converting");
    opened.deployment.data[0].kill();
    lock.rollback().await.unwrap();
    assert!(piece.try_answer().await.is_none());
    opened.deployment.data[0].restart();
    eventually_async("the upload is done", async || {
        upload.offset().await;
        upload.status().await == "done"
    })
    .await;
    assert_eq!(opened.added().await.len(), 1);
}

#[tokio::test]
async fn any_grant_of_the_session_continues_an_upload_and_others_do_not_find_it() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.txt", 6).await;
    upload.append(0, "abc").await.expect(204);
    let bob = opened.deployment.operator().user("bob").await;
    opened.deployment.operator().add_member(&bob, "--project", &opened.project, "editor").await;
    let of_bob = Session::open(&bob.key(MANAGE).await, &opened.project).await;
    let other = Session::open(&opened.caller, &opened.project).await;
    for session in [of_bob, other] {
        let theirs = PieceUpload { caller: session.grant.clone(), ..upload.clone() };
        let answers = [
            theirs.append(3, "def").await,
            theirs.caller.get(&upload.path).await,
            tus(theirs.caller.delete(&upload.path)).await,
        ];
        assert!(answers.iter().all(|answer| answer.to_string() == "404 NOT_FOUND"));
    }
    let renewed = opened.caller.post(&format!("{}/grant", opened.session.path())).await.expect(200);
    let grant = upload.caller.with(&renewed.text("/dataPlane/token"));
    PieceUpload { caller: grant, ..upload.clone() }.append(3, "def").await.expect(204);
    assert_eq!(upload.status().await, "done");
}

// X27
#[tokio::test]
async fn closing_the_session_aborts_a_piece_and_the_sweep_removes_the_bytes() {
    let opened = sweeping("3").await;
    let upload = PieceUpload::of(&opened, "a.txt", 6).await;
    let mut piece = upload.begin_piece(0, 6, b"abc").await;
    wait_for_writer(&opened).await;
    opened.session.close().await.expect(200);
    assert_snapshot!(piece.answer().await, @"401 UNAUTHENTICATED");
    wait_for_uploads(&opened, "true", 0).await;
    let folder = opened.deployment.blob_folder();
    eventually("the bytes are gone", || partial_files(&folder).is_empty()).await;
}

#[tokio::test]
async fn revoking_the_key_aborts_a_piece() {
    let opened = OpenSession::open().await;
    let key = opened.alice.issue(MANAGE, &[]).await;
    let session = Session::open(&key.caller, &opened.project).await;
    let opened = OpenSession { session, ..opened };
    let upload = PieceUpload::of(&opened, "a.txt", 6).await;
    let mut piece = upload.begin_piece(0, 6, b"abc").await;
    wait_for_writer(&opened).await;
    opened.deployment.operator().revoke(&key).await;
    assert_snapshot!(piece.answer().await, @"401 UNAUTHENTICATED");
}

#[tokio::test]
async fn an_idle_upload_expires_with_its_bytes() {
    let opened = sweeping("3").await;
    let upload = PieceUpload::of(&opened, "a.txt", 6).await;
    upload.append(0, "abc").await.expect(204);
    wait_for_uploads(&opened, "true", 0).await;
    assert_eq!(upload.append(3, "def").await.to_string(), "404 NOT_FOUND");
    let folder = opened.deployment.blob_folder();
    eventually("the bytes are gone", || partial_files(&folder).is_empty()).await;
}

#[tokio::test]
async fn concurrent_uploads_of_a_session_are_limited() {
    let options =
        Options { environment: vec![("uploads_per_session", "2".to_owned())], ..Options::default() };
    let opened = OpenSession::on(Deployment::with(options).await).await;
    let uploads = [PieceUpload::of(&opened, "a.txt", 6).await, PieceUpload::of(&opened, "b.txt", 6).await];
    let mut pieces = Vec::new();
    for upload in &uploads {
        pieces.push(upload.begin_piece(0, 6, b"abc").await);
    }
    wait_for_uploads(&opened, "leased_until > clock_timestamp()", 2).await;
    let refused = opened.session.upload(&opened.model, "c.txt", "c").await;
    assert_snapshot!(refused, @r#"429 RATE_LIMITED {"limit":2,"scope":"session"}"#);
    let other = Session::open(&opened.caller, &opened.project).await;
    other.upload(&opened.model, "d.txt", "d").await.expect(200);
    for piece in &mut pieces {
        piece.send("def").await;
        assert_eq!(piece.answer().await.status, 204);
    }
    eventually_async("there is room again", async || {
        opened.session.upload(&opened.model, "c.txt", "c").await.status == 200
    })
    .await;
}
