//! Lists of a branch's objects. A search finds them by their names first, then by their texts.

use std::collections::{HashMap, HashSet};

use auth::actor::ProjectRead;
use domain::content::object::{Object, TreeNode};
use domain::content::object_text::{ObjectMatch, ObjectText};
use domain::content::snapshot::Snapshot;
use domain::id::ObjectId;
use domain::search::{SearchTerms, fold, grams};
use domain::text::Name;
use domain::{Error, Result};
use serde::{Deserialize, Serialize};
use tokio::task::spawn_blocking;
use uuid::Uuid;

use crate::access::project::Project;
use crate::resources::branch_objects::find_all;
use crate::resources::content::texts::{self, TextHit, TextPosition};
use crate::resources::content::tree;
use crate::resources::store::Tx;

/// Most objects that one step compares with a search's terms: the data of all of them is in memory.
const STEP_OBJECTS: usize = 100;
/// Most steps of a page. Texts of before, and of other branches, can make a page end early.
const STEPS_MAX: usize = 20;

/// A page of a branch's objects.
#[derive(Clone, Debug)]
pub struct ObjectFilter<'a> {
    /// Only those of this type.
    pub object_type: Option<&'a str>,
    /// Only those directly under this object.
    pub parent: Option<ObjectId>,
    /// Only those with this name.
    pub name: Option<&'a Name>,
    /// Only those at this path of names from the root.
    pub path: Option<&'a [Name]>,
    /// Only those whose name or text holds these terms.
    pub terms: Option<&'a SearchTerms>,
    /// Only those after this one.
    pub after: Option<ObjectPosition>,
    /// Most rows.
    pub rows: u32,
}

/// The position of an object in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ObjectPosition {
    /// Among those that are listed by their names, in the order of their ids.
    Named(ObjectId),
    /// Among those that were found by their texts: the text and the object, in the order of the index.
    Text(i64, ObjectId),
}

/// An object of a list.
#[derive(Clone, Debug)]
pub struct ListedObject {
    /// The object.
    pub object: Object,
    /// Where it stands.
    pub position: ObjectPosition,
    /// The place of the terms, if they were found in its text.
    pub found: Option<ObjectMatch>,
}

/// The objects of a page.
#[derive(Clone, Debug, Default)]
pub struct ObjectList {
    /// The objects, in their order.
    pub objects: Vec<ListedObject>,
    /// The start of the next page, if this one ends early.
    pub next: Option<ObjectPosition>,
}

/// The objects of the witness' branch, in the order of their ids. A search lists those that it finds by their texts behind
/// those that it finds by their names.
///
/// # Errors
/// `UNAVAILABLE`; `INTERNAL_ERROR` if the content is corrupt.
pub async fn list(
    tx: &mut Tx,
    project: &Project<ProjectRead>,
    filter: &ObjectFilter<'_>,
) -> Result<ObjectList> {
    let id = project.record.id;
    let snapshot = tree::snapshot(tx, id, &project.branch).await?;
    let at_path = filter.path.map(|path| tree::at_path(&snapshot.tree, id, path));
    let listing = ObjectListing { project, filter, snapshot: &snapshot, at_path, rows: rows(filter)? };
    let mut list = ObjectList::default();
    if !matches!(filter.after, Some(ObjectPosition::Text(..))) {
        list.objects = listing.named(tx).await?;
    }
    if let Some(terms) = filter.terms {
        Box::pin(listing.add_texts(tx, terms, &mut list)).await?;
    }
    Ok(list)
}

fn rows(filter: &ObjectFilter<'_>) -> Result<usize> {
    usize::try_from(filter.rows).map_err(Error::internal)
}

/// A list in the making.
struct ObjectListing<'a> {
    project: &'a Project<ProjectRead>,
    filter: &'a ObjectFilter<'a>,
    snapshot: &'a Snapshot,
    /// The objects at the path of the filter.
    at_path: Option<HashSet<ObjectId>>,
    rows: usize,
}

