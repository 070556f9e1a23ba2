//! Symbols of windows-1252 in technical text: `10 µm`, `Ø12 ±0.05`, `90°`, `m²`.
//!
//! Each has its place: a degree follows a number, a diameter precedes one. A byte in its place is taken for the symbol, any
//! other one for a letter.

/// Letters that follow `µ` in units: metre, second, ampere, volt, farad, henry, watt, gram, litre, coulomb, newton, pascal,
/// joule, tesla, radian, bit and byte, inch.
const AFTER_MICRO: &[u8] = b"mMsSAVFHWgGlLCNPJTrRbBi";

/// The text with a space for each symbol in its place; `None` without one.
pub(super) fn masked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut masked = None;
    let at = |place: Option<usize>| place.and_then(|place| bytes.get(place)).copied().unwrap_or(b'\n');
    for (place, byte) in bytes.iter().enumerate().filter(|(_, byte)| !byte.is_ascii()) {
        let around = Around { before: at(place.checked_sub(1)), after: at(place.checked_add(1)) };
        if around.fits(*byte)
            && let Some(own) = masked.get_or_insert_with(|| bytes.to_vec()).get_mut(place)
        {
            *own = b' ';
        }
    }
    masked
}

/// The neighbours of a byte.
#[derive(Clone, Copy)]
struct Around {
    before: u8,
    after: u8,
}

impl Around {
    /// True if the byte, as a symbol of windows-1252, stands where that symbol does.
    fn fits(self, byte: u8) -> bool {
        if !self.has_known_neighbours(byte) {
            return false;
        }
        let Self { before, after } = self;
        let (word_before, word_after) = (before.is_ascii_alphabetic(), after.is_ascii_alphabetic());
        match byte {
            // No-break space.
            0xa0 => true,
            // Micro.
            0xb5 => !word_before && (!word_after || AFTER_MICRO.contains(&after)),
            // Degree, and the ordinal that some write for it.
            0xb0 | 0xba => (!word_before || matches!(before, b'N' | b'n')) && !after.is_ascii_lowercase(),
            // Plus-minus, section.
            0xb1 | 0xa7 => !word_before && !word_after,
            // Multiplication, division: between numbers.
            0xd7 | 0xf7 => {
                let is_number = |byte: u8| byte.is_ascii_digit() || byte == b' ';
                (is_number(before) || word_before && after == b' ') && (is_number(after) || word_after)
            }
            // Diameter.
            0xd8 | 0xf8 => {
                !word_before && (!after.is_ascii_lowercase() || matches!(after, b'd' | b'i' | b'a'))
            }
            // Superscripts. Letters before a three are those of units: Polish words end in this byte.
            0xb2 => before != b' ' && before != b'\n' && !word_after,
            0xb3 => (b"mMxd)]-".contains(&before) || before.is_ascii_digit()) && !word_after,
            0xb9 => (b"-)]".contains(&before) || before.is_ascii_digit()) && !word_after,
            // Fractions, also behind the letter of a thread.
            0xbc..=0xbe => !before.is_ascii_lowercase() && !word_after,
            // Middle dot, between units.
            0xb7 => true,
            // Angstrom.
            0xc5 => (before == b' ' || before.is_ascii_digit()) && !after.is_ascii_alphanumeric(),
            _ => self.fits_punctuation(byte),
        }
    }

    /// The same for punctuation and signs of trade.
    fn fits_punctuation(self, byte: u8) -> bool {
        let Self { before, after } = self;
        let (word_before, word_after) = (before.is_ascii_alphanumeric(), after.is_ascii_alphanumeric());
        match byte {
            // Opening quotes, and closing ones.
            0x82 | 0x84 | 0x91 | 0x93 => !word_before && after != b' ',
            0x94 => before != b' ' && !word_after,
            // The apostrophe of English, or a closing quote.
            0x92 => before != b' ' && (!word_after || b"stlrvdm".contains(&after)),
            // Dashes.
            0x96 | 0x97 => word_before == word_after,
            // Ellipsis, trade mark, registered.
            0x85 | 0x99 | 0xae => !word_after,
            // Copyright, bullet.
            0xa9 | 0x95 => !word_before && !word_after,
            // Euro and pound, before or behind a number.
            0x80 | 0xa3 => !before.is_ascii_alphabetic() && !after.is_ascii_alphabetic(),
            // Guillemets.
            0xab | 0xbb => word_before != word_after,
            // Per mille.
            0x89 => !before.is_ascii_alphabetic() && !word_after,
            _ => false,
        }
    }

    /// True if each neighbour is ASCII, or one of the few symbols beside which this one stands. Letters of Chinese and
    /// other languages have two such bytes.
    fn has_known_neighbours(self, byte: u8) -> bool {
        let is_pair = |first: u8, second: u8| match (first, second) {
            (0xa0, _) | (_, 0xa0) => true,
            // A superscript before a dot, a fraction behind plus-minus.
            (0xb2 | 0xb3 | 0xb9, 0xb7) | (0xb1, 0xbc..=0xbe) => true,
            // Quoted symbols.
            (0x84 | 0x93, 0xb1 | 0xb5 | 0xd8 | 0xf8) => true,
            (0xb0 | 0xb2 | 0xb3 | 0xbc..=0xbe, 0x92..=0x94) => true,
            _ => false,
        };
        (self.before.is_ascii() || is_pair(self.before, byte))
            && (self.after.is_ascii() || is_pair(byte, self.after))
    }
}
