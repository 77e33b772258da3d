//! What a group asks of its points and rows, as data: kernels read it and know no settings.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | g | `gap`, `error` | distance of a contact or limit, or position error of an equality | m or rad |
//! | d | | depth, −g beyond the slop | m or rad |
//! | h, h_s | `h` | step; sub-step h/n of a spring that is integrated in n sub-steps | s |
//! | ω, ζ | `hertz`·2π, `damping_ratio` | spring that undoes overlap | rad/s, – |
//! | k, c | `stiffness`, `damping` | of a row that gives way: [`Compliance`] | N/m, N·s/m |
//! | x | | compression of such a row: −g of a contact or limit where it is closed, else 0; −g of an equality or motor | m or rad |
//! | R | `regularisation` | velocity that a row gives way by for each unit of impulse | m/s per N·s |
//!
//! An open gap may close in the step and no more: u ≥ −g/h, J d ≥ −g. What happens to an overlap is the group's [`Recovery`].
//!
//! **A row that gives way** is a spring and a damper, integrated implicitly: p = h(k x' + c (x' − x)/h) with the compression x' at the end of
//! the step. Closed, x' = x − h u, so u + R p = k x/(c + h k) with R = 1/(h(c + h k)). Open, x = 0 and x' = −(g + h u), so
//! u + R p = −g/h: the target of a rigid row. R = 0 is a rigid row; one law does for both. The spring itself undoes the
//! compression, so such a row has no recovery.

use crate::convex::Softness;
use crate::{Groups, Head, Law, Row};
use huygens_math::BlockInertia;
use huygens_math::scalar::{clamp, max, min};

/// Unit of the positions of a group's rows: contacts and slides have lengths, hinges have angles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// [m].
    #[default]
    Metre,
    /// [rad].
    Radian,
}

/// Pose of the bodies at which the Jacobian of a group's rows was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowPose {
    /// Start of the step.
    #[default]
    Start,
    /// Middle of the step: the law is asked of the velocity at its end.
    Middle,
    /// Moment of touch inside the step.
    Touch,
}

/// How the overlap of a contact or limit, or the position error of an equality, is undone. Lengths are in the unit of the group.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Recovery {
    /// Not at all: velocities are right, the error stays.
    #[default]
    None,
    /// By a velocity bias erp·d/h, at most `cap`: simple, and it creates energy (booked as stabilisation).
    Baumgarte {
        /// Share of the error undone in a step.
        erp: f64,
        /// Largest bias [unit/s]; infinite for no cap.
        cap: f64,
        /// Largest part of the error undone in a step [unit]; infinite for no bound.
        max_step: f64,
    },
    /// By a displacement that leaves no velocity.
    SplitImpulse {
        /// Share of the error beyond `slop` undone in a step.
        beta: f64,
        /// Overlap that is left alone [unit].
        slop: f64,
        /// Largest part of the error undone in a step [unit]; infinite for no bound.
        max_step: f64,
    },
    /// By a displacement that leaves no velocity, at the speed to which an implicit spring and damper settle.
    Spring {
        /// Frequency [Hz]; never above a quarter of the sub-steps' own.
        hertz: f64,
        /// Damping ratio.
        damping_ratio: f64,
        /// Sub-steps of a step in which the spring is integrated, ≥ 1.
        substeps: u32,
        /// Overlap that is left alone [unit].
        slop: f64,
        /// Largest speed at which the error is undone [unit/s].
        max_speed: f64,
    },
}

/// How a row gives way under its load.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Compliance {
    /// Not at all.
    #[default]
    Rigid,
    /// As a spring and a damper of that size, whatever they carry.
    Spring {
        /// Force for each unit of compression, ≥ 0 [N/m, of angles N·m/rad].
        stiffness: f64,
        /// Force for each unit of its rate, ≥ 0 [N·s/m, of angles N·m·s/rad]. One of the two is positive.
        damping: f64,
    },
    /// As a spring and a damper that give the effective mass of the row alone this response, whatever that mass is.
    Response {
        /// Time in which an oscillation falls to 1/e of it, or, at a damping ratio of 1, 1/ω of both decays [s], > 0.
        time_constant: f64,
        /// Share of the critical damping, > 0.
        damping_ratio: f64,
    },
    /// By an impedance, as MuJoCo and Genesis have it, with the two rows of friction of a contact. The convex models alone know this law; the
    /// others keep the row rigid.
    Impedance(Softness),
}

