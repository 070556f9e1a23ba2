//! The orientation of JPEG, WebP and TIFF images, which cameras store as Exif data.
//!
//! Not here: HEIF and JPEG XL, which store it elsewhere. Exif libraries are unsuitable: for this one number they read all
//! Exif data, and whole TIFF files, into memory.

use std::io::{BufReader, Read, Seek, SeekFrom};

/// Prefix of Exif data in JPEG and in some WebP files.
const EXIF: &[u8; 6] = b"Exif\0\0";
/// Tag of the orientation, a number of two bytes.
const ORIENTATION: u16 = 0x0112;
const SHORT: u16 = 3;
/// Most segments or chunks that are searched.
const PARTS_MAX: usize = 10_000;

/// True if the image is displayed turned by a quarter; false for damaged data.
pub(super) fn is_sideways<R: Read + Seek>(media_type: &str, mut input: BufReader<R>) -> bool {
    let found = match media_type {
        "image/jpeg" => find_in_jpeg(&mut input),
        "image/webp" => find_in_webp(&mut input),
        "image/tiff" => of_tiff(&mut input, 0),
        _ => None,
    };
    // Of the eight orientations, the first four keep width and height.
    matches!(found, Some(5..=8))
}

/// The orientation in the first segment of Exif data.
fn find_in_jpeg<R: Read + Seek>(input: &mut BufReader<R>) -> Option<u16> {
    read::<2, R>(input)?;
    for _ in 0..PARTS_MAX {
        let [0xff, kind, high, low] = read(input)? else { return None };
        let length = u16::from_be_bytes([high, low]).checked_sub(2)?;
        match kind {
            // Start of the image data.
            0xda => return None,
            0xe1 if length >= 6 => {
                if read(input)? == *EXIF {
                    let begin = input.stream_position().ok()?;
                    return of_tiff(input, begin);
                }
                input.seek_relative(i64::from(length) - 6).ok()?;
            }
            _ => input.seek_relative(i64::from(length)).ok()?,
        }
    }
    None
}

fn find_in_webp<R: Read + Seek>(input: &mut BufReader<R>) -> Option<u16> {
    read::<12, R>(input)?;
    for _ in 0..PARTS_MAX {
        let kind: [u8; 4] = read(input)?;
        let length = u32::from_le_bytes(read(input)?);
        if kind == *b"EXIF" {
            let begin = input.stream_position().ok()?;
            let prefix = if read(input)? == *EXIF { 6 } else { 0 };
            return of_tiff(input, begin + prefix);
        }
        // Chunks begin at even places.
        input.seek_relative(i64::from(length) + i64::from(length % 2)).ok()?;
    }
    None
}

/// The orientation in the first directory of the TIFF data at `begin`.
fn of_tiff<R: Read + Seek>(input: &mut BufReader<R>, begin: u64) -> Option<u16> {
    input.seek(SeekFrom::Start(begin)).ok()?;
    let is_little = match read(input)? {
        [b'I', b'I', 42, 0] => true,
        [b'M', b'M', 0, 42] => false,
        _ => return None,
    };
    let short = |bytes| if is_little { u16::from_le_bytes(bytes) } else { u16::from_be_bytes(bytes) };
    let long = |bytes| if is_little { u32::from_le_bytes(bytes) } else { u32::from_be_bytes(bytes) };
    let directory = long(read(input)?);
    input.seek(SeekFrom::Start(begin + u64::from(directory))).ok()?;
    for _ in 0..short(read(input)?) {
        let (tag, kind) = (short(read(input)?), short(read(input)?));
        let (_count, value) = (read::<4, R>(input)?, short(read(input)?));
        read::<2, R>(input)?;
        if tag == ORIENTATION {
            return (kind == SHORT).then_some(value);
        }
    }
    None
}

fn read<const N: usize, R: Read>(input: &mut BufReader<R>) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    input.read_exact(&mut bytes).ok()?;
    Some(bytes)
}
