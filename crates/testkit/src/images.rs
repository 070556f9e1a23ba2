//! Small images for tests.

/// A PNG of one pixel of this colour, with a comment in its metadata.
pub fn png_of(colour: [u8; 3], comment: &str) -> Vec<u8> {
    let header = [1_u32.to_be_bytes(), 1_u32.to_be_bytes()].concat();
    // Eight bits of red, green and blue.
    let header = [&header[..], &[8, 2, 0, 0, 0]].concat();
    let row = [&[0][..], &colour].concat();
    let text = [&b"Comment\0"[..], comment.as_bytes()].concat();
    let chunks = [(b"IHDR", header), (b"tEXt", text), (b"IDAT", zlib(&row)), (b"IEND", Vec::new())];
    let chunks = chunks.iter().flat_map(|(kind, content)| chunk(kind, content));
    b"\x89PNG\r\n\x1a\n".iter().copied().chain(chunks).collect()
}

fn chunk(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX).to_be_bytes();
    let named = [&kind[..], content].concat();
    [&length[..], &named, &crc(&named).to_be_bytes()].concat()
}

/// The bytes as a stream of zlib that stores them.
fn zlib(bytes: &[u8]) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).unwrap_or(u16::MAX);
    let head = [&[0x78, 0x01, 0x01][..], &length.to_le_bytes(), &(!length).to_le_bytes()].concat();
    let (one, two) = bytes.iter().fold((1_u32, 0_u32), |(one, two), byte| {
        let one = (one + u32::from(*byte)) % 65_521;
        (one, (two + one) % 65_521)
    });
    [&head[..], bytes, &((two << 16) | one).to_be_bytes()].concat()
}

/// The checksum of a chunk.
fn crc(bytes: &[u8]) -> u32 {
    let shift = |crc: u32| if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), |crc, _| shift(crc)))
}
