//! Bills of materials of projects, and where parts and packages are used.

use domain::content::bom::column::BomColumns;
use domain::content::bom::row::BomRow;
use domain::content::bom::warning::BomWarning;
use domain::content::bom::{BomGrouping, BomPackage, BomView};
use domain::content::object::CommitHash;
use domain::content::project::BranchName;
use domain::content::uses::Use;
use domain::id::{ObjectId, ProjectId};
use domain::page::{LimitText, PageMeta};
use domain::text::Name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::objects::ObjectPath;
use crate::content::projects::ProjectPath;
use crate::{operations, tags};

operations! {
    tag: tags::BILLS;

    /// Counts the parts and assemblies of a branch with its uncommitted changes, or of a commit, and of included
    /// packages. `view=flat` answers the parts list. Occurrences of one part have the same `data.definition`, or with
    /// `by=geometry` equal shapes. `format=csv` and `format=xlsx` answer a table. Too many definitions are
    /// `BRANCH_CONFLICT`.
    GetBom = Get "/api/v2/projects/{projectId}/bom" {
        summary: "Read the bill of materials",
        path: ProjectPath,
        query: GetBomQuery,
        answer: GetBomResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Lists where a part, an assembly or a package is used, in the default branches of all projects in the caller's
    /// list of projects, the path's own first. Of a part the definition counts, or with `by=geometry` the shape. A page
    /// may be short or empty: go on while `hasMore` is true. Too many definitions in the path's own tree are
    /// `BRANCH_CONFLICT`.
    ListObjectUses = Get "/api/v2/projects/{projectId}/objects/{objectId}/uses" {
        summary: "List where an object's part is used",
        path: ObjectPath,
        query: ListObjectUsesQuery,
        answer: ListUsesResponse,
        effect: Reads,
        tool: Toolbox("project"),
    }

    /// Lists where a part is used, by the id, the name or the part number of its definition, in the default branches of
    /// all projects in the caller's list of projects. A page is of projects, and may be short or empty: go on while
    /// `hasMore` is true.
    ListUses = Get "/api/v2/uses" {
        summary: "List where a part number is used",
        query: ListUsesQuery,
        answer: ListUsesResponse,
        effect: Reads,
        tool: ClientsOnly("project", "a session has one project"),
    }
}

/// The choices of a bill.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GetBomQuery {
    /// Only this object and everything below it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub root: Option<ObjectId>,
    /// The branch. Defaults to the path's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// This commit instead of a branch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<CommitHash>,
    /// The form. Defaults to `indented`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<BomView>,
    /// The rule by which objects are occurrences of one part. Defaults to `definition`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<BomGrouping>,
    /// Maximum number of levels below the first, in the indented form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// The properties of each row, at most 20 with commas between: `partNumber`, `material`, `description`, a field of
    /// `data` by its name, or a JSON Pointer as `/data/size/x`. Defaults to `partNumber,material`. Fields of more than
    /// 1,024 bytes of JSON have no value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub properties: Option<BomColumns>,
    /// `csv` or `xlsx` for a table with a row for each row of the bill. Defaults to `json`. A workbook has at most
    /// 500,000 cells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<BomFormat>,
}

/// The format of a bill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BomFormat {
    /// JSON.
    #[default]
    Json,
    /// A table for spreadsheets (RFC 4180).
    Csv,
    /// A workbook (Office Open XML).
    Xlsx,
}

/// A bill of materials.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GetBomResponse {
    /// The project.
    pub project_id: ProjectId,
    /// The branch, whose uncommitted changes count; absent for a commit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<BranchName>,
    /// The commit, or the branch's last one; 40 zeros for a branch without commits.
    pub commit_hash: CommitHash,
    /// The object that the bill is of; absent for the whole tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub root: Option<ObjectId>,
    /// The form.
    pub view: BomView,
    /// The rule by which objects are occurrences of one part.
    pub by: BomGrouping,
    /// The names of the chosen properties.
    pub properties: Vec<String>,
    /// The rows, each before those below it; at most 100,000.
    pub rows: Vec<BomRow>,
    /// The included packages with the commits at which they were counted.
    pub packages: Vec<BomPackage>,
    /// Findings to look at before parts are ordered by the bill.
    pub warnings: Vec<BomWarning>,
}

/// The rule and the page of an object's uses.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListObjectUsesQuery {
    /// The rule by which objects are occurrences of one part. Defaults to `definition`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<BomGrouping>,
    /// Most projects that the page searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// The part, and the page of its uses.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ListUsesQuery {
    /// The id, the name or the part number of a definition, exactly as it is written.
    #[schemars(length(min = 1, max = 200))]
    pub part: String,
    /// Most projects that the page searches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

/// A page of projects with uses.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ListUsesResponse {
    /// The searched projects that have uses.
    pub projects: Vec<UsingProject>,
    /// Number of searched projects.
    pub searched_count: usize,
    /// Projects that were not searched, because they have more than 500,000 objects or more definitions than are read.
    pub not_searched: Vec<ProjectId>,
    /// The page.
    pub meta: PageMeta,
}

/// A project with uses.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UsingProject {
    /// The project.
    pub project_id: ProjectId,
    /// Its name.
    pub name: Name,
    /// The branch, whose uncommitted changes count.
    pub branch: BranchName,
    /// The uses, at most 200.
    pub uses: Vec<Use>,
    /// True if there are more.
    pub has_more_uses: bool,
}
