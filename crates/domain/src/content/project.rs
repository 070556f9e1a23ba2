//! Projects: references, records and the content of a new project.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::id::list::Ids;
use crate::id::{OwnerId, ProjectId, UserId};
use crate::key::ProjectKey;
use crate::text::{Description, Name, Prompt, Slug, cut};
use crate::time::Timestamp;

/// The first branch of a project, and its initial default branch.
pub const DEFAULT_BRANCH: &str = "main";
/// Longest name derived from a prompt, in characters (docs/api.md, section 7).
pub const DERIVED_NAME_MAX_CHARS: usize = 60;
/// Longest branch name, in bytes.
pub const BRANCH_MAX_BYTES: usize = 255;
/// Names of the packages that every project has; they can't be deleted.
pub const RESERVED_PACKAGES: [&str; 2] = ["Model", "Library"];

/// The users who can see a project.
// docs/api.md, section 7
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Visibility {
    /// Its owner and its members.
    #[default]
    Private,
    /// Also the members of its organization.
    Internal,
    /// Also every signed-in user, who can read it.
    Public,
}

/// A branch name, valid in Git as `refs/heads/<name>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct BranchName(#[schemars(extend("format" = "branch"))] String);

impl BranchName {
    /// [`DEFAULT_BRANCH`].
    pub fn main() -> Self {
        Self(DEFAULT_BRANCH.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BranchName {
    type Err = InvalidBranchName;

    /// The rules of `git check-ref-format --branch`.
    fn from_str(name: &str) -> Result<Self, InvalidBranchName> {
        let bad_char =
            |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
        let bad_part = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
        let bad = name.is_empty()
            || name.len() > BRANCH_MAX_BYTES
            || name.starts_with('-')
            || name.ends_with('.')
            || name == "@"
            || name == "HEAD"
            || name.contains("..")
            || name.contains("@{")
            || name.contains(bad_char)
            || name.split('/').any(bad_part);
        if bad { Err(InvalidBranchName) } else { Ok(Self(name.to_owned())) }
    }
}

impl fmt::Display for BranchName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for BranchName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// The text is not a branch name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("is not a valid branch name")]
pub struct InvalidBranchName;

/// A reference to a project at a branch: `{projectId}--{branchName}`, or `{projectId}` for the default branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectRef {
    /// The project.
    pub project: ProjectId,
    /// The branch; `None` for the default branch.
    pub branch: Option<BranchName>,
}

impl FromStr for ProjectRef {
    type Err = InvalidProjectRef;

    fn from_str(text: &str) -> Result<Self, InvalidProjectRef> {
        let (id, branch) = match text.split_once("--") {
            Some((id, branch)) => (id, Some(branch.parse().map_err(|_| InvalidProjectRef)?)),
            None => (text, None),
        };
        Ok(Self { project: id.parse().map_err(|_| InvalidProjectRef)?, branch })
    }
}

impl fmt::Display for ProjectRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.branch {
            Some(branch) => write!(f, "{}--{branch}", self.project),
            None => self.project.fmt(f),
        }
    }
}

/// The project on its default branch.
impl From<ProjectId> for ProjectRef {
    fn from(project: ProjectId) -> Self {
        Self { project, branch: None }
    }
}

impl Serialize for ProjectRef {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ProjectRef {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Cow::<'de, str>::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for ProjectRef {
    fn schema_name() -> Cow<'static, str> {
        "ProjectRef".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "string",
            "description": "A project id, or the compound form `{projectId}--{branchName}`.",
            "format": "project",
            "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(--.+)?$",
        })
    }
}

/// The text is not a reference to a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("must be a project id, or {{projectId}}--{{branchName}}")]
pub struct InvalidProjectRef;

/// A project by its place in URLs, `{ownerSlug}/{projectSlug}`, at a branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProjectName {
    /// The name of the user or organization that owns it.
    pub owner: Slug,
    /// The project's name, unique for its owner.
    pub project: Slug,
    /// The branch; `None` for the default branch.
    pub branch: Option<BranchName>,
}

impl ProjectName {
    /// Reads an owner's name, and `{projectSlug}` or `{projectSlug}--{branchName}`. `None` for texts that are no names.
    pub fn parse(owner: &str, project: &str) -> Option<Self> {
        // No slug holds two hyphens in a row.
        let (project, branch) = match project.split_once("--") {
            Some((project, branch)) => (project, Some(branch.parse().ok()?)),
            None => (project, None),
        };
        let slug = |text| Slug::parse("slug", text).ok();
        Some(Self { owner: slug(owner)?, project: slug(project)?, branch })
    }
}

/// A project.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ProjectRecord {
    /// Id.
    pub id: ProjectId,
    /// Name.
    pub name: Name,
    /// Description; may be empty.
    pub description: Description,
    /// Begins the keys of its cards, unique for its owner. Null for a moment after an upgrade from a version without keys.
    pub key: Option<ProjectKey>,
    /// Name in URLs, unique for its owner.
    pub project_slug: Slug,
    /// The user or organization that owns it.
    pub owner_id: OwnerId,
    /// The owner's name in URLs.
    pub owner_slug: Slug,
    /// The users who can see it.
    pub visibility: Visibility,
    /// The branch that a bare project id selects.
    pub default_branch: BranchName,
    /// Its creator.
    pub created_by: UserId,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Time of the last change of this record, or of the content of a branch.
    pub updated_at: Timestamp,
}

