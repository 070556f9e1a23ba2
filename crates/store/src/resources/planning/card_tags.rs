//! The card tags of a project: list, create, change, delete. `cards::tags` assigns them to cards.

use auth::actor::{CardDelete, CardRead, CardWrite, Requirement};
use database::decode;
use database::error::SqlError;
use database::prelude::*;
use database::schema::{card_tag_links, card_tag_versions, card_tags, cards};
use diesel::sql_types::{Array, BigInt, Nullable, Text, Uuid as SqlUuid};
use domain::event::change::ChangeData;
use domain::event::change::data::TagEventData;
use domain::id::{CardId, ProjectId, TagId};
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::planning::tag::{Color, TagRecord, TagStatus};
use domain::search::fold_case;
use domain::text::{Description, Name};
use domain::{Code, Error, Result, Rule};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::access::tag::Tag;
use crate::resources::outbox::{NewChangeEvent, changed_fields};
use crate::resources::planning::cards::history::{self, Entry};
use crate::resources::store::Tx;

/// A tag to be created.
#[derive(Clone, Debug)]
pub struct NewTag {
    /// Unique in the project, without regard to case.
    pub name: Name,
    /// Description.
    pub description: Description,
    /// Color.
    pub color: Color,
    /// Active or archived.
    pub status: TagStatus,
}

/// Changes of a tag. `None` leaves a field as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TagChanges {
    /// Unique in the project, without regard to case.
    pub name: Option<Name>,
    /// Description.
    pub description: Option<Description>,
    /// Color.
    pub color: Option<Color>,
    /// Active or archived.
    pub status: Option<TagStatus>,
}

/// All tags of a project by name, active and archived, with their numbers of cards.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, project: &Project<CardRead>) -> Result<Vec<TagRecord>> {
    read(tx, project, None).await
}

/// Creates a tag.
///
/// # Errors
/// `TAG_NAME_TAKEN`.
pub async fn create(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    new: &NewTag,
) -> Result<TagRecord> {
    let id = TagId::new(call.now);
    diesel::insert_into(card_tags::table)
        .values((
            card_tags::id.eq(id.0),
            card_tags::project_id.eq(project.record.id.0),
            card_tags::name.eq(new.name.as_str()),
            card_tags::folded_name.eq(fold_case(new.name.as_str())),
            card_tags::description.eq(new.description.as_str()),
            card_tags::color.eq(new.color.as_str()),
            card_tags::status.eq(new.status.as_str()),
            card_tags::created_at.eq(call.now.0),
        ))
        .execute(tx)
        .await
        .map_err(|error| {
            let gone = error.violates_foreign_key("card_tags_project_id_fkey");
            if gone { Error::not_found() } else { name_taken(error) }
        })?;
    publish(tx, call, (project.record.id, id), Vec::new(), ChangeData::TagCreated);
    let created = find(tx, project, id).await?;
    keep_version(tx, call, &created).await?;
    Ok(created)
}

/// The record of the witness' tag.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn get<P: Requirement>(tx: &mut Tx, tag: &Tag<P>) -> Result<TagRecord> {
    find(tx, &tag.project, tag.id).await
}

/// Changes a tag.
///
/// # Errors
/// `TAG_NAME_TAKEN`.
pub async fn update(
    tx: &mut Tx,
    tag: &Tag<CardWrite>,
    call: &Call<CardWrite>,
    changes: &TagChanges,
) -> Result<TagRecord> {
    let before = find(tx, &tag.project, tag.id).await?;
    let after = TagRecord {
        name: changes.name.clone().unwrap_or_else(|| before.name.clone()),
        description: changes.description.clone().unwrap_or_else(|| before.description.clone()),
        color: changes.color.clone().unwrap_or_else(|| before.color.clone()),
        status: changes.status.unwrap_or(before.status),
        ..before.clone()
    };
    diesel::update(card_tags::table.find(tag.id.0))
        .set((
            card_tags::name.eq(after.name.as_str()),
            card_tags::folded_name.eq(fold_case(after.name.as_str())),
            card_tags::description.eq(after.description.as_str()),
            card_tags::color.eq(after.color.as_str()),
            card_tags::status.eq(after.status.as_str()),
        ))
        .execute(tx)
        .await
        .map_err(name_taken)?;
    let fields = changed_fields(&before, &after)?;
    if !fields.is_empty() {
        keep_version(tx, call, &after).await?;
        publish(tx, call, (after.project_id, after.id), fields, ChangeData::TagUpdated);
    }
    Ok(after)
}

