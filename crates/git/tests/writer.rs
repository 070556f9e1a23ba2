//! Successive commits: equal content has equal folders, and Git accepts it.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use std::collections::{BTreeMap, HashMap};
use std::io::Write;
use std::process::Command;

use domain::content::object::{CommitHash, Extension, FileRef, Object, Sha256Hash, Signature};
use domain::id::{ObjectId, ProjectId};
use domain::text::Name;
use domain::time::Timestamp;
use git::{Commit, CommitWriter, GitObjectKind, NewGitObject, Oid, Walk, WrittenCommit};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use serde_json::Map;
use uuid::Uuid;

const PROJECT: ProjectId = ProjectId(Uuid::from_u128(0x0198_c5f0_0000_7000_8000_0000_0000_0001));

/// The stored Git objects of a project.
#[derive(Default)]
struct Repository {
    objects: HashMap<Oid, NewGitObject>,
}

impl Repository {
    /// Commits `changes` on `parents`; returns the commit and the requests and bytes read for it.
    fn commit(&mut self, parents: &[CommitHash], changes: &[Change]) -> (WrittenCommit, Cost) {
        let mut writer = CommitWriter::new(PROJECT, parents).unwrap();
        for change in changes {
            match change {
                Change::Put(object) => writer.put(object).unwrap(),
                Change::Remove(id) => writer.remove(*id),
            }
        }
        let mut cost = Cost::default();
        while let Some(wanted) = writer.wanted().unwrap() {
            cost.rounds += 1;
            for oid in wanted {
                let data = &self.objects[&oid].data;
                cost.bytes_read += data.len();
                writer.supply(oid, data).unwrap();
            }
        }
        let written = writer.finish(&author(), "A change").unwrap();
        cost.bytes_written = written.objects.iter().map(|object| object.data.len()).sum();
        self.objects.extend(written.objects.iter().map(|object| (object.oid, object.clone())));
        (written, cost)
    }

    fn read(&self, commit: CommitHash) -> BTreeMap<ObjectId, Object> {
        let mut walk = Walk::all(commit);
        let mut found = BTreeMap::new();
        while let Some(wanted) = walk.wanted().unwrap() {
            for oid in wanted {
                if let Some(record) = walk.supply(oid, self.objects[&oid].data.clone()).unwrap() {
                    assert!(found.insert(record.id, record.object().unwrap()).is_none());
                }
            }
        }
        found
    }

    /// Runs Git in a clone at `head`.
    fn git(&self, head: CommitHash, arguments: &[&str]) -> String {
        let folder = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let output = Command::new("git")
                .current_dir(folder.path())
                .args(["-c", "core.quotePath=false"])
                .args(arguments)
                .env("GIT_CONFIG_NOSYSTEM", "1")
                .env("HOME", folder.path())
                .output()
                .expect("the tests need Git");
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8(said).unwrap();
            assert!(output.status.success(), "git {arguments:?}: {said}");
            said
        };
        git(&["init", "--quiet", "--bare", "--initial-branch=main", "."]);
        for object in self.objects.values() {
            let hex = object.oid.to_string();
            let (shard, name) = hex.split_at(2);
            let shard = folder.path().join("objects").join(shard);
            std::fs::create_dir_all(&shard).unwrap();
            let file = std::fs::File::create(shard.join(name)).unwrap();
            let mut zlib = flate2::write::ZlibEncoder::new(file, flate2::Compression::fast());
            write!(zlib, "{} {}\0", object.kind.as_str(), object.data.len()).unwrap();
            zlib.write_all(&object.data).unwrap();
            zlib.finish().unwrap();
        }
        git(&["update-ref", "refs/heads/main", &head.to_string()]);
        git(arguments)
    }
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "nearly all are the larger one")]
enum Change {
    Put(Object),
    Remove(ObjectId),
}

#[derive(Default)]
struct Cost {
    rounds: usize,
    bytes_read: usize,
    bytes_written: usize,
}

fn object(id: u128, name: &str) -> Object {
    Object {
        id: ObjectId(Uuid::from_u128(id)),
        name: Name::sanitize(name).unwrap(),
        object_type: "Part".to_owned(),
        parent: PROJECT.into(),
        kind: None,
        file: None,
        include: None,
        data: Map::new(),
    }
}

fn with_file(mut object: Object, size: u64, file_name: &str) -> Object {
    object.file = Some(FileRef {
        sha256: Sha256Hash([7; 32]),
        size,
        mime_type: "model/step".to_owned(),
        extension: Extension::of_file_name(file_name),
        name: Name::sanitize(file_name),
    });
    object
}

fn author() -> Signature {
    Signature {
        name: "Ada".to_owned(),
        email: "ada@example.com".to_owned(),
        time: Timestamp::parse("2026-11-20T12:00:00Z").unwrap(),
    }
}

