//! A card at a moment, with all that belongs to it. A deleted card is read until its deletion.

use std::collections::HashMap;

use auth::actor::CardRead;
use database::prelude::*;
use diesel::sql_types::{Array, BigInt, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, CommentId, ObjectId, StatusId, TagId, TeamId, UserId};
use domain::planning::board::Placement;
use domain::planning::card::{Boards, CardRecord, CardState, TeamPlacement, TeamStatus, search_text};
use domain::planning::past::PastMoment;
use domain::planning::relation::ChildrenProgress;
use domain::planning::status::StatusRecord;
use domain::text::Description;
use domain::time::Timestamp;
use domain::{Error, Result};
use serde::Deserialize;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::reachable;
use crate::access::rows::card::card_key;
use crate::resources::planning::cards::details::CardDetails;
use crate::resources::planning::cards::mentions::{self, PastText};
use crate::resources::planning::cards::view;
use crate::resources::planning::past::facts::{self, CardFacts};
use crate::resources::planning::past::values::{self, FieldChoice, PastCard};
use crate::resources::planning::past::{attachments, relations};
use crate::resources::planning::teams::layouts;
use crate::resources::store::Tx;

/// A card of the project as it was at a moment, for a caller who sees of its past what it sees now.
///
/// # Errors
/// `NOT_FOUND` if the project had no such card then.
pub async fn get(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    card: CardId,
    at: PastMoment,
) -> Result<CardDetails> {
    let past = values::read(tx, vec![card.0], at, FieldChoice::default()).await?.remove(&card);
    let past = past.filter(|card| card.project == project.record.id).ok_or_else(Error::not_found)?;
    let facts = facts::of_card(tx, past.project, card, at).await?;
    let placements = past.placements()?;
    let layouts = layouts::at(tx, placements.iter().map(|place| place.team_id), at).await?;
    let connected = reachable::connected(tx, call, past.project).await?;
    let shown = view::card(tx, call, state(&past, facts, boards(&placements, &layouts))?, None).await?;
    let mut object_ids = past.ids("object_id")?;
    object_ids.sort_unstable();
    Ok(CardDetails {
        object_ids: object_ids.into_iter().map(ObjectId).collect(),
        attachments: attachments::list(tx, &past).await?,
        relations: relations::list(tx, &past, &connected, at).await?,
        parent: relations::brief(tx, shown.card().fields.parent_id, at).await?,
        children: children(tx, &past, &connected, at).await?,
        mentions: mentions::of_texts(tx, project, card, &texts(&past)?).await?,
        shown,
    })
}

fn state(past: &PastCard, facts: CardFacts, boards: Boards) -> Result<CardState> {
    let (head, board_heads) = past.heads()?;
    let fields = past.fields()?;
    Ok(CardState {
        search_text: search_text(&fields.search_document()),
        head,
        board_heads,
        tag_ids: past.ids("tag_id")?.into_iter().map(TagId).collect(),
        user_ids: past.ids("user_id")?.into_iter().map(UserId).collect(),
        checklist: past.checklist()?,
        far_parent: past.far_parent()?,
        boards,
        card: CardRecord {
            id: past.id,
            key: card_key(facts.project_key.as_deref(), facts.number)?,
            number: facts.number,
            fields,
            created_by_user: UserId(facts.created_by),
            created_at: Timestamp::from(facts.created_at),
            updated_at: Timestamp::from(facts.updated_at),
            is_open: past.is_open()?,
            project_id: past.project,
            author_display_name: facts.author_display_name,
            closed_at: past.closed_at(facts.closed_at.map(Timestamp::from))?,
        },
    })
}

/// The places of a card. A column whose name of then is not known is left out of those with names.
fn boards(placements: &[Placement], layouts: &HashMap<TeamId, Vec<StatusRecord>>) -> Boards {
    let named = |place: &Placement| {
        let column = layouts.get(&place.team_id)?.iter().find(|column| column.id == place.status_id)?;
        Some(TeamStatus {
            team_id: place.team_id,
            status_id: place.status_id,
            status_name: column.name.to_string(),
            status_color: column.color.as_str().to_owned(),
            sprint_id: place.sprint_id,
        })
    };
    let placed = |place: &Placement| TeamPlacement {
        team_id: place.team_id,
        status_id: place.status_id,
        sprint_id: place.sprint_id,
    };
    let column = |place: &Placement| -> StatusId { place.status_id };
    Boards {
        team_ids: placements.iter().map(|place| place.team_id).collect(),
        team_status_ids: placements.iter().map(column).collect(),
        sprint_ids: placements.iter().filter_map(|place| place.sprint_id).collect(),
        team_statuses: placements.iter().filter_map(named).collect(),
        team_placements: placements.iter().map(placed).collect(),
    }
}

/// The progress of the cards below a card to which a way led over cards of its project and of projects `readable`.
async fn children(
    tx: &mut Tx,
    card: &PastCard,
    readable: &[Uuid],
    at: PastMoment,
) -> Result<ChildrenProgress> {
    let projects: Vec<Uuid> = readable.iter().copied().chain([card.project.0]).collect();
    let row: PastChildrenRow = Statement::new(include_str!("cards/children.sql"))
        .bind::<SqlUuid, _>(card.id.0)
        .bind::<Array<SqlUuid>, _>(projects)
        .bind::<Timestamptz, _>(at.time().0)
        .get_result(tx)
        .await?;
    Ok(ChildrenProgress {
        total: row.total,
        closed: row.closed,
        effort: row.effort,
        closed_effort: row.closed_effort,
    })
}

/// The texts of a card that may mention users: its description and its comments.
fn texts(card: &PastCard) -> Result<Vec<PastText>> {
    let description: Description = card.fields()?.description;
    let description = PastText { comment: None, text: description.as_str().to_owned() };
    let comments = card.elements("comment").map(|comment| {
        let PastComment { id, body } = comment.read()?;
        Ok(PastText { comment: Some(id), text: body })
    });
    std::iter::once(Ok(description)).chain(comments).collect()
}

/// A comment, as the history of its card tells it.
#[derive(Deserialize)]
struct PastComment {
    id: CommentId,
    body: String,
}

#[derive(QueryableByName)]
struct PastChildrenRow {
    #[diesel(sql_type = BigInt)]
    total: i64,
    #[diesel(sql_type = BigInt)]
    closed: i64,
    #[diesel(sql_type = BigInt)]
    effort: i64,
    #[diesel(sql_type = BigInt)]
    closed_effort: i64,
}
