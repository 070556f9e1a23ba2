//! Attachments whose transfer is disturbed: what was answered is there, and everything else is as if it had not begun.

use insta::assert_snapshot;
use testkit::caller::{Base, Caller};
use testkit::invariants::{staged_files, stored_blobs};
use testkit::open_session::eventually;
use testkit::raw::Connection;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::upload::Form;

use crate::cards::support::{Card, Project};

/// More than the service buffers before it writes.
const HALF_BYTES: usize = 3 * 1024 * 1024;

/// A file on its way to a card, of which the first bytes have arrived.
struct Attaching {
    connection: Connection,
    form: Form,
}

impl Attaching {
    async fn begin(project: &Project, grant: &Caller, card: &Card) -> Self {
        let form = Form::new("late.bin");
        let mut connection = Connection::open(&grant.url).await;
        let length = form.length(2 * u64::try_from(HALF_BYTES).unwrap());
        let head = format!(
            "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n\
             content-length: {length}\r\n\r\n",
            project.attached(card),
            grant.credential(),
            form.content_type(),
        );
        connection.send(head).await;
        connection.send(form.head()).await;
        connection.send(vec![1; HALF_BYTES]).await;
        let folder = project.deployment.blob_folder();
        // With bytes on disk, the request has passed all of its checks.
        eventually("bytes are on disk", || !staged_files(&folder).is_empty()).await;
        Self { connection, form }
    }

    async fn complete(&mut self) {
        self.connection.send(vec![2; HALF_BYTES]).await;
        self.connection.send(self.form.tail()).await;
    }
}

impl Project {
    async fn assert_nothing_is_attached(&self) {
        let folder = self.deployment.blob_folder();
        eventually("what was written is removed", || staged_files(&folder).is_empty()).await;
        assert!(stored_blobs(&folder).is_empty());
        assert_eq!((self.rows("files").await, self.rows("card_attachments").await), (0, 0));
    }
}

// X27
#[tokio::test]
async fn revoking_the_key_cuts_a_transfer_off() {
    let project = Project::own().await;
    let card = project.card("x").await;
    let key = project.alice.issue(MANAGE_WITH_CARDS, &[]).await;
    let grant = project.granted(&key.caller).await;
    let mut attaching = Attaching::begin(&project, &grant, &card).await;
    project.deployment.operator().revoke(&key).await;
    assert_snapshot!(attaching.connection.answer().await, @"401 UNAUTHENTICATED");
    project.assert_nothing_is_attached().await;
}

// X28
#[tokio::test]
async fn losing_the_role_or_the_card_during_a_transfer_refuses_it() {
    let project = Project::own().await;
    let (user, caller) = project.member("bob", "editor").await;
    let grant = project.granted(&caller).await;
    let operator = project.deployment.operator();
    let card = project.card("x").await;
    let mut attaching = Attaching::begin(&project, &grant, &card).await;
    operator.add_member(&user, "--project", &project.id, "viewer").await;
    attaching.complete().await;
    assert_snapshot!(attaching.connection.answer().await, @"403 FORBIDDEN");
    project.assert_nothing_is_attached().await;

    let own = project.granted(&project.caller).await;
    let mut attaching = Attaching::begin(&project, &own, &card).await;
    project.delete(&card.path()).await.expect(200);
    attaching.complete().await;
    assert_snapshot!(attaching.connection.answer().await, @"404 NOT_FOUND");
    project.assert_nothing_is_attached().await;
}

// X4
#[tokio::test]
async fn a_data_process_killed_during_a_transfer_leaves_nothing_and_what_was_answered_stays() {
    let mut project = Project::own().await;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let attached = project.attach(&grant, &card, "first.txt", "first").await.expect(200);
    let mut attaching = Attaching::begin(&project, &grant, &card).await;
    project.deployment.data[0].kill();
    assert!(attaching.connection.try_answer().await.is_none(), "a killed process answered");

    project.deployment.data[0].restart();
    let folder = project.deployment.blob_folder();
    eventually("what the dead process left is gone", || staged_files(&folder).is_empty()).await;
    assert_eq!(project.attachments(&card).await, ["first.txt 5"]);
    let read = project.download(&grant, &card, &attached.text("/attachment/id")).await.expect(200);
    assert_eq!(read.body, "first");
    project.attach(&grant, &card, "late.bin", "again").await.expect(200);
    assert_eq!(project.attachments(&card).await, ["first.txt 5", "late.bin 5"]);
}

// X5
#[tokio::test]
async fn a_data_process_killed_before_its_commit_attaches_nothing_and_a_repeat_does() {
    let mut project = Project::own().await;
    // The blob of the lost transaction is the sweep's.
    project.deployment.leaves_blobs = true;
    let card = project.card("x").await;
    let grant = project.granted(&project.caller).await;
    let mut blocker = project.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table card_attachments in share mode").await.unwrap();
    let lost = tokio::spawn(project.attach(&grant, &card, "a.txt", "a").idempotency_key("k").try_send());
    project.deployment.database.wait_for_blocked(1).await;
    project.deployment.data[0].kill();
    assert!(lost.await.unwrap().is_err(), "a killed process answered");
    lock.rollback().await.unwrap();
    project.deployment.database.wait_for_quiet().await;
    assert_eq!((project.rows("files").await, project.rows("card_attachments").await), (0, 0));

    project.deployment.data[0].restart();
    let attach = async || project.attach(&grant, &card, "a.txt", "a").idempotency_key("k").await.expect(200);
    assert!(!attach().await.is_replay());
    assert!(attach().await.is_replay());
    assert_eq!(project.attachments(&card).await, ["a.txt 1"]);
}
