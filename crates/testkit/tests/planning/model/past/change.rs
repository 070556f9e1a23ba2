//! The changes of a walk through cards and boards.

use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Request};
use testkit::random::Random;

use super::{CARDS, Walk};

impl Walk {
    /// Makes a random change, which may be refused; tells it.
    pub async fn change(&mut self, random: &mut Random, number: usize) -> String {
        let live = self.live().await;
        if live.is_empty() || (live.len() < CARDS && random.below(6) == 0) {
            return self.create(random, number).await;
        }
        let (card, project) = random.one_of(&live).clone();
        let (other, _) = random.one_of(&live).clone();
        let path = format!("/api/v2/projects/{project}/cards/{card}");
        let kind = random.below(16);
        let answer = match kind {
            0..=2 => self.team.caller.patch(&path).json(self.fields(random, number, &other)).await,
            3..=5 => self.place(random, &card, &other).await,
            6 => self.team.delete(&format!("cards/{card}")).await,
            7 | 8 => self.part(random, &path).await,
            9 => {
                let kind = *random.one_of(&["blocks", "relates", "duplicates"]);
                self.put_or_delete(random, &format!("{path}/relations/{other}"), json!({ "kind": kind }))
                    .await
            }
            10 => self.line(random, &path, number).await,
            11 => self.comment(random, &path, number).await,
            12 => self.column(random, number).await,
            13 => self.tag(random, &project, number).await,
            14 if random.below(2) == 0 => self.team.caller.delete(&path).await,
            _ => self.team.caller.patch(&path).json(json!({ "isOpen": random.below(2) == 0 })).await,
        };
        assert!(answer.status < 500, "{answer}");
        format!("change {number} of kind {kind}: {}", answer.status)
    }

    /// The cards that are there.
    async fn live(&self) -> Vec<(String, String)> {
        let query = "select id::text from cards";
        let rows = self.team.deployment.database.connect().await.query(query, &[]).await.unwrap();
        let live: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
        self.cards.iter().filter(|(card, _)| live.contains(card)).cloned().collect()
    }

    async fn create(&mut self, random: &mut Random, number: usize) -> String {
        let project = if random.below(3) == 0 { self.far.clone() } else { self.team.project.clone() };
        let body = json!({
            "name": format!("card {number}"), "effort": random.below(4), "assigneeId": self.users[0],
            "description": format!("for @{}", self.handle),
        });
        let card = self.team.card_of(&project, body).await;
        self.cards.push((card, project));
        format!("change {number}: a new card")
    }

    fn fields(&self, random: &mut Random, number: usize, other: &str) -> Value {
        match random.below(8) {
            0 => json!({ "name": format!("named {number}") }),
            1 => json!({ "effort": random.below(9), "resolution": format!("Done by @{}", self.handle) }),
            2 => json!({ "description": *random.one_of(&["", "plain", "`code`"]) }),
            3 => json!({ "deadline": random.maybe("2027-01-01") }),
            4 => json!({ "startDate": random.maybe("2026-12-24"), "priority": "high" }),
            5 => json!({ "parentId": random.maybe(other) }),
            6 => json!({ "fields": { "Weight": random.maybe(number) } }),
            _ => json!({ "type": *random.one_of(&["bug", "task"]) }),
        }
    }

    async fn place(&self, random: &mut Random, card: &str, other: &str) -> Answer {
        let mut body = json!({ "statusId": random.one_of(&self.columns) });
        if random.below(3) == 0 {
            body["sprintId"] = json!(random.maybe(&self.sprint));
        }
        let answer = self.team.place(card, body).await;
        // Mostly refused: the other card may be elsewhere.
        self.team.place(card, json!({ "beforeCardId": other })).await;
        answer
    }

