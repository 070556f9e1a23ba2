//! A team's board at a moment: its columns and cards as they were then, to a reader who reads these cards now.

use std::collections::{BTreeMap, HashMap, HashSet};

use auth::actor::TeamRead;
use database::decode;
use database::prelude::*;
use database::schema::projects;
use diesel::sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, ProjectId, StatusId, TeamId, UserId};
use domain::key::CardKey;
use domain::people::permission::Permission;
use domain::planning::board::{
    Board, BoardAssignee, BoardColumn, BoardTag, ColumnCard, Load, Placement, Wip,
};
use domain::planning::card::BoardHeads;
use domain::planning::custom_field::CustomField;
use domain::planning::history::ATTACHMENT;
use domain::planning::past::PastMoment;
use domain::planning::status::StatusRecord;
use domain::text::Name;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::reachable;
use crate::access::team::Team;
use crate::resources::planning::boards::BoardFilter;
use crate::resources::planning::cards::names::{self, Named};
use crate::resources::planning::cards::view;
use crate::resources::planning::custom_fields;
use crate::resources::planning::past::values::{self, FieldChoice, PastCard};
use crate::resources::planning::past::{facts, relations};
use crate::resources::planning::teams::layouts;
use crate::resources::store::Tx;

/// The fields of a card of which a board shows nothing.
const UNREAD: &[&str] = &["description", "resolution", "comment", "object_id", ATTACHMENT];

/// The board as it was at a moment, with the cards that the caller can read now. A project that is no longer linked
/// counts if the caller reads its cards; the cards of a deleted project are gone.
///
/// # Errors
/// `NOT_FOUND` for a moment before the team's creation; `MOMENT_NOT_KNOWN` for one of which the columns are not known.
pub async fn get(
    tx: &mut Tx,
    team: &Team<TeamRead>,
    call: &Call<TeamRead>,
    filter: &BoardFilter,
    at: PastMoment,
) -> Result<Board> {
    let columns = columns(tx, team, at).await?;
    let candidates = candidates(tx, team.id(), at).await?;
    let cards = values::read(tx, candidates, at, FieldChoice { only: None, unread: UNREAD }).await?;
    let mut standing = placed(tx, team.id(), cards, at).await?;
    let projects = projects(tx, call, &standing).await?;
    standing.retain(|(card, _)| projects.contains_key(&card.project));
    let loads = loads(&standing)?;
    let shown = passing(standing, filter)?;
    let readable: Vec<Uuid> = projects.keys().map(|project| project.0).collect();
    let fields = custom_fields::shown(tx, &readable).await?;
    let facts = BoardFacts::read(tx, call, (projects, at), (&shown, fields)).await?;
    let mut by_column: HashMap<StatusId, Vec<ColumnCard>> = HashMap::new();
    for (card, placement) in &shown {
        by_column.entry(placement.status_id).or_default().push(facts.card(card, placement)?);
    }
    let column = |status: StatusRecord| {
        let load = loads.get(&status.id).copied().unwrap_or_default();
        let mut cards = by_column.remove(&status.id).unwrap_or_default();
        cards.sort_by(|one, next| one.rank.cmp(&next.rank));
        let wip_exceeded = Wip::of(&status).is_some_and(|wip| wip.is_exceeded_by(load));
        BoardColumn { card_count: load.cards, effort: load.effort, wip_exceeded, cards, status }
    };
    let columns = columns.into_iter().map(column).collect();
    let field_users = facts.assignees.of(&facts.field_users);
    Ok(Board { team_id: team.id(), columns, fields: facts.fields, field_users })
}

/// The team's columns at a moment.
async fn columns(tx: &mut Tx, team: &Team<TeamRead>, at: PastMoment) -> Result<Vec<StatusRecord>> {
    if at.time() < team.record.created_at {
        return Err(Error::not_found());
    }
    if let Some(columns) = layouts::at(tx, [team.id()], at).await?.remove(&team.id()) {
        return Ok(columns);
    }
    match layouts::known_since(tx, team.id()).await? {
        Some(since) => Err(PastMoment::before_columns(since)),
        // An older service made the team, and no column yet.
        None => Ok(Vec::new()),
    }
}

