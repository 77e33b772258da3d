//! One piece of the implicit midpoint rule, for one body or for several side by side.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | I, I⁻¹ | `inertia`, `inverse` | inertia about the centre of mass and its inverse, body axes | kg m² |
//! | R | `axes` | orientation at the start of the piece | – |
//! | ω, d | `omega`, `drift` | as in `rotate` | rad/s |
//! | x | `mid` | d at the middle of the piece: x + g(x) = d with g(x) = (h/2) I⁻¹(x×Ix) | rad/s |
//!
//! The formulas and why they keep energy and momentum stand in `rotate`. A lane has the bits that it would have alone: lanes
//! that have settled stay as they are while Newton's method goes on in others. No closures over lanes here: the compiler would
//! not give them the instructions that the caller was dispatched to.

use super::cayley::{SmallTurn, turned};
use huygens_math::lanes::{Lane, Vec3Lanes};
use huygens_math::{Mat3Lanes, QuatLanes, Sym3Lanes};

/// Most iterations of Newton's method; 2 to 4 do.
const MOST_ITERATIONS: usize = 16;

/// Bodies that turn: one in each lane.
#[derive(Clone, Copy, Debug)]
pub struct SpinLanes<L> {
    /// Inertia about the centre of mass in body axes [kg m²].
    pub inertia: Sym3Lanes<L>,
    /// Its inverse.
    pub inverse: Sym3Lanes<L>,
    /// Orientation at the start.
    pub orientation: QuatLanes<L>,
    /// Angular velocity that moves the orientation, world axes [rad/s].
    pub drift: Vec3Lanes<L>,
    /// Angular velocity, world axes [rad/s].
    pub omega: Vec3Lanes<L>,
}

/// Bodies after a turn.
#[derive(Clone, Copy, Debug)]
pub struct TurnedLanes<L> {
    /// Orientation at the end, a unit quaternion.
    pub orientation: QuatLanes<L>,
    /// Angular velocity at the end, world axes [rad/s].
    pub omega: Vec3Lanes<L>,
    /// Kinetic energy that the turn brought [J], by its own formula.
    pub energy: L,
}

/// How the axes of a body lie to its inertia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// The body's axes are principal ones: the inertia is diagonal.
    Principal,
    /// Any.
    Any,
}

/// Turns bodies by the step `h` [s] in one piece, with the bits of [`crate::rotate`] and [`crate::Gyroscopic::Midpoint`] for
/// a body that is [`crate::is_slow`]; `axes` must hold for every lane.
#[inline(always)]
pub fn turn_midpoint<L: Lane>(spin: &SpinLanes<L>, axes: Axes, h: L) -> TurnedLanes<L> {
    piece(spin, axes, h).end
}

/// Turns bodies with three equal moments of inertia, whose velocity stays: the orientation at the end.
#[inline(always)]
pub fn turn_isotropic<L: Lane>(orientation: QuatLanes<L>, drift: Vec3Lanes<L>, h: L) -> QuatLanes<L> {
    let half = L::splat(h.token(), 0.5);
    turned(drift.scale(h).scale(half), orientation)
}

/// A piece, with what the next one needs.
pub(super) struct Piece<L> {
    pub(super) end: TurnedLanes<L>,
    pub(super) iterations: L,
    axes: Mat3Lanes<L>,
    in_body: SmallTurn<L>,
    in_world: SmallTurn<L>,
    drift_body: Vec3Lanes<L>,
}

impl<L: Lane> Piece<L> {
    /// The drift at the end of the piece.
    #[inline(always)]
    pub(super) fn drift(&self, spin: &SpinLanes<L>) -> Vec3Lanes<L> {
        let change = spin.inverse.mul(self.in_body.back_minus(spin.inertia.mul(self.drift_body)));
        self.in_world.turn(spin.drift + self.axes.mul(change))
    }
}

