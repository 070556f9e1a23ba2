//! Objects that are found by the words in their data: pages, code, notebooks, properties. The index follows changes, so
//! a test waits for the words of its last change before it looks for what must not be found.

use std::fs;

use serde_json::{Value, json};
use testkit::caller::Base;
use testkit::environment;
use testkit::open_session::{OpenSession, eventually_async};
use testkit::seed::{ABSENT_ID, MANAGE};
use testkit::session::{Session, create_project, encoded, objects};

use crate::support::{Project, texts};

impl Project {
    /// The answer to a search on a branch.
    async fn search(&self, branch: &str, q: &str) -> Value {
        let path = format!("/api/v2/projects/{}--{}/objects?q={}", self.id, encoded(branch), encoded(q));
        self.caller.get(&path).await.expect(200).json()
    }

    /// The names of the objects that a search on a branch finds, in their order.
    async fn names_of(&self, branch: &str, q: &str) -> Vec<String> {
        texts(&self.search(branch, q).await["objects"], "name")
    }

    /// Waits until a search on a branch finds these objects.
    async fn wait_for(&self, branch: &str, q: &str, names: &[&str]) {
        eventually_async(&format!("{q} on {branch}: {names:?}"), async || {
            self.names_of(branch, q).await == names
        })
        .await;
    }

    /// Creates an object with data; returns its id.
    async fn create_with(&self, name: &str, data: Value) -> String {
        let body = json!({ "name": name, "parent": self.model, "data": data });
        self.post("objects", body).await.expect(201).text("/object/id")
    }

    async fn set(&self, id: &str, data: Value) {
        self.patch(&format!("objects/{id}"), json!({ "data": data })).await.expect(200);
    }
}

#[tokio::test]
async fn words_of_properties_are_found_in_any_form_and_names_come_first() {
    let project = Project::open().await;
    let note = "Die Stra\u{df}e\n  zur M\u{fc}hle: 10\u{202f}mm, ge\u{ad}ar\u{ad}box \u{fb01}t";
    let bolt = project.create_with("Bolt", json!({ "supplier": { "note": note }, "load": 7.85 })).await;
    // Texts that are indexed at once have no order that is known.
    project.wait_for("main", "gearbox", &["Bolt"]).await;
    project.create_with("Gearbox", json!({ "note": "no words" })).await;
    let nut = project
        .create_with("Nut", json!({ "parts": ["M8-12", { "for": "the gearbox" }], "at": [7.85, 1] }))
        .await;
    project.wait_for("main", "gearbox", &["Gearbox", "Bolt", "Nut"]).await;
    for (q, names) in [
        ("STRASSE", vec!["Bolt"]),
        ("muhle gearbox", vec!["Bolt"]),
        ("\"10 mm\" fit", vec!["Bolt"]),
        ("\u{201e}gearbox fit\u{201c}", vec!["Bolt"]),
        ("\"fit gearbox\"", vec![]),
        ("earbo", vec!["Gearbox", "Bolt", "Nut"]),
        ("m8-12", vec!["Nut"]),
        ("7.85", vec!["Bolt"]),
        ("gearbox words", vec![]),
        // Of scripts with an alphabet, three characters at least.
        ("m8", vec![]),
        ("supplier", vec![]),
        ("100%_", vec![]),
    ] {
        assert_eq!(project.names_of("main", q).await, names, "{q}");
    }
    let found = project.search("main", "gearbox fit").await;
    let excerpt = "Die Stra\u{df}e zur M\u{fc}hle: 10 mm, gearbox \u{fb01}t";
    let place = json!({
        "objectId": bolt, "field": "/data/supplier/note", "excerpt": excerpt, "ranges": [[29, 36], [37, 39]],
    });
    assert_eq!(found["matches"], json!([place]), "{found}");
    let named = project.search("main", "gearbox").await;
    let places: Vec<&Value> =
        named["matches"].as_array().unwrap().iter().map(|place| &place["field"]).collect();
    assert_eq!(places, [&json!("/data/supplier/note"), &json!("/data/parts/1/for")], "{named}");

    let (mut pages, mut cursor) = (Vec::new(), String::new());
    loop {
        let page = project.get(&format!("objects?q=gearbox&limit=1{cursor}")).await.expect(200).json();
        pages.extend(texts(&page["objects"], "name"));
        match page["meta"]["nextCursor"].as_str() {
            Some(next) => cursor = format!("&cursor={next}"),
            None => break,
        }
    }
    assert_eq!(pages, ["Gearbox", "Bolt", "Nut"]);
    let filtered =
        project.get(&format!("objects?q=gearbox&parent={}&name=Nut", project.model)).await.expect(200);
    assert_eq!(texts(&filtered.json()["objects"], "id"), [nut]);
    let elsewhere = project.get(&format!("objects?q=gearbox&parent={bolt}")).await.expect(200);
    assert_eq!(elsewhere.json()["objects"], json!([]));
}

