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
use huygens_math::Twist;

/// Turns of a body in a step beyond this do not count for the gaps [rad]: J is that of the start of the step.
const MOST_TURN: f64 = 0.5;

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

    /// Place of what does not move.
    pub fn fixed(&self) -> u32 {
        self.free as u32
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

    /// Place of a surface.
    pub fn surface(&self, index: u32) -> u32 {
        self.first_surface as u32 + index
    }

    /// Ends the pass that pushed overlap out: its displacement stands apart from the path from now on.
    pub fn keep_push_out(&mut self) {
        std::mem::swap(&mut self.pushed, &mut self.s);
        self.s.reset_like(&self.pushed);
    }

    /// Moves everything for a sub-step of length h.
    #[inline(always)]
    pub fn advance(&mut self, h: f64) {
        for (s, v) in self.s.free.iter_mut().zip(&self.v.free) {
            s.linear += v.linear * h;
            s.angular += v.angular * h;
            let square = s.angular.length_squared();
            if square > MOST_TURN * MOST_TURN {
                s.angular *= MOST_TURN / square.sqrt();
            }
        }
        for (s, v) in self.s.dof.iter_mut().zip(&self.v.dof) {
            *s += v * h;
        }
    }

    /// Starts the next sub-step: its kick and its warm start.
    #[inline(always)]
    pub fn extrapolate(&mut self) {
        for (v, begin) in self.v.free.iter_mut().zip(&mut self.begin.free) {
            let end = *v;
            *v = end + (end - *begin);
            *begin = end;
        }
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
