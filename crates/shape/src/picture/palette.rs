//! The colours of a picture's faces, by numbers that fit into its samples.

use std::collections::HashMap;

use glam::Vec3A;

/// Colours in a picture at most. Faces of further ones have the last.
const COLOURS_MAX: u16 = 0x7fff;

/// Colours in linear light, each once.
#[derive(Default)]
pub(super) struct Palette {
    colours: Vec<Vec3A>,
    /// By the bits of their colours.
    paints: HashMap<[u32; 3], Paint>,
}

/// The number of a colour, from 1 to [`COLOURS_MAX`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Paint(pub(super) u16);

impl Palette {
    /// The paint of a colour.
    pub(super) fn paint(&mut self, colour: Vec3A) -> Paint {
        let Self { colours, paints } = self;
        *paints.entry(colour.to_array().map(f32::to_bits)).or_insert_with(|| {
            if colours.len() < usize::from(COLOURS_MAX) {
                colours.push(colour);
            }
            Paint(u16::try_from(colours.len()).unwrap_or(COLOURS_MAX))
        })
    }

    /// The colour of a paint; black if it isn't of this palette.
    pub(super) fn colour(&self, paint: Paint) -> Vec3A {
        usize::from(paint.0)
            .checked_sub(1)
            .and_then(|place| self.colours.get(place))
            .copied()
            .unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::{COLOURS_MAX, Paint, Palette, Vec3A};

    #[test]
    fn colours_have_one_paint_each_until_there_are_too_many() {
        let mut palette = Palette::default();
        let grey = |step: u16| Vec3A::splat(f32::from(step) / 65_535.0);
        for step in 0..COLOURS_MAX {
            assert_eq!(palette.paint(grey(step)), Paint(step + 1));
        }
        assert_eq!((palette.paint(grey(7)), palette.colour(Paint(8))), (Paint(8), grey(7)));
        assert_eq!(palette.paint(grey(u16::MAX)), Paint(COLOURS_MAX));
        assert_eq!(palette.colour(Paint(COLOURS_MAX)), grey(COLOURS_MAX - 1));
    }
}
