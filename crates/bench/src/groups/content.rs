//! Content of projects of three sizes: the growth of each operation with the project, and its rate beside Git's plumbing,
//! a clone, and the bare serialisation of a tree.

mod bom;
mod plumbing;

use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use self::plumbing::Plumbing;
use super::Tell;
use crate::client::{Answer, Client, Request};
use crate::load::{Load, medians};
use crate::pgbench::Database;
use crate::process::output;
use crate::replica::Replica;
use crate::stack::Stack;
use crate::table::{Bound, Row};
use crate::{git, projects};

/// Objects of the projects. The largest is compared with the yardsticks.
const SIZES: [u32; 3] = [1_000, 10_000, 100_000];
/// Numbers of uncommitted changes.
const EDITS: [u32; 3] = [1, 100, 1_000];
/// Changed objects of a commit.
const CHANGED: u32 = 10;
const ROUNDS: usize = 5;
/// One client, since latency is compared.
const LOAD: Load = Load { clients: 1, time: Duration::from_millis(500) };
/// Commits, merges and branches in a round.
const REPEATS: u32 = 5;
/// Least ratio of an operation whose time doesn't depend on the project's size, with room for noise.
const FLAT: f64 = 0.6;
/// Least ratio of commits in a project of a hundred times the size: at most three times the duration.
const COMMIT_FLAT: f64 = 0.33;
const COMMIT_KB: f64 = 100.0;
/// Least ratio of a tree to its serialisation: at most three times the duration.
const TREE: f64 = 0.33;
const TREE_AIM: f64 = 0.77;

/// The rows of content.
pub(super) fn measure(stack: &Stack, tell: Tell<'_>) -> Result<()> {
    let Some(database) = Database::open(&stack.postgres_bin, &stack.ready.database_url)? else {
        return Ok(());
    };
    let projects: Vec<Project<'_>> =
        SIZES.iter().map(|size| Project::new(stack, &database, *size)).collect::<Result<_>>()?;
    let [small, middle, large] = projects.as_slice() else { bail!("three sizes are compared") };
    let trio = [small, middle, large];
    for edits in EDITS {
        let branch = format!("edits-{edits}");
        for project in trio {
            project.branch(&branch)?;
            project.edit(&branch, 1, edits, 0)?;
        }
        let rates = of_each(trio, |project, _| project.rate(&format!("branches/{branch}/changes")))?;
        tell(against_smallest(&format!("changes, {edits} edits"), rates, FLAT).into())?;
    }
    let rates =
        of_each(trio, |project, round| timed(|repeat| project.branch(&format!("new-{round}-{repeat}"))))?;
    tell(against_smallest("branches created", rates, FLAT).into())?;
    tell(commits(stack, &database, trio)?)?;
    tell(trees(stack, large)?)?;
    let id = projects::create_assemblies(stack, &database, bom::OBJECTS)?;
    tell(bom::bills(&Project { stack, database: &database, id, size: bom::OBJECTS })?)
}

