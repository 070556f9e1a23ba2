//! Random edits, commits, branches, merges and reverts, compared with a small model in memory. Each run prints its
//! seed; `ATELIER_MODEL_SEED` repeats one.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};
use testkit::answer::Answer;
use testkit::caller::Base;
use testkit::random::{Random, given_seed, new_seed};
use testkit::session::create_project;

use crate::support::{Project, texts};

/// Projects, each with its own seed.
const RUNS: u64 = 4;
/// Steps in each project.
const STEPS: usize = 90;
/// Most branches of a project.
const BRANCHES: usize = 4;
/// Most rounds of resolving conflicts, because a resolution can cause others.
const ROUNDS: usize = 6;

/// Objects by id, as in answers.
type Content = BTreeMap<String, Value>;

/// A commit of the model; its parents are earlier ones.
struct Commit {
    hash: String,
    parents: Vec<usize>,
    content: Content,
}

#[derive(Clone)]
struct Branch {
    head: usize,
    working: Content,
}

struct Model {
    project: String,
    commits: Vec<Commit>,
    branches: BTreeMap<String, Branch>,
}

/// A run: the service, the model and the random sequence.
struct Run {
    project: Project,
    model: Model,
    random: Random,
    step: usize,
}

#[tokio::test]
async fn the_service_and_the_model_agree_on_random_work() {
    let mut gear = Project::open().await;
    let given = given_seed("ATELIER_MODEL_SEED");
    let seeds = given.map_or_else(|| (0..RUNS).map(|_| new_seed()).collect(), |seed| vec![seed]);
    let mut done = BTreeMap::new();
    for seed in seeds {
        println!("seed {seed}");
        gear.id = create_project(&gear.caller, "Model").await;
        let mut run = Run::begin(gear, seed).await;
        for step in 0..STEPS {
            run.step = step;
            *done.entry(run.step().await).or_insert(0) += 1;
        }
        run.check_commits().await;
        gear = run.project;
        gear.repository().await;
    }
    println!("{done:?}");
    if given.is_none() {
        assert!(done.contains_key("commit") && done.contains_key("merged"), "{done:?}");
    }
}

impl Run {
    async fn begin(gear: Project, seed: u64) -> Self {
        let project = gear.id.clone();
        let (hash, content) = (gear.head("main").await, read(&gear, "main").await);
        let main = Branch { head: 0, working: content.clone() };
        let model = Model {
            project,
            commits: vec![Commit { hash, parents: Vec::new(), content }],
            branches: BTreeMap::from([("main".to_owned(), main)]),
        };
        Self { project: gear, model, random: Random::new(seed), step: 0 }
    }

