//! The worker process that reads an untrusted file, and draws it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use domain::content::object::Extension;
use domain::content::preview::{
    DerivedFormat, PreviewBox, PreviewFaces, PreviewKind, PreviewMeasures, PreviewShape,
};
use import::mesh::MeshError;
use import::{ConversionFailureCode, HEAD_BYTES};
use sandbox::WorkContext;
use shape::measures::{Measures, SceneMeasures};
use shape::meshes;
use shape::picture::{PictureSize, draw};
use shape::scene::{Bounds, FaceCount, Mesh, Scene};
use shape::step::StepScene;
use shape::{glb, stl};

use super::flat;
use super::pieces::{PieceWriter, PreviewPiece, sentence};
use super::task::PreviewTask;

/// Most triangles of an STL file, in which a part that is placed often stands as often.
const STL_TRIANGLES_MAX: usize = 4_000_000;
/// Most small pictures of parts that are made at once, and the time after which no further one is begun.
const PICTURES_MAX: usize = 200;
const PICTURES_TIME: Duration = Duration::from_secs(2);
/// The number of the whole file among its parts, without a node.
const WHOLE: (u32, Option<usize>) = (0, None);

/// Makes a preview of the file passed to this process. Call it from the main thread before any other thread starts.
pub fn work() -> ExitCode {
    sandbox::work(|context| {
        let WorkContext { task, input, output } = context;
        let task: PreviewTask = serde_json::from_str(&task)?;
        match task.kind {
            PreviewKind::Shape => make(&task, input, &mut PieceWriter(output)),
            _ => flat::make(&task, input, &mut PieceWriter(output)),
        }
    })
}

/// Reads the file and sends what there is to see of it; nothing for a file without a shape.
fn make<W: Write>(task: &PreviewTask, mut input: File, sent: &mut PieceWriter<W>) -> io::Result<()> {
    if let Some(text) = import::step::text(&task.name, &mut input)? {
        return match StepScene::of(&text)? {
            Ok(design) => make_design(task, design, input, sent),
            Err(ConversionFailureCode::NoProductStructure) => Ok(()),
            Err(failure) => sent.send(&PreviewPiece::Failure(sentence(&failure.to_string()))),
        };
    }
    let size_bytes = input.seek(SeekFrom::End(0))?;
    let extension = Extension::of_file_name(task.name.as_str());
    let extension = extension.as_ref().map_or("", Extension::as_str).trim_start_matches('.');
    let mut bytes = Vec::new();
    input.rewind()?;
    Read::by_ref(&mut input).take(HEAD_BYTES).read_to_end(&mut bytes)?;
    let Some(kind) = meshes::kind(extension, &bytes, size_bytes) else { return Ok(()) };
    input.read_to_end(&mut bytes)?;
    match meshes::read(kind, &bytes) {
        Ok(scene) => {
            if task.only.is_none() && scene.nodes.iter().any(|node| node.object.is_some()) {
                send_outline(task, input, sent)?;
            }
            let count = scene.faces();
            show(task, &scene, Some(count).filter(|count| count.shown < count.all), sent)
        }
        Err(MeshError::Empty) => Ok(()),
        Err(failure) => sent.send(&PreviewPiece::Failure(failure.to_string())),
    }
}

/// A design: its objects and its edges, which stay if the time is over, then its faces.
fn make_design<W: Write>(
    task: &PreviewTask,
    mut design: StepScene<'_>,
    input: File,
    sent: &mut PieceWriter<W>,
) -> io::Result<()> {
    if task.only.is_none() && !is_empty(design.scene()) {
        send_outline(task, input, sent)?;
        send(design.scene(), WHOLE, DerivedFormat::Glb, sent)?;
        let measures = Measures { bounds: design.scene().bounds(), ..Measures::default() };
        sent.send(&PreviewPiece::Shape(facts(design.scene(), &measures, None)))?;
        send(design.scene(), WHOLE, DerivedFormat::SmallPicture, sent)?;
        sent.send(&PreviewPiece::Stage)?;
    }
    let begin = Instant::now();
    design.add_faces(|| begin.elapsed() < task.faces);
    show(task, design.scene(), Some(design.scene().faces()), sent)
}

/// Sends the objects that the file's conversion makes.
fn send_outline<W: Write>(task: &PreviewTask, input: File, sent: &mut PieceWriter<W>) -> io::Result<()> {
    let outline = import::convert(&task.name, input, &task.readers, io::sink())?;
    sent.send_file(0, DerivedFormat::Outline, &serde_json::to_vec(&outline)?)
}

