//! pkt-line, the framing of Git's wire protocol: packets with a length, and special packets as separators.

use domain::{Error, Result, Rule};

/// Ends a message.
pub const FLUSH: &[u8] = b"0000";
/// Separates the sections of a message in protocol version 2.
pub const DELIMITER: &[u8] = b"0001";

/// Size of a packet's length field.
const LENGTH_BYTES: usize = 4;
/// Longest packet including its length field, in bytes.
const MAX_BYTES: usize = 65_520;

/// One packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packet<'a> {
    /// Data without a final newline.
    Line(&'a [u8]),
    /// The end of a message.
    Flush,
    /// The end of a section.
    Delimiter,
}

/// The stream of a side-band packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Band {
    /// The pack.
    Pack,
    /// A fatal error, for people.
    Error,
}

/// Appends a packet with this text and a newline.
pub fn line(out: &mut Vec<u8>, text: &str) {
    packet(out, &[text.as_bytes(), b"\n"]);
}

/// Appends a packet with this text and no newline.
pub fn bare(out: &mut Vec<u8>, text: &str) {
    packet(out, &[text.as_bytes()]);
}

/// Appends an error packet. Git shows its text to the user.
pub fn error(out: &mut Vec<u8>, reason: &str) {
    line(out, &format!("ERR {reason}"));
}

/// Appends data, split into packets.
pub fn side_band(out: &mut Vec<u8>, band: Band, data: &[u8]) {
    let band = match band {
        Band::Pack => 1,
        Band::Error => 3,
    };
    for part in data.chunks(MAX_BYTES - LENGTH_BYTES - 1) {
        packet(out, &[&[band], part]);
    }
}

/// Iterates over the packets of a message.
pub fn packets(mut bytes: &[u8]) -> impl Iterator<Item = Result<Packet<'_>>> {
    std::iter::from_fn(move || {
        if bytes.is_empty() {
            return None;
        }
        let next = split(bytes);
        // The end of an unreadable packet is unknown, so nothing after it is readable.
        bytes = next.map_or(&[], |(_, rest)| rest);
        Some(next.map(|(packet, _)| packet).ok_or_else(|| {
            Error::invalid("", Rule::Syntax, "is not a sequence of packets of Git's protocol")
        }))
    })
}

fn split(bytes: &[u8]) -> Option<(Packet<'_>, &[u8])> {
    let (length, rest) = bytes.split_at_checked(LENGTH_BYTES)?;
    let is_hexadecimal = length.iter().all(u8::is_ascii_hexdigit);
    let length = usize::from_str_radix(std::str::from_utf8(length).ok()?, 16).ok()?;
    match length {
        _ if !is_hexadecimal => None,
        0 => Some((Packet::Flush, rest)),
        1 => Some((Packet::Delimiter, rest)),
        _ => {
            let (data, rest) = rest.split_at_checked(length.checked_sub(LENGTH_BYTES)?)?;
            Some((Packet::Line(data.strip_suffix(b"\n").unwrap_or(data)), rest))
        }
    }
}

fn packet(out: &mut Vec<u8>, parts: &[&[u8]]) {
    let length = parts.iter().fold(LENGTH_BYTES, |length, part| length + part.len());
    out.extend_from_slice(format!("{length:04x}").as_bytes());
    parts.iter().for_each(|part| out.extend_from_slice(part));
}

#[cfg(test)]
mod tests {
    use super::{Band, FLUSH, Packet, line, packets, side_band};

    #[test]
    fn packets_round_trip() {
        let mut message = Vec::new();
        line(&mut message, "command=ls-refs");
        message.extend_from_slice(b"0001000bsymrefs0000");
        assert!(message.starts_with(b"0014command=ls-refs\n"));
        let read: Vec<Packet<'_>> = packets(&message).map(Result::unwrap).collect();
        let line = |text: &'static str| Packet::Line(text.as_bytes());
        assert_eq!(read, [line("command=ls-refs"), Packet::Delimiter, line("symrefs"), Packet::Flush]);
    }

    #[test]
    fn reading_ends_with_the_first_invalid_packet() {
        for bad in ["0", "000", "0002", "0003", "zzzz", "+004", "-001", "0005", "0006a", "ffff"] {
            let read: Vec<_> = packets(bad.as_bytes()).collect();
            assert!(matches!(read.as_slice(), [Err(_)]), "{bad}");
        }
    }

    #[test]
    fn side_band_packets_keep_the_length_limit() {
        let mut out = Vec::new();
        side_band(&mut out, Band::Pack, &[7; 65_516]);
        out.extend_from_slice(FLUSH);
        let lengths: Vec<usize> = packets(&out)
            .map(|packet| match packet.unwrap() {
                Packet::Line(data) => data.len(),
                _ => 0,
            })
            .collect();
        assert_eq!(lengths, [65_516, 2, 0]);
    }
}
