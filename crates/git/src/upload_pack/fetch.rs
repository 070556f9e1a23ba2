//! Requests for commits: negotiation, shallow histories, and filters.
//!
//! Not here: branches, and the first response.

use std::collections::HashSet;

use domain::Result;

use crate::filter::PackFilter;
use crate::graph::{CommitSelection, Depth, Wish};
use crate::object::Oid;
use crate::pkt::{self, DELIMITER, FLUSH, Packet};
use crate::upload_pack::{GitRequest, malformed};

/// The depth by which `git fetch --unshallow` asks for all of the history.
const INFINITE_DEPTH: u32 = 0x7fff_ffff;

/// Most commits of a client that are looked up. They only save sending what the client has.
const HAVES_MAX: usize = 32 * 1024;

/// A request for commits, and for trees and blobs that a partial clone lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Git objects that the client wants.
    pub wants: Vec<Oid>,
    /// Some of the commits that it has.
    pub haves: Vec<Oid>,
    /// Earliest time of a commit, in seconds since 1970.
    pub since: Option<i64>,
    /// Branches whose commits end the history.
    pub excluded: Vec<String>,
    /// Limits of trees and blobs.
    pub filter: PackFilter,
    /// Commits whose parents the client lacks.
    shallow: Vec<Oid>,
    /// Requested number of commits.
    depth: Option<Depth>,
    /// True if the client has finished and waits for the pack.
    done: bool,
    /// True if the pack is sent only to a client that has finished.
    waits_for_done: bool,
    dialect: Dialect,
}

/// The form of a request and its response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Dialect {
    V0 {
        detailed: bool,
        side_band: bool,
        /// True if the client only asks for the ends of its shallow history so far.
        only_depth: bool,
    },
    V2,
}

impl Fetch {
    /// The wish of a client that wants these commits, has `common`, and excludes others.
    pub fn wish(&self, wants: Vec<Oid>, common: &[Oid], excluded: Vec<Oid>) -> Wish {
        let depth = match self.excludes() {
            true => Some(Depth::Without(excluded)),
            false => self.depth.clone(),
        };
        Wish { wants, common: common.to_vec(), shallow: self.shallow.clone(), depth }
    }

    /// True if the response tells the ends of the history.
    pub fn limits_history(&self) -> bool {
        self.depth.is_some() || self.excludes()
    }

    pub(super) fn new(dialect: Dialect) -> Self {
        Self {
            wants: Vec::new(),
            haves: Vec::new(),
            since: None,
            excluded: Vec::new(),
            filter: PackFilter::default(),
            shallow: Vec::new(),
            depth: None,
            done: false,
            waits_for_done: false,
            dialect,
        }
    }

    fn excludes(&self) -> bool {
        self.since.is_some() || !self.excluded.is_empty()
    }

    pub(super) fn parse_v0(body: &[u8]) -> Result<GitRequest> {
        let mut fetch = Self::new(Dialect::V0 { detailed: false, side_band: false, only_depth: false });
        let mut sections = 0;
        for packet in pkt::packets(body) {
            let Packet::Line(line) = packet? else {
                sections += 1;
                continue;
            };
            // The client's capabilities follow its first wanted commit.
            let (line, capabilities) = match line.strip_prefix(b"want ").and_then(|want| want.get(40..)) {
                Some(rest) => (line.get(..45).unwrap_or(line), rest),
                None => (line, &[][..]),
            };
            if fetch.wants.is_empty() {
                let can = |what: &[u8]| capabilities.split(|byte| *byte == b' ').any(|word| word == what);
                let (detailed, side_band) = (can(b"multi_ack_detailed"), can(b"side-band-64k"));
                fetch.dialect = Dialect::V0 { detailed, side_band, only_depth: false };
                fetch.depth = can(b"deepen-relative").then_some(Depth::More(0));
            }
            if let Some(refusal) = fetch.take(line)? {
                return Ok(GitRequest::Refused(refusal));
            }
        }
        let mut request = fetch.complete()?;
        if let GitRequest::Fetch(fetch) = &mut request {
            let is_first = sections == 1 && !fetch.done && fetch.haves.is_empty();
            let asks_for_depth = is_first && fetch.limits_history();
            if let Dialect::V0 { only_depth, .. } = &mut fetch.dialect {
                *only_depth = asks_for_depth;
            }
        }
        Ok(request)
    }

    /// Takes one line; returns the reason if it is refused.
    pub(super) fn take(&mut self, line: &[u8]) -> Result<Option<String>> {
        let text = std::str::from_utf8(line).map_err(|_| malformed("has a line that is not text"))?;
        match text.split_once(' ').unwrap_or((text, "")) {
            ("want", oid) => self.wants.push(parse_oid(oid)?),
            ("have", oid) => self.haves.push(parse_oid(oid)?),
            ("shallow", oid) => self.shallow.push(parse_oid(oid)?),
            ("deepen", depth) => {
                let depth: u32 =
                    depth.parse().ok().filter(|n| *n > 0).ok_or_else(|| malformed("has an invalid depth"))?;
                self.depth = Some(match self.depth {
                    _ if depth >= INFINITE_DEPTH => Depth::More(u32::MAX),
                    Some(Depth::More(_)) => Depth::More(depth),
                    _ => Depth::OfWanted(depth),
                });
            }
            ("deepen-relative", "") => {
                self.depth = Some(match self.depth {
                    Some(Depth::OfWanted(depth)) => Depth::More(depth),
                    _ => Depth::More(0),
                });
            }
            ("deepen-since", since) => {
                let since = since.parse().ok().filter(|since| *since >= 0);
                self.since = Some(since.ok_or_else(|| malformed("has an invalid time"))?);
            }
            ("deepen-not", branch) => self.excluded.push(branch.to_owned()),
            ("filter", spec) => match PackFilter::parse(spec) {
                Ok(filter) => self.filter = self.filter.and(filter),
                Err(refusal) => return Ok(Some(refusal)),
            },
            ("done", "") => self.done = true,
            ("wait-for-done", "") => self.waits_for_done = true,
            ("want-ref", _) => return Ok(Some("want-ref is not supported".to_owned())),
            // Options for smaller packs, which this server doesn't use.
            ("thin-pack" | "no-progress" | "include-tag" | "ofs-delta", "") => {}
            _ => return Err(malformed("has an unknown line")),
        }
        Ok(None)
    }

