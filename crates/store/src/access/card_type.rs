//! Access to a type of cards that a project defines, through the project.

use auth::actor::Requirement;
use database::prelude::*;
use database::schema::card_types;
use domain::content::project::ProjectRef;
use domain::id::CardTypeId;
use domain::people::permission::Permission;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;

/// A type of cards as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct CardTypeRef {
    /// The project.
    pub project: ProjectRef,
    /// The type.
    pub card_type: CardTypeId,
}

/// A type that a project defines on whose cards the caller may do `P`. Unless `P` only reads, its row is locked until the
/// transaction ends.
#[derive(Debug)]
pub struct DefinedType<P> {
    /// The type.
    pub id: CardTypeId,
    /// The type's project.
    pub project: Project<P>,
}

impl<P: Requirement> Target<P> for CardTypeRef {
    type Witness = DefinedType<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<DefinedType<P>> {
        let project = self.project.resolve(connection, call).await?;
        let found = card_types::table
            .find(self.card_type.0)
            .filter(card_types::project_id.eq(project.record.id.0))
            .select(card_types::id);
        let id: Option<Uuid> = match P::PERMISSION {
            Some(Permission::CardRead) => found.first(connection).await,
            _ => found.for_update().first(connection).await,
        }
        .optional()?;
        let id = id.ok_or_else(Error::not_found)?;
        Ok(DefinedType { id: CardTypeId(id), project })
    }
}
