//! Migrations: up, down and up again; concurrent; killed; and under a service at work.

use std::fs;
use std::path::PathBuf;
use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use testkit::database::Database;
use testkit::deployment::{Deployment, Options, Service, migrate_command};
use testkit::seed::{MANAGE, MANAGE_WITH_CARDS};
use testkit::session::create_project;

/// The parts of a schema that a migration could forget to revert or to redo.
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
        select format('type %s', typname) from pg_type where typnamespace = 'public'::regnamespace \
            and typtype in ('e', 'd')
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

    revert(&database, &steps()).await;
    assert_eq!(shape().await, None, "something is left after all migrations have gone down");
    migrate(&database);
    assert_eq!(shape().await.unwrap(), up);
}

// X35
#[tokio::test]
async fn four_concurrent_migrations_succeed_and_each_step_runs_once() {
    let database = Database::create_empty().await;
    let running: Vec<Child> = (0..4).map(|_| migrate_command(&database.url()).spawn().unwrap()).collect();
    for mut child in running {
        assert!(child.wait().unwrap().success());
    }
    let count = i64::try_from(steps().len()).unwrap();
    assert_eq!(database.count("select count(*) from __diesel_schema_migrations").await, count);
}

// X35
#[tokio::test]
async fn a_killed_migration_is_rolled_back_and_the_next_one_succeeds() {
    let database = Database::create_empty().await;
    let mut blocker = database.connect().await;
    let blocking = blocker.transaction().await.unwrap();
    // An uncommitted table of the same name blocks the migration halfway.
    blocking.batch_execute("create table project_members ()").await.unwrap();
    let mut first = migrate_command(&database.url()).spawn().unwrap();
    database.wait_for_blocked(1).await;
    let mut second = migrate_command(&database.url()).spawn().unwrap();
    database.wait_for("query like 'select pg_try_advisory_lock%'", 1).await;
    first.kill().unwrap();
    assert!(!first.wait().unwrap().success());
    blocking.rollback().await.unwrap();
    assert!(second.wait().unwrap().success(), "the second did not get the lock of the dead one");
    assert_eq!(database.count("select count(*) from project_members").await, 0);
    migrate(&database);
}

// X35
#[tokio::test]
async fn a_service_works_while_later_steps_are_applied() {
    let deployment = Deployment::start().await;
    let planes = [&deployment.control[0], &deployment.data[0]];
    let caller = deployment.operator().user("alice").await.key(MANAGE_WITH_CARDS).await;
    let project = create_project(&caller, "Gear").await;
    // A change that later steps have nothing to do with, except for the events that it writes, the branches that say
    // when a project changed, and the keys, the custom fields and the types of cards.
    let create = async || {
        caller.post(&format!("/api/v2/projects/{project}/cards")).json(json!({ "name": "Shaft" })).await
    };

    let is_needed = [
        "2026-11-24-090000_change_events",
        "2026-11-27-130200_branches_tell_changes",
        "2026-11-28-160000_card_keys_and_fields",
        "2026-11-29-010000_custom_fields",
        "2026-11-29-030000_related_projects",
        "2026-11-29-140000_uses_of_fields",
        "2026-11-29-202000_card_types",
        "2026-11-29-202100_far_parents",
    ];
    let is_reverted = |step: &PathBuf| !is_needed.iter().any(|needed| step.ends_with(needed));
    let steps: Vec<PathBuf> = later_steps().into_iter().filter(is_reverted).collect();
    revert(&deployment.database, &steps).await;
    for plane in planes {
        assert_eq!(readiness(&deployment, plane).await, 503);
    }
    let is_migrated = AtomicBool::new(false);
    let requests = async {
        while !is_migrated.load(Ordering::Relaxed) {
            create().await.expect(201);
        }
    };
    let migration = async {
        let mut migrating = migrate_command(&deployment.database.url()).spawn().unwrap();
        let status = tokio::task::spawn_blocking(move || migrating.wait().unwrap()).await.unwrap();
        is_migrated.store(true, Ordering::Relaxed);
        assert!(status.success());
    };
    tokio::join!(requests, migration);
    for plane in planes {
        assert_eq!(readiness(&deployment, plane).await, 200);
    }
    create().await.expect(201);
}

// X35
#[tokio::test]
async fn a_later_step_without_its_lock_gives_up_and_is_applied_by_the_next_attempt() {
    let database = Database::create().await;
    revert(&database, &later_steps()).await;
    let mut writer = database.connect().await;
    let writing = writer.transaction().await.unwrap();
    writing.batch_execute("lock table session_runs in row exclusive mode").await.unwrap();
    let refused = migrate_command(&database.url()).output().unwrap();
    assert!(!refused.status.success());
    let reason = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(reason.contains("lock timeout"), "{reason}");
    let applied = "select count(*) from __diesel_schema_migrations";
    assert_eq!(database.count(applied).await, i64::try_from(steps().len() - later_steps().len()).unwrap());
    writing.rollback().await.unwrap();
    migrate(&database);
    assert_eq!(database.count(applied).await, i64::try_from(steps().len()).unwrap());
}

// X35
#[tokio::test]
async fn a_service_works_on_the_schema_of_the_next_release() {
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
    let deployment = Deployment::with(Options { database: Some(database), ..Options::default() }).await;
    let planes = [&deployment.control[0], &deployment.data[0]];
    for plane in planes {
        assert_eq!(readiness(&deployment, plane).await, 200);
    }
    let caller = deployment.operator().user("alice").await.key(MANAGE).await;
    let project = create_project(&caller, "Gear").await;
    caller.patch(&format!("/api/v2/projects/{project}")).json(json!({ "name": "Shaft" })).await.expect(200);

    // With a missing part, neither is ready.
    let forget = "delete from __diesel_schema_migrations where version = '20261123080100'";
    assert_eq!(client.execute(forget, &[]).await.unwrap(), 1);
    for plane in planes {
        assert_eq!(readiness(&deployment, plane).await, 503);
    }
}

fn migrate(database: &Database) {
    let output = migrate_command(&database.url()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

async fn readiness(deployment: &Deployment, service: &Service) -> u16 {
    deployment.http.get(format!("{}/readyz", service.ops_url)).send().await.unwrap().status().as_u16()
}

/// Reverts steps, the last one first.
async fn revert(database: &Database, steps: &[PathBuf]) {
    let client = database.connect().await;
    for step in steps.iter().rev() {
        let down = fs::read_to_string(step.join("down.sql")).unwrap();
        client.batch_execute(&down).await.unwrap_or_else(|error| panic!("{}: {error}", step.display()));
        let (version, _) = step.file_name().unwrap().to_str().unwrap().split_once('_').unwrap();
        let forget = "delete from __diesel_schema_migrations where version = $1::text";
        assert_eq!(client.execute(forget, &[&version.replace('-', "")]).await.unwrap(), 1, "{version}");
    }
}

/// The folders of all steps, in order.
fn steps() -> Vec<PathBuf> {
    let migrations = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
    let entries = fs::read_dir(migrations).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<PathBuf> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The steps after the baseline: they have a date.
fn later_steps() -> Vec<PathBuf> {
    let is_dated = |step: &PathBuf| step.file_name().unwrap().to_str().unwrap().starts_with("20");
    steps().into_iter().filter(is_dated).collect()
}
