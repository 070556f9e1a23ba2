//! Comparing and merging commits, which are read as `store` reads them.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, HashMap};

use domain::content::field::FieldPath;
use domain::content::merge::{Conflict, ConflictKind, Decision, Resolution};
use domain::content::object::{CommitHash, Object, Signature};
use domain::id::{ObjectId, ProjectId};
use domain::text::Name;
use domain::time::Timestamp;
use domain::{Code, Result};
use git::{Comparison, Difference, FirstCommit, Merge, MergeResult, Oid, fields, first_commit};
use proptest::prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest};
use serde_json::{Value, json};
use uuid::Uuid;

const PROJECT: ProjectId = ProjectId(Uuid::from_u128(0x0198_c5f0_0000_7000_8000_0000_0000_0001));
/// Fewest Git objects per request, so that the order is tested as well.
const FEW: usize = 3;

/// A commit's objects by id.
type Content = BTreeMap<ObjectId, Object>;

fn id(number: u128) -> ObjectId {
    if number == 0 { PROJECT.into() } else { ObjectId(Uuid::from_u128(number)) }
}

fn object(number: u128, name: &str, parent: u128) -> Object {
    Object {
        id: id(number),
        name: Name::sanitize(name).unwrap(),
        object_type: "Package".to_owned(),
        parent: id(parent),
        kind: None,
        file: None,
        include: None,
        data: serde_json::Map::new(),
    }
}

/// The base of the tests: `Model` (1) with `A` (10), which holds `A1` (11) and that `A2` (12), and `B` (20);
/// `Library` (2).
fn base() -> Content {
    let objects = [
        object(1, "Model", 0),
        object(2, "Library", 0),
        object(10, "A", 1),
        object(11, "A1", 10),
        object(12, "A2", 11),
        object(20, "B", 1),
    ];
    objects.into_iter().map(|object| (object.id, object)).collect()
}

/// The base with changes.
fn side(change: impl FnOnce(&mut Content)) -> Content {
    let mut content = base();
    change(&mut content);
    content
}

fn rename(content: &mut Content, number: u128, name: &str) {
    content.get_mut(&id(number)).unwrap().name = Name::sanitize(name).unwrap();
}

fn hang(content: &mut Content, number: u128, parent: u128) {
    content.get_mut(&id(number)).unwrap().parent = id(parent);
}

fn set(content: &mut Content, number: u128, data: Value) {
    content.get_mut(&id(number)).unwrap().data = data.as_object().unwrap().clone();
}

fn add(content: &mut Content, object: Object) {
    assert!(content.insert(object.id, object).is_none());
}

fn delete(content: &mut Content, numbers: &[u128]) {
    numbers.iter().for_each(|number| assert!(content.remove(&id(*number)).is_some()));
}

/// Commits, each without a parent, and the Git objects that they need.
#[derive(Default)]
struct Stored(HashMap<Oid, Vec<u8>>);

impl Stored {
    fn commit(&mut self, content: &Content) -> CommitHash {
        let time = Timestamp::parse("2026-11-20T12:00:00Z").unwrap();
        let author = Signature { name: "Ada".to_owned(), email: "ada@example.com".to_owned(), time };
        let objects: Vec<Object> = content.values().cloned().collect();
        let commit =
            FirstCommit { project: PROJECT, objects: &objects, author: &author, message: "A commit" };
        let (hash, written) = first_commit(&commit).unwrap();
        self.0.extend(written.into_iter().map(|object| (object.oid, object.data)));
        hash
    }

    /// The differences, and the number of Git objects read.
    fn compare<const N: usize>(&self, mut comparison: Comparison<N>) -> (Vec<Difference<N>>, usize) {
        let (mut differing, mut read) = (Vec::new(), 0);
        while let Some(wanted) = comparison.wanted(FEW) {
            read += wanted.len();
            let found = wanted.into_iter().map(|oid| (oid, self.0[&oid].clone())).collect();
            differing.extend(comparison.supply(&found).unwrap());
        }
        (differing, read)
    }
}

