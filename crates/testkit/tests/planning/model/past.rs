//! Random changes of cards and boards, and what readers were shown after each: `?at=` shows the same bytes of then.

mod change;

use bytes::Bytes;
use serde_json::{Value, json};
use testkit::caller::{Base, Caller};
use testkit::random::Random;

use crate::teams::support::Team;

/// Changes of a walk.
const CHANGES: usize = 120;
/// Most cards.
const CARDS: usize = 7;

/// A board of two projects, and two readers: one of both, one of the first.
pub struct Walk {
    pub team: Team,
    /// The second project, whose cards the second reader doesn't see.
    pub far: String,
    readers: [Caller; 2],
    /// The cards that ever were, with their projects.
    pub cards: Vec<(String, String)>,
    pub columns: Vec<String>,
    pub tags: Vec<String>,
    pub users: [String; 2],
    pub sprint: String,
    /// The name by which texts mention the first reader.
    pub handle: String,
}

/// An answer of a moment.
struct Shown {
    reader: usize,
    path: String,
    tag: String,
    body: Bytes,
}

impl Walk {
    async fn open() -> Self {
        let team = Team::own().await;
        let far = team.linked_project("Axle").await;
        let operator = team.deployment.operator();
        let (bob, as_bob) = team.member("bob", "member").await;
        operator.add_member(&bob, "--project", &team.project, "editor").await;
        let of_project = |path: &str| format!("/api/v2/projects/{}/{path}", team.project);
        let field = json!({ "name": "Weight", "type": "number" });
        team.caller.post(&of_project("fields")).json(field).await.expect(201);
        team.patch("", json!({ "visibility": "internal" })).await.expect(200);
        let handle = team.caller.get("/api/v2/me").await.expect(200).text("/user/slug");
        let (first, second) = (team.status("To do").await, team.status("Doing").await);
        let sprint = team.sprint("1").await;
        let (users, readers) = ([team.alice.id.clone(), bob.id], [team.caller.clone(), as_bob]);
        let (columns, tags, cards) = (vec![first, second], Vec::new(), Vec::new());
        Self { team, far, readers, cards, columns, tags, users, sprint, handle }
    }

    /// The time of the last change, as the history and what is kept beside it have it.
    async fn last_change(&self) -> String {
        let query = "select to_char(max(t.occurred_at) at time zone 'utc', 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"') from (
             select occurred_at from card_history
             union all select occurred_at from board_layouts
             union all select occurred_at from card_tag_versions) t";
        self.team.deployment.database.connect().await.query_one(query, &[]).await.unwrap().get(0)
    }

    /// The board and each card, as each reader that finds them is shown them now.
    async fn shown(&self) -> Vec<Shown> {
        let cards =
            self.cards.iter().map(|(card, project)| format!("/api/v2/projects/{project}/cards/{card}"));
        let paths: Vec<String> = cards.chain([self.team.at("board")]).collect();
        let mut shown = Vec::new();
        for (reader, caller) in self.readers.iter().enumerate() {
            for path in &paths {
                let answer = caller.get(path).await;
                if answer.status == 200 {
                    let (tag, body) = (answer.header("etag").to_owned(), answer.body.clone());
                    shown.push(Shown { reader, path: path.clone(), tag, body });
                } else {
                    answer.expect(404);
                }
            }
        }
        shown
    }

    /// Asserts that each answer is the same at its moment.
    async fn compare(&self, kept: &[(String, String, Vec<Shown>)]) {
        for (at, change, shown) in kept {
            for Shown { reader, path, tag, body } in shown {
                let past = self.readers[*reader].get(&format!("{path}?at={at}")).await.expect(200);
                let json = |bytes: &Bytes| -> Value { serde_json::from_slice(bytes).unwrap() };
                assert_eq!(json(&past.body), json(body), "{path} at {at}, after {change}");
                assert_eq!(past.body, *body, "{path} at {at}, after {change}");
                assert_eq!(past.header("etag"), tag, "{path} at {at}, after {change}");
            }
        }
    }
}

#[tokio::test]
async fn the_past_has_the_bytes_that_each_reader_was_shown_after_each_change() {
    let mut random = Random::seeded(crate::model::SEED);
    let mut walk = Walk::open().await;
    let mut kept: Vec<(String, String, Vec<Shown>)> = Vec::new();
    for number in 0..CHANGES {
        let change = walk.change(&mut random, number).await;
        let at = walk.last_change().await;
        // A later change of the same millisecond, or one that changed nothing.
        kept.pop_if(|(last, ..)| *last == at);
        kept.push((at, change, walk.shown().await));
    }
    walk.compare(&kept).await;
    let moments: Vec<&String> = kept.iter().map(|(at, ..)| at).collect();
    assert!(moments.is_sorted(), "{moments:?}");
    // Nothing of the second project's cards is in the past of a reader who doesn't see them.
    let of_second = kept.iter().flat_map(|(.., shown)| shown).filter(|shown| shown.reader == 1);
    for Shown { path, body, .. } in of_second {
        assert!(!path.contains(&walk.far));
        assert!(!String::from_utf8_lossy(body).contains(&walk.far), "{path}");
    }
}
