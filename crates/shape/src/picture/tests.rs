//! Pictures of small scenes, judged by their pixels.

use glam::{DAffine3, DMat3, DVec3, Vec3};
use proptest::collection::vec;
use proptest::prelude::*;

use super::canvas::Canvas;
use super::{DETAILS_MAX, Picture, PictureSize, draw, draw_sampled};
use crate::scene::{Colour, Lines, Mesh, Node, Scene, Surface, UpAxis};

const RED: Colour = Colour { rgb: [0.8, 0.05, 0.05], alpha: 1.0 };
const BLUE: Colour = Colour { rgb: [0.05, 0.05, 0.8], alpha: 1.0 };
const WHITE: Colour = Colour { rgb: [1.0; 3], alpha: 1.0 };
/// Difference of two pictures whose numbers were rounded differently: one sample of a pixel is another.
const ROUNDED: u8 = 20;

fn picture(scene: &Scene) -> Option<Picture> {
    draw_sampled(scene, None, Canvas::new(64, 4))
}

/// The pixel at this distance from the middle, to the right and down.
fn pixel(picture: &Picture, right: i32, down: i32) -> [u8; 4] {
    let middle = i32::from(picture.size_px / 2);
    let (column, row) = (usize::try_from(middle + right).unwrap(), usize::try_from(middle + down).unwrap());
    picture.pixels[row * usize::from(picture.size_px) + column]
}

/// The greatest difference between the values of two pictures.
fn difference(one: &Picture, other: &Picture) -> u8 {
    assert_eq!(one.size_px, other.size_px);
    let values = one.pixels.as_flattened().iter().zip(other.pixels.as_flattened());
    values.map(|(one, other)| one.abs_diff(*other)).max().unwrap()
}

