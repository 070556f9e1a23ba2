//! Paging. A list reads one row more than the page holds, to know whether another page follows.

use api::page::{MemberQuery, PageQuery};
use domain::error::Location;
use domain::id::UserId;
use domain::page::{CursorKey, Limit, LimitText, PageMeta};
use domain::search::fold;
use domain::{Error, Result, Rule};
use serde::Serialize;
use serde::de::DeserializeOwned;
use store::people::members::MemberFilter;

/// Maximum length of a search text, in characters.
const SEARCH_MAX_CHARS: usize = 200;

/// The requested page of a list of members.
pub struct MemberPage<'a, L> {
    folded_q: Option<String>,
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

impl<'a, L: Serialize> MemberPage<'a, L> {
    /// Validates the query of a list of members.
    ///
    /// # Errors
    /// `INVALID_PAGINATION`; `INVALID_REQUEST` for the search text.
    pub fn open(query: MemberQuery, cursors: &'a CursorKey, list: L) -> Result<Self> {
        let folded_q = search_text(query.q)?.map(|q| fold(&q));
        let page = PageRequest::open(cursors, (list, folded_q.clone()), query.limit, query.cursor)?;
        Ok(Self { folded_q, page })
    }

    /// The rows to read.
    pub fn filter(&self) -> MemberFilter<'_> {
        MemberFilter { folded_q: self.folded_q.as_deref(), after: self.page.from, rows: self.page.rows() }
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
    /// Validates the query of the list that `filter` describes, which has no filter of its own.
    ///
    /// # Errors
    /// `INVALID_PAGINATION`.
    pub fn of(query: PageQuery, cursors: &'a CursorKey, filter: F) -> Result<Self> {
        Self::open(cursors, filter, query.limit, query.cursor)
    }

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

    /// Number of rows of a page, for a list that knows where the next one begins.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the limit exceeds the address space.
    pub fn size(&self) -> Result<usize> {
        usize::try_from(self.limit.rows()).map_err(Error::internal)
    }

    /// The `meta` of a page, before the one that begins at `next`.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if the position can't be serialised.
    pub fn meta(&self, next: Option<&P>) -> Result<PageMeta> {
        let next_cursor = next.map(|next| self.cursors.seal(&self.filter, next)).transpose()?;
        Ok(PageMeta { limit: self.limit.rows(), has_more: next.is_some(), next_cursor })
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
