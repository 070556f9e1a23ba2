//! The protocol, request by request.

use std::collections::HashSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use insta::assert_snapshot;
use reqwest::Method;
use sha2::{Digest, Sha256};
use testkit::answer::Answer;
use testkit::caller::Request;
use testkit::invariants::{partial_files, stored_blobs};
use testkit::open_session::OpenSession;
use testkit::seed::ABSENT_ID;
use testkit::session::{Session, file_name, uploaded};
use testkit::upload::sha256;

use crate::resumable::support::{PieceUpload, content, create, metadata, path_of, tus};

fn state_headers(answer: &Answer) -> String {
    let header = |name| answer.header(name).to_owned();
    format!("{} at {} of {}", answer.status, header("upload-offset"), header("upload-length"))
}

#[tokio::test]
async fn anybody_may_read_the_capabilities_of_resumable_uploads() {
    let opened = OpenSession::open().await;
    let data = opened.deployment.anonymous_at_data();
    let said = async |path: &str| {
        let answer = data.request(Method::OPTIONS, path).await.expect(204);
        ["tus-version", "tus-extension", "tus-checksum-algorithm", "tus-max-size"]
            .map(|name| answer.header(name).to_owned())
            .join("\n")
    };
    let of_all = said(&opened.session.resumable_path(&opened.model)).await;
    assert_snapshot!(of_all, @"
    1.0.0
    creation,creation-defer-length,creation-with-upload,checksum,concatenation,expiration,termination
    sha1,sha256
    2147483648
    ");
    assert_eq!(said(&format!("/api/v1/file/resumable/x/{}", opened.model)).await, of_all);
}

#[tokio::test]
async fn pages_of_other_origins_get_no_cors_headers() {
    let opened = OpenSession::open().await;
    let asked = |request: Request| {
        request.header("origin", "https://other.test").header("access-control-request-method", "PATCH")
    };
    let data = opened
        .deployment
        .anonymous_at_data()
        .request(Method::OPTIONS, &opened.session.resumable_path(&opened.model));
    let control = opened.caller.get("/api/v2/me");
    for (request, status) in [(data, 204), (control, 200)] {
        let answer = asked(request).await.expect(status);
        assert_eq!(answer.header("access-control-allow-origin"), "");
    }
}

#[tokio::test]
async fn a_file_in_three_pieces_becomes_the_same_upload_as_in_one() {
    let opened = OpenSession::own().await;
    let file = content(3_000_000);
    let upload = PieceUpload::of(&opened, "gear.STEP", file.len()).await;
    let head = tus(upload.caller.head(&upload.path)).await.expect(200);
    assert_eq!(state_headers(&head), "200 at 0 of 3000000");
    assert_eq!(head.header("upload-metadata"), metadata("gear.STEP"));
    assert_eq!((head.header("cache-control"), head.header("tus-resumable")), ("no-store", "1.0.0"));
    assert!(head.header("upload-expires").ends_with(" GMT"));

    for (from, to) in [(0, 1), (1, 2_000_000), (2_000_000, 3_000_000)] {
        assert!(opened.added().await.is_empty());
        let answer = upload.append(from, &file[from..to]).await.expect(204);
        assert_eq!(answer.header("upload-offset"), to.to_string());
        assert_eq!(upload.offset().await, to);
        let head = tus(upload.caller.head(&upload.path)).await.expect(200);
        assert_eq!(head.header("upload-crc64nvme"), format!("{:016x}", crc_fast::crc64_nvme(&file[..to])));
    }
    let done = upload.caller.get(&upload.path).await.expect(200);
    assert_eq!(done.header("upload-crc64nvme"), format!("{:016x}", crc_fast::crc64_nvme(&file)));
    let shown = done.to_string().replace(&sha256(&file), "<sha256>");
    assert_snapshot!(shown, @r#"
    200 {
      "object": {
        "<id 1>": {
          "conversion": {"code":"NOT_STEP","message":"the file does not begin as ISO 10303-21 says","status":"failed"},
          "extension": ".step",
          "fileName": "gear.STEP",
          "id": "<id 1>",
          "kind": "reference",
          "mimeType": "application/step",
          "name": "gear.STEP",
          "parent": "<id 2>",
          "sha256": "<sha256>",
          "size": 3000000,
          "type": "File"
        }
      },
      "upload": {
        "createdAt": "<time>",
        "expiresAt": "<time>",
        "id": "<id 3>",
        "name": "gear.STEP",
        "parentId": "<id 2>",
        "receivedBytes": 3000000,
        "sessionId": "<id 4>",
        "sizeBytes": 3000000,
        "status": "done"
      }
    }
    "#);
    let object = uploaded(&done);
    assert_eq!(opened.added().await, [object["id"].as_str().unwrap()]);
    let path = opened.session.download_path(&file_name(&object));
    assert!(opened.session.grant.get(&path).await.expect(200).body == file);
    assert!(partial_files(&opened.deployment.blob_folder()).is_empty());

    // No more bytes are accepted, and a repeat has no effect.
    upload.append(3_000_000, "").await.expect(204);
    assert_snapshot!(upload.append(0, "x").await, @r#"409 UPLOAD_OFFSET_MISMATCH {"offset":3000000}"#);
    assert_eq!(opened.added().await.len(), 1);
}

#[tokio::test]
async fn a_creation_may_contain_a_part_of_the_file_or_all_of_it_even_if_empty() {
    let opened = OpenSession::open().await;
    let begin = async |length: &str, bytes: &str| {
        let request = create(&opened, &opened.model).header("upload-length", length);
        let answer = request.body("application/offset+octet-stream", bytes.to_owned()).await.expect(201);
        (answer.header("upload-offset").to_owned(), PieceUpload::read(&opened, answer))
    };
    let (offset, part) = begin("5", "so").await;
    assert_eq!((offset.as_str(), part.status().await.as_str()), ("2", "receiving"));
    part.append(2, "lid").await.expect(204);
    let (offset, whole) = begin("5", "whole").await;
    assert_eq!((offset.as_str(), whole.status().await.as_str()), ("5", "done"));
    let empty = PieceUpload::of(&opened, "empty.txt", 0).await;
    assert_eq!(empty.status().await, "done");
    assert_eq!(uploaded(&part.caller.get(&part.path).await)["sha256"], sha256(b"solid"));
    assert_eq!(uploaded(&empty.caller.get(&empty.path).await)["sha256"], sha256(b""));
    assert_eq!(opened.added().await.len(), 3);
}

#[tokio::test]
async fn an_invalid_creation_is_refused_with_its_reason() {
    let opened = OpenSession::own().await;
    let at = || create(&opened, &opened.model);
    let sized = || at().header("upload-length", "3");
    let path = opened.session.resumable_path(&opened.model);
    let refusals = [
        opened.session.grant.post(&path).header("upload-length", "3").await,
        opened.session.grant.post(&path).header("tus-resumable", "0.2.2").header("upload-length", "3").await,
        at().await,
        at().header("upload-length", "-1").await,
        at().header("upload-defer-length", "2").await,
        sized().header("upload-defer-length", "1").await,
        at().header("upload-length", "2147483649").await,
        sized().header("upload-metadata", "filename !").await,
        sized().header("upload-metadata", "filename /w==").await,
        sized().header("upload-metadata", &metadata(&"x".repeat(4000))).await,
        sized().body("text/plain", "abc").await,
        sized().body("application/offset+octet-stream", "more").await,
        create(&opened, ABSENT_ID).header("upload-length", "3").await,
    ];
    let shown: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    412 PRECONDITION_FAILED
    412 PRECONDITION_FAILED
    400 INVALID_REQUEST header.Upload-Length type
    400 INVALID_REQUEST header.Upload-Length type
    400 INVALID_REQUEST header.Upload-Defer-Length enum
    400 INVALID_REQUEST header.Upload-Defer-Length conflict
    413 PAYLOAD_TOO_LARGE {"limitBytes":2147483648}
    400 INVALID_REQUEST header.Upload-Metadata format
    400 INVALID_REQUEST header.Upload-Metadata format
    400 INVALID_REQUEST header.Upload-Metadata maxBytes
    400 INVALID_REQUEST body unknown
    413 PAYLOAD_TOO_LARGE {"limitBytes":3}
    404 NOT_FOUND
    "#);
    assert!(refusals.iter().all(|answer| answer.header("tus-resumable") == "1.0.0"));
    assert_eq!((refusals[1].header("tus-version"), refusals[2].header("tus-version")), ("1.0.0", ""));
    assert!(partial_files(&opened.deployment.blob_folder()).values().all(|size| *size == 0));
}

#[tokio::test]
async fn a_piece_at_a_wrong_offset_or_size_is_refused_and_changes_nothing() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.txt", 10).await;
    upload.append(0, "abc").await.expect(204);
    let bare = || tus(upload.caller.patch(&upload.path));
    let stream = |bytes: &'static str| {
        let chunk = futures_util::stream::iter([Ok::<_, std::io::Error>(bytes)]);
        bare()
            .header("upload-offset", "3")
            .body("application/offset+octet-stream", reqwest::Body::wrap_stream(chunk))
    };
    let refusals = [
        upload.append(0, "abc").await,
        upload.append(5, "abc").await,
        bare().header("upload-offset", "3").body("text/plain", "d").await,
        bare().body("application/offset+octet-stream", "d").await,
        upload.append(3, "defghijk").await,
        stream("defghijk").await,
        upload.append(3, "d").header("upload-checksum", "md5 AAAA").await,
        upload
            .caller
            .patch(&upload.path)
            .header("upload-offset", "3")
            .body("application/offset+octet-stream", "d")
            .await,
        tus(upload.caller.post(&upload.path)).await,
    ];
    let shown: Vec<String> = refusals.iter().map(ToString::to_string).collect();
    assert_snapshot!(shown.join("\n"), @r#"
    409 UPLOAD_OFFSET_MISMATCH {"offset":3}
    409 UPLOAD_OFFSET_MISMATCH {"offset":3}
    415 UNSUPPORTED_MEDIA_TYPE
    400 INVALID_REQUEST header.Upload-Offset type
    413 PAYLOAD_TOO_LARGE {"limitBytes":10}
    413 PAYLOAD_TOO_LARGE {"limitBytes":10}
    400 INVALID_REQUEST header.Upload-Checksum format
    412 PRECONDITION_FAILED
    400 INVALID_REQUEST header.X-HTTP-Method-Override enum
    "#);
    assert_eq!(upload.offset().await, 3);
    upload.append(3, "defghij").await.expect(204);
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(b"abcdefghij"));
}

#[tokio::test]
async fn a_piece_with_a_wrong_checksum_is_discarded() {
    let opened = OpenSession::open().await;
    let upload = PieceUpload::of(&opened, "a.txt", 10).await;
    let of_abc = format!("sha256 {}", STANDARD.encode(Sha256::digest(b"abc")));
    let of_rest = "sha1 H4rBDyPFtbwRZ72oS4M+XAV6d9I=";
    upload.append(0, "abc").header("upload-checksum", &of_abc).await.expect(204);
    for checksum in [of_abc.as_str(), of_rest] {
        let refused = upload.append(3, "defghij").header("upload-checksum", checksum).await;
        assert_eq!(refused.to_string(), "460 CHECKSUM_MISMATCH");
        assert_eq!(upload.offset().await, 3);
    }
    let right = format!("sha1 {}", STANDARD.encode(sha1_of_rest()));
    upload.append(3, "defghij").header("upload-checksum", &right).await.expect(204);
    assert_eq!(uploaded(&upload.caller.get(&upload.path).await)["sha256"], sha256(b"abcdefghij"));
}

#[tokio::test]
async fn an_upload_whose_first_bytes_are_refused_is_removed_unless_a_key_names_it() {
    let opened = OpenSession::own().await;
    let of_abc = format!("sha256 {}", STANDARD.encode(Sha256::digest(b"abc")));
    let begin = |bytes: &str| {
        let request =
            create(&opened, &opened.model).header("upload-length", "3").header("upload-checksum", &of_abc);
        request.body("application/offset+octet-stream", bytes.to_owned())
    };
    let known = async || opened.deployment.database.count("select count(*) from resumable_uploads").await;
    assert_snapshot!(begin("abd").await, @"460 CHECKSUM_MISMATCH");
    assert_eq!((known().await, partial_files(&opened.deployment.blob_folder()).len()), (0, 0));

    assert_snapshot!(begin("abd").idempotency_key("k").await, @"460 CHECKSUM_MISMATCH");
    let again = begin("abc").idempotency_key("k").await.expect(201);
    assert_eq!((again.is_replay(), again.header("upload-offset"), known().await), (true, "0", 1));
    PieceUpload::read(&opened, again).append(0, "abc").await.expect(204);
}

/// SHA-1 of `defghij`, computed by another tool.
fn sha1_of_rest() -> Vec<u8> {
    hex::decode("9b215aadebd93e49ee02f35cef5ac6681d951daa").unwrap()
}

#[tokio::test]
async fn a_terminated_upload_is_removed_and_a_completed_one_leaves_its_object() {
    let opened = OpenSession::own().await;
    let upload = PieceUpload::of(&opened, "a.txt", 10).await;
    upload.append(0, "abc").await.expect(204);
    assert_eq!(partial_files(&opened.deployment.blob_folder()).len(), 1);
    tus(upload.caller.delete(&upload.path)).await.expect(204);
    assert!(partial_files(&opened.deployment.blob_folder()).is_empty());
    for answer in [upload.append(3, "d").await, tus(upload.caller.delete(&upload.path)).await] {
        assert_eq!(answer.to_string(), "404 NOT_FOUND");
    }
    let done = PieceUpload::of(&opened, "b.txt", 1).await;
    done.append(0, "b").await.expect(204);
    let delete = tus(done.caller.post(&done.path)).header("x-http-method-override", "DELETE");
    delete.await.expect(204);
    assert_eq!((opened.added().await.len(), stored_blobs(&opened.deployment.blob_folder()).len()), (1, 1));
}

#[tokio::test]
async fn a_repeat_with_the_same_key_finds_the_first_upload() {
    let opened = OpenSession::open().await;
    let begin = async || {
        let request = create(&opened, &opened.model).header("upload-length", "3").idempotency_key("k");
        request.body("application/offset+octet-stream", "ab").await.expect(201)
    };
    let (first, second) = (begin().await, begin().await);
    assert!(!first.is_replay() && second.is_replay());
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(second.header("upload-offset"), "2");
}

#[tokio::test]
async fn the_ietfs_draft_tells_the_last_piece() {
    let opened = OpenSession::open().await;
    let draft = |request: Request, complete: &str| {
        request.header("upload-draft-interop-version", "6").header("upload-complete", complete)
    };
    let begin = || {
        opened
            .session
            .grant
            .post(&opened.session.resumable_path(&opened.model))
            .header("upload-metadata", &metadata("a.txt"))
    };
    // Of unknown length.
    let begun = draft(begin(), "?0").await.expect(201);
    assert_eq!((begun.header("upload-complete"), begun.header("upload-offset")), ("?0", "0"));
    let path = path_of(begun.header("location"), &opened.session.grant.url);
    let piece = |offset: &str, bytes: &'static str, complete: &str| {
        let request = opened.session.grant.patch(&path).header("upload-offset", offset);
        draft(request.body("application/partial-upload", bytes), complete)
    };
    let first = piece("0", "abc", "?0").await.expect(204);
    assert_eq!((first.header("upload-offset"), first.header("upload-complete")), ("3", "?0"));
    assert_eq!(piece("0", "abc", "?0").await.status, 409);
    assert_eq!(piece("3", "abc", "yes").await.status, 400);
    let head = async || {
        opened.session.grant.head(&path).header("upload-draft-interop-version", "6").await.expect(200)
    };
    assert_eq!((head().await.header("upload-complete"), head().await.header("upload-offset")), ("?0", "3"));
    let last = piece("3", "def", "?1").await.expect(204);
    assert_eq!((last.header("upload-offset"), last.header("upload-complete")), ("6", "?1"));
    assert_eq!(head().await.header("upload-complete"), "?1");
    assert_eq!(uploaded(&opened.session.grant.get(&path).await.expect(200))["size"], 6);
    // The whole file at once, and an empty one.
    for (bytes, size) in [("abc", 3), ("", 0)] {
        let request = draft(begin(), "?1");
        let request = if size > 0 { request.body("application/partial-upload", bytes) } else { request };
        let path = path_of(request.await.expect(201).header("location"), &opened.session.grant.url);
        assert_eq!(uploaded(&opened.session.grant.get(&path).await.expect(200))["size"], size);
    }
    // The last piece of a file whose length is known must reach it.
    let begun = draft(begin().header("upload-length", "9"), "?0").await.expect(201);
    let path = path_of(begun.header("location"), &opened.session.grant.url);
    let short = opened.session.grant.patch(&path).header("upload-offset", "0");
    let short = draft(short.body("application/partial-upload", "abc"), "?1").await;
    assert!(short.to_string().starts_with("400 INVALID_REQUEST"), "{short}");
    assert_eq!(begin().header("upload-draft-interop-version", "99").await.status, 412);
}

