//! Restarts of one replica after the other, under clients that keep their connections and do as answers say.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures_util::future::join_all;
use serde_json::json;
use testkit::deployment::{Deployment, Options};
use testkit::open_session::eventually;
use testkit::raw::Connection;
use testkit::seed::MANAGE_WITH_CARDS;
use testkit::session::create_project;
use tokio::net::TcpStream;

/// A client that leaves a connection when an answer says so, and connects to the next replica that listens.
struct PoliteClient {
    replicas: Vec<String>,
    next: usize,
    connection: Option<Connection>,
}

impl PoliteClient {
    async fn connection(&mut self) -> &mut Connection {
        while self.connection.is_none() {
            let url = &self.replicas[self.next % self.replicas.len()];
            self.next += 1;
            // A refused connection carried no request.
            if TcpStream::connect(url.trim_start_matches("http://")).await.is_ok() {
                self.connection = Some(Connection::open(url).await);
            }
        }
        self.connection.as_mut().unwrap()
    }

    /// Sends a request; `None` if the connection ended without an answer to it.
    async fn send(&mut self, request: &str) -> Option<u16> {
        let connection = self.connection().await;
        if !connection.send(request).await {
            self.connection = None;
            return None;
        }
        let answer = connection.try_answer().await;
        if answer.as_ref().is_none_or(|answer| answer.header("connection") == "close") {
            self.connection = None;
        }
        answer.map(|answer| answer.status)
    }
}

// X34. The wait for a process's end blocks its thread; the clients go on in others.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_rolling_restart_loses_no_request_of_polite_clients() {
    const CLIENTS: usize = 6;
    let notice = vec![("shutdown_notice_secs", "3".to_owned())];
    let mut deployment =
        Deployment::with(Options { control_replicas: 2, environment: notice, ..Options::default() }).await;
    let key = deployment.operator().user("alice").await.key(MANAGE_WITH_CARDS).await;
    let project = create_project(&key, "Gear").await;
    let (stop, answered) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
    let clients: Vec<_> = (0..CLIENTS)
        .map(|n| {
            let replicas = deployment.control_urls.clone();
            let (stop, answered) = (Arc::clone(&stop), Arc::clone(&answered));
            let (key, project) = (key.credential().to_owned(), project.clone());
            tokio::spawn(async move {
                let mut client = PoliteClient { replicas, next: n, connection: None };
                let (mut created, mut lost) = (0, Vec::new());
                while !stop.load(Ordering::Relaxed) {
                    let body = json!({ "name": format!("{n} {created}") }).to_string();
                    let request = format!(
                        "POST /api/v2/projects/{project}/cards HTTP/1.1\r\nHost: x\r\n\
                         Authorization: Bearer {key}\r\nContent-Type: application/json\r\n\
                         Content-Length: {}\r\n\r\n{body}",
                        body.len()
                    );
                    match client.send(&request).await {
                        Some(201) => created += 1,
                        // A busy machine; the client is told to come again.
                        Some(503) => {}
                        other => lost.push(other),
                    }
                    answered.fetch_add(1, Ordering::Relaxed);
                }
                (created, lost)
            })
        })
        .collect();
    let progresses = async || {
        let before = answered.load(Ordering::Relaxed);
        eventually("clients are served", || answered.load(Ordering::Relaxed) > before + 10 * CLIENTS).await;
    };
    progresses().await;
    for replica in 0..2 {
        deployment.control[replica].ask_to_end();
        assert_eq!(deployment.control[replica].wait_for_end(), Some(0));
        progresses().await;
        deployment.control[replica].restart();
        progresses().await;
    }
    stop.store(true, Ordering::Relaxed);
    let mut created = 0;
    for client in join_all(clients).await {
        let (of_client, lost) = client.unwrap();
        assert!(lost.is_empty(), "{lost:?}");
        created += of_client;
    }
    assert_eq!(deployment.database.count("select count(*) from cards").await, created);
}