/// Spring and damper of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    /// k [N/m or N·m/rad].
    pub stiffness: f64,
    /// c [N·s/m or N·m·s/rad].
    pub damping: f64,
}

impl Compliance {
    /// Whether its numbers are those of a spring and a damper.
    pub fn is_valid(&self) -> bool {
        match *self {
            Self::Rigid => true,
            Self::Spring { stiffness, damping } => {
                stiffness >= 0.0 && damping >= 0.0 && stiffness + damping > 0.0
            }
            Self::Response { time_constant, damping_ratio } => time_constant > 0.0 && damping_ratio > 0.0,
            Self::Impedance(softness) => {
                softness.solref.iter().chain(&softness.solimp).all(|x| x.is_finite())
            }
        }
    }

    /// Spring and damper of a row whose J M⁻¹ Jᵀ is `w`; `None` for a rigid row, and for one that cannot move.
    #[inline(always)]
    pub(crate) fn spring(&self, w: f64) -> Option<Spring> {
        let spring = match *self {
            Self::Rigid | Self::Impedance(_) => return None,
            Self::Spring { stiffness, damping } => Spring { stiffness, damping },
            Self::Response { time_constant, damping_ratio } => {
                // ζω = 1/τ and c = 2ζω m, k = ω² m.
                let omega = 1.0 / (time_constant * damping_ratio);
                Spring { stiffness: omega * omega / w, damping: 2.0 / (time_constant * w) }
            }
        };
        (w > 0.0).then_some(spring)
    }
}

impl Spring {
    /// R in a step or sub-step `h`.
    #[inline(always)]
    pub(crate) fn regularisation(&self, h: f64) -> f64 {
        1.0 / (h * (self.damping + h * self.stiffness))
    }

    /// Velocity that a row with this position error is asked for where it has no impulse [unit/s].
    #[inline(always)]
    pub(crate) fn target(&self, h: f64, error: f64, law: Law) -> f64 {
        if error > 0.0 && matches!(law, Law::Contact | Law::Unilateral) {
            return -error / h;
        }
        -error * self.stiffness / (self.damping + h * self.stiffness)
    }

    /// Impulse of the damper in a step or sub-step `h` in which the row has the velocity `u` at its end, its target left out.
    #[inline(always)]
    pub(crate) fn damper(&self, h: f64, error: f64, law: Law, u: f64) -> f64 {
        if error > 0.0 && matches!(law, Law::Contact | Law::Unilateral) {
            return -self.damping * (error + h * u);
        }
        -self.damping * h * u
    }
}

/// A displacement that undoes a share of the overlap beyond a slop, at most `max_step`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct PushOut {
    pub share: f64,
    /// [unit]
    pub slop: f64,
    /// [unit]
    pub max_step: f64,
}

impl PushOut {
    /// Displacement for an overlap of that depth [unit].
    fn of(&self, depth: f64) -> f64 {
        min(self.share * max(depth - self.slop, 0.0), self.max_step)
    }
}

impl Recovery {
    /// Overlap that displacements leave alone [m]; `None` when they undo none.
    pub const fn slop(&self) -> Option<f64> {
        match *self {
            Self::None | Self::Baumgarte { .. } => None,
            Self::SplitImpulse { slop, .. } | Self::Spring { slop, .. } => Some(slop),
        }
    }