fn try_merge(base: &Content, ours: &Content, theirs: &Content, given: &[Resolution]) -> Result<MergeResult> {
    let mut stored = Stored::default();
    let commits = [base, ours, theirs].map(|content| Some(stored.commit(content)));
    let (differing, _) = stored.compare(Comparison::new(commits));
    let hanging = ours.values().map(|object| (object.id, object.parent)).collect();
    Merge { project: PROJECT, ours: hanging, differing: &differing, resolutions: given }.run()
}

/// The merged content without conflicts.
fn merged(base: &Content, ours: &Content, theirs: &Content, given: &[Resolution]) -> Content {
    match try_merge(base, ours, theirs, given).unwrap() {
        MergeResult::Clean(changes) => {
            let mut content = ours.clone();
            for (id, object) in changes {
                assert_ne!(content.get(&id), object.as_ref(), "a change that changes nothing");
                match object {
                    Some(object) => drop(content.insert(id, object)),
                    None => drop(content.remove(&id)),
                }
            }
            assert_tree(&content);
            content
        }
        MergeResult::Conflicting(conflicts) => panic!("{:#?}", conflicts),
    }
}

fn conflicts(ours: &Content, theirs: &Content, given: &[Resolution]) -> Vec<Conflict> {
    match try_merge(&base(), ours, theirs, given).unwrap() {
        MergeResult::Conflicting(conflicts) => conflicts,
        MergeResult::Clean(changes) => panic!("merged: {changes:?}"),
    }
}

/// Conflicts in short: kind, object and field of each.
fn told(conflicts: &[Conflict]) -> String {
    let number = |id: ObjectId| id.0.as_u128();
    let one = |c: &Conflict| format!("{:?} {}{}", c.kind, number(c.object_id), c.field);
    conflicts.iter().map(one).collect::<Vec<_>>().join(", ")
}

fn decide(number: u128, field: &str, decision: Decision) -> Resolution {
    let field = field.split('/').skip(1).fold(FieldPath::default(), |path, key| path.child(key));
    Resolution { object_id: id(number), field, decision }
}

/// Asserts that all objects form a tree under the project.
fn assert_tree(content: &Content) {
    for object in content.values() {
        let (mut at, mut steps) = (object, 0);
        while at.parent != id(0) {
            at = content.get(&at.parent).unwrap_or_else(|| panic!("{} hangs under nothing", at.id));
            steps += 1;
            assert!(steps <= content.len(), "{} hangs below itself", object.id);
        }
    }
}

#[test]
fn a_comparison_lists_additions_changes_and_deletions_by_field() {
    let before = side(|content| set(content, 20, json!({ "size": { "x": 1, "y": 2 }, "list": [1] })));
    let mut after = before.clone();
    rename(&mut after, 20, "B 2");
    set(&mut after, 20, json!({ "size": { "x": 3, "y": 2, "z": null }, "list": [1, 2] }));
    add(&mut after, object(30, "C", 2));
    delete(&mut after, &[12]);
    let mut stored = Stored::default();
    let commits = [Some(stored.commit(&before)), Some(stored.commit(&after))];
    let (differing, _) = stored.compare(Comparison::new(commits));
    let told: BTreeMap<u128, Value> = differing
        .iter()
        .map(|object| {
            let [base, head] =
                object.records.each_ref().map(|record| record.as_ref().map(|r| r.object().unwrap()));
            let changes = fields::changes(base.as_ref(), head.as_ref()).unwrap();
            (object.id.0.as_u128(), serde_json::to_value(changes).unwrap())
        })
        .collect();
    let change =
        |field: &str, base: Value, head: Value| json!({ "field": field, "base": base, "head": head });
    assert_eq!(told.keys().copied().collect::<Vec<_>>(), [12, 20, 30]);
    assert_eq!(
        told[&20],
        json!([
            change("/data/list", json!([1]), json!([1, 2])),
            change("/data/size/x", json!(1), json!(3)),
            { "field": "/data/size/z", "head": null },
            change("/name", json!("B"), json!("B 2")),
        ])
    );
    assert_eq!(
        told[&12],
        json!([
            { "field": "/name", "base": "A2" },
            { "field": "/parent", "base": id(11) },
            { "field": "/type", "base": "Package" },
        ])
    );
    assert_eq!(told[&30][0], json!({ "field": "/name", "head": "C" }));
}

