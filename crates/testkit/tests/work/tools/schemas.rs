//! Schemas of tools, compared with requests and answers.

use serde_json::{Value, json};

use crate::tools::support::{ToolSession, structured};

#[tokio::test]
async fn every_tool_has_self_contained_schemas_and_a_name_that_models_accept() {
    let session = ToolSession::open().await;
    let tools = session.tools(&session.caller).await;
    assert!(tools.len() > 60, "{}", tools.len());
    for tool in &tools {
        let name = format!("{}__{}", tool["toolbox"].as_str().unwrap(), tool["name"].as_str().unwrap());
        let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        assert!(name.len() <= 64 && name.chars().all(allowed), "{name}");
        for schema in ["inputSchema", "outputSchema"] {
            let schema = &tool[schema];
            assert_eq!(schema["type"], "object", "{name}");
            jsonschema::draft202012::new(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
        let needed = tool["inputSchema"]["required"].as_array().unwrap();
        assert!(
            ["projectId", "orgId", "branch"].iter().all(|filled| !needed.contains(&json!(filled))),
            "{name}"
        );
    }
}

#[tokio::test]
async fn a_tool_that_can_delete_or_change_says_so() {
    let session = ToolSession::open().await;
    let tools = session.tools(&session.caller).await;
    let mut destructive = Vec::new();
    for tool in &tools {
        let (name, hints) = (tool["name"].as_str().unwrap(), &tool["annotations"]);
        let schema = tool["inputSchema"].to_string();
        let can_delete = schema.contains(r#""const":"delete""#) || name.starts_with("delete_");
        let can_change = schema.contains(r#""const":"update""#) || name.starts_with("update_");
        assert!(!(can_delete || can_change) || hints["destructiveHint"] == true, "{name}");
        assert!(hints["readOnlyHint"] == false || hints["destructiveHint"] == false, "{name}");
        if hints["destructiveHint"] == true {
            destructive.push(name);
        }
    }
    for name in ["change_cards", "batch_objects", "delete_card", "update_object"] {
        assert!(destructive.contains(&name), "{name} is not in {destructive:?}");
    }
    assert!(!destructive.contains(&"create_card"), "{destructive:?}");
}

#[tokio::test]
async fn answers_of_tools_are_valid_by_their_schemas() {
    let session = ToolSession::open().await;
    let card = session.invoke("cards", "create_card", json!({ "name": "Grind" })).await.expect(200);
    let card = structured(&card)["card"]["id"].clone();
    let team = session.invoke("teams", "list_teams", json!({})).await.expect(200);
    assert_eq!(structured(&team)["teams"], json!([]));
    for (toolbox, tool, params) in [
        ("project", "get_project", json!({})),
        ("project", "get_tree", json!({})),
        ("project", "list_objects", json!({ "limit": 1 })),
        ("project", "create_object", json!({ "name": "Tooth" })),
        ("project", "get_changes", json!({})),
        ("project", "batch_objects", json!({ "operations": [{ "op": "create", "name": "Rim" }] })),
        ("cards", "get_card", json!({ "cardId": card })),
        ("cards", "list_cards", json!({})),
        ("cards", "update_card", json!({ "cardId": card, "isOpen": false })),
        ("cards", "delete_card", json!({ "cardId": card })),
    ] {
        let schema = schema_of(&session, toolbox, tool, "inputSchema").await;
        assert!(jsonschema::draft202012::is_valid(&schema, &params), "{tool}: {params}");
        let answer = session.invoke(toolbox, tool, params).await.expect(200);
        let schema = schema_of(&session, toolbox, tool, "outputSchema").await;
        jsonschema::draft202012::validate(&schema, &structured(&answer))
            .unwrap_or_else(|error| panic!("{tool}: {error}"));
    }
}

async fn schema_of(session: &ToolSession, toolbox: &str, tool: &str, which: &str) -> Value {
    let tools = session.tools(&session.caller).await;
    let found = tools.iter().find(|one| one["toolbox"] == toolbox && one["name"] == tool);
    found.unwrap_or_else(|| panic!("{tool} is not listed"))[which].clone()
}