    /// The push-out of a step; `None` when overlap is not undone by displacements.
    pub(crate) fn push_out(&self, h: f64) -> Option<PushOut> {
        match *self {
            Self::None | Self::Baumgarte { .. } => None,
            Self::SplitImpulse { beta, slop, max_step } => Some(PushOut { share: beta, slop, max_step }),
            Self::Spring { hertz, damping_ratio, substeps, slop, max_speed } => {
                // ω²d − 2ζω v − h_s ω²v = 0: the speed v at which spring and damper balance.
                let sub = h / f64::from(substeps);
                let omega = std::f64::consts::TAU * min(hertz, 0.25 / sub);
                let rate = omega / (2.0 * damping_ratio + sub * omega);
                Some(PushOut { share: min(h * rate, 1.0), slop, max_step: h * max_speed })
            }
        }
    }

    /// Speed of the bias for each unit of overlap [1/s], and the largest bias [unit/s]; zero without Baumgarte's.
    pub(crate) fn bias(&self, h: f64) -> [f64; 2] {
        match *self {
            Self::Baumgarte { erp, cap, max_step } => [erp / h, min(cap, max_step / h)],
            Self::None | Self::SplitImpulse { .. } | Self::Spring { .. } => [0.0; 2],
        }
    }
}

/// What a group asks of its points and rows beyond their gaps, targets and bounds. Deduplicated: [`crate::Head::demand`] is an index into
/// [`crate::Groups::demands`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// How position errors are undone; a row that gives way has its spring for that.
    pub recovery: Recovery,
    /// How rows give way; of a contact the normal.
    pub compliance: Compliance,
    /// Unit of positions.
    pub unit: Unit,
    /// Pose at which the Jacobian was taken.
    pub pose: RowPose,
}

/// Velocity that a law asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Target {
    /// The whole target [unit/s].
    pub speed: f64,
    /// The part that stabilisation added [unit/s]; its work is booked apart.
    pub bias: f64,
}

impl Demand {
    /// Velocity that a contact or limit with this gap may not fall below.
    pub(crate) fn gap_target(&self, h: f64, gap: f64) -> Target {
        if gap > 0.0 {
            return Target { speed: -gap / h, bias: 0.0 };
        }
        let bias = match self.recovery {
            Recovery::Baumgarte { erp, cap, max_step } => min(erp * -gap, min(h * cap, max_step)) / h,
            Recovery::None | Recovery::SplitImpulse { .. } | Recovery::Spring { .. } => 0.0,
        };
        Target { speed: bias, bias }
    }

    /// Displacement that a contact or limit with this gap may not fall below [unit].
    pub(crate) fn gap_displacement(&self, h: f64, gap: f64) -> f64 {
        if gap > 0.0 {
            return -gap;
        }
        if self.compliance != Compliance::Rigid {
            return 0.0;
        }
        match self.recovery.push_out(h) {
            Some(push_out) => push_out.of(-gap),
            None => h * self.gap_target(h, gap).bias,
        }
    }

    /// Bias of an equality with this position error [unit/s].
    pub(crate) fn equality_bias(&self, h: f64, error: f64) -> f64 {
        let [rate, most] = self.recovery.bias(h);
        clamp(-rate * error, -most, most)
    }

    /// Displacement that undoes part of the position error of an equality [unit]. An equality has no slop.
    pub(crate) fn equality_displacement(&self, h: f64, error: f64) -> f64 {
        match self.recovery.push_out(h) {
            Some(PushOut { share, max_step, .. }) => clamp(-share * error, -max_step, max_step),
            None => h * self.equality_bias(h, error),
        }
    }

    /// The same demand without recovery: an error may not grow, and is left as it is.
    pub(crate) fn without_recovery(&self) -> Self {
        Self { recovery: Recovery::None, ..*self }
    }
}

impl Groups {
    /// What a group asks for.
    #[inline(always)]
    pub(crate) fn demand(&self, head: &Head) -> &Demand {
        &self.demands[head.demand as usize]
    }

    /// Stiffness of the only row of a group that gives way [N/m or N·m/rad]; 0 for a rigid one, and where nothing moves.
    pub fn stiffness(&self, m: &BlockInertia, head: &Head) -> f64 {
        let spring = self.entries(head).next().and_then(|entry| entry.spring(m));
        spring.map_or(0.0, |spring| spring.stiffness)
    }

