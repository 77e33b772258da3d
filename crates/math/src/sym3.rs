//! Symmetric 3×3 matrices: inertia tensors and their inverses.

use crate::dense::symmetric_eigen;
use crate::{Mat3, Quat, Vec3, scalar};
use std::ops::{Add, Mul, Sub};

/// A symmetric 3×3 matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sym3 {
    /// The entry of row and column x.
    pub xx: f64,
    /// The entry of row and column y.
    pub yy: f64,
    /// The entry of row and column z.
    pub zz: f64,
    /// The entry of row x, column y.
    pub xy: f64,
    /// The entry of row x, column z.
    pub xz: f64,
    /// The entry of row y, column z.
    pub yz: f64,
}

impl Sym3 {
    /// All entries zero.
    pub const ZERO: Self = Self { xx: 0.0, yy: 0.0, zz: 0.0, xy: 0.0, xz: 0.0, yz: 0.0 };
    /// The unit matrix.
    pub const IDENTITY: Self = Self { xx: 1.0, yy: 1.0, zz: 1.0, xy: 0.0, xz: 0.0, yz: 0.0 };

    /// The diagonal matrix of `d`.
    #[inline(always)]
    pub const fn diagonal(d: Vec3) -> Self {
        Self { xx: d.x, yy: d.y, zz: d.z, xy: 0.0, xz: 0.0, yz: 0.0 }
    }

    /// `v vᵀ`.
    #[inline(always)]
    pub fn outer(v: Vec3) -> Self {
        Self { xx: v.x * v.x, yy: v.y * v.y, zz: v.z * v.z, xy: v.x * v.y, xz: v.x * v.z, yz: v.y * v.z }
    }

    /// Inertia of a point of mass 1 at `r` about the origin: |r|² − r rᵀ.
    #[inline(always)]
    pub fn point_inertia(r: Vec3) -> Self {
        let (x, y, z) = (r.x * r.x, r.y * r.y, r.z * r.z);
        Self { xx: y + z, yy: x + z, zz: x + y, xy: -r.x * r.y, xz: -r.x * r.z, yz: -r.y * r.z }
    }

    /// The diagonal entries.
    #[inline(always)]
    pub fn diag(&self) -> Vec3 {
        Vec3::new(self.xx, self.yy, self.zz)
    }

    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(&self) -> f64 {
        self.xx + self.yy + self.zz
    }

    /// As a full matrix.
    #[inline]
    pub fn to_mat3(&self) -> Mat3 {
        Mat3::from_cols(
            Vec3::new(self.xx, self.xy, self.xz),
            Vec3::new(self.xy, self.yy, self.yz),
            Vec3::new(self.xz, self.yz, self.zz),
        )
    }

    /// The symmetric part of a full matrix.
    #[inline]
    pub fn from_mat3(m: &Mat3) -> Self {
        Self {
            xx: m.x_axis.x,
            yy: m.y_axis.y,
            zz: m.z_axis.z,
            xy: 0.5 * (m.x_axis.y + m.y_axis.x),
            xz: 0.5 * (m.x_axis.z + m.z_axis.x),
            yz: 0.5 * (m.y_axis.z + m.z_axis.y),
        }
    }

    /// `R S Rᵀ`: the same tensor in the target's axes.
    #[inline]
    pub fn rotated(&self, target_from_source: Quat) -> Self {
        let r = Mat3::from_quat(target_from_source);
        Self::from_mat3(&(r * self.to_mat3() * r.transpose()))
    }

    /// `R diag(d) Rᵀ`, cheaper than [`Sym3::rotated`].
    #[inline]
    pub fn rotated_diagonal(d: Vec3, target_from_source: Quat) -> Self {
        let r = Mat3::from_quat(target_from_source);
        let (a, b, c) = (r.x_axis, r.y_axis, r.z_axis);
        Self {
            xx: d.x * a.x * a.x + d.y * b.x * b.x + d.z * c.x * c.x,
            yy: d.x * a.y * a.y + d.y * b.y * b.y + d.z * c.y * c.y,
            zz: d.x * a.z * a.z + d.y * b.z * b.z + d.z * c.z * c.z,
            xy: d.x * a.x * a.y + d.y * b.x * b.y + d.z * c.x * c.y,
            xz: d.x * a.x * a.z + d.y * b.x * b.z + d.z * c.x * c.z,
            yz: d.x * a.y * a.z + d.y * b.y * b.z + d.z * c.y * c.z,
        }
    }

