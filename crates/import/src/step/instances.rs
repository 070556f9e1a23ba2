//! All instances of a file in memory, found by their names.

use std::io;
use std::ops::{ControlFlow, Range};

use memchr::memmem;

use super::collect::instance_id;
use super::placement::Matrix;
use super::record::Record;
use super::scan::{CHUNK, statements};

/// The instances of an exchange structure.
#[derive(Debug)]
pub struct Instances<'a> {
    text: &'a [u8],
    /// In the order of their names.
    places: Vec<(u64, Range<usize>)>,
}

impl<'a> Instances<'a> {
    /// Indexes a file. Statements over [`STATEMENT_MAX`](super::limits::STATEMENT_MAX) are left out.
    ///
    /// # Errors
    /// Never, as memory has no failures of reading.
    pub fn of(text: &'a [u8]) -> io::Result<Self> {
        let mut places = Vec::new();
        statements(text, 0, CHUNK, |statement| {
            let begin = usize::try_from(statement.offset).unwrap_or(usize::MAX);
            if let Some(id) = instance_id(statement.bytes.trim_ascii_start()).filter(|_| !statement.is_cut) {
                places.push((id, begin..begin.saturating_add(statement.bytes.len())));
            }
            ControlFlow::Continue(())
        })?;
        // Of several instances with the same name, the first counts.
        places.sort_by_key(|(id, place)| (*id, place.start));
        places.dedup_by_key(|(id, _)| *id);
        Ok(Self { text, places })
    }

    /// The statement of an instance, without its semicolon.
    pub fn statement(&self, id: u64) -> Option<&'a [u8]> {
        let place = self.places.binary_search_by_key(&id, |(other, _)| *other).ok()?;
        let (_, range) = self.places.get(place)?;
        self.text.get(range.clone())
    }

    /// All instances with this text in their statement, in the order of their names.
    pub fn containing(&self, text: &[u8]) -> impl Iterator<Item = Record<'a>> {
        let finder = memmem::Finder::new(text).into_owned();
        let statements = self.places.iter().filter_map(|(_, range)| self.text.get(range.clone()));
        statements.filter(move |statement| finder.find(statement).is_some()).filter_map(Record::parse)
    }

    /// The four rows of the matrix of a placement or a transformation operator, from its own coordinates.
    pub fn placement(&self, id: u64) -> Option<[[f64; 4]; 4]> {
        Matrix::of_item(&|id| self.record(id), id).map(Matrix::rows)
    }

    /// An instance; `None` if the file lacks it or it is invalid.
    pub fn record(&self, id: u64) -> Option<Record<'a>> {
        Record::parse(self.statement(id)?)
    }
}
