//! Checks of single numbers, shared by all tables.

use crate::scene::{SceneError, SpecPath};
use huygens_math::{Quat, Vec3};

/// Numbers beyond this make sums of squares overflow somewhere; no scene in SI units needs them.
pub(crate) const LARGEST: f64 = 1e20;
/// Sizes and masses below this make products of them vanish.
const SMALLEST: f64 = 1e-20;
/// A quaternion's length may be off by this much, as written with three digits or more.
const QUATERNION_TOLERANCE: f64 = 1e-3;
/// More errors than this help nobody.
const MOST: usize = 32;

/// The errors found so far.
#[derive(Default)]
pub(super) struct Findings {
    errors: Vec<SceneError>,
}

impl Findings {
    pub(super) fn into_errors(self) -> Vec<SceneError> {
        self.errors
    }

    pub(super) fn push(&mut self, error: SceneError) {
        if self.errors.len() < MOST {
            self.errors.push(error);
        }
    }

    pub(super) fn add(
        &mut self,
        path: SpecPath,
        value: impl ToString,
        problem: impl Into<String>,
        remedy: impl Into<String>,
    ) {
        self.push(SceneError::new(path, value, problem, remedy));
    }

    /// A finite number of reasonable size. False when it is not.
    pub(super) fn finite(&mut self, path: impl FnOnce() -> SpecPath, x: f64) -> bool {
        let problem = if x.is_nan() {
            "must be a number"
        } else if x.abs() > LARGEST {
            "must be a finite number of at most 1e20"
        } else {
            return true;
        };
        self.add(path(), text(x), problem, "Write a finite number in SI units.");
        false
    }

    /// A number above 0, of reasonable size: a length, a mass, a density.
    pub(super) fn positive(&mut self, path: impl FnOnce() -> SpecPath, x: f64, what: &str) -> bool {
        let problem = if x.is_nan() || x.abs() > LARGEST {
            format!("{what} must be a finite number above 0 and at most 1e20")
        } else if x <= 0.0 {
            format!("{what} must be above 0")
        } else if x < SMALLEST {
            format!("{what} must be at least 1e-20")
        } else {
            return true;
        };
        let path = path();
        let key = last_key(&path);
        self.add(path, text(x), problem, format!("Give `{key}` a positive number in SI units."));
        false
    }

    /// A number at or above 0.
    pub(super) fn not_negative(&mut self, path: impl FnOnce() -> SpecPath, x: f64, what: &str) -> bool {
        if (0.0..=LARGEST).contains(&x) {
            return true;
        }
        let path = path();
        let key = last_key(&path);
        let problem = format!("{what} must be a finite number at or above 0");
        self.add(path, text(x), problem, format!("Give `{key}` 0 or a positive number."));
        false
    }

    /// A number from `low` to `high`.
    pub(super) fn within(
        &mut self,
        path: impl FnOnce() -> SpecPath,
        x: f64,
        [low, high]: [f64; 2],
        what: &str,
    ) -> bool {
        if low <= x && x <= high {
            return true;
        }
        let path = path();
        let key = last_key(&path);
        let problem = format!("{what} must be from {low} to {high}");
        self.add(path, text(x), problem, format!("Give `{key}` a number from {low} to {high}."));
        false
    }

    /// A whole number from `low` to `high`.
    pub(super) fn count(
        &mut self,
        path: impl FnOnce() -> SpecPath,
        x: i128,
        [low, high]: [u32; 2],
        remedy: &str,
    ) -> bool {
        if (i128::from(low)..=i128::from(high)).contains(&x) {
            return true;
        }
        self.add(path(), x, format!("must be from {low} to {high}"), remedy);
        false
    }

    /// A vector of finite numbers.
    pub(super) fn vector(&mut self, path: impl FnOnce() -> SpecPath, v: Vec3) -> bool {
        if v.abs().cmple(Vec3::splat(LARGEST)).all() {
            return true;
        }
        self.add(
            path(),
            show(v),
            "every component must be a finite number of at most 1e20",
            "Write three finite numbers in SI units.",
        );
        false
    }

    /// A vector that has a direction.
    pub(super) fn direction(&mut self, path: impl FnOnce() -> SpecPath, v: Vec3) -> bool {
        if !v.abs().cmple(Vec3::splat(LARGEST)).all() || v.length() < SMALLEST {
            self.add(
                path(),
                show(v),
                "a direction must be finite and have a length above 0",
                "Write a direction such as [0, 0, 1]; its length does not matter.",
            );
            return false;
        }
        true
    }

    /// A vector of sizes.
    pub(super) fn sizes(&mut self, path: impl FnOnce() -> SpecPath, v: &[f64], what: &str) -> bool {
        if v.iter().all(|x| (SMALLEST..=LARGEST).contains(x)) {
            return true;
        }
        let path = path();
        let key = last_key(&path);
        let problem = format!("{what} must be finite and above 0 (from 1e-20 to 1e20) along every axis");
        let remedy = format!("Give `{key}` {} positive lengths in metres.", v.len());
        self.add(path, show_all(v), problem, remedy);
        false
    }

    /// A quaternion that stands for a rotation.
    pub(super) fn quaternion(&mut self, path: impl FnOnce() -> SpecPath, q: Quat) -> bool {
        let length = q.length();
        let problem = if !length.is_finite() {
            "every component must be finite".to_owned()
        } else if length == 0.0 {
            "a quaternion of length 0 is no rotation".to_owned()
        } else if (length - 1.0).abs() > QUATERNION_TOLERANCE {
            format!(
                "its length is {}; a rotation has length 1 (within {QUATERNION_TOLERANCE})",
                six_digits(length)
            )
        } else {
            return true;
        };
        let remedy = if length.is_finite() && length > 1e-100 {
            let unit = q / length;
            format!(
                "The order is w, x, y, z. Divide by the length: [{}, {}, {}, {}].",
                six_digits(unit.w),
                six_digits(unit.x),
                six_digits(unit.y),
                six_digits(unit.z)
            )
        } else {
            "The order is w, x, y, z; no rotation is [1, 0, 0, 0].".to_owned()
        };
        self.add(path(), show_all(&[q.w, q.x, q.y, q.z]), problem, remedy);
        false
    }
}

/// A number as a scene file writes it: in its shortest form, very large and very small ones with a power of ten.
pub(crate) fn text(x: f64) -> String {
    if x == 0.0 || !x.is_finite() || (1e-5..1e16).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:e}")
    }
}

/// A number of a remedy, without the noise of its last digits.
fn six_digits(x: f64) -> String {
    let rounded = (x * 1e6).round() / 1e6;
    // Minus zero is zero.
    text(if rounded == 0.0 { 0.0 } else { rounded })
}

/// `[x, y, z]` as a scene file writes it.
pub(super) fn show(v: Vec3) -> String {
    show_all(&v.to_array())
}

pub(super) fn show_all(v: &[f64]) -> String {
    let numbers: Vec<String> = v.iter().map(|x| text(*x)).collect();
    format!("[{}]", numbers.join(", "))
}

fn last_key(path: &SpecPath) -> String {
    use crate::scene::Segment;
    let key = path.segments().iter().rev().find_map(|segment| match segment {
        Segment::Key(key) => Some(key.to_string()),
        _ => None,
    });
    key.unwrap_or_default()
}
