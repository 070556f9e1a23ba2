//! Previews: facts, pictures, and shapes in other formats, of whole files and of parts.

use std::collections::HashSet;

use nix::sys::signal::{Signal, kill};
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::Request;
use testkit::deployment::{Deployment, Options};
use testkit::events::EventStream;
use testkit::open_session::{OpenSession, eventually_async};
use testkit::session::{file_name, objects};

use crate::conversions::support::{pdf, workers_of};

/// A cube of 10 mm in three places of an assembly: in its own colour, in that of a use, and transparent.
const CUBES: &str = include_str!("../../../shape/tests/shapes/files/coloured-uses.step");
/// A ring, whose faces take more than the 64 KiB of a pipe.
const TORUS: &str = include_str!("../../../shape/tests/shapes/files/torus.step");
/// A triangle, in a file without a unit.
const TRIANGLE: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 2 0 0\nvertex 0 3 0\nendloop\n\
                        endfacet\nendsolid t\n";

/// The address of an object on the data plane.
fn at(opened: &OpenSession, object: &str, what: &str) -> String {
    format!("/api/v1/projects/{}/objects/{object}/{what}", opened.project)
}

fn get(opened: &OpenSession, object: &str, what: &str) -> Request {
    opened.session.grant.get(&at(opened, object, what))
}

/// Uploads a file; returns its objects, the owner first.
async fn upload(opened: &OpenSession, name: &str, bytes: impl Into<Vec<u8>>) -> Vec<Value> {
    objects(&opened.session.upload(&opened.model, name, bytes).await.expect(200))
}

fn id(object: &Value) -> String {
    object["id"].as_str().unwrap().to_owned()
}

/// The preview of an object when it is made.
async fn made(opened: &OpenSession, object: &str) -> Value {
    loop {
        let preview = get(opened, object, "preview").await.expect(200).json();
        if preview["status"] != "making" {
            return preview;
        }
    }
}

/// A file that is made, when it is there.
async fn drawn(opened: &OpenSession, object: &str, what: &str) -> Answer {
    loop {
        let answer = get(opened, object, what).await;
        if answer.status != 503 {
            return answer;
        }
        assert_eq!(answer.header("retry-after"), "1");
    }
}

/// The JSON of a GLB file.
fn gltf(file: &[u8]) -> Value {
    assert_eq!(&file[..4], b"glTF");
    let length = u32::from_le_bytes(file[12..16].try_into().unwrap());
    serde_json::from_slice(&file[20..20 + usize::try_from(length).unwrap()]).unwrap()
}

/// Width and height of a PNG file, in pixels.
fn size(file: &[u8]) -> [u32; 2] {
    assert_eq!(&file[1..4], b"PNG");
    [16, 20].map(|begin| u32::from_be_bytes(file[begin..begin + 4].try_into().unwrap()))
}

