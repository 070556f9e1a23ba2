//! The names of what cards refer to, each read once for all of them.

use std::collections::{HashMap, HashSet};

use database::decode;
use database::prelude::*;
use database::schema::{card_tags, users};
use diesel::sql_types::{Array, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{TagId, UserId};
use domain::planning::board::{BoardAssignee, BoardTag};
use domain::planning::past::PastMoment;
use uuid::Uuid;

/// Values by id, and their order.
pub(in crate::resources::planning) struct Named<T>(HashMap<Uuid, (usize, T)>);

impl<T: Clone> Named<T> {
    fn in_order(values: impl Iterator<Item = (Uuid, T)>) -> Self {
        Self(values.enumerate().map(|(at, (id, value))| (id, (at, value))).collect())
    }

    /// Those of `ids`, in order.
    pub(in crate::resources::planning) fn of<'a>(&self, ids: impl IntoIterator<Item = &'a Uuid>) -> Vec<T> {
        let mut found: Vec<&(usize, T)> = ids.into_iter().filter_map(|id| self.0.get(id)).collect();
        found.sort_by_key(|(at, _)| *at);
        found.into_iter().map(|(_, value)| value.clone()).collect()
    }
}

/// Users whom cards are assigned to, in the order of their names.
pub(in crate::resources::planning) async fn assignees(
    connection: &Connection,
    ids: impl Iterator<Item = &Uuid>,
) -> Result<Named<BoardAssignee>> {
    let rows: Vec<(Uuid, String)> = users::table
        .filter(users::id.eq_any(distinct(ids)))
        .order((users::display_name, users::id))
        .select((users::id, users::display_name))
        .load(connection)
        .await?;
    let named = |(id, display_name)| (id, BoardAssignee { id: UserId(id), display_name });
    Ok(Named::in_order(rows.into_iter().map(named)))
}

/// Tags, in the order of their names.
pub(in crate::resources::planning) async fn tags(
    connection: &Connection,
    ids: impl Iterator<Item = &Uuid>,
) -> Result<Named<BoardTag>> {
    let rows: Vec<(Uuid, String, String)> = card_tags::table
        .filter(card_tags::id.eq_any(distinct(ids)))
        .order(card_tags::folded_name)
        .select((card_tags::id, card_tags::name, card_tags::color))
        .load(connection)
        .await?;
    let named = |(id, name, color): (Uuid, String, String)| {
        Ok((id, BoardTag { id: TagId(id), name: decode::name(&name)?, color: decode::parse(&color)? }))
    };
    let rows: Vec<(Uuid, BoardTag)> = rows.into_iter().map(named).collect::<Result<_>>()?;
    Ok(Named::in_order(rows.into_iter()))
}

/// Tags of projects as they were at a moment, in the order of their names of then. Also deleted ones.
pub(in crate::resources::planning) async fn tags_at(
    connection: &Connection,
    projects: Vec<Uuid>,
    ids: impl Iterator<Item = &Uuid>,
    at: PastMoment,
) -> Result<Named<BoardTag>> {
    let rows: Vec<PastTagRow> = Statement::new(include_str!("names/tags_at.sql"))
        .bind::<Array<SqlUuid>, _>(projects)
        .bind::<Array<SqlUuid>, _>(distinct(ids))
        .bind::<Timestamptz, _>(at.time().0)
        .load(connection)
        .await?;
    let rows: Vec<(Uuid, BoardTag)> = rows.into_iter().map(PastTagRow::named).collect::<Result<_>>()?;
    Ok(Named::in_order(rows.into_iter()))
}

#[derive(QueryableByName)]
struct PastTagRow {
    #[diesel(sql_type = SqlUuid)]
    tag_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Text)]
    color: String,
}

impl PastTagRow {
    fn named(self) -> Result<(Uuid, BoardTag)> {
        let tag = BoardTag {
            id: TagId(self.tag_id),
            name: decode::name(&self.name)?,
            color: decode::parse(&self.color)?,
        };
        Ok((self.tag_id, tag))
    }
}

fn distinct<'a>(ids: impl Iterator<Item = &'a Uuid>) -> Vec<Uuid> {
    ids.copied().collect::<HashSet<_>>().into_iter().collect()
}