    /// Adds or removes an assignee, a tag or an object.
    async fn part(&self, random: &mut Random, path: &str) -> Answer {
        let part = match (random.below(3), self.tags.is_empty()) {
            (0, _) | (1, true) => format!("assignees/{}", random.one_of(&self.users)),
            (1, false) => format!("tags/{}", random.one_of(&self.tags)),
            _ => format!("objects/{}", self.team.project),
        };
        self.put_or_delete(random, &format!("{path}/{part}"), json!({})).await
    }

    async fn put_or_delete(&self, random: &mut Random, path: &str, body: Value) -> Answer {
        let caller = &self.team.caller;
        let request: Request =
            if random.below(3) > 0 { caller.put(path).json(body) } else { caller.delete(path) };
        request.await
    }

    /// Adds a line of the checklist, or ticks, moves or deletes its first one.
    async fn line(&self, random: &mut Random, path: &str, number: usize) -> Answer {
        let list = format!("{path}/checklist");
        let lines = self.team.caller.get(&list).await.expect(200).json();
        let first =
            lines["items"].as_array().unwrap().first().map(|line| line["id"].as_str().unwrap().to_owned());
        match (first, random.below(3)) {
            (Some(line), 0) => self.team.caller.delete(&format!("{list}/{line}")).await,
            (Some(line), 1) => {
                let body = json!({ "isDone": random.below(2) == 0 });
                self.team.caller.patch(&format!("{list}/{line}")).json(body).await
            }
            _ => self.team.caller.post(&list).json(json!({ "text": format!("line {number}") })).await,
        }
    }

    /// Writes a comment, or changes or deletes the first one.
    async fn comment(&self, random: &mut Random, path: &str, number: usize) -> Answer {
        let list = format!("{path}/comments");
        let comments = self.team.caller.get(&list).await.expect(200).json();
        let first = comments["comments"].as_array().unwrap().first();
        let first = first.map(|comment| comment["id"].as_str().unwrap().to_owned());
        let body = match random.below(2) {
            0 => json!({ "body": format!("{number} @{}", self.handle) }),
            _ => json!({ "body": format!("{number}") }),
        };
        match (first, random.below(3)) {
            (Some(comment), 0) => self.team.caller.delete(&format!("{list}/{comment}")).await,
            (Some(comment), 1) => self.team.caller.patch(&format!("{list}/{comment}")).json(body).await,
            _ => self.team.caller.post(&list).json(body).await,
        }
    }

    /// Makes, renames, moves or deletes a column.
    async fn column(&mut self, random: &mut Random, number: usize) -> Answer {
        let column = random.one_of(&self.columns).clone();
        let path = format!("statuses/{column}");
        match random.below(4) {
            0 => {
                let body =
                    json!({ "name": format!("column {number}"), "transitionState": "closed", "wipLimit": 1 });
                let made = self.team.post("statuses", body).await.expect(201);
                self.columns.push(made.text("/status/id"));
                made
            }
            1 if self.columns.len() > 2 => {
                self.columns.retain(|other| *other != column);
                let to = &self.columns[0];
                self.team.delete(&format!("{path}?moveCardsTo={to}")).await.expect(200)
            }
            2 => {
                self.team
                    .patch(&path, json!({ "name": format!("renamed {number}"), "color": "#112233" }))
                    .await
            }
            _ => self.team.patch(&path, json!({ "beforeStatusId": self.columns[0] })).await,
        }
    }

    /// Makes, renames or deletes a tag.
    async fn tag(&mut self, random: &mut Random, project: &str, number: usize) -> Answer {
        let list = format!("/api/v2/projects/{project}/card-tags");
        let name = json!({ "name": format!("tag {number}") });
        if self.tags.is_empty() || random.below(2) == 0 {
            let made = self.team.caller.post(&list).json(name).await.expect(201);
            self.tags.push(made.text("/tag/id"));
            return made;
        }
        let tag = random.one_of(&self.tags).clone();
        match random.below(3) {
            0 => self.team.caller.delete(&format!("{list}/{tag}")).await,
            _ => self.team.caller.patch(&format!("{list}/{tag}")).json(name).await,
        }
    }
}
