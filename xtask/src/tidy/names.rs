//! Names of types. Modules that a reader meets together, those of one crate or of a crate and its imports, give each
//! type a name of its own.

use std::collections::BTreeMap;

use super::crates;
use super::rust::Crate;

/// Names that files share by convention (docs/style.md, rule 42).
const SHARED: [&str; 4] = ["Answer", "Body", "Query", "Row"];

/// Types of one name in modules that a reader meets together.
pub(super) fn repeated(crates: &[&Crate]) -> Vec<String> {
    let mut declared: BTreeMap<&str, Vec<(&str, String)>> = BTreeMap::new();
    for source in crates {
        for (path, module) in &source.modules {
            for name in module.types.iter().filter(|name| !SHARED.contains(&name.as_str())) {
                let place = format!("{}/{}", source.folder, path.join("/"));
                declared.entry(name).or_default().push((source.name(), place));
            }
        }
    }
    let mut complaints = Vec::new();
    for (name, places) in declared {
        let meet = |(number, (one, _)): (usize, &(&str, String))| {
            let others = places.iter().skip(number + 1);
            others.into_iter().any(|(other, _)| {
                one == other || crates::may_import(one, other) || crates::may_import(other, one)
            })
        };
        if places.iter().enumerate().any(meet) {
            let places: Vec<&str> = places.iter().map(|(_, place)| place.as_str()).collect();
            complaints.push(format!("{}: each declares a type {name}", places.join(", ")));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::repeated;
    use crate::tidy::rust::Crate;

    fn complaints(files: &[(&str, &str, &str)]) -> Vec<String> {
        let parse =
            |(folder, file, text): &(&str, &str, &str)| Crate::parse(folder, &[(file, text)]).unwrap();
        let crates: Vec<Crate> = files.iter().map(parse).collect();
        repeated(&crates.iter().collect::<Vec<_>>())
    }

    #[test]
    fn two_modules_of_a_crate_share_no_name() {
        let files = [("lib.rs", "struct A; struct B;"), ("x.rs", "enum A {}")];
        let one = Crate::parse("crates/git/src", &files).unwrap();
        assert_eq!(repeated(&[&one]), ["crates/git/src/, crates/git/src/x: each declares a type A"]);
    }

    #[test]
    fn a_crate_shares_no_name_with_its_imports_but_with_strangers() {
        let (store, wire, import) = ("crates/store/src", "crates/wire/src", "crates/import/src");
        assert_eq!(
            complaints(&[(wire, "a.rs", "trait A {}"), (store, "b.rs", "type A = u8;")]),
            ["crates/wire/src/a, crates/store/src/b: each declares a type A"]
        );
        assert_eq!(complaints(&[(import, "a.rs", "struct A;"), (store, "b.rs", "struct A;")]), [""; 0]);
    }

    #[test]
    fn handlers_and_queries_share_their_conventional_names() {
        let files = [("a.rs", "struct Body; struct Answer;"), ("b.rs", "struct Body; struct Answer;")];
        assert_eq!(repeated(&[&Crate::parse("crates/control/src", &files).unwrap()]), [""; 0]);
    }
}
