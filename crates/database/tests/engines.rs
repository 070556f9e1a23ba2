//! A PostgreSQL whose messages are in other words, that takes no writes, that can't be reached, or has several hosts.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use database::Database;
use database::config::DatabaseConfig;
use database::connection::{Begin, Connection};
use database::error::waited_for_lock;
use database::query::RunQueryDsl;
use database::statement::Statement;
use database::transaction::retry;
use diesel::sql_types::Text;
use domain::{Code, Result};
use testkit::database::Database as TestDatabase;
use testkit::postgres::PrivatePostgres;
use testkit::proxy::FaultProxy;
use tokio::time::timeout;

/// A statement that fails as told, at once or at the commit, in words that no English server writes.
const FAILURES: &str = "
    create function fail(state text) returns integer language plpgsql as $$
        begin raise exception 'Etwas ist geschehen' using errcode = state; end $$;
    create table failures (state text);
    create function fail_late() returns trigger language plpgsql as $$
        begin raise exception 'Etwas ist geschehen' using errcode = new.state; end $$;
    create constraint trigger late after insert on failures deferrable initially deferred
        for each row execute function fail_late();";

fn open(url: &str, max_connections: usize) -> Result<Database> {
    let statement_secs = DatabaseConfig::STATEMENT_SECS;
    Database::open(&DatabaseConfig { url: url.to_owned(), max_connections, statement_secs })
}

async fn failing() -> (TestDatabase, Database) {
    let test = TestDatabase::create_empty().await;
    test.connect().await.batch_execute(FAILURES).await.unwrap();
    let database = open(&test.url(), 1).unwrap();
    (test, database)
}

async fn run(connection: &Connection, sql: &str, state: &str) -> Result<usize> {
    Ok(Statement::new(sql.to_owned()).bind::<Text, _>(state).execute(connection).await?)
}

#[tokio::test]
async fn failures_are_told_by_their_sqlstate() {
    let (_test, database) = failing().await;
    for (state, code, attempts, for_lock) in [
        ("40P01", Code::Unavailable, 3, false),
        ("40001", Code::Unavailable, 3, false),
        ("55P03", Code::Unavailable, 1, true),
        ("57014", Code::Unavailable, 1, false),
        ("25006", Code::Unavailable, 1, false),
        ("53300", Code::Unavailable, 1, false),
        ("58030", Code::Unavailable, 1, false),
        ("08006", Code::Unavailable, 1, false),
        ("23514", Code::InternalError, 1, false),
        ("22012", Code::InternalError, 1, false),
    ] {
        let count = AtomicU32::new(0);
        let failed: Result<usize> = retry(async || {
            count.fetch_add(1, Ordering::Relaxed);
            let connection = database.begin(Begin::WRITE).await?;
            let done = run(&connection, "select fail($1)", state).await;
            connection.finish(done).await
        })
        .await;
        let error = failed.unwrap_err();
        assert_eq!((error.code, waited_for_lock(&error)), (code, for_lock), "{state}");
        assert_eq!(count.into_inner(), attempts, "{state}");
        assert!(error.chain().contains(&format!("{state} Etwas ist geschehen")), "{}", error.chain());
        assert!(!error.is_outcome_unknown(), "{state}");
    }
}

#[tokio::test]
async fn a_commit_that_is_lost_with_its_server_is_unknown() {
    let (_test, database) = failing().await;
    // PgBouncer tells of a server that is gone by 08P01.
    for (state, is_unknown) in [
        ("08P01", true),
        ("08006", true),
        ("57P01", true),
        ("57P02", true),
        ("40003", true),
        ("53100", true),
        ("40001", false),
        ("23514", false),
    ] {
        const INSERT: &str = "insert into failures values ($1)";
        let connection = database.begin(Begin::WRITE).await.unwrap();
        let done = run(&connection, INSERT, state).await;
        let error = connection.finish(done).await.unwrap_err();
        assert_eq!(error.is_outcome_unknown(), is_unknown, "{state}");
        drop(connection);
        let connection = database.begin(Begin::WRITE).await.unwrap();
        let error = connection.commit_with(run(&connection, INSERT, state)).await.unwrap_err();
        assert_eq!(error.is_outcome_unknown(), is_unknown, "{state}, with its last statement");
    }
}

#[tokio::test]
async fn a_connection_to_a_read_only_server_is_left() {
    let (test, database) = failing().await;
    let write = async || -> Result<()> {
        database.connect().await?.batch_execute("create table once ()").await?;
        Ok(())
    };
    let client = test.connect().await;
    let name = test.url().rsplit_once('/').unwrap().1.to_owned();
    let set = |value: &str| format!("alter database {name} set default_transaction_read_only = {value}");
    client.batch_execute(&set("on")).await.unwrap();
    let error = write().await.unwrap_err();
    assert_eq!((error.code, error.retry_after_secs), (Code::Unavailable, Some(1)));
    let error = database.check_writes().await.unwrap_err();
    assert!(error.chain().contains("PostgreSQL is read-only"), "{}", error.chain());
    // Reading goes on.
    database.connect().await.unwrap().batch_execute("select").await.unwrap();
    assert!(write().await.is_err());

    let client = test.connect().await;
    client.batch_execute("set transaction_read_only = off").await.unwrap();
    client.batch_execute(&format!("begin read write; {}; commit", set("off"))).await.unwrap();
    database.check_writes().await.unwrap();
    write().await.unwrap();
}

