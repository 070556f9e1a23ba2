//! Reads Rust sources as far as the rules need it: which modules a crate has, which of them each one names, and which
//! types it declares. Works on tokens, so that comments and texts don't count and the insides of macros do.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Result, anyhow};
use proc_macro2::{Delimiter, TokenStream, TokenTree};

/// A path of a module or an item, from the root of its crate.
pub(super) type Path = Vec<String>;

/// The sources of one crate, without its tests.
pub(super) struct Crate {
    /// The folder that holds the root, `crates/git/src`.
    pub(super) folder: String,
    /// The modules that are files, by their paths. The root's is empty.
    pub(super) modules: BTreeMap<Path, Module>,
}

/// One file.
#[derive(Default)]
pub(super) struct Module {
    /// Paths that it names, from the root of the crate. The last parts may be items.
    pub(super) paths: BTreeSet<Path>,
    /// Names of the structs, enums, traits and aliases that it declares.
    pub(super) types: Vec<String>,
    /// Names that it imports, and the paths that they stand for.
    imports: BTreeMap<String, Path>,
    /// Modules that are compiled for tests alone.
    tests: Vec<String>,
}

impl Crate {
    /// Reads the files of a crate. Each comes with its path below `folder`.
    pub(super) fn parse(folder: &str, files: &[(&str, &str)]) -> Result<Self> {
        let names: BTreeSet<Path> = files.iter().filter_map(|(file, _)| module_of(file)).collect();
        let mut modules = BTreeMap::new();
        for (file, text) in files {
            let Some(path) = module_of(file) else { continue };
            let tokens: TokenStream = text.parse().map_err(|error| anyhow!("{folder}/{file}: {error}"))?;
            let tokens: Vec<TokenTree> = tokens.into_iter().collect();
            let mut scan = Scan { names: &names, path: path.clone(), module: Module::default() };
            scan.imports(&tokens);
            scan.tokens(&tokens, true);
            modules.insert(path, scan.module);
        }
        let tests: Vec<Path> = modules
            .iter()
            .flat_map(|(path, module)| module.tests.iter().map(|name| join(path, name)))
            .collect();
        modules.retain(|path, _| !tests.iter().any(|test| path.starts_with(test)));
        Ok(Self { folder: folder.to_owned(), modules })
    }

    /// The name of the crate's own folder, `git`.
    pub(super) fn name(&self) -> &str {
        self.folder.trim_end_matches("/src").rsplit('/').next().unwrap_or_default()
    }

    /// The modules that a module names, except itself and the root, which holds all of them.
    pub(super) fn uses(&self, from: &Path) -> BTreeSet<&Path> {
        let paths = self.modules.get(from).into_iter().flat_map(|module| &module.paths);
        paths.filter_map(|path| self.owner(path)).filter(|to| !to.is_empty() && *to != from).collect()
    }

    /// The module that declares an item. A name that the root exports again leads to where it comes from.
    fn owner(&self, path: &Path) -> Option<&Path> {
        let longest = |path: &Path| {
            let prefixes = (0..=path.len()).rev().filter_map(|length| path.get(..length));
            prefixes.map(<[String]>::to_vec).find_map(|prefix| self.modules.get_key_value(&prefix))
        };
        let (owner, root) = longest(path)?;
        let exported = path.split_first().filter(|_| owner.is_empty());
        let Some((target, rest)) = exported.and_then(|(name, rest)| Some((root.imports.get(name)?, rest)))
        else {
            return Some(owner);
        };
        Some(longest(&[target, rest].concat())?.0)
    }
}

/// The module of a file below the folder of the root; nothing for programs beside the root.
fn module_of(file: &str) -> Option<Path> {
    let stem = file.strip_suffix(".rs")?;
    match stem {
        "lib" | "main" => Some(Path::new()),
        _ if stem.starts_with("bin/") => None,
        _ => Some(stem.split('/').map(str::to_owned).collect()),
    }
}

fn join(path: &[String], name: &str) -> Path {
    path.iter().cloned().chain([name.to_owned()]).collect()
}

/// One file as it is read.
struct Scan<'a> {
    names: &'a BTreeSet<Path>,
    /// The path of the module that is read: the file's, or that of a module within it.
    path: Path,
    module: Module,
}

