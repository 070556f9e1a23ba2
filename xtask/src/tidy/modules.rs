//! Rules on the modules of a crate: none depends on itself by way of another, and layers and areas import downwards.

use std::collections::{BTreeMap, BTreeSet};

use super::rust::{Crate, Path};

/// Crates in layers, the lowest first.
const LAYERS: [(&str, &[&str]); 2] =
    [("crates/store/src", &["access", "resources"]), ("crates/wire/src", &["contract", "table", "server"])];

/// The crate whose layer `resources` has a folder for each area, and the areas, the lowest first. The modules beside
/// these folders are below all of them.
const AREAS: (&str, [&str; 4]) = ("crates/store/src", ["work", "planning", "content", "people"]);

/// Modules by the modules that they use.
type Graph = BTreeMap<Path, BTreeSet<Path>>;

/// Circles of modules. A module and its own descendants may use each other.
pub(super) fn circles(source: &Crate) -> Vec<String> {
    let uses = |path: &Path| source.uses(path).into_iter().cloned().collect();
    let graph: Graph = source
        .modules
        .keys()
        .filter(|path| !path.is_empty())
        .map(|path| (path.clone(), uses(path)))
        .collect();
    let mut complaints = Vec::new();
    for circle in circles_of(&graph) {
        let shown = shortest(&circle).iter().map(|path| path.join("::")).collect::<Vec<_>>().join(" → ");
        let size = circle.len();
        complaints.push(format!("{}: a circle of {size} modules: {shown}", source.folder));
    }
    complaints
}

/// Imports from a layer to one above it, and modules outside of the layers.
pub(super) fn layers(source: &Crate) -> Vec<String> {
    let Some((_, layers)) = LAYERS.iter().find(|(folder, _)| *folder == source.folder) else {
        return Vec::new();
    };
    let layer =
        |path: &Path| layers.iter().position(|layer| path.first().is_some_and(|first| first == layer));
    let mut complaints = Vec::new();
    for path in source.modules.keys().filter(|path| !path.is_empty()) {
        let (folder, name) = (&source.folder, path.join("::"));
        let Some(own) = layer(path) else {
            complaints.push(format!("{folder}: {name} is in no layer ({})", layers.join(", ")));
            continue;
        };
        let above = source.uses(path).into_iter().filter(|used| layer(used).is_some_and(|other| other > own));
        complaints.extend(
            above.map(|used| format!("{folder}: {name} imports {} of a layer above", used.join("::"))),
        );
    }
    complaints
}

/// Imports from an area, or from a module that every area uses, to an area above it.
pub(super) fn areas(source: &Crate) -> Vec<String> {
    let (folder, areas) = AREAS;
    if source.folder != folder {
        return Vec::new();
    }
    let height = |path: &Path| match path.as_slice() {
        [layer, area, ..] if layer == "resources" => {
            areas.iter().position(|name| name == area).map_or(0, |position| position + 1)
        }
        _ => 0,
    };
    let mut complaints = Vec::new();
    for path in source.modules.keys().filter(|path| !path.is_empty()) {
        let above = source.uses(path).into_iter().filter(|used| height(used) > height(path));
        let shown = |used: &Path| {
            format!("{folder}: {} imports {} of an area above", path.join("::"), used.join("::"))
        };
        complaints.extend(above.map(shown));
    }
    complaints
}

/// The groups of modules that all use each other.
fn circles_of(graph: &Graph) -> Vec<Graph> {
    let reached: BTreeMap<&Path, BTreeSet<&Path>> =
        graph.keys().map(|path| (path, reach(graph, path))).collect();
    let mutual = |one: &Path, other: &Path| {
        let reaches = |from, to| reached.get(from).is_some_and(|reached| reached.contains(to));
        reaches(one, other) && reaches(other, one)
    };
    let groups: BTreeSet<BTreeSet<&Path>> =
        graph.keys().map(|one| graph.keys().filter(|other| mutual(one, other)).collect()).collect();
    let mut circles = Vec::new();
    for mut group in groups.into_iter().filter(|group| group.len() > 1) {
        let within = |group: &BTreeSet<&Path>| -> Graph {
            let used = |path: &Path| {
                graph.get(path).into_iter().flatten().filter(|used| group.contains(used)).cloned()
            };
            group.iter().map(|path| ((*path).clone(), used(path).collect())).collect()
        };
        let family = group.iter().copied().find(|top| group.iter().all(|path| path.starts_with(top)));
        match family {
            Some(top) => {
                group.remove(top);
                circles.extend(circles_of(&within(&group)));
            }
            None => circles.push(within(&group)),
        }
    }
    circles
}

