//! Trello's "Export as JSON" of a board.
//!
//! It has the last 1,000 actions of the board: older comments are missing, and who wrote a comment may have left.

mod board;

use std::collections::HashMap;

use domain::planning::import::ImportTool;
use domain::planning::tag::Color;
use domain::time::{Timestamp, Zone};

use self::board::{FieldItem, TrelloAction, TrelloBoard, TrelloCard, TrelloLabel};

use crate::collect::Collector;
use crate::dates::Dates;
use crate::decode;
use crate::deviation::{DeviationReason, Place};
use crate::draft::{Draft, DraftComment, DraftField, DraftLabel, cut_name};
use crate::export::{Export, SourceAttachment, SourceCheck};
use crate::settings::{ReadError, ReadOptions};

/// Most actions of an export.
const ACTIONS_MAX: usize = 1_000;
/// Names of label colors with their values, in the tone without suffix.
const COLORS: [(&str, &str); 10] = [
    ("green", "#4BCE97"),
    ("yellow", "#F5CD47"),
    ("orange", "#FEA362"),
    ("red", "#F87168"),
    ("purple", "#9F8FEF"),
    ("blue", "#579DFF"),
    ("sky", "#6CC3E0"),
    ("lime", "#94C748"),
    ("pink", "#E774BB"),
    ("black", "#8590A2"),
];

/// Reads a board. Texts are Markdown; lists are states, and cards keep their order.
///
/// # Errors
/// [`ReadError`] if the file is no board as JSON, or is beyond a limit.
pub fn read(bytes: &[u8], options: &ReadOptions) -> Result<Export, ReadError> {
    let (text, _) = decode::text(bytes);
    if text.trim().is_empty() {
        return Err(ReadError::Empty);
    }
    let mut board: TrelloBoard = serde_json::from_str(&text)?;
    if board.cards.len() > options.issues_max {
        return Err(ReadError::TooManyIssues(options.issues_max));
    }
    let mut collector = Collector::new(ImportTool::Trello, options);
    if board.actions.len() >= ACTIONS_MAX {
        let count = board.actions.len().to_string();
        collector.deviate(&Place::default(), "actions", &count, DeviationReason::ActionsCapped);
    }
    for member in &board.members {
        let address = member.email.as_deref().unwrap_or_default();
        collector.person(&member.id, member.full_name.as_deref().unwrap_or(&member.username), address);
    }
    board.lists.sort_by(|one, other| one.pos.total_cmp(&other.pos));
    let lists: HashMap<&str, usize> =
        (0..).zip(&board.lists).map(|(place, list)| (list.id.as_str(), place)).collect();
    let place = |card: &TrelloCard| lists.get(card.id_list.as_str()).copied().unwrap_or(usize::MAX);
    let mut cards: Vec<&TrelloCard> = board.cards.iter().collect();
    cards.sort_by(|one, other| place(one).cmp(&place(other)).then_with(|| one.pos.total_cmp(&other.pos)));
    let reader = BoardReader {
        board: &board,
        dates: Dates::of(Zone::UTC, std::iter::empty()),
        labels: board.labels.iter().map(|label| (label.id.as_str(), label)).collect(),
        comments: comments(&board.actions),
    };
    for card in cards {
        let list = lists.get(card.id_list.as_str()).and_then(|place| board.lists.get(*place));
        let draft = reader.draft(card, list, &mut collector);
        collector.add(draft)?;
    }
    Ok(collector.finish())
}

/// The comments by card.
fn comments(actions: &[TrelloAction]) -> HashMap<&str, Vec<&TrelloAction>> {
    let mut comments: HashMap<&str, Vec<&TrelloAction>> = HashMap::new();
    let of_card =
        actions.iter().filter(|action| matches!(action.kind.as_str(), "commentCard" | "copyCommentCard"));
    for action in of_card {
        if let Some(card) = &action.data.card {
            comments.entry(card.id.as_str()).or_default().push(action);
        }
    }
    comments
}

/// Reads the cards of one board.
struct BoardReader<'a> {
    board: &'a TrelloBoard,
    dates: Dates,
    labels: HashMap<&'a str, &'a TrelloLabel>,
    comments: HashMap<&'a str, Vec<&'a TrelloAction>>,
}

