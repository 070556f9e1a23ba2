//! Git's own program.

use std::path::Path;
use std::process::Command;

use anyhow::Result;

use crate::process::output;
use crate::stack::Stack;

/// Git without the configuration of this machine.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut git = Command::new("git");
    git.args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
    git.env("GIT_TERMINAL_PROMPT", "0").env("NO_PROXY", "*").env("no_proxy", "*");
    git
}

/// Makes a bare clone with the demonstration key.
pub(crate) fn clone_bare(stack: &Stack, url: &str, folder: &Path) -> Result<()> {
    let mut git = command(&["clone", "--quiet", "--bare", url]);
    git.arg(folder).env("GIT_CONFIG_COUNT", "1").env("GIT_CONFIG_KEY_0", "http.extraHeader");
    git.env("GIT_CONFIG_VALUE_0", format!("Authorization: Bearer {}", stack.ready.api_key));
    output("git clone", &mut git).map(drop)
}

/// The URL of a project's repository.
pub(crate) fn url(stack: &Stack, project: &str) -> String {
    format!("{}/git/{project}.git", stack.ready.control_url)
}
