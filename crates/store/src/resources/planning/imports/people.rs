//! The people of an import: members of the project with the addresses that the file has.

use std::collections::{BTreeSet, HashMap};

use auth::actor::CardWrite;
use database::prelude::*;
use diesel::sql_types::{Array, Text, Uuid as SqlUuid};
use domain::Result;
use domain::id::UserId;
use domain::people::permission::Permission;
use domain::planning::import::{ImportedCard, ImportedValue};
use uuid::Uuid;

use crate::access::project::Project;
use crate::resources::planning::cards::assignees::MembershipRow;
use crate::resources::store::Tx;

/// The members by their addresses. People with an account who are no members are not found: a file must not tell who has one.
pub(super) struct Members {
    by_address: HashMap<String, UserId>,
    /// True if others than the importer may be authors: if the importer may also delete what others wrote. Else an editor
    /// could speak in another's name.
    has_authors: bool,
    importer: UserId,
}

impl Members {
    /// Those whom the cards name.
    pub(super) async fn of(
        tx: &mut Tx,
        project: &Project<CardWrite>,
        cards: &[&ImportedCard],
    ) -> Result<Self> {
        let named = cards.iter().flat_map(|card| {
            let comments = card.comments.iter().filter_map(|comment| comment.author.as_ref());
            let values = card.fields.iter().filter_map(ImportedValue::person);
            let exact = card.exact.iter();
            let exact = exact.flat_map(|exact| exact.assignees.iter().chain(exact.user_fields.values()));
            card.author.iter().chain(&card.assignee).chain(comments).chain(values).chain(exact)
        });
        let addresses: BTreeSet<String> = named.map(|address| address.to_lowercase()).collect();
        let has_authors = project.permissions.contains(Permission::CardDelete);
        let importer = project.user;
        if addresses.is_empty() {
            return Ok(Self { by_address: HashMap::new(), has_authors, importer });
        }
        let rows: Vec<PersonRow> = Statement::new(include_str!("people.sql"))
            .bind::<Array<Text>, _>(addresses.into_iter().collect::<Vec<_>>())
            .bind::<SqlUuid, _>(project.record.id.0)
            .bind::<SqlUuid, _>(project.record.owner_id.0)
            .load(tx)
            .await?;
        let members = rows.into_iter().filter_map(|row| {
            let user = UserId(row.id);
            row.membership.require(project, user, "assignee").is_ok().then_some((row.address, user))
        });
        Ok(Self { by_address: members.collect(), has_authors, importer })
    }

    /// The member with an address.
    pub(super) fn find(&self, address: Option<&String>) -> Option<UserId> {
        self.by_address.get(&address?.to_lowercase()).copied()
    }

    /// The member with an address, as an author.
    pub(super) fn author(&self, address: Option<&String>) -> Option<UserId> {
        self.find(address).filter(|user| self.has_authors || *user == self.importer)
    }
}

#[derive(QueryableByName)]
struct PersonRow {
    #[diesel(sql_type = Text)]
    address: String,
    #[diesel(sql_type = SqlUuid)]
    id: Uuid,
    #[diesel(embed)]
    membership: MembershipRow,
}