impl ObjectListing<'_> {
    /// True if a node passes the filter, apart from the search.
    fn passes(&self, node: &TreeNode) -> bool {
        let ObjectFilter { object_type, parent, name, .. } = self.filter;
        parent.is_none_or(|parent| node.parent == parent)
            && name.is_none_or(|name| node.name == *name)
            && self.at_path.as_ref().is_none_or(|found| found.contains(&node.id))
            && object_type.is_none_or(|wanted| node.object_type == wanted)
    }

    /// The objects that are found by their names, or all objects without a search.
    async fn named(&self, tx: &mut Tx) -> Result<Vec<ListedObject>> {
        let after = match self.filter.after {
            Some(ObjectPosition::Named(after)) => Some(after),
            _ => None,
        };
        let is_next = |node: &&TreeNode| after.is_none_or(|after| node.id > after) && self.passes(node);
        let mut ids: Vec<ObjectId> = match self.filter.terms {
            Some(terms) => self.snapshot.named(terms).filter(is_next).map(|node| node.id).collect(),
            None => self.snapshot.tree.tree.iter().filter(is_next).map(|node| node.id).collect(),
        };
        ids.sort_unstable();
        ids.truncate(self.rows);
        let mut found = self.read(tx, ids.iter().copied()).await?;
        let listed = |id: &ObjectId| {
            Some(ListedObject {
                object: found.remove(id)?,
                position: ObjectPosition::Named(*id),
                found: None,
            })
        };
        Ok(ids.iter().filter_map(listed).collect())
    }

    /// Fills the list with objects that are found by their texts.
    async fn add_texts(&self, tx: &mut Tx, terms: &SearchTerms, list: &mut ObjectList) -> Result<()> {
        let keys = grams::of_terms(terms.terms());
        let mut from = match self.filter.after {
            Some(ObjectPosition::Text(text, object)) => TextPosition { text, object },
            _ => TextPosition { text: 0, object: ObjectId(Uuid::nil()) },
        };
        if keys.is_empty() {
            return Ok(());
        }
        for _ in 0..STEPS_MAX {
            let missing = self.rows.saturating_sub(list.objects.len());
            if missing == 0 {
                return Ok(());
            }
            let step = (2 * missing).min(STEP_OBJECTS);
            let asked = i64::try_from(step).map_err(Error::internal)?;
            let hits = texts::find(tx, self.project.record.id, &keys, from, asked).await?;
            let (is_last, last) = (hits.len() < step, hits.last().copied());
            let found = self.compare(tx, terms, hits).await?;
            list.objects.extend(found.into_iter().take(missing));
            match last {
                Some(last) if !is_last => from = last.position,
                _ => return Ok(()),
            }
        }
        if list.objects.len() < self.rows {
            list.next = Some(from.into());
        }
        Ok(())
    }

    /// Those of the hits whose objects have the text now, and hold the terms in it rather than in their names.
    async fn compare(
        &self,
        tx: &mut Tx,
        terms: &SearchTerms,
        mut hits: Vec<TextHit>,
    ) -> Result<Vec<ListedObject>> {
        hits.retain(|hit| {
            let node = self.snapshot.node(hit.position.object).filter(|node| self.passes(node));
            node.is_some_and(|node| !terms.are_in(&fold(node.name.as_str())))
        });
        if hits.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.read(tx, hits.iter().map(|hit| hit.position.object)).await?;
        let terms = terms.clone();
        // Long texts would block the other requests of this thread.
        spawn_blocking(move || compared(&terms, &hits, found)).await.map_err(Error::internal)
    }

    async fn read(
        &self,
        tx: &mut Tx,
        ids: impl Iterator<Item = ObjectId>,
    ) -> Result<HashMap<ObjectId, Object>> {
        let found = find_all(tx, self.project.record.id, &self.project.branch, ids.collect()).await?;
        Ok(found.into_iter().filter_map(|(id, found)| Some((id, found.object()?))).collect())
    }
}

fn compared(
    terms: &SearchTerms,
    hits: &[TextHit],
    mut objects: HashMap<ObjectId, Object>,
) -> Vec<ListedObject> {
    let listed = |TextHit { position, sha256 }: &TextHit| {
        let text = ObjectText::of(objects.get(&position.object)?);
        let found = text.find(terms).filter(|_| text.sha256() == Some(*sha256))?;
        let object = objects.remove(&position.object)?;
        Some(ListedObject { object, position: (*position).into(), found: Some(found) })
    };
    hits.iter().filter_map(listed).collect()
}

impl From<TextPosition> for ObjectPosition {
    fn from(TextPosition { text, object }: TextPosition) -> Self {
        Self::Text(text, object)
    }
}
