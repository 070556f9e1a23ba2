//! The values of an issue that no field of a card holds, as comments: nothing that a file says is lost.

use std::collections::BTreeMap;

use domain::planning::card::{CARD_TEXT_MAX_CHARS, CommentBody};
use domain::text::{Name, Text, cut};
use domain::time::Timestamp;

use crate::export::{SourceIssue, SourcePerson};
use crate::markup;

/// Names and values of an issue that no field of a card holds, in their order.
pub(super) struct Remainder {
    head: String,
    lines: Vec<String>,
}

impl Remainder {
    /// Those of an issue of the tool with this title.
    pub(super) fn of(
        title: &str,
        issue: &SourceIssue,
        has_parent: bool,
        people: &BTreeMap<String, SourcePerson>,
    ) -> Self {
        let mut rest = Self::alone(title, issue);
        for alias in &issue.aliases {
            rest.add("Former key", alias);
        }
        if let Some(status) = &issue.status {
            rest.add("Status", status.as_str());
        }
        if let Some(reporter) = &issue.reporter {
            rest.add("Author", &name_of(people, reporter));
        }
        for assignee in &issue.assignees {
            rest.add("Assignee", &name_of(people, assignee));
        }
        if let Some(parent) = issue.parent.as_ref().filter(|_| !has_parent) {
            rest.add("Parent", parent);
        }
        for sprint in &issue.sprints {
            rest.add("Sprint", sprint.as_str());
        }
        if let Some(updated) = issue.updated {
            rest.add("Updated", &updated.to_string());
        }
        for file in &issue.attachments {
            rest.lines.push(format!("- Attachment: {}", link(&file.name, &file.address)));
        }
        for (name, value) in &issue.fields {
            rest.add(name, value);
        }
        rest
    }

    /// Nothing of an issue yet.
    pub(super) fn alone(title: &str, issue: &SourceIssue) -> Self {
        let head = format!("Imported from {title}: {}", markup::plain(&issue.key));
        Self { head, lines: Vec::new() }
    }

    /// Adds a value.
    pub(super) fn add(&mut self, name: &str, value: &str) {
        let value = value.trim().replace('\n', "\n  ");
        self.lines.push(format!("- {}: {}", markup::plain(name), markup::plain(&value)));
    }

    /// The comments, each within the limit of its length.
    pub(super) fn comments(self) -> Vec<CommentBody> {
        let mut texts = vec![self.head + "\n"];
        for line in self.lines {
            let mut rest = line.as_str();
            while !rest.is_empty() {
                let part = cut(rest, CARD_TEXT_MAX_CHARS / 2);
                let part = if part.is_empty() { rest } else { part };
                let room = CARD_TEXT_MAX_CHARS.saturating_sub(part.chars().count() + 1);
                if texts.last().is_none_or(|text| text.chars().count() > room) {
                    texts.push(String::new());
                }
                if let Some(text) = texts.last_mut() {
                    text.push('\n');
                    text.push_str(part);
                }
                rest = rest.get(part.len()..).unwrap_or_default();
            }
        }
        let bodies = texts.into_iter().map(|text| text.trim().replace('\0', ""));
        bodies.filter_map(|text| CommentBody::try_from(Text::cut(&text)).ok()).collect()
    }
}

/// The name of a person, else the address, else the id.
pub(super) fn name_of(people: &BTreeMap<String, SourcePerson>, id: &str) -> String {
    let person = people.get(id);
    let name = person.and_then(|person| person.name.clone().or_else(|| person.address.clone()));
    name.unwrap_or_else(|| id.to_owned())
}

/// A comment that says who wrote it, and when: accounts of the source may be unknown here.
pub(crate) fn signed(name: Option<&str>, at: Option<Timestamp>, body: &CommentBody) -> Vec<CommentBody> {
    let day = at.map(|time| time.to_string()).and_then(|time| time.split('T').next().map(str::to_owned));
    let head = match (name, day) {
        (Some(name), Some(day)) => format!("*{}, {day}*", markup::plain(name)),
        (Some(name), None) => format!("*{}*", markup::plain(name)),
        (None, Some(day)) => format!("*{day}*"),
        (None, None) => return vec![body.clone()],
    };
    let head = head.replace('\0', "");
    let whole = Text::try_from(format!("{head}\n\n{}", body.as_str())).ok();
    match whole.and_then(|text| CommentBody::try_from(text).ok()) {
        Some(signed) => vec![signed],
        // The longest bodies leave no room.
        None => {
            let head = CommentBody::try_from(Text::cut(&head)).ok();
            head.into_iter().chain([body.clone()]).collect()
        }
    }
}

fn link(name: &str, address: &str) -> String {
    let shown = Name::sanitize(name).map_or_else(|| address.to_owned(), |name| name.as_str().to_owned());
    match address.is_empty() || address.contains(['<', '>', '\n', ' ']) {
        true => format!("{} {}", markup::plain(&shown), markup::plain(address)),
        false => format!("[{}](<{address}>)", markup::plain(&shown)),
    }
}
