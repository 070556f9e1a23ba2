//! Requests and responses of clones and fetches: protocol version 2, and version 0 for older clients and libraries.
//!
//! Each request is independent, as over HTTP.
//!
//! Not here: finding the objects, and the pack.

use domain::{Error, Result};

use crate::graph::{CommitSelection, Depth, Wish};
use crate::object::Oid;
use crate::pkt::{self, DELIMITER, FLUSH, Packet};

/// The server's name.
const AGENT: &str = concat!("agent=atelier/", env!("CARGO_PKG_VERSION"));
/// Capabilities in version 0.
const CAPABILITIES: &str =
    "multi_ack_detailed side-band-64k no-progress shallow deepen-relative object-format=sha1";
/// Most prefixes that select references. Each reference is compared with each of them.
const PREFIXES_MAX: usize = 256;
/// Prefix of branches among Git's references.
const BRANCHES: &str = "refs/heads/";

/// The protocol version of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProtocolVersion {
    /// The default, without a header.
    V0,
    /// The version with named commands.
    V2,
}

/// The branches that a client sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct References {
    /// The branch that a clone checks out. It may have no commit.
    pub head: String,
    /// Branches with a commit, and their commits.
    pub branches: Vec<(String, Oid)>,
}

/// A parsed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GitRequest {
    /// Lists branches.
    LsRefs(LsRefs),
    /// Fetches commits.
    Fetch(Fetch),
    /// A probe without content, which a client sends before a long request.
    Probe,
    /// An unsupported request, with a message for the user.
    Refused(String),
}

/// A request for branches in version 2.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LsRefs {
    symrefs: bool,
    unborn: bool,
    prefixes: Vec<Vec<u8>>,
}

/// A request for commits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// Commits that the client wants.
    pub wants: Vec<Oid>,
    /// Some of the commits that it has.
    pub haves: Vec<Oid>,
    /// Commits whose parents it lacks.
    pub shallow: Vec<Oid>,
    /// Requested depth of the history.
    pub depth: Option<Depth>,
    /// True if the client has finished and waits for the pack.
    done: bool,
    dialect: Dialect,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    V0 {
        detailed: bool,
        side_band: bool,
        /// True if the client only asks for the ends of its shallow history so far.
        only_depth: bool,
    },
    V2,
}

impl ProtocolVersion {
    /// The version requested by `Git-Protocol`; version 0 if absent or unknown.
    pub fn of_header(value: Option<&str>) -> Self {
        match value.is_some_and(|value| value.split(':').any(|part| part == "version=2")) {
            true => Self::V2,
            false => Self::V0,
        }
    }

    /// The response to a client's first request.
    pub fn advertisement(self, references: &References) -> Vec<u8> {
        let mut out = Vec::new();
        if self == Self::V2 {
            for line in ["version 2", AGENT, "ls-refs=unborn", "fetch=shallow", "object-format=sha1"] {
                pkt::line(&mut out, line);
            }
            out.extend_from_slice(FLUSH);
            return out;
        }
        pkt::line(&mut out, "# service=git-upload-pack");
        out.extend_from_slice(FLUSH);
        let mut lines: Vec<String> =
            references.with_head().map(|(name, oid)| format!("{oid} {name}")).collect();
        if lines.is_empty() {
            lines.push(format!("{} capabilities^{{}}", Oid([0; 20])));
        }
        if let Some(first) = lines.first_mut() {
            let symref =
                references.head_commit().map(|_| format!(" symref=HEAD:{BRANCHES}{}", references.head));
            first.push_str(&format!("\0{CAPABILITIES}{} {AGENT}", symref.unwrap_or_default()));
        }
        lines.iter().for_each(|line| pkt::line(&mut out, line));
        out.extend_from_slice(FLUSH);
        out
    }
}

/// The refusal of a push. Git shows its text to the user.
pub fn refuse_push(reason: &str) -> Vec<u8> {
    let mut out = Vec::new();
    pkt::line(&mut out, "# service=git-receive-pack");
    out.extend_from_slice(FLUSH);
    pkt::error(&mut out, reason);
    out
}

impl References {
    fn head_commit(&self) -> Option<Oid> {
        self.branches.iter().find(|(name, _)| *name == self.head).map(|(_, oid)| *oid)
    }

    /// `HEAD`, if it has a commit, and all branches.
    fn with_head(&self) -> impl Iterator<Item = (String, Oid)> {
        let head = self.head_commit().map(|oid| ("HEAD".to_owned(), oid));
        head.into_iter().chain(self.branches.iter().map(|(name, oid)| (format!("{BRANCHES}{name}"), *oid)))
    }
}

impl LsRefs {
    /// The answer.
    pub fn answer(&self, references: &References) -> Vec<u8> {
        let is_asked = |name: &str| {
            let is_prefixed = || self.prefixes.iter().any(|prefix| name.as_bytes().starts_with(prefix));
            self.prefixes.is_empty() || self.prefixes.len() > PREFIXES_MAX || is_prefixed()
        };
        let symref = || match self.symrefs {
            true => format!(" symref-target:{BRANCHES}{}", references.head),
            false => String::new(),
        };
        let mut out = Vec::new();
        if self.unborn && references.head_commit().is_none() && is_asked("HEAD") {
            pkt::line(&mut out, &format!("unborn HEAD{}", symref()));
        }
        for (name, oid) in references.with_head().filter(|(name, _)| is_asked(name)) {
            let symref = if name == "HEAD" { symref() } else { String::new() };
            pkt::line(&mut out, &format!("{oid} {name}{symref}"));
        }
        out.extend_from_slice(FLUSH);
        out
    }

