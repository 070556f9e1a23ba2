//! Tools of sessions, as lists show them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::work::approval::ToolEffect;

/// Hints on the effects of a tool, as MCP defines them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "ToolAnnotations")]
pub struct Annotations {
    /// Changes nothing.
    pub read_only_hint: bool,
    /// May change or delete existing data.
    pub destructive_hint: bool,
    /// A repeat has no further effect.
    pub idempotent_hint: bool,
    /// Reaches beyond this service.
    pub open_world_hint: bool,
}

/// A tool in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    /// Its toolbox.
    pub toolbox: String,
    /// Its name, unique in the toolbox.
    pub name: String,
    /// A short title.
    pub title: String,
    /// The description by which a model chooses it.
    pub description: String,
    /// The JSON Schema (2020-12) of its `params`.
    pub input_schema: Map<String, Value>,
    /// The JSON Schema of its `structuredContent`; absent if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Map<String, Value>>,
    /// Its effects, which decide if a call by an agent waits for a person's answer.
    pub effects: Vec<ToolEffect>,
    /// Hints on its effects.
    pub annotations: Annotations,
}

/// A tool that the agent is not given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutTool {
    /// Its toolbox.
    pub toolbox: String,
    /// Its name at its server; empty for the whole toolbox, and for a tool without a name.
    pub name: String,
    /// Why it is left out.
    pub reason: LeftOutReason,
    /// The name of the other tool, the number of the toolbox's tools, or what is wrong with the server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Why a tool is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LeftOutReason {
    /// Its name has no letter or digit that models take.
    NoName,
    /// Its name, as models take it (letters, digits, `_` and `-`, 64 characters with the toolbox), is that of another tool.
    NameTaken,
    /// It has no schema of its arguments, or none that an object fits.
    NoSchema,
    /// The schema of its arguments is over 16 KiB.
    SchemaTooLarge,
    /// Its server has more tools, or larger schemas, than are taken.
    TooMany,
    /// The session has more tools than models take; one with fewer toolboxes gives them to the agent.
    BeyondModels,
    /// It is for the server's own user interface alone.
    ForUi,
    /// Its server can't be used.
    ServerUnusable,
}

/// A change of a tool, because providers of models refuse it as its server describes it. Calls reach the server in its own
/// terms.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolChange {
    /// Its toolbox.
    pub toolbox: String,
    /// Its name, as listed.
    pub name: String,
    /// Why it is changed.
    pub reason: ToolChangeReason,
    /// The tool's name at its server, the length of its description, or the names of properties.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Why a tool is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ToolChangeReason {
    /// Models don't take its name, with its toolbox: it is renamed.
    NameNotTaken,
    /// Its description is over 1,024 characters with the note on its origin: models read the beginning.
    DescriptionTooLong,
    /// Its schema combines others at the top: it is one object with all their properties.
    SchemaCombined,
    /// Its schema lacks the properties of objects or the items of arrays, or has keywords of older drafts: it is completed.
    SchemaIncomplete,
    /// Properties have names that models don't take: they are renamed.
    PropertiesNotTaken,
}

impl Tool {
    /// The name for MCP and models, which know no toolboxes: `{toolbox}__{name}`.
    pub fn full_name(&self) -> String {
        format!("{}__{}", self.toolbox, self.name)
    }
}
