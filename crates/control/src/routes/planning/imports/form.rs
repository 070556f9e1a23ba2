//! The form that brings an export.

use std::collections::BTreeMap;

use actix_multipart::form::MultipartForm;
use actix_multipart::form::tempfile::TempFile;
use actix_multipart::form::text::Text;
use domain::id::ProjectId;
use domain::planning::custom_field::PROJECT_MAX_FIELDS;
use domain::planning::import::ImportTool;
use domain::time::Zone;
use domain::{Error, Result, Rule};
use exchange::table::Mapping;
use exchange::table::column::Column;
use serde_json::{Value, json};
use wire::{FormFields, Schemas};

/// The fields of the form.
#[derive(MultipartForm)]
#[multipart(deny_unknown_fields, duplicate_field = "deny")]
pub struct ImportForm {
    /// The export. It lies on the disk.
    #[multipart(limit = "64MiB")]
    pub file: TempFile,
    /// The tool that wrote it.
    pub tool: Text<ImportTool>,
    /// The project that gets the cards.
    #[multipart(rename = "projectId")]
    pub project_id: Text<ProjectId>,
    /// The time zone of the person who exported.
    pub zone: Option<Text<Zone>>,
    /// The meanings of a table's columns, as JSON.
    pub columns: Option<Text<String>>,
    /// The project's custom fields for columns or fields of the file, as JSON.
    pub fields: Option<Text<String>>,
    /// True for a trial.
    #[multipart(rename = "dryRun")]
    pub dry_run: Option<Text<bool>>,
}

impl ImportForm {
    /// The meanings of columns.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `columns`.
    pub fn mapping(&self) -> Result<Mapping> {
        let Some(columns) = &self.columns else {
            return match self.tool.0 {
                ImportTool::Csv => Err(Error::broken("columns", Rule::Required)),
                _ => Ok(Mapping::default()),
            };
        };
        let columns: BTreeMap<String, Column> = serde_json::from_str(columns).map_err(|error| {
            Error::invalid("columns", Rule::Syntax, "must be an object of columns and their meanings")
                .with_source(error.to_string())
        })?;
        Ok(Mapping { columns: columns.into_iter().collect(), is_guarded: true })
    }

    /// The custom fields of columns.
    ///
    /// # Errors
    /// `INVALID_REQUEST` at `fields`.
    pub fn field_columns(&self) -> Result<BTreeMap<String, String>> {
        let Some(fields) = &self.fields else { return Ok(BTreeMap::new()) };
        let fields: BTreeMap<String, String> = serde_json::from_str(fields).map_err(|error| {
            Error::invalid("fields", Rule::Syntax, "must be an object of columns and custom fields")
                .with_source(error.to_string())
        })?;
        match fields.len() > PROJECT_MAX_FIELDS {
            true => Err(Error::broken("fields", Rule::MaxProperties(PROJECT_MAX_FIELDS))),
            false => Ok(fields),
        }
    }
}

impl FormFields for ImportForm {
    const REQUIRED: &'static [&'static str] = &["file", "tool", "projectId"];

    fn properties(_: &mut Schemas) -> Value {
        json!({
            "file": { "type": "string", "format": "binary", "description": "The export, of at most 64 MiB." },
            "tool": {
                "type": "string",
                "enum": ImportTool::ALL.map(ImportTool::as_str),
                "description": "`csv` is any table; it needs `columns`. `ndjson` is the file of `exportProject`.",
            },
            "projectId": {
                "type": "string",
                "format": "uuid",
                "description": "A project of the organization.",
            },
            "zone": {
                "type": "string",
                "description": "Time zone of the person who exported. Defaults to `UTC`.",
            },
            "columns": {
                "type": "string",
                "description": "The meanings of a table's columns, as JSON: `{\"Title\":\"name\",\"Nr\":\"id\"}`.",
            },
            "fields": {
                "type": "string",
                "description": "Custom fields for columns of the file, as JSON: `{\"Vendor\":\"Supplier\"}`.",
            },
            "dryRun": {
                "type": "boolean",
                "description": "True for a trial.",
            },
        })
    }

    fn example() -> Value {
        json!({
            "file": "Summary,Issue key,Issue id\nGearbox,GEAR-1,10001\n",
            "tool": "jira",
            "projectId": "0198c5f0-7c1a-7e2b-9d3c-000000000001",
            "dryRun": true,
        })
    }
}