#[test]
fn a_rename_moves_an_object_but_not_its_file_and_a_removal_removes_empty_folders() {
    let mut repository = Repository::default();
    let gear = with_file(object(0xbc7, "Gear"), 7, "gear.step");
    let (first, _) =
        repository.commit(&[], &[Change::Put(gear.clone()), Change::Put(object(0x001, "Model"))]);
    let renamed = Object { name: Name::sanitize("Wheel").unwrap(), ..gear.clone() };
    let (second, cost) = repository.commit(&[first.hash], &[Change::Put(renamed)]);
    assert_eq!(cost.rounds, 5);
    let files = repository.git(second.hash, &["ls-tree", "-r", "--name-only", "main", "objects", "files"]);
    assert_eq!(
        files,
        "files/2f/07/gear.00000000-0000-0000-0000-000000000bc7.step\n\
         objects/00/01/Model.00000000-0000-0000-0000-000000000001.json\n\
         objects/2f/07/Wheel.00000000-0000-0000-0000-000000000bc7.json\n"
    );
    let pointer = repository
        .git(second.hash, &["show", "main:files/2f/07/gear.00000000-0000-0000-0000-000000000bc7.step"]);
    assert_eq!(
        pointer,
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{}\nsize 7\n", "07".repeat(32))
    );

    let (third, _) = repository.commit(&[second.hash], &[Change::Remove(gear.id)]);
    let files = repository.git(third.hash, &["ls-tree", "-r", "--name-only", "main"]);
    assert_eq!(
        files,
        ".gitattributes\nREADME.md\nobjects/00/01/Model.00000000-0000-0000-0000-000000000001.json\nproject.json\n"
    );
    assert_eq!(repository.git(third.hash, &["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn a_commit_round_trips_with_all_parents() {
    let mut repository = Repository::default();
    let (first, _) = repository.commit(&[], &[Change::Put(object(1, "a"))]);
    let (left, _) = repository.commit(&[first.hash], &[Change::Put(object(2, "b"))]);
    let (right, _) = repository.commit(&[first.hash], &[Change::Put(object(3, "c"))]);
    let (merge, _) = repository.commit(&[left.hash, right.hash], &[Change::Put(object(3, "c"))]);
    let data = &repository.objects[&Oid::from(merge.hash)].data;
    assert_eq!(
        Commit::parse(merge.hash, data).unwrap(),
        Commit {
            hash: merge.hash,
            tree: merge.tree,
            parents: vec![left.hash, right.hash],
            author: author(),
            message: "A change".to_owned(),
        }
    );
    assert_eq!(repository.read(merge.hash).len(), 3);
    assert_eq!(repository.git(merge.hash, &["rev-list", "--count", "main"]), "4\n");
    assert_eq!(repository.git(merge.hash, &["fsck", "--strict", "--no-dangling"]), "");
}

#[test]
fn a_commit_of_ten_objects_in_a_large_project_writes_little() {
    let mut repository = Repository::default();
    let all: Vec<Change> = (1..=100_000).map(|id| Change::Put(object(id, "Some part of it"))).collect();
    let (first, _) = repository.commit(&[], &all);
    let ten: Vec<Change> = (1..=10).map(|n| Change::Put(object(n * 9_973, "Another part"))).collect();
    let (_, cost) = repository.commit(&[first.hash], &ten);
    assert!(cost.bytes_written < 100_000, "{}", cost.bytes_written);
    assert!(cost.bytes_read < 100_000, "{}", cost.bytes_read);
    assert_eq!(cost.rounds, 5);
}

#[test]
fn missing_git_objects_are_an_error() {
    let mut repository = Repository::default();
    let (first, _) = repository.commit(&[], &[Change::Put(object(1, "a"))]);
    let mut writer = CommitWriter::new(PROJECT, &[first.hash]).unwrap();
    writer.remove(object(1, "a").id);
    let error = writer.clone().finish(&author(), "x").unwrap_err();
    assert_eq!(error.code, domain::Code::InternalError);
    writer.wanted().unwrap();
    assert_eq!(writer.wanted().unwrap_err().code, domain::Code::InternalError);
}

/// Changes of a few objects in a few folders, so that sequences repeat them.
fn change() -> impl Strategy<Value = Change> {
    let id = (0_u128..6, 0_u128..3).prop_map(|(id, folder)| id << 64 | folder);
    prop_oneof![
        3 => (id.clone(), "[a-c]{1,2}", proptest::option::of(0_u64..3)).prop_map(|(id, name, size)| {
            let object = object(id, &name);
            Change::Put(match size {
                Some(size) => with_file(object, size, if size == 0 { "x" } else { "x.json" }),
                None => object,
            })
        }),
        1 => id.prop_map(|id| Change::Remove(ObjectId(Uuid::from_u128(id)))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn equal_content_has_equal_folders_regardless_of_history(
        steps in proptest::collection::vec(proptest::collection::vec(change(), 0..6), 1..8),
        check in any::<u8>(),
    ) {
        let mut repository = Repository::default();
        let mut expected: BTreeMap<ObjectId, Object> = BTreeMap::new();
        let mut head = None;
        let mut tree = None;
        for changes in &steps {
            let parents: Vec<CommitHash> = head.into_iter().collect();
            let (written, _) = repository.commit(&parents, changes);
            for change in changes {
                match change {
                    Change::Put(object) => {
                        expected.insert(object.id, object.clone());
                    }
                    Change::Remove(id) => {
                        expected.remove(id);
                    }
                }
            }
            assert!(
                written
                    .objects
                    .iter()
                    .all(|object| object.kind != GitObjectKind::Tree || Some(object.oid) != tree)
            );
            (head, tree) = (Some(written.hash), Some(written.tree));
        }
        let head = head.unwrap();
        assert_eq!(repository.read(head), expected);
        let at_once: Vec<Change> = expected.into_values().map(Change::Put).collect();
        assert_eq!(Some(Repository::default().commit(&[], &at_once).0.tree), tree);
        // Asking Git is slow.
        if check.is_multiple_of(8) {
            assert_eq!(repository.git(head, &["fsck", "--strict", "--no-dangling"]), "");
        }
    }
}
