//! Versions of an object's file: their list along a branch, and their downloads.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::open_session::OpenSession;
use testkit::session::{Session, uploaded};
use testkit::upload::sha256;

struct Versioned {
    opened: OpenSession,
    object: String,
}

impl Versioned {
    /// A file in one version, committed.
    async fn open() -> Self {
        let opened = OpenSession::open().await;
        let answer = opened.session.upload(&opened.model, "a.bin", [0, 1]).await.expect(200);
        let object = uploaded(&answer)["id"].as_str().unwrap().to_owned();
        let own = Self { opened, object };
        own.commit("main", "One").await;
        own
    }

    fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}{path}", self.opened.project)
    }

    async fn commit(&self, branch: &str, message: &str) -> String {
        let path = self.at(&format!("/branches/{branch}/commits"));
        self.opened
            .caller
            .post(&path)
            .json(json!({ "message": message }))
            .await
            .expect(201)
            .text("/commit/hash")
    }

    async fn rename(&self, name: &str) {
        let path = self.at(&format!("/objects/{}", self.object));
        self.opened.caller.patch(&path).json(json!({ "name": name })).await.expect(200);
    }

    async fn replace(&self, session: &Session, bytes: [u8; 2]) {
        session.replace(&self.object, "a.bin", bytes).await.expect(200);
    }

    async fn list(&self, branch: &str, query: &str) -> Answer {
        let path = self.at(&format!("--{branch}/objects/{}/versions{query}", self.object));
        self.opened.caller.get(&path).await
    }

    /// Message, name and last byte of each version of a branch.
    async fn shown(&self, branch: &str) -> Vec<String> {
        let listed = self.list(branch, "").await.expect(200).json();
        let versions = listed["versions"].as_array().unwrap();
        let line = |version: &Value| {
            let byte = (0..=9).find(|byte| version["file"]["sha256"] == sha256(&[0, *byte])).unwrap();
            let message = version["message"].as_str().unwrap_or("-");
            format!("{message} {} {byte}", version["name"].as_str().unwrap())
        };
        versions.iter().map(line).collect()
    }
}

#[tokio::test]
async fn each_commit_with_another_file_is_a_version_of_its_branch() {
    let own = Versioned::open().await;
    let main = &own.opened.session;
    own.rename("Renamed").await;
    assert_eq!(own.shown("main").await, ["One a.bin 1"], "a name makes no version");
    own.commit("main", "Rename").await;
    own.replace(main, [0, 2]).await;
    assert_eq!(own.shown("main").await, ["- Renamed 2", "One a.bin 1"]);
    own.commit("main", "Two").await;
    own.opened.caller.post(&own.at("/branches")).json(json!({ "name": "next" })).await.expect(201);
    let next = Session::open(&own.opened.caller, &format!("{}--next", own.opened.project)).await;
    own.replace(&next, [0, 3]).await;
    own.commit("next", "Three").await;
    own.replace(&next, [0, 4]).await;
    own.commit("next", "Four").await;
    assert_eq!(
        own.shown("next").await,
        ["Four Renamed 4", "Three Renamed 3", "Two Renamed 2", "One a.bin 1"]
    );
    let merge = json!({ "source": "next", "message": "Merge" });
    let merged = own.opened.caller.post(&own.at("/branches/main/merge")).json(merge).await;
    assert!([200, 201].contains(&merged.status), "{merged}");
    // A merge without changes on its own side may move the branch to the other's head.
    let shown = own.shown("main").await;
    assert!(shown[0].ends_with("Renamed 4"), "{shown:?}");
    assert_eq!(shown[shown.len() - 2..], ["Two Renamed 2", "One a.bin 1"]);
    own.replace(main, [0, 1]).await;
    own.commit("main", "Back").await;
    assert_eq!(own.shown("main").await[0], "Back Renamed 1", "bytes that come back are another version");

    let listed = own.list("main", "").await.expect(200).json();
    assert_eq!(listed["versions"][0]["author"]["name"].as_str().map(str::is_empty), Some(false));
    let mut cursor = String::new();
    let mut paged = Vec::new();
    loop {
        let page = own.list("main", &format!("?limit=1{cursor}")).await.expect(200).json();
        paged.extend(page["versions"].as_array().unwrap().clone());
        match page["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(json!(paged), listed["versions"]);
}

#[tokio::test]
async fn a_version_is_downloaded_by_its_address_with_a_grant_of_the_project() {
    let own = Versioned::open().await;
    own.replace(&own.opened.session, [0, 2]).await;
    own.commit("main", "Two").await;
    own.replace(&own.opened.session, [0, 3]).await;
    let listed = own.list("main", "").await.expect(200).json();
    let grant = own.opened.caller.post(&own.at("/download-grants")).await.expect(200);
    let reader = own.opened.caller.at("").with(&grant.text("/dataPlane/token"));
    let versions = listed["versions"].as_array().unwrap();
    assert_eq!(versions.len(), 3);
    for (version, byte) in versions.iter().zip([3_u8, 2, 1]) {
        let answer = reader.get(version["downloadUrl"].as_str().unwrap()).await.expect(200);
        assert_eq!(answer.body, [0, byte].as_slice());
        assert!(answer.header("content-disposition").contains("a.bin"));
    }
    let path = own.opened.session.download_path(&format!("{}.bin", own.object));
    let absent = format!("{path}?commit={}", "0".repeat(40));
    own.opened.session.grant.get(&absent).await.expect(404);
    own.opened.session.grant.get(&format!("{path}?commit=main")).await.expect(400);
}

#[tokio::test]
async fn objects_without_a_file_and_absent_ones_have_no_versions() {
    let own = Versioned::open().await;
    for object in [&own.opened.model, &own.opened.project, &own.opened.session.id] {
        own.opened.caller.get(&own.at(&format!("/objects/{object}/versions"))).await.expect(404);
    }
}
