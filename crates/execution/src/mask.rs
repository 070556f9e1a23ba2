//! Masks of the service's credentials in what executed code writes. A mistake that prints a grant must not keep it.

/// Beginnings of credentials: of grants, and of API keys.
const PREFIXES: [&str; 2] = ["svc_gr_", "svc_ak_"];
/// Replacement of the rest of a credential.
const MASK: &str = "[masked]";

/// Masks credentials in a text that arrives piece by piece.
#[derive(Debug, Default)]
pub(crate) struct Masker {
    /// The beginning of a prefix, held back until its rest has arrived.
    held: String,
    /// True inside a credential.
    is_inside: bool,
}

/// A text without credentials.
pub(crate) fn masked(text: &str) -> String {
    let mut masker = Masker::default();
    let mut masked = masker.mask(text);
    masked.push_str(&masker.finish());
    masked
}

impl Masker {
    /// The next piece of the text, masked. A piece may lack its last characters, which the next one begins with.
    pub(crate) fn mask(&mut self, text: &str) -> String {
        let mut masked = String::with_capacity(text.len());
        for character in text.chars() {
            if self.is_inside && is_part(character) {
                continue;
            }
            self.is_inside = false;
            self.held.push(character);
            while !PREFIXES.iter().any(|prefix| prefix.starts_with(&self.held)) {
                masked.extend(self.held.drain(..first_length(&self.held)));
            }
            if PREFIXES.contains(&self.held.as_str()) {
                masked.push_str(&std::mem::take(&mut self.held));
                masked.push_str(MASK);
                self.is_inside = true;
            }
        }
        masked
    }

    /// The held end of the text.
    pub(crate) fn finish(&mut self) -> String {
        std::mem::take(&mut self.held)
    }
}

/// True for the characters of which credentials are made.
fn is_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.')
}

fn first_length(text: &str) -> usize {
    text.chars().next().map_or(0, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::{Masker, masked};

    #[test]
    fn credentials_are_masked_and_nothing_else() {
        for (text, shown) in [
            ("a svc_gr_eyJ0.e-y_.x, b", "a svc_gr_[masked], b"),
            ("Bearer svc_ak_live_0123", "Bearer svc_ak_[masked]"),
            ("svc_svc_gr_abc svc_gr", "svc_svc_gr_[masked] svc_gr"),
            ("svc_gr_asvc_gr_b\u{e4}svc_ak_", "svc_gr_[masked]\u{e4}svc_ak_[masked]"),
            ("nothing \u{e4} ss svc", "nothing \u{e4} ss svc"),
        ] {
            assert_eq!(masked(text), shown);
        }
    }

    #[test]
    fn a_credential_split_over_pieces_is_masked() {
        let text = "x svc_gr_abc.def y";
        for at in 0..=text.len() {
            let mut masker = Masker::default();
            let (first, second) = text.split_at(at);
            let shown = [masker.mask(first), masker.mask(second), masker.finish()].concat();
            assert_eq!(shown, "x svc_gr_[masked] y", "{at}");
        }
    }
}
