//! Clones by the real `git`, of projects of three sizes, against `git http-backend` that serves the same repository as
//! well as Git can: packed, with differences between its objects, and indexed.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::json;

use super::client::{Client, Request};
use super::load::medians;
use super::pgbench::Database;
use super::stack::Stack;
use super::table::{Bound, Row};
use crate::process::output;

const ROUNDS: usize = 5;
const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
const REQUIRED: f64 = 1.0;
/// Where the benchmark keeps what it has put into projects.
const NUMBERED: &str = "create table if not exists bench_objects \
    (project_id uuid, number integer, id uuid, record jsonb, primary key (project_id, number))";

/// The rows of clones.
pub(super) fn measure(stack: &Stack) -> Result<Vec<Row>> {
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        return Ok(Vec::new());
    };
    SIZES.iter().map(|objects| of_size(stack, &database, *objects)).collect()
}

/// Objects that are cloned in a second, of a project of so many.
fn of_size(stack: &Stack, database: &Database, objects: u32) -> Result<Row> {
    let project = project_of(stack, database, objects)?;
    let clone = |url: &str, to: &Path| -> Result<f64> {
        let begun = Instant::now();
        let mut git = git(&["clone", "--quiet", "--bare", url]);
        git.arg(to).env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "http.extraHeader");
        git.env("GIT_CONFIG_VALUE_0", format!("Authorization: Bearer {}", stack.ready.api_key));
        output("git clone", &mut git)?;
        Ok(f64::from(objects) / begun.elapsed().as_secs_f64())
    };
    let once = |url: &str| -> Result<f64> {
        let folder = stack.scratch.join("clone.git");
        let rate = clone(url, &folder)?;
        std::fs::remove_dir_all(folder)?;
        Ok(rate)
    };
    let ours = format!("{}/git/{project}.git", stack.ready.control_url);
    let name = format!("{objects}.git");
    let repository = stack.repositories.folder.join(&name);
    clone(&ours, &repository)?;
    let repack = ["repack", "-a", "-d", "-f", "--write-bitmap-index", "--quiet"];
    output("git repack", git(&repack).current_dir(&repository))?;
    let theirs = format!("{}/{name}", stack.repositories.url);
    let [service, yardstick] = medians(ROUNDS, [&mut |_| once(&ours), &mut |_| once(&theirs)])?;
    Ok(Row {
        name: format!("clone of {objects} objects"),
        unit: "objects/s",
        service,
        yardstick: Some(yardstick),
        required: Some(Bound::Ratio(REQUIRED)),
        aim: None,
        note: "git http-backend: the same repository",
    })
}

/// A new project with so many objects in a commit. They are put where the service keeps what is not committed: it is
/// not their creation that is measured. `bench_objects` has them by their numbers, from 1 on.
pub(super) fn project_of(stack: &Stack, database: &Database, objects: u32) -> Result<String> {
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
    // As the service does with each change of a branch: what it has in memory is of another revision then.
    let raise = format!("update branches set revision = revision + 1 where project_id = '{project}'");
    database.run(&[NUMBERED, &number, &insert, &raise, "analyze"])?;
    let path = format!("/api/v2/projects/{project}/branches/main/commits");
    let headers = ["content-type: application/json".to_owned()];
    let request = Request { method: "POST", path: &path, bearer: &stack.ready.api_key, headers: &headers };
    let body = json!({ "message": "Everything" }).to_string();
    let mut client = Client::connect(&stack.ready.control_url)?;
    client.send(&request, body.as_bytes())?.expect(201).context("commit")?;
    Ok(project)
}

/// Git, with nothing of this machine's configuration.
pub(super) fn git(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.env("GIT_TERMINAL_PROMPT", "0").env("NO_PROXY", "*").env("no_proxy", "*");
    git
}
