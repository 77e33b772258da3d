//! The bodies of a solve: velocity and displacement through the sub-steps.
//!
//! After the free bodies stand one that does not move, one for each driver, and one for each surface that moves along itself: a gather
//! needs no branch.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | v | `v` | velocity now | m/s |
//! | s | `s` | displacement since the start of the step; turns are cut off at half a radian | m, rad |
//!
//! **The warm start of a sub-step is an extrapolation.** A sub-step ends at v₁ = v₀ + k + M⁻¹Jᵀλ, and the next starts from v₁ + k + M⁻¹Jᵀλ
//! with the same kick k, the same impulses λ and the same J: that is v₁ + (v₁ − v₀), with no look at the contacts.

use super::build::SurfaceSide;
use super::side_rows::SideRows;
use crate::scratch::Room;
use crate::{ContactProblem, Velocity};
use huygens_math::lanes::Lane;
use huygens_math::pool::{Lent, part};
use huygens_math::{Pool, Twist};

/// Turns of a body in a step beyond this do not count for the gaps [rad]: J is that of the start of the step.
const MOST_TURN: f64 = 0.5;

/// Bodies that one chunk moves: some 10 µs.
pub(super) const BODIES_OF_CHUNK: usize = 1024;

/// Velocities that a batch can read.
pub(super) trait Source {
    fn twist(&self, body: u32) -> &Twist;
    fn dof(&self, dof: u32) -> f64;
}

impl Source for Velocity {
    #[inline(always)]
    fn twist(&self, body: u32) -> &Twist {
        &self.free[body as usize]
    }

    #[inline(always)]
    fn dof(&self, dof: u32) -> f64 {
        self.dof[dof as usize]
    }
}

/// Velocities (or displacements) as the batches of one colour see them on several threads: each reads and writes its own bodies, and reads those
/// that no impulse moves.
#[derive(Clone, Copy)]
pub(super) struct LentVelocity<'a> {
    all: Lent<'a, Twist>,
    /// The bodies that impulses may move.
    free: Lent<'a, Twist>,
    dof: Lent<'a, f64>,
}

impl<'a> LentVelocity<'a> {
    /// # Safety
    /// As [`Bodies::lend`].
    unsafe fn new(v: &'a mut Velocity, free: usize) -> Self {
        let all = Lent::new(&mut v.free);
        Self { all, free: all.first(free), dof: Lent::new(&mut v.dof) }
    }

    /// A body to be written. One that no impulse moves is not: `spare` is, since several batches of a colour have it.
    #[inline(always)]
    pub fn moved<'s>(&'s self, body: u32, spare: &'s mut Twist) -> &'s mut Twist {
        if (body as usize) < self.free.len() {
            // SAFETY: no other batch that is worked on now has this body ([`Bodies::lend`]).
            unsafe { self.free.entry(body as usize) }
        } else {
            spare
        }
    }

    /// The dofs of a tree, to be written.
    #[inline(always)]
    #[allow(clippy::mut_from_ref, reason = "who lends promises that no other batch has this tree")]
    pub fn dofs(&self, first: u32, len: u32) -> &mut [f64] {
        // SAFETY: no other batch that is worked on now has this tree ([`Bodies::lend`]).
        unsafe { self.dof.slice(first as usize..first as usize + len as usize) }
    }
}

impl Source for LentVelocity<'_> {
    #[inline(always)]
    fn twist(&self, body: u32) -> &Twist {
        // SAFETY: the body is this batch's own, or one that nobody writes ([`Bodies::lend`]).
        unsafe { self.all.read(body as usize) }
    }

    #[inline(always)]
    fn dof(&self, dof: u32) -> f64 {
        // SAFETY: no other batch that is worked on now has the tree of this dof ([`Bodies::lend`]).
        unsafe { *self.dof.read(dof as usize) }
    }
}

/// The bodies as the batches of one colour see them.
#[derive(Clone, Copy)]
pub(super) struct LentBodies<'a> {
    pub v: LentVelocity<'a>,
    pub s: LentVelocity<'a>,
    /// Change of velocity by the kick of a sub-step.
    pub kick: &'a Velocity,
    fixed: u32,
    first_surface: u32,
}

impl LentBodies<'_> {
    /// Place of what does not move.
    #[inline(always)]
    pub fn fixed(&self) -> u32 {
        self.fixed
    }

    /// Place of a surface.
    #[inline(always)]
    pub fn surface(&self, index: u32) -> u32 {
        self.first_surface + index
    }
}

/// The bodies of a solve.
#[derive(Clone, Debug, Default)]
pub(super) struct Bodies {
    pub v: Velocity,
    pub s: Velocity,
    /// Displacement by which overlap is undone, beside `s`.
    pub pushed: Velocity,
    /// Velocity at the start of the sub-step.
    begin: Velocity,
    /// Change of velocity by the kick of a sub-step.
    pub kick: Velocity,
    /// Rows of the sides that are not plain bodies.
    pub rows: SideRows,
    /// Share of a sub-step in the step.
    share: f64,
    free: usize,
    /// Place of the first surface that moves along itself.
    first_surface: usize,
}

