//! The settings of the programs, read from the generated page `docs/settings.md`.

use std::collections::{BTreeMap, BTreeSet};

/// Settings by program.
pub(super) struct Programs {
    programs: BTreeMap<String, Settings>,
}

/// The settings of one program, by the names of their variables.
#[derive(Default)]
pub(super) struct Settings {
    /// Every setting with its default, if any.
    pub(super) defaults: BTreeMap<String, Option<String>>,
    /// Settings without which the program doesn't start.
    pub(super) required: BTreeSet<String>,
}

impl Programs {
    /// Reads the page.
    pub(super) fn parse(page: &str) -> Self {
        let sections = page.split("\n## ").skip(1);
        let programs = sections.map(|section| {
            let (name, text) = section.split_once('\n').unwrap_or((section, ""));
            (name.trim().to_owned(), Settings::parse(text))
        });
        Self { programs: programs.collect() }
    }

    /// The settings of a program.
    pub(super) fn of(&self, program: &str) -> Option<&Settings> {
        self.programs.get(program)
    }

    /// True if any program has the setting.
    pub(super) fn know(&self, name: &str) -> bool {
        self.programs.values().any(|settings| settings.defaults.contains_key(name))
    }
}

impl Settings {
    /// Parses a help text. It has `--flag`, and on that line or below `[env: NAME=]` and `[default: VALUE]`. Required
    /// flags are those outside of brackets in the usage line.
    fn parse(text: &str) -> Self {
        let usage = text.lines().find(|line| line.starts_with("Usage:")).unwrap_or_default();
        let demanded: BTreeSet<&str> =
            usage.split_whitespace().filter(|word| word.starts_with("--")).collect();
        let mut settings = Self::default();
        let (mut flag, mut name) = ("", None);
        for line in text.lines() {
            let begun = line.split_whitespace().find(|word| word.starts_with("--"));
            if let Some(begun) = begun.filter(|_| line.trim_start().starts_with('-')) {
                (flag, name) = (begun, None);
            }
            if let Some(variable) = between(line, "[env: ", &['=', ']']) {
                settings.defaults.insert(variable.to_owned(), None);
                if demanded.contains(flag) {
                    settings.required.insert(variable.to_owned());
                }
                name = Some(variable);
            }
            if let (Some(name), Some(default)) = (name, between(line, "[default: ", &[']'])) {
                settings.defaults.insert(name.to_owned(), Some(default.to_owned()));
            }
        }
        settings
    }
}

/// The text between `start` and the first of the characters `end`.
fn between<'a>(line: &'a str, start: &str, end: &[char]) -> Option<&'a str> {
    let (_, rest) = line.split_once(start)?;
    rest.split(end).next()
}

#[cfg(test)]
mod tests {
    use super::Programs;
    use crate::deploy::tests::SETTINGS;

    #[test]
    fn both_forms_of_help_are_parsed() {
        let programs = Programs::parse(SETTINGS);
        for program in ["control", "dataplane"] {
            let settings = programs.of(program).unwrap();
            assert!(settings.defaults.len() > 20, "{program}: {}", settings.defaults.len());
            assert_eq!(settings.defaults["ATELIER_SHUTDOWN_GRACE_SECS"].as_deref(), Some("30"), "{program}");
            assert!(settings.required.contains("ATELIER_DATABASE_URL"), "{program}");
        }
        assert!(programs.of("control").unwrap().required.contains("ATELIER_GRANT_KEY_FILE"));
        assert!(!programs.know("ATELIER_NOTHING"));
    }

    #[test]
    fn a_page_in_another_form_has_no_settings() {
        assert!(Programs::parse("# Settings").of("control").is_none());
    }
}
