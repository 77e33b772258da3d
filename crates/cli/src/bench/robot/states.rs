//! States from which a robot is stepped: of a file, or one after the other under random controls.

use super::super::BenchArgs;
use crate::Failure;
use huygens::math::SplitMix;
use huygens_formats::mjcf::Model;
use huygens_formats::mjcf::mech::MechanismState;
use huygens_formats::mjcf::soft::SoftMachine;
use serde_json::Value;
use std::path::Path;

/// Steps between two random controls.
const HOLD: u64 = 10;

/// Some steps with the same controls.
pub struct Segment {
    /// Where they start; `None`: where the segment before ends.
    pub start: Option<Start>,
    pub ctrl: Vec<f64>,
}

/// The start of a segment.
pub struct Start {
    pub qpos: Vec<f64>,
    pub qvel: Vec<f64>,
    pub act: Vec<f64>,
    /// Acceleration from which the first solve starts.
    pub warm: Vec<f64>,
}

/// The steps to measure: states to start from, and controls.
pub struct Plan {
    pub segments: Vec<Segment>,
    /// Steps of each segment.
    pub hold: u64,
    pub first: MechanismState,
}

impl Plan {
    /// Puts a robot at the start of segment `k`.
    pub fn begin(&self, k: usize, soft: &mut SoftMachine, state: &mut MechanismState) {
        let segment = &self.segments[k];
        if let Some(start) = &segment.start {
            state.qpos.clone_from(&start.qpos);
            state.qvel.clone_from(&start.qvel);
            state.act.clone_from(&start.act);
            soft.work.warm.clone_from(&start.warm);
        }
        state.ctrl.clone_from(&segment.ctrl);
    }
}

/// Segments that follow each other from `start` on, with new random controls every ten steps.
pub fn random(model: &Model, start: &MechanismState, args: &BenchArgs) -> Plan {
    let steps = args.steps.unwrap_or(3000);
    let mut random = SplitMix::new(args.seed.unwrap_or(1));
    let one = |_| Segment { start: None, ctrl: controls(model, &mut random) };
    let segments = (0..steps.div_ceil(HOLD)).map(one).collect();
    Plan { segments, hold: HOLD, first: start.clone() }
}

/// Random controls in their ranges; −1 to 1 for those without.
fn controls(model: &Model, random: &mut SplitMix) -> Vec<f64> {
    let ranges = model.actuators.iter().flat_map(|a| &a.ctrlranges);
    ranges
        .map(|range| {
            let [low, high] = range.unwrap_or([-1.0, 1.0]);
            random.range(low, high)
        })
        .collect()
}

/// Segments of a JSON file: {"hold": steps, "segments": [{"qpos", "qvel", "act", "ctrl", "qacc_warmstart"}…]}.
pub fn read(path: &Path, model: &Model) -> Result<Plan, Failure> {
    let fail = |problem: &dyn std::fmt::Display| {
        Failure::Input(format!("error: --states {}: {problem}", path.display()))
    };
    let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
    let value: Value = serde_json::from_str(&text).map_err(|error| fail(&error))?;
    let hold = value.get("hold").and_then(Value::as_u64).filter(|hold| *hold > 0);
    let hold = hold.ok_or_else(|| fail(&"`hold` must be a number of steps"))?;
    let list = value.get("segments").and_then(Value::as_array);
    let list = list.ok_or_else(|| fail(&"`segments` must be a list"))?;
    let mut segments = Vec::new();
    for entry in list {
        let numbers = |name: &str, count: usize| {
            let list = entry.get(name).and_then(Value::as_array);
            let list: Option<Vec<f64>> = list.and_then(|list| list.iter().map(Value::as_f64).collect());
            list.filter(|list| list.len() == count)
                .ok_or_else(|| fail(&format!("each segment must have {count} numbers in `{name}`")))
        };
        let start = Start {
            qpos: numbers("qpos", model.nq)?,
            qvel: numbers("qvel", model.nv)?,
            act: numbers("act", model.na)?,
            warm: numbers("qacc_warmstart", model.nv)?,
        };
        segments.push(Segment {
            start: Some(start),
            ctrl: numbers("ctrl", model.actuators.iter().map(|a| a.ctrlranges.len()).sum())?,
        });
    }
    Ok(Plan { segments, hold, first: MechanismState::default() })
}
