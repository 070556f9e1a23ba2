//! Reports of usage by session, project, account and card.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::caller::Caller;
use testkit::deployment::Deployment;
use testkit::model_server::Reply;
use testkit::seed::{MANAGE, MANAGE_WITH_USAGE};
use testkit::session::{Session, create_project};
use uuid::Uuid;

use crate::sessions::support::{AgentSession, reaches};

const SUMS: [&str; 7] = [
    "credits",
    "promptTokens",
    "completionTokens",
    "reasoningTokens",
    "cacheWriteTokens",
    "cacheReadTokens",
    "eventCount",
];

/// A row of the ledger.
#[derive(Clone)]
struct Event {
    owner: String,
    project: String,
    session: String,
    model: &'static str,
    occurred_at: String,
    recorded_at: String,
    /// Credits in millionths, then the tokens of each kind.
    amounts: [i64; 6],
}

/// The sums of some events: credits in millionths, the tokens, and the number of events.
type Sums = [i64; 7];

/// Selects the events of a report.
type Scope = Box<dyn Fn(&Event) -> bool>;

/// The totals, the time of the newest event, and the groups in order.
#[derive(Debug, PartialEq)]
struct Figures {
    totals: Sums,
    as_of: Value,
    groups: Vec<(Value, Sums)>,
}

impl Event {
    /// The value of its group.
    fn key(&self, group_by: &str) -> Value {
        match group_by {
            "model" => json!({ "provider": "maker", "model": self.model }),
            "project" => json!({ "projectId": self.project }),
            "session" => json!({ "sessionId": self.session }),
            _ => {
                let day = self.occurred_at.split('T').next();
                json!({ "day": day.map(|day| format!("{day}T00:00:00.000Z")) })
            }
        }
    }
}

/// The report of these events, computed without a database.
fn expected(events: &[&Event], group_by: Option<&str>) -> Figures {
    let sum = |events: &[&Event]| {
        let mut sums = [0; 7];
        for event in events {
            sums.iter_mut().zip(event.amounts).for_each(|(sum, amount)| *sum += amount);
            sums[6] += 1;
        }
        sums
    };
    let mut groups: BTreeMap<String, Vec<&Event>> = BTreeMap::new();
    for (event, group_by) in events.iter().zip(group_by.into_iter().cycle()) {
        groups.entry(event.key(group_by).to_string()).or_default().push(event);
    }
    let mut groups: Vec<(Value, Sums)> =
        groups.into_iter().map(|(key, events)| (serde_json::from_str(&key).unwrap(), sum(&events))).collect();
    if group_by != Some("day") {
        groups.sort_by_key(|(_, sums)| Reverse(sums[0]));
    }
    let newest = events.iter().map(|event| event.recorded_at.clone()).max();
    Figures { totals: sum(events), as_of: json!(newest), groups }
}

/// The figures of an answered report.
fn read(report: &Value) -> Figures {
    let sums = |fields: &Value| {
        let mut numbers = SUMS.map(|name| fields[name].as_f64().unwrap());
        numbers[0] = (numbers[0] * 1e6).round();
        numbers.map(|number| format!("{number}").parse().unwrap())
    };
    let group = |group: &Value| {
        let mut key = group.clone();
        key.as_object_mut().unwrap().retain(|name, _| !SUMS.contains(&name.as_str()));
        (key, sums(group))
    };
    let groups = report["groups"].as_array().map(|groups| groups.iter().map(group).collect());
    Figures {
        totals: sums(&report["totals"]),
        as_of: report["asOf"].clone(),
        groups: groups.unwrap_or_default(),
    }
}

/// Rows of the ledger that distinguish reports: some at the first or last moment of a day, some without cost.
fn events(places: &[(String, String, String)]) -> Vec<Event> {
    let mut state: u64 = 20_261_122;
    // The upper bits of a linear congruential generator are random enough.
    let mut draw = |below: u64| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % below
    };
    let clocks = ["00:00:00.000", "09:30:00.001", "23:59:59.999"];
    let event = |serial: usize| {
        let (owner, project, session) =
            places[usize::try_from(draw(places.len().try_into().unwrap())).unwrap()].clone();
        let (day, clock) = (draw(5) + 1, clocks[usize::try_from(draw(3)).unwrap()]);
        let model = ["chat-1", "claude-1", "tiny"][usize::try_from(draw(3)).unwrap()];
        let mut amounts = [(); 6].map(|()| i64::try_from(draw(2_000_000)).unwrap());
        if model == "tiny" {
            amounts = [0; 6];
        }
        // Distinct sums, for a unique order of groups.
        amounts[0] += i64::try_from(serial).unwrap() * i64::from(model != "tiny");
        let occurred_at = format!("2026-11-{day:02}T{clock}Z");
        let recorded_at = format!("2026-11-{day:02}T23:59:59.{:03}Z", serial);
        Event { owner, project, session, model, occurred_at, recorded_at, amounts }
    };
    (0..200).map(event).collect()
}

