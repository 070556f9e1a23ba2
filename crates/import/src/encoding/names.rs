//! Names of files in the code page of their sender: in archives, and in forms.
//!
//! A name alone is short, so all of an archive are judged together. Beside the encodings that a detector knows, Windows
//! writes archives in the code page of DOS, where `ö` is a byte that no text of today has.

use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, IBM866, SHIFT_JIS, WINDOWS_1252};
use oem_cp::code_table::{DECODING_TABLE_CP437, DECODING_TABLE_CP850, DECODING_TABLE_CP852};

use super::guess;

/// Most bytes of names that are judged.
const SAMPLE_MAX: usize = 64 * 1024;

/// The upper half of a code page of DOS.
type DosPage = [char; 128];

/// Pages of western and central Europe. Of letters that several have, the first one's count.
const DOS_PAGES: [&DosPage; 3] = [&DECODING_TABLE_CP850, &DECODING_TABLE_CP852, &DECODING_TABLE_CP437];

/// Encodings of wide characters, those with the fewest valid sequences first.
const WIDE: [&Encoding; 4] = [SHIFT_JIS, EUC_KR, BIG5, GBK];

/// Decodes the names of one sender.
#[derive(Clone, Copy, Debug)]
pub struct NameDecoder(CodePage);

#[derive(Clone, Copy, Debug)]
enum CodePage {
    Dos(&'static DosPage),
    Other(&'static Encoding),
}

impl NameDecoder {
    /// The decoder for these names, which are judged together. Names in UTF-8 tell nothing.
    pub fn of<'a>(names: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut sample = Vec::new();
        for name in names.into_iter().filter(|name| std::str::from_utf8(name).is_err()) {
            if sample.len() + name.len() >= SAMPLE_MAX {
                break;
            }
            sample.extend_from_slice(name);
            sample.push(b'\n');
        }
        Self(code_page(&sample))
    }

    /// The name as text: UTF-8 as it is, any other in the code page.
    pub fn decode(self, name: &[u8]) -> String {
        match std::str::from_utf8(name) {
            Ok(text) => text.to_owned(),
            Err(_) => self.0.decode(name),
        }
    }
}

impl CodePage {
    fn decode(self, name: &[u8]) -> String {
        match self {
            Self::Other(encoding) => encoding.decode_without_bom_handling(name).0.into_owned(),
            Self::Dos(page) => name.iter().map(|byte| dos_character(page, *byte)).collect(),
        }
    }
}

fn dos_character(page: &DosPage, byte: u8) -> char {
    match byte.checked_sub(128) {
        Some(upper) => page.get(usize::from(upper)).copied().unwrap_or(char::REPLACEMENT_CHARACTER),
        None => char::from(byte),
    }
}

/// The code page of a sample, one name a line.
fn code_page(sample: &[u8]) -> CodePage {
    let guessed = guess(sample);
    let cyrillic = CodePage::Other(IBM866);
    if is_of_script(&cyrillic.decode(sample), |c| ('\u{410}'..='\u{451}').contains(&c)) {
        return cyrillic;
    }
    let is_wide = !guessed.is_single_byte() && is_unmixed(&CodePage::Other(guessed).decode(sample));
    if is_wide || is_latin(&CodePage::Other(WINDOWS_1252).decode(sample)) {
        return CodePage::Other(guessed);
    }
    let dos = DOS_PAGES.into_iter().map(CodePage::Dos).find(|page| is_latin(&page.decode(sample)));
    // A name may be too short for a guess. Wide characters leave no doubt where nothing else fits.
    let wide = || WIDE.into_iter().map(CodePage::Other).find(|page| is_wide_text(&page.decode(sample)));
    dos.or_else(wide).unwrap_or(CodePage::Other(guessed))
}

/// True if every foreign character is a letter of this script, in words of this script alone that are written in small
/// letters, in capitals, or begin with one.
fn is_of_script(text: &str, is_letter: impl Fn(char) -> bool) -> bool {
    let foreign = text.chars().filter(|c| !c.is_ascii());
    let mut words = text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_ascii());
    foreign.clone().count() > 0
        && foreign.into_iter().all(&is_letter)
        && words.all(|word| word.chars().all(&is_letter) && has_usual_capitals(word))
}