#[tokio::test]
async fn two_signs_are_a_word_in_chinese() {
    let project = Project::open().await;
    project.create_with("Part", json!({ "note": "\u{9f7f}\u{8f6e}\u{7bb1}" })).await;
    project.wait_for("main", "\u{8f6e}\u{7bb1}", &["Part"]).await;
    assert_eq!(project.names_of("main", "\u{8f6e}\u{9f7f}").await, Vec::<String>::new());
}

#[tokio::test]
async fn each_branch_is_searched_as_it_is_now() {
    let project = Project::open().await;
    let shaft = project.create_with("Shaft", json!({ "material": "bronze", "finish": "polished" })).await;
    project.wait_for("main", "bronze", &["Shaft"]).await;
    project.commit("main", "A shaft").await;
    assert_eq!(project.names_of("main", "bronze").await, ["Shaft"], "the commit changes nothing");
    project.post("branches", json!({ "name": "next" })).await.expect(201);
    assert_eq!(project.names_of("next", "bronze").await, ["Shaft"]);

    // An uncommitted change, of a branch that nobody else sees.
    project.set(&shaft, json!({ "material": "titanium" })).await;
    project.wait_for("main", "titanium", &["Shaft"]).await;
    assert_eq!(project.names_of("main", "bronze").await, Vec::<String>::new());
    assert_eq!(project.names_of("next", "titanium").await, Vec::<String>::new());
    assert_eq!(project.names_of("next", "bronze").await, ["Shaft"]);
    // The old text again, which is indexed already.
    project.set(&shaft, json!({ "material": "bronze" })).await;
    assert_eq!(project.names_of("main", "bronze polished").await, ["Shaft"]);
    project.set(&shaft, json!({ "material": "titanium" })).await;
    project.commit("main", "Titanium").await;

    let at_next = format!("/api/v2/projects/{}--next/objects/{shaft}", project.id);
    project.caller.patch(&at_next).json(json!({ "data": { "finish": "anodised" } })).await.expect(200);
    project.commit("next", "Anodised").await;
    project.wait_for("next", "anodised", &["Shaft"]).await;
    // Neither side has this text: the merge makes it.
    project.post("branches/main/merge", json!({ "source": "next" })).await.expect(200);
    project.wait_for("main", "titanium anodised", &["Shaft"]).await;
    assert_eq!(project.names_of("next", "titanium").await, Vec::<String>::new());

    project.delete(&format!("objects/{shaft}")).await.expect(200);
    assert_eq!(project.names_of("main", "titanium").await, Vec::<String>::new());
    assert_eq!(project.names_of("next", "anodised").await, ["Shaft"]);
}

#[tokio::test]
async fn a_replaced_file_is_found_by_its_new_text_alone() {
    let opened = OpenSession::open().await;
    let search = async |q: &str| {
        let path = format!("/api/v2/projects/{}/objects?q={q}", opened.project);
        texts(&opened.caller.get(&path).await.expect(200).json()["objects"], "name")
    };
    let before = opened.session.upload(&opened.model, "cut.py", "def chamfer(): pass\n").await.expect(200);
    let code = objects(&before)[0]["id"].as_str().unwrap().to_owned();
    eventually_async("the old text", async || search("CHAMFER").await == ["cut.py"]).await;
    opened.session.replace(&code, "cut.py", "def fillet(): pass\n").await.expect(200);
    eventually_async("the new text", async || search("fillet").await == ["cut.py"]).await;
    assert_eq!(search("chamfer").await, Vec::<String>::new());
}

#[tokio::test]
async fn a_search_tells_nothing_of_other_projects() {
    let project = Project::open().await;
    let word = format!("kept{}", project.id.replace('-', ""));
    project.create_with("Mine", json!({ "secret": word })).await;
    project.wait_for("main", &word, &["Mine"]).await;
    let bob = project.deployment.operator().user("bob").await.key(MANAGE).await;
    let own = create_project(&bob, "Own").await;
    let found = bob.get(&format!("/api/v2/projects/{own}/objects?q={word}")).await.expect(200).json();
    assert_eq!((&found["objects"], &found["matches"]), (&json!([]), &Value::Null), "{found}");
    let hidden = bob.get(&format!("/api/v2/projects/{}/objects?q={word}", project.id)).await;
    let absent = bob.get(&format!("/api/v2/projects/{}/objects?q={word}", ABSENT_ID)).await;
    assert_eq!((hidden.status, hidden.code()), (absent.status, absent.code()));
    assert_eq!(hidden.status, 404);
}

