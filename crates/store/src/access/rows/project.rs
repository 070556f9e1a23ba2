//! A project's columns.

use database::decode;
use database::prelude::*;
use diesel::sql_types::{Nullable, Text, Timestamptz, Uuid as SqlUuid};
use domain::Result;
use domain::content::project::ProjectRecord;
use domain::id::{OwnerId, ProjectId, UserId};
use domain::time::Timestamp;
use time::OffsetDateTime;
use uuid::Uuid;

/// A project's columns with its owner's, as `access/project.sql` and `projects/list.sql` select them.
#[derive(QueryableByName)]
pub(crate) struct ProjectRow {
    #[diesel(sql_type = SqlUuid)]
    pub(crate) id: Uuid,
    #[diesel(sql_type = SqlUuid)]
    owner_id: Uuid,
    #[diesel(sql_type = Text)]
    name: String,
    #[diesel(sql_type = Nullable<Text>)]
    key: Option<String>,
    #[diesel(sql_type = Text)]
    slug: String,
    #[diesel(sql_type = Text)]
    description: String,
    #[diesel(sql_type = Text)]
    visibility: String,
    #[diesel(sql_type = Text)]
    default_branch: String,
    #[diesel(sql_type = SqlUuid)]
    created_by: Uuid,
    #[diesel(sql_type = Timestamptz)]
    created_at: OffsetDateTime,
    #[diesel(sql_type = Timestamptz)]
    updated_at: OffsetDateTime,
    #[diesel(sql_type = Text)]
    owner_slug: String,
}

impl ProjectRow {
    pub(crate) fn record(self) -> Result<ProjectRecord> {
        Ok(ProjectRecord {
            id: ProjectId(self.id),
            name: decode::name(&self.name)?,
            description: decode::bounded(self.description)?,
            key: self.key.as_deref().map(decode::parse).transpose()?,
            project_slug: decode::slug(&self.slug)?,
            owner_id: OwnerId(self.owner_id),
            owner_slug: decode::slug(&self.owner_slug)?,
            visibility: decode::text(&self.visibility)?,
            default_branch: decode::parse(&self.default_branch)?,
            created_by: UserId(self.created_by),
            created_at: Timestamp::from(self.created_at),
            updated_at: Timestamp::from(self.updated_at),
        })
    }
}