/// A cube around the origin, with normals that point outwards.
fn cube(side: f32, colour: Option<Colour>) -> Mesh {
    let mut surface = Surface { colour, ..Surface::default() };
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for out in [axis, -axis] {
            let (u, v) = (Vec3::new(axis.z, axis.x, axis.y), Vec3::new(axis.y, axis.z, axis.x));
            let first = u32::try_from(surface.positions.len()).unwrap();
            surface.positions.extend([-u - v, u - v, u + v, v - u].map(|corner| (out + corner) * side / 2.0));
            surface.normals.extend([out; 4]);
            surface.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    Mesh { surfaces: vec![surface], ..Mesh::default() }
}

/// The edges of that cube.
fn frame(side: f32) -> Lines {
    let mut edges = Lines::default();
    for corner in 0..8_u32 {
        let along = |bit: u32| if corner & bit == 0 { -side / 2.0 } else { side / 2.0 };
        edges.positions.push(Vec3::new(along(1), along(2), along(4)));
        edges
            .segments
            .extend([1, 2, 4].into_iter().filter(|bit| corner & bit == 0).map(|bit| [corner, corner | bit]));
    }
    edges
}

fn node(mesh: usize, placement: DAffine3) -> Node {
    Node { name: String::new(), parent: None, placement, mesh: Some(mesh), colour: None, object: None }
}

fn at(x: f64, y: f64, z: f64) -> DAffine3 {
    DAffine3::from_translation(DVec3::new(x, y, z))
}

/// One mesh, where it is.
fn scene(mesh: Mesh) -> Scene {
    placed(mesh, DAffine3::IDENTITY)
}

fn placed(mesh: Mesh, placement: DAffine3) -> Scene {
    Scene { meshes: vec![mesh], nodes: vec![node(0, placement)], ..Scene::default() }
}

#[test]
fn a_cube_is_a_hexagon_with_soft_borders() {
    let picture = picture(&scene(cube(1.0, None))).unwrap();
    // Its corners are 29 pixels from the middle, its sides 25.
    for [right, down] in [[0, 27], [0, -27], [23, 13], [-23, 13], [23, -13], [-23, -13], [11, 20], [-11, -20]]
    {
        assert_eq!(pixel(&picture, right, down)[3], 255, "{right} {down}");
    }
    for [right, down] in [[28, 0], [-29, 0], [29, 17], [-29, -17], [15, 25], [-15, 25], [15, -25], [-15, -25]]
    {
        assert_eq!(pixel(&picture, right, down), [0; 4], "{right} {down}");
    }
    assert!(picture.pixels.iter().any(|[.., alpha]| (1..255).contains(alpha)));
}

#[test]
fn faces_are_lit_from_above_and_from_the_left() {
    let picture = picture(&scene(cube(1.0, Some(WHITE)))).unwrap();
    let [top, left, right] = [[0, -15], [-12, 8], [12, 8]].map(|[x, y]| pixel(&picture, x, y)[1]);
    assert!((225..=245).contains(&top) && (180..=205).contains(&left) && (150..=180).contains(&right));
}

#[test]
fn colours_are_the_faces_or_those_of_nodes_around() {
    let mut scene = scene(cube(1.0, Some(RED)));
    let [red, green, blue, _] = pixel(&picture(&scene).unwrap(), 0, -15);
    assert!((190..=220).contains(&red) && green < 90 && blue < 90, "{red} {green} {blue}");
    scene.nodes[0].colour = Some(BLUE);
    let [red, _, blue, _] = pixel(&picture(&scene).unwrap(), 0, -15);
    assert!(blue > 2 * red);
}

#[test]
fn black_faces_show_their_form() {
    let mut mesh = cube(1.0, Some(Colour { rgb: [0.0; 3], alpha: 1.0 }));
    mesh.edges = frame(1.0);
    let picture = picture(&scene(mesh)).unwrap();
    let [top, left, edge] = [[0, -15], [-12, 8], [0, 15]].map(|[x, y]| pixel(&picture, x, y)[1]);
    assert!(top > left && edge > left + 20, "{top} {left} {edge}");
}

#[test]
fn white_faces_have_an_outline() {
    let [red, _, blue, alpha] = pixel(&picture(&scene(cube(1.0, Some(WHITE)))).unwrap(), 26, 0);
    assert!(red < 130 && blue > red + 20 && (64..192).contains(&alpha), "{red} {blue} {alpha}");
}

#[test]
fn the_nearer_face_is_seen_in_each_order() {
    let meshes = vec![cube(1.0, Some(RED)), cube(1.0, Some(BLUE))];
    let nodes = [node(0, at(2.0, -2.0, 2.0)), node(1, at(0.0, 0.0, 0.0))];
    for nodes in [nodes.to_vec(), nodes.into_iter().rev().collect()] {
        let picture = picture(&Scene { meshes: meshes.clone(), nodes, ..Scene::default() }).unwrap();
        let [red, _, blue, _] = pixel(&picture, 0, -15);
        assert!(red > 2 * blue);
    }
}

#[test]
fn faces_hide_the_edges_behind_them() {
    let bare = picture(&scene(cube(2.0, None))).unwrap();
    let inside = picture(&scene(Mesh { edges: frame(1.0), ..cube(2.0, None) })).unwrap();
    assert_eq!(bare, inside);
    let own = picture(&scene(Mesh { edges: frame(2.0), ..cube(2.0, None) })).unwrap();
    // Three edges meet at the corner in front of the middle, three at the one behind it.
    assert!(pixel(&own, 0, 15)[1] + 25 < pixel(&bare, 0, 15)[1]);
    assert_eq!(pixel(&own, 0, -15), pixel(&bare, 0, -15));
}

#[test]
fn edges_without_faces_are_seen_on_white_and_on_black() {
    let picture = picture(&scene(Mesh { edges: frame(1.0), ..Mesh::default() })).unwrap();
    let mut seen = picture.pixels.iter().filter(|[.., alpha]| *alpha > 0);
    let [red, green, blue, _] = *seen.next().unwrap();
    assert!(seen.all(|pixel| pixel[..3] == [red, green, blue]));
    let linear = Colour::from_srgb([red, green, blue].map(|value| f32::from(value) / 255.0), 1.0).rgb;
    let luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
    // The contrast that WCAG asks of graphics, on white and on #1a1a1a.
    assert!(1.05 / (luminance + 0.05) > 3.0 && (luminance + 0.05) / 0.0603 > 3.0);
}

#[test]
fn transparent_faces_show_what_is_behind_them() {
    let glass = Colour { alpha: 0.5, ..BLUE };
    let (clear, opaque) = (scene(cube(2.0, Some(glass))), scene(cube(2.0, Some(BLUE))));
    let [clear, opaque] = [clear, opaque].map(|scene| pixel(&picture(&scene).unwrap(), -12, 8));
    assert_eq!((&clear[..3], clear[3], opaque[3]), (&opaque[..3], 128, 255));

    let meshes = vec![cube(2.0, Some(glass)), cube(1.0, Some(RED))];
    let nodes = vec![node(0, DAffine3::IDENTITY), node(1, DAffine3::IDENTITY)];
    let [red, green, blue, alpha] =
        pixel(&picture(&Scene { meshes, nodes, ..Scene::default() }).unwrap(), 0, -8);
    assert!(red > 2 * green && blue > 2 * green && alpha == 255);
}

#[test]
fn wrong_normals_and_mirrored_placements_change_no_light() {
    let right = picture(&scene(cube(1.0, None))).unwrap();
    let with_normals = |change: fn(Vec3) -> Vec3| {
        let mut mesh = cube(1.0, None);
        mesh.surfaces[0].normals.iter_mut().for_each(|normal| *normal = change(*normal));
        picture(&scene(mesh)).unwrap()
    };
    assert_eq!(with_normals(|normal| -normal), right);
    assert_eq!(with_normals(|_| Vec3::NAN), right);
    assert_eq!(with_normals(|_| Vec3::ZERO), right);
    let mirrored = placed(cube(1.0, None), DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0)));
    assert!(difference(&picture(&mirrored).unwrap(), &right) <= ROUNDED);
    // A cube that is as flat as paper, seen from above.
    let flat = picture(&placed(cube(1.0, None), DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.0)))).unwrap();
    assert_eq!(pixel(&flat, 0, 0), pixel(&right, 0, -15));
}

