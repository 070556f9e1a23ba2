//! What those who follow a session learn of its uploads.

use testkit::events::EventStream;
use testkit::raw::Connection;
use testkit::upload::Form;
use testkit::workshop::Workshop;

use crate::support::{Begun, content};

const MIB: usize = 1024 * 1024;

async fn follow(shop: &Workshop) -> EventStream {
    EventStream::open(shop.caller.get(&format!("{}/events", shop.session.path()))).await
}

#[tokio::test]
async fn an_upload_in_pieces_tells_how_far_it_is_and_its_objects_name_it() {
    let shop = Workshop::open().await;
    let mut events = follow(&shop).await;
    let file = content(4 * MIB);
    let upload = Begun::of(&shop, "a.bin", file.len()).await;
    let mut piece = upload.begin_piece(0, file.len(), &file[..3 * MIB]).await;
    let told = events.next_of("upload.changed").await.json["data"].clone();
    assert_eq!(
        (told["status"].as_str(), told["sizeBytes"].as_u64()),
        (Some("receiving"), Some(4 * 1024 * 1024))
    );
    assert!((1..=3 * 1024 * 1024).contains(&told["receivedBytes"].as_u64().unwrap()), "{told}");
    piece.send(&file[3 * MIB..]).await;
    assert_eq!(piece.answer().await.status, 204);
    let done = events.next_of("objects.changed").await.json["data"].clone();
    assert_eq!(done["uploadId"], told["uploadId"]);
    assert_eq!(upload.path.rsplit('/').next(), told["uploadId"].as_str());
}

#[tokio::test]
async fn an_upload_in_one_piece_tells_how_far_it_is_and_that_it_has_failed() {
    let shop = Workshop::open().await;
    let mut events = follow(&shop).await;
    let form = Form::new("a.bin");
    let mut connection = Connection::open(&shop.session.grant.url).await;
    connection
        .send(format!(
            "POST {} HTTP/1.1\r\nhost: data.test\r\nauthorization: Bearer {}\r\ncontent-type: {}\r\n\
             content-length: {}\r\n\r\n{}",
            shop.session.upload_path(&shop.model),
            shop.session.grant.credential(),
            form.content_type(),
            form.length(u64::try_from(4 * MIB).unwrap()),
            form.head(),
        ))
        .await;
    connection.send(content(2 * MIB)).await;
    let told = events.next_of("upload.changed").await.json["data"].clone();
    assert_eq!((told["status"].as_str(), told["sizeBytes"].is_null()), (Some("receiving"), true));
    drop(connection);
    loop {
        let told = events.next_of("upload.changed").await.json["data"].clone();
        if told["status"] == "failed" {
            assert_eq!(told["failure"]["code"], "INVALID_REQUEST");
            break;
        }
    }
}

#[tokio::test]
async fn a_small_upload_tells_its_end_alone() {
    let shop = Workshop::open().await;
    let mut events = follow(&shop).await;
    shop.session.upload(&shop.model, "a.txt", "a").await.expect(200);
    Begun::of(&shop, "b.txt", 1).await.append(0, "b").await.expect(204);
    shop.session.close().await.expect(200);
    let kinds: Vec<String> = events.rest().await.into_iter().map(|event| event.kind).collect();
    assert_eq!(kinds, ["session.created", "objects.changed", "objects.changed", "session.closed"]);
}
