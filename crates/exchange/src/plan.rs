//! The steps that bring an export into a project: its cards, parents before their children, then their relations. What a card
//! has no field for stands in its first comment.

mod levels;
pub mod own_fields;
pub(crate) mod remainder;

use std::collections::{BTreeMap, HashMap, HashSet};

use domain::planning::card::{CardType, CommentBody};
use domain::planning::checklist::{CHECKLIST_MAX_ITEMS, ChecklistText};
use domain::planning::import::{
    ImportItem, ImportNote, ImportedCard, ImportedComment, ImportedLine, ImportedRelation, ImportedTag,
};
use domain::planning::tag::Color;
use domain::text::{NAME_MAX_CHARS, Name, Text, cut};
use domain::time::{CalendarDay, DateOrTime, Deadline, Timestamp, Zone};

use self::own_fields::{FieldColumns, OwnFieldReader};
use self::remainder::Remainder;
use crate::deviation::{Deviation, DeviationReason, Place};
use crate::export::{Export, SourceIssue, SourcePerson, SourceRelation};

/// An import's steps.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The steps, each with the level of its card: those of one level need nothing of each other.
    pub items: Vec<(usize, ImportItem)>,
    /// Values that aren't as in the file.
    pub notes: Vec<ImportNote>,
    /// Number of comments of the issues.
    pub comments: usize,
}

impl Plan {
    /// The steps of an export. Start days are days of the zone in which its times were read. `fields` take values of other
    /// columns.
    pub fn of(export: Export, zone: &Zone, fields: &FieldColumns) -> Self {
        let Export { tool, issues, relations, people, labels, deviations, .. } = export;
        let colors =
            labels.into_iter().filter_map(|label| Some((label.name.as_str().to_owned(), label.color?)));
        let fields = OwnFieldReader::of(fields, &issues, zone);
        let mut planner = Planner {
            zone,
            title: tool.title(),
            people,
            colors: colors.collect(),
            ids: issues.iter().map(|issue| (issue.key.clone(), stored(&issue.source_id))).collect(),
            keys: HashSet::new(),
            fields,
            deviations,
        };
        planner.note_columns();
        let comments = issues.iter().map(|issue| issue.comments.len()).sum();
        let levels = levels::of(&issues, &mut planner.deviations);
        let mut leveled: Vec<(usize, SourceIssue)> = levels.into_iter().zip(issues).collect();
        // Numbers follow the order of creation, as far as parents come first.
        leveled.sort_by_key(|(level, issue)| (*level, issue.created.is_none(), issue.created));
        let cards = leveled
            .into_iter()
            .map(|(level, issue)| (level, ImportItem::Card(Box::new(planner.card(issue, level > 0)))));
        let mut items: Vec<(usize, ImportItem)> = cards.collect();
        let last = items.last().map_or(0, |(level, _)| level.saturating_add(1));
        let relations = relations.into_iter().filter_map(|relation| planner.relation(relation));
        items.extend(relations.map(|relation| (last, ImportItem::Relation(relation))).collect::<Vec<_>>());
        Self { items, notes: planner.deviations.into_iter().map(note).collect(), comments }
    }

    /// The number of cards.
    pub fn cards(&self) -> usize {
        self.items.iter().filter(|(_, item)| matches!(item, ImportItem::Card(_))).count()
    }
}

/// The parts that the issues of an export share.
struct Planner<'a> {
    zone: &'a Zone,
    title: &'static str,
    people: BTreeMap<String, SourcePerson>,
    colors: HashMap<String, Color>,
    /// Ids by key.
    ids: HashMap<String, String>,
    /// The keys of cards so far.
    keys: HashSet<String>,
    fields: OwnFieldReader<'a>,
    deviations: Vec<Deviation>,
}