    pub(super) fn complete(mut self) -> Result<GitRequest> {
        for named in [&mut self.wants, &mut self.haves, &mut self.shallow] {
            let mut seen = HashSet::new();
            named.retain(|oid| seen.insert(*oid));
        }
        self.haves.truncate(HAVES_MAX);
        // A client may ask only which commits both sides have.
        if self.wants.is_empty() && !self.waits_for_done {
            return Err(malformed("wants nothing"));
        }
        // A relative depth without a number.
        if self.depth == Some(Depth::More(0)) {
            self.depth = None;
        }
        if self.depth.is_some() && self.excludes() {
            let refusal = "deepen and deepen-since (or deepen-not) cannot be used together";
            return Ok(GitRequest::Refused(refusal.to_owned()));
        }
        Ok(GitRequest::Fetch(self))
    }

    /// True if the pack follows, given the client's commits that the project has.
    pub fn is_settled(&self, common: &[Oid]) -> bool {
        self.done || (self.dialect == Dialect::V2 && !self.waits_for_done && !common.is_empty())
    }

    /// The response before the pack, or instead of it while the client has to continue.
    pub fn preamble(&self, common: &[Oid], selection: &CommitSelection) -> Vec<u8> {
        let mut out = Vec::new();
        let ends = |out: &mut Vec<u8>| {
            // Without a newline, as Git sends them: libgit2 refuses these packets with one.
            selection.shallow.iter().for_each(|oid| pkt::bare(out, &format!("shallow {oid}")));
            selection.unshallow.iter().for_each(|oid| pkt::bare(out, &format!("unshallow {oid}")));
        };
        match self.dialect {
            Dialect::V0 { detailed, only_depth, .. } => {
                if self.limits_history() {
                    ends(&mut out);
                    out.extend_from_slice(FLUSH);
                }
                if !only_depth {
                    self.acknowledge_v0(common, detailed, &mut out);
                }
            }
            Dialect::V2 => {
                if !self.done {
                    pkt::line(&mut out, "acknowledgments");
                    common.iter().for_each(|oid| pkt::line(&mut out, &format!("ACK {oid}")));
                    if common.is_empty() {
                        pkt::line(&mut out, "NAK");
                    }
                    if !self.is_settled(common) {
                        out.extend_from_slice(FLUSH);
                        return out;
                    }
                    pkt::line(&mut out, "ready");
                    out.extend_from_slice(DELIMITER);
                }
                if self.limits_history() {
                    pkt::line(&mut out, "shallow-info");
                    ends(&mut out);
                    out.extend_from_slice(DELIMITER);
                }
                pkt::line(&mut out, "packfile");
            }
        }
        out
    }

    /// True if the pack is sent in side-band packets.
    pub fn has_side_band(&self) -> bool {
        !matches!(self.dialect, Dialect::V0 { side_band: false, .. })
    }

    fn acknowledge_v0(&self, common: &[Oid], detailed: bool, out: &mut Vec<u8>) {
        if detailed {
            common.iter().for_each(|oid| pkt::line(out, &format!("ACK {oid} common")));
            if let Some(last) = common.last().filter(|_| !self.done) {
                // Tells the client that the server is ready to send the pack.
                pkt::line(out, &format!("ACK {last} ready"));
            }
        }
        match (common.first(), common.last()) {
            (Some(_), Some(last)) if self.done && detailed => pkt::line(out, &format!("ACK {last}")),
            (Some(first), _) if !detailed => pkt::line(out, &format!("ACK {first}")),
            _ => pkt::line(out, "NAK"),
        }
    }
}

fn parse_oid(text: &str) -> Result<Oid> {
    let hash: domain::content::object::CommitHash =
        text.parse().map_err(|_| malformed("holds an invalid object id"))?;
    Ok(hash.into())
}

#[cfg(test)]
mod tests {
    use super::HAVES_MAX;
    use crate::pkt::{self, DELIMITER, FLUSH};
    use crate::upload_pack::{GitRequest, ProtocolVersion};

    #[test]
    fn a_commit_that_a_client_has_counts_once_and_up_to_a_limit() {
        let mut body = Vec::new();
        pkt::line(&mut body, "command=fetch");
        body.extend_from_slice(DELIMITER);
        pkt::line(&mut body, &format!("want {}", "a".repeat(40)));
        for number in 0..2 * HAVES_MAX {
            // Each twice.
            pkt::line(&mut body, &format!("have {:040x}", number / 2));
        }
        pkt::line(&mut body, &format!("have {:040x}", HAVES_MAX));
        body.extend_from_slice(FLUSH);
        let Ok(GitRequest::Fetch(fetch)) = GitRequest::parse(ProtocolVersion::V2, &body) else {
            panic!("the request is not read");
        };
        assert_eq!(fetch.haves.len(), HAVES_MAX);
        assert_eq!(fetch.haves.last().unwrap().to_string(), format!("{:040x}", HAVES_MAX - 1));
    }
}
