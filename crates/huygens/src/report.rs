//! What a step says about itself.

use crate::handle::BodyId;
use huygens_contact::{Certificate, GuardReport, SolveReport};
use huygens_dynamics::TreeKick;
use std::time::{Duration, Instant};

/// The stages of a step, in order.
pub const STAGES: [&str; 9] =
    ["kinematics", "collide", "assemble", "impact", "solve", "position", "integrate", "account", "remember"];

/// A stage of the step: its place in [`STAGES`].
#[derive(Clone, Copy, Debug)]
pub(crate) enum Stage {
    Kinematics,
    Collide,
    Assemble,
    Impact,
    Solve,
    Position,
    Integrate,
    Account,
    Remember,
}

/// What a step says about itself.
#[derive(Clone, Debug, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct StepReport {
    /// Time spent in each of [`STAGES`], when it was asked for ([`crate::World::want_stage_times`]).
    pub stage_time: [Duration; STAGES.len()],
    /// How the contact model ended.
    pub solve: SolveReport,
    /// Islands that were solved. One that has a driver with a limit of power counts each time that it was solved with another share of the
    /// driver's velocity; all others count once.
    pub island_solves: usize,
    /// Energy that the sweeps of the solve brought, booked in sequence after the kick and relative to the drivers [J]. Never
    /// positive for frictionless contact without restitution, bias and warm start, however few the sweeps. The accounts book
    /// the whole step instead, where a body at rest shows nothing.
    pub sweep_energy: f64,
    /// Contact points of the step.
    pub contacts: usize,
    /// Deepest overlap at the start of the step [m].
    pub max_penetration: f64,
    /// Collisions that the impact stage resolved.
    pub impacts: u32,
    /// Least share of restitution that the passivity guard left; 1 when it did nothing.
    pub least_restitution_share: f64,
    /// What the passivity bound did to impulses and corrections.
    pub guard: GuardReport,
    /// How the loops, gears and rods of mechanisms were solved.
    pub mechanisms: MechanismReport,
    /// Change of kinetic plus potential energy, measured [J].
    pub energy_change: f64,
    /// Change of energy that no account explains [J].
    pub unexplained: f64,
    /// What round-off may leave unexplained [J].
    pub unexplained_bound: f64,
    /// Residuals of the solve, when they were asked for.
    pub certificate: Option<Certificate>,
    /// Whether the next step computes the certificate.
    pub want_certificate: bool,
    /// Whether the next step times its stages.
    pub want_stage_times: bool,
    /// Time that the certificate took; it is part of the time of the stage `solve`.
    pub certificate_time: Duration,
    /// Bodies taken out of the simulation in this step because a number of theirs overflowed: at rest where they were,
    /// without contacts, their energy booked as an edit. Remove them, or build them anew.
    pub quarantined: Vec<BodyId>,
    #[cfg_attr(feature = "serde", serde(skip))]
    mark: Option<Instant>,
}

/// How the implicit steps of mechanisms ended: trees with loops, gears or rods, and all trees with the integrator `midpoint`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MechanismReport {
    /// Most equal pieces in which a mechanism was stepped: 1 where its equations were solved in one; 0 without such a mechanism.
    pub pieces: u32,
    /// Largest residual: the change of the velocities in the last iteration, or the error of the energy, as a share. Above 1e-9 the
    /// equations were not solved in the most pieces that there are, and the energy that the step gained was taken out of it.
    pub residual: f64,
    /// Largest error of a loop, a gear or a rod at the end of the step [m, rad]. Equalities that contradict each other leave one: their answer
    /// is that of least squares.
    pub gap: f64,
}

impl MechanismReport {
    /// True when the equations of all mechanisms were solved.
    pub fn is_solved(&self) -> bool {
        self.residual <= TreeKick::CONVERGED
    }

    /// The largest of both.
    pub fn with(&self, other: &Self) -> Self {
        // A NaN stays.
        let larger = |a: f64, b: f64| if a > b || a.is_nan() { a } else { b };
        Self {
            pieces: self.pieces.max(other.pieces),
            residual: larger(self.residual, other.residual),
            gap: larger(self.gap, other.gap),
        }
    }
}

impl StepReport {
    /// Name of each stage and the time spent in it, in the order in which they run; zero unless the world times them.
    ///
    /// ```
    /// # use huygens::{Scene, World};
    /// let mut world = World::new(&Scene::new())?;
    /// world.want_stage_times(true);
    /// for (stage, time) in world.step().stages() {
    ///     println!("{stage:>10} {:.1} µs", 1e6 * time.as_secs_f64());
    /// }
    /// # Ok::<(), huygens::SceneErrors>(())
    /// ```
    pub fn stages(&self) -> impl ExactSizeIterator<Item = (&'static str, Duration)> + '_ {
        STAGES.into_iter().zip(self.stage_time)
    }

    /// Clears what belongs to one step, and starts the clock where one is wanted: eleven looks at it are a sixth of the step of a lone ball.
    pub(crate) fn begin(&mut self) {
        self.mark = self.want_stage_times.then(Instant::now);
        self.stage_time = Default::default();
        self.quarantined.clear();
        self.certificate = None;
        self.certificate_time = Duration::ZERO;
    }

    /// Books the time since the last lap on a stage.
    pub(crate) fn lap(&mut self, stage: Stage) {
        if let Some(mark) = self.mark {
            let now = Instant::now();
            self.stage_time[stage as usize] += now - mark;
            self.mark = Some(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Scene, World};

    #[test]
    fn every_stage_is_timed_and_together_they_are_the_step() {
        let mut world = World::new(&Scene::new()).unwrap_or_else(|errors| panic!("{errors}"));
        assert!(world.step().stages().all(|(_, time)| time == Duration::ZERO), "nobody asked");
        world.want_stage_times(true);
        let start = Instant::now();
        let report = world.step();
        let whole = start.elapsed();
        assert!(report.stages().map(|(_, time)| time).sum::<Duration>() <= whole);
        assert!(report.stages().all(|(_, time)| time > Duration::ZERO));
        assert!(report.stages().map(|(name, _)| name).eq(STAGES));
    }
}