#[tokio::test]
async fn a_key_is_scoped_to_parent_and_session_and_recreates_a_deleted_upload() {
    let opened = OpenSession::open().await;
    let other = Session::open(&opened.caller, &opened.project).await;
    let begin = async |session: &Session, parent: &str| {
        let request = tus(session.grant.post(&session.resumable_path(parent))).header("upload-length", "3");
        let answer = request.idempotency_key("k").await.expect(201);
        assert_eq!(answer.text("/upload/parentId"), parent);
        answer
    };
    let begun = [
        begin(&opened.session, &opened.model).await,
        begin(&opened.session, &opened.project).await,
        begin(&other, &opened.model).await,
    ];
    let places: HashSet<&str> = begun.iter().map(|answer| answer.header("location")).collect();
    assert!(places.len() == 3 && begun.iter().all(|answer| !answer.is_replay()));
    let first = begun[0].header("location");
    tus(opened.session.grant.delete(&path_of(first, &opened.session.grant.url))).await.expect(204);
    let recreated = begin(&opened.session, &opened.model).await;
    assert!(!recreated.is_replay() && recreated.header("location") != first);
    assert!(begin(&opened.session, &opened.model).await.is_replay());
}

#[tokio::test]
async fn readers_of_the_project_see_the_progress_of_its_uploads() {
    let opened = OpenSession::open().await;
    let (first, second) =
        (PieceUpload::of(&opened, "a.txt", 6).await, PieceUpload::of(&opened, "b.txt", 1).await);
    first.append(0, "abc").await.expect(204);
    second.append(0, "b").await.expect(204);
    let list = async |query: &str| {
        let answer =
            opened.caller.get(&format!("{}/uploads{query}", opened.session.path())).await.expect(200).json();
        let uploads = answer["uploads"].as_array().unwrap().iter();
        let shown = uploads.map(|upload| {
            format!("{} {} {}", upload["name"], upload["status"], upload["receivedBytes"]).replace('"', "")
        });
        (
            shown.collect::<Vec<_>>().join(", "),
            answer["meta"]["nextCursor"].as_str().unwrap_or_default().to_owned(),
        )
    };
    assert_eq!(list("").await.0, "b.txt done 1, a.txt receiving 3");
    let (page, cursor) = list("?limit=1").await;
    assert_eq!(page, "b.txt done 1");
    assert_eq!(list(&format!("?limit=1&cursor={cursor}")).await.0, "a.txt receiving 3");
}