    /// Makes a random step on a random branch; returns its name.
    async fn step(&mut self) -> &'static str {
        let names: Vec<String> = self.model.branches.keys().cloned().collect();
        let branch = self.random.one_of(&names).clone();
        let done = match self.random.below(24) {
            0..=4 => self.create(&branch).await,
            5..=8 => self.change(&branch).await,
            9..=10 => self.move_object(&branch).await,
            11..=12 => self.delete(&branch).await,
            13..=16 => self.commit(&branch).await,
            17..=18 => self.new_branch(&branch).await,
            19..=21 => {
                let source = self.random.one_of(&names).clone();
                // Mostly no merges with uncommitted changes.
                for side in [&source, &branch] {
                    if self.random.below(4) > 0 {
                        self.commit(side).await;
                    }
                }
                self.merge(&branch, source).await
            }
            _ => self.revert_or_discard(&branch).await,
        };
        self.check_branch(&branch, done).await;
        done
    }

    async fn create(&mut self, branch: &str) -> &'static str {
        let parent = self.some_object(branch);
        let body =
            json!({ "name": format!("New {}", self.step), "parent": parent, "data": { "a": { "x": 0 } } });
        let answer = self.project.on_branch(branch, "POST", "objects", Some(body)).await.expect(201);
        let object = answer.json()["object"].clone();
        self.working(branch).insert(id(&object), object);
        "created"
    }

    async fn change(&mut self, branch: &str) -> &'static str {
        let object = self.some_object(branch);
        let (key, value) = (["x", "y", "z"][self.random.below(3)], self.random.below(3));
        let data = match self.random.below(3) {
            0 => json!({ "a": { key: value } }),
            1 => json!({ "b": [value] }),
            _ => json!({ key: null }),
        };
        let mut body = json!({ "data": data });
        if self.random.below(2) == 0 && !self.is_fixed(branch, &object) {
            body["name"] = json!(format!("Name {}", self.random.below(4)));
        }
        if object == self.model.project {
            return "nothing";
        }
        let path = format!("objects/{object}");
        let answer = self.project.on_branch(branch, "PATCH", &path, Some(body)).await.expect(200);
        self.working(branch).insert(object, answer.json()["object"].clone());
        "changed"
    }

    async fn move_object(&mut self, branch: &str) -> &'static str {
        let (object, under) = (self.some_object(branch), self.some_object(branch));
        if self.is_fixed(branch, &object) {
            return "nothing";
        }
        let path = format!("objects/{object}");
        let answer = self.project.on_branch(branch, "PATCH", &path, Some(json!({ "parent": under }))).await;
        let working = &mut self.working(branch);
        if below(working, &object).contains(&under) {
            answer.expect(400);
            return "refused";
        }
        working.insert(object, answer.expect(200).json()["object"].clone());
        "moved"
    }

    async fn delete(&mut self, branch: &str) -> &'static str {
        let object = self.some_object(branch);
        if self.is_fixed(branch, &object) {
            return "nothing";
        }
        self.project.on_branch(branch, "DELETE", &format!("objects/{object}"), None).await.expect(200);
        let working = self.working(branch);
        for id in below(working, &object) {
            working.remove(&id);
        }
        "deleted"
    }

    async fn commit(&mut self, branch: &str) -> &'static str {
        let message = json!({ "message": format!("Step {}", self.step) });
        let answer = self.project.post(&format!("branches/{branch}/commits"), message).await;
        let Branch { head, working } = self.model.branches[branch].clone();
        if working == self.model.commits[head].content {
            assert_eq!(answer.to_string(), "409 NOTHING_TO_COMMIT");
            return "nothing";
        }
        self.commit_made(branch, answer.expect(201).text("/commit/hash"), vec![head], working);
        "commit"
    }

    async fn new_branch(&mut self, from: &str) -> &'static str {
        if self.model.branches.len() == BRANCHES {
            return "nothing";
        }
        let name = format!("branch-{}", self.step);
        self.project.post("branches", json!({ "name": name, "fromBranch": from })).await.expect(201);
        let head = self.model.branches[from].head;
        let working = self.model.commits[head].content.clone();
        self.model.branches.insert(name, Branch { head, working });
        "branched"
    }

    async fn merge(&mut self, branch: &str, source: String) -> &'static str {
        let (ours, theirs) = (self.model.branches[branch].head, self.model.branches[&source].head);
        let base = self.model.common_ancestor(ours, theirs);
        let path = format!("branches/{branch}/merge");
        let body = json!({ "source": source });
        if base == Some(theirs) {
            let answer = self.project.post(&path, body).await.expect(200);
            assert_eq!(answer.text("/merge/status"), "upToDate");
            return "upToDate";
        }
        if self.has_changes(branch) {
            assert_eq!(self.project.post(&path, body).await.expect(409).code(), "BRANCH_CONFLICT");
            return "refused";
        }
        if base == Some(ours) {
            let answer = self.project.post(&path, body).await.expect(200);
            assert_eq!(answer.text("/merge/status"), "fastForward");
            let working = self.model.commits[theirs].content.clone();
            self.model.branches.insert(branch.to_owned(), Branch { head: theirs, working });
            return "fastForward";
        }
        let base = &self.model.commits[base.unwrap()].content;
        let expected = self.model.merged(base, ours, &self.model.commits[theirs].content);
        self.combine(branch, &path, body, expected, vec![ours, theirs], "merged").await
    }

    async fn revert_or_discard(&mut self, branch: &str) -> &'static str {
        if self.has_changes(branch) {
            let path = format!("branches/{branch}/changes");
            self.project.delete(&path).await.expect(200);
            let head = self.model.branches[branch].head;
            *self.working(branch) = self.model.commits[head].content.clone();
            return "discarded";
        }
        let (reverted, ours) =
            (self.random.below(self.model.commits.len()), self.model.branches[branch].head);
        let Commit { hash, parents, content } = &self.model.commits[reverted];
        let (path, body) = (format!("commits/{hash}/revert"), json!({ "branch": branch }));
        let Some(before) = parents.first() else {
            assert_eq!(self.project.post(&path, body).await.expect(409).code(), "BRANCH_CONFLICT");
            return "refused";
        };
        let expected = self.model.merged(content, ours, &self.model.commits[*before].content);
        if expected.as_ref() == Some(&self.model.commits[ours].content) {
            let answer = self.project.post(&path, body).await.expect(200);
            assert_eq!(answer.text("/merge/status"), "upToDate");
            return "upToDate";
        }
        self.combine(branch, &path, body, expected, vec![ours], "reverted").await
    }

    /// Sends a merge or revert with the content that the model expects. For a conflict, resolves all for one side and
    /// adopts the result.
    async fn combine(
        &mut self,
        branch: &str,
        path: &str,
        mut body: Value,
        expected: Option<Content>,
        parents: Vec<usize>,
        done: &'static str,
    ) -> &'static str {
        let mut dry = body.clone();
        dry["dryRun"] = json!(true);
        let tried = self.project.post(path, dry).await;
        let answer = self.project.post(path, body.clone()).await;
        assert_eq!(tried.status, answer.status, "the dry run differs: {tried} and {answer}");
        if let Some(content) = expected {
            let hash = answer.expect(200).text("/merge/commitHash");
            self.commit_made(branch, hash, parents, content);
            return done;
        }
        self.check_branch(branch, "a conflict").await;
        let side = ["ours", "theirs"][self.random.below(2)];
        let mut answer = answer;
        let mut resolutions: Vec<Value> = Vec::new();
        for _ in 0..ROUNDS {
            if answer.status == 200 {
                break;
            }
            assert_eq!(answer.status, 409, "{answer}");
            let json = answer.json();
            let conflicts = json["error"]["details"]["conflicts"].as_array().unwrap();
            for conflict in conflicts {
                let (object, field) = (&conflict["objectId"], &conflict["field"]);
                resolutions.push(json!({ "objectId": object, "field": field, "take": side }));
            }
            body["resolutions"] = json!(resolutions);
            answer = self.project.post(path, body.clone()).await;
        }
        let answer = answer.expect(200);
        if answer.text("/merge/status") == "merged" {
            let content = read(&self.project, branch).await;
            assert!(is_tree(&self.model.project, &content), "{side} decided, and no tree came of it");
            self.commit_made(branch, answer.text("/merge/commitHash"), parents, content);
        }
        "conflict"
    }

    fn commit_made(&mut self, branch: &str, hash: String, parents: Vec<usize>, content: Content) {
        // The same revert on two branches within one second is the same commit.
        let known = self.model.commits.iter().position(|commit| commit.hash == hash);
        let head = known.unwrap_or(self.model.commits.len());
        if known.is_none() {
            self.model.commits.push(Commit { hash, parents, content: content.clone() });
        }
        self.model.branches.insert(branch.to_owned(), Branch { head, working: content });
    }

    /// Asserts that the branch equals the model: objects, head and uncommitted changes.
    async fn check_branch(&self, branch: &str, done: &str) {
        let Branch { head, working } = &self.model.branches[branch];
        let at = format!("{branch} at step {}, {done}", self.step);
        assert_eq!(read(&self.project, branch).await, *working, "{at}");
        let Commit { hash, content, .. } = &self.model.commits[*head];
        let changes = self.project.changes(branch).await;
        assert_eq!(changes["committedHash"], json!(hash), "{at}");
        let [added, modified, deleted] = difference(content, working);
        for (field, expected) in [("added", added), ("modified", modified), ("deleted", deleted)] {
            let told: BTreeSet<String> = strings(&changes[field]).into_iter().collect();
            assert_eq!(told, expected, "{field} of {at}");
        }
    }

    /// Asserts that commits are unchanged, and that comparisons equal the model's.
    async fn check_commits(&mut self) {
        for _ in 0..10 {
            let count = self.model.commits.len();
            let (base, head) = (self.random.below(count), self.random.below(count));
            let (base, head) = (&self.model.commits[base], &self.model.commits[head]);
            let path = format!("compare?base={}&head={}&limit=100", base.hash, head.hash);
            let answer = self.project.get(&path).await.expect(200).json();
            let of = |kind: &str| -> BTreeSet<String> {
                let objects = answer["objects"].as_array().unwrap().iter();
                let of_kind = objects.filter(|object| object["change"] == kind);
                of_kind.map(|object| object["objectId"].as_str().unwrap().to_owned()).collect()
            };
            let told = [of("added"), of("modified"), of("deleted")];
            assert_eq!(told, difference(&base.content, &head.content), "{path}");
        }
    }

    fn working(&mut self, branch: &str) -> &mut Content {
        &mut self.model.branches.get_mut(branch).unwrap().working
    }

    fn has_changes(&self, branch: &str) -> bool {
        let Branch { head, working } = &self.model.branches[branch];
        self.model.commits[*head].content != *working
    }

    /// A random object of a branch, possibly the project object.
    fn some_object(&mut self, branch: &str) -> String {
        let mut ids: Vec<String> = self.model.branches[branch].working.keys().cloned().collect();
        ids.push(self.model.project.clone());
        self.random.one_of(&ids).clone()
    }

    /// True for objects that can't be changed or moved: the project object and the reserved packages.
    fn is_fixed(&self, branch: &str, id: &str) -> bool {
        let name = self.model.branches[branch].working.get(id).map(|object| &object["name"]);
        name.is_none_or(|name| name == "Model" || name == "Library")
    }
}

