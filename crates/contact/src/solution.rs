//! What a solver returns.

use crate::Velocity;
use huygens_math::{Sum, Vec3};

/// Impulse on A in (n, t₁, t₂) [N·s].
pub type Impulse = [f64; 3];

/// Couple on A in (n, t₁, t₂) against spinning and rolling [N·m·s].
pub type CoupleImpulse = [f64; 3];

/// The impulses of a problem.
#[derive(Clone, Copy, Debug, Default)]
pub struct Impulses<'a> {
    /// One for each point of [`crate::Groups::points`].
    pub points: &'a [Impulse],
    /// One for each point with friction against spinning and rolling ([`crate::Head::couple`]).
    pub couples: &'a [CoupleImpulse],
    /// One for each row of [`crate::Groups::rows`].
    pub rows: &'a [f64],
}

/// Impulses to start a solve from; empty slices mean a cold start.
pub type Warm<'a> = Impulses<'a>;

/// Energy that a stage brought into the system, by account [J]; losses are negative.
///
/// Each is a sum of p·(u before + u after)/2 over its rows; the velocity before is that of the start of the step, so
/// that a body at rest shows nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Normal impulses of contacts.
    pub impact: Sum,
    /// Tangential impulses of contacts, and their couples.
    pub friction: Sum,
    /// What a velocity bias brought: ½ p b.
    pub stabilisation: Sum,
    /// Equality rows.
    pub joint: Sum,
    /// Unilateral rows: limits.
    pub limit: Sum,
    /// Springs of rows that give way, with the part of the impulse that is not their dampers'.
    pub spring: Sum,
    /// Dampers of rows that give way.
    pub viscous: Sum,
    /// Energy that soft contacts and rows of the convex models gave back from their springs; taken up is negative.
    pub spring_released: Sum,
    /// Work that the springs of such rows did beyond what they gave back.
    pub numerical: Sum,
    /// Bounded rows: motors.
    pub actuator: Sum,
    /// p·u_d of all driven sides and belts, and what motors of drivers give; for capped drivers with the whole impulse.
    pub driver: Sum,
    /// What caps of drivers took back of that.
    pub driver_cap: Sum,
    /// Σ δ·(u + ½Wδ) over the increments δ inside the sweeps, from the free velocity on and relative to the drivers;
    /// for checking (0 for models with sub-steps, which kick in between): it telescopes to Σ p·(u_free + u⁺)/2 and is part of no total.
    pub increments: Sum,
    /// Sum of the sizes of all terms, for the bound on round-off.
    pub magnitude: f64,
}

impl Work {
    /// Sum of all accounts: what the stage brought into the system [J].
    pub fn total(&self) -> f64 {
        let mut sum = Sum::default();
        for account in [
            &self.impact,
            &self.friction,
            &self.stabilisation,
            &self.joint,
            &self.limit,
            &self.spring,
            &self.viscous,
            &self.spring_released,
            &self.numerical,
            &self.actuator,
            &self.driver,
            &self.driver_cap,
        ] {
            sum.add_sum(account);
        }
        sum.value()
    }
}

impl Work {
    /// Takes the work `first` out of this and puts `last` in.
    pub(crate) fn replace(&mut self, first: &Self, last: &Self) {
        for (sum, first, last) in [
            (&mut self.impact, &first.impact, &last.impact),
            (&mut self.friction, &first.friction, &last.friction),
            (&mut self.stabilisation, &first.stabilisation, &last.stabilisation),
            (&mut self.joint, &first.joint, &last.joint),
            (&mut self.limit, &first.limit, &last.limit),
            (&mut self.spring, &first.spring, &last.spring),
            (&mut self.viscous, &first.viscous, &last.viscous),
            (&mut self.spring_released, &first.spring_released, &last.spring_released),
            (&mut self.numerical, &first.numerical, &last.numerical),
            (&mut self.actuator, &first.actuator, &last.actuator),
            (&mut self.driver, &first.driver, &last.driver),
            (&mut self.driver_cap, &first.driver_cap, &last.driver_cap),
            (&mut self.increments, &first.increments, &last.increments),
        ] {
            sum.add(-first.value());
            sum.add_sum(last);
        }
        self.magnitude += first.magnitude + last.magnitude;
    }
}

/// What a driven body gave to the system in a stage.
///
/// `work` = `impulse`·v + `torque_impulse`·ω with the prescribed velocity v of the reference point and spin ω, and that of its belt
/// and its motor. A driver with a torque limit gives the torque of its motor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DriverLoad {
    /// Energy brought in [J].
    pub work: f64,
    /// Linear impulse given [N·s].
    pub impulse: Vec3,
    /// Angular impulse given, about the reference point [N·m·s].
    pub torque_impulse: Vec3,
}

/// Answer of a contact model.
#[derive(Clone, Debug, Default)]
pub struct Solution {
    /// Impulse of each point of [`crate::Groups::points`].
    pub impulses: Vec<Impulse>,
    /// Couple of each point with friction against spinning and rolling.
    pub couples: Vec<CoupleImpulse>,
    /// Impulse of each row of [`crate::Groups::rows`].
    pub rows: Vec<f64>,
    /// Velocity at the end of the step.
    pub v: Velocity,
    /// Displacement c that is added to the integrator's own [m, rad, or dof units].
    pub correction: Velocity,
    /// The part of it by which a model with a path of its own undoes overlap; empty where corrections are left to [`crate::correct_held`].
    pub push_out: Velocity,
    /// Energy by account.
    pub work: Work,
    /// Change of the energy that the soft rows of each group store [J]; empty for a model with rigid rows.
    pub stored: Vec<f64>,
    /// What each driven body of [`crate::Groups::driven`] gave.
    pub drivers: Vec<DriverLoad>,
    /// Drivers whose contacts gave no more than their cap, and so do not hold: corrections leave them out
    /// ([`crate::correct_held`]). Empty for none.
    pub capped: Vec<bool>,
}

impl Solution {
    /// All impulses.
    pub fn all(&self) -> Impulses<'_> {
        Impulses { points: &self.impulses, couples: &self.couples, rows: &self.rows }
    }
}

/// The impulses of a problem, to be changed.
pub(crate) struct ImpulsesMut<'a> {
    pub points: &'a mut [Impulse],
    pub couples: &'a mut [CoupleImpulse],
    pub rows: &'a mut [f64],
}

impl Solution {
    /// All impulses, to be changed.
    #[inline(always)]
    pub(crate) fn all_mut(&mut self) -> ImpulsesMut<'_> {
        ImpulsesMut { points: &mut self.impulses, couples: &mut self.couples, rows: &mut self.rows }
    }
}

/// A copy of the impulses of a problem.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImpulseCopy {
    pub points: Vec<Impulse>,
    pub couples: Vec<CoupleImpulse>,
    pub rows: Vec<f64>,
}

impl ImpulseCopy {
    /// Makes this a copy without allocating when it has the room.
    pub(crate) fn copy_from(&mut self, from: Impulses) {
        self.clear();
        self.points.extend_from_slice(from.points);
        self.couples.extend_from_slice(from.couples);
        self.rows.extend_from_slice(from.rows);
    }

    pub(crate) fn clear(&mut self) {
        self.points.clear();
        self.couples.clear();
        self.rows.clear();
    }

    pub(crate) fn all(&self) -> Impulses<'_> {
        Impulses { points: &self.points, couples: &self.couples, rows: &self.rows }
    }

    pub(crate) fn all_mut(&mut self) -> ImpulsesMut<'_> {
        ImpulsesMut { points: &mut self.points, couples: &mut self.couples, rows: &mut self.rows }
    }
}
