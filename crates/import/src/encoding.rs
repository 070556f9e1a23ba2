//! Encodings of text that doesn't name its own.
//!
//! A detector knows the letters of languages. Two things are beyond it: files whose only foreign bytes are symbols
//! (`10 µm`), and names in the code pages of DOS, in which Windows still writes archives.

pub mod names;
mod symbols;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, WINDOWS_1252};

/// The likeliest encoding of text that is not UTF-8.
pub(crate) fn guess(bytes: &[u8]) -> &'static Encoding {
    let plain = detect(bytes);
    let Some(without_symbols) = symbols::masked(bytes) else { return plain };
    if without_symbols.is_ascii() {
        return WINDOWS_1252;
    }
    // Symbols look like letters of other languages. Those of languages with wide characters are no symbols.
    let rest = detect(&without_symbols);
    if rest.is_single_byte() { rest } else { plain }
}

fn detect(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    detector.guess(None, Utf8Detection::Deny)
}

#[cfg(test)]
mod tests {
    use encoding_rs::{
        BIG5, EUC_KR, Encoding, GBK, SHIFT_JIS, WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253,
    };

    use super::guess;

    fn decoded(bytes: &[u8]) -> String {
        guess(bytes).decode_without_bom_handling(bytes).0.into_owned()
    }

    #[test]
    fn symbols_of_engineers_are_western_wherever_they_stand() {
        for text in [
            "10 µm",
            "coat 25µm thick",
            "C1 = 4.7µF, R2",
            "// µ = 0.3",
            "t < 5 µs",
            "±0.05",
            "20 ±0.1 mm",
            "+5V ±½ LSB",
            "90°",
            "45°30'",
            "T = -40 °C",
            "3×45°",
            "2 × M6",
            "Ø12 H7",
            "Ø 12",
            "ØD1",
            "bore Ø8",
            "ø6 g6",
            "mm²",
            "area in m² and volume in m³",
            "W/m²·K",
            "5 N·m",
            "1½\" pipe",
            "G½ thread",
            "¾ inch",
            "R¼",
            "25 mm\u{a0}± 1",
            "10\u{a0}µm",
            "see § 5",
            "s-¹",
            "A ÷ B",
            "\u{201c}Ø10\u{201d} hole",
            "don\u{2019}t scale",
            "length \u{2013} width",
            "Widget\u{2122}",
            "© 2026",
            "40 \u{20ac}",
            "PART('10 µm film','Ø5')",
            "x\n10 µm\nØ8\n±1",
        ] {
            let bytes = WINDOWS_1252.encode(text).0;
            assert_eq!(decoded(&bytes), text);
        }
    }

    #[test]
    fn letters_of_other_languages_are_no_symbols() {
        let texts: [(&'static Encoding, &[&str]); 8] = [
            (SHIFT_JIS, &["部品の寸法 10", "ボルトとナット", "ねじの図面と部品の寸法 M6 x 20"]),
            (GBK, &["零件图 10", "轴承座装配图", "螺栓 M6"]),
            (BIG5, &["零件圖說明 10", "螺絲與螺帽的尺寸"]),
            (EUC_KR, &["부품의 치수 10", "볼트와 너트"]),
            (WINDOWS_1251, &["Деталь корпуса", "Вал 10 мм и деталь корпуса", "Шайба и болт"]),
            (WINDOWS_1250, &["Wał napędowy i łożysko", "Średnica zewnętrzna wału", "Příruba hřídele"]),
            (WINDOWS_1253, &["Άξονας κινητήρα", "Διάμετρος οπής"]),
            (WINDOWS_1252, &["Größe der Schraube", "Länge 10 µm ±0,1", "Épaisseur 5 µm à 20 °C"]),
        ];
        for (encoding, texts) in texts {
            for text in texts {
                let bytes = encoding.encode(text).0;
                assert_eq!(decoded(&bytes), *text, "{}", encoding.name());
            }
        }
    }

    #[test]
    fn symbols_beside_letters_do_not_change_the_language() {
        for (encoding, text) in [
            (WINDOWS_1251, "Температура 20 °C ±5, зазор"),
            (WINDOWS_1250, "Temperatura pracy 20 °C ±5 w łożysku"),
            (WINDOWS_1252, "Oberflächenrauheit Ø12 ±0,05 mit 10 µm Schichtstärke"),
        ] {
            let bytes = encoding.encode(text).0;
            assert_eq!(decoded(&bytes), text, "{}", encoding.name());
        }
    }
}
