//! Calendar feeds: what a calendar has, for whom, and for how long. Their files are read by programs in `readers`.

mod readers;

use std::collections::BTreeMap;

use domain::time::Clock;
use insta::assert_snapshot;
use serde_json::{Value, json};
use testkit::answer::Answer;
use testkit::caller::{Base, Caller};
use testkit::open_session::eventually_async;
use testkit::seed::ABSENT_ID;

use crate::teams::support::Team;

const FEEDS: &str = "/api/v2/me/calendar-feeds";
/// Where people find the service.
const PUBLIC_URL: &str = "http://control.test";

/// A feed of a person.
struct Feed {
    /// The person, by a browser token.
    browser: Caller,
    id: String,
    /// The path of its calendar.
    path: String,
}

/// The properties of an entry of a calendar, by name with parameters.
type Entry = BTreeMap<String, String>;

impl Feed {
    async fn make(browser: &Caller, body: Value) -> Self {
        Self::of(browser, &browser.post(FEEDS).json(body).await.expect(201))
    }

    fn of(browser: &Caller, made: &Answer) -> Self {
        Self { browser: browser.clone(), id: made.text("/feed/id"), path: path(&made.text("/url")) }
    }

    /// Fetches the calendar as programs do.
    async fn fetch(&self) -> Answer {
        self.browser.without_credential().get(&self.path).await
    }

    /// The entries of the calendar.
    async fn entries(&self) -> Vec<Entry> {
        entries(&self.fetch().await.expect(200))
    }

    /// The titles of the calendar's entries, in their order.
    async fn titles(&self) -> Vec<String> {
        self.entries().await.into_iter().map(|entry| entry["SUMMARY"].clone()).collect()
    }
}

/// The path in the address of a calendar.
fn path(url: &str) -> String {
    let (_, end) = url.split_once("/api/v2/calendars/svc_cf_").unwrap();
    format!("/api/v2/calendars/svc_cf_{end}")
}

fn text(calendar: &Answer) -> String {
    String::from_utf8(calendar.body.to_vec()).unwrap()
}

/// The entries of a calendar. Its values stay escaped.
fn entries(calendar: &Answer) -> Vec<Entry> {
    let text = text(calendar).replace("\r\n ", "");
    let mut entries = Vec::new();
    for line in text.split("\r\n") {
        match line.split_once(':') {
            Some(("BEGIN", "VEVENT")) => entries.push(Entry::new()),
            Some((name, value)) if !entries.is_empty() => {
                entries.last_mut().unwrap().insert(name.to_owned(), value.to_owned());
            }
            _ => {}
        }
    }
    entries
}

