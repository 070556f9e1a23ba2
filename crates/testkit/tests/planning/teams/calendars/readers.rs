//! Three strict readers of calendars: two of Python and one of JavaScript. Without a registry the tests print that they
//! are skipped.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use tempfile::TempDir;
use testkit::caller::Base;
use testkit::registry::{npm, pypi};

use crate::teams::calendars::{Feed, PUBLIC_URL};
use crate::teams::support::Team;

const PYTHON: &[&str] = &["icalendar==7.3.0", "vobject==0.9.9"];
const JAVASCRIPT: &[&str] = &["ical.js@2.2.1"];

/// A calendar file and what it has.
struct Written {
    folder: TempDir,
    /// The entries, as each reader shows them.
    expected: Vec<Value>,
}

impl Written {
    /// A calendar with names that are hard to write.
    async fn open() -> Self {
        let team = Team::open().await;
        team.patch("", json!({ "timeZone": "America/Winnipeg" })).await.expect(200);
        let long = "Läuferwelle schleifen, 歯車を研磨する; 🛠️👩‍🔧 ".repeat(4);
        let names = ["Grind, then; harden\\n", long.trim(), "ا\u{200f}لترس: \"Gear\""];
        let cards = format!("/api/v2/projects/{}/cards", team.project);
        let mut expected = Vec::new();
        for (number, (name, due)) in
            (1..).zip(names.into_iter().zip(["2126-12-24", "2126-12-31", "2127-01-01T08:15:00Z"]))
        {
            let made =
                team.caller.post(&cards).json(json!({ "name": name, "deadline": due })).await.expect(201);
            let page = format!("{PUBLIC_URL}/projects/{}/cards/GEAR-{number}", team.project);
            let end = match due {
                "2126-12-24" => json!("2126-12-25"),
                "2126-12-31" => json!("2127-01-01"),
                _ => Value::Null,
            };
            expected.push(json!({
                "uid": made.text("/card/id"),
                "summary": format!("GEAR-{number} {}", made.text("/card/name")),
                "description": format!("Gear\n{page}"),
                "url": page,
                "start": due,
                "end": end,
            }));
        }
        let dates = json!({ "name": "Sprint 4", "startDate": "2126-12-10", "endDate": "2126-12-23" });
        let sprint = team.post("sprints", dates).await.expect(201).text("/sprint/id");
        let page = format!("{PUBLIC_URL}/orgs/{}/teams/{}/sprints/{sprint}", team.org, team.id);
        expected.push(json!({
            "uid": sprint, "summary": "Wheels: Sprint 4", "description": page, "url": page,
            "start": "2126-12-10", "end": "2126-12-24",
        }));
        let browser = team.alice.browser().await;
        let feed = Feed::make(&browser, json!({ "name": "Work, and; more 🛠️" })).await;
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("calendar.ics"), feed.fetch().await.expect(200).body).unwrap();
        // A person who reads nothing has an empty calendar, which is one all the same.
        let (bob, _) = team.member("bob", "guest").await;
        let empty = Feed::make(&bob.browser().await, json!({ "name": "Empty" })).await;
        fs::write(folder.path().join("empty.ics"), empty.fetch().await.expect(200).body).unwrap();
        Self { folder, expected }
    }

    /// Runs a reader of a file. It writes `{by, name, entries}` for each of its libraries.
    fn is_read_by(&self, reader: &dyn Fn(&Path) -> Command) {
        let read = |file: &str| -> Vec<Value> {
            let output = reader(&self.folder.path().join(file)).output().unwrap();
            let complaint = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{file}: {complaint}");
            serde_json::from_slice(&output.stdout).unwrap()
        };
        for whole in read("calendar.ics") {
            assert_eq!(whole["name"], json!("Work, and; more 🛠️"), "{}", whole["by"]);
            assert_eq!(whole["entries"], json!(self.expected), "{}", whole["by"]);
        }
        for empty in read("empty.ics") {
            assert_eq!((&empty["name"], &empty["entries"]), (&json!("Empty"), &json!([])), "{}", empty["by"]);
        }
    }
}

#[tokio::test]
async fn icalendar_and_vobject_read_a_calendar_as_it_was_meant() {
    let Some(python) = pypi(&folder("pypi"), PYTHON) else { return };
    let written = Written::open().await;
    written.is_read_by(&|file| {
        let mut reader = Command::new(&python);
        reader.args(["-c", include_str!("readers.py")]).arg(file);
        reader
    });
}

#[tokio::test]
async fn ical_js_reads_a_calendar_as_it_was_meant() {
    let Some(folder) = npm(&folder("npm"), JAVASCRIPT) else { return };
    let script = folder.join("readers.mjs");
    fs::write(&script, include_str!("readers.mjs")).unwrap();
    let written = Written::open().await;
    written.is_read_by(&|file| {
        let mut reader = Command::new("node");
        reader.arg(&script).arg(file);
        reader
    });
}

/// A folder for packages, kept between runs.
fn folder(registry: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join("calendar-readers").join(registry)
}