impl Scan<'_> {
    /// Notes what `use` brings in at the top of the file.
    fn imports(&mut self, tokens: &[TokenTree]) {
        let mut rest = tokens;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            if starts_test(first, after) {
                rest = after_item(after);
            } else if is_word(first, "use") {
                let mut found = Vec::new();
                tree(after, &Path::new(), &mut found);
                for (name, path) in found {
                    if let Some(path) = self.absolute(&path) {
                        self.module.imports.insert(name, path);
                    }
                }
            }
        }
    }

    /// Notes the paths among tokens, and at the level of items the types.
    fn tokens(&mut self, tokens: &[TokenTree], items: bool) {
        let mut rest = tokens;
        let mut joined = false;
        while let Some((first, after)) = rest.split_first() {
            rest = after;
            if starts_test(first, after) {
                rest = after_item(after);
                let item = after.get(..after.len() - rest.len()).unwrap_or_default();
                self.module.tests.extend(item.windows(2).find_map(|pair| declared(pair, "mod")));
                continue;
            }
            match first {
                TokenTree::Group(group) => {
                    self.tokens(&group.stream().into_iter().collect::<Vec<_>>(), false);
                }
                TokenTree::Ident(_) if items && is_word(first, "mod") => {
                    if let [TokenTree::Ident(name), TokenTree::Group(group), after @ ..] = after {
                        self.path.push(name.to_string());
                        self.tokens(&group.stream().into_iter().collect::<Vec<_>>(), true);
                        self.path.pop();
                        rest = after;
                    }
                }
                TokenTree::Ident(_) => {
                    let kinds = ["struct", "enum", "trait", "type", "union"];
                    if items
                        && let Some(name) =
                            kinds.iter().find_map(|kind| declared(rest_with(tokens, rest), kind))
                    {
                        self.module.types.push(name);
                    }
                    if !joined && is_joint(after) {
                        let mut found = Vec::new();
                        tree(rest_with(tokens, rest), &Path::new(), &mut found);
                        let absolute = found.iter().filter_map(|(_, path)| self.absolute(path));
                        let absolute: Vec<Path> = absolute.collect();
                        self.module.paths.extend(absolute);
                    }
                }
                _ => {}
            }
            // Behind a dot or a `::` a name belongs to what stands before.
            joined = matches!(first, TokenTree::Punct(punct) if matches!(punct.as_char(), ':' | '.'));
        }
    }

    /// A path from the root, where it leads to a module of this crate.
    fn absolute(&self, path: &[String]) -> Option<Path> {
        let (first, rest) = path.split_first()?;
        let mut base = match first.as_str() {
            "crate" => Path::new(),
            "self" => self.path.clone(),
            "super" => self.path.split_last()?.1.to_vec(),
            name if self.names.contains(&join(&self.path, name)) => join(&self.path, name),
            name => self.module.imports.get(name)?.clone(),
        };
        for part in rest {
            if part == "super" {
                base.pop();
            } else {
                base.push(part.clone());
            }
        }
        Some(base)
    }
}

/// The paths of a tree of imports, or the one path of an expression, each with the name that it brings in.
fn tree(tokens: &[TokenTree], base: &Path, found: &mut Vec<(String, Path)>) {
    let mut path = base.clone();
    let mut rest = tokens;
    loop {
        match rest {
            [TokenTree::Ident(part), after @ ..] => {
                if *part != "self" || path.is_empty() {
                    path.push(part.to_string());
                }
                if let [TokenTree::Ident(keyword), TokenTree::Ident(name), ..] = after
                    && *keyword == "as"
                {
                    return found.push((name.to_string(), path));
                }
                if !is_joint(after) {
                    break;
                }
                rest = after.get(2..).unwrap_or_default();
            }
            [TokenTree::Group(group), ..] if group.delimiter() == Delimiter::Brace && !path.is_empty() => {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_comma =
                    |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ',');
                return inner.split(is_comma).for_each(|branch| tree(branch, &path, found));
            }
            _ => break,
        }
    }
    if let Some(name) = path.last() {
        found.push((name.clone(), path));
    }
}

/// The tokens from the one before `rest` on.
fn rest_with<'a>(tokens: &'a [TokenTree], rest: &[TokenTree]) -> &'a [TokenTree] {
    tokens.get(tokens.len() - rest.len() - 1..).unwrap_or_default()
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if *ident == word)
}

