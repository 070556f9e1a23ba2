//! Detection of a source file's language by name and content. The languages are those of GitHub's Linguist.

use std::path::Path;
use std::sync::LazyLock;

use linguist::{DetectedLanguage, definitions, detect_language, detect_language_by_extension};
use linguist_types::LanguageType;

/// Linguist's name for notebooks of Jupyter.
pub(super) const NOTEBOOK: &str = "Jupyter Notebook";

/// Bytes of content that heuristics search.
const CONTENT_MAX_BYTES: usize = 50 * 1024;

/// Languages of markup and data, by Linguist's types, that count as source here.
const ALSO_SOURCE: [&str; 16] = [
    NOTEBOOK,
    "Astro",
    "CSS",
    "GraphQL",
    "HTML",
    "Less",
    "Protocol Buffer",
    "SCSS",
    "SQL",
    "Sass",
    "Stylus",
    "Svelte",
    "TeX",
    "Vue",
    "HTML+ERB",
    "Blade",
];

/// The language of a file by name and beginning; `None` if it isn't source.
pub(super) fn of(name: &str, beginning: &str) -> Option<&'static str> {
    let content = beginning.get(..beginning.floor_char_boundary(CONTENT_MAX_BYTES)).unwrap_or_default();
    // Linguist compares the last component, which `..` lacks.
    let path = Path::new(name);
    let lower = name.to_lowercase();
    let detected = [path, Path::new(&lower)].into_iter().find_map(|path| {
        // A heuristic that takes too long fails; the extension remains.
        let found = detect_language(path, Some(content)).or_else(|_| detect_language_by_extension(path));
        choose(path, found.unwrap_or_default())
    });
    let detected = detected.or_else(|| by_shebang(content))?;
    is_source(detected).then_some(detected)
}

/// The language with a name or alias, in any case.
pub(super) fn named(name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase();
    let by_alias = |aliases: &[String]| aliases.contains(&name);
    let found = definitions::LANGUAGES.iter().find(|(known, language)| {
        known.to_lowercase() == name || language.aliases.as_deref().is_some_and(by_alias)
    });
    found.map(|(known, _)| known.as_str())
}

/// Of several languages with the same extension, the one that lists it first.
fn choose(path: &Path, found: Vec<DetectedLanguage>) -> Option<&'static str> {
    let extension =
        format!(".{}", path.extension().and_then(|extension| extension.to_str()).unwrap_or_default());
    let own = |language: &&DetectedLanguage| {
        language
            .definition
            .extensions
            .as_ref()
            .and_then(|all| all.first())
            .is_some_and(|first| *first == extension)
    };
    found.iter().find(own).or_else(|| found.first()).map(|language| language.name)
}

fn is_source(language: &str) -> bool {
    let definition = definitions::LANGUAGES.get(language);
    let is_programming =
        definition.is_some_and(|language| language.language_type == LanguageType::Programming);
    is_programming || ALSO_SOURCE.contains(&language)
}

/// Languages by interpreter.
static INTERPRETERS: LazyLock<Vec<(&'static str, &'static str)>> = LazyLock::new(|| {
    let mut interpreters: Vec<(&str, &str)> = definitions::LANGUAGES
        .iter()
        .flat_map(|(name, language)| {
            language.interpreters.iter().flatten().map(move |by| (by.as_str(), name.as_str()))
        })
        .collect();
    interpreters.sort_unstable();
    interpreters
});

/// The language of the interpreter in the first line, as in `#!/usr/bin/env -S python3.12 -u`.
fn by_shebang(content: &str) -> Option<&'static str> {
    let mut words = content.lines().next()?.strip_prefix("#!")?.split_whitespace();
    let last_part = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    let mut program = last_part(words.next()?);
    if program == "env" {
        program = last_part(words.find(|word| !word.starts_with('-') && !word.contains('='))?);
    }
    let plain = program.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let known =
        |program: &str| INTERPRETERS.iter().find(|(by, _)| *by == program).map(|(_, language)| *language);
    known(&program).or_else(|| known(plain))
}

#[cfg(test)]
mod tests {
    use super::{named, of};

    #[test]
    fn languages_are_found_by_name_in_any_case_and_by_alias() {
        for (name, language) in [
            ("python", Some("Python")),
            ("R", Some("R")),
            ("c++", Some("C++")),
            ("golang", Some("Go")),
            ("qu", None),
        ] {
            assert_eq!(named(name), language, "{name}");
        }
    }

    #[test]
    fn languages_are_detected_by_name_then_by_content() {
        for (name, content, language) in [
            ("a.rs", "fn main() {}", Some("Rust")),
            ("A.PY", "", Some("Python")),
            ("Makefile", "all:", Some("Makefile")),
            ("Dockerfile", "FROM scratch", Some("Dockerfile")),
            ("a.h", "#include <vector>\nclass A {};", Some("C++")),
            ("a.h", "int a;", Some("C")),
            ("a.m", "@interface A", Some("Objective-C")),
            ("a.m", "function y = f(x)\n% f\n", Some("MATLAB")),
            ("a.ts", "let a: number;", Some("TypeScript")),
            ("a.sql", "select 1;", Some("SQL")),
            ("run", "#!/usr/bin/env -S python3.12 -u\n", Some("Python")),
            ("run", "#!/bin/bash", Some("Shell")),
            ("run", "#!", None),
            ("a.csv", "a,b", None),
            ("a.md", "# a", None),
            ("a.json", "{}", None),
            ("LICENSE", "MIT", None),
            ("notes.txt", "a", None),
            ("..", "a", None),
        ] {
            assert_eq!(of(name, content), language, "{name} {content}");
        }
    }
}
