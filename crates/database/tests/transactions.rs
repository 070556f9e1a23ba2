//! Statements and transactions on a real PostgreSQL.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicI32, Ordering};

use database::Database;
use database::config::DatabaseConfig;
use database::connection::{Begin, Connection};
use database::query::RunQueryDsl;
use database::statement::Statement;
use database::transaction::retry;
use diesel::pg::Pg;
use diesel::sql_types::Integer;
use domain::{Error, Result};
use futures_util::future::join;
use testkit::database::Database as TestDatabase;

/// A database with one connection and a table `numbers`.
async fn numbers() -> (TestDatabase, Database) {
    let test = TestDatabase::create().await;
    let statement_secs = DatabaseConfig::STATEMENT_SECS;
    let database =
        Database::open(&DatabaseConfig { url: test.url(), max_connections: 1, statement_secs }).unwrap();
    database
        .connect()
        .await
        .unwrap()
        .batch_execute("create table numbers (value int primary key)")
        .await
        .unwrap();
    (test, database)
}

async fn insert(connection: &Connection, sql: &str, value: i32) -> Result<()> {
    let sql = format!("{sql} into numbers (value) values ($1)");
    let inserted = Statement::new(sql).bind::<Integer, _>(value).execute(connection).await?;
    assert_eq!(inserted, 1);
    Ok(())
}

async fn count(test: &TestDatabase) -> i64 {
    test.count("select count(*) from numbers").await
}

#[tokio::test]
async fn joined_statements_share_the_transaction_that_the_first_begins() {
    let (test, database) = numbers().await;
    let connection = database.begin(Begin::WRITE).await.unwrap();
    let (one, two) = join(insert(&connection, "insert", 1), insert(&connection, "insert", 2)).await;
    one.and(two).unwrap();
    assert!(connection.is_open());
    let refused: Result<()> = connection.finish(Err(Error::forbidden())).await;
    assert_eq!(refused.unwrap_err().code, domain::Code::Forbidden);
    assert_eq!(count(&test).await, 0);
    let late = insert(&connection, "insert", 3).await.unwrap_err();
    assert_eq!(late.code, domain::Code::InternalError);
    assert_eq!(count(&test).await, 0);
}

#[tokio::test]
async fn a_prepared_commit_does_not_overtake_a_statement_that_is_not_prepared() {
    let (test, database) = numbers().await;
    for (value, sql) in (1..).zip(["insert", "Insert", "INSERT"]) {
        let connection = database.begin(Begin::WRITE).await.unwrap();
        insert(&connection, sql, 10 * value).await.unwrap();
        // Differs from the statement before, so this is the first time that the connection runs it.
        connection.commit_with(insert(&connection, &format!("{sql} /* last */"), value)).await.unwrap();
        assert_eq!(connection.finish(Ok(value)).await.unwrap(), value);
        assert_eq!(count(&test).await, 2 * i64::from(value));
    }
    let connection = database.begin(Begin::WRITE).await.unwrap();
    insert(&connection, "insert", 100).await.unwrap();
    let refused = connection.commit_with(insert(&connection, "insert /* again */", 100)).await;
    let refused: Result<()> = connection.finish(refused).await;
    assert_eq!(refused.unwrap_err().code, domain::Code::InternalError);
    drop(connection);
    assert_eq!(count(&test).await, 6);
}

#[tokio::test]
async fn a_conflict_is_tried_again_though_a_joined_statement_failed_of_it_first() {
    let (test, database) = numbers().await;
    let attempts = AtomicI32::new(0);
    let attempt = async || {
        let connection = database.begin(Begin::WRITE).await?;
        let conflicts = attempts.fetch_add(1, Ordering::Relaxed) == 0;
        let two = async {
            insert(&connection, "insert", 1).await?;
            insert(&connection, "insert", 2).await
        };
        // Sent between the other two, which are looked at first.
        let conflict = async {
            let message = if conflicts { "40001" } else { "00000" };
            let raised =
                "do $$ begin if '{}' <> '00000' then raise exception using errcode = '{}'; end if; end $$";
            Ok(connection.batch_execute(&raised.replace("{}", message)).await?)
        };
        let (written, raised): (Result<()>, Result<()>) = join(two, conflict).await;
        connection.finish(written.and(raised)).await
    };
    retry(attempt).await.unwrap();
    assert_eq!(attempts.into_inner(), 2);
    assert_eq!(count(&test).await, 2);
}

#[tokio::test]
async fn a_dropped_transaction_is_rolled_back_and_its_connection_replaced() {
    let (test, database) = numbers().await;
    let connection = database.begin(Begin::WRITE).await.unwrap();
    insert(&connection, "insert", 1).await.unwrap();
    drop(connection);
    let connection = database.begin(Begin::WRITE).await.unwrap();
    connection.commit_with(insert(&connection, "insert", 1)).await.unwrap();
    assert_eq!(count(&test).await, 1);
}

#[test]
fn parameters_of_the_heading_are_not_bound() {
    let statement = Statement::new("-- Adds $1\n-- and $1.\nselect $1 + 1").bind::<Integer, _>(2);
    let shown = diesel::debug_query::<Pg, _>(&statement).to_string();
    assert_eq!(shown, "select $1 + 1 -- binds: [2]");
}