#[test]
fn a_comparison_reads_only_paths_to_differences_and_can_be_paged() {
    let before: Content = (1..=5_000).map(|number| (id(number), object(number, "Part", 0))).collect();
    let mut after = before.clone();
    for number in [7, 77, 777, 4_444] {
        rename(&mut after, number, "Other");
    }
    let mut stored = Stored::default();
    let commits = [Some(stored.commit(&before)), Some(stored.commit(&after))];
    let (differing, read) = stored.compare(Comparison::new(commits));
    // For each side: the commit, the root and objects/; for each object: two folders and its file.
    assert!(read <= 2 * (3 + 4 * 3), "{read}");
    let ids: Vec<ObjectId> = differing.iter().map(|object| object.id).collect();
    assert_eq!(ids.len(), 4);
    for (position, last) in ids.iter().enumerate() {
        let (rest, _) = stored.compare(Comparison::new(commits).after(*last));
        assert_eq!(rest.iter().map(|object| object.id).collect::<Vec<_>>(), ids[position + 1..]);
    }
    let (same, read) = stored.compare(Comparison::new([commits[0], commits[0]]));
    assert_eq!((same.len(), read), (0, 0));
}

#[test]
fn changes_of_one_side_and_equal_changes_of_both_are_merged() {
    let ours = side(|ours| {
        rename(ours, 10, "A ours");
        set(ours, 20, json!({ "a": { "x": 1 }, "same": [1] }));
        add(ours, object(30, "New", 2));
        delete(ours, &[12]);
    });
    let theirs = side(|theirs| {
        hang(theirs, 10, 2);
        set(theirs, 20, json!({ "a": { "y": 2 }, "same": [1] }));
        add(theirs, object(30, "New", 2));
        delete(theirs, &[12]);
    });
    let content = merged(&base(), &ours, &theirs, &[]);
    assert_eq!((content[&id(10)].name.as_str(), content[&id(10)].parent), ("A ours", id(2)));
    assert_eq!(json!(content[&id(20)].data), json!({ "a": { "x": 1, "y": 2 }, "same": [1] }));
    assert_eq!(content[&id(30)].name.as_str(), "New");
    assert!(!content.contains_key(&id(12)));
}

#[test]
fn different_changes_of_a_field_conflict_until_resolved() {
    let ours = side(|ours| {
        rename(ours, 10, "Ours");
        set(ours, 10, json!({ "a": { "x": 1, "y": 1 }, "gone": 1 }));
        hang(ours, 20, 2);
    });
    let theirs = side(|theirs| {
        rename(theirs, 10, "Theirs");
        set(theirs, 10, json!({ "a": { "x": 2, "y": 1 }, "gone": 2 }));
        hang(theirs, 20, 10);
    });
    let found = conflicts(&ours, &theirs, &[]);
    assert_eq!(told(&found), "Field 10/data/a/x, Field 10/data/gone, Field 10/name, Field 20/parent");
    assert_eq!(
        serde_json::to_value(&found[2]).unwrap(),
        json!({
            "objectId": id(10), "field": "/name", "kind": "field",
            "base": "A", "ours": "Ours", "theirs": "Theirs",
        })
    );
    let three = [
        decide(10, "/data/a/x", Decision::Value(json!({ "deep": null }))),
        decide(10, "/data/gone", Decision::Delete),
        decide(10, "/name", Decision::Theirs),
    ];
    assert_eq!(told(&conflicts(&ours, &theirs, &three)), "Field 20/parent");
    let all = [&three[..], &[decide(20, "/parent", Decision::Ours)]].concat();
    let content = merged(&base(), &ours, &theirs, &all);
    assert_eq!(content[&id(10)].name.as_str(), "Theirs");
    assert_eq!(json!(content[&id(10)].data), json!({ "a": { "x": { "deep": null }, "y": 1 } }));
    assert_eq!(content[&id(20)].parent, id(2));
}

/// The object 20 as code: a file, its text, and a property of the user.
fn code(content: &mut Content, text: &str, note: &str) {
    let file =
        json!({ "sha256": format!("{:064x}", text.len()), "size": text.len(), "mimeType": "text/x-rust" });
    set(content, 20, json!({ "text": text, "note": note }));
    content.get_mut(&id(20)).unwrap().file = serde_json::from_value(file).unwrap();
}

