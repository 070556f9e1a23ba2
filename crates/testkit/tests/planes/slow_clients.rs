//! Deliberately slow clients, and others beside them.

use std::time::{Duration, Instant};

use testkit::open_session::OpenSession;
use testkit::raw::Connection;
use testkit::upload::Form;

/// Silent connections; the same number stop within the head of a request.
const SILENT: usize = 85;
/// Uploads whose bodies trickle.
const TRICKLING: usize = 30;
/// Longest time for a head, and tolerance for a busy machine.
const HEAD: Duration = Duration::from_secs(10 + 5);
/// Longest time of a small upload beside them.
const BESIDE: Duration = Duration::from_secs(2);

// X26
#[tokio::test]
async fn two_hundred_slow_clients_delay_no_others_and_those_without_a_head_are_disconnected() {
    let opened = OpenSession::open().await;
    let began = Instant::now();
    let mut silent = Vec::new();
    for beginning in ["", "POST /api/v1/file/upload/ HTTP/1.1\r\nHost:"].repeat(SILENT) {
        let mut connection = Connection::open(&opened.session.grant.url).await;
        connection.send(beginning).await;
        silent.push(connection);
    }
    let mut trickling = Vec::new();
    for number in 0..TRICKLING {
        trickling.push(trickle(&opened, &format!("{number}.bin")).await);
    }
    for number in 0..20 {
        let started = Instant::now();
        opened.session.upload(&opened.model, &format!("{number}.txt"), "swift").await.expect(200);
        for connection in &mut trickling {
            connection.send("x").await;
        }
        assert!(started.elapsed() < BESIDE, "{:?}", started.elapsed());
    }
    for connection in &mut silent {
        assert!(connection.is_closed_within(HEAD.saturating_sub(began.elapsed())).await);
    }
    assert_eq!(opened.added().await.len(), 20);
}

/// An upload of 1 MiB of which the head and the first byte were sent.
async fn trickle(opened: &OpenSession, name: &str) -> Connection {
    let form = Form::new(name);
    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection
        .send(format!(
            "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n\
             content-length: {}\r\n\r\n{}x",
            opened.session.upload_path(&opened.model),
            opened.session.grant.credential(),
            form.content_type(),
            form.length(1024 * 1024),
            form.head(),
        ))
        .await;
    connection
}
