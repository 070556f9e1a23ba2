//! Atelier's own export of a project, as NDJSON. The format is `domain::planning::project_export`.
//!
//! Cards keep what an export of another tool can't say: numbers, custom fields, definitions of tags, texts of comments
//! to the byte. Boards come with their columns, sprints and places of cards. Links into trees are left out, and told.

mod boards;
mod lines;
mod tree;
mod values;

use std::collections::{BTreeSet, HashMap, HashSet};

use domain::id::{CardId, FieldId, TagId, TeamId, UserId};
use domain::planning::card::{CARD_MAX_TAGS, Comment};
use domain::planning::checklist::CHECKLIST_MAX_ITEMS;
use domain::planning::custom_field::{CustomField, PROJECT_MAX_ALL_FIELDS};
use domain::planning::import::{
    ExactCard, ImportItem, ImportedCard, ImportedComment, ImportedLine, ImportedRelation, ImportedTag,
};
use domain::planning::project_export::{ExportLine, ExportedCard, ExportedPerson};
use domain::planning::relation::{CardRelation, RelationDirection, RelationKind};
use domain::planning::tag::TagRecord;

use self::boards::ExportedBoards;
use crate::deviation::{Deviation, DeviationReason, Place};
use crate::plan::{Plan, note, remainder, stored};
use crate::settings::{DEVIATIONS_MAX, ReadError, ReadOptions};

/// Highest number of a card that is taken. The next cards of a project are numbered after the highest one.
const NUMBER_MAX: i64 = 1_000_000_000;

/// Reads an export, and plans its import.
///
/// # Errors
/// [`ReadError`] if the file is cut or changed, names the first such line, or is beyond a limit.
pub fn plan(bytes: &[u8], options: &ReadOptions) -> Result<Plan, ReadError> {
    let mut planner = ExportPlanner { issues_max: options.issues_max, ..ExportPlanner::default() };
    let end = lines::read(bytes, |line, content| planner.take(line, content))?;
    if end.changed {
        planner.deviate(&Place::default(), "", "", DeviationReason::ChangedMeanwhile);
    }
    planner.finish()
}

/// The content of an export as it is read.
#[derive(Default)]
struct ExportPlanner {
    issues_max: usize,
    people: HashMap<UserId, ExportedPerson>,
    /// Custom fields in their order.
    fields: Vec<CustomField>,
    tags: HashMap<TagId, TagRecord>,
    boards: ExportedBoards,
    /// Definitions of fields and tags.
    definitions: Vec<ImportItem>,
    /// Cards with their lines, in the order of the file.
    cards: Vec<(u64, Box<ExportedCard>)>,
    ids: HashSet<CardId>,
    comments: HashMap<CardId, Vec<Comment>>,
    comment_count: usize,
    history_rows: u64,
    deviations: Vec<Deviation>,
}

impl ExportPlanner {
    /// Takes a line.
    fn take(&mut self, line: u64, content: ExportLine) -> Result<(), ReadError> {
        if self.deviations.len() > DEVIATIONS_MAX {
            return Err(ReadError::TooManyDeviations);
        }
        let place = Place { line: Some(line), issue: None };
        match content {
            ExportLine::Project(head) => {
                let name = head.project.name.as_ref().map_or("", |name| name.as_str());
                self.deviate(&place, "project", name, DeviationReason::ProjectKept);
            }
            ExportLine::Person(person) => drop(self.people.insert(person.id, person)),
            ExportLine::Field { field } => {
                if self.fields.len() >= PROJECT_MAX_ALL_FIELDS {
                    let reason = "more custom fields than a project has".to_owned();
                    return Err(ReadError::Line { line, reason });
                }
                if field.default_value.as_ref().is_some_and(values::has_nul) {
                    let reason = "a default with the character NUL".to_owned();
                    return Err(ReadError::Line { line, reason });
                }
                self.definitions.push(ImportItem::Field(Box::new(field.clone())));
                self.fields.push(field);
            }
            ExportLine::Tag { tag } => {
                self.definitions.push(ImportItem::Tag(Box::new(tag.clone())));
                self.tags.insert(tag.id, tag);
            }
            ExportLine::Team(team) => self.boards.take_team(line, *team)?,
            ExportLine::Sprint { sprint } => self.boards.take_sprint(line, sprint)?,
            ExportLine::Card(card) => self.take_card(line, card)?,
            ExportLine::Comment { comment } => self.take_comment(&place, comment),
            ExportLine::History { .. } => self.history_rows = self.history_rows.saturating_add(1),
            ExportLine::End(_) => {}
        }
        Ok(())
    }

