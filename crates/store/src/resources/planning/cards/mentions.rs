//! Users whom descriptions and comments of cards mention. A mention is noted when its text is written, and ends with
//! the text, the comment or the card. Only those who can be assigned to the card are mentioned: to name anybody else
//! tells nothing about an account.

use auth::actor::{CardRead, CardWrite};
use database::decode;
use database::prelude::*;
use diesel::sql_types::{BigInt, Jsonb, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::id::{CardId, CommentId, UserId};
use domain::planning::card::CardState;
use domain::planning::mention::MentionedUser;
use domain::planning::mention::handles::handles;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::resources::planning::cards::history::Recorded;
use crate::resources::store::Tx;

/// Most users of a card that are answered.
const USERS_MAX: i64 = 200;

/// A text of a card, which is written already.
pub(super) struct WrittenText<'a> {
    /// The card.
    pub(super) card: CardId,
    /// The comment; `None` for the description.
    pub(super) comment: Option<CommentId>,
    /// The text before the change; empty for a new one.
    pub(super) before: &'a str,
    /// The text.
    pub(super) after: &'a str,
}

/// Notes whom texts of a project's cards mention. Whom they go on mentioning keeps the time of the first mention.
pub(super) async fn note(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    texts: &[WrittenText<'_>],
) -> Result<()> {
    let rows: Vec<Value> = texts.iter().filter_map(WrittenText::row).collect();
    if rows.is_empty() {
        return Ok(());
    }
    Statement::new(include_str!("mentions/note.sql"))
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<Jsonb, _>(Value::from(rows))
        .bind::<Timestamptz, _>(call.now.0)
        .execute(tx)
        .await?;
    Ok(())
}

/// Notes whom the descriptions of new cards mention.
pub(super) async fn note_new(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    call: &Call<CardWrite>,
    created: &[Recorded<CardState>],
) -> Result<()> {
    let cards = created.iter().map(|created| &created.value().card);
    let texts = cards.map(|card| WrittenText {
        card: card.id,
        comment: None,
        before: "",
        after: card.fields.description.as_str(),
    });
    note(tx, project, call, &texts.collect::<Vec<_>>()).await
}

/// The users whom the texts of a card mention and who can be assigned to it, by their handles.
///
/// # Errors
/// `UNAVAILABLE`.
pub async fn list(tx: &mut Tx, card: &Card<CardRead>) -> Result<Vec<MentionedUser>> {
    let rows: Vec<MentionedUserRow> = Statement::new(include_str!("mentions/of_card.sql"))
        .bind::<SqlUuid, _>(card.id().0)
        .bind::<SqlUuid, _>(card.project.record.id.0)
        .bind::<SqlUuid, _>(card.project.user.0)
        .bind::<BigInt, _>(USERS_MAX)
        .load(tx)
        .await?;
    rows.into_iter().map(MentionedUserRow::user).collect()
}

/// A text of a card as it was at a moment.
pub(in crate::resources::planning) struct PastText {
    /// The comment; `None` for the description.
    pub(in crate::resources::planning) comment: Option<CommentId>,
    /// The text.
    pub(in crate::resources::planning) text: String,
}

/// As [`list`], for texts of the past of a card, which may be deleted. A text that is the same now mentions whom it was
/// noted to mention, another one those whom its handles name today.
pub(in crate::resources::planning) async fn of_texts(
    tx: &mut Tx,
    project: &Project<CardRead>,
    card: CardId,
    texts: &[PastText],
) -> Result<Vec<MentionedUser>> {
    let rows = texts.iter().map(|PastText { comment, text }| (comment, text, handles(text)));
    let rows = rows.filter(|(.., handles)| !handles.is_empty());
    let rows = rows
        .map(|(comment, text, handles)| json!({ "comment_id": comment, "body": text, "handles": handles }));
    let rows: Vec<Value> = rows.collect();
    if rows.is_empty() {
        return Ok(Vec::new());
    }
    let rows: Vec<MentionedUserRow> = Statement::new(include_str!("mentions/of_texts.sql"))
        .bind::<SqlUuid, _>(card.0)
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(project.user.0)
        .bind::<BigInt, _>(USERS_MAX)
        .bind::<Jsonb, _>(Value::from(rows))
        .load(tx)
        .await?;
    rows.into_iter().map(MentionedUserRow::user).collect()
}

impl WrittenText<'_> {
    /// The JSON that `mentions/note.sql` reads; `None` if the text mentions nobody, as before.
    fn row(&self) -> Option<Value> {
        let handles = handles(self.after);
        if handles.is_empty() && self::handles(self.before).is_empty() {
            return None;
        }
        Some(json!({ "card_id": self.card, "comment_id": self.comment, "handles": handles }))
    }
}

#[derive(QueryableByName)]
struct MentionedUserRow {
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(sql_type = Text)]
    handle: String,
}

impl MentionedUserRow {
    fn user(self) -> Result<MentionedUser> {
        Ok(MentionedUser { user_id: UserId(self.id), handle: decode::slug(&self.handle)? })
    }
}
