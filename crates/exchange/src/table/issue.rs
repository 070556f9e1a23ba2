//! A row of a table as an issue.

use super::Dialect;
use super::cells;
use super::column::Column;
use super::sheet::Row;
use domain::planning::relation::RelationKind;

use crate::collect::Collector;
use crate::dates::Dates;
use crate::deviation::{DeviationReason, Place};
use crate::draft::{Draft, DraftComment, DraftField, DraftLabel, DraftLink};
use crate::export::{SourceAttachment, SourceSprint};
use crate::markup::{Markup, adf, wiki};

/// Groups of states that close an issue, in lower case.
const CLOSED: [&str; 6] = ["done", "completed", "complete", "closed", "canceled", "cancelled"];
/// Values of Jira's `Resolution` for open issues, in lower case.
const UNRESOLVED: [&str; 2] = ["unresolved", "none"];

/// Reads the rows of one table.
pub(super) struct RowReader<'a> {
    pub(super) header: &'a [String],
    pub(super) columns: &'a [Column],
    pub(super) dialect: Dialect,
    pub(super) dates: &'a Dates,
}

/// The parts of an issue that several columns of its row make.
#[derive(Default)]
struct RowParts<'a> {
    assignees: Vec<(&'a str, &'a str)>,
    reporter: (&'a str, &'a str),
    sprints: Vec<&'a str>,
    sprint_number: &'a str,
    sprint: SourceSprint,
    rank: Option<String>,
}

