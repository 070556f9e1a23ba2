//! Prompts for usual work. A prompt names the tools that it needs in backticks, and is offered with them.

use std::collections::BTreeSet;

use agent::mcp::{self, RpcFailure};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

/// A prompt with arguments, all of which are required. `{name}` stands for the argument of that name.
struct PromptTemplate {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    arguments: &'static [(&'static str, &'static str)],
    text: &'static str,
}

const PROJECT: (&str, &str) =
    ("projectId", "The project's id, or its id with a branch: {projectId}--{branch}.");
const ORGANIZATION: (&str, &str) = ("orgId", "The organization's id.");
const TEAM: (&str, &str) = ("teamId", "The team's id.");

static PROMPTS: [PromptTemplate; 6] = [
    PromptTemplate {
        name: "explain_project",
        title: "Explain a project",
        description: "Describes what a project holds and how it is built up.",
        arguments: &[PROJECT],
        text: "Read the project {projectId} with `get_project` and its tree with `get_tree`; read the objects that matter \
               most with `get_object`. Then explain in a few paragraphs what the project is for, how its objects belong \
               together, and what seems unfinished.",
    },
    PromptTemplate {
        name: "review_changes",
        title: "Review and commit changes",
        description: "Reviews the uncommitted changes of a branch and commits them after your consent.",
        arguments: &[PROJECT, ("branch", "The branch, for example main.")],
        text: "Read the uncommitted changes of the branch {branch} of the project {projectId} with `get_changes`. Summarise \
               what was added, changed and deleted, and point out what looks like a mistake. Propose a commit message. \
               Commit with `create_commit` only after I agree.",
    },
    PromptTemplate {
        name: "plan_work",
        title: "Plan work as cards",
        description: "Splits a goal into cards of a project.",
        arguments: &[PROJECT, ("goal", "The goal to reach.")],
        text: "The goal in the project {projectId}: {goal}\n\nRead the cards that exist with `list_cards`, so that none is \
               made twice. Split the goal into cards that one person finishes in a day or two, each with a name that says \
               the outcome and a description that says when it is done. Show me the list first, then create the cards \
               with `create_card`.",
    },
    PromptTemplate {
        name: "triage_cards",
        title: "Triage open cards",
        description: "Finds cards that are stale, unclear or without an assignee, and proposes what to do.",
        arguments: &[PROJECT],
        text: "Read the open cards of the project {projectId} with `list_cards` and its tags with `list_card_tags`. Group \
               them: overdue, without an assignee, unclear, seemingly done. Propose a change for each. Apply the changes \
               that I accept with `update_card` and `tag_card`.",
    },
    PromptTemplate {
        name: "prepare_sprint",
        title: "Prepare a sprint",
        description: "Proposes which cards a team takes into its next sprint.",
        arguments: &[ORGANIZATION, TEAM],
        text: "For the team {teamId} of the organization {orgId}: read its sprints with `list_sprints`, its board with \
               `get_board`, and the cards that it can take with `list_available_cards`. Propose a goal and the cards for \
               the next sprint, with regard to what the last one completed. After I agree, make the sprint with \
               `create_sprint` if no sprint is planned, and place the cards with `place_card`.",
    },
    PromptTemplate {
        name: "report_sprint",
        title: "Report a sprint",
        description: "Summarises a team's current sprint for people outside of the team.",
        arguments: &[ORGANIZATION, TEAM],
        text: "For the team {teamId} of the organization {orgId}: find the active sprint with `list_sprints`, and read its \
               figures with `get_sprint_report`. Write a report of at most 200 words: what was reached, what is open, what \
               is at risk. Name cards by their names.",
    },
];

/// The prompts whose tools are all among `tools`.
///
/// # Errors
/// [`RpcFailure`].
pub fn list(tools: &BTreeSet<&str>) -> Result<Box<RawValue>, RpcFailure> {
    let prompts: Vec<Value> = offered(tools).map(listing).collect();
    mcp::result(&json!({ "prompts": prompts }))
}

/// The messages of a prompt.
///
/// # Errors
/// [`RpcFailure::Refused`] for an unknown prompt, and for missing, unknown or ill-typed arguments.
pub fn get(tools: &BTreeSet<&str>, params: &Map<String, Value>) -> Result<Box<RawValue>, RpcFailure> {
    let name = params.get("name").and_then(Value::as_str).unwrap_or_default();
    let prompt = offered(tools).find(|prompt| prompt.name == name);
    let prompt = prompt.ok_or_else(|| RpcFailure::invalid_params(format!("there is no prompt `{name}`")))?;
    let none = Map::new();
    let given = params.get("arguments").and_then(Value::as_object).unwrap_or(&none);
    if let Some(unknown) = given.keys().find(|name| !prompt.arguments.iter().any(|(known, _)| known == name))
    {
        return Err(RpcFailure::invalid_params(format!("the prompt has no argument `{unknown}`")));
    }
    let mut text = prompt.text.to_owned();
    for (name, _) in prompt.arguments {
        let value = given.get(*name).and_then(Value::as_str).filter(|value| !value.trim().is_empty());
        let value = value.ok_or_else(|| RpcFailure::invalid_params(format!("`{name}` must be a text")))?;
        text = text.replace(&format!("{{{name}}}"), value);
    }
    let message = json!({ "role": "user", "content": { "type": "text", "text": text } });
    mcp::result(&json!({ "description": prompt.description, "messages": [message] }))
}

fn offered<'a>(tools: &'a BTreeSet<&str>) -> impl Iterator<Item = &'static PromptTemplate> + use<'a> {
    PROMPTS.iter().filter(|prompt| prompt.tools().all(|tool| tools.contains(tool)))
}

fn listing(prompt: &PromptTemplate) -> Value {
    let argument = |(name, description): &(&str, &str)| json!({ "name": name, "description": description, "required": true });
    json!({
        "name": prompt.name,
        "title": prompt.title,
        "description": prompt.description,
        "arguments": prompt.arguments.iter().map(argument).collect::<Vec<_>>(),
    })
}

impl PromptTemplate {
    /// The words of its text in backticks.
    fn tools(&self) -> impl Iterator<Item = &'static str> {
        self.text.split('`').skip(1).step_by(2)
    }
}
