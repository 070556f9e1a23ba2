//! An issue of GitHub's API.

use std::collections::HashMap;

use domain::planning::relation::RelationKind;
use domain::time::Zone;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::{addressed, key};

use crate::collect::Collector;
use crate::dates::Dates;
use crate::deviation::DeviationReason;
use crate::draft::{Draft, DraftComment, DraftLabel, DraftLink};
use crate::export::SourceSprint;

/// An issue. Names in camel case are those of `gh`.
#[derive(Deserialize)]
pub(super) struct GitHubIssue {
    #[serde(default, deserialize_with = "id")]
    id: String,
    number: u64,
    pub(super) title: String,
    #[serde(default)]
    body: Option<String>,
    #[serde(default)]
    state: String,
    #[serde(default, alias = "stateReason")]
    state_reason: Option<String>,
    #[serde(default, alias = "author")]
    user: Option<User>,
    #[serde(default)]
    assignees: Vec<User>,
    #[serde(default)]
    labels: Vec<Label>,
    #[serde(default)]
    milestone: Option<Milestone>,
    #[serde(default, rename = "type")]
    kind: Option<Named>,
    #[serde(default, alias = "createdAt")]
    created_at: Option<String>,
    #[serde(default, alias = "updatedAt")]
    updated_at: Option<String>,
    #[serde(default, alias = "closedAt")]
    closed_at: Option<String>,
    #[serde(default)]
    pub(super) pull_request: Option<Present>,
    #[serde(default)]
    url: Option<String>,
    #[serde(default)]
    html_url: Option<String>,
    #[serde(default)]
    parent_issue_url: Option<String>,
    /// The number of comments in the API's list, the comments in richer exports.
    #[serde(default, deserialize_with = "array")]
    comments: Vec<GitHubComment>,
    #[serde(default, deserialize_with = "array")]
    sub_issues: Vec<GitHubReference>,
    #[serde(default, deserialize_with = "array")]
    blocked_by: Vec<GitHubReference>,
    #[serde(default, deserialize_with = "array")]
    blocking: Vec<GitHubReference>,
    #[serde(default)]
    issue_field_values: Vec<IssueFieldValue>,
}

/// Another issue.
#[derive(Deserialize)]
pub(super) struct GitHubReference {
    pub(super) number: u64,
    #[serde(default)]
    pub(super) url: Option<String>,
    #[serde(default)]
    pub(super) html_url: Option<String>,
}

/// An object whose content doesn't count.
#[derive(Deserialize)]
pub(super) struct Present {}

#[derive(Deserialize)]
struct User {
    login: String,
    #[serde(default)]
    name: Option<String>,
    #[serde(default)]
    email: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    #[serde(default)]
    name: String,
}

#[derive(Deserialize)]
struct Milestone {
    title: String,
    #[serde(default, alias = "dueOn")]
    due_on: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Label {
    Name(String),
    Full {
        #[serde(default)]
        name: Option<String>,
        #[serde(default)]
        color: Option<String>,
        #[serde(default)]
        description: Option<String>,
    },
}

#[derive(Deserialize)]
struct GitHubComment {
    #[serde(default, alias = "author")]
    user: Option<User>,
    #[serde(default)]
    body: Option<String>,
    #[serde(default, alias = "createdAt")]
    created_at: Option<String>,
}

#[derive(Deserialize)]
struct IssueFieldValue {
    #[serde(default)]
    issue_field_name: Option<String>,
    #[serde(default)]
    issue_field_id: Option<Box<RawValue>>,
    #[serde(default)]
    value: Option<Box<RawValue>>,
    #[serde(default)]
    single_select_option: Option<Named>,
    #[serde(default)]
    multi_select_options: Option<Vec<Named>>,
}

/// The parent of each issue that another lists among its children.
pub(super) fn parents(issues: &[GitHubIssue]) -> HashMap<String, String> {
    let children =
        issues.iter().flat_map(|issue| issue.sub_issues.iter().map(|child| (child.key(), issue.key())));
    children.collect()
}

impl GitHubReference {
    fn key(&self) -> String {
        key(self.html_url.as_deref().or(self.url.as_deref()), self.number)
    }
}

impl GitHubIssue {
    pub(super) fn key(&self) -> String {
        key(self.html_url.as_deref().or(self.url.as_deref()), self.number)
    }

