//! Custom fields of cards.

use domain::content::project::ProjectRef;
use domain::id::FieldId;
use domain::planning::custom_field::{CreateFieldRequest, CustomField, UpdateFieldRequest};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::projects::ProjectPath;
use crate::operation::Json;
use crate::{operations, tags};

operations! {
    tag: tags::CARDS;

    /// Lists a project's custom fields, the oldest first. Cards have values in `fields`, by id, objects in
    /// `data.fields`; requests on cards take names, too.
    ListFields = Get "/api/v2/projects/{projectId}/fields" {
        summary: "List a project's custom fields",
        path: ProjectPath,
        answer: ListFieldsResponse,
        effect: Reads,
        tool: Toolbox("cards"),
        also: everyday(),
    }

    /// Creates a custom field. At most 50 are active: `LIMIT_REACHED`. A name that another field has is
    /// `FIELD_NAME_TAKEN`.
    CreateField = Post "/api/v2/projects/{projectId}/fields" {
        summary: "Create a custom field",
        path: ProjectPath,
        body: Json<CreateFieldRequest>,
        answer: FieldResponse,
        effect: Creates,
        tool: Toolbox("cards"),
    }

    /// Answers a custom field.
    GetField = Get "/api/v2/projects/{projectId}/fields/{fieldId}" {
        summary: "Read a custom field",
        path: CustomFieldPath,
        answer: FieldResponse,
        effect: Reads,
        tool: Toolbox("cards"),
    }

    /// Changes or archives a custom field. Cards and objects keep values of archived fields and options.
    /// `FIELD_NAME_TAKEN`, `LIMIT_REACHED`.
    UpdateField = Patch "/api/v2/projects/{projectId}/fields/{fieldId}" {
        summary: "Change or archive a custom field",
        path: CustomFieldPath,
        body: Json<UpdateFieldRequest>,
        answer: FieldResponse,
        effect: Changes,
        tool: Toolbox("cards"),
        also: conditional(),
    }

    /// Deletes a custom field that no card has a value of, and no object can have one of: `FIELD_IN_USE`.
    DeleteField = Delete "/api/v2/projects/{projectId}/fields/{fieldId}" {
        summary: "Delete a custom field",
        path: CustomFieldPath,
        answer: DeleteFieldResponse,
        effect: Idempotent,
        tool: Toolbox("cards"),
        also: conditional(),
    }
}

/// One custom field.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FieldResponse {
    /// The field.
    pub field: CustomField,
}

/// The custom fields.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListFieldsResponse {
    /// The fields.
    pub fields: Vec<CustomField>,
}

/// The result of the deletion.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeleteFieldResponse {
    /// Always true.
    pub deleted: bool,
    /// The field.
    pub field_id: FieldId,
}

/// The path of an operation on one custom field.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CustomFieldPath {
    /// The project, or `{projectId}--{branchName}`.
    pub project_id: ProjectRef,
    /// The field.
    pub field_id: FieldId,
}