impl Bodies {
    pub fn reserve(&mut self, room: &Room) {
        // One that does not move, and some drivers.
        let room = Room { bodies: room.bodies + 16, ..*room };
        for velocity in [&mut self.v, &mut self.s, &mut self.pushed, &mut self.begin, &mut self.kick] {
            velocity.reserve(&room);
        }
        self.rows.reserve(&room);
    }

    /// Lends the bodies to batches, with the rows of their sides.
    ///
    /// # Safety
    /// Of the batches that are worked on at the same time, on whatever threads, no two share a free body or a tree: they are of one colour.
    pub unsafe fn lend(&mut self) -> (LentBodies<'_>, &mut SideRows) {
        let (fixed, first_surface) = (self.free as u32, self.first_surface as u32);
        // SAFETY: the caller's promise.
        let [v, s] = [&mut self.v, &mut self.s].map(|v| unsafe { LentVelocity::new(v, self.free) });
        (LentBodies { v, s, kick: &self.kick, fixed, first_surface }, &mut self.rows)
    }

    /// Takes over a problem: velocities after the first kick.
    pub fn start(&mut self, problem: &ContactProblem, substeps: f64) {
        let (start, free) = (problem.v_start, problem.v_free);
        self.free = start.free.len();
        let rest = || std::iter::once(&Twist::ZERO).chain(&problem.groups.driven);
        self.begin.copy_from(start);
        self.begin.free.extend(rest());
        self.s.reset_like(&self.begin);
        let share = 1.0 / substeps;
        self.share = share;
        self.rows.clear();
        let kick = &mut self.kick;
        kick.free.clear();
        kick.free.extend(free.free.iter().zip(&start.free).map(|(free, start)| (*free - *start) * share));
        kick.free.extend(rest().map(|_| Twist::ZERO));
        kick.dof.clear();
        kick.dof.extend(free.dof.iter().zip(&start.dof).map(|(free, start)| (free - start) * share));
        self.v.free.clear();
        self.v.free.extend(self.begin.free.iter().zip(&kick.free).map(|(v, kick)| *v + *kick));
        self.v.dof.clear();
        self.v.dof.extend(self.begin.dof.iter().zip(&kick.dof).map(|(v, kick)| v + kick));
    }

    /// Adds surfaces that move along themselves. Nothing pushes them, so that the warm start keeps up any change of their velocity.
    pub fn add(&mut self, surfaces: &[SurfaceSide]) {
        self.first_surface = self.v.free.len();
        for surface in surfaces {
            let begin = surface.twist - surface.half_change;
            self.v.free.push(begin + surface.half_change * (2.0 * self.share));
            self.begin.free.push(begin);
            self.s.free.push(Twist::ZERO);
            self.kick.free.push(Twist::ZERO);
        }
    }

    /// Ends the pass that pushed overlap out: its displacement stands apart from the path from now on.
    pub fn keep_push_out(&mut self) {
        std::mem::swap(&mut self.pushed, &mut self.s);
        self.s.reset_like(&self.pushed);
    }

    /// Moves everything for a sub-step of length h.
    #[inline(always)]
    pub fn advance<L: Lane>(&mut self, token: L::Token, pool: &Pool, h: f64) {
        let v = &self.v.free;
        pool.for_parts(&mut self.s.free, BODIES_OF_CHUNK, |first, s| {
            L::vectorize(
                token,
                #[inline(always)]
                || advance(s, &v[first..], h),
            );
        });
        for (s, v) in self.s.dof.iter_mut().zip(&self.v.dof) {
            *s += v * h;
        }
    }

    /// Starts the next sub-step: its kick and its warm start.
    #[inline(always)]
    pub fn extrapolate<L: Lane>(&mut self, token: L::Token, pool: &Pool) {
        let n = self.v.free.len();
        let (v, begin) = (Lent::new(&mut self.v.free), Lent::new(&mut self.begin.free));
        pool.for_chunks(n.div_ceil(BODIES_OF_CHUNK), |chunk, _| {
            let range = part(chunk, BODIES_OF_CHUNK, n);
            // SAFETY: parts of different chunks do not overlap.
            let (v, begin) = unsafe { (v.slice(range.clone()), begin.slice(range)) };
            L::vectorize(
                token,
                #[inline(always)]
                || extrapolate(v, begin),
            );
        });
        for (v, begin) in self.v.dof.iter_mut().zip(&mut self.begin.dof) {
            let end = *v;
            *v = end + (end - *begin);
            *begin = end;
        }
    }

    /// True when the displacement of a body is not the whole of its turn.
    pub fn is_cut(s: &Twist) -> bool {
        s.angular.length_squared() >= (0.999 * MOST_TURN) * (0.999 * MOST_TURN)
    }
}

/// Moves some bodies for a sub-step of length h.
#[inline(always)]
fn advance(s: &mut [Twist], v: &[Twist], h: f64) {
    for (s, v) in s.iter_mut().zip(v) {
        s.linear += v.linear * h;
        s.angular += v.angular * h;
        let square = s.angular.length_squared();
        if square > MOST_TURN * MOST_TURN {
            s.angular *= MOST_TURN / square.sqrt();
        }
    }
}

/// Kick and warm start of some bodies.
#[inline(always)]
fn extrapolate(v: &mut [Twist], begin: &mut [Twist]) {
    for (v, begin) in v.iter_mut().zip(begin) {
        let end = *v;
        *v = end + (end - *begin);
        *begin = end;
    }
}
