//! Patterns of paths that no shell has expanded: in quotes, in scripts, and in shells that expand none.

use std::fs;
use std::path::{Path, PathBuf};

use glob::MatchOptions;

use crate::failure::{CommandFailure, CommandResult};

/// The paths that a typed one means: itself, or those that match it as a pattern, in their order. A pattern that nothing
/// matches is a path, whose failure names it.
pub(crate) fn expand(path: &Path) -> CommandResult<Vec<PathBuf>> {
    let itself = vec![path.to_owned()];
    let Some(pattern) = path.to_str().filter(|text| text.contains(['*', '?', '['])) else {
        return Ok(itself);
    };
    if fs::symlink_metadata(path).is_ok() {
        return Ok(itself);
    }
    // As in shells, names that begin with a dot have to be typed.
    let options = MatchOptions { require_literal_leading_dot: true, ..MatchOptions::new() };
    let found = glob::glob_with(pattern, options)
        .map_err(|error| CommandFailure::usage(format!("{pattern} is not a pattern: {}", error.msg)))?;
    // A folder that can't be read is a path that fails.
    let found: Vec<PathBuf> =
        found.map(|found| found.unwrap_or_else(|error| error.path().to_owned())).collect();
    Ok(if found.is_empty() { itself } else { found })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::expand;

    #[test]
    fn a_pattern_means_what_matches_it_unless_a_file_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        for name in ["b.step", "a.step", ".c.step", "d.txt", "[1].txt"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        let names = |pattern: &str| -> Vec<String> {
            let found = expand(&folder.path().join(pattern)).unwrap();
            found.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect()
        };
        assert_eq!(names("*.step"), ["a.step", "b.step"]);
        assert_eq!(names("?.txt"), ["d.txt"]);
        assert_eq!(names("[1].txt"), ["[1].txt"]);
        assert_eq!(names("*.stp"), ["*.stp"]);
        assert!(expand(Path::new("a***")).is_err());
    }
}
