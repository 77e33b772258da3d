//! How bodies turn, by what their inertia is like. A batch holds bodies of one kind.

use super::lanes::{columns, tensors};
use crate::bodies::BodyNumbers;
use huygens_dynamics::{Axes, SpinLanes, TurnedLanes, turn_isotropic, turn_midpoint};
use huygens_math::lanes::{Lane, Vec3Lanes};
use huygens_math::{QuatLanes, Sym3Lanes};

/// A kind of inertia.
pub(super) trait Turning {
    /// What of the inertia the kind needs.
    type Inertia<L: Lane>;

    fn inertia<L: Lane>(token: L::Token, slots: &[u32], numbers: &[BodyNumbers]) -> Self::Inertia<L>;

    /// Turns bodies through the step `h`, with the bits of `huygens_dynamics::rotate` when they are slow.
    fn turn<L: Lane>(
        inertia: &Self::Inertia<L>,
        orientation: QuatLanes<L>,
        drift: Vec3Lanes<L>,
        omega: Vec3Lanes<L>,
        h: L,
    ) -> TurnedLanes<L>;

    /// The spin in the axes of `times`.
    fn own_spin<L: Lane>(orientation: QuatLanes<L>, omega: Vec3Lanes<L>) -> Vec3Lanes<L>;

    /// The inertia times a vector.
    fn times<L: Lane>(inertia: &Self::Inertia<L>, v: Vec3Lanes<L>) -> Vec3Lanes<L>;
}

/// Three equal moments: nothing is gyroscopic, and every axis is as good as another.
pub(super) struct Isotropic;

impl Turning for Isotropic {
    type Inertia<L: Lane> = L;

    #[inline(always)]
    fn inertia<L: Lane>(token: L::Token, slots: &[u32], numbers: &[BodyNumbers]) -> L {
        let [moment] = columns(token, slots, |slot| [numbers[slot].inertia.xx]);
        moment
    }

    #[inline(always)]
    fn turn<L: Lane>(
        _: &L,
        orientation: QuatLanes<L>,
        drift: Vec3Lanes<L>,
        omega: Vec3Lanes<L>,
        h: L,
    ) -> TurnedLanes<L> {
        let orientation = turn_isotropic(orientation, drift, h);
        TurnedLanes { orientation, omega, energy: L::splat(h.token(), 0.0) }
    }

    #[inline(always)]
    fn own_spin<L: Lane>(_: QuatLanes<L>, omega: Vec3Lanes<L>) -> Vec3Lanes<L> {
        omega
    }

    #[inline(always)]
    fn times<L: Lane>(moment: &L, v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        v.scale(*moment)
    }
}

/// Moments along the body's axes, and their inverses.
pub(super) struct Principal;

impl Turning for Principal {
    type Inertia<L: Lane> = [Vec3Lanes<L>; 2];

    #[inline(always)]
    fn inertia<L: Lane>(token: L::Token, slots: &[u32], numbers: &[BodyNumbers]) -> [Vec3Lanes<L>; 2] {
        let [a, b, c, d, e, f] = columns(token, slots, |slot| {
            let (i, j) = (&numbers[slot].inertia, &numbers[slot].inverse);
            [i.xx, i.yy, i.zz, j.xx, j.yy, j.zz]
        });
        [Vec3Lanes::new(a, b, c), Vec3Lanes::new(d, e, f)]
    }

    #[inline(always)]
    fn turn<L: Lane>(
        inertia: &[Vec3Lanes<L>; 2],
        orientation: QuatLanes<L>,
        drift: Vec3Lanes<L>,
        omega: Vec3Lanes<L>,
        h: L,
    ) -> TurnedLanes<L> {
        let zero = L::splat(h.token(), 0.0);
        let none = Sym3Lanes { diagonal: inertia[0], xy: zero, xz: zero, yz: zero };
        let [inertia, inverse] = [none, Sym3Lanes { diagonal: inertia[1], ..none }];
        turn_midpoint(&SpinLanes { inertia, inverse, orientation, drift, omega }, Axes::Principal, h)
    }

    #[inline(always)]
    fn own_spin<L: Lane>(orientation: QuatLanes<L>, omega: Vec3Lanes<L>) -> Vec3Lanes<L> {
        orientation.conjugate().rotate(omega)
    }

    #[inline(always)]
    fn times<L: Lane>([moments, _]: &[Vec3Lanes<L>; 2], v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        Vec3Lanes::new(moments.x * v.x, moments.y * v.y, moments.z * v.z)
    }
}

/// Any inertia, and its inverse.
pub(super) struct AnyAxes;

impl Turning for AnyAxes {
    type Inertia<L: Lane> = [Sym3Lanes<L>; 2];

    #[inline(always)]
    fn inertia<L: Lane>(token: L::Token, slots: &[u32], numbers: &[BodyNumbers]) -> [Sym3Lanes<L>; 2] {
        let inertia = tensors(token, slots, |slot| &numbers[slot].inertia);
        [inertia, tensors(token, slots, |slot| &numbers[slot].inverse)]
    }

    #[inline(always)]
    fn turn<L: Lane>(
        &[inertia, inverse]: &[Sym3Lanes<L>; 2],
        orientation: QuatLanes<L>,
        drift: Vec3Lanes<L>,
        omega: Vec3Lanes<L>,
        h: L,
    ) -> TurnedLanes<L> {
        turn_midpoint(&SpinLanes { inertia, inverse, orientation, drift, omega }, Axes::Any, h)
    }

    #[inline(always)]
    fn own_spin<L: Lane>(orientation: QuatLanes<L>, omega: Vec3Lanes<L>) -> Vec3Lanes<L> {
        orientation.conjugate().rotate(omega)
    }

    #[inline(always)]
    fn times<L: Lane>([inertia, _]: &[Sym3Lanes<L>; 2], v: Vec3Lanes<L>) -> Vec3Lanes<L> {
        inertia.mul(v)
    }
}