/// Deletes a tag and removes it from its cards, each with a history row; returns their number.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn delete(tx: &mut Tx, tag: &Tag<CardDelete>, call: &Call<CardDelete>) -> Result<usize> {
    let tagged =
        card_tag_links::table.filter(card_tag_links::tag_id.eq(tag.id.0)).select(card_tag_links::card_id);
    let locked: Vec<Uuid> = cards::table
        .filter(cards::id.eq_any(tagged))
        .order(cards::id)
        .select(cards::id)
        .for_update()
        .load(tx)
        .await?;
    // A separate statement sees cards that lost the tag while the locks were waited for.
    let tagged_cards: Vec<Uuid> =
        tagged.filter(card_tag_links::card_id.eq_any(locked)).order(card_tag_links::card_id).load(tx).await?;
    if !tagged_cards.is_empty() {
        let untagged = |card: &Uuid| {
            let changes = FieldChanges::of_element("tag_id", Some(tag.id), None);
            Entry::new(CardId(*card), HistoryKind::Untagged, changes)
        };
        let entries: Vec<Entry> = tagged_cards.iter().map(untagged).collect();
        let heads = history::append(tx, call, tag.project.record.id, &entries).await?;
        let written = Statement::new(include_str!("card_tags/remove_from_cards.sql"))
            .bind::<SqlUuid, _>(tag.id.0)
            .bind::<diesel::sql_types::Timestamptz, _>(call.now.0)
            .bind::<Array<SqlUuid>, _>(&tagged_cards)
            .bind::<Array<SqlUuid>, _>(heads.iter().map(|head| head.id.0).collect::<Vec<_>>())
            .bind::<Array<BigInt>, _>(heads.iter().map(|head| head.sequence.0).collect::<Vec<_>>())
            .execute(tx)
            .await?;
        if written != tagged_cards.len() {
            return Err(Error::internal("a locked card is gone"));
        }
    }
    diesel::delete(card_tags::table.find(tag.id.0)).execute(tx).await?;
    publish(tx, call, (tag.project.record.id, tag.id), Vec::new(), ChangeData::TagDeleted);
    Ok(tagged_cards.len())
}

/// Keeps a tag's name and color for the past of boards, also after its deletion.
async fn keep_version<P>(tx: &mut Tx, call: &Call<P>, tag: &TagRecord) -> Result<()> {
    let written = diesel::insert_into(card_tag_versions::table)
        .values((
            card_tag_versions::project_id.eq(tag.project_id.0),
            card_tag_versions::tag_id.eq(tag.id.0),
            card_tag_versions::name.eq(tag.name.as_str()),
            card_tag_versions::folded_name.eq(fold_case(tag.name.as_str())),
            card_tag_versions::color.eq(tag.color.as_str()),
            card_tag_versions::occurred_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    if written == 1 { Ok(()) } else { Err(Error::internal("the version of a tag was not kept")) }
}

fn publish<P>(
    tx: &mut Tx,
    call: &Call<P>,
    (project_id, tag_id): (ProjectId, TagId),
    fields: Vec<String>,
    change: impl FnOnce(TagEventData) -> ChangeData,
) {
    let data = TagEventData { tag_id, project_id, fields };
    tx.publish(NewChangeEvent::of_tag(call, project_id, change(data)));
}

async fn find<P: Requirement>(tx: &mut Tx, project: &Project<P>, id: TagId) -> Result<TagRecord> {
    let found = read(tx, project, Some(id)).await?;
    found.into_iter().next().ok_or_else(|| Error::internal("a locked tag is gone"))
}

async fn read<P: Requirement>(
    tx: &mut Tx,
    project: &Project<P>,
    only: Option<TagId>,
) -> Result<Vec<TagRecord>> {
    let rows: Vec<TagRow> = Statement::new(include_str!("card_tags/list.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Nullable<SqlUuid>, _>(only.map(|id| id.0))
        .load(tx)
        .await?;
    rows.into_iter().map(|row| row.record(project.record.id)).collect()
}

#[derive(QueryableByName)]
struct TagRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    color: String,
    #[diesel(sql_type = Text)]
    status: String,
    #[diesel(sql_type = BigInt)]
    card_count: i64,
}

impl TagRow {
    fn record(self, project_id: ProjectId) -> Result<TagRecord> {
        Ok(TagRecord {
            id: TagId(self.id),
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            color: decode::parse(&self.color)?,
            status: decode::text(&self.status)?,
            project_id,
            card_count: self.card_count,
        })
    }
}

fn name_taken(error: SqlError) -> Error {
    if error.violates_unique("card_tags_project_name_key") {
        let message = "belongs to another tag of the project";
        return Error::invalid("name", Rule::Unique, message).under(Code::TagNameTaken);
    }
    error.into()
}
