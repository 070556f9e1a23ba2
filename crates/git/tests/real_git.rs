//! Commits of this crate, checked by Git and read back.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use domain::content::object::{CommitHash, Object, Signature};
use domain::id::{ObjectId, ProjectId};
use domain::text::Name;
use domain::time::Timestamp;
use git::{FirstCommit, GitObjectKind, NewGitObject, Oid, Walk, first_commit};
use proptest::prelude::{Just, ProptestConfig, Strategy, any, prop_oneof, proptest};
use serde_json::{Map, Value};
use uuid::Uuid;

const PROJECT: ProjectId = ProjectId(Uuid::from_u128(0x0198_c5f0_0000_7000_8000_0000_0000_0001));

fn object(id: u128, name: &str, parent: ObjectId) -> Object {
    Object {
        id: ObjectId(Uuid::from_u128(id)),
        name: Name::sanitize(name).unwrap(),
        object_type: "Package".to_owned(),
        parent,
        kind: None,
        file: None,
        include: None,
        data: Map::new(),
    }
}

fn author() -> Signature {
    Signature {
        name: "Ada Löwe".to_owned(),
        email: "ada@example.com".to_owned(),
        time: Timestamp::parse("2026-11-20T12:00:00Z").unwrap(),
    }
}

fn commit(objects: &[Object]) -> (CommitHash, Vec<NewGitObject>) {
    let author = author();
    let commit = FirstCommit { project: PROJECT, objects, author: &author, message: "Create the project" };
    first_commit(&commit).unwrap()
}

/// The objects of a walk, fetched as `store` does.
fn read(mut walk: Walk, stored: &[NewGitObject]) -> HashMap<ObjectId, Object> {
    let stored: HashMap<Oid, &NewGitObject> = stored.iter().map(|object| (object.oid, object)).collect();
    let mut found = HashMap::new();
    while let Some(wanted) = walk.wanted().unwrap() {
        for oid in wanted {
            if let Some(record) = walk.supply(oid, stored[&oid].data.clone()).unwrap() {
                assert!(found.insert(record.id, record.object().unwrap()).is_none());
            }
        }
    }
    found
}

/// A Git repository with these objects, checked out at `head`.
struct Clone {
    folder: tempfile::TempDir,
}

