//! Rotations and symmetric tensors in lanes: the operations of [`Quat`], [`Mat3`] and [`Sym3`], in the same order and so with
//! the same bits in each lane.

use crate::lanes::{Lane, Vec3Lanes};
use crate::{Quat, Sym3, Vec3};

/// A quaternion in each lane.
#[derive(Clone, Copy, Debug)]
pub struct QuatLanes<L> {
    /// First imaginary component.
    pub x: L,
    /// Second imaginary component.
    pub y: L,
    /// Third imaginary component.
    pub z: L,
    /// Real component.
    pub w: L,
}

impl<L: Lane> QuatLanes<L> {
    /// A quaternion from its imaginary part and its real part.
    #[inline(always)]
    pub fn new(imaginary: Vec3Lanes<L>, w: L) -> Self {
        Self { x: imaginary.x, y: imaginary.y, z: imaginary.z, w }
    }

    /// Rotation by the vector `v` [rad] of a length up to 0.1, as [`crate::trig::rotation_vector`] but for the last bits: the
    /// series of sine and cosine to the eighth order, whose next term is below 1e-17.
    #[inline(always)]
    pub fn from_small_rotation(v: Vec3Lanes<L>) -> Self {
        let half_v = v.scale(L::splat(v.x.token(), 0.5));
        let a2 = half_v.dot(half_v);
        Self::new(half_v.scale(series(a2, [72.0, 42.0, 20.0, 6.0])), series(a2, [56.0, 30.0, 12.0, 2.0]))
    }

    /// The imaginary part.
    #[inline(always)]
    pub fn imaginary(self) -> Vec3Lanes<L> {
        Vec3Lanes::new(self.x, self.y, self.z)
    }

    /// The opposite rotation of a unit quaternion.
    #[inline(always)]
    pub fn conjugate(self) -> Self {
        Self { x: -self.x, y: -self.y, z: -self.z, w: self.w }
    }

    /// The product: first `o`, then this.
    #[inline(always)]
    pub fn after(self, o: Self) -> Self {
        Self {
            x: self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            y: self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            z: self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
            w: self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
        }
    }

    /// The vector `v`, turned by a unit quaternion.
    #[inline(always)]
    pub fn rotate(self, v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        let b = self.imaginary();
        let two = L::splat(self.w.token(), 2.0);
        v.scale(self.w * self.w - b.dot(b)) + b.scale(v.dot(b) * two) + b.cross(v).scale(self.w * two)
    }

    /// Brought to unit length.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let one = L::splat(self.w.token(), 1.0);
        let length = (self.x * self.x + self.y * self.y + self.z * self.z + self.w * self.w).sqrt();
        let scale = one / length;
        Self { x: self.x * scale, y: self.y * scale, z: self.z * scale, w: self.w * scale }
    }

    /// `yes` where the mask is set, `no` elsewhere.
    #[inline(always)]
    pub fn select(mask: L::Mask, yes: Self, no: Self) -> Self {
        Self {
            x: L::select(mask, yes.x, no.x),
            y: L::select(mask, yes.y, no.y),
            z: L::select(mask, yes.z, no.z),
            w: L::select(mask, yes.w, no.w),
        }
    }
}

/// 1 − a²/d₄(1 − a²/d₃(1 − a²/d₂(1 − a²/d₁))).
#[inline(always)]
fn series<L: Lane>(a2: L, d: [f64; 4]) -> L {
    let one = L::splat(a2.token(), 1.0);
    let mut sum = one;
    for d in d {
        sum = one - a2 * L::splat(a2.token(), 1.0 / d) * sum;
    }
    sum
}

/// Three columns in each lane: a matrix.
#[derive(Clone, Copy, Debug)]
pub struct Mat3Lanes<L> {
    /// First column.
    pub x: Vec3Lanes<L>,
    /// Second column.
    pub y: Vec3Lanes<L>,
    /// Third column.
    pub z: Vec3Lanes<L>,
}

impl<L: Lane> Mat3Lanes<L> {
    /// The rotation of a unit quaternion.
    #[inline(always)]
    pub fn from_quat(q: QuatLanes<L>) -> Self {
        let one = L::splat(q.w.token(), 1.0);
        let (x2, y2, z2) = (q.x + q.x, q.y + q.y, q.z + q.z);
        let (xx, xy, xz) = (q.x * x2, q.x * y2, q.x * z2);
        let (yy, yz, zz) = (q.y * y2, q.y * z2, q.z * z2);
        let (wx, wy, wz) = (q.w * x2, q.w * y2, q.w * z2);
        Self {
            x: Vec3Lanes::new(one - (yy + zz), xy + wz, xz - wy),
            y: Vec3Lanes::new(xy - wz, one - (xx + zz), yz + wx),
            z: Vec3Lanes::new(xz + wy, yz - wx, one - (xx + yy)),
        }
    }

    /// The matrix times a vector.
    #[inline(always)]
    pub fn mul(&self, v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        self.x.scale(v.x) + self.y.scale(v.y) + self.z.scale(v.z)
    }

    /// The transposed matrix times a vector.
    #[inline(always)]
    pub fn transposed_mul(&self, v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        Vec3Lanes::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }
}

/// A symmetric matrix in each lane.
#[derive(Clone, Copy, Debug)]
pub struct Sym3Lanes<L> {
    /// The entries xx, yy, zz.
    pub diagonal: Vec3Lanes<L>,
    /// The entry of row x, column y.
    pub xy: L,
    /// The entry of row x, column z.
    pub xz: L,
    /// The entry of row y, column z.
    pub yz: L,
}

