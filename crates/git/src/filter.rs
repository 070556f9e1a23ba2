//! Filters of partial clones: trees and blobs that a client leaves out and fetches by id when it needs them.

/// Limits of the objects below commits. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackFilter {
    /// Number of levels of trees and blobs: the root tree is the first.
    pub levels: Option<u64>,
    /// Size in bytes from which a blob is left out; 0 leaves all out.
    pub blob_limit_bytes: Option<u64>,
}

impl PackFilter {
    /// Reads a filter as `git rev-list --filter` takes it: `blob:none`, `blob:limit=1k`, `tree:0`, or several of these as
    /// `combine:blob:none+tree:3`.
    ///
    /// # Errors
    /// The reason, for the user of Git.
    pub fn parse(spec: &str) -> Result<Self, String> {
        if let Some(parts) = spec.strip_prefix("combine:") {
            let parts = parts.split('+').filter(|part| !part.is_empty());
            return parts.map(Self::parse).try_fold(Self::default(), |all, part| Ok(all.and(part?)));
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
            ("sparse" | "object", _) => Err(format!("filter '{spec}' not supported")),
            _ => Err(invalid()),
        }
    }

    /// The filter that leaves out what either leaves out.
    pub fn and(self, other: Self) -> Self {
        let least = |one: Option<u64>, other: Option<u64>| one.into_iter().chain(other).min();
        Self {
            levels: least(self.levels, other.levels),
            blob_limit_bytes: least(self.blob_limit_bytes, other.blob_limit_bytes),
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
        let filter = |levels, blob_limit_bytes| Ok(PackFilter { levels, blob_limit_bytes });
        for (spec, expected) in [
            ("blob:none", filter(None, Some(0))),
            ("blob:limit=1024", filter(None, Some(1024))),
            ("blob:limit=2K", filter(None, Some(2048))),
            ("blob:limit=1g", filter(None, Some(1 << 30))),
            ("tree:0", filter(Some(0), None)),
            ("combine:blob:limit=1m+tree:3+blob:none", filter(Some(3), Some(0))),
        ] {
            assert_eq!(PackFilter::parse(spec), expected, "{spec}");
        }
        for bad in
            ["", "blob", "blob:some", "blob:limit=", "blob:limit=k", "blob:limit=+1", "tree:", "tree:-1"]
        {
            assert_eq!(PackFilter::parse(bad), Err(format!("invalid filter-spec '{bad}'")));
        }
        for spec in ["sparse:oid=main:x", "object:type=tag"] {
            let refusal = Err(format!("filter '{spec}' not supported"));
            assert_eq!(PackFilter::parse(spec), refusal);
            assert_eq!(PackFilter::parse(&format!("combine:tree:1+{spec}")), refusal);
        }
    }
}
