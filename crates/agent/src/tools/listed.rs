//! The tools of a session, and those that models are given.

use domain::mcp_server::OWN_TOOLBOXES;
use domain::tool::{LeftOutReason, LeftOutTool, Tool};

/// Most tools that providers of models take in one request.
const MODEL_TOOLS_MAX: usize = 128;

/// The tools of a session.
#[derive(Clone, Debug, Default)]
pub struct ToolList {
    /// Those that can be used, sorted by toolbox.
    pub tools: Vec<Tool>,
    /// Those of MCP servers that can't, and those that models are not given.
    pub left_out: Vec<LeftOutTool>,
}

impl ToolList {
    /// The tools of these toolboxes that models are given, the service's own first; `None`: of all toolboxes.
    pub(crate) fn into_model_tools(mut self, toolboxes: Option<&[String]>) -> Vec<Tool> {
        self.tools.retain(|tool| is_in(tool, toolboxes));
        self.tools.sort_by_key(is_foreign);
        self.tools.truncate(MODEL_TOOLS_MAX);
        self.tools
    }

    /// Names the tools that models are not given, because there are too many.
    pub(super) fn tell_beyond_models(&mut self, toolboxes: Option<&[String]>) {
        let mut asked: Vec<&Tool> = self.tools.iter().filter(|tool| is_in(tool, toolboxes)).collect();
        asked.sort_by_key(|tool| is_foreign(tool));
        let beyond = asked.into_iter().skip(MODEL_TOOLS_MAX).map(|tool| LeftOutTool {
            toolbox: tool.toolbox.clone(),
            name: tool.name.clone(),
            reason: LeftOutReason::BeyondModels,
            detail: None,
        });
        self.left_out.extend(beyond.collect::<Vec<_>>());
    }
}

fn is_in(tool: &Tool, toolboxes: Option<&[String]>) -> bool {
    toolboxes.is_none_or(|names| names.contains(&tool.toolbox))
}

fn is_foreign(tool: &Tool) -> bool {
    !OWN_TOOLBOXES.contains(&tool.toolbox.as_str())
}