#[tokio::test]
async fn content_of_before_the_index_is_indexed_in_steps() {
    let project = Project::own().await;
    // More than one step, committed and not.
    let create = |number: usize, word: &str| {
        let note = format!("{word} {number}");
        json!({ "op": "create", "name": format!("Part {number}"), "data": { "note": note } })
    };
    let committed: Vec<Value> = (0..300).map(|number| create(number, "committed")).collect();
    project.batch(json!(committed)).await.expect(201);
    project.commit("main", "Parts").await;
    project.batch(json!([create(300, "working")])).await.expect(201);
    project.wait_for("main", "\"working 300\"", &["Part 300"]).await;
    let client = project.deployment.database.connect().await;
    let waiting =
        async || -> i64 { client.query_one("select count(*) from text_changes", &[]).await.unwrap().get(0) };
    eventually_async("an empty queue", async || waiting().await == 0).await;
    client
        .batch_execute("delete from texts; insert into text_changes (branch_id) select id from branches")
        .await
        .unwrap();
    eventually_async("all of it", async || waiting().await == 0).await;
    for (q, name) in
        [("\"committed 7\"", "Part 7"), ("\"committed 299\"", "Part 299"), ("working", "Part 300")]
    {
        let found = project.names_of("main", q).await;
        assert!(found.iter().any(|one| one == name), "{q}: {found:?}");
    }
    let texts: i64 = client.query_one("select count(*) from texts", &[]).await.unwrap().get(0);
    assert_eq!(texts, 301, "one for each text");
}

#[tokio::test]
async fn equal_texts_are_indexed_once_and_go_with_their_project() {
    let project = Project::own().await;
    let twins: Vec<Value> = (0..20)
        .map(|number| {
            json!({ "op": "create", "name": format!("Bolt {number}"), "data": { "norm": "DIN 933 hexagon" } })
        })
        .collect();
    project.batch(json!(twins)).await.expect(201);
    eventually_async("all bolts", async || project.names_of("main", "hexagon").await.len() == 20).await;
    let client = project.deployment.database.connect().await;
    let count = async |table: &str| -> i64 {
        client.query_one(&format!("select count(*) from {table}"), &[]).await.unwrap().get(0)
    };
    assert_eq!((count("texts").await, count("text_objects").await), (1, 20));
    project.caller.delete(&format!("/api/v2/projects/{}", project.id)).await.expect(200);
    assert_eq!((count("texts").await, count("text_objects").await), (0, 0));
}

#[tokio::test]
async fn texts_of_real_files_are_found() {
    let Some(inputs) = environment::shared_inputs() else {
        eprintln!("NOT TESTED: there are no real files in ../shared/inputs or ATELIER_TEST_INPUTS");
        return;
    };
    let project = Project::open().await;
    let session = Session::open(&project.caller, &project.id).await;
    for file in [
        "pdf/pdflatex-4-pages.pdf",
        "source/assembly.py",
        "source/helloworld.ipynb",
        "step/Hotend_Mount_Dragonfly_BMS_7_FINS.step",
    ] {
        let (_, name) = file.split_once('/').unwrap();
        let bytes = fs::read(inputs.join("open").join(file)).unwrap();
        session.upload(&project.model, name, bytes).await.expect(200);
    }
    let first = async |q: &str| -> (Value, Value) {
        let found = project.search("main", q).await;
        (found["objects"][0]["type"].clone(), found["matches"][0]["field"].clone())
    };
    for (q, object_type, field) in [
        ("\"Huardest gefburn\" DIFFERENCE", "Page", "/data/text"),
        ("ConstraintKind", "Code", "/data/text"),
        ("brepprimapi_makecylinder", "Code", "/data/text"),
        ("undurchsichtig weiss", "Part", "/data/definition/material/description"),
    ] {
        eventually_async(q, async || first(q).await.1.is_string()).await;
        assert_eq!(first(q).await, (json!(object_type), json!(field)), "{q}");
    }
    let code = project.names_of("main", "def constrain").await;
    assert_eq!(code, ["assembly.py"]);
}
