//! Values of custom fields in merges and reverts: those of a side stay, those of a decision are checked.

use serde_json::{Value, json};
use testkit::caller::Base;

use crate::cards::custom_fields::id;
use crate::cards::support::Project;

/// A part with a mass, on the branches `main` and `side`.
struct Weighed {
    project: Project,
    mass: Value,
    part: String,
}

impl Weighed {
    async fn open() -> Self {
        let project = Project::open().await;
        let mass = json!({ "name": "Mass", "type": "number", "minimum": 0, "appliesTo": "objects" });
        let mass = project.field(mass).await;
        let part = project.object("Part", json!({ "fields": { id(&mass): 1 } })).await.expect(201);
        let part = part.text("/object/id");
        let weighed = Self { project, mass, part };
        weighed.commit("main").await;
        weighed.project.post("branches", json!({ "name": "side" })).await.expect(201);
        weighed
    }

    async fn commit(&self, branch: &str) -> String {
        let path = format!("branches/{branch}/commits");
        self.project.post(&path, json!({ "message": "Weigh" })).await.expect(201).text("/commit/hash")
    }

    fn at(&self, branch: &str) -> String {
        format!("/api/v2/projects/{}--{branch}/objects/{}", self.project.id, self.part)
    }

    /// Sets the mass on a branch, and commits it; returns the commit's hash.
    async fn weigh(&self, branch: &str, mass: i64) -> String {
        let change = json!({ "data": { "fields": { id(&self.mass): mass } } });
        self.project.caller.patch(&self.at(branch)).json(change).await.expect(200);
        self.commit(branch).await
    }

    /// The mass on `main`.
    async fn mass(&self) -> Value {
        let read = self.project.caller.get(&self.at("main")).await.expect(200).json();
        read["object"]["data"]["fields"][id(&self.mass)].clone()
    }

    /// The request of a merge of `side` that decides the mass.
    fn decided(&self, decision: &Value) -> Value {
        let mut resolution =
            json!({ "objectId": self.part, "field": format!("/data/fields/{}", id(&self.mass)) });
        for (name, value) in decision.as_object().unwrap() {
            resolution[name] = value.clone();
        }
        json!({ "source": "side", "resolutions": [resolution] })
    }
}

#[tokio::test]
async fn a_merge_and_a_revert_keep_values_that_were_allowed_when_they_were_written() {
    let weighed = Weighed::open().await;
    weighed.weigh("side", 30).await;
    weighed.project.object("Part", json!({})).await.expect(201);
    weighed.commit("main").await;
    let field = format!("fields/{}", id(&weighed.mass));
    weighed.project.patch(&field, json!({ "maximum": 20, "isRequired": true })).await.expect(200);

    let merged = weighed.project.post("branches/main/merge", json!({ "source": "side" })).await.expect(200);
    assert_eq!(merged.text("/merge/status"), "merged");
    assert_eq!(weighed.mass().await, 30);
    let change = json!({ "data": { "fields": { id(&weighed.mass): 31 } } });
    let refused = weighed.project.caller.patch(&weighed.at("main")).json(change).await.expect(400);
    assert!(refused.to_string().contains("maximum"), "{refused}");
    let other = json!({ "name": "Heavy gear", "data": { "colour": "red" } });
    weighed.project.caller.patch(&weighed.at("main")).json(other).await.expect(200);
    let commit = weighed.weigh("main", 5).await;
    weighed.project.post(&format!("commits/{commit}/revert"), json!({})).await.expect(200);
    assert_eq!(weighed.mass().await, 30);
}

#[tokio::test]
async fn a_decision_that_brings_a_value_of_its_own_is_checked_and_changes_nothing_if_it_is_refused() {
    let weighed = Weighed::open().await;
    weighed.weigh("side", 30).await;
    let field = format!("fields/{}", id(&weighed.mass));
    weighed.project.patch(&field, json!({ "maximum": 20, "isRequired": true })).await.expect(200);
    weighed.weigh("main", 6).await;
    let merge = async |body: Value| weighed.project.post("branches/main/merge", body).await;
    for (decision, refused) in [
        (json!({ "value": 40 }), "body.resolutions[0].value maximum"),
        (json!({ "value": "heavy" }), "body.resolutions[0].value type"),
        (json!({ "value": null }), "body.resolutions[0].value required"),
        (json!({ "take": "delete" }), "body.resolutions[0].take required"),
    ] {
        let mut body = weighed.decided(&decision);
        let answer = merge(body.clone()).await.expect(400);
        assert!(answer.to_string().contains(refused), "{answer}");
        body["dryRun"] = json!(true);
        assert!(merge(body).await.expect(400).to_string().contains(refused));
        assert_eq!(weighed.mass().await, 6);
    }
    // The other side's value has a mass that no part may have now, but had it when it was written.
    weighed.project.post("branches", json!({ "name": "aside" })).await.expect(201);
    let theirs = weighed.decided(&json!({ "take": "theirs" }));
    weighed.project.post("branches/aside/merge", theirs).await.expect(200);
    let own = weighed.decided(&json!({ "value": 12.0 }));
    merge(own).await.expect(200);
    assert_eq!(weighed.mass().await.to_string(), "12");
}