impl Project {
    /// Sends a request for a path below a branch.
    async fn on_branch(&self, branch: &str, method: &str, path: &str, body: Option<Value>) -> Answer {
        let path = format!("/api/v2/projects/{}--{branch}/{path}", self.id);
        let request = self.caller.request(method.parse().unwrap(), &path);
        match body {
            Some(body) => request.json(body).await,
            None => request.await,
        }
    }
}

impl Model {
    fn ancestors(&self, of: usize) -> BTreeSet<usize> {
        let mut found = BTreeSet::from([of]);
        for commit in (0..=of).rev() {
            if found.contains(&commit) {
                found.extend(&self.commits[commit].parents);
            }
        }
        found
    }

    fn common_ancestor(&self, ours: usize, theirs: usize) -> Option<usize> {
        self.ancestors(ours).intersection(&self.ancestors(theirs)).max().copied()
    }

    /// The result of a merge into `ours`; `None` for a conflict.
    fn merged(&self, base: &Content, ours: usize, theirs: &Content) -> Option<Content> {
        let ours = &self.commits[ours].content;
        let ids: BTreeSet<&String> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
        let mut merged = Content::new();
        for id in ids {
            if let Some(object) = three_way("", base.get(id), ours.get(id), theirs.get(id))? {
                merged.insert(id.clone(), object);
            }
        }
        is_tree(&self.project, &merged).then_some(merged)
    }
}

