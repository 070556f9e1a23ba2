//! Colours of parts and of their uses.

use shape::scene::Colour;

use super::{file, scene};

fn assert_near(colour: Option<Colour>, rgb: [f32; 3], alpha: f32) {
    let colour = colour.unwrap();
    let off = colour.rgb.iter().zip(rgb).map(|(one, other)| (one - other).abs()).fold(0.0, f32::max);
    assert!(off < 0.01 && (colour.alpha - alpha).abs() < 0.01, "{colour:?} and {rgb:?}, {alpha}");
}

#[test]
fn the_colour_of_a_use_wins_over_that_of_its_part() {
    // One part is used as it is, in pure red, and in transparent blue.
    let scene = scene(&file("coloured-uses.step"));
    let own = scene.meshes[0].surfaces[0].colour;
    // STEP has sRGB, glTF and we have linear light; OpenCascade's colours are linear, so these are the author's.
    assert_near(own, [0.5, 0.25, 0.1], 1.0);
    let uses: Vec<Option<Colour>> = scene.colours().into_iter().skip(1).collect();
    assert_eq!(uses[0], None);
    // A pure colour is a pre-defined one.
    assert_near(uses[1], [1.0, 0.0, 0.0], 1.0);
    assert_near(uses[2], [0.0, 0.2, 0.8], 0.25);
    // The three are one mesh.
    let meshes: Vec<Option<usize>> = scene.nodes.iter().skip(1).map(|node| node.mesh).collect();
    assert_eq!(meshes, [Some(0); 3]);
}
