//! Which language a source file is in, by its name and what it holds. The languages are those of GitHub's Linguist.

use std::path::Path;
use std::sync::LazyLock;

use linguist::{DetectedLanguage, definitions, detect_language, detect_language_by_extension};
use linguist_types::LanguageType;

/// What Jupyter's notebooks are called there.
pub(super) const NOTEBOOK: &str = "Jupyter Notebook";

/// Bytes of content that heuristics look at.
const CONTENT: usize = 50 * 1024;

/// What people write as source and Linguist counts as markup or data.
const SOURCE_TOO: [&str; 16] = [
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

/// The language of a file of this name that begins like this; `None` where it is no source.
pub(super) fn of(name: &str, beginning: &str) -> Option<&'static str> {
    let content = beginning.get(..beginning.floor_char_boundary(CONTENT)).unwrap_or_default();
    // Names are compared by their last part, and there is none in `..`.
    let path = Path::new(name);
    let lower = name.to_lowercase();
    let detected = [path, Path::new(&lower)].into_iter().find_map(|path| {
        // A heuristic that takes too long is an error; then the extension alone says what it can.
        let found = detect_language(path, Some(content)).or_else(|_| detect_language_by_extension(path));
        choose(path, found.unwrap_or_default())
    });
    let detected = detected.or_else(|| by_shebang(content))?;
    is_source(detected).then_some(detected)
}

/// The language that somebody calls so, by its name or another that it goes by.
pub(super) fn named(name: &str) -> Option<&'static str> {
    let name = name.trim().to_lowercase();
    let by_alias = |aliases: &[String]| aliases.contains(&name);
    let found = definitions::LANGUAGES.iter().find(|(known, language)| {
        known.to_lowercase() == name || language.aliases.as_deref().is_some_and(by_alias)
    });
    found.map(|(known, _)| known.as_str())
}

/// Of several languages that share an extension that which lists it first, as its own.
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
    is_programming || SOURCE_TOO.contains(&language)
}

/// Languages by the programs that run them.
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

/// The language of the program that the first line says to run it with: `#!/usr/bin/env -S python3.12 -u`.
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
    fn a_language_is_known_by_its_name_in_any_case_and_by_others() {
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
    fn a_language_is_told_by_name_then_by_content() {
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
