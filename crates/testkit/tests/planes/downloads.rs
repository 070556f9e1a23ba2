//! Downloads: complete, in ranges, and never executable by a browser.

use insta::assert_snapshot;
use serde_json::json;
use testkit::answer::Answer;
use testkit::open_session::OpenSession;
use testkit::session::{Session, create_project, file_name, objects, uploaded};
use testkit::upload::{ASSEMBLY, Form, form_of};

#[tokio::test]
async fn a_download_has_ranges_and_a_validator_and_is_an_attachment() {
    let opened = OpenSession::open().await;
    let answer = opened.session.upload(&opened.model, "é.html", "0123456789").await.expect(200);
    let path = opened.session.download_path(&file_name(&uploaded(&answer)));
    let grant = &opened.session.grant;

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
async fn reads_are_of_the_state_that_the_client_expects() {
    let opened = OpenSession::open().await;
    let answer = opened.session.upload(&opened.model, "a.txt", "0123456789").await.expect(200);
    let path = opened.session.download_path(&file_name(&uploaded(&answer)));
    let whole = opened.session.grant.get(&path).await.expect(200);
    let (etag, modified) = (whole.header("etag").to_owned(), whole.header("last-modified").to_owned());
    assert!(modified.ends_with(" GMT") && !modified.contains("1970"), "{modified}");
    let (past, future) = ("Sat, 01 Jan 2000 00:00:00 GMT", "Fri, 01 Jan 2100 00:00:00 GMT");
    for (headers, status) in [
        (&[("if-match", etag.as_str())][..], 206),
        (&[("if-match", "*")], 206),
        (&[("if-match", "\"other\", \"another\"")], 412),
        (&[("if-match", "")], 400),
        // Before ranges, also those beyond the end, and before what the client has.
        (&[("if-match", "\"other\""), ("range", "bytes=99-")], 412),
        (&[("if-match", "\"other\""), ("if-none-match", &etag)], 412),
        (&[("if-unmodified-since", &modified)], 206),
        (&[("if-unmodified-since", future)], 206),
        (&[("if-unmodified-since", past)], 412),
        (&[("if-unmodified-since", "yesterday")], 206),
        // The tag goes before the time.
        (&[("if-unmodified-since", past), ("if-match", &etag)], 206),
        (&[("if-modified-since", &modified)], 304),
        (&[("if-modified-since", past)], 206),
        (&[("if-modified-since", &modified), ("if-none-match", "\"other\"")], 206),
    ] {
        for head in [false, true] {
            if head && status >= 400 {
                continue;
            }
            let grant = &opened.session.grant;
            let request = if head { grant.head(&path) } else { grant.get(&path) };
            let request = headers.iter().fold(request, |request, (name, value)| request.header(name, value));
            let has_range = headers.iter().any(|(name, _)| *name == "range");
            let answer = if has_range { request.await } else { request.header("range", "bytes=0-3").await };
            let expected = if head && status == 206 { 200 } else { status };
            assert_eq!(answer.status, expected, "{headers:?} {head}");
        }
    }
    // Everything else that has a tag.
    let project = format!("/api/v2/projects/{}", opened.project);
    for path in [project.clone(), format!("{project}/tree"), "/api/v2/openapi.json".to_owned()] {
        let tag = opened.caller.get(&path).await.expect(200).header("etag").to_owned();
        assert!(!tag.is_empty(), "{path}");
        let read = async |expected: &str| opened.caller.get(&path).header("if-match", expected).await;
        read(&tag).await.expect(200);
        assert_eq!(read("\"other\"").await.status, 412, "{path}");
    }
    let refused = opened.caller.get(&project).header("if-match", "\"other\"").await;
    assert!(refused.to_string().starts_with("412 PRECONDITION_FAILED {\"etag\":"), "{refused}");
}

#[tokio::test]
async fn a_file_is_saved_under_the_name_of_its_upload_however_its_object_is_called() {
    let opened = OpenSession::open().await;
    // Made of a file's content, whose product is called `Gearbox`.
    let design = &objects(&opened.session.upload(&opened.model, "SCDR.stp", ASSEMBLY).await.expect(200))[0];
    assert_eq!((&design["name"], &design["fileName"]), (&json!("Gearbox"), &json!("SCDR.stp")));
    let path = opened.session.download_path(&file_name(design));
    let answer = opened.session.grant.get(&path).await.expect(200);
    assert_eq!(
        answer.header("content-disposition"),
        "attachment; filename=\"SCDR.stp\"; filename*=UTF-8''SCDR.stp"
    );

    let object = uploaded(&opened.session.upload(&opened.model, "gear.TXT", "20 teeth").await.expect(200));
    let id = object["id"].as_str().unwrap();
    for name in ["Gear", "GEAR.TXT", "gear.txt.old"] {
        let path = format!("/api/v2/projects/{}/objects/{id}", opened.project);
        opened.caller.patch(&path).json(json!({ "name": name })).await.expect(200);
        let path = opened.session.download_path(&file_name(&object));
        let answer = opened.session.grant.get(&path).await.expect(200);
        let expected = "attachment; filename=\"gear.TXT\"; filename*=UTF-8''gear.TXT";
        assert_eq!(answer.header("content-disposition"), expected);
    }
    // A new version brings its own name; the object keeps its own.
    let replaced = uploaded(&opened.session.replace(id, "gear v2.txt", "21 teeth").await.expect(200));
    assert_eq!((&replaced["name"], &replaced["fileName"]), (&json!("gear.txt.old"), &json!("gear v2.txt")));
    let tree =
        opened.caller.get(&format!("/api/v2/projects/{}/tree", opened.project)).await.expect(200).json();
    let names: Vec<&str> =
        tree["tree"].as_array().unwrap().iter().filter_map(|node| node["file"]["name"].as_str()).collect();
    assert_eq!(names, ["SCDR.stp", "gear v2.txt"]);
}

#[tokio::test]
async fn a_reader_learns_which_files_a_project_has_before_sending_them() {
    let opened = OpenSession::open().await;
    let one = uploaded(&opened.session.upload(&opened.model, "one.txt", "1").await.expect(200));
    let known = one["sha256"].as_str().unwrap();
    let strange = "ab".repeat(32);
    let ask = |project: &str, hashes: serde_json::Value| {
        let path = format!("/api/v2/projects/{project}/files/lookup");
        opened.caller.post(&path).json(json!({ "hashes": hashes }))
    };
    let found = ask(&opened.project, json!([strange, known, known])).await.expect(200).json();
    let file = json!({ "sha256": known, "size": 1 });
    assert_eq!(found, json!({ "files": [file, file] }));
    let other = create_project(&opened.caller, "Other").await;
    assert_eq!(ask(&other, json!([known])).await.expect(200).json(), json!({ "files": [] }));
    assert_snapshot!(ask(&opened.project, json!([])).await, @"400 INVALID_REQUEST body.hashes minItems");
    assert_snapshot!(ask(&opened.project, json!(["xyz"])).await, @"400 INVALID_REQUEST body.hashes[0] pattern");
    let upper = ask(&opened.project, json!([known, known.to_uppercase()])).await;
    assert_snapshot!(upper, @"400 INVALID_REQUEST body.hashes[1] pattern");
    let many = vec![known; 10_001];
    assert_snapshot!(ask(&opened.project, json!(many)).await, @"400 INVALID_REQUEST body.hashes maxItems");
}

#[tokio::test]
async fn an_empty_file_is_downloaded_empty() {
    let opened = OpenSession::open().await;
    let answer = opened.session.upload(&opened.model, "empty", "").await.expect(200);
    let object = uploaded(&answer);
    assert_eq!((object["size"].as_u64(), object["extension"].as_str()), (Some(0), Some("")));
    let file = opened.session.grant.get(&opened.session.download_path(&file_name(&object))).await.expect(200);
    assert_eq!((file.header("content-length"), file.body.len()), ("0", 0));
}

#[tokio::test]
async fn a_file_has_one_name_in_one_project() {
    let opened = OpenSession::open().await;
    let answer = opened.session.upload(&opened.model, "gear.step", "solid").await.expect(200);
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
        &format!("{}.step", opened.model),
    ] {
        assert_eq!(get(&opened.session, name).await, "404 NOT_FOUND");
    }
    let other = create_project(&opened.caller, "Other").await;
    let of_other = Session::open(&opened.caller, &other).await;
    assert_snapshot!(get(&of_other, &format!("{id}.step")).await, @"404 NOT_FOUND");
    let with_wrong_path = Session { project: other, ..opened.session.clone() };
    assert_snapshot!(get(&with_wrong_path, &format!("{id}.step")).await, @"404 NOT_FOUND");
}

