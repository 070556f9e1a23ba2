//! Blocks of Anthropic's messages, in their order and with all that the server sent.

use serde_json::{Map, Value};

use crate::models::draft::AnswerDraft;
use crate::models::merge::merge;

/// A block that may be incomplete.
#[derive(Debug)]
pub(in crate::models) enum BlockDraft {
    /// The call of this place among the draft's calls.
    Call(usize),
    /// Any other block.
    Other {
        /// The number by which pieces refer to it.
        index: Option<u64>,
        /// Its fields.
        fields: Map<String, Value>,
        /// The JSON of its `input`, as far as it has arrived.
        input: String,
    },
}

impl AnswerDraft {
    /// Begins a block that is no call of a tool.
    pub(in crate::models) fn begin_block(&mut self, index: Option<u64>, fields: Map<String, Value>) {
        self.blocks.push(BlockDraft::Other { index, fields, input: String::new() });
    }

    /// Adds a piece to a block; `kind` is the block's type if the server has not begun it and the piece tells it.
    pub(in crate::models) fn add_to_block(
        &mut self,
        index: Option<u64>,
        kind: Option<&str>,
        piece: &Map<String, Value>,
    ) {
        if let (false, Some(kind)) = (self.has_block(index), kind) {
            self.begin_block(index, Map::from_iter([("type".to_owned(), kind.into())]));
        }
        if let Some((fields, _)) = self.block(index) {
            merge(fields, piece);
        }
    }

    /// True if a block of this number has begun that is no call of a tool.
    pub(in crate::models) fn has_block(&self, index: Option<u64>) -> bool {
        self.blocks
            .iter()
            .any(|block| matches!(block, BlockDraft::Other { index: known, .. } if *known == index))
    }

    /// Adds JSON of the input of a block that is no call of a tool: the server itself uses that tool.
    pub(in crate::models) fn add_input(&mut self, index: Option<u64>, json: &str) {
        if let Some((_, input)) = self.block(index) {
            input.push_str(json);
        }
    }

    /// The last block of this number that is no call of a tool.
    fn block(&mut self, index: Option<u64>) -> Option<(&mut Map<String, Value>, &mut String)> {
        self.blocks.iter_mut().rev().find_map(|block| match block {
            BlockDraft::Other { index: known, fields, input } if *known == index => Some((fields, input)),
            _ => None,
        })
    }
}