    /// True for a group with the softness of a convex model: a spring whose energy [`crate::Solution::stored`] has. Motors have none.
    pub fn has_impedance(&self, head: &Head) -> bool {
        head.is_soft && matches!(self.demand(head).compliance, Compliance::Impedance(_))
    }

    /// Spring and damper of a row of a group whose J M⁻¹ Jᵀ is `w`; `None` for a rigid one.
    #[inline(always)]
    pub(crate) fn spring(&self, head: &Head, w: f64) -> Option<Spring> {
        if head.is_soft { self.demand(head).compliance.spring(w) } else { None }
    }

    /// Normal velocity that point `i` of a contact may not fall below.
    #[inline(always)]
    pub(crate) fn point_target(&self, h: f64, head: &Head, i: usize) -> Target {
        self.demand(head).gap_target(h, self.points[i].gap)
    }

    /// Velocity that a row is asked for.
    pub(crate) fn row_target(&self, h: f64, head: &Head, row: &Row) -> Target {
        let extra = match head.law {
            Law::Contact | Law::Bounded { .. } | Law::Drive { .. } => Target::default(),
            Law::Unilateral => self.demand(head).gap_target(h, row.error),
            Law::Equality => {
                let bias = self.demand(head).equality_bias(h, row.error);
                Target { speed: bias, bias }
            }
        };
        Target { speed: row.target + extra.speed, bias: extra.bias }
    }
}