#[test]
fn what_a_conversion_read_belongs_to_its_file() {
    let base = side(|content| code(content, "1", "old"));
    let ours = side(|content| code(content, "22", "old"));
    let theirs = side(|content| {
        code(content, "333", "new");
        content.get_mut(&id(20)).unwrap().data.insert("language".to_owned(), json!("Rust"));
    });
    let MergeResult::Conflicting(conflicts) = try_merge(&base, &ours, &theirs, &[]).unwrap() else {
        panic!("two files merged")
    };
    assert_eq!(told(&conflicts), "Field 20/file");
    let (our_file, their_file) = (&ours[&id(20)].file, &theirs[&id(20)].file);
    assert_eq!(conflicts[0].theirs, Some(serde_json::to_value(their_file).unwrap()));

    let taken = |decision| merged(&base, &ours, &theirs, &[decide(20, "/file", decision)])[&id(20)].clone();
    let object = taken(Decision::Theirs);
    assert_eq!(&object.file, their_file);
    assert_eq!(Value::from(object.data), json!({ "text": "333", "language": "Rust", "note": "new" }));
    let object = taken(Decision::Ours);
    assert_eq!(&object.file, our_file);
    assert_eq!(Value::from(object.data), json!({ "text": "22", "note": "new" }));

    let apart = [decide(20, "/file", Decision::Ours), decide(20, "/data/text", Decision::Theirs)];
    let refused = try_merge(&base, &ours, &theirs, &apart).unwrap_err();
    assert_eq!(refused.code, Code::InvalidRequest);
}

#[test]
fn an_object_deleted_on_one_side_and_changed_on_the_other_is_kept_or_deleted() {
    let deletes = side(|content| delete(content, &[12]));
    let changes = side(|content| rename(content, 12, "Changed"));
    for (ours, theirs) in [(&deletes, &changes), (&changes, &deletes)] {
        assert_eq!(told(&conflicts(ours, theirs, &[])), "Deleted 12");
        let end = |decision| merged(&base(), ours, theirs, &[decide(12, "", decision)]);
        assert_eq!(end(Decision::Keep), changes);
        assert_eq!(end(Decision::Delete), deletes);
        assert_eq!(end(Decision::Ours), *ours);
        assert_eq!(end(Decision::Theirs), *theirs);
    }
}

#[test]
fn a_changed_object_below_a_deleted_parent_is_kept_or_deleted_with_it() {
    let deletes = side(|content| delete(content, &[10, 11, 12]));
    let changes = side(|content| rename(content, 12, "Changed"));
    for (ours, theirs) in [(&deletes, &changes), (&changes, &deletes)] {
        assert_eq!(told(&conflicts(ours, theirs, &[])), "DeletedParent 10, DeletedParent 11, Deleted 12");
        let all = |decision: Decision| [10, 11, 12].map(|number| decide(number, "", decision.clone()));
        assert_eq!(merged(&base(), ours, theirs, &all(Decision::Keep)), changes);
        assert_eq!(merged(&base(), ours, theirs, &all(Decision::Delete)), deletes);
        // Nothing needs a deleted object.
        assert_eq!(merged(&base(), ours, theirs, &[decide(12, "", Decision::Delete)]), deletes);
        // The subtree is deleted as well.
        let top = [decide(10, "", Decision::Delete), decide(12, "", Decision::Keep)];
        assert_eq!(merged(&base(), ours, theirs, &top), deletes);
        // Or it moves elsewhere.
        let moved = [decide(12, "", Decision::Keep), decide(12, "/parent", Decision::Value(json!(id(20))))];
        let saved = merged(&base(), ours, theirs, &moved);
        assert_eq!((saved[&id(12)].parent, saved.contains_key(&id(10))), (id(20), false));
        let half = [decide(12, "", Decision::Keep), decide(11, "", Decision::Keep)];
        assert_eq!(told(&conflicts(ours, theirs, &half)), "DeletedParent 10");
    }
}