    fn take_card(&mut self, line: u64, card: Box<ExportedCard>) -> Result<(), ReadError> {
        let refused = |reason: &str| Err(ReadError::Line { line, reason: reason.to_owned() });
        if self.cards.len() >= self.issues_max {
            return Err(ReadError::TooManyIssues(self.issues_max));
        }
        if !self.ids.insert(card.card.id) {
            return refused("a second card with this id");
        }
        if card.card.number.is_some_and(|number| !(1..=NUMBER_MAX).contains(&number)) {
            return refused("not a number of a card");
        }
        if u64::try_from(card.checklist.len()).is_ok_and(|lines| lines > CHECKLIST_MAX_ITEMS) {
            return refused("a checklist with too many lines");
        }
        if card.tag_ids.len() > CARD_MAX_TAGS {
            return refused("a card with too many tags");
        }
        let teams: HashSet<TeamId> = card.placements.iter().map(|place| place.team_id).collect();
        if teams.len() != card.placements.len() {
            return refused("a card with two places on one board");
        }
        self.cards.push((line, card));
        Ok(())
    }

    fn take_comment(&mut self, place: &Place, comment: Comment) {
        if self.ids.contains(&comment.card_id) {
            self.comment_count = self.comment_count.saturating_add(1);
            self.comments.entry(comment.card_id).or_default().push(comment);
        } else {
            // Made while the file was written.
            self.deviate(place, "comment", comment.body.as_str(), DeviationReason::Elsewhere);
        }
    }

    fn deviate(&mut self, place: &Place, field: &str, value: &str, reason: DeviationReason) {
        self.deviations.push(place.deviation(field, value, reason));
    }

    /// The steps: definitions, cards with parents before their children, relations, boards.
    fn finish(mut self) -> Result<Plan, ReadError> {
        let cards = std::mem::take(&mut self.cards);
        let levels = tree::levels(&cards, &mut self.deviations);
        let keys: HashMap<CardId, String> = cards.iter().map(|(_, card)| (card.card.id, key(card))).collect();
        let mut relations = BTreeSet::new();
        let mut leveled = Vec::with_capacity(cards.len());
        for ((line, card), level) in cards.into_iter().zip(levels) {
            let place = Place { line: Some(line), issue: Some(key(&card)) };
            for relation in &card.relations {
                self.relate(&place, &card, relation, &keys, &mut relations);
            }
            leveled.push((level, self.card(&place, *card, level > 0)));
        }
        let overlaps = self.boards.overlaps();
        self.deviations.extend(overlaps);
        if self.history_rows > 0 {
            let rows = self.history_rows.to_string();
            self.deviate(&Place::default(), "history", &rows, DeviationReason::HistoryLeft);
        }
        if self.deviations.len() > DEVIATIONS_MAX {
            return Err(ReadError::TooManyDeviations);
        }
        // The sort is stable: numbers keep their order within a level.
        leveled.sort_by_key(|(level, _)| *level);
        let mut items: Vec<(usize, ImportItem)> =
            self.definitions.into_iter().map(|item| (0, item)).collect();
        items.extend(
            leveled
                .into_iter()
                .map(|(level, card)| (level.saturating_add(1), ImportItem::Card(Box::new(card)))),
        );
        let last = items.last().map_or(0, |(level, _)| level.saturating_add(1));
        items.extend(relations.into_iter().map(|(from, kind, to)| {
            let relation = ImportedRelation { from: from.to_string(), kind, to: to.to_string() };
            (last, ImportItem::Relation(relation))
        }));
        items.extend(self.boards.items(last.saturating_add(1)));
        Ok(Plan {
            items,
            notes: self.deviations.into_iter().map(note).collect(),
            comments: self.comment_count,
        })
    }