/// Commits of changed objects beside those of a small project and Git's plumbing, and the bytes that they write.
fn commits(stack: &Stack, database: &Database, trio: [&Project<'_>; 3]) -> Result<Vec<Row>> {
    let rates = of_each(trio, Project::commits)?;
    let mut rows: Vec<Row> =
        against_smallest(&format!("commits of {CHANGED} objects"), rates, COMMIT_FLAT).into();
    let [_, _, large] = trio;
    let before = stored_bytes(database)?;
    // A new round number.
    large.commits(ROUNDS)?;
    let written = (stored_bytes(database)? - before) / f64::from(REPEATS) / 1_000.0;
    rows.push(Row {
        name: format!("  written by each, of {} objects", large.size),
        unit: "kB",
        service: written,
        yardstick: None,
        required: Some(Bound::Below(COMMIT_KB)),
        aim: None,
        note: "bytes of new Git objects",
    });

    let folder = stack.scratch.join("plumbing.git");
    git::clone_bare(stack, &git::url(stack, &large.id), &folder)?;
    let plumbing = Plumbing::open(&folder)?;
    let [service, yardstick] = medians(
        ROUNDS,
        [&mut |round| large.commits(ROUNDS + 1 + round), &mut |round| {
            timed(|repeat| plumbing.commit(CHANGED, u32::try_from(round)? * REPEATS + repeat))
        }],
    )?;
    rows.push(Row {
        name: format!("  the same, of {} objects", large.size),
        unit: "/s",
        service,
        yardstick: Some(yardstick),
        required: Some(Bound::Ratio(1.0)),
        aim: None,
        note: "git hash-object, mktree, commit-tree",
    });
    Ok(rows)
}

/// The tree of the largest project, from the cache and from the database.
fn trees(stack: &Stack, project: &Project<'_>) -> Result<Vec<Row>> {
    let path = project.at("tree");
    let tree: Tree = serde_json::from_slice(&project.client()?.get(stack, &path)?.body)?;
    let [service, yardstick] = medians(
        ROUNDS,
        [&mut |_| project.rate("tree"), &mut |_| {
            timed(|_| {
                let bytes = serde_json::to_vec(&tree)?;
                std::hint::black_box(bytes.len());
                Ok(())
            })
        }],
    )?;
    let warm = Row {
        name: format!("trees of {} objects, in memory", project.size),
        unit: "/s",
        service,
        yardstick: Some(yardstick),
        required: Some(Bound::Ratio(TREE)),
        aim: Some(Bound::Ratio(TREE_AIM)),
        note: "their bare serialisation",
    };
    let repository = stack.scratch.join("cold.git");
    git::clone_bare(stack, &git::url(stack, &project.id), &repository)?;
    let [service, yardstick] = medians(
        ROUNDS,
        [
            &mut |_| {
                let fresh = Replica::start(stack, "control", &stack.control, &[])?;
                let mut client = Client::connect(&fresh.url)?;
                let begun = Instant::now();
                client.get(stack, &path)?;
                Ok(1.0 / begun.elapsed().as_secs_f64())
            },
            &mut |_| {
                let folder = stack.scratch.join("cold");
                let begun = Instant::now();
                output("git clone", git::command(&["clone", "--quiet"]).arg(&repository).arg(&folder))?;
                let rate = 1.0 / begun.elapsed().as_secs_f64();
                std::fs::remove_dir_all(folder)?;
                Ok(rate)
            },
        ],
    )?;
    let cold = Row {
        name: "  by a process that has just started".to_owned(),
        unit: "/s",
        service,
        yardstick: Some(yardstick),
        required: Some(Bound::Ratio(1.0)),
        aim: None,
        note: "git clone from the local disk",
    };
    Ok(vec![warm, cold])
}

/// The medians of the three projects, measured in turns.
fn of_each<'a>(
    [small, middle, large]: [&Project<'a>; 3],
    figure: impl Fn(&Project<'a>, usize) -> Result<f64>,
) -> Result<[f64; 3]> {
    medians(
        ROUNDS,
        [&mut |round| figure(small, round), &mut |round| figure(middle, round), &mut |round| {
            figure(large, round)
        }],
    )
}

/// The rows of the larger projects, compared with the smallest.
fn against_smallest(what: &str, [smallest, middle, large]: [f64; 3], required: f64) -> [Row; 2] {
    let [_, size_of_middle, size_of_large] = SIZES;
    [(size_of_middle, middle), (size_of_large, large)].map(|(size, service)| Row {
        name: format!("{what}, of {size} objects"),
        unit: "/s",
        service,
        yardstick: Some(smallest),
        required: Some(Bound::Ratio(required)),
        aim: None,
        note: "the same of 1,000 objects",
    })
}

/// Repetitions per second.
fn timed(mut work: impl FnMut(u32) -> Result<()>) -> Result<f64> {
    let begun = Instant::now();
    (0..REPEATS).try_for_each(&mut work)?;
    Ok(f64::from(REPEATS) / begun.elapsed().as_secs_f64())
}

fn stored_bytes(database: &Database) -> Result<f64> {
    let bytes = database.ask("select coalesce(sum(octet_length(data)), 0) from git_objects")?;
    bytes.parse().context("a number of bytes")
}

/// A project with one large commit.
struct Project<'a> {
    stack: &'a Stack,
    database: &'a Database,
    id: String,
    size: u32,
}

impl<'a> Project<'a> {
    fn new(stack: &'a Stack, database: &'a Database, size: u32) -> Result<Self> {
        let id = projects::create(stack, database, size)?;
        let project = Self { stack, database, id, size };
        project.branch("commits")?;
        Ok(project)
    }

    fn at(&self, path: &str) -> String {
        format!("/api/v2/projects/{}/{path}", self.id)
    }

    fn client(&self) -> Result<Client> {
        Client::connect(&self.stack.ready.control_url)
    }

    fn branch(&self, name: &str) -> Result<()> {
        self.client()?.post(self.stack, &self.at("branches"), &json!({ "name": name }))
    }

    /// Reads of a path in a second.
    fn rate(&self, path: &str) -> Result<f64> {
        let path = self.at(path);
        LOAD.rate(|_| self.client(), |client, _| client.get(self.stack, &path).map(drop))
    }

    /// Commits per second on their own branch, without the time of the changes.
    fn commits(&self, round: usize) -> Result<f64> {
        let mut client = self.client()?;
        let path = self.at("branches/commits/commits");
        let mut taken = Duration::ZERO;
        for repeat in 0..REPEATS {
            let number = u32::try_from(round)? * REPEATS + repeat;
            self.edit("commits", number * CHANGED % self.size + 1, CHANGED, number)?;
            let begun = Instant::now();
            client.post(self.stack, &path, &json!({ "message": format!("Commit {number}") }))?;
            taken += begun.elapsed();
        }
        Ok(f64::from(REPEATS) / taken.as_secs_f64())
    }

    /// Writes uncommitted changes of `count` objects from number `first` on, past the API: they aren't measured.
    fn edit(&self, branch: &str, first: u32, count: u32, version: u32) -> Result<()> {
        let Self { id, .. } = self;
        let last = first + count - 1;
        let insert = format!(
            "insert into working_changes (branch_id, object_id, record, committed, changed_at) \
             select b.id, o.id, o.record || jsonb_build_object('name', 'Version {version}'), o.record, now() \
             from branches b, bench_objects o \
             where b.project_id = '{id}' and b.name = '{branch}' and o.project_id = '{id}' \
             and o.number between {first} and {last}"
        );
        let raise = format!(
            "update branches set revision = revision + 1 where project_id = '{id}' and name = '{branch}'"
        );
        self.database.run(&[&insert, &raise])
    }
}

impl Client {
    fn get(&mut self, stack: &Stack, path: &str) -> Result<Answer> {
        let request = Request { method: "GET", path, bearer: &stack.ready.api_key, headers: &[] };
        self.send(&request, b"")?.expect(200)
    }

    fn post(&mut self, stack: &Stack, path: &str, body: &Value) -> Result<()> {
        let headers = ["content-type: application/json".to_owned()];
        let request = Request { method: "POST", path, bearer: &stack.ready.api_key, headers: &headers };
        self.send(&request, body.to_string().as_bytes())?.expect(201).map(drop)
    }
}

/// A parsed tree, to be serialised again.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Tree {
    object_count: u64,
    tree: Vec<Node>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Node {
    id: String,
    name: String,
    #[serde(rename = "type")]
    object_type: String,
    parent: String,
    children_count: u64,
}
