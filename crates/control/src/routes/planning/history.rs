//! The history of cards, paged by sequence.

pub mod of_card;
pub mod of_project;

use api::planning::history::{HistoryMeta, HistoryOrder, HistoryQuery, ListHistoryResponse};
use domain::page::{Limit, LimitText};
use domain::planning::history::{HistoryRow, Sequence};
use domain::{Code, Error, Result};
use store::planning::cards::history::feed::{SequenceRange, Slice};
use wire::{Endpoint, endpoint};

use crate::app::App;
use crate::routes::page;

/// The endpoints of a project's card history.
pub fn endpoints() -> Vec<Endpoint<App>> {
    vec![endpoint(of_project::handle)]
}

/// A validated query.
struct HistoryPage {
    range: SequenceRange,
    limit: Limit,
}

/// Validates a query.
fn validate(query: &HistoryQuery) -> Result<HistoryPage> {
    let read = |name: &str, text: Option<&str>| {
        let refused =
            |_| Error::new(Code::InvalidPagination, format!("`{name}` must be a sequence of digits."));
        text.map(str::parse).transpose().map_err(refused)
    };
    let after: Option<Sequence> = read("after", query.after.as_deref())?;
    let before: Option<Sequence> = read("before", query.before.as_deref())?;
    let range = match query.sort.unwrap_or_default() {
        HistoryOrder::Oldest if before.is_some() => return Err(contradiction("before", "sort=newest")),
        HistoryOrder::Newest if after.is_some() => return Err(contradiction("after", "sort=oldest")),
        HistoryOrder::Oldest => SequenceRange::After(after.unwrap_or_default()),
        HistoryOrder::Newest => SequenceRange::Before(before),
    };
    Ok(HistoryPage { range, limit: LimitText::read(query.limit.as_ref())? })
}

/// The refusal of a position that belongs to the other order.
fn contradiction(position: &str, order: &str) -> Error {
    Error::new(Code::InvalidPagination, format!("`{position}` needs `{order}`."))
}

impl HistoryPage {
    fn slice(&self) -> Slice {
        Slice { range: self.range, rows: page::rows_to_ask(self.limit) }
    }

    fn answer(&self, mut history: Vec<HistoryRow>) -> Result<ListHistoryResponse> {
        let has_more = page::cut_to(self.limit, &mut history)?;
        let ends = (history.first().map(|row| row.sequence), history.last().map(|row| row.sequence));
        let (next_after, next_before) = match (self.range, ends) {
            (SequenceRange::After(after), (_, last)) => (last.unwrap_or(after), None),
            (SequenceRange::Before(before), (first, last)) => {
                (first.or(before).unwrap_or_default(), Some(last.or(before).unwrap_or_default()))
            }
        };
        let meta = HistoryMeta { limit: self.limit.rows(), has_more, next_after, next_before };
        Ok(ListHistoryResponse { history, meta })
    }
}
