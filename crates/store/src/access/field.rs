//! Access to a custom field, through its project.

use auth::actor::Requirement;
use database::prelude::*;
use database::schema::custom_fields;
use domain::content::project::ProjectRef;
use domain::id::FieldId;
use domain::people::permission::Permission;
use domain::{Error, Result};
use uuid::Uuid;

use crate::access::Target;
use crate::access::call::Call;
use crate::access::project::Project;

/// A custom field as a request names it: within its project.
#[derive(Clone, Debug)]
pub struct FieldRef {
    /// The project.
    pub project: ProjectRef,
    /// The field.
    pub field: FieldId,
}

/// A custom field of a project on which the caller may do `P`. Unless `P` only reads, its row is locked until the transaction
/// ends, so that no card gets a value meanwhile.
#[derive(Debug)]
pub struct Field<P> {
    /// The field.
    pub id: FieldId,
    /// The field's project.
    pub project: Project<P>,
}

impl<P: Requirement> Target<P> for FieldRef {
    type Witness = Field<P>;

    async fn resolve(&self, connection: &Connection, call: &Call<P>) -> Result<Field<P>> {
        let project = self.project.resolve(connection, call).await?;
        let field = custom_fields::table
            .find(self.field.0)
            .filter(custom_fields::project_id.eq(project.record.id.0))
            .select(custom_fields::id);
        let id: Option<Uuid> = match P::PERMISSION {
            Some(Permission::CardRead) => field.first(connection).await,
            _ => field.for_update().first(connection).await,
        }
        .optional()?;
        let id = id.ok_or_else(Error::not_found)?;
        Ok(Field { id: FieldId(id), project })
    }
}