impl BoardReader<'_> {
    fn draft(&self, card: &TrelloCard, list: Option<&board::List>, collector: &mut Collector) -> Draft {
        let is_archived = card.closed || list.is_some_and(|list| list.closed);
        let mut draft = Draft {
            id: card.id.clone(),
            key: card.id_short.map_or_else(String::new, |number| format!("#{number}")),
            title: card.name.clone(),
            description: card.desc.clone(),
            status: list.map(|list| cut_name(&list.name)).unwrap_or_default(),
            is_closed: is_archived || card.due_complete,
            assignees: card.id_members.clone(),
            // The first eight digits of an id are the second of its creation.
            created: creation(&card.id),
            ..Draft::default()
        };
        draft.updated = draft.moment(
            &self.dates,
            "dateLastActivity",
            card.date_last_activity.as_deref().unwrap_or_default(),
        );
        draft.start = draft.day(&self.dates, "start", card.start.as_deref().unwrap_or_default());
        draft.due = draft.day(&self.dates, "due", card.due.as_deref().unwrap_or_default());
        draft.aliases.extend(card.short_link.clone());
        if is_archived {
            draft.deviate("closed", &card.name, DeviationReason::Archived);
        }
        for member in &card.id_members {
            collector.person(member, "", "");
        }
        draft.labels = card
            .id_labels
            .iter()
            .filter_map(|id| self.labels.get(id.as_str()))
            .map(|label| named(label))
            .collect();
        self.checklists(card, &mut draft);
        for comment in self.comments.get(card.id.as_str()).into_iter().flatten() {
            let comment = self.comment(comment, &mut draft, collector);
            draft.comments.push(comment);
        }
        for file in &card.attachments {
            let author = file.id_member.as_deref().and_then(|member| collector.person(member, "", ""));
            let created = draft.moment(&self.dates, "attachments", file.date.as_deref().unwrap_or_default());
            let (name, address) = (file.name.clone(), file.url.clone());
            draft.attachments.push(SourceAttachment { name, address, author, created });
        }
        draft.fields = card.custom_field_items.iter().filter_map(|item| self.field(item)).collect();
        draft
    }

    fn comment(&self, action: &TrelloAction, draft: &mut Draft, collector: &mut Collector) -> DraftComment {
        let writer = action.member_creator.as_ref();
        let name = writer.map_or("", |writer| writer.full_name.as_deref().unwrap_or(&writer.username));
        let author = collector.person(action.id_member_creator.as_deref().unwrap_or_default(), name, "");
        let body = action.data.text.clone().unwrap_or_default();
        let created = draft.moment(&self.dates, "actions", action.date.as_deref().unwrap_or_default());
        DraftComment { author, created, body }
    }

    fn checklists(&self, card: &TrelloCard, draft: &mut Draft) {
        let mut lists: Vec<_> = self.board.checklists.iter().filter(|list| list.id_card == card.id).collect();
        lists.sort_by(|one, other| one.pos.total_cmp(&other.pos));
        for list in lists {
            let mut items: Vec<_> = list.check_items.iter().collect();
            items.sort_by(|one, other| one.pos.total_cmp(&other.pos));
            for item in items.iter().filter(|item| item.due.is_some() || item.id_member.is_some()) {
                draft.deviate("checkItems", &item.name, DeviationReason::NoCounterpart);
            }
            draft.checklist.extend(items.into_iter().map(|item| SourceCheck {
                list: cut_name(&list.name),
                text: item.name.clone(),
                is_done: item.state == "complete",
            }));
        }
    }

    /// A value of an own field by the field's name, and by the option's where it is one of a list.
    fn field(&self, item: &FieldItem) -> Option<DraftField> {
        let field = self.board.custom_fields.iter().find(|field| field.id == item.id_custom_field);
        let options = field.map_or(&[][..], |field| &field.options);
        let chosen =
            item.id_value.as_deref().and_then(|chosen| options.iter().find(|option| option.id == chosen));
        let value = chosen
            .map(|option| &option.value)
            .or(item.value.as_ref())
            .and_then(|values| values.values().next());
        let value = value.map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        let name = field.map_or(&item.id_custom_field, |field| &field.name).clone();
        Some(DraftField { name, value: value.or_else(|| item.id_value.clone())? })
    }
}

/// The time of a card's creation: the first eight digits of its id are seconds.
fn creation(id: &str) -> Option<Timestamp> {
    let seconds = i64::from_str_radix(id.get(..8)?, 16).ok()?;
    Timestamp::from_unix_seconds(seconds)
}

/// A label. One without name has that of its color.
fn named(label: &TrelloLabel) -> DraftLabel {
    let color = label.color.as_deref().unwrap_or_default();
    let tone = color.split('_').next().unwrap_or_default();
    let value =
        COLORS.iter().find(|(name, _)| *name == tone).and_then(|(_, value)| value.parse::<Color>().ok());
    DraftLabel {
        name: label.name.clone(),
        color: value,
        color_name: color.to_owned(),
        description: String::new(),
    }
}
