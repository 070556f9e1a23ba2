//! Clones and fetches of Git clients: the project's branches, and the objects that a client lacks.
//!
//! Git objects never change, so no transaction stays open while a pack is sent. The list of its objects comes from one
//! snapshot of the database. The objects are loaded in batches, and each batch checks the caller's access again.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use auth::actor::ProjectRead;
use database::decode;
use database::prelude::*;
use database::schema::{self, branches};
use diesel::sql_types::{Array, BigInt, Binary, Text, Uuid as SqlUuid};
use domain::{Error, Result};
use futures_util::TryStreamExt;
use git::upload_pack::{Fetch, References};
use git::{Commit, CommitSelection, GitObjectKind, Graph, NeededCommits, Oid, PackContent, Reach, Wish};
use tokio::task::spawn_blocking;

use crate::access::project::Project;
use crate::resources::content::commits::{self, CommitNode};
use crate::resources::git_objects;
use crate::resources::store::Tx;

/// Most objects of a batch.
const BATCH_OBJECTS: usize = 4_096;
/// Size after which a batch ends, in bytes.
const BATCH_BYTES: i64 = 2 * 1024 * 1024;

/// Most objects that one query looks up.
const LOOKUP_OBJECTS: usize = 8_192;

/// The answer to a request for commits.
#[derive(Clone, Debug)]
pub enum FetchPlan {
    /// A refusal, for the user of Git.
    Refused(String),
    /// A whole response: the client has to name more of its commits.
    Negotiate(Vec<u8>),
    /// The pack can be sent.
    Send {
        /// The response before the pack.
        preamble: Vec<u8>,
        /// The pack.
        content: PackContent,
    },
}

/// The project's branches; a clone checks out the witness'.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn references(tx: &mut Tx, project: &Project<ProjectRead>) -> Result<References> {
    let rows: Vec<(String, Option<Vec<u8>>)> = branches::table
        .filter(branches::project_id.eq(project.record.id.0))
        .order(branches::name)
        .select((branches::name, branches::head))
        .load(tx)
        .await?;
    let with_head = |(name, head): (String, Option<Vec<u8>>)| {
        head.map(|head| Ok((name, decode::commit_hash(&head)?.into()))).transpose()
    };
    let branches: Result<Vec<Option<(String, Oid)>>> = rows.into_iter().map(with_head).collect();
    Ok(References {
        head: project.branch.name.as_str().to_owned(),
        branches: branches?.into_iter().flatten().collect(),
    })
}

/// Selects what a client gets.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt.
pub async fn plan(tx: &mut Tx, project: &Project<ProjectRead>, fetch: &Arc<Fetch>) -> Result<FetchPlan> {
    let wanted = match wanted(tx, project, &fetch.wants).await? {
        Ok(wanted) => wanted,
        Err(unknown) => return Ok(FetchPlan::Refused(format!("not our object {unknown}"))),
    };
    let common = known(tx, project, &fetch.haves).await?;
    let is_settled = fetch.is_settled(&common);
    if !is_settled && !fetch.limits_history() {
        return Ok(FetchPlan::Negotiate(fetch.preamble(&common, &CommitSelection::default())));
    }
    let excluded = match excluded(tx, project, fetch).await? {
        Ok(excluded) => excluded,
        Err(refusal) => return Ok(FetchPlan::Refused(refusal)),
    };
    let named_commits = if fetch.filter.without_commits { wanted.commits.clone() } else { Vec::new() };
    let wish = fetch.wish(wanted.commits, &common, excluded);
    let graph = graph(tx, project, &wish).await?;
    let asked = Arc::clone(fetch);
    // A long history would block the other requests of this thread.
    let selected = spawn_blocking(move || {
        (!graph.excludes_all(&wish)).then(|| {
            let selection = graph.select(&wish);
            (asked.preamble(&common, &selection), selection)
        })
    });
    let Some((preamble, selection)) = selected.await.map_err(Error::internal)? else {
        return Ok(FetchPlan::Refused("no commits selected for shallow requests".to_owned()));
    };
    Ok(match is_settled {
        true => FetchPlan::Send {
            preamble,
            content: PackContent {
                commits: selection.commits,
                named_commits,
                bases: selection.bases,
                trees: wanted.trees,
                blobs: wanted.blobs,
                filter: fetch.filter,
            },
        },
        false => FetchPlan::Negotiate(preamble),
    })
}

