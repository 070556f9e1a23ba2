//! Values of custom fields that decisions on conflicts bring. Those of either side stay as they are.

use std::collections::BTreeMap;

use domain::content::merge::{Decision, Resolution};
use domain::content::object::Object;
use domain::id::ObjectId;
use domain::planning::custom_field::{CustomField, check_decided_fields};
use domain::{Error, Result};
use git::{Difference, ObjectRecord};

/// True for a decision that may bring a value that neither side has.
pub(super) fn brings_value(resolution: &Resolution) -> bool {
    resolution.field.is_below_data() && matches!(resolution.decision, Decision::Value(_) | Decision::Delete)
}

/// Checks the values of custom fields that decisions have brought into merged objects.
///
/// # Errors
/// `INVALID_REQUEST` at `resolutions[{place}]` for values that the fields don't take.
pub(super) fn check_decisions(
    fields: &[CustomField],
    differing: &[Difference<3>],
    resolutions: &[Resolution],
    merged: &mut BTreeMap<ObjectId, Option<Object>>,
) -> Result<()> {
    let mut decided: BTreeMap<ObjectId, Vec<(usize, &Resolution)>> = BTreeMap::new();
    for (place, resolution) in resolutions.iter().enumerate().filter(|(_, one)| brings_value(one)) {
        decided.entry(resolution.object_id).or_default().push((place, resolution));
    }
    if fields.is_empty() || decided.is_empty() {
        return Ok(());
    }
    let read = |record: &Option<ObjectRecord>| record.as_ref().map(ObjectRecord::object).transpose();
    let checked = differing.iter().map(|Difference { id, records: [_, ours, theirs] }| {
        let (Some(decisions), Some(Some(object))) = (decided.get(id), merged.get_mut(id)) else {
            return Ok(());
        };
        let (ours, theirs) = (read(ours)?, read(theirs)?);
        check_decided_fields(fields, decisions, [ours.as_ref(), theirs.as_ref()], object)
    });
    Error::all(checked).map(drop)
}