async fn insert(deployment: &Deployment, events: &[Event]) {
    let rows: Vec<String> = events
        .iter()
        .map(|event| {
            let Event { owner, project, session, model, occurred_at, recorded_at, amounts } = event;
            let [credits, tokens @ ..] = amounts;
            let tokens = tokens.map(|count| count.to_string()).join(", ");
            let id = Uuid::new_v4();
            format!(
                "('{id}', '{owner}', '{owner}', '{project}', '{session}', 'maker', '{model}', {tokens}, \
                  {credits}, false, '{occurred_at}', '{recorded_at}')"
            )
        })
        .collect();
    let insert = format!(
        "insert into usage_events (id, owner_id, user_id, project_id, session_id, provider, model, prompt_tokens, \
         completion_tokens, reasoning_tokens, cache_write_tokens, cache_read_tokens, micro_credits, priced_per_call, \
         occurred_at, recorded_at) values {}",
        rows.join(", ")
    );
    deployment.database.connect().await.batch_execute(&insert).await.unwrap();
}

#[tokio::test]
async fn reports_sum_the_ledger_within_their_scope_and_period() {
    let deployment = Deployment::shared();
    let (alice, bob) = (deployment.operator().user("alice").await, deployment.operator().user("bob").await);
    let caller = alice.key(MANAGE_WITH_USAGE).await;
    let mut places = vec![
        // Deleted projects and sessions count.
        (alice.id.clone(), Uuid::now_v7().to_string(), Uuid::now_v7().to_string()),
        (bob.id.clone(), Uuid::now_v7().to_string(), Uuid::now_v7().to_string()),
    ];
    let (mut projects, mut sessions) = (Vec::new(), Vec::new());
    for name in ["Gear", "Wheel"] {
        let project = create_project(&caller, name).await;
        for _ in 0..2 {
            let session = Session::open(&caller, &project).await;
            places.push((alice.id.clone(), project.clone(), session.id.clone()));
            sessions.push(session);
        }
        projects.push(project);
    }
    let events = events(&places);
    insert(&deployment, &events).await;

    // Parameters and scope of a report, and its events.
    let mut scopes: Vec<(String, Scope)> = Vec::new();
    let owner = alice.id.clone();
    scopes.push(("/api/v2/usage".to_owned(), Box::new(move |event| event.owner == owner)));
    for project in projects {
        let path = format!("/api/v2/projects/{project}/usage");
        scopes.push((path, Box::new(move |event| event.project == project)));
    }
    for session in &sessions {
        let id = session.id.clone();
        scopes.push((format!("{}/usage", session.path()), Box::new(move |event| event.session == id)));
    }
    let bounds = [
        ("", "", ""),
        ("&from=2026-11-02&to=2026-11-04", "2026-11-02T00:00:00.000Z", "2026-11-04T23:59:59.999Z"),
        (
            "&from=2026-11-01T09:30:00.001Z&to=2026-11-03T00:00:00.000Z",
            "2026-11-01T09:30:00.001Z",
            "2026-11-03T00:00:00.000Z",
        ),
        ("&from=2026-11-03T02:00:00%2B02:00", "2026-11-03T00:00:00.000Z", ""),
        ("&to=2026-10-31", "", "2026-10-31T23:59:59.999Z"),
    ];
    for (path, is_in_scope) in &scopes {
        for (query, from, to) in bounds {
            let is_within = |event: &&Event| {
                let time = event.occurred_at.as_str();
                time >= from && (to.is_empty() || time <= to)
            };
            let counted: Vec<&Event> =
                events.iter().filter(|event| is_in_scope(event)).filter(is_within).collect();
            for group_by in [None, Some("model"), Some("project"), Some("session"), Some("day")] {
                let group = group_by.map(|group_by| format!("&groupBy={group_by}")).unwrap_or_default();
                let report =
                    caller.get(&format!("{path}?format=json{query}{group}")).await.expect(200).json();
                assert_eq!(read(&report), expected(&counted, group_by), "{path} {query} {group}");
                assert_eq!(report["groupBy"], json!(group_by), "{path} {query} {group}");
                assert_eq!(report["groups"].is_array(), group_by.is_some(), "{path} {query} {group}");
            }
        }
    }
}