/// The velocity stays in world axes and gets small changes there, ω' = Q(ω + R·change) with Q the small turn of this
/// piece. Taken through body axes and back it would pass two large rotations, whose rounding has a bias: measured on
/// the flipping box, the energy then grows by 0.6 ε in every step.
#[inline(always)]
pub(super) fn piece<L: Lane>(spin: &SpinLanes<L>, axes: Axes, h: L) -> Piece<L> {
    let half_h = L::splat(h.token(), 0.5) * h;
    let world_from_body = Mat3Lanes::from_quat(spin.orientation);
    let drift_body = world_from_body.transposed_mul(spin.drift);
    let omega_body = world_from_body.transposed_mul(spin.omega);
    let (mid, iterations) = match axes {
        Axes::Principal => solve(&Principal::new(&spin.inertia, &spin.inverse, half_h), drift_body),
        Axes::Any => solve(&AnyAxes { inertia: &spin.inertia, inverse: &spin.inverse, half_h }, drift_body),
    };
    let in_body = SmallTurn::new(mid.scale(half_h));
    let half = world_from_body.mul(mid).scale(half_h);
    let in_world = in_body.seen(half);
    let momentum_change = in_body.back_minus(spin.inertia.mul(omega_body));
    let change = spin.inverse.mul(momentum_change);
    let mean = omega_body + change.scale(L::splat(h.token(), 0.5));
    let end = TurnedLanes {
        orientation: turned(half, spin.orientation),
        omega: in_world.turn(spin.omega + world_from_body.mul(change)),
        energy: mean.dot(momentum_change),
    };
    Piece { end, iterations, axes: world_from_body, in_body, in_world, drift_body }
}

/// The quadratic part g(x) of the midpoint equation.
trait Gyroscope<L> {
    fn value(&self, x: Vec3Lanes<L>) -> Vec3Lanes<L>;
    /// The matrix 1 + ∂g/∂x.
    fn jacobian(&self, x: Vec3Lanes<L>) -> Mat3Lanes<L>;
}

/// In principal axes three numbers say all: g₁ = k₁x₂x₃ with k₁ = (h/2)(I₃−I₂)/I₁, and so on.
struct Principal<L>(Vec3Lanes<L>);

impl<L: Lane> Principal<L> {
    #[inline(always)]
    fn new(inertia: &Sym3Lanes<L>, inverse: &Sym3Lanes<L>, half_h: L) -> Self {
        let (i, j) = (inertia.diagonal, inverse.diagonal);
        let k = Vec3Lanes::new((i.z - i.y) * j.x, (i.x - i.z) * j.y, (i.y - i.x) * j.z);
        Self(k.scale(half_h))
    }
}

impl<L: Lane> Gyroscope<L> for Principal<L> {
    #[inline(always)]
    fn value(&self, x: Vec3Lanes<L>) -> Vec3Lanes<L> {
        let k = self.0;
        Vec3Lanes::new(k.x * (x.y * x.z), k.y * (x.z * x.x), k.z * (x.x * x.y))
    }
    #[inline(always)]
    fn jacobian(&self, x: Vec3Lanes<L>) -> Mat3Lanes<L> {
        let (k, one) = (self.0, L::splat(x.x.token(), 1.0));
        Mat3Lanes {
            x: Vec3Lanes::new(one, k.y * x.z, k.z * x.y),
            y: Vec3Lanes::new(k.x * x.z, one, k.z * x.x),
            z: Vec3Lanes::new(k.x * x.y, k.y * x.x, one),
        }
    }
}

/// In any axes.
struct AnyAxes<'a, L> {
    inertia: &'a Sym3Lanes<L>,
    inverse: &'a Sym3Lanes<L>,
    half_h: L,
}

impl<L: Lane> Gyroscope<L> for AnyAxes<'_, L> {
    #[inline(always)]
    fn value(&self, x: Vec3Lanes<L>) -> Vec3Lanes<L> {
        self.inverse.mul(x.cross(self.inertia.mul(x))).scale(self.half_h)
    }
    #[inline(always)]
    fn jacobian(&self, x: Vec3Lanes<L>) -> Mat3Lanes<L> {
        let token = x.x.token();
        let (zero, one) = (L::splat(token, 0.0), L::splat(token, 1.0));
        let (i, m) = (self.inertia.columns(), self.inertia.mul(x));
        let across = Mat3Lanes {
            x: x.cross(i.x) - Vec3Lanes::new(zero, m.z, -m.y),
            y: x.cross(i.y) - Vec3Lanes::new(-m.z, zero, m.x),
            z: x.cross(i.z) - Vec3Lanes::new(m.y, -m.x, zero),
        };
        Mat3Lanes {
            x: Vec3Lanes::new(one, zero, zero) + self.inverse.mul(across.x).scale(self.half_h),
            y: Vec3Lanes::new(zero, one, zero) + self.inverse.mul(across.y).scale(self.half_h),
            z: Vec3Lanes::new(zero, zero, one) + self.inverse.mul(across.z).scale(self.half_h),
        }
    }
}

