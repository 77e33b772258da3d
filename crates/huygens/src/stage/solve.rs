//! The chosen contact model, and the displacement that goes with its answer.

use crate::model::Model;
use crate::report::StepReport;
use crate::state::State;
use crate::workspace::Workspace;
use huygens_contact::{
    Certificate, ContactProblem, Held, Scale, Warm, Way, correct_from_bank, correct_held, land,
};
use huygens_dynamics::Integrator;
use std::time::Instant;

pub(crate) fn solve(model: &Model, state: &State, work: &mut Workspace, report: &mut StepReport) {
    let settings = &model.settings;
    let problem = ContactProblem {
        h: settings.dt,
        v_start: &work.v_start,
        v_free: &work.v_free,
        law_inertia: &work.inertia,
        move_inertia: &work.inertia,
        groups: &work.groups,
        graph: &work.graph,
        airborne: &work.impact.airborne,
        scale: Scale { length: settings.length, speed: model.speed_scale() },
    };
    report.solve = settings.solver.solve(
        &settings.contact,
        &problem,
        Warm { points: &work.warm, rows: &work.warm_rows },
        &mut work.scratch,
        &mut work.solution,
    );
    let solution = &mut work.solution;
    report.sweep_energy = solution.work.increments.value();
    let s = &mut work.displacement;
    s.copy_from(&work.impact.displacement);
    let h = settings.dt;
    let mean = |start: f64, end: f64| match settings.integrator {
        Integrator::KickDriftKick => 0.5 * h * (start + end),
        Integrator::SymplecticEuler => h * end,
    };
    for ((s, start), end) in s.free.iter_mut().zip(&work.v_start.free).zip(&solution.v.free) {
        *s += match settings.integrator {
            Integrator::KickDriftKick => (*start + *end) * (0.5 * h),
            Integrator::SymplecticEuler => *end * h,
        };
    }
    for ((s, start), end) in s.dof.iter_mut().zip(&work.v_start.dof).zip(&solution.v.dof) {
        *s += mean(*start, *end);
    }
    let scratch = &mut work.scratch;
    if settings.contact.guard {
        // The state's own bank is charged when the step is sound.
        work.bank.clone_from(&state.bank);
        let way = &mut work.whole_way;
        way.copy_from(s);
        if settings.solver.displaces() {
            // It has landed where its sub-steps took it: without their way a body would hover where it was stopped.
            std::mem::swap(&mut work.own_way, &mut solution.correction);
            way.add(&work.own_way);
        }
        // Sub-steps have found for themselves where what holds ends.
        let held = if settings.solver.displaces() {
            Held::default()
        } else {
            Held { was: &work.warm, is: &solution.impulses, v: Some(&solution.v) }
        };
        let mut c = std::mem::take(&mut solution.correction);
        let way = Way { s: way, capped: &solution.capped, held };
        correct_from_bank(&settings.contact, &problem, &way, &work.bank, scratch, &mut c);
        if settings.solver.displaces() {
            c.add(&work.own_way);
        }
        solution.correction = c;
        work.bank.settle(&problem, &work.impact, solution, scratch);
    } else if settings.solver.displaces() {
        land(&problem, s, scratch, solution);
    } else {
        correct_held(&settings.contact, &problem, (s, &work.warm), scratch, solution);
    }
    if report.want_certificate {
        let start = Instant::now();
        report.certificate = Some(Certificate::of(&problem, &solution.impulses, &solution.rows, &solution.v));
        // A step that is taken anew is judged anew.
        report.certificate_time += start.elapsed();
    }
}