#[tokio::test]
async fn a_session_reports_its_cost_even_when_closed_or_without_its_project() {
    let agent = AgentSession::open(vec![Reply::Text("A gear has teeth.")]).await;
    let opened = &agent.opened;
    let accountant = opened.alice.key(&["usage:read"]).await;
    let usage = agent.path("usage");
    assert_snapshot!(
        accountant.get(&usage).await,
        @r#"
        200 {
          "asOf": null,
          "projectId": "<id 1>",
          "scope": "session",
          "sessionId": "<id 2>",
          "totals": {
            "cacheReadTokens": 0,
            "cacheWriteTokens": 0,
            "completionTokens": 0,
            "credits": 0.0,
            "eventCount": 0,
            "promptTokens": 0,
            "reasoningTokens": 0
          }
        }
        "#
    );
    agent.prompt("What has teeth?").await.expect(202);
    agent.reaches("completed").await;
    opened.session.close().await.expect(200);
    assert_snapshot!(
        accountant.get(&format!("{usage}?groupBy=model")).await,
        @r#"
        200 {
          "asOf": "<time>",
          "groupBy": "model",
          "groups": [
            {
              "cacheReadTokens": 1024,
              "cacheWriteTokens": 0,
              "completionTokens": 44,
              "credits": 0.001991,
              "eventCount": 1,
              "model": "chat-1",
              "promptTokens": 176,
              "provider": "openai",
              "reasoningTokens": 33
            }
          ],
          "projectId": "<id 1>",
          "scope": "session",
          "sessionId": "<id 2>",
          "totals": {
            "cacheReadTokens": 1024,
            "cacheWriteTokens": 0,
            "completionTokens": 44,
            "credits": 0.001991,
            "eventCount": 1,
            "promptTokens": 176,
            "reasoningTokens": 33
          }
        }
        "#
    );
    let branch = format!("/api/v2/projects/{}--main/usage?groupBy=session", opened.project);
    let of_project = accountant.get(&branch).await.expect(200).json();
    assert_eq!((&of_project["scope"], &of_project["projectId"]), (&json!("project"), &json!(opened.project)));
    assert_eq!(of_project["groups"][0]["sessionId"], json!(opened.session.id));
    opened.caller.delete(&format!("/api/v2/projects/{}", opened.project)).await.expect(200);
    assert_snapshot!(accountant.get(&usage).await, @"404 NOT_FOUND");
    let of_account = accountant.get("/api/v2/usage").await.expect(200).json();
    assert_eq!((&of_account["scope"], &of_account["totals"]["eventCount"]), (&json!("account"), &json!(1)));
}

#[tokio::test]
async fn usage_is_shown_only_with_its_permission_and_on_request() {
    let agent = AgentSession::open(vec![Reply::Text("A gear has teeth.")]).await;
    let opened = &agent.opened;
    let operator = opened.deployment.operator();
    agent.prompt("What has teeth?").await.expect(202);
    agent.reaches("completed").await;
    // Neither scope nor role of a reader includes the cost of a project.
    assert_snapshot!(
        opened.caller.get(&agent.path("usage")).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"usage:read"}"#
    );
    let viewer = operator.user("viewer").await;
    operator.add_member(&viewer, "--project", &opened.project, "viewer").await;
    assert_snapshot!(viewer.key(MANAGE_WITH_USAGE).await.get(&agent.path("usage")).await, @"403 FORBIDDEN");
    // An editor sees the project's usage, not the account's.
    operator.add_member(&viewer, "--project", &opened.project, "editor").await;
    let editor = viewer.key(&["usage:read"]).await;
    editor.get(&agent.path("usage")).await.expect(200);
    assert_eq!(editor.get("/api/v2/usage").await.expect(200).json()["totals"]["eventCount"], 0);
    let elsewhere = create_project(&opened.caller, "Wheel").await;
    let browser = opened.alice.browser().await;
    for (project, count) in [(&opened.project, 1), (&elsewhere, 0)] {
        let key = json!({ "name": "books", "scopes": ["usage:read"], "projectIds": [project] });
        let confined = browser.post("/api/v2/api-keys").json(key).await.expect(201).text("/key");
        let read = browser.with(&confined).get("/api/v2/usage").await.expect(200).json();
        assert_eq!(read["totals"]["eventCount"], count);
    }
    let accountant = opened.alice.key(&["usage:read"]).await;
    for (query, refused) in [
        ("from=2026-11-02&to=2026-11-01", "400 INVALID_REQUEST query.to notBefore"),
        ("from=-0001-01-01", "400 INVALID_REQUEST query.from format"),
        ("to=0000-01-01T00:00:00Z", "400 INVALID_REQUEST query.to format"),
        ("from=yesterday", "400 INVALID_REQUEST query.from format"),
        ("groupBy=user", "400 INVALID_REQUEST query.groupBy enum"),
        ("format=xlsx", "400 INVALID_REQUEST query.format enum"),
        ("since=2026-11-01", "400 INVALID_REQUEST query.since unknown"),
    ] {
        let answer = accountant.get(&format!("/api/v2/usage?{query}")).await;
        assert_eq!(answer.to_string(), refused, "{query}");
    }
}