    /// Determinant.
    #[inline]
    pub fn determinant(&self) -> f64 {
        let c = self.cofactors();
        self.xx * c.xx + self.xy * c.xy + self.xz * c.xz
    }

    /// The inverse, or `None` when the matrix is singular to working precision.
    #[inline]
    pub fn inverse(&self) -> Option<Self> {
        let c = self.cofactors();
        let det = self.xx * c.xx + self.xy * c.xy + self.xz * c.xz;
        // The determinant cancels where its terms are larger than it: below that noise it says nothing.
        let size = (self.xx * c.xx).abs() + (self.xy * c.xy).abs() + (self.xz * c.xz).abs();
        if det.is_finite() && det.abs() > 8.0 * f64::EPSILON * size { Some(c * (1.0 / det)) } else { None }
    }

    /// The inverse on the axes that `free` names and zero elsewhere: what a body with locked axes can move.
    pub fn inverse_on_axes(&self, free: [bool; 3]) -> Option<Self> {
        match free {
            [true, true, true] => self.inverse(),
            [false, false, false] => Some(Self::ZERO),
            [true, false, false] => reciprocal(self.xx).map(|xx| Self { xx, ..Self::ZERO }),
            [false, true, false] => reciprocal(self.yy).map(|yy| Self { yy, ..Self::ZERO }),
            [false, false, true] => reciprocal(self.zz).map(|zz| Self { zz, ..Self::ZERO }),
            [true, true, false] => {
                inverse2(self.xx, self.xy, self.yy).map(|(xx, xy, yy)| Self { xx, xy, yy, ..Self::ZERO })
            }
            [true, false, true] => {
                inverse2(self.xx, self.xz, self.zz).map(|(xx, xz, zz)| Self { xx, xz, zz, ..Self::ZERO })
            }
            [false, true, true] => {
                inverse2(self.yy, self.yz, self.zz).map(|(yy, yz, zz)| Self { yy, yz, zz, ..Self::ZERO })
            }
        }
    }

    /// Principal values in ascending order and the rotation `body_from_principal` (a proper one).
    ///
    /// Cyclic Jacobi ([`symmetric_eigen`]): always converges, and the axes of an already diagonal matrix stay as they are.
    pub fn principal(&self) -> (Vec3, Quat) {
        let a = [[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]];
        let (values, v) = symmetric_eigen(&a, 3);
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| values[i].total_cmp(&values[j]));
        let column = |k: usize| Vec3::new(v[0][order[k]], v[1][order[k]], v[2][order[k]]);
        let (x, y) = (column(0), column(1));
        let sorted = Vec3::new(values[order[0]], values[order[1]], values[order[2]]);
        (sorted, Quat::from_mat3(&Mat3::from_cols(x, y, x.cross(y))).normalize())
    }

    /// True when every entry is finite.
    pub fn is_finite(&self) -> bool {
        (self.xx + self.yy + self.zz + self.xy + self.xz + self.yz).is_finite()
    }

    fn cofactors(&self) -> Self {
        Self {
            xx: self.yy * self.zz - self.yz * self.yz,
            yy: self.xx * self.zz - self.xz * self.xz,
            zz: self.xx * self.yy - self.xy * self.xy,
            xy: self.xz * self.yz - self.xy * self.zz,
            xz: self.xy * self.yz - self.xz * self.yy,
            yz: self.xy * self.xz - self.xx * self.yz,
        }
    }
}

fn reciprocal(x: f64) -> Option<f64> {
    (x > 0.0).then_some(1.0 / x)
}

fn inverse2(a: f64, b: f64, c: f64) -> Option<(f64, f64, f64)> {
    let det = a * c - b * b;
    let size = (a * c).abs() + b * b;
    (det.is_finite() && det.abs() > 8.0 * f64::EPSILON * size).then(|| (c / det, -b / det, a / det))
}

