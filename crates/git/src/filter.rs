//! Filters of partial clones: trees and blobs that a client leaves out and fetches by id when it needs them.

use percent_encoding::percent_decode_str;

/// Limits of the objects of a pack. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackFilter {
    /// Number of levels of trees and blobs: the root tree is the first.
    pub levels: Option<u64>,
    /// Size in bytes from which a blob is left out; 0 leaves all out.
    pub blob_limit_bytes: Option<u64>,
    /// True if commits are left out that the client doesn't name.
    pub without_commits: bool,
    /// True if trees are left out that the client doesn't name.
    pub without_trees: bool,
}

/// Most filters within each other.
const NESTED_MAX: usize = 16;

impl PackFilter {
    /// Reads a filter as `git rev-list --filter` takes it: `blob:none`, `blob:limit=1k`, `tree:0`, `object:type=tree`, or
    /// several of these, percent-encoded, as `combine:blob:none+tree:3`.
    ///
    /// # Errors
    /// The reason, for the user of Git.
    pub fn parse(spec: &str) -> Result<Self, String> {
        Self::parse_nested(spec, NESTED_MAX)
    }

    fn parse_nested(spec: &str, left: usize) -> Result<Self, String> {
        if let Some(parts) = spec.strip_prefix("combine:") {
            let nested = |part: &str| {
                let left = left.checked_sub(1).ok_or_else(|| "the filter-spec nests too deep".to_owned())?;
                let part = percent_decode_str(part).decode_utf8();
                Self::parse_nested(&part.map_err(|_| format!("invalid filter-spec '{spec}'"))?, left)
            };
            let parts = parts.split('+').filter(|part| !part.is_empty());
            return parts.map(nested).try_fold(Self::default(), |all, part| Ok(all.and(part?)));
        }
        let invalid = || format!("invalid filter-spec '{spec}'");
        match spec.split_once(':').unwrap_or((spec, "")) {
            ("blob", "none") => Ok(Self { blob_limit_bytes: Some(0), ..Self::default() }),
            ("blob", limit) => {
                let limit = limit.strip_prefix("limit=").and_then(number).ok_or_else(invalid)?;
                Ok(Self { blob_limit_bytes: Some(limit), ..Self::default() })
            }
            ("tree", levels) => {
                Ok(Self { levels: Some(number(levels).ok_or_else(invalid)?), ..Self::default() })
            }
            ("object", kind) => {
                let (levels, blob_limit_bytes, without_commits, without_trees) = match kind {
                    "type=commit" => (Some(0), None, false, false),
                    "type=tree" => (None, Some(0), true, false),
                    "type=blob" => (None, None, true, true),
                    // No project has tags.
                    "type=tag" => (Some(0), None, true, true),
                    _ => return Err(invalid()),
                };
                Ok(Self { levels, blob_limit_bytes, without_commits, without_trees })
            }
            // A pattern of paths would have to be a file of the project, and those are objects as JSON.
            ("sparse", blob) => match blob.strip_prefix("oid=") {
                Some(blob) => Err(format!("unable to access sparse blob in '{blob}'")),
                None => Err(invalid()),
            },
            _ => Err(invalid()),
        }
    }

    /// The filter that leaves out what either leaves out.
    pub fn and(self, other: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self {
            levels: least(self.levels, other.levels),
            blob_limit_bytes: least(self.blob_limit_bytes, other.blob_limit_bytes),
            without_commits: self.without_commits || other.without_commits,
            without_trees: self.without_trees || other.without_trees,
        }
    }
}

/// A number with one of Git's suffixes.
fn number(text: &str) -> Option<u64> {
    let text = text.to_ascii_lowercase();
    let units = [("k", 1 << 10), ("m", 1 << 20), ("g", 1 << 30)];
    let scaled = units.into_iter().find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, unit)));
    let (digits, unit) = scaled.unwrap_or((&text, 1));
    let is_decimal = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse::<u64>().ok().filter(|_| is_decimal)?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::PackFilter;

    #[test]
    fn filters_are_read_as_git_writes_them() {
        let filter =
            |levels, blob_limit_bytes| Ok(PackFilter { levels, blob_limit_bytes, ..PackFilter::default() });
        for (spec, expected) in [
            ("blob:none", filter(None, Some(0))),
            ("blob:limit=1024", filter(None, Some(1024))),
            ("blob:limit=2K", filter(None, Some(2048))),
            ("blob:limit=1g", filter(None, Some(1 << 30))),
            ("tree:0", filter(Some(0), None)),
            ("combine:blob:limit=1m+tree:3+blob:none", filter(Some(3), Some(0))),
            ("combine:blob%3Anone+tree%3a3", filter(Some(3), Some(0))),
            ("combine:combine%3Ablob%253Anone%2Btree%253A2+tree:3", filter(Some(2), Some(0))),
            ("object:type=commit", filter(Some(0), None)),
        ] {
            assert_eq!(PackFilter::parse(spec), expected, "{spec}");
        }
        for bad in
            ["", "blob", "blob:some", "blob:limit=", "blob:limit=k", "blob:limit=+1", "tree:", "tree:-1"]
        {
            assert_eq!(PackFilter::parse(bad), Err(format!("invalid filter-spec '{bad}'")));
        }
        let trees = PackFilter { blob_limit_bytes: Some(0), without_commits: true, ..PackFilter::default() };
        assert_eq!(PackFilter::parse("object:type=tree"), Ok(trees));
        let refusal = Err("unable to access sparse blob in 'main:x'".to_owned());
        assert_eq!(PackFilter::parse("sparse:oid=main:x"), refusal);
        assert_eq!(PackFilter::parse("combine:tree:1+sparse%3Aoid=main:x"), refusal);
        for bad in ["object:type=", "object:type=page", "sparse:path=x", "combine:blob%FFnone"] {
            assert_eq!(PackFilter::parse(bad), Err(format!("invalid filter-spec '{bad}'")));
        }
        assert!(PackFilter::parse(&format!("{}tree:1", "combine:".repeat(5_000))).is_err());
    }
}
