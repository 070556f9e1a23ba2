//! The history of cards, paged by sequence.

pub mod of_card;
pub mod of_project;

use api::history::{HistoryMeta, HistoryQuery, ListHistoryResponse};
use domain::history::{HistoryRow, Sequence};
use domain::page::{Limit, LimitText};
use domain::{Code, Error, Result};
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

/// A validated query.
struct HistoryPage {
    after: Sequence,
    limit: Limit,
}

/// Validates a query.
fn validate(query: &HistoryQuery) -> Result<HistoryPage> {
    let after = query
        .after
        .as_deref()
        .map(str::parse)
        .transpose()
        .map_err(|_| Error::new(Code::InvalidPagination, "`after` must be a sequence of digits."))?;
    Ok(HistoryPage { after: after.unwrap_or_default(), limit: LimitText::read(query.limit.as_ref())? })
}

impl HistoryPage {
    fn slice(&self) -> Slice {
        Slice { after: self.after, rows: page::rows_to_ask(self.limit) }
    }

    fn answer(&self, mut history: Vec<HistoryRow>) -> Result<ListHistoryResponse> {
        let has_more = page::cut_to(self.limit, &mut history)?;
        let next_after = history.last().map_or(self.after, |row| row.sequence);
        Ok(ListHistoryResponse {
            history,
            meta: HistoryMeta { limit: self.limit.rows(), has_more, next_after },
        })
    }
}
