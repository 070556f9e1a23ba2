//! Names of types that several modules declare. One word for one thing can't be decided by a program, so these are
//! counted and not refused.

use std::collections::BTreeMap;

use super::rust::Crate;

/// Each name with the files that declare it, where there are several.
pub(super) fn repeated<'a>(crates: &[&'a Crate]) -> BTreeMap<&'a str, Vec<String>> {
    let mut declared: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for source in crates {
        for (path, module) in &source.modules {
            for name in &module.types {
                declared.entry(name).or_default().push(format!("{}/{}", source.folder, path.join("/")));
            }
        }
    }
    declared.retain(|_, places| places.len() > 1);
    declared
}

#[cfg(test)]
mod tests {
    use super::repeated;
    use crate::tidy::rust::Crate;

    #[test]
    fn a_name_of_two_modules_is_counted_once() {
        let one = Crate::parse("one", &[("lib.rs", "struct A; struct B;"), ("x.rs", "enum A {}")]).unwrap();
        let other = Crate::parse("other", &[("lib.rs", "type A = u8; trait C {}")]).unwrap();
        let crates = [&one, &other];
        let repeated = repeated(&crates);
        assert_eq!(repeated.keys().collect::<Vec<_>>(), [&"A"]);
        assert_eq!(repeated["A"], ["one/", "one/x", "other/"]);
    }
}
