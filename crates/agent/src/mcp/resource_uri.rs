//! URIs of resources of MCP.

use std::str::FromStr;

use domain::content::project::ProjectRef;
use domain::id::{CardId, ObjectId};

/// Beginning of the URIs.
pub const SCHEME: &str = "atelier://projects/";

/// A resource, as its URI names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceUri {
    /// The project, with a branch where it is not the default one.
    pub project: ProjectRef,
    /// The part of it.
    pub part: Part,
}

/// The part of a project that is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// The tree.
    Tree,
    /// An object.
    Object(ObjectId),
    /// The file of an object.
    File(ObjectId),
    /// A card.
    Card(CardId),
}

impl FromStr for ResourceUri {
    type Err = ();

    fn from_str(uri: &str) -> Result<Self, ()> {
        let mut segments = uri.strip_prefix(SCHEME).ok_or(())?.split('/');
        // Clients encode the slash of a branch's name.
        let project = segments.next().unwrap_or_default().replace("%2F", "/").replace("%2f", "/");
        let project = project.parse().map_err(|_| ())?;
        let rest: Vec<&str> = segments.collect();
        let part = match rest.as_slice() {
            [] => Part::Tree,
            ["objects", object] => Part::Object(object.parse().map_err(|_| ())?),
            ["objects", object, "file"] => Part::File(object.parse().map_err(|_| ())?),
            ["cards", card] => Part::Card(card.parse().map_err(|_| ())?),
            _ => return Err(()),
        };
        Ok(Self { project, part })
    }
}

#[cfg(test)]
mod tests {
    use super::{Part, ResourceUri};

    const ID: &str = "0198c5f0-7c1a-7e2b-9d3c-4f5a6b7c8d9e";

    #[test]
    fn a_uri_names_a_project_with_its_branch_or_a_part_of_it() {
        let parsed = |rest: &str| format!("atelier://projects/{ID}{rest}").parse::<ResourceUri>();
        let tree = parsed("--feature%2Fteeth").unwrap();
        assert_eq!((tree.project.to_string(), tree.part), (format!("{ID}--feature/teeth"), Part::Tree));
        let id = ID.parse().unwrap();
        assert_eq!(parsed(&format!("/objects/{ID}")).unwrap().part, Part::Object(id));
        assert_eq!(parsed(&format!("/objects/{ID}/file")).unwrap().part, Part::File(id));
        assert_eq!(parsed(&format!("/cards/{ID}")).unwrap().part, Part::Card(ID.parse().unwrap()));
        for wrong in ["/", "/objects", "/objects/x", "/cards/", "/teams/x"] {
            assert!(parsed(wrong).is_err(), "{wrong}");
        }
        assert!(format!("file:///{ID}").parse::<ResourceUri>().is_err());
    }
}
