//! Displacements of placements that are known, and of arbitrary ones.

use proptest::prelude::{Strategy, prop, prop_assert, prop_assert_eq, prop_assume, proptest};
use serde_json::{Map, Value, json};

use super::PlacementChange::{Moved, Rounding};
use super::{Displacement, PlacementChange};

type WrittenRows = [[f64; 4]; 3];

fn data(rows: &WrittenRows, metres: f64) -> Map<String, Value> {
    let [x, y, z] = rows;
    let data = json!({
        "placement": [x, y, z, [0, 0, 0, 1]],
        "units": { "length": { "name": "some unit", "metres": metres } },
    });
    data.as_object().unwrap().clone()
}

fn between(base: &WrittenRows, head: &WrittenRows) -> PlacementChange {
    PlacementChange::between(&data(base, 0.001), &data(head, 0.001))
}

fn way(base: &WrittenRows, head: &WrittenRows) -> Displacement {
    match between(base, head) {
        Moved(way) => way,
        Rounding => None,
    }
    .unwrap()
}

/// A rotation by an angle in degrees about an axis, with an origin.
fn placed(axis: [f64; 3], degrees: f64, origin: [f64; 3]) -> WrittenRows {
    let length = axis.iter().map(|one| one * one).sum::<f64>().sqrt();
    let [x, y, z] = axis.map(|one| one / length);
    let (sin, cos) = degrees.to_radians().sin_cos();
    let rest = 1.0 - cos;
    [
        [cos + x * x * rest, x * y * rest - z * sin, x * z * rest + y * sin, origin[0]],
        [y * x * rest + z * sin, cos + y * y * rest, y * z * rest - x * sin, origin[1]],
        [z * x * rest - y * sin, z * y * rest + x * sin, cos + z * z * rest, origin[2]],
    ]
}

/// The rotation of `first`, and then that of `then`, at the origin of `then`.
fn turned(first: &WrittenRows, then: &WrittenRows) -> WrittenRows {
    then.map(|row| {
        let column = |at: usize| (0..3).map(|inner| row[inner] * first[inner][at]).sum::<f64>();
        [column(0), column(1), column(2), row[3]]
    })
}

const UP: [f64; 3] = [0.0, 0.0, 1.0];

#[test]
fn a_quarter_turn_and_a_shift_are_told_in_the_unit_of_the_file() {
    let found = way(&placed(UP, 30.0, [1.0, 2.0, 3.0]), &placed(UP, 120.0, [4.0, -2.0, 3.0]));
    assert_eq!((found.shift, found.distance), ([3.0, -4.0, 0.0], 5.0));
    assert_eq!((found.turn_degrees, found.unit.as_deref()), (Some(90.0), Some("some unit")));
    // Half a turn has no axial part.
    assert_eq!(way(&placed(UP, 0.0, [0.0; 3]), &placed(UP, 180.0, [0.0; 3])).turn_degrees, Some(180.0));
}

#[test]
fn a_mirrored_or_scaled_object_has_no_angle_and_a_scaled_one_no_unit() {
    let plain = placed(UP, 0.0, [0.0; 3]);
    let scaled = plain.map(|row| row.map(|number| number * 2.0));
    let mirrored = [plain[0], plain[1], [0.0, 0.0, -1.0, 0.0]];
    for (head, unit) in [(scaled, None), (mirrored, Some("some unit"))] {
        let found = way(&plain, &head);
        assert_eq!((found.distance, found.turn_degrees, found.unit.as_deref()), (0.0, None, unit));
    }
    // Of two mirrored ones the angle is known.
    let turned = turned(&mirrored, &placed(UP, 40.0, [0.0; 3]));
    assert_eq!(way(&mirrored, &turned).turn_degrees, Some(40.0));
}

#[test]
fn lengths_beyond_all_measure_have_no_displacement() {
    let far = placed(UP, 0.0, [1e308, 1e308, 1e308]);
    let other = placed(UP, 0.0, [-1e308, -1e308, -1e308]);
    assert_eq!(between(&far, &other), Moved(None));
}

fn axis() -> impl Strategy<Value = [f64; 3]> {
    [-1.0..1.0, -1.0..1.0, -1.0..1.0_f64]
        .prop_filter("no axis", |axis| axis.iter().any(|one| one.abs() > 0.1))
}

fn placement() -> impl Strategy<Value = WrittenRows> {
    let lengths = [-1e3..1e3, -1e3..1e3, -1e3..1e3_f64];
    (axis(), -180.0..180.0_f64, lengths).prop_map(|(axis, degrees, origin)| placed(axis, degrees, origin))
}

proptest! {
    #[test]
    fn rounding_errors_are_no_way(base in placement(), errors in prop::array::uniform12(-1e-8..1e-8_f64)) {
        let mut head = base;
        head.iter_mut().flatten().zip(errors).for_each(|(number, error)| *number += error);
        prop_assert_eq!(between(&base, &head), Rounding);
    }

    #[test]
    fn the_same_place_in_another_unit_is_no_way(base in placement()) {
        let metres = base.map(|[x, y, z, origin]| [x, y, z, origin / 1000.0]);
        prop_assert_eq!(PlacementChange::between(&data(&base, 0.001), &data(&metres, 1.0)), Rounding);
    }

    #[test]
    fn a_rotation_is_told_by_its_angle(base in placement(), axis in axis(), degrees in 0.01..179.99_f64) {
        let origin = [base[0][3], base[1][3], base[2][3] + 1.0];
        let found = way(&base, &turned(&base, &placed(axis, degrees, origin)));
        prop_assert!((found.turn_degrees.unwrap() - degrees).abs() < 1e-4, "{:?} for {}", found, degrees);
        prop_assert!((found.distance - 1.0).abs() < 1e-5);
    }

    #[test]
    fn the_way_back_is_as_long(base in placement(), head in placement()) {
        prop_assume!(between(&base, &head) != Rounding);
        let (there, back) = (way(&base, &head), way(&head, &base));
        prop_assert!((there.distance - back.distance).abs() < 1e-6);
        prop_assert!((there.turn_degrees.unwrap() - back.turn_degrees.unwrap()).abs() < 1e-5);
        let mut sums = there.shift.iter().zip(&back.shift).map(|(one, other)| (one + other).abs());
        prop_assert!(sums.all(|sum| sum < 1e-9));
    }
}
