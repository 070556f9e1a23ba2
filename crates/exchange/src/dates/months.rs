//! Names of months and halves of the day in Jira's languages, as Java 17 writes them with CLDR's data, and with Java 8's
//! where that differs.

/// Names of each month in lower case, without the dot of an abbreviation. No name belongs to two months.
const MONTHS: [&[&str]; 12] = [
    &[
        "jan", "january", "jän", "janv", "ene", "enero", "sty", "gen", "tammi", "tammik", "led", "jaan",
        "ian", "oca", "янв", "січ",
    ],
    &[
        "feb", "february", "févr", "lut", "fev", "helmi", "helmik", "úno", "febr", "veebr", "февр", "фев",
        "şub", "лют",
    ],
    &[
        "mar", "march", "mär", "märz", "mars", "mrt", "maalis", "maalisk", "bře", "márc", "märts", "март",
        "мар", "бер",
    ],
    &["apr", "april", "avr", "abr", "kwi", "huhti", "huhtik", "dub", "ápr", "апр", "nis", "квіт", "кві"],
    &["may", "mai", "maj", "mag", "mei", "touko", "toukok", "kvě", "máj", "maí", "май", "мая", "трав", "тра"],
    &[
        "jun", "june", "juni", "juin", "cze", "giu", "kesä", "kesäk", "čvn", "čer", "jún", "juuni", "iun",
        "июнь", "июн", "haz", "черв", "чер",
    ],
    &[
        "jul", "july", "juli", "juil", "juill", "lip", "lug", "heinä", "heinäk", "čvc", "júl", "juuli",
        "iul", "июль", "июл", "tem", "лип",
    ],
    &["aug", "august", "août", "ago", "sie", "elo", "elok", "srp", "ágú", "авг", "ağu", "серп", "сер"],
    &["sep", "sept", "september", "wrz", "set", "syys", "syysk", "zář", "szept", "сент", "сен", "eyl", "вер"],
    &["oct", "october", "okt", "paź", "ott", "out", "loka", "lokak", "říj", "окт", "eki", "жовт", "жов"],
    &["nov", "november", "lis", "marras", "marrask", "nóv", "нояб", "ноя", "kas", "лист", "лис"],
    &[
        "dec", "december", "dez", "déc", "dic", "gru", "des", "joulu", "jouluk", "pro", "dets", "дек", "ara",
        "груд", "гру",
    ],
];
/// Signs behind the number of a month in Japanese, Chinese and Korean.
const NUMBER_SIGNS: [char; 2] = ['月', '월'];
/// Words for the first half of the day, without dots and spaces.
const MORNING: [&str; 13] =
    ["am", "午前", "上午", "오전", "fm", "dop", "ap", "de", "fh", "öö", "damanhã", "дп", "sa"];
/// Words for the second half of the day, in the same order of languages.
const AFTERNOON: [&str; 13] =
    ["pm", "午後", "下午", "오후", "em", "odp", "ip", "du", "eh", "ös", "datarde", "пп", "ch"];

/// The month, 1 to 12, that a word in lower case or a number with a sign stands for.
pub(super) fn month(word: &str) -> Option<u8> {
    let word = word.trim_end_matches('.');
    if let Some(number) = word.strip_suffix(NUMBER_SIGNS) {
        return number.parse().ok().filter(|month| (1..=12).contains(month));
    }
    (1..).zip(MONTHS).find_map(|(month, names)| names.contains(&word).then_some(month))
}

/// True for an afternoon, false for a morning; `None` for other words. Dots and spaces don't count.
pub(super) fn is_afternoon(words: &str) -> Option<bool> {
    let words: String = words.chars().filter(|c| *c != '.' && *c != ' ').collect();
    let is = |list: &[&str]| list.contains(&words.as_str());
    if is(&AFTERNOON) { Some(true) } else { is(&MORNING).then_some(false) }
}

#[cfg(test)]
mod tests {
    use super::{MONTHS, month};

    #[test]
    fn no_name_belongs_to_two_months() {
        for (number, name) in
            (1..).zip(MONTHS).flat_map(|(number, names)| names.iter().map(move |name| (number, name)))
        {
            assert_eq!(month(name), Some(number), "{name}");
        }
    }

    #[test]
    fn numbers_of_months_are_bounded() {
        assert_eq!(
            (month("12月"), month("13月"), month("0월"), month("月"), month("x")),
            (Some(12), None, None, None, None)
        );
    }
}
