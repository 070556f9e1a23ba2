//! The aspects in which two states of an object differ, in the words of engineers.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::content::compare::FieldChange;
use crate::content::compare::displacement::{Displacement, PlacementChange};
use crate::content::field::FieldPath;
use crate::content::object::Object;

/// An aspect of a changed object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeAspect {
    /// Its placement in its assembly.
    Moved,
    /// Its shape.
    Shape,
    /// Its definition.
    Definition,
    /// Its name.
    Renamed,
    /// Its parent.
    Relocated,
    /// Its file or its text.
    Content,
    /// Another property.
    Properties,
}

/// The aspects in which two states of an object differ by these fields, and the displacement of a moved one.
///
/// A placement that differs by rounding errors alone is no aspect, and neither is a fingerprint that only one state
/// has: large files have none.
pub fn aspects(
    base: &Object,
    head: &Object,
    fields: &[FieldChange],
) -> (Vec<ChangeAspect>, Option<Displacement>) {
    let placement = PlacementChange::between(&base.data, &head.data);
    let has_moved = placement != PlacementChange::Rounding;
    let found: BTreeSet<ChangeAspect> =
        fields.iter().filter_map(|field| aspect_of(field, has_moved)).collect();
    let displacement = match placement {
        PlacementChange::Moved(displacement) if found.contains(&ChangeAspect::Moved) => displacement,
        _ => None,
    };
    (found.into_iter().collect(), displacement)
}

fn aspect_of(change: &FieldChange, has_moved: bool) -> Option<ChangeAspect> {
    match change.field.as_str() {
        FieldPath::NAME | "/data/occurrence/name" => Some(ChangeAspect::Renamed),
        FieldPath::PARENT => Some(ChangeAspect::Relocated),
        "/file" | "/data/text" => Some(ChangeAspect::Content),
        "/data/placement" => has_moved.then_some(ChangeAspect::Moved),
        "/data/definition/geometry" => {
            (change.base.is_some() && change.head.is_some()).then_some(ChangeAspect::Shape)
        }
        "/data/definition"
        | "/data/definition/id"
        | "/data/definition/name"
        | "/data/definition/version"
        | "/data/definition/external" => Some(ChangeAspect::Definition),
        _ => Some(ChangeAspect::Properties),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::ChangeAspect::{Content, Definition, Moved, Properties, Relocated, Renamed, Shape};
    use super::{ChangeAspect, aspects};
    use crate::content::compare::displacement::Displacement;
    use crate::content::compare::field_changes;
    use crate::content::object::Object;

    const ID: &str = "0198c5f0-0000-7000-8000-000000000001";
    const ELSEWHERE: &str = "0198c5f0-0000-7000-8000-000000000002";

    /// A bolt at a place of its assembly, and the same with these members or properties in place of its own.
    fn bolt(changes: &[(&str, Value)]) -> Value {
        let mut bolt = json!({
            "name": "left", "type": "Part", "parent": ID, "kind": "geometry",
            "data": {
                "definition": { "id": "B-1", "name": "bolt", "geometry": "g", "material": { "name": "steel" } },
                "occurrence": { "name": "left" },
                "placement": [[1, 0, 0, 40], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]],
                "units": { "length": { "name": "millimetre", "metres": 0.001 } },
            },
        });
        for (pointer, value) in changes {
            *bolt.pointer_mut(pointer).unwrap() = value.clone();
        }
        bolt
    }

    fn compared(base: &Value, head: &Value) -> (Vec<ChangeAspect>, Option<Displacement>) {
        let fields = field_changes(base.as_object().unwrap(), head.as_object().unwrap());
        let object = |members: &Value| -> Object {
            let mut members = members.clone();
            members["id"] = json!(ID);
            serde_json::from_value(members).unwrap()
        };
        aspects(&object(base), &object(head), &fields)
    }

    fn changed(changes: &[(&str, Value)]) -> Vec<ChangeAspect> {
        compared(&bolt(&[]), &bolt(changes)).0
    }

    #[test]
    fn each_field_is_the_aspect_that_an_engineer_calls_it() {
        for (pointer, value, aspect) in [
            ("/name", json!("right"), Renamed),
            ("/data/occurrence/name", json!("right"), Renamed),
            ("/parent", json!(ELSEWHERE), Relocated),
            ("/type", json!("Bolt"), Properties),
            ("/data/definition/id", json!("B-2"), Definition),
            ("/data/definition/name", json!("screw"), Definition),
            ("/data/definition/geometry", json!("h"), Shape),
            ("/data/definition/material/name", json!("brass"), Properties),
            ("/data/placement/0/3", json!(41), Moved),
        ] {
            assert_eq!(changed(&[(pointer, value)]), [aspect], "{pointer}");
        }
        let text =
            |text: &str| json!({ "name": "a", "type": "Code", "parent": ID, "data": { "text": text } });
        assert_eq!(compared(&text("a"), &text("b")).0, [Content]);
    }

    #[test]
    fn aspects_are_in_one_order_and_each_is_told_once() {
        let all = changed(&[
            ("/type", json!("Bolt")),
            ("/parent", json!(ELSEWHERE)),
            ("/name", json!("right")),
            ("/data/occurrence/name", json!("right")),
            ("/data/definition/name", json!("screw")),
            ("/data/definition/geometry", json!("h")),
            ("/data/placement/2/3", json!(-5)),
        ]);
        assert_eq!(all, [Moved, Shape, Definition, Renamed, Relocated, Properties]);
        assert!(changed(&[]).is_empty());
    }

    #[test]
    fn rounding_and_a_fingerprint_of_one_state_are_no_aspects() {
        assert_eq!(
            compared(&bolt(&[]), &bolt(&[("/data/placement/0/3", json!(40.000_000_01))])),
            (vec![], None)
        );
        let mut without = bolt(&[]);
        without["data"]["definition"].as_object_mut().unwrap().remove("geometry");
        assert_eq!(compared(&without, &bolt(&[])), (vec![], None));
        assert_eq!(compared(&bolt(&[]), &without), (vec![], None));
    }

    #[test]
    fn a_moved_object_has_its_displacement_and_others_have_none() {
        let (found, way) = compared(&bolt(&[]), &bolt(&[("/data/placement/1/3", json!(15))]));
        let expected = Displacement {
            shift: [0.0, 15.0, 0.0],
            distance: 15.0,
            unit: Some("millimetre".to_owned()),
            turn_degrees: Some(0.0),
        };
        assert_eq!((found.as_slice(), way), ([Moved].as_slice(), Some(expected)));
        // A place that is no matrix, and one that is new.
        assert_eq!(compared(&bolt(&[]), &bolt(&[("/data/placement", json!("there"))])), (vec![Moved], None));
        let mut without = bolt(&[]);
        without["data"].as_object_mut().unwrap().remove("placement");
        assert_eq!(compared(&without, &bolt(&[])), (vec![Moved], None));
        // Another unit with the same numbers is told as a property.
        let inches = [("/data/units/length", json!({ "name": "inch", "metres": 0.0254 }))];
        assert_eq!(compared(&bolt(&[]), &bolt(&inches)), (vec![Properties], None));
    }
}
