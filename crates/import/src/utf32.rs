//! Text in UTF-32, which the Encoding Standard omits although some tools write it.

/// Bytes at the beginning that decide about text without a byte order mark.
const DETECTION_BYTES: usize = 4096;
/// Fewest characters for a decision; fewer could be anything.
const UNITS_MIN: usize = 4;

/// Byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Utf32 {
    Little,
    Big,
}

impl Utf32 {
    /// The byte order: by the mark, or because only this order gives valid characters, mostly ASCII.
    pub(crate) fn of(bytes: &[u8]) -> Option<Self> {
        match bytes {
            [0xff, 0xfe, 0, 0, ..] => return Some(Self::Little),
            [0, 0, 0xfe, 0xff, ..] => return Some(Self::Big),
            _ => {}
        }
        let (units, _) = bytes.get(..DETECTION_BYTES.min(bytes.len()))?.as_chunks::<4>();
        let is_text = |order: &Self| {
            let characters = || units.iter().map(|unit| order.character(*unit));
            let ascii = characters().flatten().filter(char::is_ascii).count();
            ascii * 10 >= units.len() * 9 && characters().all(|found| found.is_some_and(is_of_text))
        };
        [Self::Little, Self::Big].into_iter().find(is_text).filter(|_| units.len() >= UNITS_MIN)
    }

    /// Name of the encoding.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Little => "UTF-32LE",
            Self::Big => "UTF-32BE",
        }
    }

    /// Decodes the text without its mark. Invalid characters become replacement characters.
    pub(crate) fn decode(self, bytes: &[u8]) -> String {
        let (units, _) = bytes.as_chunks::<4>();
        let is_marked = units.first().and_then(|unit| self.character(*unit)) == Some('\u{feff}');
        let units = units.iter().skip(usize::from(is_marked));
        units.map(|unit| self.character(*unit).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
    }

    fn character(self, unit: [u8; 4]) -> Option<char> {
        char::from_u32(match self {
            Self::Little => u32::from_le_bytes(unit),
            Self::Big => u32::from_be_bytes(unit),
        })
    }
}

fn is_of_text(character: char) -> bool {
    !character.is_control() || matches!(character, '\t' | '\n' | '\r' | '\u{c}')
}
