//! Migrations: up, down and up again; by several processes at once; by one that dies; under a service that is older.

use std::fs;
use std::path::PathBuf;
use std::process::Child;

use serde_json::json;
use testkit::api::{Api, Options, Service, migrate_command};
use testkit::database::Database;
use testkit::seed::MANAGE;
use testkit::session::create_project;

/// Everything about a schema that a migration could forget to undo or to redo.
const SHAPE: &str = "
    select string_agg(line, E'\\n' order by line) from (
        select format('%s.%s %s %s %s', table_name, column_name, data_type, is_nullable, column_default) as line
        from information_schema.columns where table_schema = 'public'
        union all
        select format('%s %s', conrelid::regclass, pg_get_constraintdef(oid)) from pg_constraint
        where connamespace = 'public'::regnamespace
        union all
        select indexdef from pg_indexes where schemaname = 'public'
        union all
        select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal
        union all
        select format('function %s', oid::regprocedure) from pg_proc where pronamespace = 'public'::regnamespace
        union all
        select format('type %s', typname) from pg_type where typnamespace = 'public'::regnamespace and typtype in ('e', 'd')
    ) lines
    where line not like '%__diesel%'";

#[tokio::test]
async fn every_migration_goes_up_down_and_up_again() {
    let database = Database::create_empty().await;
    migrate(&database);
    let client = database.connect().await;
    let shape = async || client.query_one(SHAPE, &[]).await.unwrap().get::<_, Option<String>>(0);
    let up = shape().await.unwrap();
    assert!(up.contains("projects.name text NO"), "{up}");

    let mut folders: Vec<PathBuf> =
        fs::read_dir(migrations()).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    for folder in folders.iter().rev() {
        let down = fs::read_to_string(folder.join("down.sql")).unwrap();
        client.batch_execute(&down).await.unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    }
    assert_eq!(shape().await, None, "something is left after all migrations have gone down");
    client.batch_execute("delete from __diesel_schema_migrations").await.unwrap();
    migrate(&database);
    assert_eq!(shape().await.unwrap(), up);
}

// X35
#[tokio::test]
async fn four_processes_that_migrate_at_once_all_succeed_and_each_migration_runs_once() {
    let database = Database::create_empty().await;
    let running: Vec<Child> = (0..4).map(|_| migrate_command(&database.url()).spawn().unwrap()).collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let count = i64::try_from(fs::read_dir(migrations()).unwrap().count()).unwrap();
    assert_eq!(database.count("select count(*) from __diesel_schema_migrations").await, count);
}

// X35
#[tokio::test]
async fn a_migration_that_is_killed_leaves_no_half_and_the_next_one_does_it_all() {
    let database = Database::create_empty().await;
    let mut blocker = database.connect().await;
    let blocking = blocker.transaction().await.unwrap();
    // An uncommitted table of the same name holds the migration in the middle of its work.
    blocking.batch_execute("create table project_members ()").await.unwrap();
    let mut first = migrate_command(&database.url()).spawn().unwrap();
    database.wait_for_blocked(1).await;
    let mut second = migrate_command(&database.url()).spawn().unwrap();
    database.wait_for_blocked(2).await;
    first.kill().unwrap();
    assert!(!first.wait().unwrap().success());
    blocking.rollback().await.unwrap();
    assert!(second.wait().unwrap().success(), "the second did not get the lock of the dead one");
    assert_eq!(database.count("select count(*) from project_members").await, 0);
    migrate(&database);
}

// X35
#[tokio::test]
async fn a_service_goes_on_while_the_schema_is_already_that_of_the_next_release() {
    let database = Database::create().await;
    let client = database.connect().await;
    client
        .batch_execute(
            "create table of_the_next_release (id uuid primary key);
             alter table projects add column of_the_next_release text;
             insert into __diesel_schema_migrations (version) values ('99999999999999')",
        )
        .await
        .unwrap();
    let api = Api::with(Options { database: Some(database), ..Options::default() }).await;
    let status = async |service: &Service| {
        api.http.get(format!("{}/readyz", service.ops_url)).send().await.unwrap().status().as_u16()
    };
    let planes = [&api.control[0], &api.data[0]];
    for plane in planes {
        assert_eq!(status(plane).await, 200);
    }
    let caller = api.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gear").await;
    caller.patch(&format!("/api/v2/projects/{project}")).json(json!({ "name": "Shaft" })).await.expect(200);

    // Where something is missing, neither is ready.
    let forget = "delete from __diesel_schema_migrations where version = '00000000000021'";
    assert_eq!(client.execute(forget, &[]).await.unwrap(), 1);
    for plane in planes {
        assert_eq!(status(plane).await, 503);
    }
}

fn migrate(database: &Database) {
    let output = migrate_command(&database.url()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn migrations() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../migrations")
}
