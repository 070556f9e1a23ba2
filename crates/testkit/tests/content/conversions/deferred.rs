//! Files that find no place for their conversion in time: users get their turns, and what was left is converted later.

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use testkit::deployment::{Deployment, Options};
use testkit::events::EventStream;
use testkit::open_session::{OpenSession, eventually, eventually_async};
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, objects};

use crate::conversions::support::{data, limited, long, pdf, workers};

/// Settings by which a second large file finds no place.
const CROWDED: [(&str, &str); 2] = [("conversion_wait_secs", "1"), ("ATELIER_CONVERSIONS_AT_ONCE", "1")];

/// A deployment whose only place for large files is taken by a stopped worker, and a file that found none.
struct Crowd {
    opened: OpenSession,
    /// The object that owns the file.
    pending: Value,
}

impl Crowd {
    async fn gather(opened: OpenSession) -> Self {
        tokio::spawn(opened.session.upload(&opened.model, "long.stp", long()).try_send());
        eventually("the first is being converted", || !workers(&opened).is_empty()).await;
        kill(workers(&opened)[0], Signal::SIGSTOP).unwrap();
        let answer = opened.session.upload(&opened.model, "sheets.pdf", pdf(&["", ""])).await.expect(200);
        let objects = objects(&answer);
        let [pending] = objects.as_slice() else { panic!("{answer}") };
        let conversion = data(&opened, pending).await["conversion"].clone();
        assert_eq!(
            (&conversion["status"], &conversion["code"]),
            (&"pending".into(), &"CONVERSION_BUSY".into())
        );
        Self { pending: pending.clone(), opened }
    }

    fn make_room(&self) {
        kill(workers(&self.opened)[0], Signal::SIGCONT).unwrap();
    }

    /// The types of the pending object and of the objects below it.
    async fn types(&self) -> Vec<String> {
        let tree = self.opened.caller.get(&format!("/api/v2/projects/{}/tree", self.opened.project)).await;
        let tree = tree.expect(200).json()["tree"].as_array().unwrap().clone();
        let of =
            |field: &str| tree.iter().filter(|node| node[field] == self.pending["id"]).collect::<Vec<_>>();
        let nodes = of("id").into_iter().chain(of("parent"));
        nodes.map(|node| node["type"].as_str().unwrap().to_owned()).collect()
    }

    async fn is_converted(&self) {
        let is_done = async || self.types().await == ["Document", "Page", "Page"];
        eventually_async("the file is converted", is_done).await;
        assert!(data(&self.opened, &self.pending).await["conversion"].is_null());
        let path = format!("/api/v2/projects/{}/objects/", self.opened.project);
        let object = self.opened.caller.get(&(path + self.pending["id"].as_str().unwrap())).await.expect(200);
        assert_eq!(object.text("/object/file/name"), "sheets.pdf");
        assert_eq!(self.waiting().await, 0);
    }

    async fn waiting(&self) -> i64 {
        self.opened.deployment.database.count("select count(*) from deferred_conversions").await
    }
}

#[tokio::test]
async fn a_file_that_found_no_place_is_converted_later_and_the_session_is_told() {
    let crowd = Crowd::gather(limited(&CROWDED).await).await;
    let opened = &crowd.opened;
    let mut events = EventStream::open(opened.caller.get(&format!("{}/events", opened.session.path()))).await;
    crowd.make_room();
    crowd.is_converted().await;
    let told = loop {
        let told = events.next_of("objects.changed").await.json["data"].clone();
        if told["changedCount"] == 1 {
            break told;
        }
    };
    assert_eq!(told["changed"][0], crowd.pending["id"]);
    assert_eq!((&told["addedCount"], &told["branch"]), (&2.into(), &"main".into()));
    eventually("the first is converted", || workers(opened).is_empty()).await;
}

