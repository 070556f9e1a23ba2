//! Clones and fetches of Git clients: the project's branches, and the objects that a client lacks.
//!
//! Git objects never change, so no transaction stays open while a pack is sent. The list of its objects comes from one
//! snapshot of the database. The objects are loaded in batches, and each batch checks the caller's access again.

use std::collections::HashSet;

use auth::actor::ProjectRead;
use diesel::sql_types::{Array, BigInt, Binary, Text, Uuid as SqlUuid};
use domain::{Error, Result};
use git::upload_pack::{Fetch, References};
use git::{CommitSelection, GitObjectKind, Graph, NeededCommits, Oid, Reach, Wish};

use crate::access::project::Project;
use crate::db::decode;
use crate::db::prelude::*;
use crate::db::schema::{self, branches};
use crate::resources::content::commits::{self, CommitNode};
use crate::resources::content::git_objects;
use crate::resources::store::Tx;

/// Most objects of a batch.
const BATCH_OBJECTS: usize = 4_096;
/// Size after which a batch ends, in bytes.
const BATCH_BYTES: i64 = 2 * 1024 * 1024;

/// The answer to a request for commits.
#[derive(Clone, Debug)]
pub enum FetchPlan {
    /// The project has no such commit.
    Unknown(Oid),
    /// The client has to name more of its commits.
    Negotiate {
        /// Known commits of the project that the client has.
        common: Vec<Oid>,
        /// The commits that it would get, and the end of its history.
        selection: CommitSelection,
    },
    /// The pack can be sent.
    Send {
        /// Commits of the project that the client has.
        common: Vec<Oid>,
        /// The commits that it gets, and the end of its history.
        selection: CommitSelection,
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

/// Selects the commits that a client gets.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt.
pub async fn plan(tx: &mut Tx, project: &Project<ProjectRead>, fetch: &Fetch) -> Result<FetchPlan> {
    let wanted: HashSet<Oid> = known(tx, project, &fetch.wants).await?.into_iter().collect();
    if let Some(unknown) = fetch.wants.iter().find(|oid| !wanted.contains(oid)) {
        return Ok(FetchPlan::Unknown(*unknown));
    }
    let common = known(tx, project, &fetch.haves).await?;
    let is_settled = fetch.is_settled(&common);
    if !is_settled && fetch.depth.is_none() {
        return Ok(FetchPlan::Negotiate { common, selection: CommitSelection::default() });
    }
    let wish = fetch.wish(&common);
    let selection = graph(tx, project, &wish).await?.select(&wish);
    Ok(match is_settled {
        true => FetchPlan::Send { common, selection },
        false => FetchPlan::Negotiate { common, selection },
    })
}

/// All objects of a selection, in the order of the pack.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt.
pub async fn objects(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    selection: &CommitSelection,
) -> Result<Vec<Oid>> {
    let mut reach = Reach::new(&selection.commits, &selection.bases);
    while let Some(wanted) = reach.wanted()? {
        git_objects::for_each(tx, project.record.id, &wanted, |oid, data| reach.supply(oid, &data)).await?;
    }
    Ok(reach.found())
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
    if oids.is_empty() {
        return Ok(Vec::new());
    }
    let oids: Vec<&[u8]> = oids.iter().map(|oid| oid.0.as_slice()).collect();
    let rows: Vec<OidRow> = Statement::new(include_str!("clone/known.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Array<Binary>, _>(oids)
        .load(tx)
        .await?;
    rows.into_iter().map(|row| oid(&row.oid)).collect()
}

/// The part of the project's graph that the selection needs: all of it or, if the client has some commits and a complete
/// history, only down to those.
async fn graph(tx: &mut Tx, project: &Project<ProjectRead>, wish: &Wish) -> Result<Graph> {
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
async fn whole_graph(tx: &mut Tx, project: &Project<ProjectRead>) -> Result<Graph> {
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

fn oid(bytes: &[u8]) -> Result<Oid> {
    decode::commit_hash(bytes).map(Oid::from)
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
