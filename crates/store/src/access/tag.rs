//! Access to a tag of the catalog, through its project.

use auth::actor::Requirement;
use database::prelude::*;
use database::schema::card_tags;
use domain::content::project::ProjectRef;
use domain::id::TagId;
use domain::people::permission::Permission;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;

/// A tag as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct TagRef {
    /// The project.
    pub project: ProjectRef,
    /// The tag.
    pub tag: TagId,
}

/// A tag of a project on which the caller may do `P`. Unless `P` only reads, its row is locked until the transaction
/// ends, so that no card gets the tag meanwhile.
#[derive(Debug)]
pub struct Tag<P> {
    /// The tag.
    pub id: TagId,
    /// The tag's project.
    pub project: Project<P>,
}

impl<P: Requirement> Target<P> for TagRef {
    type Witness = Tag<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Tag<P>> {
        let project = self.project.resolve(connection, call).await?;
        let tag = card_tags::table
            .find(self.tag.0)
            .filter(card_tags::project_id.eq(project.record.id.0))
            .select(card_tags::id);
        let id: Option<Uuid> = match P::PERMISSION {
            Some(Permission::CardRead) => tag.first(connection).await,
            _ => tag.for_update().first(connection).await,
        }
        .optional()?;
        let id = id.ok_or_else(Error::not_found)?;
        Ok(Tag { id: TagId(id), project })
    }
}