/// Newton's method for x + g(x) = d from x = d, and its iterations.
#[inline(always)]
fn solve<L: Lane>(gyroscope: &impl Gyroscope<L>, drift: Vec3Lanes<L>) -> (Vec3Lanes<L>, L) {
    let token = drift.x.token();
    let (zero, one, small) = (L::splat(token, 0.0), L::splat(token, 1.0), L::splat(token, 1e-18));
    let mut x = drift;
    let mut r = gyroscope.value(x);
    // 1 where a lane still goes on, else 0.
    let mut going = one;
    let mut iterations = zero;
    for _ in 0..MOST_ITERATIONS {
        iterations += going;
        let step = newton_step(&gyroscope.jacobian(x), r);
        // Zero, or not a number; a comparison with that is false.
        let nothing = (step.x * zero + step.y * zero) + step.z * zero;
        let finite = L::select(nothing.lt(one), going, zero);
        // Convergence is quadratic with a constant below h: the error after a step of 1e-9 is below rounding.
        let far = L::select((small * x.dot(x)).lt(step.dot(step)), finite, zero);
        x = select(zero.lt(finite - far), x + step, x);
        going = far;
        if !L::any(zero.lt(going)) {
            break;
        }
        let (next, next_r) = searched(gyroscope, drift, [x, step, r], going);
        let on = zero.lt(going);
        (x, r) = (select(on, next, x), select(on, next_r, r));
    }
    (x, iterations)
}

/// The point after a step from `x` and its residual. A full step is right wherever the bound of `rotate` holds; shorter ones
/// matter only beyond it.
#[inline(always)]
fn searched<L: Lane>(
    gyroscope: &impl Gyroscope<L>,
    drift: Vec3Lanes<L>,
    [x, step, r]: [Vec3Lanes<L>; 3],
    going: L,
) -> (Vec3Lanes<L>, Vec3Lanes<L>) {
    let token = drift.x.token();
    let (zero, one, half) = (L::splat(token, 0.0), L::splat(token, 1.0), L::splat(token, 0.5));
    let mut share = one;
    let mut next = x + step;
    let mut next_r = next - drift + gyroscope.value(next);
    for _ in 0..6 {
        let worse = zero.lt(L::select(next_r.dot(next_r).lt(r.dot(r)), zero, going));
        if !L::any(worse) {
            break;
        }
        share = L::select(worse, share * half, share);
        let trial = x + step.scale(share);
        next_r = select(worse, trial - drift + gyroscope.value(trial), next_r);
        next = select(worse, trial, next);
    }
    (next, next_r)
}

/// −J⁻¹r.
#[inline(always)]
fn newton_step<L: Lane>(jacobian: &Mat3Lanes<L>, r: Vec3Lanes<L>) -> Vec3Lanes<L> {
    let Mat3Lanes { x: a, y: b, z: c } = *jacobian;
    let (bc, rc) = (b.cross(c), r.cross(c));
    let scale = L::splat(r.x.token(), -1.0) / a.dot(bc);
    Vec3Lanes::new(r.dot(bc), a.dot(rc), a.dot(b.cross(r))).scale(scale)
}

#[inline(always)]
fn select<L: Lane>(mask: L::Mask, yes: Vec3Lanes<L>, no: Vec3Lanes<L>) -> Vec3Lanes<L> {
    Vec3Lanes::new(L::select(mask, yes.x, no.x), L::select(mask, yes.y, no.y), L::select(mask, yes.z, no.z))
}
