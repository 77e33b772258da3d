//! What a row is asked for: velocities in the solve, displacements in the correction.
//!
//! A contact may close by its gap and no more. Overlap is left alone (none), undone by a velocity (Baumgarte) or by a
//! displacement alone (split impulse).

use crate::{Law, Row, Settings, Stabilisation};
use huygens_math::scalar::{clamp, max, min};

/// Velocity asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Target {
    /// The whole of it [m/s].
    pub speed: f64,
    /// The part that stabilisation added [m/s]; its work is booked apart.
    pub bias: f64,
}

impl Settings {
    /// Normal velocity that a contact with this gap may not fall below.
    pub(crate) fn contact_target(&self, h: f64, gap: f64) -> Target {
        if gap > 0.0 {
            return Target { speed: -gap / h, bias: 0.0 };
        }
        let bias = match self.stabilisation {
            Stabilisation::Baumgarte { erp, cap } => min(erp * -gap, self.most(h, cap)) / h,
            Stabilisation::None | Stabilisation::SplitImpulse { .. } => 0.0,
        };
        Target { speed: bias, bias }
    }

    /// Most overlap that a step undoes with that cap of the bias [m].
    fn most(&self, h: f64, cap: f64) -> f64 {
        min(h * cap, self.correction_cap)
    }

    /// Displacement along the normal that a contact with this gap may not fall below [m].
    pub(crate) fn contact_displacement(&self, h: f64, gap: f64) -> f64 {
        if gap > 0.0 {
            return -gap;
        }
        match self.stabilisation {
            Stabilisation::None => 0.0,
            Stabilisation::Baumgarte { erp, cap } => min(erp * -gap, self.most(h, cap)),
            Stabilisation::SplitImpulse { beta, slop } => {
                min(beta * max(-gap - slop, 0.0), self.correction_cap)
            }
        }
    }

    /// Velocity that a row is asked for.
    pub(crate) fn row_target(&self, h: f64, law: Law, row: &Row) -> Target {
        let extra = match law {
            Law::Contact | Law::Bounded { .. } | Law::Drive { .. } | Law::Couple { .. } => Target::default(),
            Law::Unilateral => self.contact_target(h, row.error),
            Law::Equality => {
                let bias = match self.stabilisation {
                    Stabilisation::Baumgarte { erp, cap } => {
                        let most = self.most(h, cap);
                        clamp(-erp * row.error, -most, most) / h
                    }
                    Stabilisation::None | Stabilisation::SplitImpulse { .. } => 0.0,
                };
                Target { speed: bias, bias }
            }
        };
        Target { speed: row.target + extra.speed, bias: extra.bias }
    }

    /// Displacement that a row is asked for.
    pub(crate) fn row_displacement(&self, h: f64, law: Law, row: &Row) -> f64 {
        let extra = match (law, self.stabilisation) {
            (Law::Unilateral, _) => self.contact_displacement(h, row.error),
            (Law::Equality, Stabilisation::SplitImpulse { beta, .. }) => {
                clamp(-beta * row.error, -self.correction_cap, self.correction_cap)
            }
            (Law::Equality, _) => h * self.row_target(h, law, row).bias,
            (Law::Contact | Law::Bounded { .. } | Law::Drive { .. } | Law::Couple { .. }, _) => 0.0,
        };
        h * row.target + extra
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Scale;
    use huygens_math::Vec3;

    fn settings(stabilisation: Stabilisation) -> Settings {
        Settings { stabilisation, ..Settings::for_scale(Scale { length: 1.0, speed: 3.0 }) }
    }

    #[test]
    fn a_gap_may_close_and_no_more_whatever_the_stabilisation() {
        for stabilisation in [
            Stabilisation::None,
            Stabilisation::Baumgarte { erp: 0.7, cap: f64::INFINITY },
            Stabilisation::SplitImpulse { beta: 0.2, slop: 1e-3 },
        ] {
            let s = settings(stabilisation);
            assert_eq!(s.contact_target(0.5, 0.25), Target { speed: -0.5, bias: 0.0 });
            assert_eq!(s.contact_displacement(0.5, 0.25), -0.25);
        }
    }

    #[test]
    fn only_baumgarte_turns_depth_into_speed_and_the_cap_holds() {
        let baumgarte = settings(Stabilisation::Baumgarte { erp: 0.5, cap: 3.0 });
        assert_eq!(baumgarte.contact_target(0.5, -1.0), Target { speed: 1.0, bias: 1.0 });
        assert_eq!(baumgarte.contact_target(0.5, -100.0).speed, 3.0);
        assert_eq!(baumgarte.contact_displacement(0.5, -1.0), 0.5);
        let split = settings(Stabilisation::SplitImpulse { beta: 0.25, slop: 0.5 });
        assert_eq!(split.contact_target(0.5, -1.0), Target::default());
        assert_eq!(split.contact_displacement(0.5, -1.0), 0.125);
        assert_eq!(split.contact_displacement(0.5, -0.4), 0.0);
        assert_eq!(settings(Stabilisation::None).contact_displacement(0.5, -1.0), 0.0);
    }

    #[test]
    fn no_step_undoes_more_than_the_cap_of_the_correction() {
        // pe's aggressiveness 50 on bodies of 1 m: at most 20 mm a step.
        let capped = |stabilisation| Settings { correction_cap: 1.0 / 50.0, ..settings(stabilisation) };
        let baumgarte = capped(Stabilisation::Baumgarte { erp: 0.5, cap: f64::INFINITY });
        assert_eq!(baumgarte.contact_target(0.5, -1.0).bias, 0.04);
        assert_eq!(baumgarte.contact_displacement(0.5, -1.0), 0.02);
        assert_eq!(baumgarte.contact_target(0.5, -0.03).bias, 0.03);
        let split = capped(Stabilisation::SplitImpulse { beta: 0.5, slop: 0.0 });
        assert_eq!(split.contact_displacement(0.5, -1.0), 0.02);
        assert_eq!(split.contact_displacement(0.5, -0.03), 0.015);
    }

    #[test]
    fn an_equality_is_pulled_back_from_either_side() {
        let row = |error| Row {
            linear: Vec3::X,
            angular: [Vec3::ZERO; 2],
            target: 2.0,
            error,
            tree: crate::NO_TREE,
        };
        let s = settings(Stabilisation::Baumgarte { erp: 0.5, cap: 3.0 });
        assert_eq!(s.row_target(0.5, Law::Equality, &row(1.0)), Target { speed: 1.0, bias: -1.0 });
        assert_eq!(s.row_target(0.5, Law::Equality, &row(-50.0)), Target { speed: 5.0, bias: 3.0 });
        assert_eq!(s.row_displacement(0.5, Law::Equality, &row(1.0)), 0.5);
        assert_eq!(s.row_target(0.5, Law::Bounded { lo: -1.0, hi: 1.0 }, &row(1.0)).speed, 2.0);
        assert_eq!(s.row_target(0.5, Law::Unilateral, &row(0.25)).speed, 1.5);
    }
}
