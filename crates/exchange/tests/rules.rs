//! Values that a card can't hold as they are: the rule for each, and that it is listed.

#![expect(clippy::unwrap_used, reason = "a test's helper fails by panicking")]

use exchange::deviation::DeviationReason;
use exchange::export::Export;
use exchange::settings::ReadOptions;
use exchange::{github, jira};
use serde_json::{Value, json};

fn read(issues: Value) -> Export {
    github::read(issues.to_string().as_bytes(), &ReadOptions::default()).unwrap()
}

fn reasons(export: &Export) -> Vec<DeviationReason> {
    export.deviations.iter().map(|deviation| deviation.reason).collect()
}

#[test]
fn a_long_title_is_cut_between_characters_and_stays_whole_in_the_description() {
    let title = format!("{}👩‍👩‍👧 *end*", "x".repeat(253));
    let export = read(json!([{ "id": 1, "number": 1, "title": title, "body": "Text" }]));
    assert_eq!(export.issues[0].name.as_str(), "x".repeat(253));
    let whole = format!("{}👩‍👩‍👧 \\*end\\*\n\nText", "x".repeat(253));
    assert_eq!(export.issues[0].description.as_str(), whole);
    assert_eq!(reasons(&export), [DeviationReason::TitleCut]);
}

#[test]
fn a_long_text_goes_on_in_comments_of_its_author() {
    let body = format!("{}\n\n{}\n{}", "a".repeat(9_000), "b".repeat(9_000), "c".repeat(5_000));
    let export = read(json!([{
        "id": 1, "number": 1, "title": "Long", "body": body, "user": { "login": "ada" },
        "created_at": "2026-09-05T13:04:00Z",
        "comments": [{ "user": { "login": "grace" }, "body": "d".repeat(10_001), "created_at": "2026-09-06T13:04:00Z" }]
    }]));
    let issue = &export.issues[0];
    assert_eq!(issue.description.as_str(), "a".repeat(9_000));
    let comments = issue.comments.iter().map(|comment| {
        (
            comment.author.as_deref().unwrap(),
            comment.body.as_str().len(),
            comment.created.unwrap().to_string(),
        )
    });
    let (first, second) = ("2026-09-05T13:04:00.000Z".to_owned(), "2026-09-06T13:04:00.000Z".to_owned());
    let expected = [
        ("ada", 9_000, first.clone()),
        ("ada", 5_000, first),
        ("grace", 10_000, second.clone()),
        ("grace", 1, second),
    ];
    assert_eq!(comments.collect::<Vec<_>>(), expected);
    assert_eq!(reasons(&export), [DeviationReason::TextContinued; 3]);
}

#[test]
fn texts_without_a_title_or_with_nul_are_mapped() {
    let export = read(json!([{ "id": 1, "number": 1, "title": " \u{200b}", "body": "a\u{0}b" }]));
    assert_eq!(export.issues[0].name.as_str(), "#1");
    assert_eq!(export.issues[0].description.as_str(), "ab");
    assert_eq!(reasons(&export), [DeviationReason::NoTitle, DeviationReason::NulRemoved]);
}

#[test]
fn an_issue_has_at_most_a_hundred_labels() {
    let labels: Vec<String> = (0..101).map(|number| format!("label {number}")).collect();
    let export = read(json!([{ "id": 1, "number": 1, "title": "Many", "labels": labels }]));
    assert_eq!(export.issues[0].labels.len(), 100);
    assert_eq!(export.deviations[0].value, "label 100");
}

#[test]
fn labels_that_differ_in_case_alone_are_one_in_every_script() {
    let export = read(json!([
        { "id": 1, "number": 1, "title": "a", "labels": ["Straße", "Ärger"] },
        { "id": 2, "number": 2, "title": "b", "labels": ["STRASSE", "a\u{308}rger", "ärger"] },
    ]));
    assert_eq!(export.issues[1].labels, export.issues[0].labels);
    assert_eq!(reasons(&export), [DeviationReason::LabelMerged; 3]);
}

#[test]
fn circles_of_parents_are_cut_and_others_stay() {
    let parent = |number| format!("https://api.github.com/repos/example/gear/issues/{number}");
    let issue = |number: u64, above: u64| {
        let (url, above) = (parent(number), parent(above));
        json!({ "id": number, "number": number, "title": "a", "url": url, "parent_issue_url": above })
    };
    let export = read(json!([issue(1, 2), issue(2, 3), issue(3, 1), issue(4, 1), issue(5, 5), issue(6, 99)]));
    let parents: Vec<_> = export.issues.iter().map(|issue| issue.parent.as_deref().unwrap_or("-")).collect();
    let key = |number: u64| format!("example/gear#{number}");
    assert_eq!(parents, [&key(2), &key(3), "-", &key(1), "-", &key(99)]);
    assert_eq!(reasons(&export), [DeviationReason::Circular; 2]);
}

#[test]
fn jiras_columns_are_read_by_their_places() {
    // Names repeat, and rows are shorter or longer than the header.
    let csv = "Issue key;Issue id;Summary;Labels;Labels;Comment;Comment;Labels\r\n\
        GEAR-1;1;One;a;;first;\"02/Jan/26 3:04 PM;ada;a; b\";c\r\n\
        GEAR-2;2;Two\r\n";
    let export = jira::read(csv.as_bytes(), &ReadOptions::default()).unwrap();
    let labels: Vec<&str> = export.issues[0].labels.iter().map(|label| label.as_str()).collect();
    assert_eq!(labels, ["a", "c"]);
    let comments: Vec<_> = export.issues[0].comments.iter().map(|comment| comment.body.as_str()).collect();
    assert_eq!(comments, ["first", "a; b"]);
    assert_eq!(export.issues.len(), 2);
    assert!(export.deviations.is_empty());
}

#[test]
fn own_fields_of_one_line_are_plain_and_longer_ones_are_markup() {
    let csv = "Issue key,Issue id,Summary,Custom field (A),Custom field (B)\n\
        GEAR-1,1,One,*1*3*,\"*a*\n# b\"\n";
    let export = jira::read(csv.as_bytes(), &ReadOptions::default()).unwrap();
    let fields = &export.issues[0].fields;
    assert_eq!(fields["Custom field (A)"], "*1*3*");
    assert_eq!(fields["Custom field (B)"], "**a**\n\n1. b");
}

#[test]
fn an_id_beyond_64_bits_keeps_its_digits() {
    let export = github::read(
        br#"[{"id": 18446744073709551617, "number": 1, "title": "a"}]"#,
        &ReadOptions::default(),
    );
    assert_eq!(export.unwrap().issues[0].source_id, "18446744073709551617");
}

#[test]
fn a_full_list_of_actions_is_told() {
    let action = json!({ "id": "1", "type": "updateCard", "data": {} });
    let board = json!({ "lists": [], "cards": [], "actions": vec![action; 1_000] });
    let export = exchange::trello::read(board.to_string().as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(reasons(&export), [DeviationReason::ActionsCapped]);
}