/// True if every foreign character is a Latin letter within a word of mostly plain ones, or a sign beside one.
fn is_latin(text: &str) -> bool {
    let is_accented = |c: char| matches!(c, '\u{c0}'..='\u{24f}') && !matches!(c, '×' | '÷');
    let is_sign = |c: char| "°±²³½¼¾µ×÷§".contains(c);
    text.chars().all(|c| c.is_ascii() || is_accented(c) || is_sign(c))
        && text.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_ascii()).all(|word| {
            let letters: Vec<char> = word.chars().collect();
            // Beside plain letters at most three others follow each other (`Część`). French has words of one such letter.
            let is_plain = letters.iter().any(char::is_ascii) || letters.len() == 1;
            let is_mixed = is_plain && !letters.windows(4).any(|run| run.iter().all(|c| !c.is_ascii()));
            let repeats = letters.windows(2).any(|pair| matches!(pair, [a, b] if is_vowel_twice(*a, *b)));
            has_usual_capitals(word) && !repeats && is_mixed
        })
}

/// True for a plain vowel before the same one with an accent, which no language writes: `Straáe` for `Straße`.
fn is_vowel_twice(plain: char, accented: char) -> bool {
    let accents = match plain.to_ascii_lowercase() {
        'a' => "áàâãä",
        'e' => "éèêë",
        'i' => "íìîï",
        'o' => "óòôõö",
        'u' => "úùûü",
        _ => return false,
    };
    plain.is_ascii() && accented.to_lowercase().any(|accented| accents.contains(accented))
}

/// True for words in small letters, in capitals, with one capital at the beginning, or in humps of plain letters.
fn has_usual_capitals(word: &str) -> bool {
    let letters: Vec<char> = word.chars().filter(|c| c.is_lowercase() || c.is_uppercase()).collect();
    let is_capital = |place: usize| letters.get(place).is_some_and(|c| c.is_uppercase());
    let is_accented = |place: usize| letters.get(place).is_some_and(|c| !c.is_ascii());
    letters.windows(2).enumerate().all(|(place, _)| {
        let next = place + 1;
        match (is_capital(place), is_capital(next)) {
            // A capital within a word.
            (false, true) => !is_accented(place) && !is_accented(next),
            // The end of several capitals. Sharp s has none of its own.
            (true, false) => {
                let is_first = place == 0 || !is_capital(place - 1);
                is_first || !is_accented(next) || letters.get(next) == Some(&'ß')
            }
            _ => true,
        }
    })
}

/// True if every foreign character is an ideograph, a syllable, or punctuation of such text.
fn is_wide_text(text: &str) -> bool {
    is_unmixed(text)
        && text.chars().all(|c| {
            c.is_ascii()
                || matches!(c, '\u{3000}'..='\u{30ff}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' | '\u{ff01}'..='\u{ff5e}')
        })
}