/// The modules that one uses, and those that these use.
fn reach<'a>(graph: &'a Graph, from: &Path) -> BTreeSet<&'a Path> {
    let mut reached = BTreeSet::new();
    let mut next: Vec<&Path> = graph.get(from).into_iter().flatten().collect();
    while let Some(path) = next.pop() {
        if reached.insert(path) {
            next.extend(graph.get(path).into_iter().flatten());
        }
    }
    reached
}

/// A shortest way in a circle from a module back to it.
fn shortest(circle: &Graph) -> Vec<Path> {
    let from = |start: &Path| {
        let mut seen = BTreeSet::new();
        let mut ways = std::collections::VecDeque::from([vec![start.clone()]]);
        while let Some(way) = ways.pop_front() {
            for used in way.last().and_then(|last| circle.get(last)).into_iter().flatten() {
                let longer = [way.as_slice(), std::slice::from_ref(used)].concat();
                if used == start {
                    return longer;
                }
                if seen.insert(used) {
                    ways.push_back(longer);
                }
            }
        }
        Vec::new()
    };
    circle.keys().map(from).min_by_key(Vec::len).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::{areas, circles, layers};
    use crate::tidy::rust::Crate;

    fn parse(folder: &str, files: &[(&str, &str)]) -> Crate {
        Crate::parse(folder, files).unwrap()
    }

    #[test]
    fn a_circle_of_modules_is_refused() {
        let direct = parse(
            "x/src",
            &[("a.rs", "use crate::b::B;"), ("b.rs", "use crate::a::A;"), ("c.rs", "use crate::a;")],
        );
        assert_eq!(circles(&direct), ["x/src: a circle of 2 modules: a → b → a"]);
        let indirect = [
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::c::d;"),
            ("c.rs", ""),
            ("c/d.rs", "use crate::a;"),
        ];
        assert_eq!(circles(&parse("x/src", &indirect)), ["x/src: a circle of 3 modules: a → b → c::d → a"]);
    }

    #[test]
    fn a_module_and_its_descendants_may_use_each_other_but_not_the_descendants() {
        let family = [("a.rs", "use b::B;"), ("a/b.rs", "use super::A;"), ("a/c.rs", "use crate::a::A;")];
        assert_eq!(circles(&parse("x/src", &family)), [""; 0]);
        let siblings =
            [("a.rs", "use b::B;"), ("a/b.rs", "use super::c::C;"), ("a/c.rs", "use super::{A, b::B};")];
        assert_eq!(circles(&parse("x/src", &siblings)), ["x/src: a circle of 2 modules: a::b → a::c → a::b"]);
    }

    #[test]
    fn a_layer_imports_what_is_below_it() {
        let files = |access| {
            [
                ("lib.rs", ""),
                ("access/card.rs", access),
                ("resources/cards.rs", "use crate::access::card::Card;"),
            ]
        };
        assert_eq!(layers(&parse("crates/store/src", &files(""))), [""; 0]);
        assert_eq!(
            layers(&parse("crates/store/src", &files("use crate::resources::cards::Cards;"))),
            ["crates/store/src: access::card imports resources::cards of a layer above"]
        );
        assert_eq!(
            layers(&parse("crates/store/src", &[("cards.rs", "")])),
            ["crates/store/src: cards is in no layer (access, resources)"]
        );
    }

    #[test]
    fn an_area_imports_those_below_it_and_what_every_area_uses_imports_none() {
        let files = |audit, card| {
            let card = ("resources/planning/cards.rs", card);
            [("resources/audit.rs", audit), ("resources/content/files.rs", ""), card]
        };
        let of = |audit, card| areas(&parse("crates/store/src", &files(audit, card)));
        assert_eq!(of("", "use crate::resources::audit::Audit;"), [""; 0]);
        assert_eq!(
            of("", "use crate::resources::content::files::File;"),
            [
                "crates/store/src: resources::planning::cards imports resources::content::files of an area above"
            ]
        );
        assert_eq!(
            of("use crate::resources::planning::cards::Card;", ""),
            ["crates/store/src: resources::audit imports resources::planning::cards of an area above"]
        );
    }
}