/// All objects of a pack, in its order.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt.
pub async fn objects(tx: &mut Tx, project: &Project<ProjectRead>, content: &PackContent) -> Result<Vec<Oid>> {
    let mut reach = Reach::new(content);
    while let Some(wanted) = reach.wanted()? {
        git_objects::for_each(tx, project.record.id, &wanted, |oid, data| reach.supply(oid, &data)).await?;
    }
    let mut found = reach.found();
    if let Some(limit_bytes) = content.filter.blob_limit_bytes.filter(|bytes| *bytes > 0) {
        let mut large = large_blobs(tx, project, &found, limit_bytes).await?;
        for named in &content.blobs {
            large.remove(named);
        }
        found.retain(|oid| !large.contains(oid));
    }
    Ok(found)
}

/// The first batch of these objects. It holds at least one object if there is any.
///
/// # Errors
/// `INTERNAL_ERROR` if one is missing.
pub async fn load(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    objects: &[Oid],
) -> Result<Vec<(GitObjectKind, Vec<u8>)>> {
    let batch: Vec<&[u8]> = objects.iter().take(BATCH_OBJECTS).map(|oid| oid.0.as_slice()).collect();
    let rows: Vec<ObjectRow> = Statement::new(include_str!("clone/load.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<Binary>, _>(batch)
        .bind::<BigInt, _>(BATCH_BYTES)
        .load(tx)
        .await?;
    let missing = || Error::internal("a Git object of the project is missing");
    if rows.is_empty() && !objects.is_empty() {
        return Err(missing());
    }
    let in_place = |(place, row): (i64, ObjectRow)| {
        let kind = GitObjectKind::from_name(&row.kind).filter(|_| row.place == place).ok_or_else(missing)?;
        Ok((kind, row.data))
    };
    (1..).zip(rows).map(in_place).collect()
}

/// Those of `oids` that are commits of the project, in their order.
async fn known(tx: &mut Tx, project: &Project<ProjectRead>, oids: &[Oid]) -> Result<Vec<Oid>> {
    let mut known = Vec::new();
    for batch in oids.chunks(LOOKUP_OBJECTS) {
        let batch: Vec<&[u8]> = batch.iter().map(|oid| oid.0.as_slice()).collect();
        let rows: Vec<OidRow> = Statement::new(include_str!("clone/known.sql"))
            .bind::<SqlUuid, _>(project.record.id.0)
            .bind::<Array<Binary>, _>(batch)
            .load(tx)
            .await?;
        for row in rows {
            known.push(oid(&row.oid)?);
        }
    }
    Ok(known)
}

/// The wanted objects by kind, or the first that the project lacks. All of the project's are reachable: they were written
/// together with a commit.
async fn wanted(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    oids: &[Oid],
) -> Result<std::result::Result<WantedObjects, Oid>> {
    let mut wanted = WantedObjects::default();
    for batch in oids.chunks(LOOKUP_OBJECTS) {
        let named: Vec<&[u8]> = batch.iter().map(|oid| oid.0.as_slice()).collect();
        let rows: Vec<KindRow> = Statement::new(include_str!("clone/kinds.sql"))
            .bind::<SqlUuid, _>(project.record.id.0)
            .bind::<Array<Binary>, _>(named)
            .load(tx)
            .await?;
        let mut kinds = HashMap::with_capacity(rows.len());
        for row in rows {
            let kind = GitObjectKind::from_name(&row.kind).ok_or_else(unknown_kind)?;
            kinds.insert(oid(&row.oid)?, kind);
        }
        for oid in batch {
            match kinds.get(oid) {
                None => return Ok(Err(*oid)),
                Some(GitObjectKind::Commit) => wanted.commits.push(*oid),
                Some(GitObjectKind::Tree) => wanted.trees.push(*oid),
                Some(GitObjectKind::Blob) => wanted.blobs.push(*oid),
            }
        }
    }
    Ok(Ok(wanted))
}

/// Those of these Git objects that are blobs of at least this size.
async fn large_blobs(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    oids: &[Oid],
    limit_bytes: u64,
) -> Result<HashSet<Oid>> {
    let mut large = HashSet::new();
    for batch in oids.chunks(LOOKUP_OBJECTS) {
        let batch: Vec<&[u8]> = batch.iter().map(|oid| oid.0.as_slice()).collect();
        let rows: Vec<OidRow> = Statement::new(include_str!("clone/large_blobs.sql"))
            .bind::<SqlUuid, _>(project.record.id.0)
            .bind::<Array<Binary>, _>(batch)
            .bind::<BigInt, _>(i64::try_from(limit_bytes).unwrap_or(i64::MAX))
            .load(tx)
            .await?;
        for row in rows {
            large.insert(oid(&row.oid)?);
        }
    }
    Ok(large)
}

/// The commits that a client excludes together with their ancestors, or a refusal.
async fn excluded(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    fetch: &Fetch,
) -> Result<std::result::Result<Vec<Oid>, String>> {
    let mut excluded = Vec::new();
    if !fetch.excluded.is_empty() {
        let references = references(tx, project).await?;
        for branch in &fetch.excluded {
            match references.find(branch) {
                Some(commit) => excluded.push(commit),
                None => return Ok(Err(format!("deepen-not: there is no branch {branch}"))),
            }
        }
    }
    if let Some(since) = fetch.since {
        let mut rows = Statement::new(include_str!("clone/commits.sql"))
            .bind::<SqlUuid, _>(project.record.id.0)
            .load_stream::<CommitDataRow, _>(tx)
            .await?;
        while let Some(CommitDataRow { oid, data }) = rows.try_next().await? {
            let commit = Commit::parse(decode::commit_hash(&oid)?, &data)?;
            if commit.author.time.unix_seconds() < since {
                excluded.push(commit.hash.into());
            }
        }
    }
    Ok(Ok(excluded))
}

/// The part of the project's graph that the selection needs: all of it or, if the client has some commits and a complete
/// history, only down to those.
pub(super) async fn graph<P>(tx: &mut Tx, project: &Project<P>, wish: &Wish) -> Result<Graph> {
    if wish.wants.is_empty() {
        return Ok(Graph::default());
    }
    if wish.common.is_empty() || wish.depth.is_some() || !wish.shallow.is_empty() {
        return whole_graph(tx, project).await;
    }
    let mut needed = NeededCommits::of(wish);
    let mut below = i64::MAX;
    while !needed.is_complete() {
        let written = commits::written_before(tx, project, below).await?;
        let Some(last) = written.last() else { break };
        below = last.number;
        for CommitNode { commit, parents, .. } in written {
            needed.take(commit.into(), parents.into_iter().map(Oid::from).collect());
        }
    }
    Ok(needed.graph())
}

/// All commits of the project.
async fn whole_graph<P>(tx: &mut Tx, project: &Project<P>) -> Result<Graph> {
    let rows: Vec<(Vec<u8>, Vec<Vec<u8>>)> = schema::commits::table
        .filter(schema::commits::project_id.eq(project.record.id.0))
        .select((schema::commits::oid, schema::commits::parents))
        .load(tx)
        .await?;
    let mut graph = Graph::default();
    for (commit, parents) in rows {
        let parents: Result<Vec<Oid>> = parents.iter().map(|parent| oid(parent)).collect();
        graph.insert(oid(&commit)?, parents?);
    }
    Ok(graph)
}

fn unknown_kind() -> Error {
    Error::internal("a Git object is of an unknown kind")
}

fn oid(bytes: &[u8]) -> Result<Oid> {
    decode::commit_hash(bytes).map(Oid::from)
}

/// The objects that a client names, by kind.
#[derive(Default)]
struct WantedObjects {
    commits: Vec<Oid>,
    trees: Vec<Oid>,
    blobs: Vec<Oid>,
}

#[derive(QueryableByName)]
struct OidRow {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
}

#[derive(QueryableByName)]
struct ObjectRow {
    #[diesel(sql_type = BigInt)]
    place: i64,
    #[diesel(sql_type = Text)]
    kind: String,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}

#[derive(QueryableByName)]
struct KindRow {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = Text)]
    kind: String,
}

#[derive(QueryableByName)]
struct CommitDataRow {
    #[diesel(sql_type = Binary)]
    oid: Vec<u8>,
    #[diesel(sql_type = Binary)]
    data: Vec<u8>,
}
