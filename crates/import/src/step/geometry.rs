//! Fingerprints of shapes: hashes of the statements that a shape consists of, in which each reference is the hash of
//! its target. So neither numbers of instances nor the place of a shape in its file or assembly count.
//!
//! Equal fingerprints are the same shape, apart from its unit. Different ones prove nothing: a program may write a
//! shape in many ways.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Read, Seek, SeekFrom};

use sha2::{Digest, Sha256};

use super::instances::Instances;
use super::limits::GEOMETRY_MAX_BYTES;
use super::record::Parameter;

/// Bytes of a hash that are written, as hexadecimal digits.
const WRITTEN: usize = 8;

type Hash = [u8; 32];

/// The fingerprints of definitions, given the representations of each. Files of more than [`GEOMETRY_MAX_BYTES`] have
/// none, because memory holds the whole file.
///
/// # Errors
/// Failures of reading.
pub(super) fn fingerprints<R: Read + Seek>(
    mut input: R,
    representations: &BTreeMap<u64, Vec<u64>>,
) -> io::Result<HashMap<u64, String>> {
    if representations.is_empty() || input.seek(SeekFrom::End(0))? > GEOMETRY_MAX_BYTES {
        return Ok(HashMap::new());
    }
    input.rewind()?;
    let mut text = Vec::new();
    input.take(GEOMETRY_MAX_BYTES).read_to_end(&mut text)?;
    let mut shapes = ShapeReader { instances: Instances::of(&text)?, hashes: HashMap::new() };
    let mut found = HashMap::new();
    for (definition, representations) in representations {
        if let Some(fingerprint) = shapes.fingerprint(representations) {
            found.insert(*definition, fingerprint);
        }
    }
    Ok(found)
}

/// Hashes of the instances of a file, each made once.
struct ShapeReader<'a> {
    instances: Instances<'a>,
    /// `None` for an instance whose components are being hashed.
    hashes: HashMap<u64, Option<Hash>>,
}

impl ShapeReader<'_> {
    /// The fingerprint of a shape's representations; `None` without geometry.
    fn fingerprint(&mut self, representations: &[u64]) -> Option<String> {
        let items = representations.iter().flat_map(|representation| self.items(*representation));
        let mut hashes = Vec::new();
        for item in items.collect::<Vec<_>>() {
            hashes.push(self.hash(item));
        }
        if hashes.is_empty() {
            return None;
        }
        // Their order is the program's.
        hashes.sort_unstable();
        hashes.dedup();
        let all = hashes.iter().fold(Sha256::new(), |all, hash| all.chain_update(hash)).finalize();
        Some(all.iter().take(WRITTEN).map(|byte| format!("{byte:02x}")).collect())
    }

    /// The items of a representation without placements, which programs add for each use of the part.
    fn items(&self, representation: u64) -> Vec<u64> {
        let Some(record) = self.instances.record(representation) else { return Vec::new() };
        let items = record.entities.iter().flat_map(|part| part.list(1)).filter_map(Parameter::reference);
        items.filter(|item| !self.is_placement(*item)).collect()
    }

    /// True for a placement, and for an instance that the file lacks.
    fn is_placement(&self, id: u64) -> bool {
        let record = self.instances.record(id);
        record.is_none_or(|record| record.entity(&[b"AXIS2_PLACEMENT_3D", b"AXIS2_PLACEMENT_2D"]).is_some())
    }

    /// The hash of an instance. Without recursion, because references may be nested without end.
    fn hash(&mut self, root: u64) -> Hash {
        let mut path = vec![root];
        while let Some(id) = path.last().copied() {
            if let Some(Some(_)) = self.hashes.get(&id) {
                path.pop();
                continue;
            }
            let statement = self.instances.statement(id).unwrap_or_default();
            let is_open = self.hashes.contains_key(&id);
            if is_open {
                let hash = self.digest(statement);
                self.hashes.insert(id, Some(hash));
                path.pop();
            } else {
                let missing = |target: &u64| !self.hashes.contains_key(target);
                let targets: Vec<u64> =
                    pieces(statement).filter_map(StatementPart::target).filter(missing).collect();
                path.extend(targets);
                self.hashes.insert(id, None);
            }
        }
        self.hashes.get(&root).copied().flatten().unwrap_or_default()
    }

    /// The hash of a statement whose components have theirs. A component that contains this statement has none.
    fn digest(&self, statement: &[u8]) -> Hash {
        let mut digest = Sha256::new();
        for piece in pieces(statement) {
            match piece {
                StatementPart::Text(text) => digest.update(text),
                StatementPart::Reference(id) => {
                    digest.update(self.hashes.get(&id).copied().flatten().unwrap_or_default())
                }
            }
        }
        digest.finalize().into()
    }
}

