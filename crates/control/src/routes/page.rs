//! What the handlers of lists share: one row more than asked for tells whether there is another page.

use domain::page::{CursorKey, Limit, PageMeta};
use domain::{Error, Result};
use serde::Serialize;

/// Longest search text, in characters.
const SEARCH_MAX_CHARS: usize = 200;

/// How many rows to ask the store for.
pub fn rows_to_ask(limit: Limit) -> u32 {
    limit.rows() + 1
}

/// The page of at most `limit` rows, and the `meta` that says what follows it.
///
/// # Errors
/// `INTERNAL_ERROR` where the position can't be written.
pub fn cut<T, F: Serialize, P: Serialize>(
    cursors: &CursorKey,
    filter: &F,
    limit: Limit,
    mut rows: Vec<T>,
    position: impl Fn(&T) -> P,
) -> Result<(Vec<T>, PageMeta)> {
    let most = usize::try_from(limit.rows()).map_err(Error::internal)?;
    let has_more = rows.len() > most;
    rows.truncate(most);
    let last = rows.last().filter(|_| has_more);
    let next_cursor = last.map(|row| cursors.seal(filter, &position(row))).transpose()?;
    Ok((rows, PageMeta { limit: limit.rows(), has_more, next_cursor }))
}

/// A `q` parameter within its length; an empty one is none.
///
/// # Errors
/// `INVALID_REQUEST` where it is too long or holds NUL.
pub fn search_text(q: Option<String>) -> Result<Option<String>> {
    let Some(q) = q.filter(|q| !q.is_empty()) else { return Ok(None) };
    if q.chars().nth(SEARCH_MAX_CHARS).is_some() {
        return Err(Error::invalid(
            "query.q",
            "maxLength",
            format!("must be at most {SEARCH_MAX_CHARS} characters"),
        ));
    }
    if q.contains('\0') {
        return Err(Error::invalid("query.q", "format", "must not contain the character NUL"));
    }
    Ok(Some(q))
}
