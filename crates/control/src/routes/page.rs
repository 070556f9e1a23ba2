//! What the handlers of lists share: one row more than asked for tells whether there is another page.

use domain::error::Location;
use domain::page::{CursorKey, Limit, PageMeta};
use domain::{Error, Result};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Longest search text, in characters.
const SEARCH_MAX_CHARS: usize = 200;

/// The query of a list without filters: which page.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageQuery {
    /// 1 to 100, 50 unless said.
    limit: Option<String>,
    /// `meta.nextCursor` of the page before.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// The page that a request asks for, of the list that `filter` describes, whose rows have a position `P` each.
pub struct PageRequest<'a, F, P> {
    /// The position of the last row of the page before; `None` for the first page.
    pub from: Option<P>,
    limit: Limit,
    cursors: &'a CursorKey,
    filter: F,
}

impl PageQuery {
    /// The page of the list that `filter` describes.
    ///
    /// # Errors
    /// `INVALID_PAGINATION`.
    pub fn open<F: Serialize, P: Serialize + DeserializeOwned>(
        self,
        cursors: &CursorKey,
        filter: F,
    ) -> Result<PageRequest<'_, F, P>> {
        PageRequest::open(cursors, filter, self.limit, self.cursor)
    }
}

impl<'a, F: Serialize, P: Serialize + DeserializeOwned> PageRequest<'a, F, P> {
    /// The page by the two parameters of its query.
    ///
    /// # Errors
    /// `INVALID_PAGINATION`.
    pub fn open(
        cursors: &'a CursorKey,
        filter: F,
        limit: Option<String>,
        cursor: Option<String>,
    ) -> Result<Self> {
        let limit = Limit::parse(limit.as_deref())?;
        let from = cursor.map(|cursor| cursors.open(&filter, &cursor)).transpose()?;
        Ok(Self { from, limit, cursors, filter })
    }

    /// How many rows to ask the store for.
    pub fn rows(&self) -> u32 {
        rows_to_ask(self.limit)
    }

    /// The rows of the page out of those that the store has found, and the `meta` that says what follows it.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` where the position can't be written.
    pub fn cut<T>(&self, mut rows: Vec<T>, position: impl Fn(&T) -> P) -> Result<(Vec<T>, PageMeta)> {
        let most = usize::try_from(self.limit.rows()).map_err(Error::internal)?;
        let has_more = rows.len() > most;
        rows.truncate(most);
        let last = rows.last().filter(|_| has_more);
        let next_cursor = last.map(|row| self.cursors.seal(&self.filter, &position(row))).transpose()?;
        Ok((rows, PageMeta { limit: self.limit.rows(), has_more, next_cursor }))
    }
}

/// How many rows to ask the store for, where a page has so many at most.
pub fn rows_to_ask(limit: Limit) -> u32 {
    limit.rows() + 1
}

/// A `q` parameter within its length; an empty one is none.
///
/// # Errors
/// `INVALID_REQUEST` where it is too long or holds NUL.
pub fn search_text(q: Option<String>) -> Result<Option<String>> {
    let Some(q) = q.filter(|q| !q.is_empty()) else { return Ok(None) };
    let refused = |rule: &str, message: &str| Error::invalid("q", rule, message).at(Location::Query);
    if q.chars().nth(SEARCH_MAX_CHARS).is_some() {
        return Err(refused("maxLength", &format!("must be at most {SEARCH_MAX_CHARS} characters")));
    }
    if q.contains('\0') {
        return Err(refused("format", "must not contain the character NUL"));
    }
    Ok(Some(q))
}
