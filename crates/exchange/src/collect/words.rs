//! Priorities and estimates from the words and numbers of other tools.

use domain::planning::card::Effort;
use domain::planning::card::Priority;

use crate::deviation::DeviationReason;
use crate::draft::Draft;

/// Words in lower case; the second value is true if the source tells two levels apart that are one here.
const PRIORITIES: [(&str, Priority, bool); 17] = [
    ("", Priority::None, false),
    ("no priority", Priority::None, false),
    ("none", Priority::None, false),
    ("not set", Priority::None, false),
    ("low", Priority::Low, false),
    ("minor", Priority::Low, false),
    ("lowest", Priority::Low, true),
    ("trivial", Priority::Low, true),
    ("medium", Priority::Medium, false),
    ("normal", Priority::Medium, false),
    ("high", Priority::High, false),
    ("major", Priority::High, false),
    ("urgent", Priority::Urgent, false),
    ("highest", Priority::Urgent, false),
    ("critical", Priority::Urgent, false),
    ("immediate", Priority::Urgent, false),
    ("blocker", Priority::Urgent, true),
];

/// The priority. Unknown words become a field.
pub(super) fn priority(draft: &mut Draft) -> Priority {
    let word = draft.priority.trim().to_lowercase();
    let text = draft.priority.clone();
    match PRIORITIES.iter().find(|(known, _, _)| *known == word) {
        Some((_, priority, false)) => *priority,
        Some((_, priority, true)) => {
            draft.deviate("Priority", &text, DeviationReason::PriorityMerged);
            *priority
        }
        None => {
            draft.keep("Priority", &text, DeviationReason::PriorityKept);
            Priority::None
        }
    }
}

/// The estimate as a whole number: Jira writes `3.0`, and a half is rounded up.
pub(super) fn effort(draft: &mut Draft) -> Effort {
    let Some(estimate) = draft.estimate.take() else { return Effort::default() };
    let text = estimate.value.trim();
    if text.is_empty() {
        return Effort::default();
    }
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let number = whole.parse::<i64>().ok().filter(|_| is_number(whole) && is_number(fraction));
    let rounded = number.map(|number| {
        number.saturating_add(i64::from(fraction.bytes().next().is_some_and(|digit| digit >= b'5')))
    });
    let Some(effort) = rounded.and_then(|number| Effort::try_from(number).ok()) else {
        draft.keep(&estimate.name, text, DeviationReason::EstimateKept);
        return Effort::default();
    };
    if fraction.bytes().any(|digit| digit != b'0') {
        draft.keep(&estimate.name, text, DeviationReason::EstimateRounded);
    }
    effort
}

#[cfg(test)]
mod tests {
    use super::effort;
    use crate::draft::{Draft, DraftField};

    #[test]
    fn estimates_are_rounded_half_up_and_others_are_kept_as_fields() {
        for (text, number, kept) in [
            ("3.0", 3, false),
            ("3", 3, false),
            ("0.5", 1, true),
            ("2.5", 3, true),
            ("2.49", 2, true),
            ("2147483647", 2_147_483_647, false),
            ("2147483647.5", 0, true),
            ("9223372036854775807.9", 0, true),
            ("-1", 0, true),
            ("+1", 0, true),
            ("1e3", 0, true),
            ("XL", 0, true),
            ("", 0, false),
        ] {
            let estimate = DraftField { name: "Points".to_owned(), value: text.to_owned() };
            let mut draft = Draft { estimate: Some(estimate), ..Draft::default() };
            assert_eq!((effort(&mut draft).get(), !draft.fields.is_empty()), (number, kept), "{text}");
            assert_eq!(draft.deviations.is_empty(), !kept, "{text}");
        }
    }
}