#[tokio::test]
async fn a_design_is_shown_with_the_ids_of_its_objects() {
    let opened = OpenSession::open().await;
    let all = upload(&opened, "cubes.step", CUBES).await;
    let root = id(&all[0]);
    let preview = made(&opened, &root).await;
    assert_eq!(preview["status"], "ready", "{preview}");
    assert_eq!(preview["sha256"], all[0]["sha256"], "{preview}");
    let shape = &preview["shape"];
    assert_eq!((&shape["unit"], &shape["faces"]), (&json!("mm"), &json!({ "shown": 6, "all": 6 })));
    assert_eq!(shape["triangles"], 12);
    let ids: Vec<&str> = all.iter().map(|object| object["id"].as_str().unwrap()).collect();
    assert_eq!(shape["objects"], json!(ids));

    let glb = drawn(&opened, &root, "derived/glb").await.expect(200);
    assert_eq!(glb.header("content-type"), "model/gltf-binary");
    assert!(
        glb.header("content-disposition").contains("assembly.glb"),
        "{}",
        glb.header("content-disposition")
    );
    let model = gltf(&glb.body);
    let numbers: HashSet<u64> = model["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|node| node["extras"]["object"].as_u64())
        .collect();
    assert_eq!(numbers, HashSet::from([0, 1, 2, 3]));

    // A part of it: the same preview, and files of its own.
    let part = id(&all[1]);
    let mut seen = made(&opened, &part).await["shape"].clone();
    let measures = seen.as_object_mut().unwrap().remove("part").unwrap();
    assert_eq!(seen, *shape);
    let near = |value: &Value, expected: f64| {
        let found = value.as_f64().unwrap();
        assert!((found / expected - 1.0).abs() < 1e-6, "{found} instead of {expected}");
    };
    near(&shape["area"], 3.0 * 600.0);
    near(&shape["volume"], 3.0 * 1000.0);
    near(&measures["volume"], 1000.0);
    near(&measures["area"], 600.0);
    let sides = [0, 1, 2].map(|axis| {
        measures["box"]["max"][axis].as_f64().unwrap() - measures["box"]["min"][axis].as_f64().unwrap()
    });
    assert!(sides.iter().all(|side| (side - 10.0).abs() < 1e-4), "{sides:?}");
    let centre = [0, 1, 2].map(|axis| shape["centre"][axis].as_f64().unwrap());
    assert!(centre.iter().zip([25.0, 5.0, 5.0]).all(|(one, other)| (one - other).abs() < 1e-3), "{centre:?}");
    let of_part = gltf(&drawn(&opened, &part, "derived/glb").await.expect(200).body);
    let numbers: Vec<&Value> =
        of_part["nodes"].as_array().unwrap().iter().map(|node| &node["extras"]["object"]).collect();
    assert!(numbers.contains(&&json!(1)) && !numbers.contains(&&json!(2)), "{numbers:?}");
    let stl = |triangles: usize| 84 + triangles * 50;
    assert_eq!(drawn(&opened, &root, "derived/stl").await.expect(200).body.len(), stl(3 * 12));
    assert_eq!(drawn(&opened, &part, "derived/stl").await.expect(200).body.len(), stl(12));
    assert_eq!(size(&drawn(&opened, &part, "thumbnail?size=1024").await.expect(200).body), [1024, 1024]);
    // The small pictures of all parts come with the first.
    drawn(&opened, &part, "thumbnail").await.expect(200);
    let small = format!(
        "select count(*) from derived_files where project_id = '{}' and format = 'small-picture'",
        opened.project
    );
    assert_eq!(opened.deployment.database.count(&small).await, 1 + 3);
    get(&opened, &root, "derived/step").await.expect(400);
}

#[tokio::test]
async fn a_picture_is_kept_by_the_files_hash() {
    let opened = OpenSession::open().await;
    let all = upload(&opened, "cubes.step", CUBES).await;
    let root = id(&all[0]);
    let small = drawn(&opened, &root, "thumbnail").await.expect(200);
    assert_eq!((size(&small.body), small.header("content-type")), ([256, 256], "image/png"));
    assert!(!small.header("cache-control").contains("immutable"), "{}", small.header("cache-control"));
    let tag = small.header("etag").to_owned();
    get(&opened, &root, "thumbnail").header("if-none-match", &tag).await.expect(304);
    let large = drawn(&opened, &root, "thumbnail?size=1024").await.expect(200);
    assert_eq!(size(&large.body), [1024, 1024]);
    let hash = all[0]["sha256"].as_str().unwrap();
    let kept = drawn(&opened, &root, &format!("thumbnail?sha256={hash}")).await.expect(200);
    assert!(kept.header("cache-control").contains("immutable"), "{}", kept.header("cache-control"));
    let other = "0".repeat(64);
    get(&opened, &root, &format!("thumbnail?sha256={other}")).await.expect(404);
    get(&opened, &root, "thumbnail?size=512").await.expect(400);
}

#[tokio::test]
async fn objects_keep_their_numbers_when_their_file_is_replaced() {
    let opened = OpenSession::open().await;
    let all = upload(&opened, "cubes.step", CUBES).await;
    let (root, gone) = (id(&all[0]), id(&all[2]));
    let of = |object: &str| format!("/api/v2/projects/{}/objects/{object}", opened.project);
    opened.caller.patch(&of(&id(&all[1]))).json(json!({ "name": "Left" })).await.expect(200);
    opened.caller.delete(&of(&gone)).await.expect(200);
    let shown = made(&opened, &root).await["shape"]["objects"].clone();
    assert_eq!(shown, json!([all[0]["id"], all[1]["id"], null, all[3]["id"]]));
    get(&opened, &gone, "thumbnail").await.expect(404);
    // Before the deletion it was there.
    let commit = opened.caller.post(&format!("/api/v2/projects/{}/branches/main/commits", opened.project));
    let commit = commit.json(json!({ "message": "Without one" })).await.expect(201);
    let hash = commit.text("/commit/hash");
    let newer = CUBES.replace("'part'", "'cube'");
    let replaced = opened.session.replace(&root, "cubes.step", newer.as_str()).await.expect(200);
    assert_eq!(objects(&replaced).len(), 4, "{replaced}");
    let now = made(&opened, &root).await;
    let ids = now["shape"]["objects"].as_array().unwrap();
    assert!(ids.iter().all(Value::is_string), "{now}");
    assert_eq!(ids[0], all[0]["id"]);
    let then = get(&opened, &root, &format!("preview?commit={hash}")).await.expect(200).json();
    assert_eq!(then["sha256"], all[0]["sha256"]);
    assert_eq!(then["shape"]["objects"], shown);
}

#[tokio::test]
async fn files_of_triangles_are_shown_and_others_are_not() {
    let opened = OpenSession::open().await;
    let triangle = id(&upload(&opened, "t.stl", TRIANGLE).await[0]);
    let preview = made(&opened, &triangle).await;
    assert_eq!(preview["status"], "ready", "{preview}");
    let shape = &preview["shape"];
    assert_eq!(shape["box"], json!({ "min": [0.0, 0.0, 0.0], "max": [2.0, 3.0, 0.0] }));
    assert_eq!((&shape["triangles"], shape.get("faces"), shape.get("unit")), (&json!(1), None, None));
    assert_eq!((&shape["area"], shape.get("volume"), shape.get("part")), (&json!(3.0), None, None));
    assert_eq!(shape["objects"], json!([triangle]));
    drawn(&opened, &triangle, "thumbnail").await.expect(200);

    let data = id(&upload(&opened, "a.bin", &b"\x00\x01\x02\x03"[..]).await[0]);
    let empty = id(&upload(&opened, "a.txt", "").await[0]);
    for object in [&data, &empty, &opened.model] {
        assert_eq!(made(&opened, object).await["status"], "none");
        get(&opened, object, "thumbnail").await.expect(404);
        get(&opened, object, "derived/glb").await.expect(404);
    }
    // A design whose products have no geometry is a tree that shows nothing.
    let bare = id(&upload(&opened, "bare.stp", testkit::upload::ASSEMBLY).await[0]);
    assert_eq!(made(&opened, &bare).await["status"], "none");
    drawn(&opened, &bare, "thumbnail").await.expect(404);
    let damaged = id(&upload(&opened, "d.glb", &b"glTF\x02\x00\x00\x00\xff\xff\x00\x00"[..]).await[0]);
    let preview = made(&opened, &damaged).await;
    assert_eq!(preview["status"], "failed", "{preview}");
    assert!(preview["reason"].as_str().unwrap().ends_with('.'), "{preview}");
    get(&opened, "0198c5f0-0000-7000-8000-000000000000", "preview").await.expect(404);
}

#[tokio::test]
async fn a_preview_is_made_after_an_upload_once_for_all_processes() {
    let environment = vec![("ATELIER_PREVIEWS", "uploads".to_owned())];
    let options = Options { environment, data_replicas: 2, ..Options::default() };
    let opened = OpenSession::on(Deployment::with(options).await).await;
    let events = opened.caller.get(&format!("/api/v2/projects/{}/events", opened.project));
    let mut events = EventStream::open(events).await;
    let all = upload(&opened, "cubes.step", CUBES).await;
    let told = events.next_of("preview.finished").await;
    assert_eq!(told.json["data"], json!({ "sha256": all[0]["sha256"] }));
    let root = id(&all[0]);
    for plane in &opened.deployment.data {
        let grant = opened.session.grant.at(&plane.url);
        assert_eq!(grant.get(&at(&opened, &root, "preview")).await.expect(200).json()["status"], "ready");
        grant.get(&at(&opened, &root, "thumbnail")).await.expect(200);
    }
    let made = opened.deployment.database.count("select count(*) from previews where attempts = 1").await;
    assert_eq!(made, 1);
}

#[tokio::test]
async fn a_killed_maker_leaves_a_reason() {
    let opened = OpenSession::own().await;
    let long = id(&upload(&opened, "long.stl", TRIANGLE.repeat(200_000)).await[0]);
    get(&opened, &long, "preview").await.expect(200);
    eventually_async("it is being drawn", async || !workers_of(&opened, b"preview").is_empty()).await;
    let workers = workers_of(&opened, b"preview");
    workers.iter().for_each(|worker| kill(*worker, Signal::SIGSTOP).unwrap());
    let asked = get(&opened, &long, "preview").await.expect(200).json();
    assert_eq!(asked["status"], "making", "{asked}");
    workers.iter().for_each(|worker| kill(*worker, Signal::SIGKILL).unwrap());
    let preview = made(&opened, &long).await;
    assert_eq!((&preview["status"], preview.get("shape")), (&json!("failed"), None), "{preview}");
    assert_eq!(preview["reason"], "It could not be drawn as a whole.");
    get(&opened, &long, "thumbnail").await.expect(404);
}

#[tokio::test]
async fn the_edges_stay_if_the_maker_is_killed_before_its_faces() {
    let opened = OpenSession::own().await;
    let torus = id(&upload(&opened, "torus.step", TORUS).await[0]);
    let mut blocker = opened.deployment.database.connect().await;
    let lock = blocker.transaction().await.unwrap();
    lock.batch_execute("lock table derived_files in share mode").await.unwrap();
    get(&opened, &torus, "preview").await.expect(200);
    // The edges are being kept. Nobody reads the faces meanwhile, and they are more than a pipe holds.
    opened.deployment.database.wait_for_blocked(1).await;
    let workers = workers_of(&opened, b"preview");
    assert_eq!(workers.len(), 1);
    workers.into_iter().for_each(|worker| kill(worker, Signal::SIGKILL).unwrap());
    lock.rollback().await.unwrap();
    let preview = made(&opened, &torus).await;
    assert_eq!(preview["status"], "failed", "{preview}");
    assert_eq!(preview["reason"], "It could not be drawn as a whole.");
    let shape = &preview["shape"];
    assert_eq!((&shape["triangles"], shape.get("faces")), (&json!(0), None), "{preview}");
    let glb = get(&opened, &torus, "derived/glb").await.expect(200);
    assert_eq!(shape["sizeBytes"], glb.body.len());
    get(&opened, &torus, "thumbnail").await.expect(200);
}

#[tokio::test]
async fn a_preview_that_was_left_is_made_by_the_next_who_asks_and_given_up_after_three() {
    let opened = OpenSession::open().await;
    let all = upload(&opened, "cubes.step", CUBES).await;
    let other = upload(&opened, "other.stl", TRIANGLE).await;
    let client = opened.deployment.database.connect().await;
    for (object, attempts) in [(&all[0], 1), (&other[0], 3)] {
        let left = format!(
            "insert into previews (project_id, sha256, maker, attempts, lease_until, used_at) \
             values ('{}', decode('{}', 'hex'), 2, {attempts}, now() - interval '1 second', now())",
            opened.project,
            object["sha256"].as_str().unwrap()
        );
        client.batch_execute(&left).await.unwrap();
    }
    assert_eq!(made(&opened, &id(&all[0])).await["status"], "ready");
    let preview = made(&opened, &id(&other[0])).await;
    assert_eq!(
        (&preview["status"], &preview["reason"]),
        (&json!("failed"), &json!("It could not be drawn."))
    );
    // Another version of the maker makes all of them again.
    client.batch_execute("update previews set maker = 0").await.unwrap();
    assert_eq!(made(&opened, &id(&other[0])).await["status"], "ready");
    let name = file_name(&other[0]);
    opened.session.grant.get(&opened.session.download_path(&name)).await.expect(200);
}

/// A red pixel as PNG.
const PIXEL: &[u8] = b"\
    \x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x00\x01\x00\x00\x00\x01\
    \x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\x0d\x49\x44\x41\x54\x78\x9c\x63\xf8\xcf\xc0\xf0\
    \x1f\x00\x05\x00\x01\xff\x89\x99\x3d\x1d\x00\x00\x00\x00\x49\x45\x4e\x44\xae\x42\x60\x82";

#[tokio::test]
async fn documents_pages_images_text_and_code_have_pictures_and_no_shape() {
    let opened = OpenSession::open().await;
    let document = upload(&opened, "a.pdf", pdf(&["0 0 9 9 re f"])).await;
    let (owner, page) = (id(&document[0]), id(&document[1]));
    let image = id(&upload(&opened, "a.png", PIXEL).await[0]);
    let text = id(&upload(&opened, "a.txt", "something to see").await[0]);
    let code = id(&upload(&opened, "a.py", "print(1)  # one\n").await[0]);
    let mut pictures = HashSet::new();
    for object in [&owner, &page, &image, &text, &code] {
        let preview = made(&opened, object).await;
        assert_eq!((&preview["status"], preview.get("shape")), (&json!("ready"), None), "{preview}");
        assert!(preview["sha256"].is_string(), "{preview}");
        let small = drawn(&opened, object, "thumbnail").await.expect(200);
        assert_eq!((size(&small.body), small.header("content-type")), ([256, 256], "image/png"));
        let large = drawn(&opened, object, "thumbnail?size=1024").await.expect(200);
        assert_eq!(size(&large.body), [1024, 1024]);
        get(&opened, object, "derived/glb").await.expect(404);
        get(&opened, object, "derived/stl").await.expect(404);
        pictures.insert(small.body.to_vec());
    }
    assert!(pictures.len() >= 4, "only the document's first page may look as the page: {}", pictures.len());
    let hash = document[0]["sha256"].as_str().unwrap();
    let kept = drawn(&opened, &owner, &format!("thumbnail?sha256={hash}")).await.expect(200);
    assert!(kept.header("cache-control").contains("immutable"), "{}", kept.header("cache-control"));
    let tag = kept.header("etag").to_owned();
    get(&opened, &owner, "thumbnail").header("if-none-match", &tag).await.expect(304);
    // The same content in a second place is drawn once.
    let twice = id(&upload(&opened, "b.txt", "something to see").await[0]);
    drawn(&opened, &twice, "thumbnail").await.expect(200);
    let made =
        format!("select count(*) from previews where project_id = '{}' and attempts = 1", opened.project);
    assert_eq!(opened.deployment.database.count(&made).await, 5);
}

#[tokio::test]
async fn a_hostile_image_has_a_reason_and_others_are_drawn() {
    let opened = OpenSession::open().await;
    let bomb = {
        let mut bitmap = b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0".to_vec();
        bitmap.extend([60_000_u32, 60_000].map(u32::to_le_bytes).concat());
        bitmap.extend(b"\x01\0\x18\0".iter().chain(&[0; 28]));
        bitmap
    };
    let cut = &PIXEL[..40];
    let locked = "%PDF-1.4\nno document\n%%EOF\n".as_bytes();
    for (name, bytes) in [("bomb.bmp", &bomb[..]), ("cut.png", cut), ("damaged.pdf", locked)] {
        let object = id(&upload(&opened, name, bytes).await[0]);
        let preview = made(&opened, &object).await;
        assert_eq!(preview["status"], "failed", "{name}: {preview}");
        assert!(preview["reason"].as_str().unwrap().ends_with('.'), "{name}: {preview}");
        drawn(&opened, &object, "thumbnail").await.expect(404);
    }
    let image = id(&upload(&opened, "a.png", PIXEL).await[0]);
    drawn(&opened, &image, "thumbnail").await.expect(200);
}
