//! Numbers of floating point as whole ones: the nearest that the type has, and 0 for no number.

/// A share of 1 as a byte, rounded.
#[inline]
#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
pub(super) fn byte(share: f32) -> u8 {
    (share * 255.0 + 0.5) as u8
}

/// The number without its fraction.
#[inline]
#[expect(clippy::as_conversions, reason = "saturates; no number is 0")]
pub(super) fn whole(number: f32) -> u16 {
    number as u16
}
