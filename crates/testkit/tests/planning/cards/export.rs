//! Cards as a table.

use serde_json::json;
use testkit::answer::Answer;
use testkit::caller::Base;

use crate::cards::support::Project;

/// The rows of a table, each with the cells of these columns.
fn cells(answer: &Answer, columns: &[&str]) -> Vec<Vec<String>> {
    let mut reader = csv::Reader::from_reader(&*answer.body);
    let names = reader.headers().unwrap().clone();
    let at = |column: &&str| names.iter().position(|name| name == *column).unwrap();
    let places: Vec<usize> = columns.iter().map(at).collect();
    let rows = reader.records().map(Result::unwrap);
    rows.map(|row| places.iter().map(|place| row[*place].to_owned()).collect()).collect()
}

#[tokio::test]
async fn a_table_has_all_cards_with_names_instead_of_ids_and_no_formulas() {
    let project = Project::open().await;
    let tag = project.tag("+5V rail").await;
    let top = project.card("=HYPERLINK(\"x\")").await;
    let body = json!({
        "name": "-12V, \"quoted\"", "parentId": top.id, "priority": "high", "assigneeId": project.alice.id,
        "tagIds": [tag], "effort": 3, "startDate": "2026-12-01", "description": "two\nlines",
    });
    project.post("cards", body).await.expect(201);
    let answer = project.get("cards.csv?sort=oldest").await.expect(200);
    assert_eq!(answer.header("content-type"), "text/csv; charset=utf-8; header=present");
    assert!(answer.header("content-disposition").ends_with("-cards.csv\""));
    let columns =
        ["key", "name", "priority", "assignees", "tags", "effort", "startDate", "parent", "description"];
    assert_eq!(
        cells(&answer, &columns),
        [
            ["GEAR-1", "'=HYPERLINK(\"x\")", "none", "", "", "0", "", "", ""],
            [
                "GEAR-2",
                "'-12V, \"quoted\"",
                "high",
                "alice",
                "'+5V rail",
                "3",
                "2026-12-01",
                "GEAR-1",
                "two\nlines"
            ],
        ]
    );
    let filtered = project.get("cards.csv?priority=high").await.expect(200);
    assert_eq!(cells(&filtered, &["key"]), [["GEAR-2"]]);
    let none = project.get("cards.csv?open=false").await.expect(200);
    assert_eq!(cells(&none, &["key"]), [[""; 1]; 0]);
    let paged = project.get("cards.csv?limit=1").await;
    assert_eq!(paged.to_string(), "400 INVALID_REQUEST query.limit unknown");
}

#[tokio::test]
async fn a_table_of_many_pages_has_each_card_once() {
    let project = Project::open().await;
    for batch in 0..3 {
        let operations: Vec<_> =
            (0..400).map(|at| json!({ "op": "create", "name": format!("{batch}-{at}") })).collect();
        project.post("cards/bulk", json!({ "operations": operations })).await.expect(200);
    }
    for order in ["newest", "updated", "priority", "deadline"] {
        let answer = project.get(&format!("cards.csv?sort={order}")).await.expect(200);
        let mut keys: Vec<String> = cells(&answer, &["key"]).concat();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 1_200, "{order}");
    }
}
