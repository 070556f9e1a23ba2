//! A revision of a file in memory: objects that replace others or are new, appended as an incremental update
//! (ISO 32000-2, 7.5.6). So pages can be drawn otherwise than hayro reads them.

use std::collections::BTreeMap;

use hayro::hayro_syntax::object::{Dict, MaybeRef, Object, ObjectIdentifier};
use memchr::memmem;

/// Number of the first new object. Files that number their objects up to here are too large to be revised.
const FIRST_NUMBER: u32 = 8_300_000;
const START: &[u8] = b"startxref";

/// Objects in PDF's syntax, by number and generation.
#[derive(Default)]
pub(super) struct Revision(BTreeMap<(u32, i32), Vec<u8>>);

impl Revision {
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds an object; returns its id.
    pub(super) fn add(&mut self, object: Vec<u8>) -> ObjectIdentifier {
        let last = self.0.keys().next_back().map_or(0, |(number, _)| *number);
        let id = ObjectIdentifier::new(last.max(FIRST_NUMBER).saturating_add(1), 0);
        self.replace(id, object);
        id
    }

    /// Adds a stream with these entries in its dictionary; returns its id.
    pub(super) fn add_stream(&mut self, entries: &str, content: &[u8]) -> ObjectIdentifier {
        let mut object = format!("<< {entries} /Length {} >>\nstream\n", content.len()).into_bytes();
        object.extend_from_slice(content);
        object.extend_from_slice(b"\nendstream");
        self.add(object)
    }

    /// Replaces an object of the file.
    pub(super) fn replace(&mut self, id: ObjectIdentifier, object: Vec<u8>) {
        self.0.insert((id.obj_number, id.gen_number), object);
    }

    /// The file with this revision, whose catalog is `root`.
    pub(super) fn append(self, file: &[u8], root: ObjectIdentifier) -> Vec<u8> {
        let mut revised = file.to_vec();
        let mut table = "\nxref\n".to_owned();
        for ((number, generation), object) in self.0 {
            revised.push(b'\n');
            table.push_str(&format!("{number} 1\n{:010} {generation:05} n \n", revised.len()));
            revised.extend_from_slice(format!("{number} {generation} obj\n").as_bytes());
            revised.extend_from_slice(&object);
            revised.extend_from_slice(b"\nendobj");
        }
        let place = revised.len() + 1;
        let root = reference(root);
        let end = match previous(file) {
            Some(previous) => {
                format!("trailer\n<< /Root {root} /Prev {previous} >>\nstartxref\n{place}\n%%EOF\n")
            }
            // Without a table all objects are searched.
            None => format!("trailer\n<< /Root {root} >>\n"),
        };
        revised.extend_from_slice(table.as_bytes());
        revised.extend_from_slice(end.as_bytes());
        revised
    }
}

/// The place of the file's last table of objects.
fn previous(file: &[u8]) -> Option<usize> {
    let after = file.get(memmem::rfind(file, START)? + START.len()..)?.trim_ascii_start();
    let digits = after.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(after.get(..digits)?).ok()?.parse().ok()
}

/// A reference to an object.
pub(super) fn reference(id: ObjectIdentifier) -> String {
    format!("{} {} R", id.obj_number, id.gen_number)
}

/// A dictionary with some entries replaced by others in PDF's syntax.
pub(super) fn with_entries(dict: &Dict<'_>, replaced: &[(&str, String)]) -> Vec<u8> {
    let mut out = b"<<".to_vec();
    for (name, value) in dict.entries() {
        if replaced.iter().all(|(other, _)| other.as_bytes() != &*name) {
            write_name(&mut out, &name);
            write(&mut out, &value);
        }
    }
    for (name, value) in replaced {
        out.extend_from_slice(format!("/{name} {value}").as_bytes());
    }
    out.extend_from_slice(b">>");
    out
}

/// Writes an object. Hayro limits how deep objects nest.
pub(super) fn write(out: &mut Vec<u8>, value: &MaybeRef<Object<'_>>) {
    out.push(b' ');
    match value {
        MaybeRef::Ref(id) => out.extend_from_slice(id.to_string().as_bytes()),
        MaybeRef::NotRef(Object::String(string)) => {
            out.push(b'<');
            for byte in string.as_bytes() {
                out.extend_from_slice(format!("{byte:02x}").as_bytes());
            }
            out.push(b'>');
        }
        // Without exponents, which PDF lacks.
        MaybeRef::NotRef(Object::Number(number)) => {
            out.extend_from_slice(number.as_f64().to_string().as_bytes());
        }
        MaybeRef::NotRef(Object::Name(name)) => write_name(out, name),
        MaybeRef::NotRef(Object::Dict(dict)) => out.extend_from_slice(&with_entries(dict, &[])),
        MaybeRef::NotRef(Object::Array(array)) => {
            out.push(b'[');
            array.raw_iter().for_each(|item| write(out, &item));
            out.push(b']');
        }
        // Streams are never part of other objects.
        MaybeRef::NotRef(Object::Stream(_)) => out.extend_from_slice(b"null"),
        MaybeRef::NotRef(plain) => out.extend_from_slice(plain.to_string().as_bytes()),
    }
}

fn write_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        if byte.is_ascii_alphanumeric() || b"-_.+".contains(byte) {
            out.push(*byte);
        } else {
            out.extend_from_slice(format!("#{byte:02x}").as_bytes());
        }
    }
}
