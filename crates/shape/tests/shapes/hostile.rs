//! Files that hang or overflow simple readers, and randomly damaged ones: each is a scene or a reason.
//!
//! These are fuzz targets. `PROPTEST_CASES` is the number of cases.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use shape::scene::Scene;
use shape::step::{StepScene, TRIANGLES_MAX};

use super::file;

/// The scene of a text, if it has any. Every index in it is valid, and no coordinate is infinite.
fn checked(text: &[u8]) -> Option<Scene> {
    let mut scene = StepScene::of(text).unwrap().ok()?;
    scene.add_faces(|| true);
    let scene = scene.scene().clone();
    for (place, node) in scene.nodes.iter().enumerate() {
        assert!(node.parent.is_none_or(|parent| parent < place));
        assert!(node.mesh.is_none_or(|mesh| mesh < scene.meshes.len()));
    }
    for mesh in &scene.meshes {
        assert!(mesh.faces.shown <= mesh.faces.all);
        for surface in &mesh.surfaces {
            assert!(surface.positions.iter().chain(&surface.normals).all(|point| point.is_finite()));
            let corners = surface.triangles.as_flattened();
            assert!(corners.iter().all(|corner| usize::try_from(*corner).unwrap() < surface.positions.len()));
        }
        assert!(mesh.edges.positions.iter().all(|point| point.is_finite()));
        let ends = mesh.edges.segments.as_flattened();
        assert!(ends.iter().all(|end| usize::try_from(*end).unwrap() < mesh.edges.positions.len()));
    }
    assert!(scene.triangles() <= TRIANGLES_MAX);
    drop(shape::glb::write(&scene));
    Some(scene)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

#[test]
fn nested_lists_huge_multiplicities_and_infinities_cost_no_more_than_their_faces() {
    let deep =
        text("cylinder.step").replacen("CYLINDRICAL_SURFACE('',", &format!("X({}", "(".repeat(200_000)), 1);
    assert!(checked(deep.as_bytes()).is_some());
    let knots = text("spline-revolved.step").replace("(4,", "(2000000000,");
    assert!(checked(knots.as_bytes()).is_some());
    for number in ["1E400", "1.E+12", "0.", "-1.", "1.E-300"] {
        for name in ["cylinder", "sphere", "torus", "cone-with-apex", "loft"] {
            let radius = text(&format!("{name}.step")).replace(",4.)", &format!(",{number})"));
            drop(checked(radius.as_bytes()));
        }
    }
}

#[test]
fn a_shape_that_contains_itself_ends() {
    let text = text("cylinder.step");
    let own = text
        .replace("ADVANCED_FACE(", "MAPPED_ITEM(")
        .replace("CLOSED_SHELL('',(", "CLOSED_SHELL('',(#15,#16,");
    drop(checked(own.as_bytes()));
    let loops = text.replace("EDGE_LOOP('',(", "EDGE_LOOP('',(#19,#19,");
    drop(checked(loops.as_bytes()));
}

#[test]
fn a_shell_without_faces_takes_no_place_of_another() {
    // It is an item of the assembly, whose definition comes before that of the part.
    let text = text("coloured-uses.step");
    let empty = text.replacen("SHAPE_REPRESENTATION('',(", "SHAPE_REPRESENTATION('',(#9999,", 1);
    let empty = empty.replacen("DATA;", "DATA;\n#9999 = OPEN_SHELL('',());", 1);
    let scene = checked(empty.as_bytes()).unwrap();
    let of_parts = scene.nodes.iter().skip(1).map(|node| &scene.meshes[node.mesh.unwrap()]);
    assert!(of_parts.clone().all(|mesh| (mesh.faces.all, mesh.faces.shown) == (6, 6)));
    assert_eq!(of_parts.count(), 3);
}

#[test]
fn a_loop_that_names_an_edge_without_end_is_no_face() {
    let text = text("cylinder.step");
    let again = text.replacen("EDGE_LOOP('',(#20,", &format!("EDGE_LOOP('',({}", "#20,".repeat(100_000)), 1);
    assert_ne!(again, text);
    let scene = checked(again.as_bytes()).unwrap();
    assert_eq!((scene.meshes[0].faces.all, scene.meshes[0].faces.shown), (3, 2));
}

#[test]
fn a_deadline_leaves_the_edges() {
    let text = text("rounded-box.step");
    let mut scene = StepScene::of(text.as_bytes()).unwrap().unwrap();
    scene.add_faces(|| false);
    let mesh = &scene.scene().meshes[0];
    assert_eq!((mesh.faces.all, mesh.faces.shown), (26, 0));
    assert!(!mesh.edges.segments.is_empty());
}

proptest! {
    #[test]
    fn damaged_files_are_scenes_or_have_a_reason(
        name in select(vec!["cylinder", "sphere-octant", "loft", "spline-prism", "torus-piece", "coloured-uses"]),
        changes in prop::collection::vec((any::<Index>(), select(b"0123456789.#(),;'$*E-".to_vec())), 1..20),
        cut in prop::option::weighted(0.2, any::<Index>()),
    ) {
        let mut bytes = text(&format!("{name}.step")).into_bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        drop(checked(&bytes));
    }
}
