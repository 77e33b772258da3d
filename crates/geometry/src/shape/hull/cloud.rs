//! The points of a hull, checked and scaled.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | L | `extent` | largest extent of the points along an axis | scaled |
//! | τ | `tolerance` | what is nearer than τ to a plane counts as in it | scaled |
//! | – | `unit` | length of one scaled unit | m |

use crate::{
    Aabb,
    shape::{LENGTH_RANGE, ShapeError},
};
use huygens_math::{Vec3, scalar::max};

/// 2⁻¹⁴⁰: a coordinate below this is nothing beside the largest, but its products would underflow and spoil the
/// exact signs.
const NOTHING: f64 = f64::from_bits((1023 - 140) << 52);

/// τ is at least this many roundings of the largest coordinate, so that a turned plane stays a plane.
const ROUNDINGS: f64 = 64.0;

/// Points scaled by a power of two, which is exact, so that the largest coordinate is below 1.
pub(super) struct Cloud {
    pub points: Vec<Vec3>,
    pub tolerance: f64,
    extent: f64,
    unit: f64,
    /// Largest coordinate.
    reach: f64,
    /// τ without the rounding of coordinates.
    asked: f64,
}

impl Cloud {
    /// Checks the points; `relative` is τ as a fraction of L.
    pub fn new(points: &[Vec3], relative: f64) -> Result<Self, ShapeError> {
        for (index, p) in points.iter().enumerate() {
            if !p.is_finite() || p.abs().max_element() > LENGTH_RANGE[1] {
                return Err(ShapeError::BadPoint { index, x: p.x, y: p.y, z: p.z });
            }
        }
        let distinct = distinct_up_to_four(points);
        if distinct < 4 {
            return Err(ShapeError::TooFewPoints { given: points.len(), distinct });
        }
        let Aabb { min: low, max: high } = Aabb::of_points(points);
        let extent = (high - low).max_element();
        if extent < LENGTH_RANGE[0] {
            let remedy = "Check the unit of the points: lengths are in metres.";
            return Err(ShapeError::BadSize { shape: "hull", field: "extent", value: extent, remedy });
        }
        let reach = max(high.abs().max_element(), low.abs().max_element());
        let unit = power_of_two_above(reach);
        let scale = 1.0 / unit;
        let keep = |x: f64| if x.abs() < NOTHING { 0.0 } else { x };
        let tolerance = max(relative * extent, ROUNDINGS * f64::EPSILON * reach);
        Ok(Self {
            points: points.iter().map(|p| (*p * scale).map(keep)).collect(),
            tolerance: tolerance * scale,
            extent: extent * scale,
            unit,
            reach: reach * scale,
            asked: relative * extent * scale,
        })
    }

    /// The error for points that are only `thickness` thick, in scaled length, where `least` tolerances are needed.
    pub fn flat(&self, what: &'static str, flat: &'static str, thickness: f64, least: f64) -> ShapeError {
        let given = self.points.len();
        let extent = self.extent * self.unit;
        if thickness > least * max(self.asked, ROUNDINGS * f64::EPSILON * self.extent) {
            let (reach, rounding) = (self.reach * self.unit, f64::EPSILON * self.reach * self.unit);
            return ShapeError::TooFar { given, extent, reach, rounding };
        }
        ShapeError::Flat { given, what, flat, thickness: thickness * self.unit, extent }
    }
}

/// The smallest power of two above a positive normal number.
fn power_of_two_above(x: f64) -> f64 {
    2.0 * f64::from_bits(x.to_bits() & (0x7FF << 52))
}

/// How many different points there are, counted to four.
fn distinct_up_to_four(points: &[Vec3]) -> usize {
    let mut found = [Vec3::ZERO; 4];
    let mut count = 0;
    for p in points {
        if count < 4 && !found[..count].contains(p) {
            found[count] = *p;
            count += 1;
        }
    }
    count
}