/// True if no word has plain letters beside foreign ones.
fn is_unmixed(text: &str) -> bool {
    text.split(|c: char| !c.is_alphabetic())
        .all(|word| word.is_ascii() || !word.chars().any(|c| c.is_ascii()))
        && !text.contains(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{BIG5, EUC_KR, Encoding, GBK, IBM866, SHIFT_JIS};
    use encoding_rs::{WINDOWS_1250, WINDOWS_1251, WINDOWS_1252};

    use super::{DOS_PAGES, DosPage, NameDecoder};

    /// Names as users of these languages have them.
    const GERMAN: [&str; 5] = [
        "Zeichnungen/Größe.stp",
        "Gehäuse/Deckel für Lüfter.pdf",
        "Übersicht.txt",
        "Straße.pdf",
        "ÄNDERUNG.txt",
    ];
    const RUSSIAN: [&str; 4] = ["Чертежи/Деталь корпуса.stp", "Вал.stp", "Сборка/Болт М6.stp", "ОТЧЁТ.txt"];
    const JAPANESE: [&str; 5] =
        ["図面/部品表.xlsx", "ボルト M6.stp", "ナット.stp", "予定表/能力.txt", "ソフト/CADデータ.stp"];
    const CHINESE: [&str; 3] = ["图纸/零件图.stp", "装配图/轴承座.stp", "说明.txt"];

    /// All names of an archive, decoded.
    fn decoded(names: &[Vec<u8>]) -> Vec<String> {
        let decoder = NameDecoder::of(names.iter().map(Vec::as_slice));
        names.iter().map(|name| decoder.decode(name)).collect()
    }

    fn in_encoding(encoding: &'static Encoding, names: &[&str]) -> Vec<Vec<u8>> {
        names.iter().map(|name| encoding.encode(name).0.into_owned()).collect()
    }

    fn in_dos(page: &DosPage, names: &[&str]) -> Vec<Vec<u8>> {
        let byte = |c: char| match u8::try_from(c) {
            Ok(ascii) if ascii.is_ascii() => ascii,
            _ => u8::try_from(page.iter().position(|own| *own == c).unwrap() + 128).unwrap(),
        };
        names.iter().map(|name| name.chars().map(byte).collect()).collect()
    }

    #[test]
    fn names_of_an_archive_are_read_in_the_code_page_of_their_sender() {
        let cases: [(&'static Encoding, &[&str]); 9] = [
            (SHIFT_JIS, &JAPANESE),
            (GBK, &CHINESE),
            (BIG5, &["圖面/零件圖.stp", "螺絲與螺帽.stp", "功能.txt"]),
            (EUC_KR, &["도면/부품.stp", "볼트와 너트.stp"]),
            (IBM866, &RUSSIAN),
            (WINDOWS_1251, &RUSSIAN),
            (WINDOWS_1252, &GERMAN),
            (WINDOWS_1252, &["Pièces/Boîtier été.stp", "Hauteur à vérifier.pdf"]),
            (WINDOWS_1250, &["Rysunki/Wał napędowy.stp", "Łożysko.pdf", "Część środkowa.stp"]),
        ];
        for (encoding, names) in cases {
            assert_eq!(decoded(&in_encoding(encoding, names)), names, "{}", encoding.name());
        }
        let [western, central, _] = DOS_PAGES;
        assert_eq!(decoded(&in_dos(western, &GERMAN)), GERMAN);
        let french = ["Pièces/Boîtier été.stp", "Hauteur à vérifier.pdf"];
        assert_eq!(decoded(&in_dos(western, &french)), french);
        let polish = ["Rysunki/Wał napędowy.stp", "Część środkowa.stp", "Łożysko.pdf"];
        assert_eq!(decoded(&in_dos(central, &polish)), polish);
    }

    #[test]
    fn single_names_are_read_where_their_bytes_leave_one_way() {
        for (encoding, names) in [
            (SHIFT_JIS, &JAPANESE[..]),
            (GBK, &CHINESE),
            (IBM866, &RUSSIAN),
            (WINDOWS_1251, &RUSSIAN[..1]),
            (WINDOWS_1252, &GERMAN),
            (WINDOWS_1252, &["10 µm.stp", "Ø12.stp", "90°.stp", "Fläche m².csv"]),
        ] {
            for name in names {
                assert_eq!(decoded(&in_encoding(encoding, &[name])), [*name], "{}", encoding.name());
            }
        }
        for name in [GERMAN[0], GERMAN[1], GERMAN[3]] {
            assert_eq!(decoded(&in_dos(DOS_PAGES[0], &[name])), [name]);
        }
    }

    #[test]
    fn names_in_utf_8_stay_beside_others() {
        let mut names = in_encoding(GBK, &CHINESE);
        names.push("Größe.stp".as_bytes().to_vec());
        assert_eq!(decoded(&names).last().unwrap(), "Größe.stp");
        assert_eq!(decoded(&[b"a.txt".to_vec(), "é.txt".as_bytes().to_vec()]), ["a.txt", "é.txt"]);
    }
}
