//! Selects the bytes of a file that a `Range` header requests (RFC 9110, section 14).
//!
//! The download's route handles `If-Range` and the response headers.

use std::ops::Range;

use actix_web::http::header;

/// Most ranges of one response; a request for more gets the whole file, as the RFC allows.
const MAX_RANGES: usize = 16;

/// The requested bytes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The whole file: the header is absent or ignored.
    Whole,
    /// At least one range; ascending, not empty, not overlapping.
    Ranges(Vec<Range<u64>>),
    /// No range lies within the file.
    Unsatisfiable,
}

impl Selection {
    /// The selection of a `Range` header in a file of `size_bytes`. Ignores a malformed header, a unit other than
    /// bytes, and ranges that overlap or are out of order.
    pub fn parse(header: Option<&str>, size_bytes: u64) -> Self {
        let Some(Ok(header::Range::Bytes(specs))) = header.map(str::parse) else {
            return Self::Whole;
        };
        if specs.is_empty() || specs.len() > MAX_RANGES {
            return Self::Whole;
        }
        let ranges: Vec<Range<u64>> = specs
            .iter()
            .filter_map(|spec| spec.to_satisfiable_range(size_bytes))
            .map(|(first, last)| first..last.saturating_add(1))
            .collect();
        if ranges.is_empty() {
            return Self::Unsatisfiable;
        }
        if ranges.is_sorted_by(|left, right| left.end <= right.start) {
            Self::Ranges(ranges)
        } else {
            Self::Whole
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Selection;

    fn ranges(header: &str, size: u64) -> Option<Vec<(u64, u64)>> {
        match Selection::parse(Some(header), size) {
            Selection::Whole => None,
            Selection::Ranges(ranges) => Some(ranges.iter().map(|range| (range.start, range.end)).collect()),
            Selection::Unsatisfiable => Some(Vec::new()),
        }
    }

    #[test]
    fn ranges_are_cut_to_the_file() {
        assert_eq!(ranges("bytes=0-0", 10), Some(vec![(0, 1)]));
        assert_eq!(ranges("bytes=2-", 10), Some(vec![(2, 10)]));
        assert_eq!(ranges("bytes=-3", 10), Some(vec![(7, 10)]));
        assert_eq!(ranges("bytes=-30", 10), Some(vec![(0, 10)]));
        assert_eq!(ranges("bytes=5-99999999999999999", 10), Some(vec![(5, 10)]));
        assert_eq!(ranges("bytes=0-1, 4-5,9-", 10), Some(vec![(0, 2), (4, 6), (9, 10)]));
        assert_eq!(ranges("bytes=0-1,20-30", 10), Some(vec![(0, 2)]));
    }

    #[test]
    fn a_range_outside_the_file_is_unsatisfiable() {
        for header in ["bytes=10-", "bytes=10-20,30-", "bytes=-0"] {
            assert_eq!(ranges(header, 10), Some(Vec::new()), "{header}");
        }
        assert_eq!(ranges("bytes=0-", 0), Some(Vec::new()));
        assert_eq!(ranges("bytes=-1", 0), Some(Vec::new()));
    }

    #[test]
    fn an_ignored_header_selects_the_whole_file() {
        let many = format!("bytes={}", (0..17).map(|n| format!("{n}-{n}")).collect::<Vec<_>>().join(","));
        for header in
            ["", "bytes", "bytes=", "lines=0-1", "bytes=a-b", "bytes=3-4,0-1", "bytes=0-5,5-6", &many]
        {
            assert_eq!(ranges(header, 10), None, "{header}");
        }
        assert_eq!(Selection::parse(None, 10), Selection::Whole);
    }
}
