//! From numbers that lie body by body to lanes that hold a body each, and back.
//!
//! Closures over lanes do not get the instructions that their caller was dispatched to; those here see single numbers only.

use huygens_math::lanes::{Lane, Vec3Lanes, WIDTH};
use huygens_math::{Quat, QuatLanes, Sym3, Sym3Lanes, Twist, Vec3};

/// Reads a row of N numbers for each slot: lane k of entry i is number i of slot k.
#[inline(always)]
pub(super) fn columns<L: Lane, const N: usize>(
    token: L::Token,
    slots: &[u32],
    row: impl Fn(usize) -> [f64; N],
) -> [L; N] {
    let mut columns = [[0.0; WIDTH]; N];
    for k in 0..L::WIDTH {
        let row = row(slots[k] as usize);
        for i in 0..N {
            columns[i][k] = row[i];
        }
    }
    let mut lanes = [L::splat(token, 0.0); N];
    for i in 0..N {
        lanes[i] = L::load(token, &columns[i]);
    }
    lanes
}

/// Writes a row of N numbers for each slot.
#[inline(always)]
pub(super) fn scatter<L: Lane, const N: usize>(
    slots: &[u32],
    values: [L; N],
    mut write: impl FnMut(usize, [f64; N]),
) {
    let mut columns = [[0.0; WIDTH]; N];
    for i in 0..N {
        values[i].store(&mut columns[i]);
    }
    for k in 0..L::WIDTH {
        write(slots[k] as usize, std::array::from_fn(|i| columns[i][k]));
    }
}

/// Linear and angular part of each slot's twist.
#[inline(always)]
pub(super) fn twists<L: Lane>(token: L::Token, slots: &[u32], from: &[Twist]) -> [Vec3Lanes<L>; 2] {
    let [a, b, c, d, e, f] = columns(token, slots, |slot| {
        let Twist { linear: v, angular: w } = from[slot];
        [v.x, v.y, v.z, w.x, w.y, w.z]
    });
    [Vec3Lanes::new(a, b, c), Vec3Lanes::new(d, e, f)]
}

/// A vector of each slot.
#[inline(always)]
pub(super) fn vectors<L: Lane>(token: L::Token, slots: &[u32], of: impl Fn(usize) -> Vec3) -> Vec3Lanes<L> {
    let [x, y, z] = columns(token, slots, |slot| of(slot).to_array());
    Vec3Lanes::new(x, y, z)
}

/// A quaternion of each slot.
#[inline(always)]
pub(super) fn quaternions<L: Lane>(token: L::Token, slots: &[u32], from: &[Quat]) -> QuatLanes<L> {
    let [x, y, z, w] = columns(token, slots, |slot| from[slot].to_array());
    QuatLanes { x, y, z, w }
}

/// A symmetric matrix of each slot.
#[inline(always)]
pub(super) fn tensors<'a, L: Lane>(
    token: L::Token,
    slots: &[u32],
    of: impl Fn(usize) -> &'a Sym3,
) -> Sym3Lanes<L> {
    let [xx, yy, zz, xy, xz, yz] = columns(token, slots, |slot| {
        let s = of(slot);
        [s.xx, s.yy, s.zz, s.xy, s.xz, s.yz]
    });
    Sym3Lanes { diagonal: Vec3Lanes::new(xx, yy, zz), xy, xz, yz }
}