impl<'a> RowReader<'a> {
    fn cells<'r>(&'r self, row: &'r Row) -> impl Iterator<Item = (&'r Column, &'r str, &'r str)> {
        let cells = row.cells.iter().map(str::trim);
        let cells = self.columns.iter().zip(self.header).zip(cells).filter(|(_, cell)| !cell.is_empty());
        cells.map(|((column, name), cell)| (column, name.as_str(), cell))
    }

    /// Remembers the people of a row.
    pub(super) fn people(&self, row: &Row, collector: &mut Collector) {
        let mut parts = RowParts::default();
        for (column, _, cell) in self.cells(row) {
            parts.person(column, cell);
        }
        for (name, id) in parts.assignees.into_iter().chain([parts.reporter]) {
            collector.person(if id.is_empty() { name } else { id }, name, "");
        }
    }

    /// The issue of a row, and its rank.
    pub(super) fn draft(&self, row: &Row, collector: &mut Collector) -> (Option<String>, Draft) {
        let place = Place { line: Some(row.line), issue: None };
        let mut draft = Draft { place, ..Draft::default() };
        let mut parts = RowParts::default();
        for (column, name, cell) in self.cells(row) {
            let cell = if self.dialect.is_guarded { cells::unguarded(cell) } else { cell };
            parts.person(column, cell);
            self.cell(column, name, cell, &mut draft, &mut parts, collector);
        }
        let mut beyond = row.cells.iter().skip(self.columns.len());
        if let Some(cell) = beyond.find(|cell| !cell.trim().is_empty()) {
            draft.deviate("", cell, DeviationReason::CellWithoutColumn);
        }
        let id =
            |(name, id): &(&str, &str)| if id.is_empty() { (*name).to_owned() } else { (*id).to_owned() };
        draft.assignees = parts.assignees.iter().map(id).filter(|id| !id.is_empty()).collect();
        draft.reporter = Some(id(&parts.reporter)).filter(|id| !id.is_empty());
        if parts.sprints.is_empty() && !parts.sprint_number.is_empty() {
            draft.sprints.push((format!("Cycle {}", parts.sprint_number), parts.sprint));
        } else {
            let sprints = parts.sprints.iter().map(|name| ((*name).to_owned(), parts.sprint.clone()));
            draft.sprints = sprints.collect();
        }
        if draft.id.is_empty() {
            draft.id.clone_from(&draft.key);
        }
        if draft.id.is_empty() {
            draft.id = format!("line {}", row.line);
            draft.deviate("", "", DeviationReason::NoId);
        }
        (parts.rank, draft)
    }

    fn cell(
        &self,
        column: &Column,
        name: &str,
        cell: &'a str,
        draft: &mut Draft,
        parts: &mut RowParts<'a>,
        collector: &mut Collector,
    ) {
        let text = || cell.to_owned();
        match column {
            Column::Id => draft.id = text(),
            Column::Key => draft.key = text(),
            Column::Alias => {
                draft.aliases.extend(cells::values(cell, Some(",")).into_iter().map(str::to_owned))
            }
            Column::Name => draft.title = text(),
            Column::Description => draft.description = self.markdown(name, cell, draft, collector),
            Column::Kind => draft.kind = text(),
            Column::Priority => draft.priority = text(),
            Column::Status => draft.status = text(),
            Column::StatusCategory => draft.is_closed |= CLOSED.contains(&cell.to_lowercase().as_str()),
            Column::Resolution => {
                if !UNRESOLVED.contains(&cell.to_lowercase().as_str()) {
                    draft.resolution = text();
                    draft.is_closed = true;
                }
            }
            Column::Labels => {
                let names = cells::values(cell, self.dialect.label_separator).into_iter().map(str::to_owned);
                draft.labels.extend(names.map(|name| DraftLabel { name, ..DraftLabel::default() }));
            }
            Column::Parent => {
                if draft.parent.is_empty() {
                    draft.parent = text();
                }
            }
            Column::Relation { kind, is_inward } => self.relations(name, cell, (*kind, *is_inward), draft),
            Column::Estimate => draft.estimate = Some(DraftField { name: name.to_owned(), value: text() }),
            Column::Start => draft.start = draft.day(self.dates, name, cell),
            Column::Due => draft.due = draft.day(self.dates, name, cell),
            Column::Created => draft.created = draft.moment(self.dates, name, cell),
            Column::Updated => draft.updated = draft.moment(self.dates, name, cell),
            Column::Closed => {
                let closed = draft.moment(self.dates, name, cell);
                draft.closed = draft.closed.or(closed);
                draft.is_closed = true;
            }
            Column::Archived => {
                draft.is_closed = true;
                draft.deviate(name, cell, DeviationReason::Archived);
            }
            Column::Sprint => parts.sprints.push(cell),
            Column::SprintNumber => parts.sprint_number = cell,
            Column::SprintStart => parts.sprint.start = draft.day(self.dates, name, cell),
            Column::SprintEnd => parts.sprint.end = draft.day(self.dates, name, cell),
            Column::Comment => self.comment(name, cell, draft, collector),
            Column::Attachment => self.attachment(name, cell, draft, collector),
            Column::Rank => parts.rank = Some(text()),
            Column::Field => {
                // Short values are plain: a number or an option has no markup.
                let is_text = cell.contains('\n') || cell.starts_with('{');
                let value = if is_text { self.markdown(name, cell, draft, collector) } else { text() };
                draft.field(name, &value);
            }
            Column::Assignee | Column::AssigneeId | Column::Reporter | Column::ReporterId | Column::Skip => {}
        }
    }

    /// A long text of the tool as Markdown.
    fn markdown(&self, name: &str, cell: &str, draft: &mut Draft, collector: &Collector) -> String {
        let names = |id: &str| collector.name_of(id);
        let Markup { text, removed } = match adf::document(cell) {
            Some(document) => adf::to_markdown(&document, &names),
            None if self.dialect.has_wiki_markup => wiki::to_markdown(cell, &names),
            None => return cell.to_owned(),
        };
        for style in removed {
            draft.deviate(name, style, DeviationReason::StyleRemoved);
        }
        text
    }

    fn relations(&self, name: &str, cell: &str, of: (Option<RelationKind>, bool), draft: &mut Draft) {
        let (kind, is_inward) = of;
        for other in cells::values(cell, Some(",")) {
            draft.links.push(DraftLink { field: name.to_owned(), kind, other: other.to_owned(), is_inward });
        }
    }

    fn comment(&self, name: &str, cell: &str, draft: &mut Draft, collector: &mut Collector) {
        let parts = cells::comment(cell)
            .and_then(|[time, author, text]| Some((self.dates.moment(time)?, author, text)));
        let (created, author, text) = match parts {
            Some((created, author, text)) => (Some(created), collector.person(author, "", ""), text),
            None => (None, None, cell),
        };
        let body = self.markdown(name, text, draft, collector);
        draft.comments.push(DraftComment { author, created, body });
    }

    fn attachment(&self, field: &str, cell: &str, draft: &mut Draft, collector: &mut Collector) {
        let Some([time, author, name, address]) = cells::attachment(cell) else {
            draft.keep(field, cell, DeviationReason::Unreadable);
            return;
        };
        let created = draft.moment(self.dates, field, time);
        let author = collector.person(author, "", "");
        let (name, address) = (name.to_owned(), address.to_owned());
        draft.attachments.push(SourceAttachment { name, address, author, created });
    }
}

impl<'a> RowParts<'a> {
    fn person(&mut self, column: &Column, cell: &'a str) {
        match column {
            Column::Assignee => self.assignees.push((cell, "")),
            Column::AssigneeId => match self.assignees.last_mut().filter(|(_, id)| id.is_empty()) {
                Some((_, id)) => *id = cell,
                None => self.assignees.push(("", cell)),
            },
            Column::Reporter => self.reporter.0 = cell,
            Column::ReporterId => self.reporter.1 = cell,
            _ => {}
        }
    }
}