/// The projects that a query names.
pub type ProjectIds = Ids<ProjectId, 50>;

/// An order of projects. Equal times are ordered by id, so that each project has one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProjectOrder {
    /// Last created first.
    #[default]
    Newest,
    /// Last changed first. A project that changes between two pages moves ahead of them.
    Updated,
}

/// The position of a project in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProjectPosition {
    /// Time of its last change.
    pub updated_at: Timestamp,
    /// The project.
    pub id: ProjectId,
}

impl ProjectRecord {
    /// Its position in lists.
    pub fn position(&self) -> ProjectPosition {
        ProjectPosition { updated_at: self.updated_at, id: self.id }
    }
}

/// Names a project after its initial prompt: the first sentence, cut at the end of a word.
///
/// `None` if the prompt has no visible character.
pub fn name_from_prompt(prompt: &Prompt) -> Option<Name> {
    let lines = prompt.as_str().lines().map(str::trim);
    let line = lines.into_iter().find(|line| Name::sanitize(line).is_some())?;
    let sentence_end = |(at, c): (usize, char)| {
        let (sentence, after) = line.split_at_checked(at)?;
        let after = after.get(c.len_utf8()..).unwrap_or_default();
        let ends = match c {
            '.' | '!' | '?' => after.is_empty() || after.starts_with(char::is_whitespace),
            c => matches!(c, '。' | '！' | '？'),
        };
        (ends && sentence.contains(char::is_alphanumeric)).then_some(sentence)
    };
    let sentence = Name::sanitize(line.char_indices().find_map(sentence_end).unwrap_or(line))?;
    let head = cut(sentence.as_str(), DERIVED_NAME_MAX_CHARS);
    let tail = sentence.as_str().strip_prefix(head).filter(|tail| !tail.is_empty());
    let Some(tail) = tail else { return Some(sentence) };
    let whole_words =
        if tail.starts_with(' ') { head } else { head.rsplit_once(' ').map_or(head, |(words, _)| words) };
    Name::sanitize(whole_words)
}

#[cfg(test)]
mod tests {
    use super::{BranchName, ProjectName, ProjectRef, name_from_prompt};
    use crate::text::Prompt;

    #[test]
    fn a_name_is_the_prompts_first_sentence_cut_at_a_word() {
        let name = |prompt: &str| {
            let prompt = Prompt::try_from(prompt.to_owned()).unwrap();
            name_from_prompt(&prompt).map(|name| name.as_str().to_owned())
        };
        assert_eq!(
            name("Design a gear v1.5 please. Then print it.").as_deref(),
            Some("Design a gear v1.5 please")
        );
        assert_eq!(name("\n \n  设计齿轮。然后打印").as_deref(), Some("设计齿轮"));
        assert_eq!(name("... what? Well.").as_deref(), Some("... what"));
        assert_eq!(name("?!").as_deref(), Some("?!"));
        assert_eq!(name(&"word ".repeat(40)).unwrap(), "word ".repeat(12).trim_end());
        assert_eq!(name(&"x".repeat(100)).unwrap(), "x".repeat(60));
        assert_eq!(name(" \n\t"), None);
    }

    #[test]
    fn a_branch_name_follows_gits_rules() {
        for good in ["main", "feature/gear-2", "ünïcode", "a@b", "v1.0", "--x".trim_start_matches('-')] {
            assert!(good.parse::<BranchName>().is_ok(), "{good}");
        }
        for bad in [
            "", "a..b", "/a", "a/", "a//b", ".a", "a/.b", "a.lock", "a b", "a~1", "a^", "a:", "@", "a@{1}",
            "-a", "HEAD", "a\\b", "a.",
        ] {
            assert!(bad.parse::<BranchName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn everything_after_the_first_two_hyphens_is_the_branch() {
        let id = "0198c5f0-0000-7000-8000-000000000001";
        let bare: ProjectRef = id.parse().unwrap();
        assert_eq!(bare.branch, None);
        let compound: ProjectRef = format!("{id}--a--b/c").parse().unwrap();
        assert_eq!(compound.branch.unwrap().as_str(), "a--b/c");
        assert!(format!("{id}--").parse::<ProjectRef>().is_err());
        assert!("x--main".parse::<ProjectRef>().is_err());
    }

    #[test]
    fn a_project_is_named_by_two_slugs_and_a_branch() {
        let named = ProjectName::parse("works", "gear-2--a--b/c").unwrap();
        assert_eq!((named.owner.as_str(), named.project.as_str()), ("works", "gear-2"));
        assert_eq!(named.branch.unwrap().as_str(), "a--b/c");
        assert_eq!(ProjectName::parse("works", "gear").unwrap().branch, None);
        for (owner, project) in
            [("Works", "gear"), ("works", "gear--"), ("works", "a\0"), ("", "gear"), ("works", "")]
        {
            assert_eq!(ProjectName::parse(owner, project), None);
        }
    }
}
