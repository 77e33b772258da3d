//! The range of an actuator's length, which muscles need, found by a trial as MuJoCo does: the actuator alone pulls one way and then the other,
//! under joints, limits and equalities, while velocities are bled off.

use super::super::error::Fault;
use super::super::mech::{DynKind, Forward, GainKind, Integration, Mechanism, MechanismState, step_with};
use super::super::mechanism::Machine;
use super::super::model::{self, LengthMode, Model, Transmission};
use super::work::{SoftModel, SoftWork};
use huygens_math::scalar;
use huygens_math::trig::exp;

/// Finds the ranges that a model does not state and that its settings ask for.
///
/// # Errors
/// An actuator whose length has no bound.
pub(in super::super) fn find_length_ranges(model: &Model, machine: &mut Machine) -> Result<(), Fault> {
    let asked: Vec<usize> = (0..model.actuators.len()).filter(|&i| is_asked(model, i)).collect();
    if asked.is_empty() {
        return Ok(());
    }
    let trial = Trial::new(model, machine)?;
    for i in asked {
        let found = limit(model, i).map_or_else(|| trial.range(model, i), Ok)?;
        machine.mechanism.actuators[i].lengthrange = found;
    }
    Ok(())
}

fn is_asked(model: &Model, i: usize) -> bool {
    let (a, t) = (&model.actuators[i], &model.lengthrange);
    let muscle = a.gain == GainKind::Muscle || a.bias == GainKind::Muscle;
    let user = a.gain == GainKind::User || a.bias == GainKind::User || a.dynamics == DynKind::User;
    let wanted = match t.mode {
        LengthMode::None => false,
        LengthMode::Muscle => muscle,
        LengthMode::MuscleUser => muscle || user,
        LengthMode::All => true,
    };
    wanted && !(t.useexisting && a.lengthrange[0] < a.lengthrange[1])
}

/// The range of the joint or tendon, where that is asked for.
fn limit(model: &Model, i: usize) -> Option<[f64; 2]> {
    if !model.lengthrange.uselimit {
        return None;
    }
    match model.actuators[i].transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id) => {
            Some(&model.joints[id]).filter(|joint| joint.limited).map(|joint| joint.range)
        }
        Transmission::Tendon(id) => {
            Some(&model.tendons[id]).filter(|tendon| tendon.limited).map(|tendon| tendon.range)
        }
        _ => None,
    }
}

/// The mechanism on which only one actuator, limits and equalities act.
struct Trial {
    mechanism: Mechanism,
    soft: SoftModel,
    start: MechanismState,
}

impl Trial {
    fn new(model: &Model, machine: &Machine) -> Result<Self, Fault> {
        let mut quiet = model.clone();
        if model.lengthrange.timestep > 0.0 {
            quiet.options.timestep = model.lengthrange.timestep;
        }
        quiet.options.disabled = ["frictionloss", "contact", "spring", "damper", "gravity", "actuation"]
            .map(str::to_owned)
            .to_vec();
        let mut mechanism = machine.mechanism.clone();
        mechanism.timestep = quiet.options.timestep;
        let switches = &mut mechanism.switches;
        (switches.spring, switches.damper, switches.gravity, switches.actuation) =
            (false, false, false, false);
        if mechanism.integration == Integration::Rk4 {
            mechanism.integration = Integration::Euler;
        }
        Ok(Self { mechanism, soft: SoftModel::new(&quiet)?, start: machine.start() })
    }

    fn range(&self, model: &Model, i: usize) -> Result<[f64; 2], Fault> {
        let t = &model.lengthrange;
        let [shortest, longest] = [-1.0, 1.0].map(|side| self.lengths(t, i, side));
        let range = [shortest[0], longest[1]];
        let spread = scalar::max(shortest[1] - shortest[0], longest[1] - longest[0]);
        let width = range[1] - range[0];
        if width > 0.0 && spread <= t.tolrange * width {
            return Ok(range);
        }
        let message = format!("the range of lengths of actuator {:?} is not found", model.actuators[i].name);
        let help = "Give it a `lengthrange`, or its joints limits; <compiler><lengthrange/> has the settings of the trial.";
        Err(Fault::of_file(message, help))
    }

    /// Shortest and longest length at the end of a pull.
    fn lengths(&self, t: &model::LengthTrial, i: usize, side: f64) -> [f64; 2] {
        let (m, n) = (&self.mechanism, self.mechanism.tree.dofs());
        let mut state = self.start.clone();
        let (mut work, mut f) = (SoftWork::default(), Forward::default());
        let mut seen = [f64::INFINITY, f64::NEG_INFINITY];
        let kept = exp(-m.timestep / scalar::max(0.01, t.timeconst));
        let mut pull = vec![0.0; n];
        while state.time < t.inttotal {
            state.qvel.iter_mut().for_each(|v| *v *= kept);
            let moved = step_with(m, &mut state, &mut f, &mut |state, f| {
                let row = &f.actuator_rows.dense(i, n);
                pull.copy_from_slice(row);
                f.factored.solve(&mut pull);
                let mut size = side * t.accel / scalar::max(1e-15, norm(&pull));
                if t.maxforce > 0.0 && size.abs() * norm(row) > t.maxforce {
                    size = side * t.maxforce / norm(row);
                }
                (0..n).for_each(|dof| {
                    f.smooth[dof] += size * row[dof];
                    f.qacc_smooth[dof] += size * pull[dof];
                });
                let _ = work.constrain(&self.soft, m, state, &[], f);
                work.keep_warm();
            });
            let length = f.actuator_length[i];
            if !moved || !length.is_finite() {
                return [f64::NEG_INFINITY, f64::INFINITY];
            }
            if state.time > t.inttotal - t.interval {
                seen = [scalar::min(seen[0], length), scalar::max(seen[1], length)];
            }
        }
        seen
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}