#[test]
fn objects_added_or_moved_below_a_deleted_parent_conflict() {
    let deletes = side(|content| delete(content, &[10, 11, 12]));
    let adds = side(|content| add(content, object(30, "New", 11)));
    let moves = side(|content| hang(content, 20, 12));
    for uses in [&adds, &moves] {
        for (ours, theirs) in [(&deletes, uses), (uses, &deletes)] {
            let found = told(&conflicts(ours, theirs, &[]));
            let kept: &[u128] = if std::ptr::eq(uses, &adds) { &[10, 11] } else { &[10, 11, 12] };
            let expected: Vec<String> = kept.iter().map(|number| format!("DeletedParent {number}")).collect();
            assert_eq!(found, expected.join(", "));
            let keep: Vec<Resolution> =
                kept.iter().map(|number| decide(*number, "", Decision::Keep)).collect();
            let content = merged(&base(), ours, theirs, &keep);
            assert!(kept.iter().all(|number| content.contains_key(&id(*number))));
            let gone = merged(&base(), ours, theirs, &[decide(10, "", Decision::Delete)]);
            assert!([10, 11, 12, 30].iter().all(|number| !gone.contains_key(&id(*number))));
            assert_eq!(gone.contains_key(&id(20)), std::ptr::eq(uses, &adds));
        }
    }
    let elsewhere = [decide(20, "/parent", Decision::Value(json!(PROJECT)))];
    assert_eq!(merged(&base(), &moves, &deletes, &elsewhere)[&id(20)].parent, id(0));
}

#[test]
fn moves_that_form_a_cycle_conflict_until_one_is_resolved() {
    let ours = side(|ours| hang(ours, 10, 20));
    let theirs = side(|theirs| hang(theirs, 20, 12));
    let found = conflicts(&ours, &theirs, &[]);
    assert_eq!(told(&found), "Cycle 10/parent, Cycle 20/parent");
    assert_eq!(
        serde_json::to_value(&found[0]).unwrap(),
        json!({
            "objectId": id(10), "field": "/parent", "kind": "cycle",
            "base": id(1), "ours": id(20), "theirs": id(1),
        })
    );
    let decided = |a: Decision, b: Decision| [decide(10, "/parent", a), decide(20, "/parent", b)];
    assert_eq!(merged(&base(), &ours, &theirs, &decided(Decision::Ours, Decision::Ours)), ours);
    assert_eq!(merged(&base(), &ours, &theirs, &decided(Decision::Theirs, Decision::Theirs)), theirs);
    let elsewhere = decided(Decision::Value(json!(id(2))), Decision::Theirs);
    assert_eq!(merged(&base(), &ours, &theirs, &elsewhere)[&id(10)].parent, id(2));
    let still = decided(Decision::Ours, Decision::Theirs);
    assert_eq!(told(&conflicts(&ours, &theirs, &still)), "Cycle 10/parent, Cycle 20/parent");
    // One is enough.
    assert_eq!(merged(&base(), &ours, &theirs, &[decide(20, "/parent", Decision::Ours)]), ours);
}

#[test]
fn lines_without_a_common_ancestor_merge() {
    let (ours, theirs) = (base(), side(|theirs| add(theirs, object(30, "New", 2))));
    let mut stored = Stored::default();
    let commits = [None, Some(stored.commit(&ours)), Some(stored.commit(&theirs))];
    let (differing, _) = stored.compare(Comparison::new(commits));
    let hanging = ours.values().map(|object| (object.id, object.parent)).collect();
    let merge = Merge { project: PROJECT, ours: hanging, differing: &differing, resolutions: &[] };
    assert_eq!(merge.run().unwrap(), MergeResult::Clean([(id(30), theirs.get(&id(30)).cloned())].into()));
}

#[test]
fn impossible_resolutions_are_refused_by_position() {
    let ours = side(|ours| {
        rename(ours, 10, "Ours");
        set(ours, 1, json!({ "a": 1 }));
    });
    let theirs = side(|theirs| {
        rename(theirs, 10, "Theirs");
        set(theirs, 1, json!({ "a": 2 }));
        hang(theirs, 20, 2);
    });
    let name = decide(10, "/name", Decision::Ours);
    for (bad, message) in [
        (name.clone(), "resolutions[1]: decides what another has decided"),
        (decide(10, "/name", Decision::Keep), "resolutions[1]: only a whole object is kept"),
        (decide(20, "/name", Decision::Ours), "resolutions[1]: decides what is not in conflict"),
        (decide(99, "", Decision::Keep), "resolutions[1]: decides what is not in conflict"),
        (
            decide(20, "/parent", Decision::Value(json!(id(99)))),
            "resolutions[1]: names a parent that the merged tree does not hold",
        ),
    ] {
        let error = try_merge(&base(), &ours, &theirs, &[name.clone(), bad]).unwrap_err();
        assert_eq!((error.code, error.to_string().as_str()), (Code::InvalidRequest, message));
    }
}

