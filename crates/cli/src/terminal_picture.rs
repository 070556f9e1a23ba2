//! Pictures in terminals, by the three protocols that there are. Two of them take a PNG as it is, so this program has
//! no library for images.

use std::io::{self, Cursor, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use clap::ValueEnum;

/// Width of a picture, in columns.
const COLUMNS: u32 = 40;
/// Longest piece of encoded data in one sequence of kitty's protocol.
const KITTY_PIECE: usize = 4096;
/// Steps of each of red, green and blue in a sixel picture.
const STEPS: u8 = 6;
/// Least opacity of a sixel's dot.
const OPAQUE: u8 = 128;

/// A way in which terminals draw pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PictureProtocol {
    /// kitty, Ghostty, Konsole
    Kitty,
    /// iTerm2, WezTerm, mintty, the terminal of Visual Studio Code
    Iterm2,
    /// foot, mlterm, contour, xterm with sixels, Windows Terminal from 1.22
    Sixel,
}

impl PictureProtocol {
    /// The way of the terminal that these variables tell of; `None` for an unknown one, and inside of a program that
    /// draws the screen itself (tmux, GNU Screen), through which pictures don't get.
    pub(crate) fn of_terminal(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let value = |name: &str| variable(name).unwrap_or_default();
        let has = |name: &str| !value(name).is_empty();
        let (term, program) = (value("TERM"), value("TERM_PROGRAM"));
        let begins = |beginnings: &[&str]| beginnings.iter().any(|beginning| term.starts_with(beginning));
        if has("TMUX") || has("STY") || begins(&["screen", "tmux"]) {
            return None;
        }
        if begins(&["xterm-kitty", "xterm-ghostty"]) || has("KITTY_WINDOW_ID") || has("KONSOLE_VERSION") {
            return Some(Self::Kitty);
        }
        let is_iterm = value("LC_TERMINAL") == "iTerm2";
        if is_iterm || ["iTerm.app", "WezTerm", "mintty", "vscode"].contains(&program.as_str()) {
            return Some(Self::Iterm2);
        }
        (begins(&["foot", "mlterm", "contour"]) || term.contains("sixel") || has("WT_SESSION"))
            .then_some(Self::Sixel)
    }

    /// The bytes that draw a PNG.
    ///
    /// # Errors
    /// The PNG can't be read. Only sixels need that.
    pub(crate) fn sequence(self, png: &[u8]) -> io::Result<Vec<u8>> {
        match self {
            Self::Kitty => Ok(kitty(png)),
            Self::Iterm2 => Ok(iterm2(png)),
            Self::Sixel => sixel(png),
        }
    }
}

fn kitty(png: &[u8]) -> Vec<u8> {
    let encoded = BASE64_STANDARD.encode(png);
    let pieces: Vec<&[u8]> = encoded.as_bytes().chunks(KITTY_PIECE).collect();
    let mut sequence = Vec::new();
    for (place, piece) in pieces.iter().enumerate() {
        // Shows a PNG, without an answer that would be read as typed.
        let begin = if place == 0 { format!("a=T,f=100,q=2,c={COLUMNS},") } else { String::new() };
        let is_more = u8::from(place + 1 < pieces.len());
        sequence.extend_from_slice(format!("\x1b_G{begin}m={is_more};").as_bytes());
        sequence.extend_from_slice(piece);
        sequence.extend_from_slice(b"\x1b\\");
    }
    sequence.push(b'\n');
    sequence
}

fn iterm2(png: &[u8]) -> Vec<u8> {
    let (size, encoded) = (png.len(), BASE64_STANDARD.encode(png));
    format!("\x1b]1337;File=inline=1;size={size};width={COLUMNS}:{encoded}\x07\n").into_bytes()
}

