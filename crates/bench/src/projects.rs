//! Large projects, written past the API: their creation is not measured.

use anyhow::Result;
use serde_json::json;

use crate::log;
use crate::pgbench::Database;
use crate::stack::Stack;

/// The objects of all large projects, by their numbers.
const OBJECTS_TABLE: &str = "create table if not exists bench_objects \
    (project_id uuid, number integer, id uuid, record jsonb, primary key (project_id, number))";

/// Parts of an assembly, its own object included.
const ASSEMBLY: u32 = 100;

/// Creates a project with one commit of this many objects. The table `bench_objects` has them by number, from 1 on.
pub(crate) fn create(stack: &Stack, database: &Database, objects: u32) -> Result<String> {
    log(format_args!("creating a project of {objects} objects"));
    let project = stack.session()?.project;
    let number = format!(
        "insert into bench_objects \
         select '{project}', o.n, o.id, jsonb_build_object('id', o.id, 'name', 'Part ' || o.n, 'type', 'Part', \
         'parent', '{project}', 'data', jsonb_build_object('length', o.n * 7919 % 10007, 'material', 'steel')) \
         from (select n, gen_random_uuid() as id from generate_series(1, {objects}) n) o"
    );
    database.run(&[OBJECTS_TABLE, number.as_str()])?;
    commit(stack, database, &project)?;
    Ok(project)
}

/// Creates a project of assemblies with 99 parts of seven definitions each.
pub(crate) fn create_assemblies(stack: &Stack, database: &Database, objects: u32) -> Result<String> {
    log(format_args!("creating a project of {objects} parts and assemblies"));
    let project = stack.session()?.project;
    let assemblies = objects / ASSEMBLY;
    let whole = format!(
        "insert into bench_objects \
         select '{project}', o.n, o.id, jsonb_build_object('id', o.id, 'name', 'Assembly ' || o.n, \
         'type', 'Assembly', 'parent', '{project}', 'data', jsonb_build_object('definition', \
         jsonb_build_object('id', 'A-' || o.n, 'name', 'Assembly ' || o.n))) \
         from (select n, gen_random_uuid() as id from generate_series(1, {assemblies}) n) o"
    );
    let parts = format!(
        "insert into bench_objects \
         select '{project}', o.n, o.id, jsonb_build_object('id', o.id, 'name', 'Part ' || o.n, 'type', 'Part', \
         'parent', a.id, 'data', jsonb_build_object('definition', jsonb_build_object('id', 'P-' || o.definition, \
         'name', 'Part ' || o.definition, 'geometry', md5(o.definition::text), 'material', 'steel'))) \
         from ( \
             select n, gen_random_uuid() as id, 1 + n % {assemblies} as assembly, \
                 (n % {assemblies} * 7 + n / {assemblies} % 7) % {assemblies} as definition \
             from generate_series({assemblies} + 1, {objects}) n \
         ) o join bench_objects a on a.project_id = '{project}' and a.number = o.assembly"
    );
    database.run(&[OBJECTS_TABLE, whole.as_str(), parts.as_str()])?;
    commit(stack, database, &project)?;
    Ok(project)
}

/// Commits the objects that `bench_objects` has of a project. Their texts aren't indexed: for minutes, the indexer would
/// work beside the measurements.
pub(crate) fn commit(stack: &Stack, database: &Database, project: &str) -> Result<()> {
    let branches = format!("select id from branches where project_id = '{project}'");
    let insert = format!(
        "insert into working_changes (branch_id, object_id, record, changed_at) \
         select b.id, o.id, o.record, now() from branches b, bench_objects o \
         where b.project_id = '{project}' and o.project_id = b.project_id; \
         delete from text_changes where branch_id in ({branches})"
    );
    // The service does so with each change of a branch: its cached tree belongs to another revision then.
    let raise = format!("update branches set revision = revision + 1 where project_id = '{project}'");
    database.run(&[insert.as_str(), raise.as_str(), "analyze"])?;
    let path = format!("/api/v2/projects/{project}/branches/main/commits");
    stack.call("POST", &path, &json!({ "message": "Everything" }).to_string(), 201)?;
    Ok(())
}

/// Creates the table of the objects of large projects, unless it is there.
pub(crate) fn create_table(database: &Database) -> Result<()> {
    database.run(&[OBJECTS_TABLE])
}
