//! The rules by which an issue becomes a record that a card can hold. Each rule that changes a value lists it.

mod labels;
mod references;
mod texts;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use domain::planning::import::ImportTool;
use domain::text::Name;

use self::labels::Labels;

use crate::deviation::{Deviation, DeviationReason, Place};
use crate::draft::{Draft, DraftField, cut_name};
use crate::export::{Export, SourceIssue, SourcePerson, SourceSprint};
use crate::settings::{DEVIATIONS_MAX, ReadError, ReadOptions};

/// Issues of an export as they are read.
pub(crate) struct Collector {
    tool: ImportTool,
    issues_max: usize,
    issues: Vec<SourceIssue>,
    ids: HashSet<String>,
    /// Keys by id, for references by id.
    keys: HashMap<String, String>,
    links: Vec<references::Link>,
    people: BTreeMap<String, SourcePerson>,
    labels: Labels,
    sprints: BTreeMap<Name, SourceSprint>,
    deviations: Vec<Deviation>,
}

impl Collector {
    pub(crate) fn new(tool: ImportTool, options: &ReadOptions) -> Self {
        Self {
            tool,
            issues_max: options.issues_max,
            issues: Vec::new(),
            ids: HashSet::new(),
            keys: HashMap::new(),
            links: Vec::new(),
            people: BTreeMap::new(),
            labels: Labels::default(),
            sprints: BTreeMap::new(),
            deviations: Vec::new(),
        }
    }

    /// Lists a deviation of the export as a whole, or of an issue that is left out.
    pub(crate) fn deviate(&mut self, place: &Place, field: &str, value: &str, reason: DeviationReason) {
        self.deviations.push(place.deviation(field, value, reason));
    }

    /// The id of a person, whose name and address are remembered. `None` for an empty id.
    pub(crate) fn person(&mut self, id: &str, name: &str, address: &str) -> Option<String> {
        let id = id.trim();
        if id.is_empty() {
            return None;
        }
        let person = self.people.entry(id.to_owned()).or_default();
        let known = |text: &str| Some(text.trim()).filter(|text| !text.is_empty()).map(cut_name);
        let address = known(address).or_else(|| is_mail_address(id).then(|| id.to_owned()));
        person.name = person.name.take().or_else(|| known(name).filter(|name| !is_mail_address(name)));
        person.address = person.address.take().or(address);
        Some(id.to_owned())
    }

    /// The name of a person that was remembered.
    pub(crate) fn name_of(&self, id: &str) -> Option<String> {
        self.people.get(id)?.name.clone()
    }

    /// Takes an issue.
    ///
    /// # Errors
    /// [`ReadError::TooManyIssues`].
    pub(crate) fn add(&mut self, mut draft: Draft) -> Result<(), ReadError> {
        if draft.key.is_empty() {
            draft.key.clone_from(&draft.id);
        }
        draft.place.issue = Some(draft.key.clone());
        if self.issues.len() >= self.issues_max {
            return Err(ReadError::TooManyIssues(self.issues_max));
        }
        if self.deviations.len() > DEVIATIONS_MAX {
            return Err(ReadError::TooManyDeviations);
        }
        let place = draft.place.clone();
        if !self.ids.insert(draft.id.clone()) {
            self.deviate(&place, "", &draft.title, DeviationReason::RepeatedId);
            return Ok(());
        }
        self.keys.insert(draft.id.clone(), draft.key.clone());
        self.links.extend(draft.links.drain(..).map(|link| references::Link::of(&place, &draft.key, link)));
        let Some(name) = texts::name(&mut draft) else {
            self.deviate(&place, "", &draft.id, DeviationReason::Unreadable);
            return Ok(());
        };
        let issue = self.issue(name, &mut draft);
        let deviations = draft.deviations.iter();
        self.deviations
            .extend(deviations.map(|(field, value, reason)| place.deviation(field, value, *reason)));
        self.issues.push(issue);
        Ok(())
    }

    fn issue(&mut self, name: Name, draft: &mut Draft) -> SourceIssue {
        let description = texts::description(draft);
        let priority = words::priority(draft);
        let effort = words::effort(draft);
        let labels = self.labels.of(draft);
        let mut sprints = Vec::new();
        for (name, sprint) in std::mem::take(&mut draft.sprints) {
            let Some(name) = Name::sanitize(&name).filter(|name| !sprints.contains(name)) else { continue };
            let known = self.sprints.entry(name.clone()).or_default();
            known.start = known.start.or(sprint.start);
            known.end = known.end.or(sprint.end);
            sprints.push(name);
        }
        draft.comments.sort_by_key(|comment| comment.created);
        let comments = texts::comments(draft);
        let mut assignees = std::mem::take(&mut draft.assignees);
        let mut seen = HashSet::new();
        assignees.retain(|assignee| seen.insert(assignee.clone()));
        let parent = std::mem::take(&mut draft.parent);
        let kind = texts::short(draft, "Type", |draft| &draft.kind);
        let status = texts::short(draft, "Status", |draft| &draft.status);
        let resolution = texts::short(draft, "Resolution", |draft| &draft.resolution);
        SourceIssue {
            source_id: std::mem::take(&mut draft.id),
            key: std::mem::take(&mut draft.key),
            aliases: std::mem::take(&mut draft.aliases),
            name,
            description,
            kind,
            priority,
            status,
            is_open: !draft.is_closed,
            resolution,
            reporter: draft.reporter.take(),
            assignees,
            labels,
            parent: (!parent.is_empty()).then_some(parent),
            checklist: std::mem::take(&mut draft.checklist),
            effort,
            start: draft.start,
            due: draft.due,
            created: draft.created,
            updated: draft.updated,
            closed: draft.closed.filter(|_| draft.is_closed),
            sprints,
            comments,
            attachments: std::mem::take(&mut draft.attachments),
            fields: fields(draft),
        }
    }

    /// The export.
    pub(crate) fn finish(mut self) -> Export {
        let relations =
            references::relations(std::mem::take(&mut self.links), &self.keys, &mut self.deviations);
        references::parents(&mut self.issues, &self.keys, &mut self.deviations);
        Export {
            tool: self.tool,
            issues: self.issues,
            relations: relations.into_iter().collect::<BTreeSet<_>>(),
            people: self.people,
            labels: self.labels.all(),
            sprints: self.sprints,
            deviations: self.deviations,
        }
    }
}

/// Other fields by name. Several values of one are joined.
fn fields(draft: &mut Draft) -> BTreeMap<String, String> {
    let mut fields: BTreeMap<String, String> = BTreeMap::new();
    for DraftField { name, value } in std::mem::take(&mut draft.fields) {
        let value = texts::without_nul(draft, &name, value);
        match fields.get_mut(&name) {
            None => {
                fields.insert(name, value);
            }
            Some(known) if *known == value => {}
            Some(known) => {
                draft.deviate(&name, &value, DeviationReason::FieldRepeated);
                known.push_str(", ");
                known.push_str(&value);
            }
        }
    }
    fields
}

/// True for texts that are mail addresses rather than names.
fn is_mail_address(text: &str) -> bool {
    let parts = text.split_once('@');
    parts.is_some_and(|(local, host)| {
        !local.is_empty() && host.contains('.') && !text.contains(char::is_whitespace) && !host.contains('@')
    })
}