#[test]
fn normals_follow_placements_that_stretch() {
    let positions = vec![Vec3::X, Vec3::Y, Vec3::Z];
    let facet = |normals| {
        let surface = Surface {
            positions: positions.clone(),
            normals,
            triangles: vec![[0, 1, 2]],
            ..Surface::default()
        };
        let stretched = DAffine3::from_scale(DVec3::new(1.0, -2.0, 5.0));
        picture(&placed(Mesh { surfaces: vec![surface], ..Mesh::default() }, stretched)).unwrap()
    };
    assert_eq!(facet(vec![Vec3::ONE.normalize(); 3]), facet(vec![]));
}

#[test]
fn normals_make_facets_round() {
    let facet = |normals: Vec<Vec3>| Surface {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        normals,
        triangles: vec![[0, 1, 2]],
        ..Surface::default()
    };
    let colours = |normals| {
        let mesh = Mesh { surfaces: vec![facet(normals)], ..Mesh::default() };
        let picture = picture(&scene(mesh)).unwrap();
        [[-10, 0], [10, 0]].map(|[right, down]| pixel(&picture, right, down)[1])
    };
    let [left, right] = colours(vec![]);
    assert_eq!(left, right);
    let [left, right] = colours([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0], [1.0, 1.0, 0.0]].map(Vec3::from).to_vec());
    assert!(left > right + 5, "{left} {right}");
}

#[test]
fn a_node_is_drawn_with_all_below_it_and_nothing_else() {
    let meshes = vec![cube(1.0, Some(RED)), cube(1.0, Some(BLUE))];
    let below = Node { parent: Some(1), ..node(1, at(0.0, 0.0, 3.0)) };
    let nodes = vec![node(0, at(5.0, 5.0, 5.0)), node(0, at(0.0, 0.0, 0.0)), below];
    let all = Scene { meshes, nodes, ..Scene::default() };
    let tree = Scene { nodes: vec![node(0, at(0.0, 0.0, 0.0)), node(1, at(0.0, 0.0, 3.0))], ..all.clone() };
    let leaf = Scene { nodes: vec![node(1, at(0.0, 0.0, 3.0))], ..all.clone() };
    let of = |node| draw_sampled(&all, Some(node), Canvas::new(64, 4));
    assert_eq!([of(1), of(2), of(3)], [picture(&tree), picture(&leaf), None]);
}