#[test]
fn no_resolution_changes_reserved_packages() {
    let ours = side(|ours| set(ours, 1, json!({ "a": 1 })));
    // Possible for lines without a common ancestor.
    let theirs = side(|theirs| {
        rename(theirs, 1, "Other");
        set(theirs, 1, json!({ "a": 2 }));
    });
    let error = try_merge(&base(), &ours, &theirs, &[decide(1, "/data/a", Decision::Ours)]).unwrap_err();
    assert_eq!(error.code, Code::InvalidRequest);
    let message = error.to_string();
    assert!(message.contains("reserved") || message.contains("Library"), "{message}");
}

#[test]
fn the_name_of_one_side_and_the_parent_of_the_other_make_no_reserved_package() {
    let ours = side(|ours| hang(ours, 20, 0));
    let theirs = side(|theirs| rename(theirs, 20, "Model"));
    assert_eq!(told(&conflicts(&ours, &theirs, &[])), "Field 20/parent");
    assert_eq!(merged(&base(), &ours, &theirs, &[decide(20, "/parent", Decision::Theirs)]), theirs);
}

#[test]
fn the_parent_of_an_object_conflicts_only_if_the_object_is_kept() {
    // 1 holds 10, that 11, that 12.
    let ours = side(|ours| drop(ours.insert(id(100), object(100, "Added", 11))));
    let theirs = side(|theirs| {
        hang(theirs, 12, 20);
        theirs.remove(&id(11));
        theirs.insert(id(100), object(100, "Added", 12));
        hang(theirs, 10, 100);
    });
    // While 100 is below 11, object 11 has to exist and would be part of a cycle.
    assert_eq!(told(&conflicts(&ours, &theirs, &[])), "Cycle 10/parent, DeletedParent 11, Field 100/parent");
    assert_eq!(decide_all(&base(), &ours, &theirs, &Decision::Theirs), Ok(theirs.clone()));
    assert!(decide_all(&base(), &ours, &theirs, &Decision::Ours).is_ok());
}

/// A random change of a commit's content, skipped if the result is not a tree.
#[derive(Clone, Debug)]
enum Edit {
    Rename(usize, u8),
    Set(usize, u8, u8),
    Move(usize, usize),
    Add(u8, usize),
    Delete(usize),
}

fn edits() -> impl Strategy<Value = Vec<Edit>> {
    let edit = prop_oneof![
        (any::<usize>(), 0..3_u8).prop_map(|(at, name)| Edit::Rename(at, name)),
        (any::<usize>(), 0..3_u8, 0..3_u8).prop_map(|(at, key, value)| Edit::Set(at, key, value)),
        (any::<usize>(), any::<usize>()).prop_map(|(at, under)| Edit::Move(at, under)),
        (0..4_u8, any::<usize>()).prop_map(|(number, under)| Edit::Add(number, under)),
        any::<usize>().prop_map(Edit::Delete),
    ];
    proptest::collection::vec(edit, 0..8)
}

/// Ids of an object and its descendants.
fn below(content: &Content, top: ObjectId) -> Vec<ObjectId> {
    let mut found = vec![top];
    let mut next = 0;
    while next < found.len() {
        let parent = found[next];
        found.extend(content.values().filter(|object| object.parent == parent).map(|object| object.id));
        next += 1;
    }
    found
}

