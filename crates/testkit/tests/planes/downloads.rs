//! Downloads: complete, in ranges, and never executable by a browser.

use insta::assert_snapshot;
use testkit::session::{Session, create_project, file_name, uploaded};

use testkit::workshop::Workshop;

#[tokio::test]
async fn a_download_has_ranges_and_a_validator_and_is_an_attachment() {
    let shop = Workshop::open().await;
    let answer = shop.session.upload(&shop.model, "é.html", "0123456789").await.expect(200);
    let path = shop.session.download_path(&file_name(&uploaded(&answer)));
    let grant = &shop.session.grant;

    let whole = grant.get(&path).await.expect(200);
    assert_eq!(whole.body, "0123456789");
    let headers =
        ["content-type", "content-length", "accept-ranges", "content-disposition", "x-content-type-options"];
    let shown: Vec<_> = headers.iter().map(|name| format!("{name}: {}", whole.header(name))).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    content-type: text/html
    content-length: 10
    accept-ranges: bytes
    content-disposition: attachment; filename="_.html"; filename*=UTF-8''%C3%A9.html
    x-content-type-options: nosniff
    "#);
    let etag = whole.header("etag");
    assert!(etag.starts_with('"'), "not a strong validator: {etag}");

    let head = grant.head(&path).await.expect(200);
    assert_eq!((head.header("content-length"), head.header("etag"), head.body.len()), ("10", etag, 0));
    let known = grant.get(&path).header("if-none-match", etag).await;
    assert_eq!((known.status, known.body.len()), (304, 0));

    for (range, content_range, bytes) in [
        ("bytes=0-3", "bytes 0-3/10", "0123"),
        ("bytes=4-", "bytes 4-9/10", "456789"),
        ("bytes=-2", "bytes 8-9/10", "89"),
        ("bytes=8-100", "bytes 8-9/10", "89"),
    ] {
        let part = grant.get(&path).header("range", range).await.expect(206);
        assert_eq!(
            (part.header("content-range"), &part.body[..]),
            (content_range, bytes.as_bytes()),
            "{range}"
        );
    }
    let same = grant.get(&path).header("range", "bytes=0-3").header("if-range", etag).await;
    assert_eq!(same.expect(206).body, "0123");
    let other = grant.get(&path).header("range", "bytes=0-3").header("if-range", "\"other\"").await;
    assert_eq!(other.expect(200).body, "0123456789");
    let beyond = grant.get(&path).header("range", "bytes=10-").await;
    assert_snapshot!(beyond, @r#"416 RANGE_NOT_SATISFIABLE {"sizeBytes":10}"#);
    assert_eq!(beyond.header("content-range"), "bytes */10");
}

#[tokio::test]
async fn an_empty_file_is_downloaded_empty() {
    let shop = Workshop::open().await;
    let answer = shop.session.upload(&shop.model, "empty", "").await.expect(200);
    let object = uploaded(&answer);
    assert_eq!((object["size"].as_u64(), object["extension"].as_str()), (Some(0), Some("")));
    let file = shop.session.grant.get(&shop.session.download_path(&file_name(&object))).await.expect(200);
    assert_eq!((file.header("content-length"), file.body.len()), ("0", 0));
}

#[tokio::test]
async fn a_file_has_one_name_in_one_project() {
    let shop = Workshop::open().await;
    let answer = shop.session.upload(&shop.model, "gear.step", "solid").await.expect(200);
    let object = uploaded(&answer);
    let id = object["id"].as_str().unwrap();
    let get = async |session: &Session, name: &str| {
        session.grant.get(&session.download_path(name)).await.to_string()
    };
    for name in [
        id,
        &format!("{id}.stp"),
        &format!("{id}.STEP"),
        &id.to_uppercase(),
        "x",
        &format!("{}.step", shop.model),
    ] {
        assert_eq!(get(&shop.session, name).await, "404 NOT_FOUND");
    }
    let other = create_project(&shop.caller, "Other").await;
    let of_other = Session::open(&shop.caller, &other).await;
    assert_snapshot!(get(&of_other, &format!("{id}.step")).await, @"404 NOT_FOUND");
    let with_wrong_path = Session { project: other, ..shop.session.clone() };
    assert_snapshot!(get(&with_wrong_path, &format!("{id}.step")).await, @"404 NOT_FOUND");
}