#[test]
fn up_is_up_in_both_conventions() {
    let plate = DAffine3::from_scale(DVec3::new(2.0, 1.0, 0.1));
    let turned = DAffine3::from_mat3(DMat3::from_cols(DVec3::X, DVec3::NEG_Z, DVec3::Y)) * plate;
    let y = Scene { up: UpAxis::Y, ..placed(cube(1.0, None), turned) };
    let [z, y] = [placed(cube(1.0, None), plate), y].map(|scene| picture(&scene).unwrap());
    assert!(difference(&y, &z) <= ROUNDED);
}

#[test]
fn coordinates_far_from_the_origin_are_exact() {
    let near = picture(&scene(cube(1.0, None))).unwrap();
    let mut mesh = cube(1.0, None);
    mesh.surfaces[0].positions.iter_mut().for_each(|position| *position += Vec3::splat(1_000_000.0));
    let far = picture(&placed(mesh, at(1e9, -1e9, 1e9))).unwrap();
    assert!(difference(&far, &near) <= ROUNDED);
    let large = picture(&placed(cube(1e30, None), DAffine3::from_scale(DVec3::splat(1e200)))).unwrap();
    assert!(difference(&large, &near) <= ROUNDED);
}

#[test]
fn scenes_without_anything_to_see_have_no_picture() {
    assert!(picture(&Scene::default()).is_none());
    assert!(picture(&scene(Mesh::default())).is_none());
    assert!(picture(&placed(cube(1.0, None), DAffine3::from_scale(DVec3::ZERO))).is_none());
    assert!(picture(&placed(cube(1.0, None), at(f64::NAN, 0.0, 0.0))).is_none());
    assert!(picture(&placed(cube(1.0, None), at(f64::INFINITY, 0.0, 0.0))).is_none());
    let line = |end| {
        let edges = Lines { positions: vec![Vec3::ZERO, end], segments: vec![[0, 1]] };
        picture(&scene(Mesh { edges, ..Mesh::default() }))
    };
    assert!(line(Vec3::ZERO).is_none());
    // A line that is a point to the viewer.
    let dots = line(Vec3::new(1.0, -1.0, 1.0)).unwrap().pixels;
    assert!((1..=4).contains(&dots.iter().filter(|[.., alpha]| *alpha > 0).count()));
}

#[test]
fn indices_out_of_range_are_ignored() {
    let right = Mesh { edges: frame(1.0), ..cube(1.0, None) };
    let mut wrong = right.clone();
    wrong.surfaces[0].triangles.push([0, 1, 24]);
    wrong.edges.segments.push([0, u32::MAX]);
    let mut wrong = scene(wrong);
    wrong.nodes.push(node(7, DAffine3::IDENTITY));
    assert_eq!(picture(&wrong), picture(&scene(right)));
}

#[test]
fn meshes_smaller_than_a_sample_are_seen() {
    let nodes = vec![node(0, at(-1000.0, -1000.0, 0.0)), node(0, at(1000.0, 1000.0, 0.0))];
    let picture = picture(&Scene { meshes: vec![cube(1.0, None)], nodes, ..Scene::default() }).unwrap();
    for right in [-30, 28] {
        let mut around =
            (right..right + 3).flat_map(|right| [-1, 0].map(|down| pixel(&picture, right, down)[3]));
        assert!(around.any(|alpha| alpha > 0), "{right}");
    }
}

#[test]
fn boxes_stand_in_for_meshes_once_enough_is_drawn() {
    let mut large = cube(1.0, None);
    let meshes = |large| vec![large, Mesh { edges: frame(1.0), ..Mesh::default() }];
    let nodes = vec![
        node(0, DAffine3::IDENTITY),
        node(1, at(3.0, 3.0, 0.0) * DAffine3::from_scale(DVec3::splat(0.9))),
    ];
    let at_frame = |large: &Mesh| {
        let scene = Scene { meshes: meshes(large.clone()), nodes: nodes.clone(), ..Scene::default() };
        pixel(&picture(&scene).unwrap(), 20, 3)[3]
    };
    assert_eq!(at_frame(&large), 0);
    large.surfaces[0].triangles.resize(DETAILS_MAX + 1, [0; 3]);
    assert_eq!(at_frame(&large), 255);
}

