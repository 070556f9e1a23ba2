//! Numbers that look random, and are the same in each run.

/// The number of a row's property (SplitMix64). Properties of one row are independent of each other.
pub(crate) fn noise(row: u64, property: u64) -> u64 {
    let mut bits = row.wrapping_mul(64).wrapping_add(property).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

/// A word of letters, one of `words` different ones.
pub(crate) fn word(row: u64, property: u64, words: u64) -> String {
    let mut bits = noise(noise(row, property) % words, 63);
    let mut word = String::new();
    for _ in 0..4 {
        let (consonant, vowel) = (bits % 20, bits / 20 % 5);
        for (letters, place) in [("bcdfghjklmnpqrstvwxz", consonant), ("aeiou", vowel)] {
            word.extend(usize::try_from(place).ok().and_then(|place| letters.chars().nth(place)));
        }
        bits /= 100;
    }
    word
}

/// An id that no other row of this `kind` has.
pub(crate) fn id(row: u64, kind: u16) -> String {
    format!("{:08x}-{kind:04x}-7000-8000-{row:012x}", row >> 16)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    #[test]
    fn properties_are_spread_and_words_are_of_the_vocabulary() {
        let ones = (0..10_000).filter(|row| super::noise(*row, 3).is_multiple_of(10)).count();
        assert!((900..1_100).contains(&ones), "{ones}");
        let both = (0..10_000)
            .filter(|row| [1, 2].iter().all(|one| super::noise(*row, *one).is_multiple_of(2)))
            .count();
        assert!((2_300..2_700).contains(&both), "{both}");
        let words: HashSet<String> = (0..10_000).map(|row| super::word(row, 5, 500)).collect();
        assert!((480..=500).contains(&words.len()), "{}", words.len());
        assert!(words.iter().all(|word| word.len() == 8), "{words:?}");
        let ids: HashSet<String> = (0..100_000).map(|row| super::id(row, 1)).collect();
        assert_eq!(ids.len(), 100_000);
    }
}
