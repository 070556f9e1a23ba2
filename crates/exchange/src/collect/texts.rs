//! Names and texts within the limits of cards.

use domain::planning::card::{CARD_TEXT_MAX_CHARS, CommentBody};
use domain::text::{self, DESCRIPTION_MAX_CHARS, Description, Name, Text};

use crate::deviation::DeviationReason;
use crate::draft::{Draft, DraftComment};
use crate::export::SourceComment;
use crate::markup;

/// Most comments of an issue.
const COMMENTS_MAX: usize = 1_000;

/// The name of a card. A longer title also goes before the description in full; without one, the key is the name.
pub(super) fn name(draft: &mut Draft) -> Option<Name> {
    let title = std::mem::take(&mut draft.title);
    let Some(name) = Name::sanitize(&title) else {
        draft.deviate("Title", &title, DeviationReason::NoTitle);
        return [&draft.key, &draft.id].into_iter().find_map(|text| Name::sanitize(text));
    };
    if title.trim().chars().nth(text::NAME_MAX_CHARS).is_some() {
        draft.deviate("Title", &title, DeviationReason::TitleCut);
        let title = markup::plain(&title);
        let parts = [title.as_str(), draft.description.as_str()];
        draft.description =
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n\n");
    }
    Some(name)
}

/// The description. What is beyond a card's limit goes on in comments of the author.
pub(super) fn description(draft: &mut Draft) -> Description {
    let text = std::mem::take(&mut draft.description);
    let text = without_nul(draft, "Description", text);
    let (first, rest) = divided(&text, DESCRIPTION_MAX_CHARS);
    if !rest.is_empty() {
        draft.deviate("Description", &text, DeviationReason::TextContinued);
        let comment =
            DraftComment { author: draft.reporter.clone(), created: draft.created, body: rest.to_owned() };
        draft.comments.insert(0, comment);
    }
    Text::cut(first)
}

/// The comments. A longer one is several.
pub(super) fn comments(draft: &mut Draft) -> Vec<SourceComment> {
    let mut comments = Vec::new();
    for DraftComment { author, created, body } in std::mem::take(&mut draft.comments) {
        let body = without_nul(draft, "Comment", body);
        let mut rest = body.as_str();
        while !rest.is_empty() {
            let (part, after) = divided(rest, CARD_TEXT_MAX_CHARS);
            if !after.is_empty() && rest.len() == body.len() {
                draft.deviate("Comment", &body, DeviationReason::TextContinued);
            }
            rest = after;
            if comments.len() == COMMENTS_MAX {
                draft.deviate("Comment", part, DeviationReason::CommentsRemoved);
                return comments;
            }
            if let Ok(body) = CommentBody::try_from(Text::cut(part)) {
                comments.push(SourceComment { author: author.clone(), created, body });
            }
        }
    }
    comments
}

/// A short text as a name. A longer one is also a field.
pub(super) fn short(draft: &mut Draft, field: &str, of: impl Fn(&Draft) -> &str) -> Option<Name> {
    let text = of(draft).to_owned();
    if text.trim().chars().nth(text::NAME_MAX_CHARS).is_some() {
        draft.keep(field, &text, DeviationReason::TitleCut);
    }
    Name::sanitize(&text)
}

/// The text without NUL, which is listed.
pub(super) fn without_nul(draft: &mut Draft, field: &str, text: String) -> String {
    if !text.contains('\0') {
        return text;
    }
    draft.deviate(field, &text.replace('\0', "␀"), DeviationReason::NulRemoved);
    text.replace('\0', "")
}

/// The beginning of a text of at most `max` characters, and the rest. Divides between paragraphs, else lines, else
/// words, within the second half of the room.
fn divided(text: &str, max: usize) -> (&str, &str) {
    let head = text::cut(text, max);
    if head.len() == text.len() {
        return (text, "");
    }
    let half = head.len() / 2;
    let is_seam = text.get(head.len()..).is_some_and(|rest| rest.starts_with(['\n', ' ']));
    let seam = || ["\n\n", "\n", " "].iter().find_map(|seam| head.rfind(seam).filter(|at| *at >= half));
    let at = if is_seam { None } else { seam() };
    let (head, rest) = text.split_at_checked(at.unwrap_or(head.len())).unwrap_or((text, ""));
    (head, rest.trim_start_matches(['\n', ' ']))
}

#[cfg(test)]
mod tests {
    use super::divided;

    #[test]
    fn a_text_is_divided_at_its_last_seam() {
        for (text, parts) in [
            ("short", ("short", "")),
            ("one two three", ("one two", "three")),
            ("first line\nx y z", ("first line", "x y z")),
            ("aaaaaaaaaaaaaa", ("aaaaaaaaaa", "aaaa")),
            ("a bcd\n\ne fgh", ("a bcd", "e fgh")),
        ] {
            assert_eq!(divided(text, 10), parts, "{text:?}");
        }
        let family = "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}";
        assert_eq!(divided(&format!("12345678{family}"), 10), ("12345678", family));
    }
}
