//! Nodes under construction, within the limits of [`super`], and the numbers of their objects.

use super::{LEVELS_MAX, MeshError, MeshNode, NODES_MAX};

/// Nodes, parents before children.
pub(super) struct NodeList<S> {
    nodes: Vec<MeshNode<S>>,
    /// The level of each node, from 1.
    levels: Vec<usize>,
}

impl<S> NodeList<S> {
    pub(super) fn new() -> Self {
        Self { nodes: Vec::new(), levels: Vec::new() }
    }

    /// Adds a node, and returns its index.
    ///
    /// # Errors
    /// There are too many nodes, or too many levels.
    pub(super) fn add(&mut self, node: MeshNode<S>) -> Result<usize, MeshError> {
        let level = node.parent.and_then(|parent| self.levels.get(parent)).map_or(1, |above| above + 1);
        if level > LEVELS_MAX {
            return Err(MeshError::TooDeep);
        }
        if self.nodes.len() >= NODES_MAX {
            return Err(MeshError::TooManyNodes);
        }
        self.levels.push(level);
        self.nodes.push(node);
        Ok(self.nodes.len().saturating_sub(1))
    }

    /// The nodes with the numbers of their objects. The only root is the object that owns the file; several roots
    /// stand below one that is not a node. A file with a single shape in a single node stays one object.
    pub(super) fn numbered(self) -> Vec<MeshNode<S>> {
        let mut nodes = self.nodes;
        let mut has_shape: Vec<bool> = nodes.iter().map(|node| node.shape.is_some()).collect();
        for (index, node) in nodes.iter().enumerate().rev() {
            let is_shown = has_shape.get(index).copied().unwrap_or_default();
            let above = node.parent.and_then(|parent| has_shape.get_mut(parent));
            if let Some(above) = above.filter(|_| is_shown) {
                *above = true;
            }
        }
        let shown = nodes.iter_mut().zip(has_shape).filter(|(_, is_shown)| *is_shown).map(|(node, _)| node);
        let shown: Vec<&mut MeshNode<S>> = shown.collect();
        let roots = shown.iter().filter(|node| node.parent.is_none()).count();
        if shown.len() > 1 {
            let first = usize::from(roots > 1);
            (first..).zip(shown).for_each(|(number, node)| node.object = Some(number));
        }
        nodes
    }
}