    fn card(&mut self, place: &Place, exported: ExportedCard, has_parent: bool) -> ImportedCard {
        let ExportedCard { card, tag_ids, user_ids, placements, checklist, object_ids, attachments, .. } =
            exported;
        for placement in &placements {
            let lost = self.boards.take_placement(place, &card, placement);
            self.deviations.extend(lost);
        }
        for object in &object_ids {
            self.deviate(place, "object", &object.to_string(), DeviationReason::ObjectLeft);
        }
        for file in &attachments {
            self.deviate(place, "attachment", file.name.as_str(), DeviationReason::FileLeft);
        }
        let author =
            self.address(place, "created_by_user", card.created_by_user, DeviationReason::AuthorLost);
        let assignees: Vec<String> = user_ids
            .into_iter()
            .filter_map(|user| self.address(place, "user_ids", user, DeviationReason::PersonLost))
            .collect();
        let (fields, user_fields) = self.fields(place, &card.fields.fields);
        let tags = self.tags(place, tag_ids);
        let comments = self.comments.remove(&card.id).unwrap_or_default();
        let comments = comments.into_iter().flat_map(|comment| self.comment(comment)).collect();
        let key = card.key.as_ref().map_or_else(|| card.id.to_string(), ToString::to_string);
        ImportedCard {
            source_id: card.id.to_string(),
            source_key: stored(&key),
            parent: card.fields.parent_id.filter(|_| has_parent).map(|parent| parent.to_string()),
            name: card.fields.name,
            description: card.fields.description,
            resolution: card.fields.resolution,
            card_type: card.fields.card_type,
            priority: card.fields.priority,
            effort: card.fields.effort,
            start_date: card.fields.start_date,
            deadline: card.fields.deadline,
            is_open: card.is_open,
            created_at: Some(card.created_at),
            closed_at: card.closed_at,
            author,
            assignee: None,
            tags,
            comments,
            checklist: checklist
                .into_iter()
                .map(|line| ImportedLine { text: line.text, is_done: line.is_done })
                .collect(),
            fields: Vec::new(),
            exact: Some(Box::new(ExactCard { number: card.number, fields, user_fields, assignees })),
        }
    }

    /// The address of a person; a person without one is told.
    fn address(
        &mut self,
        place: &Place,
        field: &str,
        user: UserId,
        reason: DeviationReason,
    ) -> Option<String> {
        let person = self.people.get(&user);
        let address = person.and_then(|person| person.email.as_deref()).map(stored);
        if address.is_none() {
            let name = person.map_or_else(|| user.to_string(), |person| person.name.clone());
            self.deviate(place, field, &name, reason);
        }
        address
    }

    fn tags(&mut self, place: &Place, ids: Vec<TagId>) -> Vec<ImportedTag> {
        let mut tags = Vec::with_capacity(ids.len());
        for id in ids {
            match self.tags.get(&id) {
                Some(tag) => {
                    tags.push(ImportedTag { name: tag.name.clone(), color: Some(tag.color.clone()) })
                }
                None => self.deviate(place, "tag_ids", &id.to_string(), DeviationReason::Elsewhere),
            }
        }
        tags
    }

    /// A comment, with its author's name for a deployment that doesn't know the author.
    fn comment(&self, comment: Comment) -> Vec<ImportedComment> {
        let author =
            self.people.get(&comment.author_id).and_then(|person| person.email.as_deref()).map(stored);
        let name = Some(comment.author_display_name.as_str());
        let bodies = remainder::signed(name, Some(comment.created_at), &comment.body);
        let last = bodies.len().saturating_sub(1);
        let bodies = bodies.into_iter().enumerate().map(|(at, body)| ImportedComment {
            author: author.clone(),
            created_at: Some(comment.created_at),
            body,
            own_body: (at == last && author.is_some()).then(|| comment.body.clone()),
            is_signature: at < last,
            updated_at: Some(comment.updated_at),
        });
        bodies.collect()
    }

    /// Adds a relation, which both ends have. One to a card that isn't in the file is told.
    fn relate(
        &mut self,
        place: &Place,
        card: &ExportedCard,
        relation: &CardRelation,
        keys: &HashMap<CardId, String>,
        relations: &mut BTreeSet<(CardId, RelationKind, CardId)>,
    ) {
        let (id, other) = (card.card.id, relation.card.id);
        if !keys.contains_key(&other) {
            let key = relation.card.key.as_ref().map_or_else(|| other.to_string(), ToString::to_string);
            return self.deviate(place, relation.kind.as_str(), &key, DeviationReason::Elsewhere);
        }
        if id == other {
            return self.deviate(place, relation.kind.as_str(), "", DeviationReason::Circular);
        }
        relations.insert(match relation.direction {
            RelationDirection::Outward => (id, relation.kind, other),
            RelationDirection::Inward => (other, relation.kind, id),
            RelationDirection::Mutual => (id.min(other), relation.kind, id.max(other)),
        });
    }

    fn field(&self, id: FieldId) -> Option<&CustomField> {
        self.fields.iter().find(|field| field.id == id)
    }
}

/// The key of a card; its id, if its project has none.
fn key(card: &ExportedCard) -> String {
    card.card.key.as_ref().map_or_else(|| card.card.id.to_string(), ToString::to_string)
}