impl Clone {
    fn of(head: CommitHash, objects: &[NewGitObject]) -> Self {
        let clone = Self { folder: tempfile::tempdir().unwrap() };
        clone.git(&["init", "--quiet", "--initial-branch=main"]);
        for object in objects {
            let hex = object.oid.to_string();
            let (folder, name) = hex.split_at(2);
            let folder = clone.path().join(".git/objects").join(folder);
            std::fs::create_dir_all(&folder).unwrap();
            let file = std::fs::File::create(folder.join(name)).unwrap();
            let mut zlib = flate2::write::ZlibEncoder::new(file, flate2::Compression::fast());
            write!(zlib, "{} {}\0", object.kind.as_str(), object.data.len()).unwrap();
            zlib.write_all(&object.data).unwrap();
            zlib.finish().unwrap();
        }
        clone.git(&["update-ref", "refs/heads/main", &head.to_string()]);
        clone.git(&["checkout", "--quiet", "main"]);
        clone
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn git(&self, arguments: &[&str]) -> String {
        self.git_with_input(arguments, b"")
    }

    fn git_with_input(&self, arguments: &[&str], input: &[u8]) -> String {
        let mut child = Command::new("git")
            .current_dir(self.path())
            .args(["-c", "core.quotePath=false"])
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("HOME", self.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the tests need Git");
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "git {arguments:?}: {errors}");
        assert!(!errors.contains("warning"), "git {arguments:?}: {errors}");
        String::from_utf8(output.stdout).unwrap()
    }
}

fn gearbox() -> Vec<Object> {
    let root = ObjectId::from(PROJECT);
    let model = object(0x0198_c5f0_0000_7000_8000_0000_0000_0bc7, "Model", root);
    let library = object(0x0198_c5f0_0000_7000_8000_0000_0000_0002, "Library", root);
    let mut gear = object(0x0198_c5f0_0000_7000_8000_0000_0000_0bc6, "Gear / 20T (Löwe)", model.id);
    gear.data = serde_json::from_str(r#"{"z": 1, "a": {"y": 0.1, "b": [null, "é"]}}"#).unwrap();
    vec![model, library, gear]
}

#[test]
fn git_accepts_and_reads_a_first_commit() {
    let objects = gearbox();
    let (head, written) = commit(&objects);
    let clone = Clone::of(head, &written);

    assert_eq!(clone.git(&["fsck", "--strict", "--no-dangling"]), "");
    assert_eq!(
        clone.git(&["log", "--format=%H %an <%ae> %at %cn %ct%n%B"]),
        format!(
            "{head} Ada Löwe <ada@example.com> 1795176000 Ada Löwe 1795176000\n\
             Create the project\n\n"
        )
    );
    assert_eq!(
        clone.git(&["ls-files"]),
        ".gitattributes\n\
         README.md\n\
         objects/00/02/Library.0198c5f0-0000-7000-8000-000000000002.json\n\
         objects/2f/06/Gear-20T-Löwe.0198c5f0-0000-7000-8000-000000000bc6.json\n\
         objects/2f/07/Model.0198c5f0-0000-7000-8000-000000000bc7.json\n\
         project.json\n"
    );
    assert_eq!(
        clone.git(&["show", "HEAD:objects/2f/06/Gear-20T-Löwe.0198c5f0-0000-7000-8000-000000000bc6.json"]),
        r#"{
  "data": {
    "a": {
      "b": [
        null,
        "é"
      ],
      "y": 0.1
    },
    "z": 1
  },
  "id": "0198c5f0-0000-7000-8000-000000000bc6",
  "name": "Gear / 20T (Löwe)",
  "parent": "0198c5f0-0000-7000-8000-000000000bc7",
  "type": "Package"
}
"#
    );
    assert_eq!(
        clone.git(&["show", "HEAD:project.json"]),
        "{\n  \"format\": 1,\n  \"id\": \"0198c5f0-0000-7000-8000-000000000001\"\n}\n"
    );
    assert_eq!(clone.git(&["status", "--porcelain"]), "");
}

#[test]
fn hashes_equal_those_of_git() {
    let (_, written) = commit(&gearbox());
    let clone = Clone { folder: tempfile::tempdir().unwrap() };
    clone.git(&["init", "--quiet"]);
    for object in &written {
        let hash =
            clone.git_with_input(&["hash-object", "-t", object.kind.as_str(), "--stdin"], &object.data);
        assert_eq!(hash.trim(), object.oid.to_string(), "{:?}", object.kind);
    }
    let kinds = |kind| written.iter().filter(|object| object.kind == kind).count();
    assert_eq!(
        (kinds(GitObjectKind::Blob), kinds(GitObjectKind::Tree), kinds(GitObjectKind::Commit)),
        (6, 7, 1)
    );
}

#[test]
fn the_commands_in_a_clones_readme_work() {
    let objects = gearbox();
    let (head, written) = commit(&objects);
    let clone = Clone::of(head, &written);
    let (model, gear) = (&objects[0], &objects[2]);
    let readme = clone.git(&["show", "HEAD:README.md"]);
    let commands: Vec<Vec<String>> = readme
        .lines()
        .filter_map(|line| line.strip_prefix("    git "))
        .map(|line| line.replace("<parent>", &model.id.to_string()))
        .map(|line| match line.contains("--patch") {
            true => line.replace("<id>", &gear.id.to_string()),
            false => line.replace("<id>", &model.id.to_string()),
        })
        // Splits like a shell: only quoted words contain blanks.
        .map(|line| {
            let parts = line.split('\'').enumerate();
            parts
                .flat_map(|(i, part)| match i % 2 {
                    0 => part.split_whitespace().map(str::to_owned).collect(),
                    _ => vec![part.to_owned()],
                })
                .collect()
        })
        .collect();
    let answers: Vec<String> = commands
        .iter()
        .map(|command| clone.git(&command.iter().map(String::as_str).collect::<Vec<_>>()))
        .collect();
    let gear_file = "objects/2f/06/Gear-20T-Löwe.0198c5f0-0000-7000-8000-000000000bc6.json\n";
    assert_eq!(answers.len(), 4);
    assert_eq!(answers[0], gear_file);
    assert_eq!(answers[1], gear_file);
    assert_eq!(answers[2], "objects/2f/07/Model.0198c5f0-0000-7000-8000-000000000bc7.json\n");
    assert!(answers[3].contains("+  \"name\": \"Gear / 20T (Löwe)\""), "{}", answers[3]);
}

#[test]
fn files_are_marked_for_git_lfs_and_objects_are_not() {
    let (head, written) = commit(&gearbox());
    let clone = Clone::of(head, &written);
    let attribute =
        clone.git(&["check-attr", "filter", "files/2f/06/gear.step", "objects/2f/06/files/a.json"]);
    assert_eq!(
        attribute,
        "files/2f/06/gear.step: filter: lfs\nobjects/2f/06/files/a.json: filter: unspecified\n"
    );
}

#[test]
fn authors_that_would_break_a_commit_are_cleaned() {
    let author = Signature {
        name: " <>\n\u{0} ".to_owned(),
        email: "a>b\n@example.com".to_owned(),
        time: author().time,
    };
    let (head, written) = first_commit(&FirstCommit {
        project: PROJECT,
        objects: &[],
        author: &author,
        message: "A\0 message\n\n\n",
    })
    .unwrap();
    let clone = Clone::of(head, &written);
    assert_eq!(clone.git(&["fsck", "--strict", "--no-dangling"]), "");
    assert_eq!(clone.git(&["log", "--format=%an <%ae>%n%B"]), "unknown <a b @example.com>\nA message\n\n");
}

#[test]
fn a_walk_fails_at_a_missing_object() {
    let (head, _) = commit(&gearbox());
    let mut walk = Walk::all(head);
    walk.wanted().unwrap();
    let error = walk.wanted().unwrap_err();
    assert_eq!(error.code, domain::Code::InternalError);
}

#[test]
fn a_walk_to_one_object_reads_only_its_path() {
    let root = ObjectId::from(PROJECT);
    let objects: Vec<Object> = (1..=20_000).map(|id| object(id, "Part", root)).collect();
    let (head, written) = commit(&objects);
    let sizes: HashMap<Oid, usize> = written.iter().map(|o| (o.oid, o.data.len())).collect();
    let stored: HashMap<Oid, &NewGitObject> = written.iter().map(|o| (o.oid, o)).collect();
    let mut walk = Walk::only(head, [objects[12_345].id, ObjectId(Uuid::from_u128(99_999_999))]);
    let (mut asked, mut bytes, mut found) = (0, 0, Vec::new());
    while let Some(wanted) = walk.wanted().unwrap() {
        for oid in wanted {
            asked += 1;
            bytes += sizes[&oid];
            found.extend(walk.supply(oid, stored[&oid].data.clone()).unwrap());
        }
    }
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].object().unwrap(), objects[12_345]);
    // The commit, the root, objects/, at most two folders for each of the two ids, and the file.
    assert!(asked <= 8, "{asked}");
    assert!(bytes < 10_000, "{bytes}");
}

fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((any::<String>(), inner), 0..4)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

fn any_object() -> impl Strategy<Value = Object> {
    let name = any::<String>().prop_filter_map("no name", |text| Name::sanitize(&text));
    let data = proptest::collection::vec((any::<String>(), json()), 0..4);
    (any::<u128>(), name, any::<u128>(), any::<String>(), data).prop_map(
        |(id, name, parent, object_type, data)| Object {
            name,
            object_type,
            data: data.into_iter().collect(),
            ..object(id, "x", ObjectId(Uuid::from_u128(parent)))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn commits_round_trip(objects in proptest::collection::vec(any_object(), 0..20)) {
        let expected: HashMap<ObjectId, Object> = objects.into_iter().map(|o| (o.id, o)).collect();
        let objects: Vec<Object> = expected.values().cloned().collect();
        let (head, written) = commit(&objects);
        assert_eq!(read(Walk::all(head), &written), expected);

        let some: BTreeSet<ObjectId> = expected.keys().copied().step_by(2).collect();
        let found = read(Walk::only(head, some.iter().copied()), &written);
        assert_eq!(found.keys().copied().collect::<BTreeSet<_>>(), some);

        let mut turned = objects;
        turned.reverse();
        assert_eq!(commit(&turned).0, head, "the order of the objects must not matter");
    }

    #[test]
    fn git_accepts_any_objects(objects in proptest::collection::vec(any_object(), 1..8)) {
        let (head, written) = commit(&objects);
        let clone = Clone::of(head, &written);
        assert_eq!(clone.git(&["fsck", "--strict", "--no-dangling"]), "");
        assert_eq!(clone.git(&["status", "--porcelain"]), "");
    }
}