/// The name of what a keyword declares.
fn declared(tokens: &[TokenTree], keyword: &str) -> Option<String> {
    match tokens {
        [first, TokenTree::Ident(name), ..] if is_word(first, keyword) => Some(name.to_string()),
        _ => None,
    }
}

/// Two colons.
fn is_joint(tokens: &[TokenTree]) -> bool {
    let colon = |token: &TokenTree| matches!(token, TokenTree::Punct(punct) if punct.as_char() == ':');
    matches!(tokens, [first, second, ..] if colon(first) && colon(second))
}

/// The beginning of `#[cfg(test)]`.
fn starts_test(first: &TokenTree, after: &[TokenTree]) -> bool {
    let hash = matches!(first, TokenTree::Punct(punct) if punct.as_char() == '#');
    hash && matches!(after.first(), Some(TokenTree::Group(group)) if group.stream().to_string().replace(' ', "") == "cfg(test)")
}

/// The tokens behind an item: it ends with a semicolon or a block.
fn after_item(tokens: &[TokenTree]) -> &[TokenTree] {
    let ends = |token: &TokenTree| match token {
        TokenTree::Punct(punct) => punct.as_char() == ';',
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        _ => false,
    };
    let end = tokens.iter().position(ends).map_or(tokens.len(), |position| position + 1);
    tokens.get(end..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::Crate;

    /// The modules that the module `a` names, with `b` and `b::c` beside it.
    fn uses(text: &str) -> Vec<String> {
        let files = [
            ("lib.rs", "pub use b::Exported;"),
            ("a.rs", text),
            ("a/d.rs", ""),
            ("b.rs", ""),
            ("b/c.rs", ""),
        ];
        let parsed = Crate::parse("src", &files).unwrap();
        parsed.uses(&vec!["a".to_owned()]).into_iter().map(|path| path.join("::")).collect()
    }

    #[test]
    fn paths_are_read_in_every_form_that_rust_has_for_them() {
        for text in [
            "use crate::b::c::Item;",
            "use crate::{b::c, x};",
            "use crate::b::{self as other, c::{One, Two}};",
            "use super::b::c;",
            "fn f() { crate::b::c::g::<u8>() }",
            "fn f() { log!(\"{}\", crate::b::c::g()) }",
            "use crate::b::c as named; fn f() { named::g() }",
            "mod inner { use super::super::b::c::Item; }",
        ] {
            assert!(uses(text).contains(&"b::c".to_owned()), "{text}: {:?}", uses(text));
        }
        assert_eq!(uses("fn f() { d::g() }"), ["a::d"]);
        assert_eq!(uses("use crate::b; fn f() { b::c::g() }"), ["b", "b::c"]);
    }

    #[test]
    fn a_name_that_the_root_exports_belongs_to_its_module() {
        assert_eq!(uses("use crate::Exported;"), ["b"]);
    }

    #[test]
    fn comments_texts_visibilities_and_tests_name_no_module() {
        for text in [
            "// crate::b::c",
            "/// [`crate::b::c`]\nfn f() {}",
            "const A: &str = \"crate::b::c\";",
            "pub(crate) fn f() {}",
            "#[cfg(test)]\nmod tests { use crate::b::c::Item; }",
            "#[cfg(test)]\nuse crate::b::c::Item;",
            "use std::b::c;",
        ] {
            assert!(uses(text).is_empty(), "{text}: {:?}", uses(text));
        }
    }

    #[test]
    fn a_file_of_tests_is_no_module() {
        let files = [("lib.rs", "#[cfg(test)] mod tests; mod a;"), ("tests.rs", ""), ("a.rs", "")];
        let parsed = Crate::parse("src", &files).unwrap();
        assert_eq!(parsed.modules.len(), 2);
    }

    #[test]
    fn types_are_those_of_items() {
        let text =
            "pub struct A; enum B {} pub(crate) type C = A; trait D { type E; } impl D for A { type E = B; }";
        let parsed = Crate::parse("src", &[("lib.rs", text)]).unwrap();
        assert_eq!(parsed.modules[&vec![]].types, ["A", "B", "C", "D"]);
    }
}