/// Rows of six dots each, one colour after the other.
fn sixel(png: &[u8]) -> io::Result<Vec<u8>> {
    let (width, dots) = dots(png)?;
    let mut sequence = b"\x1bP0;1;0q".to_vec();
    let share = |step: u8| u32::from(step) * 100 / u32::from(STEPS - 1);
    for colour in 0..STEPS.pow(3) {
        let [red, green, blue] =
            [colour / (STEPS * STEPS), colour / STEPS % STEPS, colour % STEPS].map(share);
        write!(sequence, "#{colour};2;{red};{green};{blue}")?;
    }
    let width = width.max(1);
    for band in dots.chunks(width.saturating_mul(6)) {
        let mut colours: Vec<u8> = band.iter().copied().flatten().collect();
        colours.sort_unstable();
        colours.dedup();
        for colour in colours {
            write!(sequence, "#{colour}")?;
            for column in 0..width {
                let rows = band.chunks(width).enumerate();
                let is_set = |row: &[Option<u8>]| row.get(column).copied().flatten() == Some(colour);
                let bits = rows.filter(|(_, row)| is_set(row)).fold(0_u8, |bits, (row, _)| bits | 1 << row);
                sequence.push(b'?' + bits);
            }
            sequence.push(b'$');
        }
        sequence.push(b'-');
    }
    sequence.extend_from_slice(b"\x1b\\\n");
    Ok(sequence)
}

/// The width of a PNG, and the numbers of its dots' colours; `None` for those that are not drawn.
fn dots(png: &[u8]) -> io::Result<(usize, Vec<Option<u8>>)> {
    let mut decoder = png::Decoder::new(Cursor::new(png));
    decoder.set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
    let mut reader = decoder.read_info().map_err(io::Error::other)?;
    let size = reader.output_buffer_size().ok_or_else(|| io::Error::other("it is too large"))?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(io::Error::other)?;
    let width = usize::try_from(info.width).map_err(io::Error::other)?;
    // Of 256 values to steps, to the nearest.
    let step = |value: u8| u8::try_from((u32::from(value) * u32::from(STEPS - 1) + 127) / 255).unwrap_or(0);
    let colour = |[red, green, blue, alpha]: [u8; 4]| {
        (alpha >= OPAQUE).then(|| step(red) * STEPS * STEPS + step(green) * STEPS + step(blue))
    };
    let dots = match info.color_type {
        png::ColorType::Rgba => bytes.as_chunks::<4>().0.iter().copied().map(colour).collect(),
        _ => bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|[grey, alpha]| colour([*grey, *grey, *grey, *alpha]))
            .collect(),
    };
    Ok((width, dots))
}

#[cfg(test)]
mod tests {
    use super::{KITTY_PIECE, PictureProtocol};

    /// A PNG of two dots, red and clear, beside each other.
    fn png() -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, 2, 1);
        encoder.set_color(png::ColorType::Rgba);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[255, 0, 0, 255, 0, 0, 255, 0]).unwrap();
        writer.finish().unwrap();
        bytes
    }

    #[test]
    fn terminals_are_known_by_their_variables() {
        for (variables, expected) in [
            (&[("TERM", "xterm-kitty")][..], Some(PictureProtocol::Kitty)),
            (&[("TERM", "xterm-256color"), ("TERM_PROGRAM", "WezTerm")], Some(PictureProtocol::Iterm2)),
            (&[("TERM", "xterm-256color"), ("LC_TERMINAL", "iTerm2")], Some(PictureProtocol::Iterm2)),
            (&[("TERM", "foot")], Some(PictureProtocol::Sixel)),
            (&[("TERM", "xterm-256color")], None),
            (&[("TERM", "screen-256color"), ("KITTY_WINDOW_ID", "1")], None),
            (&[], None),
        ] {
            let variable = |name: &str| {
                let found = variables.iter().find(|(known, _)| *known == name);
                found.map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(PictureProtocol::of_terminal(variable), expected, "{variables:?}");
        }
    }

    #[test]
    fn a_long_picture_is_sent_to_kitty_in_pieces() {
        let long = vec![7; KITTY_PIECE];
        let sequence = String::from_utf8(PictureProtocol::Kitty.sequence(&long).unwrap()).unwrap();
        let pieces: Vec<&str> = sequence.trim_end().split_terminator("\x1b\\").collect();
        assert_eq!(pieces.len(), 2);
        assert!(pieces[0].starts_with("\x1b_Ga=T,f=100,q=2,c=40,m=1;"), "{sequence:?}");
        assert!(pieces[1].starts_with("\x1b_Gm=0;"), "{sequence:?}");
    }

    #[test]
    fn a_sixel_picture_has_the_dots_that_are_not_clear() {
        let sequence = String::from_utf8(PictureProtocol::Sixel.sequence(&png()).unwrap()).unwrap();
        // Red is the number 180 of 216 colours; the first dot of the first row, and nothing in the second column.
        assert!(sequence.ends_with("#180@?$-\x1b\\\n"), "{sequence:?}");
        assert!(PictureProtocol::Sixel.sequence(b"no picture").is_err());
    }
}
