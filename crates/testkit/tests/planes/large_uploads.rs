//! The largest file, and one byte more. Apart from the other tests, because they need the disk.

use std::time::{Duration, Instant};

use insta::assert_snapshot;
use testkit::invariants::{staged_files, stored_blobs};
use testkit::raw::Connection;
use testkit::session::uploaded;
use testkit::upload::{Form, sha256_of_zeros};

use testkit::open_session::{OpenSession, eventually};

const LIMIT: u64 = 2 * 1024 * 1024 * 1024;
const CHUNK: usize = 1024 * 1024;
/// Allowed growth of the data plane's memory.
const GROWTH: u64 = 64 * 1024 * 1024;

// X22
#[tokio::test]
async fn two_gib_are_uploaded_in_constant_memory_with_and_without_a_declared_length() {
    let opened = OpenSession::own().await;
    opened.session.upload(&opened.model, "small.bin", "small").await.expect(200);
    let data = opened.deployment.data[0].process();
    let before = data.peak_memory_bytes();
    let form = Form::new("big.bin");
    let upload = |declared: bool| {
        let mut request = opened.session.grant.post(&opened.session.upload_path(&opened.model));
        if declared {
            request = request.header("content-length", &form.length(LIMIT).to_string());
        }
        request.body(&form.content_type(), form.zeros(LIMIT)).into_future()
    };
    let hash = sha256_of_zeros(LIMIT);
    for answer in [upload(true).await, upload(false).await] {
        let object = uploaded(&answer.expect(200));
        assert_eq!(object["size"], LIMIT);
        assert_eq!(object["sha256"], hash);
    }
    let growth = data.peak_memory_bytes() - before;
    assert!(growth < GROWTH, "memory grew by {} MiB", growth / 1024 / 1024);
    assert_eq!(opened.added().await.len(), 3);
}

// X22
#[tokio::test]
async fn one_byte_more_than_two_gib_is_refused_at_once_if_declared_or_on_arrival() {
    let opened = OpenSession::own().await;
    let data = opened.deployment.data[0].process();
    let before = data.peak_memory_bytes();
    let form = Form::new("big.bin");

    let mut connection = Connection::open(&opened.session.grant.url).await;
    let far_beyond = form.length(LIMIT) + 1024 * 1024;
    connection.send(head(&opened, &form, &format!("content-length: {far_beyond}"))).await;
    let started = Instant::now();
    assert_snapshot!(connection.answer().await, @r#"413 PAYLOAD_TOO_LARGE {"limitBytes":2147483648}"#);
    assert!(started.elapsed() < Duration::from_secs(1));

    let mut connection = Connection::open(&opened.session.grant.url).await;
    connection.send(head(&opened, &form, "transfer-encoding: chunked")).await;
    send_chunk(&mut connection, form.head().as_bytes()).await;
    let mut left = LIMIT + 1;
    while left > 0 {
        let now = usize::try_from(left).unwrap().min(CHUNK);
        if !send_chunk(&mut connection, &vec![0; now]).await {
            break;
        }
        left -= u64::try_from(now).unwrap();
    }
    send_chunk(&mut connection, form.tail().as_bytes()).await;
    connection.send("0\r\n\r\n").await;
    assert_snapshot!(connection.answer().await, @r#"413 PAYLOAD_TOO_LARGE {"limitBytes":2147483648}"#);

    let growth = data.peak_memory_bytes() - before;
    assert!(growth < GROWTH, "memory grew by {} MiB", growth / 1024 / 1024);
    assert!(stored_blobs(&opened.deployment.blob_folder()).is_empty());
    // The written part is removed after its last write.
    let folder = opened.deployment.blob_folder();
    eventually("the written part is removed", || staged_files(&folder).is_empty()).await;
    assert!(opened.added().await.is_empty());
}

fn head(opened: &OpenSession, form: &Form, framing: &str) -> String {
    format!(
        "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n{framing}\r\n\r\n",
        opened.session.upload_path(&opened.model),
        opened.session.grant.credential(),
        form.content_type(),
    )
}

async fn send_chunk(connection: &mut Connection, bytes: &[u8]) -> bool {
    let head = format!("{:x}\r\n", bytes.len());
    connection.send(head).await && connection.send(bytes).await && connection.send("\r\n").await
}
