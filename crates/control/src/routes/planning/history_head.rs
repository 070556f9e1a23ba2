//! The history head that a request on a card expects.

use api::operation::Json;
use api::planning::cards::HistoryHeadRequest;
use domain::error::Location;
use domain::id::HistoryId;
use domain::{Code, Error, Result, Rule};

/// The history head that a request with an [`HistoryHeadRequest`] expects.
///
/// # Errors
/// As [`expected_head`].
pub fn expected(
    head: &wire::RequestHead,
    body: Option<Json<HistoryHeadRequest>>,
) -> Result<Option<HistoryId>> {
    expected_head(head, body.and_then(|body| body.0.expected_history_head_id))
}

/// The history head that a request expects by `If-Match` (quoted, bare or weak), by its body, or by both.
///
/// # Errors
/// `INVALID_REQUEST` if the header is not a history head; `HISTORY_HEAD_MISMATCH` if the two differ.
pub fn expected_head(head: &wire::RequestHead, body: Option<HistoryId>) -> Result<Option<HistoryId>> {
    let text = head.single("If-Match")?.map(str::trim);
    let Some(text) = text.filter(|text| *text != "*") else {
        return Ok(body);
    };
    let tag = text.strip_prefix("W/").unwrap_or(text);
    let tag = tag.strip_prefix('"').and_then(|tag| tag.strip_suffix('"')).unwrap_or(tag);
    // A card's tag also tells how others stand that it is related to; a change of it expects the head alone.
    let tag = tag.split_once('.').map_or(tag, |(head, _)| head);
    let header: HistoryId = tag.parse().map_err(|_| {
        Error::invalid("If-Match", Rule::format("uuid"), "must be one history head").at(Location::Header)
    })?;
    if body.is_some_and(|body| body != header) {
        return Err(Error::new(
            Code::HistoryHeadMismatch,
            "`If-Match` and `expectedHistoryHeadId` name different history heads.",
        ));
    }
    Ok(Some(header))
}
