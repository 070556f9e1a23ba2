//! Names whose content a shell or an editor executes in its folder. A file system may take another spelling for such a
//! name.

/// Names of folders and files whose content a shell, its prompt or an editor executes where it is in a folder.
const EXECUTED: &[&str] = &[
    // Read by `hg`, `svn` and others, which prompts of shells call.
    ".bzr",
    ".fslckout",
    ".hg",
    ".jj",
    ".svn",
    "_darcs",
    "_fossil_",
    // Shells and their hooks on a change of the folder.
    ".autoenv",
    ".autoenv.zsh",
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".env",
    ".env.leave",
    ".envrc",
    ".inputrc",
    ".kshrc",
    ".login",
    ".logout",
    ".mise",
    ".mise.toml",
    ".profile",
    ".rtx.toml",
    ".shrc",
    ".tcshrc",
    ".tool-versions",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
    "autorun.inf",
    "desktop.ini",
    "mise.toml",
    // Editors, and agents within them.
    ".claude",
    ".codex",
    ".cursor",
    ".devcontainer",
    ".dir-locals-2.el",
    ".dir-locals.el",
    ".emacs",
    ".emacs.d",
    ".exrc",
    ".gdbinit",
    ".gemini",
    ".gvimrc",
    ".idea",
    ".kakrc",
    ".lldbinit",
    ".local.vimrc",
    ".lvimrc",
    ".mcp.json",
    ".nvim.lua",
    ".nvimrc",
    ".rprofile",
    ".sublime-project",
    ".vim",
    ".vimrc",
    ".vs",
    ".vscode",
    ".windsurf",
    ".zed",
    "_exrc",
    "_gvimrc",
    "_vimrc",
];

/// True for a name whose content a shell or an editor executes without being asked, in the folder that has it.
pub(crate) fn is_executed_name(name: &str) -> bool {
    EXECUTED.contains(&lenient(name).as_str())
}

/// The name as the most lenient file system takes it: without regard to case, without ignored characters, a stream's name,
/// and dots and spaces at its end.
pub(crate) fn lenient(name: &str) -> String {
    let (name, _) = name.split_once([':', '\\']).unwrap_or((name, ""));
    let visible = name.chars().filter(|c| !is_ignorable(*c));
    let name: String = visible.map(|c| c.to_ascii_lowercase()).collect();
    name.trim_end_matches(['.', ' ']).to_owned()
}

/// True for characters that file systems and fonts ignore (`Default_Ignorable_Code_Point` of Unicode), and for controls.
fn is_ignorable(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}'
            | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::{EXECUTED, is_executed_name, lenient};

    #[test]
    fn what_shells_and_editors_execute_is_known_in_every_case() {
        for name in [".envrc", ".VSCode", ".bashrc.", "Desktop.ini", ".hg", ".vscode::$DATA"] {
            assert!(is_executed_name(name), "{name:?}");
        }
        for name in [".gitignore", ".editorconfig", "Makefile", "vimrc", "env", "Model"] {
            assert!(!is_executed_name(name), "{name:?}");
        }
        let wrong: Vec<_> = EXECUTED.iter().filter(|name| lenient(name) != **name).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