#[tokio::test]
async fn a_usage_report_can_be_requested_as_a_table() {
    let agent = AgentSession::open(vec![Reply::Text("A gear has teeth.")]).await;
    agent.prompt("What has teeth?").await.expect(202);
    agent.reaches("completed").await;
    let accountant = agent.opened.alice.key(&["usage:read"]).await;
    let table = async |query: &str| {
        let answer = accountant.get(&format!("{}?format=csv{query}", agent.path("usage"))).await.expect(200);
        assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
        assert_eq!(answer.header("content-disposition"), "attachment; filename=\"usage.csv\"");
        String::from_utf8(answer.body.to_vec()).unwrap().replace("\r\n", "\n")
    };
    let sums = SUMS.join(",");
    assert_eq!(table("").await, format!("{sums}\n0.001991,176,44,33,0,1024,1\n"));
    assert_eq!(
        table("&groupBy=model").await,
        format!("provider,model,{sums}\nopenai,chat-1,0.001991,176,44,33,0,1024,1\n")
    );
    let session = format!("sessionId,{sums}\n{},0.001991,176,44,33,0,1024,1\n", agent.opened.session.id);
    assert_eq!(table("&groupBy=session").await, session);
    assert_eq!(table("&groupBy=day&to=2000-01-01").await, format!("day,{sums}\n"));
    // Formulas become text, and special characters are quoted.
    for (name, cell) in [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("@SUM(1)", "'@SUM(1)"),
        ("a,b", "\"a,b\""),
        ("say \"so\"\n", "\"say \"\"so\"\"\n\""),
    ] {
        let renamed = "update usage_events set provider = $1, model = $1";
        let database = agent.opened.deployment.database.connect().await;
        database.execute(renamed, &[&name]).await.unwrap();
        let row = format!("{cell},{cell},0.001991,176,44,33,0,1024,1\n");
        assert_eq!(table("&groupBy=model").await, format!("provider,model,{sums}\n{row}"));
    }
}