#[tokio::test]
async fn the_pages_of_a_replaced_file_stay_until_the_new_one_is_converted() {
    let opened = limited(&CROWDED).await;
    let before = objects(&opened.session.upload(&opened.model, "plan.pdf", pdf(&["", "0 0 9 9 re f"])).await);
    let document = before[0]["id"].as_str().unwrap().to_owned();
    let crowd = Crowd::gather(opened).await;
    let opened = &crowd.opened;
    let new = pdf(&["9 9 9 9 re f", "", "1 1 9 9 re f"]);
    let answer = opened.session.replace(&document, "plan.pdf", new).await.expect(200);
    assert_eq!(objects(&answer).len(), 3, "{answer}");
    assert_eq!(answer.json()["replaced"]["changedCount"], 1);
    assert_eq!(data(opened, &before[0]).await["conversion"]["status"], "pending");
    // Another one before the first is converted.
    let new = pdf(&["9 9 9 9 re f", "2 2 9 9 re f", "1 1 9 9 re f"]);
    opened.session.replace(&document, "plan.pdf", new).await.expect(200);
    crowd.make_room();
    let path = format!("/api/v2/projects/{}/objects?parent={document}", opened.project);
    let pages =
        async || opened.caller.get(&path).await.expect(200).json()["objects"].as_array().unwrap().clone();
    eventually_async("the new file is converted", async || pages().await.len() == 3).await;
    let ids: Vec<Value> = pages().await.iter().map(|page| page["id"].clone()).collect();
    assert_eq!(ids[..2], [before[1]["id"].clone(), before[2]["id"].clone()]);
    assert!(data(opened, &before[0]).await["conversion"].is_null());
    crowd.is_converted().await;
}

// X5
#[tokio::test]
async fn a_deferred_conversion_survives_its_process_and_is_done_once() {
    let environment = CROWDED.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    let deployment = Deployment::with(Options { environment, data_replicas: 2, ..Options::default() }).await;
    let mut crowd = Crowd::gather(OpenSession::on(deployment).await).await;
    crowd.opened.deployment.leaves_blobs = true;
    crowd.opened.deployment.data[0].kill();
    crowd.is_converted().await;
    crowd.opened.deployment.data[0].restart();
    assert_eq!(crowd.types().await.len(), 3);
}

#[tokio::test]
async fn a_deferred_conversion_is_done_after_its_session_was_closed_and_committed() {
    let crowd = Crowd::gather(limited(&CROWDED).await).await;
    let opened = &crowd.opened;
    let of_project = format!("/api/v2/projects/{}", opened.project);
    let change = json!({ "name": "Plans", "data": { "note": "keep" } });
    let object = format!("{of_project}/objects/{}", crowd.pending["id"].as_str().unwrap());
    opened.caller.patch(&object).json(change).await.expect(200);
    let commit = json!({ "message": "Add sheets" });
    opened.caller.post(&format!("{of_project}/branches/main/commits")).json(commit).await.expect(201);
    // The upload in progress ends with the session, and its worker with it.
    opened.session.close().await.expect(200);
    crowd.is_converted().await;
    let changes = opened.caller.get(&format!("{of_project}/branches/main/changes")).await.expect(200).json();
    assert_eq!(changes["modified"][0], crowd.pending["id"]);
    // What users have changed meanwhile stays.
    let converted = opened.caller.get(&object).await.expect(200).json()["object"].clone();
    assert_eq!((&converted["name"], &converted["data"]["note"]), (&json!("Plans"), &json!("keep")));
}

#[tokio::test]
async fn a_deleted_object_is_not_converted() {
    let crowd = Crowd::gather(limited(&CROWDED).await).await;
    let opened = &crowd.opened;
    let path =
        format!("/api/v2/projects/{}/objects/{}", opened.project, crowd.pending["id"].as_str().unwrap());
    opened.caller.delete(&path).await.expect(200);
    crowd.make_room();
    eventually_async("nothing waits", async || crowd.waiting().await == 0).await;
    assert_eq!(crowd.types().await, [""; 0]);
    eventually("the first is converted", || workers(opened).is_empty()).await;
}

#[tokio::test]
async fn slow_files_of_one_user_delay_no_strangers() {
    let opened = limited(&[("ATELIER_CONVERSIONS_AT_ONCE", "3")]).await;
    let slow: Vec<_> = (0..6)
        .map(|number| {
            let name = format!("long-{number}.stp");
            tokio::spawn(opened.session.upload(&opened.model, &name, long()).into_future())
        })
        .collect();
    eventually("two are being converted", || workers(&opened).len() == 2).await;
    let stopped = workers(&opened);
    stopped.iter().for_each(|worker| kill(*worker, Signal::SIGSTOP).unwrap());
    let bob = opened.deployment.operator().user("bob").await.key(MANAGE).await;
    let session = Session::open(&bob, &create_project(&bob, "Pump").await).await;
    let model = session.model().await;
    for _ in 0..3 {
        let answer = session.upload(&model, "sheets.pdf", pdf(&[""])).await.expect(200);
        assert_eq!(objects(&answer).len(), 2, "{answer}");
    }
    stopped.iter().for_each(|worker| kill(*worker, Signal::SIGCONT).unwrap());
    for upload in slow {
        assert_eq!(objects(&upload.await.unwrap().expect(200)).len(), 3);
    }
}