/// The merge of one value; `None` for a conflict. Objects and their `data` are merged by member.
fn three_way(
    path: &str,
    base: Option<&Value>,
    ours: Option<&Value>,
    theirs: Option<&Value>,
) -> Option<Option<Value>> {
    if ours == theirs || theirs == base {
        return Some(ours.cloned());
    }
    if ours == base {
        return Some(theirs.cloned());
    }
    let is_map = path.is_empty() || path.starts_with("/data");
    let (Some(Value::Object(ours)), Some(Value::Object(theirs)), true) = (ours, theirs, is_map) else {
        return None;
    };
    let empty = Map::new();
    let base = base.and_then(Value::as_object).unwrap_or(&empty);
    let keys: BTreeSet<&String> = base.keys().chain(ours.keys()).chain(theirs.keys()).collect();
    let mut merged = Map::new();
    for key in keys {
        let path = format!("{path}/{key}");
        if let Some(value) = three_way(&path, base.get(key), ours.get(key), theirs.get(key))? {
            merged.insert(key.clone(), value);
        }
    }
    Some(Some(Value::Object(merged)))
}

/// True if every object is a descendant of the project.
fn is_tree(project: &str, content: &Content) -> bool {
    content.values().all(|object| {
        let mut at = object;
        for _ in 0..=content.len() {
            if at["parent"] == project {
                return true;
            }
            let Some(parent) = content.get(at["parent"].as_str().unwrap()) else { return false };
            at = parent;
        }
        false
    })
}

/// An object and its descendants.
fn below(content: &Content, top: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::from([top.to_owned()]);
    loop {
        let hangs = |object: &&Value| found.contains(object["parent"].as_str().unwrap());
        let more: BTreeSet<String> = content.values().filter(hangs).map(id).collect();
        if more.is_subset(&found) {
            return found;
        }
        found.extend(more);
    }
}

/// Ids of added, modified and deleted objects.
fn difference(from: &Content, to: &Content) -> [BTreeSet<String>; 3] {
    let only =
        |one: &Content, other: &Content| one.keys().filter(|id| !other.contains_key(*id)).cloned().collect();
    let modified = |id: &&String| from.get(*id).is_some_and(|object| *object != to[*id]);
    [only(to, from), to.keys().filter(modified).cloned().collect(), only(from, to)]
}

/// All objects of a branch.
async fn read(project: &Project, branch: &str) -> Content {
    let mut content = Content::new();
    let mut path = "objects?limit=100".to_owned();
    loop {
        let page = project.on_branch(branch, "GET", &path, None).await.expect(200).json();
        let objects = page["objects"].as_array().unwrap();
        content.extend(objects.iter().map(|object| (id(object), object.clone())));
        let Some(cursor) = page["meta"]["nextCursor"].as_str() else { break };
        path = format!("objects?limit=100&cursor={cursor}");
    }
    let tree = project.on_branch(branch, "GET", "tree", None).await.expect(200).json();
    let listed: BTreeSet<String> = texts(&tree["tree"], "id").into_iter().collect();
    assert_eq!(listed, content.keys().cloned().collect(), "the tree and the list of {branch}");
    content
}

fn id(object: &Value) -> String {
    object["id"].as_str().unwrap().to_owned()
}

fn strings(list: &Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|item| item.as_str().unwrap().to_owned()).collect()
}
