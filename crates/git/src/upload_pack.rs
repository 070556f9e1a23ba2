//! Requests and responses of clones and fetches: protocol version 2, and version 0 for older clients and libraries.
//!
//! Each request is independent, as over HTTP.
//!
//! Not here: finding the objects, and the pack.

mod fetch;

use domain::{Error, Result, Rule};

use crate::object::Oid;
use crate::pkt::{self, FLUSH, Packet};
use crate::upload_pack::fetch::Dialect;
pub use crate::upload_pack::fetch::Fetch;

/// The server's name.
const AGENT: &str = concat!("agent=atelier/", env!("CARGO_PKG_VERSION"));
/// Capabilities in version 0.
const CAPABILITIES: &str = "multi_ack_detailed side-band-64k no-progress shallow deepen-since deepen-not \
    deepen-relative allow-tip-sha1-in-want allow-reachable-sha1-in-want filter object-format=sha1";
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
    /// Fetches Git objects.
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
            let fetch = "fetch=shallow wait-for-done filter";
            for line in ["version 2", AGENT, "ls-refs=unborn", fetch, "object-format=sha1"] {
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
    /// The commit of a branch, named by its whole reference or by an end of it.
    pub fn find(&self, reference: &str) -> Option<Oid> {
        let ends =
            |name: &str| ["", "refs/", BRANCHES].iter().any(|start| format!("{start}{reference}") == name);
        self.with_head().find(|(name, _)| ends(name)).map(|(_, oid)| oid)
    }

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

fn malformed(message: &str) -> Error {
    Error::invalid("", Rule::Syntax, message)
}
