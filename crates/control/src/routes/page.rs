//! Paging. A list reads one row more than the page holds, to know whether another page follows.

use domain::error::Location;
use domain::id::UserId;
use domain::page::{CursorKey, Limit, LimitText, PageMeta};
use domain::{Error, Result, Rule};
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use store::members::MemberFilter;

/// Maximum length of a search text, in characters.
const SEARCH_MAX_CHARS: usize = 200;

/// The query of a list without filters.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PageQuery {
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// The query of a list of members.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct MemberQuery {
    /// Only entries whose name contains this text, regardless of case.
    #[schemars(length(max = 200))]
    q: Option<String>,
    /// Page size.
    limit: Option<LimitText>,
    /// `meta.nextCursor` of the previous page.
    #[schemars(length(max = 1024))]
    cursor: Option<String>,
}

/// The requested page of a list of members.
pub struct MemberPage<'a, L> {
    lower_q: Option<String>,
    page: PageRequest<'a, (L, Option<String>), UserId>,
}

/// The requested page of the list that `filter` describes. Each row has a position `P`.
pub struct PageRequest<'a, F, P> {
    /// The position of the previous page's last row; `None` for the first page.
    pub from: Option<P>,
    limit: Limit,
    cursors: &'a CursorKey,
    filter: F,
}

impl PageQuery {
    /// Validates the query of the list that `filter` describes.
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

impl MemberQuery {
    /// Validates the query of a list of members.
    ///
    /// # Errors
    /// `INVALID_PAGINATION`; `INVALID_REQUEST` for the search text.
    pub fn open<L: Serialize>(self, cursors: &CursorKey, list: L) -> Result<MemberPage<'_, L>> {
        let lower_q = search_text(self.q)?.map(|q| q.to_lowercase());
        let page = PageRequest::open(cursors, (list, lower_q.clone()), self.limit, self.cursor)?;
        Ok(MemberPage { lower_q, page })
    }
}

impl<L: Serialize> MemberPage<'_, L> {
    /// The rows to read.
    pub fn filter(&self) -> MemberFilter<'_> {
        MemberFilter { lower_q: self.lower_q.as_deref(), after: self.page.from, rows: self.page.rows() }
    }

    /// Cuts the rows that were read to the page, and makes its `meta`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the position can't be serialised.
    pub fn cut<T>(&self, rows: Vec<T>, user: impl Fn(&T) -> UserId) -> Result<(Vec<T>, PageMeta)> {
        self.page.cut(rows, user)
    }
}

impl<'a, F: Serialize, P: Serialize + DeserializeOwned> PageRequest<'a, F, P> {
    /// Validates the two parameters of the query.
    ///
    /// # Errors
    /// `INVALID_PAGINATION`.
    pub fn open(
        cursors: &'a CursorKey,
        filter: F,
        limit: Option<LimitText>,
        cursor: Option<String>,
    ) -> Result<Self> {
        let limit = LimitText::read(limit.as_ref())?;
        let from = cursor.map(|cursor| cursors.open(&filter, &cursor)).transpose()?;
        Ok(Self { from, limit, cursors, filter })
    }

    /// Number of rows to read.
    pub fn rows(&self) -> u32 {
        rows_to_ask(self.limit)
    }

    /// Sorts all rows of a short list by position, and cuts them to the page.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the position can't be serialised.
    pub fn cut_sorted<T>(&self, mut rows: Vec<T>, position: impl Fn(&T) -> P) -> Result<(Vec<T>, PageMeta)>
    where
        P: Ord,
    {
        rows.sort_by_cached_key(&position);
        rows.retain(|row| self.from.as_ref().is_none_or(|from| position(row) > *from));
        self.cut(rows, position)
    }

    /// Cuts the rows that were read to the page, and makes its `meta`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the position can't be serialised.
    pub fn cut<T>(&self, mut rows: Vec<T>, position: impl Fn(&T) -> P) -> Result<(Vec<T>, PageMeta)> {
        let has_more = cut_to(self.limit, &mut rows)?;
        let last = rows.last().filter(|_| has_more);
        let next_cursor = last.map(|row| self.cursors.seal(&self.filter, &position(row))).transpose()?;
        Ok((rows, PageMeta { limit: self.limit.rows(), has_more, next_cursor }))
    }
}

/// Number of rows to read for a page of this size: one more.
pub fn rows_to_ask(limit: Limit) -> u32 {
    limit.rows() + 1
}

/// Cuts the rows that were read to the page. True if more follow.
///
/// # Errors
/// `INTERNAL_ERROR` if the limit exceeds the address space.
pub fn cut_to<T>(limit: Limit, rows: &mut Vec<T>) -> Result<bool> {
    let most = usize::try_from(limit.rows()).map_err(Error::internal)?;
    let has_more = rows.len() > most;
    rows.truncate(most);
    Ok(has_more)
}

/// Validates a `q` parameter. An empty text counts as absent.
///
/// # Errors
/// `INVALID_REQUEST` if it is too long or contains NUL.
pub fn search_text(q: Option<String>) -> Result<Option<String>> {
    let Some(q) = q.filter(|q| !q.is_empty()) else { return Ok(None) };
    if q.chars().nth(SEARCH_MAX_CHARS).is_some() {
        return Err(Error::broken("q", Rule::MaxLength(SEARCH_MAX_CHARS)).at(Location::Query));
    }
    if q.contains('\0') {
        return Err(Error::broken("q", Rule::format("text")).at(Location::Query));
    }
    Ok(Some(q))
}