#[tokio::test]
async fn a_calendar_has_due_cards_and_sprints_and_ends_when_it_is_revoked() {
    let team = Team::open().await;
    team.patch("", json!({ "timeZone": "America/Winnipeg" })).await.expect(200);
    let cards = format!("/api/v2/projects/{}/cards", team.project);
    let card = async |body: Value| team.caller.post(&cards).json(body).await.expect(201).text("/card/id");
    let day = card(json!({ "name": "Grind, harden; 🛠️ é\\", "deadline": "2126-12-24" })).await;
    card(json!({ "name": "At an hour", "deadline": "2126-12-25T16:30:00+01:00" })).await;
    let yesterday = Clock::system().now().plus_seconds(-86_400);
    card(json!({ "name": "Late", "deadline": yesterday })).await;
    card(json!({ "name": "Of another time", "deadline": "2001-01-01" })).await;
    card(json!({ "name": "Some day" })).await;
    let closed = card(json!({ "name": "Closed", "deadline": "2126-12-24" })).await;
    team.caller.patch(&format!("{cards}/{closed}")).json(json!({ "isOpen": false })).await.expect(200);
    let dates = json!({ "name": "Sprint 4", "startDate": "2126-12-10", "endDate": "2126-12-23" });
    let sprint = team.post("sprints", dates).await.expect(201).text("/sprint/id");
    team.post("sprints", json!({ "name": "Undecided" })).await.expect(201);

    let browser = team.alice.browser().await;
    let feed = Feed::make(&browser, json!({ "name": "Work" })).await;
    let fetched = feed.fetch().await.expect(200);
    assert_eq!(fetched.header("content-type"), "text/calendar; charset=utf-8");
    assert_eq!(fetched.header("cache-control"), "private, no-cache");
    let head = text(&fetched);
    assert!(head.starts_with("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:"), "{head}");
    assert!(head.contains("\r\nNAME:Work\r\nX-WR-CALNAME:Work\r\n"), "{head}");

    let found = entries(&fetched);
    let titles: Vec<&str> = found.iter().map(|entry| entry["SUMMARY"].as_str()).collect();
    let expected =
        ["GEAR-3 Late", r"GEAR-1 Grind\, harden\; 🛠️ é\\", "GEAR-2 At an hour", "Wheels: Sprint 4"];
    assert_eq!(titles, expected);
    let (of_day, of_hour, of_sprint) = (&found[1], &found[2], &found[3]);
    assert_eq!((of_day["UID"].as_str(), of_day["TRANSP"].as_str()), (day.as_str(), "TRANSPARENT"));
    assert_eq!(of_day["DTSTART;VALUE=DATE"], "21261224");
    assert_eq!(of_day["DTEND;VALUE=DATE"], "21261225");
    assert_eq!(of_day["DTSTAMP"], of_day["LAST-MODIFIED"]);
    let page = format!("{PUBLIC_URL}/projects/{}/cards/GEAR-1", team.project);
    assert_eq!(of_day["URL"], page);
    assert_eq!(of_day["DESCRIPTION"], format!("Gear\\n{page}"));
    assert_eq!(of_hour["DTSTART"], "21261225T153000Z");
    assert_eq!(of_hour.get("DTEND"), None);
    assert_eq!(of_sprint["UID"], sprint);
    // The days of the team's zone, which is west of UTC.
    assert_eq!(of_sprint["DTSTART;VALUE=DATE"], "21261210");
    assert_eq!(of_sprint["DTEND;VALUE=DATE"], "21261224");

    let at = format!("{FEEDS}/{}", feed.id);
    assert_snapshot!(browser.delete(&at).await, @r#"200 {"deleted":true,"feedId":"<id 1>"}"#);
    assert_snapshot!(browser.delete(&at).await, @"404 NOT_FOUND");
    assert_snapshot!(feed.fetch().await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_calendar_shows_what_its_person_may_read_now() {
    let team = Team::open().await;
    let operator = team.deployment.operator();
    let (bob, _) = team.member("bob", "guest").await;
    let browser = bob.browser().await;
    let cards = format!("/api/v2/projects/{}/cards", team.project);
    let body = json!({ "name": "Grind", "deadline": "2126-12-24" });
    team.caller.post(&cards).json(body).await.expect(201);
    let dates = json!({ "name": "Sprint 4", "startDate": "2126-12-10", "endDate": "2126-12-23" });
    team.post("sprints", dates).await.expect(201);

    // What is hidden looks like what is absent.
    for (field, id) in [("projectId", team.project.as_str()), ("teamId", team.id.as_str())] {
        for id in [id, ABSENT_ID] {
            let refused = browser.post(FEEDS).json(json!({ "name": "Work", field: id })).await;
            assert_eq!(refused.to_string(), format!("400 INVALID_REQUEST body.{field} exists"));
        }
    }
    let feed = Feed::make(&browser, json!({ "name": "Work" })).await;
    assert_eq!(feed.titles().await, Vec::<String>::new());
    let empty = text(&feed.fetch().await);
    assert!(empty.contains("\r\nBEGIN:VTIMEZONE\r\n"), "a calendar has a component: {empty}");

    operator.add_member(&bob, "--project", &team.project, "viewer").await;
    operator.add_member(&bob, "--team", &team.id, "member").await;
    assert_eq!(feed.titles().await, ["GEAR-1 Grind", "Wheels: Sprint 4"]);
    let of_project = Feed::make(&browser, json!({ "name": "Gear", "projectId": team.project })).await;
    assert_eq!(of_project.titles().await, ["GEAR-1 Grind"]);

    operator.remove_member(&bob, "--project", &team.project).await;
    assert_eq!(feed.titles().await, ["Wheels: Sprint 4"]);
    assert_eq!(of_project.titles().await, Vec::<String>::new());
    operator.remove_member(&bob, "--org", &team.org).await;
    assert_eq!(feed.titles().await, Vec::<String>::new());

    operator.run(&["user", "disable", "--user", &bob.id]).await;
    assert_snapshot!(feed.fetch().await, @"404 NOT_FOUND");
    operator.run(&["user", "enable", "--user", &bob.id]).await;
    assert_snapshot!(feed.fetch().await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn a_feed_has_a_project_a_board_or_ones_own_cards() {
    let team = Team::open().await;
    let other = team.another_team(json!({ "name": "Racks" })).await;
    let column = team.status("To do").await;
    let rack = team.unlinked_project("Rack").await;
    let card = async |project: &str, (name, day): (&str, &str), mine: bool| {
        let mut body = json!({ "name": name, "deadline": day });
        if mine {
            body["assigneeId"] = json!(team.alice.id);
        }
        let path = format!("/api/v2/projects/{project}/cards");
        team.caller.post(&path).json(body).await.expect(201).text("/card/id")
    };
    let placed = card(&team.project, ("placed", "2126-12-01"), true).await;
    let also = card(&team.project, ("also", "2126-12-02"), false).await;
    card(&team.project, ("off", "2126-12-03"), true).await;
    card(&rack, ("far", "2126-12-04"), true).await;
    card(&rack, ("else", "2126-12-05"), false).await;
    for card in [&placed, &also] {
        team.put(&format!("cards/{card}")).json(json!({ "statusId": column })).await.expect(200);
    }
    let dates = |start: &str| json!({ "name": "Sprint 4", "startDate": start, "endDate": "2126-12-23" });
    team.post("sprints", dates("2126-12-10")).await.expect(201);
    let of_other = team.in_org(&format!("teams/{other}/sprints"));
    team.caller.post(&of_other).json(dates("2126-12-11")).await.expect(201);
    // A team that Alice sees as the organization's owner alone.
    let foreign = team.in_org(&format!("teams/{other}/members/{}", team.alice.id));
    let browser = team.alice.browser().await;
    let (bob, _) = team.member("bob", "member").await;
    let lead = team.in_org(&format!("teams/{other}/members/{}", bob.id));
    browser.put(&lead).json(json!({ "role": "manager" })).await.expect(200);
    browser.delete(&foreign).await.expect(200);

    let titles = async |body: Value| {
        let mut body = body;
        body["name"] = json!("Work");
        Feed::make(&browser, body).await.titles().await.join(", ")
    };
    let all = titles(json!({})).await;
    assert_eq!(
        all,
        "GEAR-1 placed, GEAR-2 also, GEAR-3 off, RACK-1 far, RACK-2 else, Wheels: Sprint 4, Racks: Sprint 4"
    );
    let mine = titles(json!({ "mine": true })).await;
    assert_eq!(mine, "GEAR-1 placed, GEAR-3 off, RACK-1 far, Wheels: Sprint 4");
    assert_eq!(titles(json!({ "projectId": rack })).await, "RACK-1 far, RACK-2 else");
    assert_eq!(titles(json!({ "projectId": rack, "mine": true })).await, "RACK-1 far");
    assert_eq!(titles(json!({ "teamId": team.id })).await, "GEAR-1 placed, GEAR-2 also, Wheels: Sprint 4");
    assert_eq!(titles(json!({ "teamId": team.id, "mine": true })).await, "GEAR-1 placed, Wheels: Sprint 4");
    let both = json!({ "name": "Work", "projectId": rack, "teamId": team.id });
    let both = browser.post(FEEDS).json(both).await;
    assert_snapshot!(both, @"400 INVALID_REQUEST body.teamId conflict");

    // A feed ends with what it is of.
    let of_rack = Feed::make(&browser, json!({ "name": "Rack", "projectId": rack })).await;
    team.caller.delete(&format!("/api/v2/projects/{rack}")).await.expect(200);
    assert_snapshot!(of_rack.fetch().await, @"404 NOT_FOUND");
}

#[tokio::test]
async fn an_unchanged_calendar_is_not_sent_again() {
    let team = Team::open().await;
    let cards = format!("/api/v2/projects/{}/cards", team.project);
    let card = team.caller.post(&cards).json(json!({ "name": "Grind", "deadline": "2126-12-24" })).await;
    let card = format!("{cards}/{}", card.expect(201).text("/card/id"));
    let feed = Feed::make(&team.alice.browser().await, json!({ "name": "Work" })).await;
    let anonymous = feed.browser.without_credential();
    let first = feed.fetch().await.expect(200);
    let tag = first.header("etag");
    let again = anonymous.get(&feed.path).header("if-none-match", tag).await;
    assert_eq!((again.status, again.body.len(), again.header("etag")), (304, 0, tag));
    assert_eq!(anonymous.head(&feed.path).await.expect(200).header("etag"), tag);
    let stale = anonymous.get(&feed.path).header("if-match", "\"x\"").await;
    assert!(stale.to_string().starts_with("412 PRECONDITION_FAILED"), "{stale}");
    team.caller.patch(&card).json(json!({ "deadline": "2126-12-31" })).await.expect(200);
    let changed = anonymous.get(&feed.path).header("if-none-match", tag).await.expect(200);
    assert_eq!(entries(&changed)[0]["DTSTART;VALUE=DATE"], "21261231");
    // A credential that is sent is not read: the address decides. A query changes nothing.
    let wrong = anonymous.with("svc_ak_live_x").get(&format!("{}?cached=1", feed.path)).await;
    assert_eq!(wrong.expect(200).body, changed.body);
}

#[tokio::test]
async fn an_address_is_shown_once_and_is_in_no_list_no_table_and_no_log() {
    let team = Team::own().await;
    let browser = team.alice.browser().await;
    let made = browser.post(FEEDS).json(json!({ "name": "Work" })).idempotency_key("once").await.expect(201);
    let secret = path(&made.text("/url")).split('/').nth(4).unwrap().to_owned();
    let url = format!("{PUBLIC_URL}/api/v2/calendars/{secret}/calendar.ics");
    assert_eq!((made.text("/url"), &made.json()["feed"]["lastFetchedAt"]), (url, &Value::Null));
    // A repeat of the creation shows another address of the same feed.
    let repeat =
        browser.post(FEEDS).json(json!({ "name": "Work" })).idempotency_key("once").await.expect(201);
    assert!(repeat.is_replay() && repeat.text("/feed/id") == made.text("/feed/id"), "{repeat}");
    let (old, feed) = (Feed::of(&browser, &made), Feed::of(&browser, &repeat));
    assert_snapshot!(old.fetch().await, @"404 NOT_FOUND");
    feed.fetch().await.expect(200);

    let secret = feed.path.split('/').nth(4).unwrap();
    let listed = browser.get(FEEDS).await.expect(200);
    assert!(!text(&listed).contains("svc_cf_"), "{listed}");
    let fetched = async || browser.get(FEEDS).await.json()["feeds"][0]["lastFetchedAt"].is_string();
    eventually_async("the fetch is noted", fetched).await;
    let database = &team.deployment.database;
    for table in ["calendar_feeds", "idempotency_records", "audit_log"] {
        let rows = format!("select count(*) from {table} t where t::text like '%{secret}%'");
        assert_eq!(database.count(&rows).await, 0, "{table}");
    }
    let audited = "select count(*) from audit_log where action = 'createCalendarFeed' and result = 'OK'";
    assert_eq!(database.count(audited).await, 1);

    // Unknown, malformed and unreadable secrets are answered as that of a revoked feed.
    let unknown = format!("svc_cf_{}", "0".repeat(43));
    for secret in [unknown.as_str(), "svc_cf_", "x", "%FF", "svc_cf_%00", &secret.to_uppercase()] {
        let refused = browser.without_credential().get(&format!("/api/v2/calendars/{secret}/calendar.ics"));
        assert_eq!(refused.await.to_string(), "404 NOT_FOUND", "{secret}");
    }
    // A path that is nearly that of a calendar is in no log either.
    browser.without_credential().get(&format!("/api/v2/calendars/{secret}")).await.expect(404);
    let log = team.deployment.control[0].output();
    assert!(log.contains("getCalendar") && !log.contains("svc_cf_"), "{log}");
}

#[tokio::test]
async fn a_person_has_at_most_twenty_feeds_and_a_key_makes_none() {
    let team = Team::open().await;
    let browser = team.alice.browser().await;
    for _ in 0..20 {
        browser.post(FEEDS).json(json!({ "name": "Work" })).await.expect(201);
    }
    assert_snapshot!(
        browser.post(FEEDS).json(json!({ "name": "Work" })).await,
        @r#"403 LIMIT_REACHED {"current":20,"limit":20,"resource":"calendarFeeds"}"#
    );
    let feeds = browser.get(FEEDS).await.expect(200).json();
    assert_eq!(feeds["feeds"].as_array().unwrap().len(), 20);
    let refused = team.caller.post(FEEDS).json(json!({ "name": "Work" })).await;
    assert_snapshot!(refused, @"403 CREDENTIAL_NOT_PERMITTED");
    assert_snapshot!(browser.post(FEEDS).json(json!({ "name": " " })).await, @"400 INVALID_REQUEST body.name format");
    // Nobody revokes a feed of others.
    let (bob, _) = team.member("bob", "member").await;
    let at = format!("{FEEDS}/{}", feeds["feeds"][0]["id"].as_str().unwrap());
    assert_snapshot!(bob.browser().await.delete(&at).await, @"404 NOT_FOUND");
    browser.delete(&at).await.expect(200);
    browser.post(FEEDS).json(json!({ "name": "Work" })).await.expect(201);
}
