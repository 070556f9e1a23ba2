//! The history of cards, paged by sequence.

pub mod of_card;
pub mod of_project;

use domain::history::{HistoryRow, Sequence};
use domain::page::{Limit, LimitText};
use domain::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::history::feed::Slice;
use wire::{Endpoint, Resource, get};

use crate::app::App;
use crate::routes::page;

/// The endpoints of a project's card history.
pub fn endpoints() -> Vec<Endpoint<App>> {
    Resource::at("/api/v2/projects/{projectId}/history").with([get(
        "",
        "listHistory",
        "Read a project's card history",
        of_project::handle,
    )
    .tool("cards")])
}

/// The selection of a page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// The sequence of the last row that the client has. Defaults to the beginning.
    #[schemars(regex(pattern = r"^\d+$"))]
    after: Option<String>,
    /// Page size.
    limit: Option<LimitText>,
}

/// A page of history, in the order of sequences.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListHistoryResponse")]
pub struct Answer {
    history: Vec<HistoryRow>,
    meta: HistoryMeta,
}

/// The position of the next page.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HistoryMeta")]
struct HistoryMeta {
    /// The applied limit.
    limit: u32,
    /// True if more rows exist now.
    has_more: bool,
    /// `after` of the next page, also if its rows don't exist yet.
    next_after: Sequence,
}

/// A validated query.
struct HistoryPage {
    after: Sequence,
    limit: Limit,
}

impl Query {
    fn validate(&self) -> Result<HistoryPage> {
        let after = self
            .after
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(|_| Error::new(Code::InvalidPagination, "`after` must be a sequence of digits."))?;
        Ok(HistoryPage { after: after.unwrap_or_default(), limit: LimitText::read(self.limit.as_ref())? })
    }
}

impl HistoryPage {
    fn slice(&self) -> Slice {
        Slice { after: self.after, rows: page::rows_to_ask(self.limit) }
    }

    fn answer(&self, mut history: Vec<HistoryRow>) -> Result<Answer> {
        let has_more = page::cut_to(self.limit, &mut history)?;
        let next_after = history.last().map_or(self.after, |row| row.sequence);
        Ok(Answer { history, meta: HistoryMeta { limit: self.limit.rows(), has_more, next_after } })
    }
}