#[test]
fn both_sizes_are_png_files_of_the_same_view() {
    let scene = scene(Mesh { edges: frame(1.0), ..cube(1.0, Some(RED)) });
    let [small, large] =
        [PictureSize::Small, PictureSize::Large].map(|size| draw(&scene, None, size).unwrap());
    assert_eq!((small.size_px, large.size_px), (256, 1024));
    assert_eq!(pixel(&small, -48, 32), pixel(&large, -192, 128));
    let file = small.png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(file)).read_info().unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!((info.width, info.color_type), (256, png::ColorType::Rgba));
    assert_eq!(bytes, small.pixels.as_flattened());
}

/// Any number, though mostly one that others of its kind are near.
fn number() -> impl Strategy<Value = f32> {
    prop_oneof![4 => -2.0_f32..2.0, 1 => prop::num::f32::ANY]
}

fn point() -> impl Strategy<Value = Vec3> {
    [number(), number(), number()].prop_map(Vec3::from)
}

fn colour() -> impl Strategy<Value = Option<Colour>> {
    prop::option::of(
        ([number(), number(), number()], number()).prop_map(|(rgb, alpha)| Colour { rgb, alpha }),
    )
}

fn mesh() -> impl Strategy<Value = Mesh> {
    let triangles = vec([0..9_u32, 0..9, 0..9], 0..8);
    let surface = (colour(), vec(point(), 0..9), vec(point(), 0..9), triangles).prop_map(
        |(colour, positions, normals, triangles)| Surface { colour, positions, normals, triangles },
    );
    let edges = (vec(point(), 0..6), vec([0..6_u32, 0..6], 0..6));
    let edges = edges.prop_map(|(positions, segments)| Lines { positions, segments });
    (vec(surface, 0..3), edges).prop_map(|(surfaces, edges)| Mesh { surfaces, edges, ..Mesh::default() })
}

fn any_node() -> impl Strategy<Value = Node> {
    let number = prop_oneof![8 => -2.0..2.0, 1 => prop::num::f64::ANY];
    let indices = (prop::option::of(0..5_usize), prop::option::of(0..4_usize));
    (vec(number, 12), indices, colour()).prop_map(|(numbers, (parent, mesh), colour)| Node {
        parent,
        colour,
        mesh,
        ..node(0, DAffine3::from_cols_slice(&numbers))
    })
}

proptest! {
    #[test]
    fn any_scene_gives_the_same_whole_picture_or_none(
        meshes in vec(mesh(), 1..4),
        nodes in vec(any_node(), 1..5),
        node in prop::option::of(0..5_usize),
    ) {
        let scene = Scene { meshes, nodes, ..Scene::default() };
        let draw = || draw_sampled(&scene, node, Canvas::new(16, 2));
        let picture = draw();
        prop_assert_eq!(&picture, &draw());
        if let Some(Picture { size_px, pixels }) = picture {
            prop_assert_eq!((size_px, pixels.len()), (16, 256));
            prop_assert!(pixels.iter().any(|[.., alpha]| *alpha > 0));
            prop_assert!(pixels.iter().all(|pixel| pixel[3] > 0 || *pixel == [0; 4]));
        }
    }

    #[test]
    fn any_finite_triangle_fills_the_picture(corners in vec([-1e6_f32..1e6, -1e6..1e6, -1e6..1e6], 3)) {
        let positions: Vec<Vec3> = corners.into_iter().map(Vec3::from).collect();
        let edges = Lines { positions: positions.clone(), segments: vec![[0, 1], [1, 2], [2, 0]] };
        let surface = Surface { positions, triangles: vec![[0, 1, 2]], ..Surface::default() };
        let picture = picture(&scene(Mesh { surfaces: vec![surface], edges, ..Mesh::default() })).unwrap();
        let seen = (0..64).flat_map(|row| (0..64).map(move |column| [column, row]));
        let seen: Vec<[i32; 2]> = seen.filter(|[x, y]| pixel(&picture, x - 32, y - 32)[3] > 0).collect();
        let spans = [0, 1].map(|axis| {
            let places = seen.iter().map(|place| place[axis]);
            places.clone().max().unwrap() - places.min().unwrap()
        });
        // All but the margins of 2.6 pixels.
        prop_assert!((57..=62).contains(&spans[0].max(spans[1])), "{spans:?}");
    }
}