/// A piece of a statement that counts.
enum StatementPart<'a> {
    Text(&'a [u8]),
    Reference(u64),
}

impl StatementPart<'_> {
    fn target(self) -> Option<u64> {
        match self {
            Self::Reference(id) => Some(id),
            Self::Text(_) => None,
        }
    }
}

/// The pieces right of the first `=`, without white space and strings: names in geometry are the program's.
fn pieces(statement: &[u8]) -> impl Iterator<Item = StatementPart<'_>> {
    let begin = memchr::memchr(b'=', statement).map_or(statement.len(), |place| place + 1);
    let mut rest = statement.get(begin..).unwrap_or_default();
    std::iter::from_fn(move || {
        loop {
            let (first, after) = rest.split_first()?;
            if first.is_ascii_whitespace() {
                rest = after;
            } else if *first == b'\'' {
                let end = memchr::memchr(b'\'', after).map_or(after.len(), |place| place + 1);
                rest = after.get(end..).unwrap_or_default();
            } else if let Some(comment) = rest.strip_prefix(b"/*") {
                let end = memchr::memmem::find(comment, b"*/").map_or(comment.len(), |place| place + 2);
                rest = comment.get(end..).unwrap_or_default();
            } else if *first == b'#' {
                let length = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
                let (digits, after) = after.split_at_checked(length).unwrap_or_default();
                rest = after;
                let id = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                return Some(StatementPart::Reference(id.unwrap_or(0)));
            } else {
                let is_text = |byte: &u8| !byte.is_ascii_whitespace() && !b"'#/".contains(byte);
                let length = 1 + after.iter().take_while(|byte| is_text(byte)).count();
                let (text, after) = rest.split_at_checked(length).unwrap_or_default();
                rest = after;
                return Some(StatementPart::Text(text));
            }
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Cursor;

    use super::fingerprints;

    /// The fingerprint of the representation `#1`.
    fn fingerprint(data: &str) -> Option<String> {
        let text = format!("ISO-10303-21;HEADER;ENDSEC;DATA;{data}ENDSEC;END-ISO-10303-21;");
        fingerprints(Cursor::new(text), &BTreeMap::from([(9, vec![1])])).unwrap().remove(&9)
    }

    #[test]
    fn numbers_names_order_and_placements_do_not_count_but_coordinates_do() {
        let one = fingerprint(
            "#1=A('',(#2,#3),#9);#2=AXIS2_PLACEMENT_3D('',#4);#3=B('x',#4,.T.);#4=P('',(1.,2.));",
        );
        assert_eq!(one.as_ref().map(String::len), Some(16));
        for same in [
            "#1=A('',(#7),#9);#5=P('p',(1.,2.));#7=B('it''s',\n#5 , .T.);",
            "#7=/* # */B('',#5,.T.);#5=P('',(1., 2.));#1=A('n',(#7,#8),#9);#8=AXIS2_PLACEMENT_3D('',$);",
        ] {
            assert_eq!(fingerprint(same), one, "{same}");
        }
        for other in [
            "#1=A('',(#3),#9);#3=B('x',#4,.T.);#4=P('',(1.,2.5));",
            "#1=A('',(#3),#9);#3=B('x',#4,.F.);#4=P('',(1.,2.));",
            "#1=A('',(#3,#4),#9);#3=B('x',#4,.T.);#4=P('',(1.,2.));",
        ] {
            assert_ne!(fingerprint(other), one, "{other}");
        }
    }

    #[test]
    fn shapes_without_geometry_have_none_and_cycles_end() {
        for none in
            ["", "#1=A('',(#2),#9);#2=AXIS2_PLACEMENT_3D('',$);", "#1=A('',(#2),#9);", "#1=A(", "#1=A();"]
        {
            assert_eq!(fingerprint(none), None, "{none}");
        }
        for cycle in ["#1=A('',(#2),#1);#2=B(#2);", "#1=A('',(#2),#1);#2=B(#3,#3);#3=C(#2,#1);"] {
            assert!(fingerprint(cycle).is_some(), "{cycle}");
            assert_eq!(fingerprint(cycle), fingerprint(cycle));
        }
    }

    #[test]
    fn a_chain_of_references_needs_no_stack() {
        let mut data = String::from("#1=A('',(#2),#1);");
        for id in 2..200_000 {
            data.push_str(&format!("#{id}=B(#{});", id + 1));
        }
        assert!(fingerprint(&data).is_some());
    }
}