impl Planner<'_> {
    /// Tells of columns that are nowhere, and of those whose dates may be read otherwise.
    fn note_columns(&mut self) {
        let file = Place::default();
        let note = |name: &str, reason| file.deviation(name, "", reason);
        let unused = self.fields.unused().map(|name| note(name, DeviationReason::FieldAbsent));
        let assumed =
            self.fields.with_assumed_dates().map(|name| note(name, DeviationReason::DayOrderAssumed));
        let notes: Vec<Deviation> = unused.chain(assumed).collect();
        self.deviations.extend(notes);
    }

    fn card(&mut self, mut issue: SourceIssue, has_parent: bool) -> ImportedCard {
        let place = Place { line: None, issue: Some(issue.key.clone()) };
        let (fields, others) = self.fields.take(self.title, &mut issue, &self.people);
        for name in others {
            let value = issue.fields.get(name).map_or("", String::as_str);
            self.deviations.push(place.deviation(name, value, DeviationReason::FieldKept));
        }
        let mut rest = Remainder::of(self.title, &issue, has_parent, &self.people);
        let card_type = self.card_type(&place, issue.kind.as_ref(), &mut rest);
        let checklist = self.checklist(&place, &issue, &mut rest);
        let source_id = stored(&issue.source_id);
        if source_id.len() < issue.source_id.len() {
            self.deviations.push(place.deviation("", &issue.source_id, DeviationReason::IdCut));
        }
        let mut source_key = stored(&issue.key);
        if !self.keys.insert(source_key.clone()) {
            self.deviations.push(place.deviation("", &issue.key, DeviationReason::KeyRepeated));
            source_key.clone_from(&source_id);
        }
        let address = |id: &Option<String>| self.people.get(id.as_ref()?)?.address.as_deref().map(stored);
        let (author, assignee) = (address(&issue.reporter), address(&issue.assignees.first().cloned()));
        let comments: Vec<ImportedComment> = issue
            .comments
            .into_iter()
            .flat_map(|comment| {
                let author = address(&comment.author);
                let name = comment.author.as_ref().map(|id| remainder::name_of(&self.people, id));
                let bodies = remainder::signed(name.as_deref(), comment.created, &comment.body);
                let created_at = comment.created;
                bodies.into_iter().map(move |body| foreign(author.clone(), created_at, body))
            })
            .collect();
        let parent = issue.parent.filter(|_| has_parent);
        let tags = issue.labels.into_iter();
        let tags = tags.map(|name| ImportedTag { color: self.colors.get(name.as_str()).cloned(), name });
        let rest = rest.comments().into_iter();
        let rest = rest.map(|body| foreign(None, None, body));
        ImportedCard {
            parent: parent.and_then(|key| self.ids.get(&key).cloned()),
            source_id,
            source_key,
            name: issue.name,
            description: issue.description,
            resolution: Text::cut(issue.resolution.as_ref().map_or("", Name::as_str)),
            card_type,
            priority: issue.priority,
            effort: issue.effort,
            start_date: issue.start.map(|start| match start {
                DateOrTime::Date(date) => CalendarDay(date),
                DateOrTime::Time(time) => CalendarDay(self.zone.day_of(time)),
            }),
            deadline: issue.due.map(Deadline::from),
            is_open: issue.is_open,
            created_at: issue.created,
            closed_at: issue.closed,
            author,
            assignee,
            tags: tags.collect(),
            comments: rest.chain(comments).collect(),
            checklist,
            fields,
            exact: None,
        }
    }

    /// The type. A name that no type can have is kept.
    fn card_type(&mut self, place: &Place, kind: Option<&Name>, rest: &mut Remainder) -> CardType {
        let Some(kind) = kind else { return CardType::default() };
        kind.as_str().parse().unwrap_or_else(|_| {
            rest.add("Type", kind.as_str());
            self.deviations.push(place.deviation("Type", kind.as_str(), DeviationReason::TypeKept));
            CardType::default()
        })
    }

    /// The lines, with the names of their checklists where there are several. Lines that don't fit are kept.
    fn checklist(&mut self, place: &Place, issue: &SourceIssue, rest: &mut Remainder) -> Vec<ImportedLine> {
        let names: HashSet<&str> = issue.checklist.iter().map(|line| line.list.as_str()).collect();
        let mut lines = Vec::new();
        for line in &issue.checklist {
            let text = match names.len() {
                0 | 1 => line.text.replace('\0', ""),
                _ => format!("{}: {}", line.list, line.text).replace('\0', ""),
            };
            let fits = u64::try_from(lines.len()).is_ok_and(|count| count < CHECKLIST_MAX_ITEMS);
            let item = Text::try_from(text.clone()).ok().and_then(|text| ChecklistText::try_from(text).ok());
            match item.filter(|_| fits) {
                Some(text) => lines.push(ImportedLine { text, is_done: line.is_done }),
                None => {
                    let mark = if line.is_done { "x" } else { " " };
                    rest.add("Checklist", &format!("[{mark}] {text}"));
                    self.deviations.push(place.deviation("Checklist", &text, DeviationReason::LineKept));
                }
            }
        }
        lines
    }

    /// The relation by ids. One whose end isn't in the file is left out, and told.
    fn relation(&mut self, relation: SourceRelation) -> Option<ImportedRelation> {
        let SourceRelation { from, kind, to } = relation;
        match (self.ids.get(&from), self.ids.get(&to)) {
            (Some(first), Some(second)) => {
                Some(ImportedRelation { from: first.clone(), kind, to: second.clone() })
            }
            (found, _) => {
                let (issue, other) = if found.is_some() { (from, to) } else { (to, from) };
                let place = Place { line: None, issue: Some(issue) };
                self.deviations.push(place.deviation(kind.as_str(), &other, DeviationReason::Elsewhere));
                None
            }
        }
    }
}

/// A comment of another tool, which says who wrote it.
fn foreign(author: Option<String>, created_at: Option<Timestamp>, body: CommentBody) -> ImportedComment {
    ImportedComment { author, created_at, body, own_body: None, is_signature: false, updated_at: None }
}

/// An id, a key or an address as it can be stored and found: without NUL, which PostgreSQL can't store, and of at most 255
/// characters, which its indexes can.
pub(crate) fn stored(text: &str) -> String {
    cut(text, NAME_MAX_CHARS).replace('\0', "")
}

/// A deviation as an import keeps it.
pub(crate) fn note(deviation: Deviation) -> ImportNote {
    let Deviation { line, issue, field, value, reason } = deviation;
    ImportNote { line, issue, field, value, reason: reason.to_string() }
}
