//! Assignees of a card: current members of its project.

use auth::actor::CardWrite;
use database::decode;
use database::error::SqlError;
use database::prelude::*;
use database::schema::card_assignees;
use diesel::sql_types::{Bool, Nullable, Text, Uuid as SqlUuid};
use domain::content::project::Visibility;
use domain::id::{HistoryId, UserId};
use domain::people::role::OrganizationRole;
use domain::planning::card::CardState;
use domain::planning::history::{FieldChanges, HistoryKind};
use domain::{Code, Error, Result, Rule};

use crate::access::call::Call;
use crate::access::card::Card;
use crate::access::project::Project;
use crate::resources::planning::cards::history::{self, Entry, Recorded};
use crate::resources::store::Tx;

/// The field of a new card's assignee.
pub(super) const NEW_ASSIGNEE: &str = "assigneeId";

/// Assigns a card to a user. An assigned card stays unchanged.
///
/// # Errors
/// `ASSIGNEE_NOT_MEMBER`; `CARD_HISTORY_CONFLICT` if this assignment moved since the expected head.
pub async fn add(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    user: UserId,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if card.state.user_ids.contains(&user) {
        return history::record(tx, card, call, Vec::new(), |_| {}).await;
    }
    require_member(tx, &card.project, user).await?;
    let changes = FieldChanges::of_element("user_id", None, Some(user));
    let entries = vec![Entry::new(card.id(), HistoryKind::Assigned, changes)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::insert_into(card_assignees::table)
        .values((
            card_assignees::card_id.eq(card.id().0),
            card_assignees::user_id.eq(user.0),
            card_assignees::assigned_at.eq(call.now.0),
        ))
        .execute(tx)
        .await?;
    history::record(tx, card, call, entries, |state| state.user_ids.push(user)).await
}

/// Ends an assignment.
///
/// # Errors
/// `NOT_FOUND` if the card is not assigned to the user; `CARD_HISTORY_CONFLICT` if this assignment moved since the expected
/// head.
pub async fn remove(
    tx: &mut Tx,
    card: &Card<CardWrite>,
    call: &Call<CardWrite>,
    user: UserId,
    expected: Option<HistoryId>,
) -> Result<Recorded<CardState>> {
    if !card.state.user_ids.contains(&user) {
        return Err(Error::not_found());
    }
    let changes = FieldChanges::of_element("user_id", Some(user), None);
    let entries = vec![Entry::new(card.id(), HistoryKind::Unassigned, changes)];
    history::require_unmoved(tx, card, call, expected, &entries).await?;
    diesel::delete(card_assignees::table.find((card.id().0, user.0))).execute(tx).await?;
    history::record(tx, card, call, entries, |state| state.user_ids.retain(|id| *id != user)).await
}

/// Refuses a user who is not the project's owner, its member, or a member of its organization with access.
async fn require_member(tx: &mut Tx, project: &Project<CardWrite>, user: UserId) -> Result<()> {
    membership(tx, project, user).await?.require(project, user, "userId")
}

/// A user's memberships.
pub(in crate::resources::planning) async fn membership(
    tx: &mut Tx,
    project: &Project<CardWrite>,
    user: UserId,
) -> Result<MembershipRow> {
    Ok(Statement::new(include_str!("assignee.sql"))
        .bind::<SqlUuid, _>(user.0)
        .bind::<SqlUuid, _>(project.record.id.0)
        .bind::<SqlUuid, _>(project.record.owner_id.0)
        .get_result(tx)
        .await?)
}

/// The memberships that connect a user to a project, beside ownership.
#[derive(QueryableByName)]
pub(in crate::resources::planning) struct MembershipRow {
    #[diesel(sql_type = Bool)]
    is_member: bool,
    #[diesel(sql_type = Nullable<Text>)]
    organization_role: Option<String>,
}

impl MembershipRow {
    /// Refuses `user`, whose memberships these are, if they give no access to the project. `field` names the user.
    pub(in crate::resources::planning) fn require(
        &self,
        project: &Project<CardWrite>,
        user: UserId,
        field: &str,
    ) -> Result<()> {
        let role = self.organization_role.as_deref().map(decode::parse::<OrganizationRole>).transpose()?;
        let is_internal = project.record.visibility != Visibility::Private;
        let through_organization = role.is_some_and(|role| role.on_project(is_internal).is_some());
        if project.record.owner_id == user.into() || self.is_member || through_organization {
            return Ok(());
        }
        Err(not_member(field))
    }
}

/// The failure of a card's insertion if the assignee's account does not exist.
pub(super) fn missing_assignee(error: &SqlError) -> Option<Error> {
    error.violates_foreign_key("card_assignees_user_id_fkey").then(|| not_member(NEW_ASSIGNEE))
}

fn not_member(field: &str) -> Error {
    let message = "must be a current member of the project";
    Error::invalid(field, Rule::Exists, message).under(Code::AssigneeNotMember)
}
