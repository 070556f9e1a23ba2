//! Large projects, written past the API: their creation is not measured.

use anyhow::{Context, Result};
use serde_json::json;

use crate::client::{Client, Request};
use crate::pgbench::Database;
use crate::stack::Stack;

/// The objects of all large projects, by their numbers.
const OBJECTS_TABLE: &str = "create table if not exists bench_objects \
    (project_id uuid, number integer, id uuid, record jsonb, primary key (project_id, number))";

/// Creates a project with one commit of this many objects. The table `bench_objects` has them by number, from 1 on.
pub(crate) fn create(stack: &Stack, database: &Database, objects: u32) -> Result<String> {
    let project = stack.session()?.project;
    let number = format!(
        "insert into bench_objects \
         select '{project}', o.n, o.id, jsonb_build_object('id', o.id, 'name', 'Part ' || o.n, 'type', 'Part', \
         'parent', '{project}', 'data', jsonb_build_object('length', o.n * 7919 % 10007, 'material', 'steel')) \
         from (select n, gen_random_uuid() as id from generate_series(1, {objects}) n) o"
    );
    let insert = format!(
        "insert into working_changes (branch_id, object_id, record, changed_at) \
         select b.id, o.id, o.record, now() from branches b, bench_objects o \
         where b.project_id = '{project}' and o.project_id = b.project_id"
    );
    // The service does so with each change of a branch: its cached tree belongs to another revision then.
    let raise = format!("update branches set revision = revision + 1 where project_id = '{project}'");
    database.run(&[OBJECTS_TABLE, &number, &insert, &raise, "analyze"])?;
    let path = format!("/api/v2/projects/{project}/branches/main/commits");
    let headers = ["content-type: application/json".to_owned()];
    let request = Request { method: "POST", path: &path, bearer: &stack.ready.api_key, headers: &headers };
    let body = json!({ "message": "Everything" }).to_string();
    let mut client = Client::connect(&stack.ready.control_url)?;
    client.send(&request, body.as_bytes())?.expect(201).context("commit")?;
    Ok(project)
}