    /// The issue before the rules of cards.
    pub(super) fn draft(self, collector: &mut Collector) -> Draft {
        let dates = Dates::of(Zone::UTC, std::iter::empty());
        let key = self.key();
        let mut draft = Draft {
            id: if self.id.is_empty() { key.clone() } else { self.id },
            key,
            title: self.title,
            description: self.body.unwrap_or_default(),
            kind: self.kind.map(|kind| kind.name).unwrap_or_default(),
            status: self.state.to_lowercase(),
            is_closed: self.state.eq_ignore_ascii_case("closed"),
            resolution: self.state_reason.unwrap_or_default().to_lowercase(),
            ..Draft::default()
        };
        draft.created = draft.moment(&dates, "created_at", &self.created_at.unwrap_or_default());
        draft.updated = draft.moment(&dates, "updated_at", &self.updated_at.unwrap_or_default());
        draft.closed = draft.moment(&dates, "closed_at", &self.closed_at.unwrap_or_default());
        // A reopened issue has this reason.
        if !draft.is_closed {
            draft.resolution.clear();
        }
        draft.reporter = self.user.and_then(|user| user.person(collector));
        draft.assignees = self.assignees.into_iter().filter_map(|user| user.person(collector)).collect();
        draft.labels = self.labels.into_iter().map(Label::draft).collect();
        let parent = self.parent_issue_url.as_deref().and_then(addressed);
        draft.parent = parent.map(|parent| parent.key()).unwrap_or_default();
        if let Some(milestone) = self.milestone {
            let end = draft.day(&dates, "due_on", &milestone.due_on.unwrap_or_default());
            draft.sprints.push((milestone.title, SourceSprint { start: None, end }));
        }
        for (field, others, is_inward) in
            [("blocked_by", self.blocked_by, true), ("blocking", self.blocking, false)]
        {
            draft.links.extend(others.iter().map(|other| DraftLink {
                field: field.to_owned(),
                kind: Some(RelationKind::Blocks),
                other: other.key(),
                is_inward,
            }));
        }
        for comment in self.comments {
            let author = comment.user.and_then(|user| user.person(collector));
            let created = draft.moment(&dates, "comments", &comment.created_at.unwrap_or_default());
            draft.comments.push(DraftComment { author, created, body: comment.body.unwrap_or_default() });
        }
        for value in self.issue_field_values {
            value.add_to(&mut draft, &dates);
        }
        draft
    }
}

impl User {
    fn person(self, collector: &mut Collector) -> Option<String> {
        let known = |text: Option<String>| text.unwrap_or_default();
        collector.person(&self.login, &known(self.name), &known(self.email))
    }
}

impl Label {
    fn draft(self) -> DraftLabel {
        match self {
            Self::Name(name) => DraftLabel { name, ..DraftLabel::default() },
            Self::Full { name, color, description } => DraftLabel {
                name: name.unwrap_or_default(),
                // Colors have no `#`.
                color: color.and_then(|color| format!("#{}", color.trim_start_matches('#')).parse().ok()),
                color_name: String::new(),
                description: description.unwrap_or_default(),
            },
        }
    }
}

impl IssueFieldValue {
    /// Priority, start and due days go where a card has them; other values are fields.
    fn add_to(self, draft: &mut Draft, dates: &Dates) {
        let id =
            || self.issue_field_id.as_deref().map_or_else(String::new, |id| format!("field {}", id.get()));
        let name = self.issue_field_name.clone().unwrap_or_else(id);
        let options = self.multi_select_options.iter().flatten().chain(&self.single_select_option);
        let options: Vec<&str> = options.map(|option| option.name.as_str()).collect();
        let value = if options.is_empty() {
            self.value.as_deref().map(text).unwrap_or_default()
        } else {
            options.join(", ")
        };
        if value.is_empty() {
            return;
        }
        match name.to_lowercase().as_str() {
            "priority" => draft.priority = value,
            "start date" | "target date" => match dates.day(&value) {
                Some(day) if name.eq_ignore_ascii_case("start date") => draft.start = Some(day),
                Some(day) => draft.due = Some(day),
                None => draft.keep(&name, &value, DeviationReason::DateKept),
            },
            _ => draft.field(&name, &value),
        }
    }
}

/// A text or number as text: numbers keep their digits.
fn text(value: &RawValue) -> String {
    let raw = value.get();
    if raw == "null" { String::new() } else { serde_json::from_str(raw).unwrap_or_else(|_| raw.to_owned()) }
}

/// An id as text. It may be a number beyond 2^53 or 2^64.
fn id<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    Box::<RawValue>::deserialize(deserializer).map(|raw| text(&raw))
}

/// An array. The number of its elements, which the API's list has in its place, is no element.
fn array<'de, D: Deserializer<'de>, T: for<'t> Deserialize<'t>>(deserializer: D) -> Result<Vec<T>, D::Error> {
    let raw = Box::<RawValue>::deserialize(deserializer)?;
    if raw.get().starts_with('[') {
        serde_json::from_str(raw.get()).map_err(D::Error::custom)
    } else {
        Ok(Vec::new())
    }
}