impl Demand {
    /// Displacement that a row is asked for [unit].
    pub(crate) fn row_displacement(&self, h: f64, law: Law, row: &Row) -> f64 {
        let extra = match law {
            Law::Unilateral => self.gap_displacement(h, row.error),
            Law::Equality => self.equality_displacement(h, row.error),
            Law::Contact | Law::Bounded { .. } | Law::Drive { .. } => 0.0,
        };
        h * row.target + extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAUMGARTE: Recovery = Recovery::Baumgarte { erp: 0.5, cap: 3.0, max_step: f64::INFINITY };

    fn split(beta: f64, slop: f64) -> Recovery {
        Recovery::SplitImpulse { beta, slop, max_step: f64::INFINITY }
    }

    fn demand(recovery: Recovery) -> Demand {
        Demand { recovery, ..Demand::default() }
    }

    fn spring() -> Recovery {
        Recovery::Spring { hertz: 30.0, damping_ratio: 10.0, substeps: 4, slop: 1e-3, max_speed: 3.0 }
    }

    #[test]
    fn a_gap_may_close_and_no_more_whatever_the_recovery() {
        for recovery in [Recovery::None, BAUMGARTE, split(0.2, 1e-3), spring()] {
            let asked = demand(recovery);
            assert_eq!(asked.gap_target(0.5, 0.25), Target { speed: -0.5, bias: 0.0 });
            assert_eq!(asked.gap_displacement(0.5, 0.25), -0.25);
        }
    }

    #[test]
    fn only_baumgarte_turns_depth_into_speed_and_the_cap_holds() {
        let baumgarte = demand(BAUMGARTE);
        assert_eq!(baumgarte.gap_target(0.5, -1.0), Target { speed: 1.0, bias: 1.0 });
        assert_eq!(baumgarte.gap_target(0.5, -100.0).speed, 3.0);
        assert_eq!(baumgarte.gap_displacement(0.5, -1.0), 0.5);
        let split = demand(split(0.25, 0.5));
        assert_eq!(split.gap_target(0.5, -1.0), Target::default());
        assert_eq!(split.gap_displacement(0.5, -1.0), 0.125);
        assert_eq!(split.gap_displacement(0.5, -0.4), 0.0);
        assert_eq!(demand(Recovery::None).gap_displacement(0.5, -1.0), 0.0);
    }

    #[test]
    fn no_step_undoes_more_than_the_largest_step_of_the_recovery() {
        // pe's aggressiveness 50 on bodies of 1 m: at most 20 mm a step.
        let max_step = 1.0 / 50.0;
        let baumgarte = demand(Recovery::Baumgarte { erp: 0.5, cap: f64::INFINITY, max_step });
        assert_eq!(baumgarte.gap_target(0.5, -1.0).bias, 0.04);
        assert_eq!(baumgarte.gap_displacement(0.5, -1.0), 0.02);
        assert_eq!(baumgarte.gap_target(0.5, -0.03).bias, 0.03);
        let split = demand(Recovery::SplitImpulse { beta: 0.5, slop: 0.0, max_step });
        assert_eq!(split.gap_displacement(0.5, -1.0), 0.02);
        assert_eq!(split.gap_displacement(0.5, -0.03), 0.015);
    }

    #[test]
    fn an_equality_is_pulled_back_from_either_side() {
        let baumgarte = demand(BAUMGARTE);
        assert_eq!(baumgarte.equality_bias(0.5, 1.0), -1.0);
        assert_eq!(baumgarte.equality_bias(0.5, -50.0), 3.0);
        assert_eq!(baumgarte.equality_displacement(0.5, 1.0), -0.5);
        assert_eq!(demand(split(0.25, 9.0)).equality_displacement(0.5, -1.0), 0.25, "no slop");
        assert_eq!(demand(Recovery::None).equality_displacement(0.5, 1.0), 0.0);
    }

    #[test]
    fn a_spring_pushes_out_at_the_speed_at_which_spring_and_damper_balance() {
        let (h, depth) = (1.0 / 60.0, 0.01);
        let v = demand(spring()).gap_displacement(h, -depth - 1e-3) / h;
        let omega = std::f64::consts::TAU * 30.0;
        let (stiffness, damping) = (omega * omega, 2.0 * 10.0 * omega);
        let force = stiffness * (depth - 0.25 * h * v);
        assert!((force - damping * v).abs() < 1e-12 * force, "{v}");
    }

    #[test]
    fn a_row_that_gives_way_is_an_implicit_spring_and_damper() {
        let (h, k, c) = (0.01, 500.0, 3.0);
        let spring = Compliance::Spring { stiffness: k, damping: c }.spring(2.0).unwrap();
        let r = spring.regularisation(h);
        for (gap, law) in [(-0.02, Law::Unilateral), (0.003, Law::Contact), (0.003, Law::Equality)] {
            for u in [-0.5, 0.1] {
                let p = (spring.target(h, gap, law) - u) / r;
                let is_open = gap > 0.0 && law != Law::Equality;
                let x = if is_open { 0.0 } else { -gap };
                let end = -(gap + h * u);
                let (force, damper) = (k * end + c * (end - x) / h, c * (end - x));
                assert!((p - h * force).abs() < 1e-14, "{gap} {u}: {p} {force}");
                assert!((spring.damper(h, gap, law, u) - damper).abs() < 1e-15);
            }
        }
    }

    #[test]
    fn a_response_is_that_of_the_effective_mass() {
        let (tau, zeta, w) = (0.05, 0.3, 0.25);
        let response = Compliance::Response { time_constant: tau, damping_ratio: zeta };
        let spring = response.spring(w).unwrap();
        // m s² + c s + k has the roots −1/τ ± i ω√(1 − ζ²).
        let m = 1.0 / w;
        assert!((spring.damping / (2.0 * m) - 1.0 / tau).abs() < 1e-12);
        assert!((spring.damping / (2.0 * (spring.stiffness * m).sqrt()) - zeta).abs() < 1e-12);
        assert!(response.spring(0.0).is_none(), "nothing moves");
        assert!(Compliance::Rigid.spring(w).is_none());
    }

    #[test]
    fn a_spring_is_never_faster_than_its_sub_steps_can_follow() {
        let share = |hertz| {
            let spring =
                Recovery::Spring { hertz, damping_ratio: 10.0, substeps: 4, slop: 0.0, max_speed: 3.0 };
            spring.push_out(0.04).unwrap().share
        };
        assert_eq!(share(1e9), share(25.0));
    }
}
