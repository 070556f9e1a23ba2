//! Packs, the transfer format of Git objects.
//!
//! Objects are written whole rather than as deltas, because they are small. The smallest are not compressed: setting up
//! the compressor takes longer than the rest and saves a quarter of two hundred bytes.

use aws_lc_rs::digest::{Context, SHA1_FOR_LEGACY_USE_ONLY};
use domain::{Error, Result};
use flate2::{Compress, Compression, FlushCompress, Status};

use crate::object::GitObjectKind;

/// Smaller objects are stored uncompressed. At most the size of a stored block of DEFLATE.
const COMPRESSED_FROM_BYTES: usize = 4 * 1024;

/// Writes a pack. It appends each object to the caller's buffer, which the caller may send at any time.
pub struct PackWriter {
    hash: Context,
    compress: Compress,
}

impl PackWriter {
    /// Begins a pack of exactly `count` objects.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if `count` exceeds the limit of packs.
    pub fn begin(count: usize, out: &mut Vec<u8>) -> Result<Self> {
        let mut writer = Self {
            hash: Context::new(&SHA1_FOR_LEGACY_USE_ONLY),
            compress: Compress::new(Compression::fast(), true),
        };
        let start = out.len();
        out.extend_from_slice(b"PACK\0\0\0\x02");
        out.extend_from_slice(&u32::try_from(count).map_err(Error::internal)?.to_be_bytes());
        writer.digest(out, start);
        Ok(writer)
    }

    /// Appends an object.
    ///
    /// # Errors
    /// `INTERNAL_ERROR` if it can't be compressed.
    pub fn object(&mut self, kind: GitObjectKind, data: &[u8], out: &mut Vec<u8>) -> Result<()> {
        let start = out.len();
        head(kind, data.len(), out);
        if data.len() < COMPRESSED_FROM_BYTES {
            store(data, out)?;
        } else {
            self.deflate(data, out)?;
        }
        self.digest(out, start);
        Ok(())
    }

    /// Ends the pack after the announced number of objects.
    pub fn end(self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.hash.finish().as_ref());
    }

    fn deflate(&mut self, data: &[u8], out: &mut Vec<u8>) -> Result<()> {
        self.compress.reset();
        loop {
            // Mostly enough for one pass: the compressor fills the reserved space only.
            out.reserve(data.len() / 2 + COMPRESSED_FROM_BYTES);
            let consumed = usize::try_from(self.compress.total_in()).map_err(Error::internal)?;
            let rest = data.get(consumed..).unwrap_or_default();
            let status = self.compress.compress_vec(rest, out, FlushCompress::Finish);
            if status.map_err(Error::internal)? == Status::StreamEnd {
                return Ok(());
            }
        }
    }

    fn digest(&mut self, out: &[u8], start: usize) {
        self.hash.update(out.get(start..).unwrap_or_default());
    }
}

/// An entry's kind and size: four bits of the size with the kind, then seven per byte, least significant first.
fn head(kind: GitObjectKind, size: usize, out: &mut Vec<u8>) {
    let kind: u8 = match kind {
        GitObjectKind::Commit => 1,
        GitObjectKind::Tree => 2,
        GitObjectKind::Blob => 3,
    };
    let low = |size: usize, mask: u8| size.to_le_bytes().first().map_or(0, |byte| byte & mask);
    let more = |size: usize| if size > 0 { 0x80 } else { 0 };
    let mut rest = size >> 4;
    out.push(kind << 4 | low(size, 0x0f) | more(rest));
    while rest > 0 {
        let byte = low(rest, 0x7f);
        rest >>= 7;
        out.push(byte | more(rest));
    }
}

/// A zlib stream of one stored block.
fn store(data: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let length = u16::try_from(data.len()).map_err(Error::internal)?;
    out.extend_from_slice(&[0x78, 0x01, 0x01]);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(&(!length).to_le_bytes());
    out.extend_from_slice(data);
    out.extend_from_slice(&adler32(data).to_be_bytes());
    Ok(())
}

/// The checksum of a zlib stream, for data too short to overflow its sums.
fn adler32(data: &[u8]) -> u32 {
    const MODULUS: u32 = 65_521;
    let (a, b) = data.chunks(COMPRESSED_FROM_BYTES).fold((1, 0), |sums, part| {
        let (a, b) = part.iter().fold(sums, |(a, b), byte| (a + u32::from(*byte), b + a + u32::from(*byte)));
        (a % MODULUS, b % MODULUS)
    });
    b << 16 | a
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use flate2::read::ZlibDecoder;

    use super::{COMPRESSED_FROM_BYTES, PackWriter};
    use crate::object::GitObjectKind;

    #[test]
    fn objects_of_every_size_round_trip() {
        for size in [0, 1, 15, 16, 2_047, 2_048, COMPRESSED_FROM_BYTES - 1, COMPRESSED_FROM_BYTES, 300_000] {
            // The largest is noise, which grows by compression.
            let noise = |i: usize| i.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_be_bytes()[0];
            let data: Vec<u8> = (0..size).map(|i| if size < 10_000 { 7 } else { noise(i) }).collect();
            let mut pack = Vec::new();
            let mut writer = PackWriter::begin(1, &mut pack).unwrap();
            assert_eq!(pack, b"PACK\0\0\0\x02\0\0\0\x01");
            let start = pack.len();
            writer.object(GitObjectKind::Blob, &data, &mut pack).unwrap();
            let entry = &pack[start..];
            let bytes = entry.iter().position(|byte| byte & 0x80 == 0).unwrap() + 1;
            let said =
                entry[1..bytes].iter().rev().fold(0, |size, byte| size << 7 | usize::from(byte & 0x7f));
            assert_eq!((entry[0] >> 4 & 7, said << 4 | usize::from(entry[0] & 0x0f)), (3, size));
            let mut read = Vec::new();
            ZlibDecoder::new(&entry[bytes..]).read_to_end(&mut read).unwrap();
            assert_eq!(read, data);
            writer.end(&mut pack);
        }
    }
}