fn apply(content: &mut Content, edit: &Edit) {
    let ids: Vec<ObjectId> = content.keys().copied().collect();
    let pick = |at: usize| ids[at % ids.len()];
    let is_free = |id: ObjectId| id.0.as_u128() > 2;
    match *edit {
        Edit::Rename(at, name) if is_free(pick(at)) => {
            content.get_mut(&pick(at)).unwrap().name = Name::sanitize(&format!("Name {name}")).unwrap();
        }
        Edit::Set(at, key, value) => {
            let data = &mut content.get_mut(&pick(at)).unwrap().data;
            // Key 0 is a map with a member for each value, so that nested properties collide as well.
            match (key, value) {
                (_, 0) => drop(data.remove(&key.to_string())),
                (0, _) => {
                    let slot = data.entry("0").or_insert_with(|| json!({}));
                    slot.as_object_mut().unwrap().insert(value.to_string(), json!(content_number(at)));
                }
                _ => drop(data.insert(key.to_string(), json!([value]))),
            }
        }
        Edit::Move(at, under) if is_free(pick(at)) && !below(content, pick(at)).contains(&pick(under)) => {
            content.get_mut(&pick(at)).unwrap().parent = pick(under);
        }
        Edit::Add(number, under) => {
            let new = object(100 + u128::from(number), "Added", pick(under).0.as_u128());
            content.entry(new.id).or_insert(new);
        }
        Edit::Delete(at) if is_free(pick(at)) => {
            for id in below(content, pick(at)) {
                content.remove(&id);
            }
        }
        _ => {}
    }
}

fn content_number(at: usize) -> usize {
    at % 3
}

/// Resolves every conflict for one side; new conflicts stem only from these resolutions.
fn decide_all(
    base: &Content,
    ours: &Content,
    theirs: &Content,
    decision: &Decision,
) -> Result<Content, String> {
    let mut given: Vec<Resolution> = Vec::new();
    loop {
        match try_merge(base, ours, theirs, &given).map_err(|error| error.message)? {
            MergeResult::Clean(_) => return Ok(merged(base, ours, theirs, &given)),
            MergeResult::Conflicting(conflicts) => {
                let known = given.len();
                for Conflict { object_id, field, .. } in conflicts {
                    let is_new = given.iter().all(|g| (g.object_id, &g.field) != (object_id, &field));
                    if is_new {
                        given.push(Resolution { object_id, field, decision: decision.clone() });
                    }
                }
                if given.len() == known {
                    return Err("still in conflict after its resolution".to_owned());
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn merges_obey_their_laws(first in edits(), ours in edits(), theirs in edits()) {
        let mut base = base();
        first.iter().for_each(|edit| apply(&mut base, edit));
        let (mut a, mut b) = (base.clone(), base.clone());
        ours.iter().for_each(|edit| apply(&mut a, edit));
        theirs.iter().for_each(|edit| apply(&mut b, edit));

        assert_eq!(merged(&base, &a, &base, &[]), a, "nothing new changes nothing");
        assert_eq!(merged(&base, &base, &b, &[]), b, "what only they changed is theirs");
        assert_eq!(merged(&base, &a, &a, &[]), a, "both alike");
        match (try_merge(&base, &a, &b, &[]).unwrap(), try_merge(&base, &b, &a, &[]).unwrap()) {
            (MergeResult::Clean(_), MergeResult::Clean(_)) => {
                let content = merged(&base, &a, &b, &[]);
                assert_eq!(content, merged(&base, &b, &a, &[]), "either way round");
                // Unchanged objects stay, and changes of one side are applied.
                for id in base.keys().chain(a.keys()).chain(b.keys()) {
                    let (base, a, b, it) = (base.get(id), a.get(id), b.get(id), content.get(id));
                    if a == base {
                        assert_eq!(it, b);
                    } else if b == base || a == b {
                        assert_eq!(it, a);
                    }
                }
            }
            (MergeResult::Conflicting(one), MergeResult::Conflicting(other)) => {
                // An unresolved parent may cause cycles or missing parents in one direction only.
                let certain = |conflicts: &[Conflict]| -> Vec<_> {
                    let kinds = [ConflictKind::Field, ConflictKind::Deleted];
                    let certain = conflicts.iter().filter(|c| kinds.contains(&c.kind));
                    certain.map(|c| (c.object_id, c.field.clone())).collect()
                };
                assert_eq!(certain(&one), certain(&other));
            }
            (one, other) => panic!("one way {one:?}, the other way {other:?}"),
        }
        // Every conflict can be resolved for either side.
        decide_all(&base, &a, &b, &Decision::Ours).expect("ours");
        decide_all(&base, &a, &b, &Decision::Theirs).expect("theirs");
    }
}