    fn take(&mut self, line: &[u8]) {
        match line {
            b"symrefs" => self.symrefs = true,
            b"unborn" => self.unborn = true,
            // A prefix saves bytes of the answer. With too many of them, as in Git, none counts.
            _ if self.prefixes.len() > PREFIXES_MAX => {}
            _ => self.prefixes.extend(line.strip_prefix(b"ref-prefix ").map(<[u8]>::to_owned)),
        }
    }
}

impl GitRequest {
    /// Reads a request.
    ///
    /// # Errors
    /// `INVALID_REQUEST` if it is not a request of Git.
    pub fn parse(version: ProtocolVersion, body: &[u8]) -> Result<Self> {
        if body == FLUSH {
            return Ok(Self::Probe);
        }
        match version {
            ProtocolVersion::V0 => Fetch::parse_v0(body),
            ProtocolVersion::V2 => Self::parse_v2(body),
        }
    }

    fn parse_v2(body: &[u8]) -> Result<Self> {
        let mut packets = pkt::packets(body);
        let Some(Packet::Line(command)) = packets.next().transpose()? else {
            return Err(malformed("must begin with a command"));
        };
        let mut ls_refs = LsRefs::default();
        let mut fetch = Fetch::new(Dialect::V2);
        let mut in_arguments = false;
        for packet in packets {
            match packet? {
                Packet::Delimiter => in_arguments = true,
                Packet::Flush => break,
                // Ignore the client's capabilities.
                Packet::Line(_) if !in_arguments => {}
                Packet::Line(line) if command == b"command=fetch" => {
                    if let Some(refusal) = fetch.take(line)? {
                        return Ok(Self::Refused(refusal));
                    }
                }
                Packet::Line(line) => ls_refs.take(line),
            }
        }
        match command {
            b"command=ls-refs" => Ok(Self::LsRefs(ls_refs)),
            b"command=fetch" => fetch.complete(),
            _ => Err(malformed("must begin with a supported command")),
        }
    }
}

impl Fetch {
    /// The wish of a client that has these commits of the project.
    pub fn wish(&self, common: &[Oid]) -> Wish {
        Wish {
            wants: self.wants.clone(),
            common: common.to_vec(),
            shallow: self.shallow.clone(),
            depth: self.depth,
        }
    }

    fn new(dialect: Dialect) -> Self {
        Self { wants: Vec::new(), haves: Vec::new(), shallow: Vec::new(), depth: None, done: false, dialect }
    }

    fn parse_v0(body: &[u8]) -> Result<GitRequest> {
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
        if let Dialect::V0 { only_depth, .. } = &mut fetch.dialect {
            *only_depth = sections == 1 && !fetch.done && fetch.haves.is_empty() && fetch.depth.is_some();
        }
        fetch.complete()
    }

    /// Takes one line; returns the reason if it is refused.
    fn take(&mut self, line: &[u8]) -> Result<Option<String>> {
        let text = std::str::from_utf8(line).map_err(|_| malformed("has a line that is not text"))?;
        match text.split_once(' ').unwrap_or((text, "")) {
            ("want", oid) => self.wants.push(parse_oid(oid)?),
            ("have", oid) => self.haves.push(parse_oid(oid)?),
            ("shallow", oid) => self.shallow.push(parse_oid(oid)?),
            ("deepen", depth) => {
                let depth: u32 =
                    depth.parse().ok().filter(|n| *n > 0).ok_or_else(|| malformed("has an invalid depth"))?;
                self.depth = Some(match self.depth {
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
            ("done", "") => self.done = true,
            (unsupported @ ("deepen-since" | "deepen-not"), _) => {
                return Ok(Some(format!("{unsupported} is not supported: use a depth")));
            }
            ("filter", _) => return Ok(Some("filters are not supported".to_owned())),
            ("want-ref", _) => return Ok(Some("want-ref is not supported".to_owned())),
            // Options for smaller packs, which this server doesn't use.
            ("thin-pack" | "no-progress" | "include-tag" | "ofs-delta" | "wait-for-done", "") => {}
            _ => return Err(malformed("has an unknown line")),
        }
        Ok(None)
    }

    fn complete(mut self) -> Result<GitRequest> {
        if self.wants.is_empty() {
            return Err(malformed("wants nothing"));
        }
        // A relative depth without a number.
        if self.depth == Some(Depth::More(0)) {
            self.depth = None;
        }
        Ok(GitRequest::Fetch(self))
    }

    /// True if the pack follows, given the client's commits that the project has.
    pub fn is_settled(&self, common: &[Oid]) -> bool {
        self.done || (self.dialect == Dialect::V2 && !common.is_empty())
    }

    /// The response before the pack, or instead of it while the client has to continue.
    pub fn preamble(&self, common: &[Oid], selection: &CommitSelection) -> Vec<u8> {
        let mut out = Vec::new();
        let ends = |out: &mut Vec<u8>| {
            selection.shallow.iter().for_each(|oid| pkt::line(out, &format!("shallow {oid}")));
            selection.unshallow.iter().for_each(|oid| pkt::line(out, &format!("unshallow {oid}")));
        };
        match self.dialect {
            Dialect::V0 { detailed, only_depth, .. } => {
                if self.depth.is_some() {
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
                    pkt::line(&mut out, if common.is_empty() { "NAK" } else { "ready" });
                    if common.is_empty() {
                        out.extend_from_slice(FLUSH);
                        return out;
                    }
                    out.extend_from_slice(DELIMITER);
                }
                if self.depth.is_some() {
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
    let hash: domain::object::CommitHash =
        text.parse().map_err(|_| malformed("holds an invalid object id"))?;
    Ok(hash.into())
}

fn malformed(message: &str) -> Error {
    Error::invalid("", "format", message)
}
