//! The main workflow on real input: user, project, session, upload, tree, changes, download, stop, close.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::environment;
use testkit::seed::MANAGE;
use testkit::session::{Session, create_project, file_name, objects, uploaded};
use testkit::upload::sha256;
use tokio::sync::watch;

use testkit::open_session::{OpenSession, added};

#[tokio::test]
async fn files_are_uploaded_shown_and_downloaded_unchanged_and_the_grant_ends_with_the_session() {
    let deployment = Deployment::shared();
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    do_the_main_job(&deployment, &caller).await;
}

#[tokio::test]
async fn the_main_workflow_works_with_every_request_at_another_replica() {
    let deployment =
        Deployment::with(Options { control_replicas: 2, data_replicas: 2, ..Options::default() }).await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    do_the_main_job(&deployment, &caller).await;
}

/// An upload needs no control process once its session is open.
#[tokio::test]
async fn killing_the_control_process_during_an_upload_loses_nothing_that_was_answered() {
    let mut opened = OpenSession::own().await;
    // The upload waits for the branch in its transaction.
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.execute("select 1 from branches for update", &[]).await.unwrap();
    let upload = tokio::spawn(opened.session.upload(&opened.model, "gear.step", "solid").into_future());
    opened.deployment.database.wait_for_blocked(1).await;
    opened.deployment.control[0].kill();
    lock.rollback().await.unwrap();

    let answer = upload.await.unwrap().expect(200);

    opened.deployment.control[0].restart();
    assert_eq!(opened.added().await, [uploaded(&answer)["id"].as_str().unwrap()]);
    let bytes = opened.session.grant.get(&opened.session.download_path(&file_name(&uploaded(&answer)))).await;
    assert_eq!(bytes.expect(200).body, "solid");
}

// Multi-threaded, because waiting for a process to start occupies a thread.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn uploads_during_deaths_and_restarts_of_control_processes_are_in_the_tree_once_if_answered() {
    let mut opened =
        OpenSession::on(Deployment::with(Options { control_replicas: 2, ..Options::default() }).await).await;
    let (session, model) = (opened.session.clone(), opened.model.clone());
    let (progress, mut answered) = watch::channel(Vec::<String>::new());
    let uploads = tokio::spawn(async move {
        let mut sent = 0;
        // Until the service is gone.
        while !progress.is_closed() {
            sent += 1;
            let answer = session.upload(&model, "part.bin", format!("part {sent}")).await.expect(200);
            let id = uploaded(&answer)["id"].as_str().unwrap().to_owned();
            progress.send_if_modified(|answered| {
                answered.push(id);
                true
            });
        }
        sent
    });
    // Control processes die between two answers; other answers follow meanwhile.
    let mut expected = 0;
    for replica in [0, 1, 0] {
        expected += 3;
        answered.wait_for(|answered| answered.len() >= expected).await.unwrap();
        opened.deployment.control[replica].kill();
        expected += 2;
        answered.wait_for(|answered| answered.len() >= expected).await.unwrap();
        opened.deployment.control[replica].restart();
    }
    let known = answered.borrow().clone();
    drop(answered);
    let sent = uploads.await.unwrap();

    let in_tree = opened.added().await;
    for id in &known {
        assert!(in_tree.contains(id), "the answered {id} is not in the tree");
    }
    // Each exactly once, including those answered after the last check.
    assert_eq!(in_tree.len(), sent);
}

async fn do_the_main_job(deployment: &Deployment, caller: &Caller) {
    let last_control = caller.at(deployment.control_urls.last().unwrap());
    let project = create_project(caller, "Gear").await;
    let session = Session::open(&last_control, &project).await;
    let grants: Vec<Caller> = deployment.data_urls.iter().map(|url| session.grant.at(url)).collect();
    let model = session.model().await;
    let before = caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200);

    let mut names = Vec::new();
    let mut below = Vec::new();
    for (number, (name, bytes)) in inputs().into_iter().enumerate() {
        let upload = Session { grant: grants[number % grants.len()].clone(), ..session.clone() };
        let answer = upload.upload(&model, &name, bytes.clone()).await.expect(200);
        let all = objects(&answer);
        let (object, others) = all.split_first().unwrap();
        assert_eq!(object["parent"], model.as_str(), "{name}");
        assert_eq!(object["size"], bytes.len(), "{name}");
        assert_eq!(object["sha256"], sha256(&bytes), "{name}");
        names.push((file_name(object), object["id"].as_str().unwrap().to_owned(), sha256(&bytes)));
        below.extend(others.iter().map(|object| object["id"].as_str().unwrap().to_owned()));
    }

    // Read at the process that handled neither session nor upload.
    let tree = caller.get(&format!("/api/v2/projects/{project}/tree")).await.expect(200).json();
    let count = |json: &serde_json::Value| json["objectCount"].as_u64().unwrap();
    assert_eq!(count(&tree), count(&before.json()) + u64::try_from(names.len() + below.len()).unwrap());
    let in_tree: BTreeSet<&str> = tree["tree"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|node| node["parent"] == model.as_str())
        .map(|node| node["id"].as_str().unwrap())
        .collect();
    let uploaded_ids: BTreeSet<&str> = names.iter().map(|(_, id, _)| id.as_str()).collect();
    assert_eq!(in_tree, uploaded_ids);
    let changed = added(caller, &project).await;
    let all_ids = uploaded_ids.into_iter().chain(below.iter().map(String::as_str)).collect::<BTreeSet<_>>();
    assert_eq!(changed.iter().map(String::as_str).collect::<BTreeSet<_>>(), all_ids);

    for (number, (name, _, hash)) in names.iter().enumerate() {
        let grant = &grants[(number + 1) % grants.len()];
        let file = grant.get(&session.download_path(name)).await.expect(200);
        assert_eq!(&sha256(&file.body), hash, "{name}");
    }

    let stopped = caller.post(&format!("{}/stop", session.path())).await.expect(200).json();
    assert_eq!((&stopped["stopped"], &stopped["status"]), (&false.into(), &"idle".into()));
    session.close().await.expect(200);
    for grant in &grants {
        let refused = grant.get(&session.download_path(&names[0].0)).await;
        assert_eq!(refused.to_string(), "401 UNAUTHENTICATED");
        let again = Session { grant: grant.clone(), ..session.clone() };
        assert_eq!(again.upload(&model, "late.txt", "late").await.to_string(), "401 UNAUTHENTICATED");
    }
    assert_eq!(added(caller, &project).await.len(), names.len() + below.len());
}

/// Real files, if the machine has them, and two of our own. Without documents, whose pages render slowly without
/// compiler optimisation; `conversions` has them.
fn inputs() -> Vec<(String, Vec<u8>)> {
    let mut files = vec![("note.txt".to_owned(), b"a note".to_vec()), ("empty".to_owned(), Vec::new())];
    match environment::shared_inputs() {
        Some(folder) => {
            ["plain", "source", "step"]
                .iter()
                .for_each(|kind| collect(&folder.join("open").join(kind), &mut files));
        }
        None => {
            eprintln!("NOT TESTED: no real inputs here (ATELIER_TEST_INPUTS); two files of our own instead")
        }
    }
    files
}

fn collect(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push((path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap()));
        }
    }
}
