//! When a flat face wins over a direction that is better by a hair.

/// A face is the reference when its depth exceeds the least depth by no more than this part of it …
pub const FACE_BAND_OF_DEPTH: f64 = 0.05;

/// … plus this part of the smaller shape's size.
pub const FACE_BAND_OF_SIZE: f64 = 1e-3;

/// Alternatives that differ by less than this part of the size are tied, and the lower number wins.
pub(crate) const TIE: f64 = 1e-9;

/// How much less deep, or more distant, than `best` a face may be and still be the reference [m].
#[inline(always)]
pub(crate) fn band(best: f64, size: f64) -> f64 {
    FACE_BAND_OF_DEPTH * best.abs() + FACE_BAND_OF_SIZE * size
}
