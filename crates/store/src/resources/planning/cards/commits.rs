//! Commits that name cards. A commit is recorded with each card that its message names. The cards that it closes are
//! closed when it reaches the default branch.
//!
//! Commits never change. So the cards of those that a branch will get are known before the branch is locked, and are
//! locked first, as the order of locks demands (docs/architecture.md).

use std::collections::{BTreeMap, BTreeSet};

use auth::actor::ProjectWrite;
use database::prelude::*;
use database::schema::{card_commits, cards};
use diesel::dsl::exists;
use diesel::upsert::excluded;
use domain::Result;
use domain::content::object::CommitHash;
use domain::id::CardId;
use domain::key::{CardKey, CardName};
use domain::people::permission::Permission;
use domain::planning::card::CardState;
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::mention::keys::card_mentions;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::{self, Card};
use crate::access::project::Project;
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::planning::cards::keys::{self, KeyScope};
use crate::resources::store::Tx;

/// Most cards that a branch's move closes, beside those that its own message names.
const MERGED_CLOSINGS_MAX: i64 = 500;

/// The cards of the commits that a branch gets, locked until the transaction ends.
pub(crate) struct NamedCards {
    /// The cards that the new commit names; true for those that it closes when it reaches the default branch.
    named: BTreeMap<CardId, bool>,
    /// The older commits that reach the default branch.
    merged: Vec<CommitHash>,
    /// The open cards to close.
    closing: Vec<CardState>,
}

/// True if the witness' branch is the default branch, and commits that have not reached it close cards.
pub(crate) async fn are_waiting(tx: &mut Tx, project: &Project<ProjectWrite>) -> Result<bool> {
    if !is_default(project) {
        return Ok(false);
    }
    let closing = card_commits::table
        .filter(card_commits::project_id.eq(project.record.id.0).and(card_commits::closes));
    Ok(diesel::select(exists(closing)).get_result(tx).await?)
}

/// Locks the cards that a new commit's message names, and those that older commits close, which reach the default
/// branch by a merge. The caller has locked neither the project nor the branch.
pub(crate) async fn lock(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    message: Option<&str>,
    merged: Vec<CommitHash>,
) -> Result<NamedCards> {
    let mut named = match message {
        Some(message) => named_by(tx, project, message).await?,
        None => BTreeMap::new(),
    };
    let mut closing = BTreeSet::new();
    // Without the right to write cards they stay open: no card refuses a commit.
    if is_default(project) && project.permissions.contains(Permission::CardWrite) {
        closing.extend(named.iter().filter_map(|(card, closes)| closes.then_some(*card)));
        closing.extend(closed_by(tx, project, &merged).await?);
    }
    if is_default(project) {
        named.values_mut().for_each(|closes| *closes = false);
    }
    let all: Vec<Uuid> = named.keys().chain(&closing).map(|card| card.0).collect();
    let (found, closing) = match closing.is_empty() {
        true => (hold(tx, project, all).await?, Vec::new()),
        false => {
            let locked = card::lock(tx, project, all).await?;
            let found = locked.iter().map(|state| state.card.id).collect();
            let is_closing = |state: &CardState| state.card.is_open && closing.contains(&state.card.id);
            (found, locked.into_iter().filter(is_closing).collect())
        }
    };
    named.retain(|card, _| found.contains(card));
    Ok(NamedCards { named, merged, closing })
}

/// Protects those of `cards` that are in the project from deletion, in the order of their ids; returns them.
async fn hold(tx: &mut Tx, project: &Project<ProjectWrite>, cards: Vec<Uuid>) -> Result<BTreeSet<CardId>> {
    if cards.is_empty() {
        return Ok(BTreeSet::new());
    }
    let held: Vec<Uuid> = cards::table
        .filter(cards::id.eq_any(cards))
        .filter(cards::project_id.eq(project.record.id.0))
        .order(cards::id)
        .select(cards::id)
        .for_key_share()
        .load(tx)
        .await?;
    Ok(held.into_iter().map(CardId).collect())
}

impl NamedCards {
    /// The cards.
    pub(crate) fn ids(&self) -> Vec<Uuid> {
        self.named
            .keys()
            .copied()
            .chain(self.closing.iter().map(|state| state.card.id))
            .map(|card| card.0)
            .collect()
    }

    /// Records the new commit, if there is one, with the cards that it names, and closes cards.
    pub(crate) async fn record(
        self,
        tx: &mut Tx,
        project: &Project<ProjectWrite>,
        call: &Call<ProjectWrite>,
        new: Option<CommitHash>,
    ) -> Result<()> {
        let Self { named, merged, closing } = self;
        if let Some(commit) = new {
            insert(tx, project, call, commit, &named).await?;
        }
        settle(tx, project, &merged).await?;
        for state in closing {
            close(tx, &Card { state, project: project.clone() }, call).await?;
        }
        Ok(())
    }
}

