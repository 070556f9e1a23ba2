//! Clients that disconnect at any moment of a creation: each effect is whole or absent, and other clients are
//! unaffected.

use std::time::{Duration, Instant};

use futures_util::future::join_all;
use futures_util::{StreamExt, stream};
use serde_json::json;
use testkit::caller::Caller;
use testkit::deployment::{Deployment, Options};
use testkit::raw::Connection;
use testkit::seed::MANAGE;
use testkit::session::create_project;
use uuid::Uuid;

const CLIENTS: usize = 200;
/// Concurrent clients.
const AT_ONCE: usize = 16;
/// Longest time before a client disconnects.
const MOST_MICROS: u64 = 20_000;
/// Most connections of a process to PostgreSQL.
const POOL: i64 = 16;

// X21
#[tokio::test]
async fn clients_that_disconnect_leave_whole_projects_or_nothing_and_a_clean_pool() {
    let limit = vec![("ATELIER_PROJECT_LIMIT", "1000".to_owned())];
    let deployment = Deployment::with(Options { environment: limit, ..Options::default() }).await;
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    create_project(&caller, "Warm").await;

    stream::iter(0..CLIENTS)
        .for_each_concurrent(AT_ONCE, |number| go_away_from_creating(&caller, number))
        .await;
    // Work continues after its client disconnected; a connection left in a transaction would stay busy.
    deployment.database.wait_for_quiet().await;

    let nothing = [
        (
            "a project without its one branch, or a branch without its commit",
            "select p.id from projects p left join branches b on b.project_id = p.id \
             left join git_objects o on o.project_id = p.id and o.oid = b.head and o.kind = 'commit' \
             group by p.id having count(b.id) <> 1 or count(o.oid) <> 1",
        ),
        (
            "a project, but the first, without the outcome of its key",
            "select id from projects where name <> 'Warm' and not exists \
             (select from idempotency_records where outcome #>> '{record,id}' = projects.id::text)",
        ),
        (
            "an outcome without its project",
            "select key from idempotency_records where outcome is null or not exists \
             (select from projects where projects.id::text = outcome #>> '{record,id}')",
        ),
        (
            "a project that the audit log does not know",
            "select id from projects where not exists \
             (select from audit_log where target_id = projects.id and action = 'createProject')",
        ),
    ];
    for (what, query) in nothing {
        assert_eq!(
            deployment.database.count(&format!("select count(*) from ({query}) found")).await,
            0,
            "{what}"
        );
    }
    let connections = "select count(*) from pg_stat_activity \
                       where datname = current_database() and application_name = 'atelier'";
    assert!(deployment.database.count(connections).await <= 2 * POOL);
    let survived = deployment.database.count("select count(*) from projects").await;

    // The pool is intact: more requests than connections are all served soon.
    let begun = Instant::now();
    let answers = join_all((0..32).map(|_| caller.get("/api/v2/projects").into_future())).await;
    assert!(answers.iter().all(|answer| answer.status == 200));
    assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());

    // A disconnected client repeats its request and gets the first result or a new one.
    let answers = stream::iter(0..CLIENTS).map(|number| creation(&caller, number)).buffered(AT_ONCE);
    let answers: Vec<_> = answers.collect().await;
    assert!(answers.iter().all(|answer| answer.status == 201));
    let replayed = answers.iter().filter(|answer| answer.is_replay()).count();
    // A request that the service had not read yet when they were counted may have survived, too.
    assert!(i64::try_from(replayed).unwrap() + 1 >= survived, "{replayed} of {survived}");
    let projects = deployment.database.count("select count(*) from projects").await;
    assert_eq!(projects, i64::try_from(CLIENTS).unwrap() + 1);
}

async fn creation(caller: &Caller, number: usize) -> testkit::answer::Answer {
    let body = json!({ "name": format!("Gear {number}") });
    caller.post("/api/v2/projects").idempotency_key(&number.to_string()).json(body).await
}

/// Requests a project and disconnects after a random time.
async fn go_away_from_creating(caller: &Caller, number: usize) {
    let body = json!({ "name": format!("Gear {number}") }).to_string();
    let request = format!(
        "POST /api/v2/projects HTTP/1.1\r\nhost: control.test\r\nauthorization: Bearer {}\r\n\
         content-type: application/json\r\nidempotency-key: {number}\r\ncontent-length: {}\r\n\r\n{body}",
        caller.credential(),
        body.len(),
    );
    let (_, random) = Uuid::new_v4().as_u64_pair();
    let mut connection = Connection::open(&caller.url).await;
    assert!(connection.send(request).await);
    tokio::time::sleep(Duration::from_micros(random % MOST_MICROS)).await;
}