/// The cards that may have stood on the board.
async fn candidates(tx: &mut Tx, team: TeamId, at: PastMoment) -> Result<Vec<Uuid>> {
    let rows: Vec<CandidateRow> = Statement::new(include_str!("boards/candidates.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Timestamptz, _>(at.time().0)
        .load(tx)
        .await?;
    Ok(rows.into_iter().map(|row| row.card_id).collect())
}

/// Those of `cards` that stood on the board, with their places. A renumbering after a card's move has its rank.
async fn placed(
    tx: &mut Tx,
    team: TeamId,
    cards: BTreeMap<CardId, PastCard>,
    at: PastMoment,
) -> Result<Vec<(PastCard, Placement)>> {
    let rows: Vec<PastRankRow> = Statement::new(include_str!("boards/ranks.sql"))
        .bind::<SqlUuid, _>(team.0)
        .bind::<Timestamptz, _>(at.time().0)
        .load(tx)
        .await?;
    let ranks: HashMap<CardId, PastRankRow> =
        rows.into_iter().map(|row| (CardId(row.card_id), row)).collect();
    let mut placed = Vec::with_capacity(cards.len());
    for (id, card) in cards {
        let Some((mut placement, sequence)) = card.place_on(team)? else { continue };
        if let Some(later) = ranks.get(&id).filter(|row| row.sequence > sequence.0) {
            placement.rank = decode::parse(&later.rank)?;
        }
        placed.push((card, placement));
    }
    Ok(placed)
}

/// The projects of cards that the caller can read, with their names.
async fn projects(
    tx: &mut Tx,
    call: &Call<TeamRead>,
    standing: &[(PastCard, Placement)],
) -> Result<HashMap<ProjectId, Name>> {
    let mut of_cards: Vec<ProjectId> = standing.iter().map(|(card, _)| card.project).collect();
    of_cards.sort_unstable();
    of_cards.dedup();
    let readable = reachable::among(tx, call, &of_cards, Permission::CardRead).await?;
    let rows: Vec<(Uuid, String)> = projects::table
        .filter(projects::id.eq_any(readable.into_iter().map(|project| project.0).collect::<Vec<_>>()))
        .select((projects::id, projects::name))
        .load(tx)
        .await?;
    rows.into_iter().map(|(id, name)| Ok((ProjectId(id), decode::name(&name)?))).collect()
}

/// The work in each column, whether it passes a filter or not.
fn loads(standing: &[(PastCard, Placement)]) -> Result<HashMap<StatusId, Load>> {
    let mut loads: HashMap<StatusId, Load> = HashMap::new();
    for (card, placement) in standing {
        let load = loads.entry(placement.status_id).or_default();
        *load = load.and(card.effort()?);
    }
    Ok(loads)
}

/// The cards that pass the filter.
fn passing(standing: Vec<(PastCard, Placement)>, filter: &BoardFilter) -> Result<Vec<(PastCard, Placement)>> {
    let mut passing = Vec::with_capacity(standing.len());
    for (card, placement) in standing {
        let mut assignees: Vec<Option<UserId>> =
            card.ids("user_id")?.into_iter().map(|user| Some(UserId(user))).collect();
        if assignees.is_empty() {
            assignees.push(None);
        }
        if filter.sprints.admit(&[placement.sprint_id])
            && filter.projects.admit(&[card.project])
            && filter.assignees.admit(&assignees)
        {
            passing.push((card, placement));
        }
    }
    Ok(passing)
}

/// Values that the cards of a board refer to.
struct BoardFacts {
    projects: HashMap<ProjectId, Name>,
    keys: HashMap<CardId, CardKey>,
    assignees: Named<BoardAssignee>,
    tags: Named<BoardTag>,
    /// The projects whose cards can block others.
    related: Vec<Uuid>,
    blockers: BTreeMap<CardId, PastCard>,
    /// The teams of whose boards the reader sees traces.
    visible: HashSet<TeamId>,
    /// The custom fields that boards show now.
    fields: Vec<CustomField>,
    /// The users among their values.
    field_users: HashSet<Uuid>,
}

impl BoardFacts {
    async fn read(
        tx: &mut Tx,
        call: &Call<TeamRead>,
        (projects, at): (HashMap<ProjectId, Name>, PastMoment),
        (cards, fields): (&[(PastCard, Placement)], Vec<CustomField>),
    ) -> Result<Self> {
        let of_cards: Vec<ProjectId> = projects.keys().copied().collect();
        let related = reachable::related(tx, call, &of_cards).await?;
        let (mut blocking, mut users, mut tags) = (Vec::new(), Vec::new(), Vec::new());
        let mut heads: Vec<BoardHeads> = Vec::with_capacity(cards.len());
        let mut field_users = HashSet::new();
        for (card, _) in cards {
            let blockers = card.relations()?.into_iter().filter(|relation| relation.is_blocker());
            blocking.extend(blockers.filter(|relation| relation.is_seen(&related)));
            users.extend(card.ids("user_id")?);
            field_users.extend(card.fields()?.fields.users(&fields).map(|(_, user)| user.0));
            tags.extend(card.ids("tag_id")?);
            heads.push(card.heads()?.1);
        }
        Ok(Self {
            keys: facts::keys(tx, cards.iter().map(|(card, _)| card.id)).await?,
            assignees: names::assignees(tx, users.iter().chain(&field_users)).await?,
            tags: names::tags_at(tx, of_cards.iter().map(|id| id.0).collect(), tags.iter(), at).await?,
            blockers: relations::others(tx, &blocking, at).await?,
            visible: view::boards(tx, call, &heads).await?,
            projects,
            related,
            fields,
            field_users,
        })
    }

    fn card(&self, card: &PastCard, placement: &Placement) -> Result<ColumnCard> {
        let (own, boards) = card.heads()?;
        let head = boards.head(own, |team| self.visible.contains(&team));
        let project = self.projects.get(&card.project);
        let project = project.ok_or_else(|| Error::internal("a card of another project"))?;
        let fields = card.fields()?;
        Ok(ColumnCard {
            id: card.id,
            key: self.keys.get(&card.id).cloned(),
            name: fields.name,
            project_id: card.project,
            project_name: project.clone(),
            is_open: card.is_open()?,
            effort: fields.effort,
            priority: fields.priority,
            card_type: fields.card_type,
            parent_id: self.parent(card, fields.parent_id)?,
            is_blocked: self.is_blocked(card)?,
            checklist: card.checklist()?,
            deadline: fields.deadline.map(|deadline| deadline.0),
            sprint_id: placement.sprint_id,
            rank: placement.rank.clone(),
            assignees: self.assignees.of(&card.ids("user_id")?),
            tags: self.tags.of(&card.ids("tag_id")?),
            fields: fields.fields.on_boards(&self.fields),
            history_head_id: head.id,
            history_head_sequence: head.sequence,
        })
    }

    /// The parent, if the reader sees it.
    fn parent(&self, card: &PastCard, near: Option<CardId>) -> Result<Option<CardId>> {
        let far = card.far_parent()?.filter(|parent| self.related.contains(&parent.project.0));
        Ok(near.or(far.map(|parent| parent.card)))
    }

    /// True if a card that the reader sees and that was open blocked it.
    fn is_blocked(&self, card: &PastCard) -> Result<bool> {
        for relation in card.relations()? {
            if relation.is_blocker()
                && relation.is_seen(&self.related)
                && let Some(blocker) = self.blockers.get(&relation.other)
                && blocker.is_open()?
            {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

#[derive(QueryableByName)]
struct CandidateRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
}

#[derive(QueryableByName)]
struct PastRankRow {
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = BigInt)]
    sequence: i64,
    #[diesel(sql_type = Text)]
    rank: String,
}
