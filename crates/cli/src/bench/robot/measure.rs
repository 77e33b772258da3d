//! The measurement.

use super::states::Plan;
use crate::Failure;
use huygens_formats::mjcf::soft::{STAGES, SoftMachine};
use std::time::Instant;

/// Times and end states of a measured run.
pub struct Measured {
    pub name: String,
    pub dofs: usize,
    pub steps: u64,
    /// Time of a step, mean [µs].
    pub mean_us: f64,
    /// Mean time of each stage [µs].
    pub stages: Vec<(&'static str, f64)>,
    /// Of the last step of each segment.
    pub segments: Vec<Segment>,
}

/// A segment at its end.
pub struct Segment {
    /// All of its steps together [ns].
    pub ns: f64,
    pub contacts: usize,
    pub rows: usize,
    pub iterations: u32,
    /// Gradient of the last solve over the trace of M.
    pub residual: f64,
    pub qpos: Vec<f64>,
}

impl Measured {
    /// Mean of a figure over the segments.
    pub fn mean(&self, of: impl Fn(&Segment) -> f64) -> f64 {
        self.segments.iter().map(of).sum::<f64>() / self.segments.len().max(1) as f64
    }
}

/// Steps through the plan.
pub fn measure(name: &str, soft: &mut SoftMachine, plan: &Plan) -> Result<Measured, Failure> {
    let mut state = plan.first.clone();
    let mut segments = Vec::with_capacity(plan.segments.len());
    for k in 0..plan.segments.len() {
        plan.begin(k, soft, &mut state);
        let began = Instant::now();
        let mut moved = true;
        for _ in 0..plan.hold {
            moved &= soft.step(&mut state);
        }
        let ns = began.elapsed().as_secs_f64() * 1e9;
        if !moved || state.qpos.iter().any(|q| !q.is_finite()) {
            return Err(Failure::Trouble(format!("error: {name}: segment {k}: a number is not finite")));
        }
        let (iterations, residual) = soft.report.map_or((0, 0.0), |r| (r.iterations, r.gradient));
        let (contacts, rows) = (soft.contacts.len(), soft.work.rows.len());
        segments.push(Segment { ns, contacts, rows, iterations, residual, qpos: state.qpos.clone() });
    }
    let steps = plan.hold * plan.segments.len() as u64;
    let stages = staged(soft, plan);
    let mean_us = segments.iter().map(|s| s.ns).sum::<f64>() / steps.max(1) as f64 / 1e3;
    Ok(Measured { name: name.to_owned(), dofs: soft.model().nv, steps, mean_us, stages, segments })
}

/// The plan once more, with the clock between stages: mean times [µs].
fn staged(soft: &mut SoftMachine, plan: &Plan) -> Vec<(&'static str, f64)> {
    let mut state = plan.first.clone();
    soft.want_stage_times(true);
    for k in 0..plan.segments.len() {
        plan.begin(k, soft, &mut state);
        for _ in 0..plan.hold {
            soft.step(&mut state);
        }
    }
    let steps = (plan.hold * plan.segments.len() as u64).max(1) as f64;
    let times = soft.stage_times().map(|time| time.as_secs_f64() * 1e6 / steps);
    soft.want_stage_times(false);
    STAGES.into_iter().zip(times).collect()
}