#[tokio::test]
async fn a_commit_that_waits_for_a_standby_is_unknown_and_makes_the_server_unready() {
    let server = PrivatePostgres::start();
    let client = testkit::database::connect(&server.url()).await;
    client.batch_execute("create table numbers (value int)").await.unwrap();
    let config = DatabaseConfig { url: server.url(), max_connections: 2, statement_secs: 1 };
    let database = Database::open(&config).unwrap();
    database.check_writes().await.unwrap();
    client.batch_execute("alter system set synchronous_standby_names = 'away'").await.unwrap();
    client.batch_execute("select pg_reload_conf()").await.unwrap();
    let committed = async {
        // The server takes the new setting a moment after its reload.
        loop {
            let connection = database.begin(Begin::WRITE).await.unwrap();
            connection.batch_execute("insert into numbers values (1)").await.unwrap();
            if let Err(error) = connection.finish(Ok(())).await {
                return error;
            }
        }
    };
    let error = committed.await;
    assert_eq!((error.code, error.retry_after_secs), (Code::Unavailable, Some(1)));
    assert!(error.is_outcome_unknown());
    let error = database.check_writes().await.unwrap_err();
    assert!(error.chain().contains("synchronous standby"), "{}", error.chain());
    // Reading goes on over another connection.
    database.connect().await.unwrap().batch_execute("select").await.unwrap();

    client.batch_execute("alter system reset synchronous_standby_names").await.unwrap();
    client.batch_execute("select pg_reload_conf()").await.unwrap();
    let ready = timeout(Duration::from_secs(20), async {
        while database.check_writes().await.is_err() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
    ready.await.unwrap();
}

#[tokio::test]
async fn a_failed_connection_names_its_cause() {
    let test = TestDatabase::create_empty().await;
    let cause = async |url: &str| {
        let error = open(url, 1).unwrap().connect().await.map(drop).unwrap_err();
        assert_eq!((error.code, error.retry_after_secs), (Code::Unavailable, Some(1)));
        error.chain()
    };
    let absent = cause(&format!("{}x", test.url())).await;
    assert!(absent.contains("3D000") && absent.contains("127.0.0.1"), "{absent}");
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let refused = cause(&format!("postgres://atelier:secret@{closed}/atelier")).await;
    assert!(refused.contains("refused") && !refused.contains("secret"), "{refused}");
}

#[tokio::test]
async fn the_next_host_is_used_after_one_that_is_closed_or_silent() {
    let test = TestDatabase::create_empty().await;
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let closed = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap();
    let url = test.url().replace('@', &format!("@{},{closed},", silent.local_addr().unwrap()));
    let database = open(&url, 2).unwrap();
    for _ in 0..2 {
        let connected = timeout(Duration::from_secs(4), database.connect()).await.unwrap().unwrap();
        connected.batch_execute("select").await.unwrap();
    }
}

#[test]
fn an_address_that_would_be_used_in_part_is_refused() {
    let refused =
        |rest: &str| open(&format!("postgres://atelier:secret@{rest}"), 1).err().map(|error| error.chain());
    for rest in [
        "a/b?sslmode=requir",
        "a/b?sslcert=c.pem",
        "a/b?ssl=true",
        "a/b?sslmode=require&sslrootcert=/absent.pem",
        "a/b?target_session_attrs=primary",
        "a/b?target_session_attrs=read-only",
        "a:1,b:2,c:x/d",
    ] {
        let reason = refused(rest).unwrap_or_else(|| panic!("{rest} is taken"));
        assert!(!reason.contains("secret"), "{reason}");
    }
    for rest in ["a/b", "a:1,b:2/c", "a/b?sslmode=verify-full", "a/b?sslmode=disable&connect_timeout=3"] {
        assert_eq!(refused(rest), None, "{rest}");
    }
}

#[tokio::test]
async fn options_of_the_url_are_kept_beside_those_of_the_service() {
    let test = TestDatabase::create_empty().await;
    let options = "options=-c%20search_path%3Dpg_temp%20-c%20lock_timeout%3D0";
    let database = open(&format!("{}?{options}", test.url()), 1).unwrap();
    let connection = database.connect().await.unwrap();
    let check = "do $$ begin
        assert current_setting('search_path') = 'pg_temp';
        assert current_setting('lock_timeout') = '5s';
    end $$";
    connection.batch_execute(check).await.unwrap();
}

#[tokio::test]
async fn an_idle_connection_is_found_while_another_is_being_opened() {
    let test = TestDatabase::create_empty().await;
    let proxy = FaultProxy::before(&test.url());
    let database = open(&proxy.url(&test.url()), 2).unwrap();
    let first = database.connect().await.unwrap();
    proxy.stall();
    let opening = tokio::spawn({
        let database = database.clone();
        async move { database.connect().await.map(drop) }
    });
    tokio::task::yield_now().await;
    drop(first);
    let found = timeout(Duration::from_secs(2), database.connect()).await.unwrap();
    drop(found.unwrap());
    proxy.mend();
    opening.await.unwrap().unwrap();
}
