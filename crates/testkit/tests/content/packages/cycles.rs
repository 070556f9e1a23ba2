//! No project can include itself, directly or through others.

use insta::assert_snapshot;
use serde_json::json;
use testkit::deployment::Deployment;
use testkit::seed::MANAGE;

use crate::packages::support::Shelf;

#[tokio::test]
async fn an_include_that_closes_a_cycle_of_any_length_is_refused() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let mut shelves = Vec::new();
    for name in ["A", "B", "C", "D"] {
        let shelf = Shelf::new(&alice, name).await;
        shelf.publish().await.expect(200);
        shelves.push(shelf);
    }
    let (a, b, c, d) = (&shelves[0], &shelves[1], &shelves[2], &shelves[3]);
    assert_snapshot!(
        a.include(a).await,
        @r#"409 INCLUDE_CYCLE {"commitHash":"<hash 1>","packageId":"<id 1>","projectId":"<id 2>"}"#
    );
    // B includes A, C includes B, D includes C.
    for (outer, inner) in [(b, a), (c, b), (d, c)] {
        outer.include(inner).await.expect(201);
        outer.commit().await;
        outer.publish().await.expect(200);
    }
    for shelf in [b, c, d] {
        assert_eq!(a.include(shelf).await.code(), "INCLUDE_CYCLE");
    }
    // In the other direction it is not a cycle.
    d.include(a).await.expect(201);
    d.include(b).await.expect(201);
}

#[tokio::test]
async fn a_pin_can_not_be_moved_to_a_commit_that_closes_a_cycle() {
    let deployment = Deployment::shared();
    let alice = deployment.operator().user("alice").await.key(MANAGE).await;
    let (a, b) = (Shelf::new(&alice, "A").await, Shelf::new(&alice, "B").await);
    a.publish().await.expect(200);
    let harmless = b.publish().await.expect(200).text("/package/commitHash");
    let include = a.include(&b).await.expect(201).text("/include/id");
    // At its pin, A includes nothing of B that would include A.
    b.include(&a).await.expect(201);
    b.commit().await;
    let harmful = b.publish().await.expect(200).text("/package/commitHash");
    let path = a.at(&format!("includes/{include}"));
    let pin = |commit: &str| alice.patch(&path).json(json!({ "commitHash": commit }));
    assert_eq!(pin(&harmful).await.code(), "INCLUDE_CYCLE");
    pin(&harmless).await.expect(200);
}
