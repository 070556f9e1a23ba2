//! The tools of a session, and those that models are given.

use std::collections::BTreeMap;

use domain::work::mcp_server::OWN_TOOLBOXES;
use domain::work::tool::{LeftOutReason, LeftOutTool, Tool, ToolChange};

/// Most tools that providers of models take in one request.
const MODEL_TOOLS_MAX: usize = 128;
/// Longest description that providers of models take, in characters.
pub(crate) const MODEL_DESCRIPTION_MAX_CHARS: usize = 1_024;

/// The tools of a session.
#[derive(Clone, Debug, Default)]
pub struct ToolList {
    /// Those that can be used, sorted by toolbox.
    pub tools: Vec<Tool>,
    /// Those of MCP servers that can't, and those that models are not given.
    pub left_out: Vec<LeftOutTool>,
    /// The changes of tools of MCP servers that can be used.
    pub changes: Vec<ToolChange>,
}

impl ToolList {
    /// The tools of these toolboxes that models are given, the service's own first; `None`: of all toolboxes.
    pub(crate) fn into_model_tools(mut self, toolboxes: Option<&[String]>) -> Vec<Tool> {
        let beyond = self.beyond_models(toolboxes);
        self.tools.retain(|tool| is_in(tool, toolboxes) && !beyond.contains_key(&tool.toolbox));
        self.tools.sort_by_key(|tool| is_foreign(&tool.toolbox));
        self.tools
    }

    /// Names the toolboxes that models are not given, because there are too many tools.
    pub(super) fn tell_beyond_models(&mut self, toolboxes: Option<&[String]>) {
        let beyond = self.beyond_models(toolboxes).into_iter().map(|(toolbox, tools)| LeftOutTool {
            toolbox,
            name: String::new(),
            reason: LeftOutReason::BeyondModels,
            detail: Some(format!("{tools} tools")),
        });
        self.left_out.extend(beyond);
    }

    /// The toolboxes for which there is no room, with the number of their tools. Half a toolbox would be of little use.
    fn beyond_models(&self, toolboxes: Option<&[String]>) -> BTreeMap<String, usize> {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for tool in self.tools.iter().filter(|tool| is_in(tool, toolboxes)) {
            *counts.entry(&tool.toolbox).or_default() += 1;
        }
        let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
        counts.sort_by_key(|(toolbox, _)| is_foreign(toolbox));
        let (mut room, mut beyond) = (MODEL_TOOLS_MAX, BTreeMap::new());
        for (toolbox, count) in counts {
            match room.checked_sub(count) {
                Some(left) => room = left,
                None => {
                    beyond.insert(toolbox.to_owned(), count);
                }
            }
        }
        beyond
    }
}

fn is_in(tool: &Tool, toolboxes: Option<&[String]>) -> bool {
    toolboxes.is_none_or(|names| names.contains(&tool.toolbox))
}

fn is_foreign(toolbox: &str) -> bool {
    !OWN_TOOLBOXES.contains(&toolbox)
}