impl Add for Sym3 {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self {
            xx: self.xx + o.xx,
            yy: self.yy + o.yy,
            zz: self.zz + o.zz,
            xy: self.xy + o.xy,
            xz: self.xz + o.xz,
            yz: self.yz + o.yz,
        }
    }
}

impl Sub for Sym3 {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        self + o * -1.0
    }
}

impl Mul<f64> for Sym3 {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        Self {
            xx: self.xx * s,
            yy: self.yy * s,
            zz: self.zz * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yz: self.yz * s,
        }
    }
}

impl Mul<Vec3> for Sym3 {
    type Output = Vec3;
    #[inline(always)]
    fn mul(self, v: Vec3) -> Vec3 {
        Vec3::new(
            self.xx * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + self.yy * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + self.zz * v.z,
        )
    }
}

/// True when principal moments `d` can belong to a body: positive, and none above the sum of the other two
/// (with room for rounding).
pub(crate) fn is_physical(d: Vec3) -> bool {
    let largest = scalar::max(d.x, scalar::max(d.y, d.z));
    d.min_element() > 0.0 && 2.0 * largest <= (d.x + d.y + d.z) * (1.0 + 1e-9)
}

impl Sym3 {
    /// True when this can be the inertia of a body: positive definite and within the triangle inequality.
    pub fn is_physical_inertia(&self) -> bool {
        self.is_finite() && is_physical(self.principal().0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    fn random_spd(r: &mut SplitMix) -> Sym3 {
        Sym3::rotated_diagonal(
            Vec3::new(r.range(0.1, 1.0), r.range(1.0, 5.0), r.range(1.0, 9.0)),
            r.rotation(),
        )
    }

    #[test]
    fn inverse_times_matrix_is_the_identity() {
        let mut r = SplitMix::new(1);
        for _ in 0..200 {
            let s = random_spd(&mut r);
            let product = s.to_mat3() * s.inverse().unwrap().to_mat3();
            // Condition number up to 90, a few roundings.
            assert!((product - Mat3::IDENTITY).abs_diff_eq(Mat3::ZERO, 1e-13));
        }
        assert_eq!(Sym3::outer(Vec3::new(1.0, 2.0, 3.0)).inverse(), None);
    }

    #[test]
    fn inverse_on_axes_inverts_the_block_that_can_move() {
        let s = Sym3 { xx: 2.0, yy: 3.0, zz: 4.0, xy: 0.5, xz: 0.25, yz: -0.5 };
        let i = s.inverse_on_axes([true, false, true]).unwrap();
        let v = i * Vec3::new(1.0, 7.0, -2.0);
        assert_eq!(v.y, 0.0);
        let back = s * v;
        assert!((back.x - 1.0).abs() < 1e-15 && (back.z + 2.0).abs() < 1e-15);
        assert_eq!(s.inverse_on_axes([false; 3]), Some(Sym3::ZERO));
    }

    #[test]
    fn principal_axes_rebuild_the_tensor() {
        let mut r = SplitMix::new(3);
        for _ in 0..200 {
            let s = random_spd(&mut r);
            let (d, q) = s.principal();
            assert!(d.x <= d.y && d.y <= d.z);
            let back = Sym3::rotated_diagonal(d, q) - s;
            // A dozen roundings on values up to 9.
            assert!(back.to_mat3().abs_diff_eq(Mat3::ZERO, 3e-14), "{back:?}");
        }
    }

    #[test]
    fn principal_axes_of_a_diagonal_tensor_stay_put() {
        let (d, q) = Sym3::diagonal(Vec3::new(1.0, 2.0, 3.0)).principal();
        assert_eq!((d, q), (Vec3::new(1.0, 2.0, 3.0), Quat::IDENTITY));
    }

    #[test]
    fn triangle_inequality_is_checked() {
        assert!(Sym3::diagonal(Vec3::new(1.0, 1.0, 2.0)).is_physical_inertia());
        assert!(!Sym3::diagonal(Vec3::new(1.0, 1.0, 2.1)).is_physical_inertia());
        assert!(!Sym3::diagonal(Vec3::new(1.0, 1.0, -1.0)).is_physical_inertia());
    }
}
