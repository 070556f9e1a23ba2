//! The export of a project in pages, each a list of lines. A page is one snapshot; different pages may be of different
//! moments.
//!
//! Cards are read in the order of their creation and comments in that of their cards, by ids that never change: every
//! card and every comment that is there all the time is read exactly once.

mod cards;
mod head;

use auth::actor::CardRead;
use database::prelude::*;
use diesel::sql_types::{BigInt, Text, Timestamptz, Uuid as SqlUuid};
use domain::id::{CardId, CommentId, UserId};
use domain::planning::card::{CardPosition, Comment, CommentBody};
use domain::planning::history::Sequence;
use domain::planning::project_export::ExportLine;
use domain::text::Text as BoundedText;
use domain::time::Timestamp;
use domain::{Error, Result};
use time::OffsetDateTime;
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::project::Project;
use crate::resources::planning::cards::history::feed::{self, Horizon, SequenceRange, Slice};
use crate::resources::store::Tx;

/// Cards of a page.
const CARD_ROWS: u32 = 100;
/// Comments, or rows of the history, of a page.
const ROWS: u32 = 500;

/// The place at which a page begins.
#[derive(Clone, Copy, Debug, Default)]
pub enum ExportPosition {
    /// The beginning: the project, people, fields, tags, teams and sprints.
    #[default]
    Head,
    /// After this card.
    Cards(Option<CardId>),
    /// After this comment on this card.
    Comments(CardId, CommentId),
    /// After this row of the history.
    History(Sequence),
}

/// The lines of a page as the caller sees them, and the place of the next one. The history ends at `horizon`.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn page(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    horizon: Horizon,
    position: ExportPosition,
) -> Result<(Vec<ExportLine>, Option<ExportPosition>)> {
    match position {
        ExportPosition::Head => {
            Ok((head::lines(tx, project, call).await?, Some(ExportPosition::Cards(None))))
        }
        ExportPosition::Cards(after) => {
            let after = after.map(|id| CardPosition { time: None, priority: None, value: None, id });
            let cards = cards::page(tx, project, call, (after, CARD_ROWS)).await?;
            let last = cards.last().filter(|_| is_full(&cards, CARD_ROWS)).map(|card| card.card.id);
            let next = match last {
                Some(id) => ExportPosition::Cards(Some(id)),
                None => ExportPosition::Comments(CardId(Uuid::nil()), CommentId(Uuid::nil())),
            };
            let lines = cards.into_iter().map(|card| ExportLine::Card(Box::new(card))).collect();
            Ok((lines, Some(next)))
        }
        ExportPosition::Comments(card, comment) => {
            let comments = comments(tx, project, (card, comment)).await?;
            let last = comments.last().filter(|_| is_full(&comments, ROWS));
            let next = last.map_or(ExportPosition::History(Sequence(0)), |last| {
                ExportPosition::Comments(last.card_id, last.id)
            });
            let lines = comments.into_iter().map(|comment| ExportLine::Comment { comment }).collect();
            Ok((lines, Some(next)))
        }
        ExportPosition::History(after) => {
            let slice = Slice { range: SequenceRange::After(after), rows: ROWS };
            let rows = feed::list_of_project(tx, project, call, horizon, slice).await?;
            let last = rows.last().filter(|_| is_full(&rows, ROWS));
            let next = last.map(|last| ExportPosition::History(last.sequence));
            Ok((rows.into_iter().map(|row| ExportLine::History { row }).collect(), next))
        }
    }
}

/// True if the caller sees a change of a card between two horizons.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn has_changed(
    tx: &mut Tx,
    project: &Project<CardRead>,
    call: &Call<CardRead>,
    (before, now): (Horizon, Horizon),
) -> Result<bool> {
    let slice = Slice { range: SequenceRange::After(before.sequence()), rows: 1 };
    Ok(!feed::list_of_project(tx, project, call, now, slice).await?.is_empty())
}

fn is_full<T>(page: &[T], rows: u32) -> bool {
    u32::try_from(page.len()).is_ok_and(|read| read >= rows)
}

async fn comments(
    tx: &mut Tx,
    project: &Project<CardRead>,
    (card, comment): (CardId, CommentId),
) -> Result<Vec<Comment>> {
    let rows: Vec<ExportedCommentRow> = Statement::new(include_str!("project_export/comments.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(card.0)
        .bind::<SqlUuid, _>(comment.0)
        .bind::<BigInt, _>(i64::from(ROWS))
        .load(tx)
        .await?;
    rows.into_iter().map(ExportedCommentRow::comment).collect()
}

#[derive(QueryableByName)]
struct ExportedCommentRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    card_id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    author_id: Uuid,
    #[diesel(sql_type = Text)]
    author_display_name: String,
    #[diesel(sql_type = Text)]
    body: String,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
}

impl ExportedCommentRow {
    fn comment(self) -> Result<Comment> {
        let body = BoundedText::try_from(self.body).map_err(Error::internal)?;
        Ok(Comment {
            id: CommentId(self.id),
            card_id: CardId(self.card_id),
            body: CommentBody::try_from(body).map_err(Error::internal)?,
            author_id: UserId(self.author_id),
            author_display_name: self.author_display_name,
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
        })
    }
}