/// For each message of a commit, true if it closes the card.
pub(crate) async fn are_closing<P>(
    tx: &mut Tx,
    card: &Card<P>,
    messages: impl Iterator<Item = &str>,
) -> Result<Vec<bool>> {
    let closed = |message| {
        let closed = card_mentions(message).into_iter().filter(|mention| mention.closes);
        closed.map(|mention| mention.key).collect()
    };
    let closed: Vec<Vec<CardKey>> = messages.map(closed).collect();
    let keys: Vec<&CardKey> = closed.iter().flatten().collect();
    if keys.is_empty() {
        return Ok(vec![false; closed.len()]);
    }
    let ids = keys::find(tx, KeyScope::Project(card.project.record.id), &keys).await?;
    let has_card = |keys: Vec<CardKey>| keys.into_iter().any(|key| ids.of(&CardName::Key(key)) == card.id());
    Ok(closed.into_iter().map(has_card).collect())
}

fn is_default(project: &Project<ProjectWrite>) -> bool {
    project.branch.name == project.record.default_branch
}

/// The cards whose keys a message holds; true for those that it closes. Some may be of other projects.
async fn named_by(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    message: &str,
) -> Result<BTreeMap<CardId, bool>> {
    let mentions = card_mentions(message);
    if mentions.is_empty() {
        return Ok(BTreeMap::new());
    }
    let keys: Vec<&CardKey> = mentions.iter().map(|mention| &mention.key).collect();
    let ids = keys::find(tx, KeyScope::Project(project.record.id), &keys).await?;
    let mut named = BTreeMap::new();
    for mention in mentions {
        // A former key of the project names the same card.
        *named.entry(ids.of(&CardName::Key(mention.key))).or_default() |= mention.closes;
    }
    Ok(named)
}

/// The open cards that commits close when they reach the default branch.
async fn closed_by(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    commits: &[CommitHash],
) -> Result<Vec<CardId>> {
    if commits.is_empty() {
        return Ok(Vec::new());
    }
    let named: Vec<Uuid> = card_commits::table
        .filter(card_commits::project_id.eq(project.record.id.0).and(card_commits::closes))
        .filter(card_commits::oid.eq_any(oids(commits)))
        .select(card_commits::card_id)
        .load(tx)
        .await?;
    let open: Vec<Uuid> = cards::table
        .filter(cards::id.eq_any(named).and(cards::is_open))
        .order(cards::id)
        .select(cards::id)
        .limit(MERGED_CLOSINGS_MAX)
        .load(tx)
        .await?;
    Ok(open.into_iter().map(CardId).collect())
}

async fn insert(
    tx: &mut Tx,
    project: &Project<ProjectWrite>,
    call: &Call<ProjectWrite>,
    commit: CommitHash,
    named: &BTreeMap<CardId, bool>,
) -> Result<()> {
    if named.is_empty() {
        return Ok(());
    }
    let row = |(card, closes): (&CardId, &bool)| {
        (
            card_commits::card_id.eq(card.0),
            card_commits::project_id.eq(project.record.id.0),
            card_commits::oid.eq(commit.0.to_vec()),
            card_commits::closes.eq(*closes),
            card_commits::committed_at.eq(call.now.0),
        )
    };
    let closes = card_commits::closes.and(excluded(card_commits::closes));
    // An equal commit may exist already, and may have reached the default branch.
    diesel::insert_into(card_commits::table)
        .values(named.iter().map(row).collect::<Vec<_>>())
        .on_conflict((card_commits::card_id, card_commits::oid))
        .do_update()
        .set(card_commits::closes.eq(closes))
        .execute(tx)
        .await?;
    Ok(())
}

/// Notes that commits have reached the default branch.
async fn settle(tx: &mut Tx, project: &Project<ProjectWrite>, commits: &[CommitHash]) -> Result<()> {
    if commits.is_empty() {
        return Ok(());
    }
    let closing = card_commits::table
        .filter(card_commits::project_id.eq(project.record.id.0).and(card_commits::closes))
        .filter(card_commits::oid.eq_any(oids(commits)));
    diesel::update(closing).set(card_commits::closes.eq(false)).execute(tx).await?;
    Ok(())
}

/// Closes an open card.
async fn close(tx: &mut Tx, card: &Card<ProjectWrite>, call: &Call<ProjectWrite>) -> Result<()> {
    let openness = FieldChanges::none().and("is_open", true, false);
    let entries = vec![Entry::new(card.id(), HistoryKind::Closed, openness)];
    let closed = history::record(tx, card, call, entries, |state| {
        state.card.is_open = false;
        state.card.closed_at = Some(call.now);
    });
    closed.await.map(drop)
}

fn oids(commits: &[CommitHash]) -> Vec<Vec<u8>> {
    commits.iter().map(|commit| commit.0.to_vec()).collect()
}
