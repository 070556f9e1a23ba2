//! The history of cards, read forward by sequence.

pub mod of_card;
pub mod of_project;

use domain::history::{HistoryRow, Sequence};
use domain::page::Limit;
use domain::{Code, Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::cards::history::Slice;

use crate::routes::page;

/// Which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Query {
    /// The sequence of the last row that the client has; from the beginning unless said.
    #[schemars(regex(pattern = r"^\d+$"))]
    after: Option<String>,
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
}

/// A page of history, in the order of sequences.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "ListHistoryResponse")]
pub struct Answer {
    history: Vec<HistoryRow>,
    meta: Meta,
}

/// Where the next page begins.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "HistoryMeta")]
struct Meta {
    /// The limit that held.
    limit: u32,
    /// Whether more rows follow already.
    has_more: bool,
    /// What to send as `after` for them, now or once there are some.
    next_after: Sequence,
}

/// A checked query.
struct Page {
    after: Sequence,
    limit: Limit,
}

impl Query {
    fn validate(&self) -> Result<Page> {
        let after = self
            .after
            .as_deref()
            .map(str::parse)
            .transpose()
            .map_err(|_| Error::new(Code::InvalidPagination, "`after` must be a sequence of digits."))?;
        Ok(Page { after: after.unwrap_or_default(), limit: Limit::parse(self.limit.as_deref())? })
    }
}

impl Page {
    fn slice(&self) -> Slice {
        Slice { after: self.after, rows: page::rows_to_ask(self.limit) }
    }

    fn answer(&self, mut history: Vec<HistoryRow>) -> Result<Answer> {
        let most = usize::try_from(self.limit.rows()).map_err(Error::internal)?;
        let has_more = history.len() > most;
        history.truncate(most);
        let next_after = history.last().map_or(self.after, |row| row.sequence);
        Ok(Answer { history, meta: Meta { limit: self.limit.rows(), has_more, next_after } })
    }
}