/// Sends the facts and files of a finished scene, or the one file that is wanted.
fn show<W: Write>(
    task: &PreviewTask,
    scene: &Scene,
    faces: Option<FaceCount>,
    sent: &mut PieceWriter<W>,
) -> io::Result<()> {
    if is_empty(scene) {
        return Ok(());
    }
    match task.only {
        Some((0, format)) => send(scene, WHOLE, format, sent),
        Some((part, format)) => {
            let mut parts = parts(scene);
            let Some(wanted) = parts.iter().position(|(number, _)| *number == part) else { return Ok(()) };
            parts.rotate_left(wanted);
            let begin = Instant::now();
            for (place, (part, node)) in parts.into_iter().enumerate() {
                // Who looks at one part in a list looks at the next ones, too, and the file is read now.
                let goes_on = format == DerivedFormat::SmallPicture
                    && place < PICTURES_MAX
                    && begin.elapsed() < PICTURES_TIME;
                if place > 0 && !goes_on {
                    break;
                }
                send(scene, (part, Some(node)), format, sent)?;
            }
            Ok(())
        }
        None => {
            send(scene, WHOLE, DerivedFormat::Glb, sent)?;
            let measures = scene.measures();
            sent.send(&PreviewPiece::Shape(facts(scene, &measures.whole, faces)))?;
            if scene.nodes.iter().any(|node| node.object.is_some_and(|object| object > 0)) {
                send_measures(scene, &measures, sent)?;
            }
            for format in [DerivedFormat::SmallPicture, DerivedFormat::LargePicture] {
                send(scene, WHOLE, format, sent)?;
            }
            Ok(())
        }
    }
}

/// The parts of a scene: the numbers of their objects, without the file's own, and their nodes.
fn parts(scene: &Scene) -> Vec<(u32, usize)> {
    let numbered = scene.nodes.iter().enumerate();
    let parts = numbered.filter_map(|(place, node)| Some((u32::try_from(node.object?).ok()?, place)));
    parts.filter(|(number, _)| *number > 0).collect()
}

/// Sends a file of the scene, or of the node in it. Nothing if there is nothing to show, or too much for the format.
fn send<W: Write>(
    scene: &Scene,
    (part, node): (u32, Option<usize>),
    format: DerivedFormat,
    sent: &mut PieceWriter<W>,
) -> io::Result<()> {
    let picture = |size| draw(scene, node, size).map(|picture| picture.png()).transpose();
    let alone = || node.and_then(|node| scene.part(node));
    let bytes = match format {
        DerivedFormat::Glb => glb::write(alone().as_ref().unwrap_or(scene)),
        DerivedFormat::Stl => stl::write(alone().as_ref().unwrap_or(scene), STL_TRIANGLES_MAX),
        DerivedFormat::SmallPicture => picture(PictureSize::Small).map_err(io::Error::other)?,
        DerivedFormat::LargePicture => picture(PictureSize::Large).map_err(io::Error::other)?,
        DerivedFormat::Outline | DerivedFormat::Measures => None,
    };
    bytes.map_or(Ok(()), |bytes| sent.send_file(part, format, &bytes))
}

fn is_empty(scene: &Scene) -> bool {
    let has_lines = |mesh: &Mesh| !mesh.edges.segments.is_empty() || mesh.triangles() > 0;
    !scene.meshes.iter().any(has_lines)
}

/// Facts about a scene, with the faces that count.
fn facts(scene: &Scene, measures: &Measures, faces: Option<FaceCount>) -> PreviewShape {
    PreviewShape {
        unit: scene.metres.map(unit),
        measures: told(measures),
        faces: faces
            .filter(|count| count.all > 0)
            .map(|FaceCount { all, shown }| PreviewFaces { shown, all }),
        triangles: u64::try_from(scene.triangles()).unwrap_or(u64::MAX),
    }
}

fn told(measures: &Measures) -> PreviewMeasures {
    let Measures { bounds, area, volume, centre } = *measures;
    let bounds = bounds.map(|Bounds { min, max }| PreviewBox { min: min.to_array(), max: max.to_array() });
    PreviewMeasures { bounds, area, volume, centre: centre.map(|centre| centre.to_array()) }
}

/// Sends the measures of the objects by their numbers. The first is the whole file, a node or not.
fn send_measures<W: Write>(
    scene: &Scene,
    measures: &SceneMeasures,
    sent: &mut PieceWriter<W>,
) -> io::Result<()> {
    let mut told_by_object = vec![told(&measures.whole)];
    for (node, own) in scene.nodes.iter().zip(&measures.nodes) {
        let Some(object) = node.object.filter(|object| *object > 0) else { continue };
        told_by_object.resize(object, PreviewMeasures::default());
        told_by_object.push(told(own));
    }
    sent.send_file(0, DerivedFormat::Measures, &serde_json::to_vec(&told_by_object)?)
}

/// The symbol of a unit of this length in metres, or its length.
fn unit(metres: f64) -> String {
    const UNITS: [(f64, &str); 8] = [
        (1e-6, "µm"),
        (1e-3, "mm"),
        (1e-2, "cm"),
        (1.0, "m"),
        (1e3, "km"),
        (0.0254, "in"),
        (0.3048, "ft"),
        (0.0254e-3, "mil"),
    ];
    let known = UNITS.iter().find(|(length, _)| (metres / length - 1.0).abs() < 1e-6);
    known.map_or_else(|| format!("{metres} m"), |(_, symbol)| (*symbol).to_owned())
}
