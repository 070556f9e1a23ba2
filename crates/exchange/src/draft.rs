//! An issue as a reader finds it, before the rules of cards.

use domain::planning::relation::RelationKind;
use domain::planning::tag::Color;
use domain::text;
use domain::time::{DateOrTime, Timestamp};

use crate::dates::Dates;
use crate::deviation::{DeviationReason, Place, VALUE_MAX_CHARS};
use crate::export::{SourceAttachment, SourceCheck, SourceSprint};

/// Most deviations of one issue.
const DEVIATIONS_MAX: usize = 1_000;

/// An issue in the source's texts. Descriptions and comments are Markdown already.
#[derive(Default)]
pub(crate) struct Draft {
    pub(crate) place: Place,
    pub(crate) id: String,
    pub(crate) key: String,
    pub(crate) aliases: Vec<String>,
    pub(crate) title: String,
    pub(crate) description: String,
    pub(crate) kind: String,
    pub(crate) priority: String,
    pub(crate) status: String,
    pub(crate) is_closed: bool,
    pub(crate) resolution: String,
    pub(crate) reporter: Option<String>,
    pub(crate) assignees: Vec<String>,
    pub(crate) labels: Vec<DraftLabel>,
    /// Key or id of the parent.
    pub(crate) parent: String,
    pub(crate) links: Vec<DraftLink>,
    pub(crate) checklist: Vec<SourceCheck>,
    pub(crate) estimate: Option<DraftField>,
    pub(crate) start: Option<DateOrTime>,
    pub(crate) due: Option<DateOrTime>,
    pub(crate) created: Option<Timestamp>,
    pub(crate) updated: Option<Timestamp>,
    pub(crate) closed: Option<Timestamp>,
    pub(crate) sprints: Vec<(String, SourceSprint)>,
    pub(crate) comments: Vec<DraftComment>,
    pub(crate) attachments: Vec<SourceAttachment>,
    pub(crate) fields: Vec<DraftField>,
    /// Deviations that the reader noticed: field, value, reason.
    pub(crate) deviations: Vec<(String, String, DeviationReason)>,
}

/// A label by name, with its color where the export has it.
#[derive(Clone, Default)]
pub(crate) struct DraftLabel {
    pub(crate) name: String,
    pub(crate) color: Option<Color>,
    /// The source's word for the color, which names a label without name.
    pub(crate) color_name: String,
    pub(crate) description: String,
}

/// A relation as one of its ends has it.
pub(crate) struct DraftLink {
    /// The source's name for the kind.
    pub(crate) field: String,
    /// `None` for a kind without counterpart.
    pub(crate) kind: Option<RelationKind>,
    /// Key or id of the other end.
    pub(crate) other: String,
    /// True if the other end is the one that blocks or duplicates.
    pub(crate) is_inward: bool,
}

/// A comment.
pub(crate) struct DraftComment {
    pub(crate) author: Option<String>,
    pub(crate) created: Option<Timestamp>,
    pub(crate) body: String,
}

/// A value of another field.
pub(crate) struct DraftField {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// A name that many issues may share, cut to a length that they all can hold.
pub(crate) fn cut_name(name: &str) -> String {
    text::cut(name, text::NAME_MAX_CHARS).to_owned()
}

impl Draft {
    /// Lists a deviation. Of very many in one issue the last one says so.
    pub(crate) fn deviate(&mut self, field: &str, value: &str, reason: DeviationReason) {
        let reason = match self.deviations.len() {
            DEVIATIONS_MAX.. => return,
            count if count + 1 == DEVIATIONS_MAX => DeviationReason::NotListed,
            _ => reason,
        };
        self.deviations.push((cut_name(field), text::cut(value, VALUE_MAX_CHARS).to_owned(), reason));
    }

    /// Keeps a value as a field of its name, and says why.
    pub(crate) fn keep(&mut self, field: &str, value: &str, reason: DeviationReason) {
        self.deviate(field, value, reason);
        self.field(field, value);
    }

    /// A day or moment. Another text is kept as a field.
    pub(crate) fn day(&mut self, dates: &Dates, field: &str, text: &str) -> Option<DateOrTime> {
        let day = dates.day(text);
        if day.is_none() && !text.trim().is_empty() {
            self.keep(field, text, DeviationReason::DateKept);
        }
        day
    }

    /// A moment. Another text is kept as a field.
    pub(crate) fn moment(&mut self, dates: &Dates, field: &str, text: &str) -> Option<Timestamp> {
        let moment = dates.moment(text);
        if moment.is_none() && !text.trim().is_empty() {
            self.keep(field, text, DeviationReason::DateKept);
        }
        moment
    }

    /// Adds a value of another field.
    pub(crate) fn field(&mut self, name: &str, value: &str) {
        self.fields.push(DraftField { name: cut_name(name), value: value.to_owned() });
    }
}
