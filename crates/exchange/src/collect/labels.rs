//! Labels of an export, which are tags of one project: no two differ in case alone.

use std::collections::HashMap;

use domain::planning::card::CARD_MAX_TAGS;
use domain::search::fold_case;
use domain::text::Name;

use crate::deviation::DeviationReason;
use crate::draft::Draft;
use crate::export::SourceLabel;

/// Labels in the order of their first use.
#[derive(Default)]
pub(super) struct Labels {
    labels: Vec<SourceLabel>,
    places: HashMap<String, usize>,
}

impl Labels {
    /// The labels of an issue, each once, in the spelling of their first use.
    pub(super) fn of(&mut self, draft: &mut Draft) -> Vec<Name> {
        let mut names: Vec<Name> = Vec::new();
        for label in std::mem::take(&mut draft.labels) {
            let Some(name) = Name::sanitize(&label.name).or_else(|| Name::sanitize(&label.color_name)) else {
                draft.deviate("Labels", &label.name, DeviationReason::LabelRemoved);
                continue;
            };
            let known = *self.places.entry(fold_case(name.as_str())).or_insert(self.labels.len());
            if known == self.labels.len() {
                let description = label.description.replace('\0', "");
                self.labels.push(SourceLabel { name: name.clone(), color: label.color, description });
            }
            let Some(known) = self.labels.get(known) else { continue };
            if known.name != name {
                draft.deviate("Labels", name.as_str(), DeviationReason::LabelMerged);
            } else if name.as_str() != label.name.trim() {
                draft.deviate("Labels", &label.name, DeviationReason::LabelNamed);
            }
            if names.contains(&known.name) {
                continue;
            }
            if names.len() == CARD_MAX_TAGS {
                draft.deviate("Labels", &label.name, DeviationReason::LabelRemoved);
                continue;
            }
            names.push(known.name.clone());
        }
        names
    }

    pub(super) fn all(self) -> Vec<SourceLabel> {
        self.labels
    }
}