/// A new session whose agent has called these tools and finished.
async fn worked(agent: &AgentSession, caller: &Caller, calls: Vec<(&'static str, Value)>) -> Session {
    let session = Session::open(caller, &agent.opened.project).await;
    agent.server.answer(vec![Reply::Calls(calls), Reply::Text("Done.")]);
    let prompt = caller.post(&format!("{}/prompt", session.path())).json(json!({ "prompt": "Go." }));
    prompt.await.expect(202);
    reaches(caller, &session, "completed").await;
    session
}

#[tokio::test]
async fn a_card_has_its_share_of_the_cost_of_runs_that_changed_it() {
    let agent = AgentSession::open(vec![]).await;
    let opened = &agent.opened;
    let caller = opened.alice.key(MANAGE_WITH_USAGE).await;
    let create = |name: &str| ("cards__create_card", json!({ "name": name }));
    let calls = vec![create("Cut"), create("Grind"), create("Harden")];
    let first = worked(&agent, &caller, calls).await;
    let at = format!("/api/v2/projects/{}/cards", opened.project);
    let listed = caller.get(&at).await.expect(200).json();
    let mut cards: Vec<String> = listed["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| card["id"].as_str().unwrap().to_owned())
        .collect();
    cards.sort();
    let update = ("cards__update_card", json!({ "cardId": cards[0], "isOpen": false }));
    let second = worked(&agent, &caller, vec![update]).await;
    // A user's change has no cost.
    caller.patch(&format!("{at}/{}", cards[1])).json(json!({ "effort": 1 })).await.expect(200);

    // Each run called the model twice for 3982 millionths, which don't divide by three cards.
    let report = async |card: &str| caller.get(&format!("{at}/{card}/usage")).await.expect(200).json();
    let of_first = report(&cards[0]).await;
    let run = |session: &Session, credits: f64, cards: u8, of: &Value| {
        let task = of["runs"].as_array().unwrap().iter().find(|run| run["sessionId"] == json!(session.id));
        json!({ "sessionId": session.id, "taskId": task.unwrap()["taskId"], "credits": credits,
                "runCredits": 0.003982, "cardCount": cards })
    };
    assert_eq!(
        of_first["runs"],
        json!([run(&second, 0.003982, 1, &of_first), run(&first, 0.001328, 3, &of_first)])
    );
    assert_eq!((&of_first["credits"], &of_first["runCount"]), (&json!(0.00531), &json!(2)));
    for card in &cards[1..] {
        let of_card = report(card).await;
        assert_eq!(of_card["runs"], json!([run(&first, 0.001327, 3, &of_card)]));
        assert_eq!(of_card["credits"], 0.001327);
    }
    // The report on all cards has the same shares, and what no card has a share of.
    worked(&agent, &caller, vec![("project__get_project", json!({}))]).await;
    let of_cards = format!("/api/v2/projects/{}/usage/cards", opened.project);
    let whole = caller.get(&of_cards).await.expect(200).json();
    let costs: Vec<Value> = whole["cards"]
        .as_array()
        .unwrap()
        .iter()
        .map(|card| json!([card["cardId"], card["credits"], card["runCount"]]))
        .collect();
    assert_eq!(
        costs,
        [json!([cards[0], 0.00531, 2]), json!([cards[2], 0.001327, 1]), json!([cards[1], 0.001327, 1])]
    );
    assert_eq!((&whole["credits"], &whole["otherCredits"]), (&json!(0.011946), &json!(0.003982)));
    assert!(whole["asOf"].is_string());
    let page = caller.get(&format!("{of_cards}?limit=2")).await.expect(200);
    let next = format!("{of_cards}?limit=2&cursor={}", page.text("/meta/nextCursor"));
    let last = caller.get(&next).await.expect(200).json();
    assert_eq!((&last["cards"], &last["credits"]), (&json!([whole["cards"][2]]), &whole["credits"]));
    assert_snapshot!(
        caller.get(&format!("{of_cards}?to=2000-01-01")).await,
        @r#"
        200 {
          "asOf": null,
          "cards": [],
          "credits": 0.0,
          "meta": {"hasMore":false,"limit":50,"nextCursor":null},
          "otherCredits": 0.0
        }
        "#
    );
    assert_snapshot!(
        opened.alice.key(&["usage:read"]).await.get(&of_cards).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:read"}"#
    );
    // A deleted card keeps its cost, and has no name.
    caller.delete(&format!("{at}/{}", cards[2])).await.expect(200);
    let read = caller.get(&of_cards).await.expect(200).json();
    assert_eq!((&read["cards"][1]["name"], &read["cards"][1]["credits"]), (&Value::Null, &json!(0.001327)));
    assert!(read["cards"][0]["name"].is_string());
    let untouched = caller.post(&at).json(json!({ "name": "Polish" })).await.expect(201).text("/card/id");
    assert_snapshot!(
        caller.get(&format!("{at}/{untouched}/usage")).await,
        @r#"200 {"asOf":null,"cardId":"<id 1>","credits":0.0,"projectId":"<id 2>","runCount":0,"runs":[]}"#
    );
    let path = format!("{at}/{untouched}/usage");
    assert_snapshot!(
        opened.alice.key(&["usage:read"]).await.get(&path).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"cards:read"}"#
    );
    assert_snapshot!(
        opened.alice.key(MANAGE).await.get(&path).await,
        @r#"403 INSUFFICIENT_SCOPE {"requiredScope":"usage:read"}"#
    );
}