/// Fills in the last segment of a URL template of the data plane; returns its path.
fn filled(opened: &OpenSession, template: &str, value: &str) -> String {
    let url = ["{fileName}", "{parentId}", "{objectId}"]
        .iter()
        .fold(template.to_owned(), |url, name| url.replace(name, value));
    url.strip_prefix(&opened.session.grant.url).unwrap().to_owned()
}

#[tokio::test]
async fn a_key_that_only_reads_downloads_without_a_session() {
    let opened = OpenSession::open().await;
    let file = uploaded(&opened.session.upload(&opened.model, "gear.txt", "0123456789").await.expect(200));
    let operator = opened.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &opened.project, "viewer").await;
    let reader = bob.key(&["projects:read"]).await;
    let grants = format!("/api/v2/projects/{}/download-grants", opened.project);
    let minted = reader.post(&grants).await.expect(200);
    assert_snapshot!(minted, @r#"
    200 {
      "branch": "main",
      "dataPlane": {"connectionId":"headless-download","expiresAt":"<time>","token":"<grant>","url":"<url 1>"},
      "derivedUrl": "<url 1>/api/v1/projects/<id 1>--main/objects/{objectId}/derived/{format}",
      "downloadUrl": "<url 1>/api/v1/file/download/<id 2>/<id 3>/<id 1>--main/headless-download/{fileName}",
      "ownerId": "<id 2>",
      "previewUrl": "<url 1>/api/v1/projects/<id 1>--main/objects/{objectId}/preview",
      "thumbnailUrl": "<url 1>/api/v1/projects/<id 1>--main/objects/{objectId}/thumbnail"
    }
    "#);
    let path = filled(&opened, &minted.text("/downloadUrl"), &file_name(&file));
    let grant = opened.session.grant.with(&minted.text("/dataPlane/token"));
    assert_eq!(grant.get(&path).await.expect(200).body, "0123456789");
    assert_eq!(grant.get(&path).header("range", "bytes=0-3").await.expect(206).body, "0123");
    let lfs = format!("/api/v1/file/lfs/{}/{}", opened.project, file["sha256"].as_str().unwrap());
    assert_eq!(grant.get(&lfs).await.expect(200).body, "0123456789");
    // It reads and nothing else, also where its minter writes.
    let by_alice = opened.caller.post(&grants).await.expect(200);
    for token in [minted.text("/dataPlane/token"), by_alice.text("/dataPlane/token")] {
        let session = Session { grant: opened.session.grant.with(&token), ..opened.session.clone() };
        let refused = session.upload(&opened.model, "a.txt", "a").await;
        assert_eq!(refused.to_string(), r#"403 INSUFFICIENT_SCOPE {"requiredScope":"projects:write"}"#);
    }
    let foreign = create_project(&opened.caller, "Other").await;
    let elsewhere = path.replace(&opened.project, &foreign);
    assert_eq!(grant.get(&elsewhere).await.to_string(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_grant_for_downloads_reads_every_branch() {
    let opened = OpenSession::open().await;
    let branches = format!("/api/v2/projects/{}/branches", opened.project);
    opened.caller.post(&branches).json(json!({ "name": "feature/teeth" })).await.expect(201);
    let on_branch = Session::open(&opened.caller, &format!("{}--feature%2Fteeth", opened.project)).await;
    let file = uploaded(&on_branch.upload(&opened.model, "gear.txt", "teeth").await.expect(200));
    let mint = async |project: String| {
        opened.caller.post(&format!("/api/v2/projects/{project}/download-grants")).await
    };
    let of_main = mint(opened.project.clone()).await.expect(200);
    let of_branch = mint(format!("{}--feature%2Fteeth", opened.project)).await.expect(200);
    assert_eq!((of_main.text("/branch"), of_branch.text("/branch")), ("main".into(), "feature/teeth".into()));
    for minted in [&of_main, &of_branch] {
        let grant = opened.session.grant.with(&minted.text("/dataPlane/token"));
        let at = |answer: &Answer| filled(&opened, &answer.text("/downloadUrl"), &file_name(&file));
        assert_eq!(grant.get(&at(&of_branch)).await.expect(200).body, "teeth");
        assert_eq!(grant.get(&at(&of_main)).await.to_string(), "404 NOT_FOUND");
    }
    assert_eq!(mint(format!("{}--none", opened.project)).await.to_string(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_grant_for_downloads_ends_with_its_key_and_with_access() {
    let opened = OpenSession::open().await;
    let file = uploaded(&opened.session.upload(&opened.model, "gear.txt", "solid").await.expect(200));
    let operator = opened.deployment.operator();
    let bob = operator.user("bob").await;
    operator.add_member(&bob, "--project", &opened.project, "viewer").await;
    let (first, second) = (bob.issue(&["projects:read"], &[]).await, bob.key(&["projects:read"]).await);
    let grants = format!("/api/v2/projects/{}/download-grants", opened.project);
    let of_first = first.caller.post(&grants).await.expect(200);
    let of_second = second.post(&grants).await.expect(200);
    let path = filled(&opened, &of_first.text("/downloadUrl"), &file_name(&file));
    let download =
        async |minted: &Answer| opened.session.grant.with(&minted.text("/dataPlane/token")).get(&path).await;
    download(&of_first).await.expect(200);
    operator.revoke(&first).await;
    assert_eq!(download(&of_first).await.to_string(), "401 UNAUTHENTICATED");
    download(&of_second).await.expect(200);
    operator.remove_member(&bob, "--project", &opened.project).await;
    assert_eq!(download(&of_second).await.to_string(), "404 NOT_FOUND");
    assert_eq!(second.post(&grants).await.to_string(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_sessions_url_templates_upload_and_download() {
    let open_session = OpenSession::open().await;
    let branches = format!("/api/v2/projects/{}/branches", open_session.project);
    open_session.caller.post(&branches).json(json!({ "name": "feature/teeth" })).await.expect(201);
    let sessions = format!("/api/v2/projects/{}--feature%2Fteeth/sessions", open_session.project);
    let opened = open_session.caller.post(&sessions).await.expect(201);
    assert_eq!(opened.text("/ownerId"), open_session.alice.id);
    let grant = open_session.session.grant.with(&opened.text("/dataPlane/token"));
    let form = Form::new("gear.txt");
    let upload = filled(&open_session, &opened.text("/uploadUrl"), &open_session.model);
    let stored = grant.post(&upload).body(&form.content_type(), form.body(b"solid")).await.expect(200);
    let download = filled(&open_session, &opened.text("/downloadUrl"), &file_name(&uploaded(&stored)));
    assert_eq!(grant.get(&download).await.expect(200).body, "solid");
    let resumable = filled(&open_session, &opened.text("/resumableUrl"), &open_session.model);
    let begun = grant.post(&resumable).header("tus-resumable", "1.0.0").header("upload-length", "4");
    begun.await.expect(201);
    let object = uploaded(&stored)["id"].as_str().unwrap().to_owned();
    let replace = filled(&open_session, &opened.text("/replaceUrl"), &object);
    grant.put(&replace).body(&form.content_type(), form.body(b"hollow")).await.expect(200);
    let bulk = filled(&open_session, &opened.text("/bulkUrl"), &open_session.model);
    let (content_type, body) = form_of(&[("a/1.txt", b"1")]);
    grant.post(&bulk).body(&content_type, body).await.expect(200);
    let archive = filled(&open_session, &opened.text("/archiveUrl"), &open_session.model);
    // The address is right where the archive alone is refused.
    let refused = grant.post(&archive).body(&form.content_type(), form.body(b"no archive")).await;
    assert_eq!((refused.status, refused.code().as_str()), (400, "INVALID_UPLOAD"));
    let read =
        open_session.caller.get(&format!("{sessions}/{}", opened.text("/sessionId"))).await.expect(200);
    for field in
        ["ownerId", "uploadUrl", "bulkUrl", "archiveUrl", "resumableUrl", "replaceUrl", "downloadUrl"]
    {
        assert_eq!(read.text(&format!("/session/{field}")), opened.text(&format!("/{field}")));
    }
}