impl<L: Lane> Sym3Lanes<L> {
    /// The matrix times a vector.
    #[inline(always)]
    pub fn mul(&self, v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        let d = self.diagonal;
        Vec3Lanes::new(
            d.x * v.x + self.xy * v.y + self.xz * v.z,
            self.xy * v.x + d.y * v.y + self.yz * v.z,
            self.xz * v.x + self.yz * v.y + d.z * v.z,
        )
    }

    /// The columns.
    #[inline(always)]
    pub fn columns(&self) -> Mat3Lanes<L> {
        let d = self.diagonal;
        Mat3Lanes {
            x: Vec3Lanes::new(d.x, self.xy, self.xz),
            y: Vec3Lanes::new(self.xy, d.y, self.yz),
            z: Vec3Lanes::new(self.xz, self.yz, d.z),
        }
    }

    /// `R S Rᵀ`, as [`Sym3::rotated`].
    #[inline(always)]
    pub fn rotated(&self, target_from_source: QuatLanes<L>) -> Self {
        let r = Mat3Lanes::from_quat(target_from_source);
        let s = self.columns();
        turned_back(&r, &Mat3Lanes { x: r.mul(s.x), y: r.mul(s.y), z: r.mul(s.z) })
    }

    /// `R diag(d) Rᵀ`, with the bits of [`Sym3Lanes::rotated`].
    #[inline(always)]
    pub fn rotated_diagonal(d: Vec3Lanes<L>, target_from_source: QuatLanes<L>) -> Self {
        let r = Mat3Lanes::from_quat(target_from_source);
        turned_back(&r, &Mat3Lanes { x: r.x.scale(d.x), y: r.y.scale(d.y), z: r.z.scale(d.z) })
    }
}

/// The symmetric part of `m Rᵀ`.
#[inline(always)]
fn turned_back<L: Lane>(r: &Mat3Lanes<L>, m: &Mat3Lanes<L>) -> Sym3Lanes<L> {
    let half = L::splat(r.x.x.token(), 0.5);
    let x = m.mul(Vec3Lanes::new(r.x.x, r.y.x, r.z.x));
    let y = m.mul(Vec3Lanes::new(r.x.y, r.y.y, r.z.y));
    let z = m.mul(Vec3Lanes::new(r.x.z, r.y.z, r.z.z));
    Sym3Lanes {
        diagonal: Vec3Lanes::new(x.x, y.y, z.z),
        xy: half * (x.y + y.x),
        xz: half * (x.z + z.x),
        yz: half * (y.z + z.y),
    }
}

impl From<Vec3> for Vec3Lanes<f64> {
    #[inline(always)]
    fn from(v: Vec3) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<Vec3Lanes<f64>> for Vec3 {
    #[inline(always)]
    fn from(v: Vec3Lanes<f64>) -> Self {
        Self::new(v.x, v.y, v.z)
    }
}

impl From<Quat> for QuatLanes<f64> {
    #[inline(always)]
    fn from(q: Quat) -> Self {
        Self { x: q.x, y: q.y, z: q.z, w: q.w }
    }
}

impl From<QuatLanes<f64>> for Quat {
    #[inline(always)]
    fn from(q: QuatLanes<f64>) -> Self {
        Self::from_xyzw(q.x, q.y, q.z, q.w)
    }
}

impl From<Sym3> for Sym3Lanes<f64> {
    #[inline(always)]
    fn from(s: Sym3) -> Self {
        Self { diagonal: s.diag().into(), xy: s.xy, xz: s.xz, yz: s.yz }
    }
}

impl From<Sym3Lanes<f64>> for Sym3 {
    #[inline(always)]
    fn from(s: Sym3Lanes<f64>) -> Self {
        let d = s.diagonal;
        Self { xx: d.x, yy: d.y, zz: d.z, xy: s.xy, xz: s.xz, yz: s.yz }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trig::rotation_vector;
    use crate::{Mat3, SplitMix};

    #[test]
    fn a_small_rotation_is_that_of_sine_and_cosine() {
        let mut r = SplitMix::new(12);
        for _ in 0..500 {
            let v = r.direction() * r.range(0.0, 0.1);
            let (q, exact) = (Quat::from(QuatLanes::from_small_rotation(v.into())), rotation_vector(v));
            // Two roundings near 1, and those of numbers below 0.05.
            assert!((q.w - exact.w).abs() <= 2.3e-16, "{v}");
            assert!((q.xyz() - exact.xyz()).length() <= 2e-17, "{v}: {}", (q.xyz() - exact.xyz()).length());
        }
    }

    #[test]
    fn a_single_lane_has_the_bits_of_the_plain_types() {
        let mut r = SplitMix::new(11);
        for _ in 0..500 {
            let (p, q, v) = (r.rotation(), r.rotation(), r.in_cube());
            let (pl, ql, vl) = (QuatLanes::from(p), QuatLanes::from(q), Vec3Lanes::from(v));
            assert_eq!(Quat::from(pl.after(ql)), p * q);
            assert_eq!(Quat::from(pl.after(ql).normalized()), (p * q).normalize());
            assert_eq!(Vec3::from(pl.conjugate().rotate(vl)), p.conjugate() * v);
            let (m, ml) = (Mat3::from_quat(p), Mat3Lanes::from_quat(pl));
            assert_eq!(Vec3::from(ml.mul(vl)), m * v);
            assert_eq!(Vec3::from(ml.transposed_mul(vl)), m.transpose() * v);
            let s = Sym3::rotated_diagonal(r.in_cube() + Vec3::splat(2.0), q);
            assert_eq!(Vec3::from(Sym3Lanes::from(s).mul(vl)), s * v);
            assert_eq!(Sym3::from(Sym3Lanes::from(s).rotated(pl)), s.rotated(p));
            let d = Sym3::diagonal(s.diag());
            assert_eq!(Sym3::from(Sym3Lanes::rotated_diagonal(s.diag().into(), pl)), d.rotated(p));
        }
    }
}
