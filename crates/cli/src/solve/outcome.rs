//! One problem with one model.

use super::answer::Foreign;
use super::problem::{Form, Problem};
use huygens::contact::{
    Certificate, Claim, CoupleImpulse, Impulse, Scratch, Settings, Solution, SolverKind, Stop, Warm,
};
use std::time::Instant;

/// One problem with one model.
pub struct Outcome<'a> {
    pub problem: &'a Problem,
    /// Name of the model.
    pub solver: String,
    /// The answer, or why the model has none.
    pub answer: Result<Answer, String>,
}

/// The answer of a model, with its certificate.
pub struct Answer {
    pub iterations: u32,
    pub stopped: Stop,
    /// Time of the solve alone [s].
    pub seconds: f64,
    pub impulses: Vec<Impulse>,
    /// Couples against spinning and rolling of the contacts that have them.
    pub couples: Vec<CoupleImpulse>,
    pub certificate: Certificate,
}

impl<'a> Outcome<'a> {
    /// Solves a problem and judges the answer.
    pub fn of(problem: &'a Problem, solver: SolverKind) -> Self {
        let answer = match &problem.form {
            Form::Delassus(delassus) => {
                let start = Instant::now();
                let solved = delassus.solve(solver, &mut Scratch::default());
                let seconds = start.elapsed().as_secs_f64();
                solved.map_err(|error| error.to_string()).map(|answer| Answer {
                    iterations: answer.report.iterations,
                    stopped: answer.report.stopped,
                    seconds,
                    certificate: delassus.judge(Claim::Coulomb, answer.all()),
                    impulses: answer.impulses,
                    couples: answer.couples,
                })
            }
            Form::Bodies(case) => {
                let view = case.problem.view();
                let settings = Settings::to_the_end(solver, view.scale);
                let mut out = Solution::default();
                let start = Instant::now();
                let report =
                    solver.solve(&settings, &view, Warm::default(), &mut Scratch::default(), &mut out);
                let seconds = start.elapsed().as_secs_f64();
                Ok(Answer {
                    iterations: report.iterations,
                    stopped: report.stopped,
                    seconds,
                    certificate: Certificate::of(&view, out.all(), &out.v),
                    impulses: out.impulses,
                    couples: out.couples,
                })
            }
        };
        Self { problem, solver: solver.name().to_owned(), answer }
    }

    /// Judges what another program found for W, q and μ.
    pub fn of_foreign(problem: &'a Problem, found: Foreign) -> Self {
        let answer = match &problem.form {
            Form::Bodies(_) => {
                Err("only answers to W, q and μ can be judged: impulses alone do not say how joints act"
                    .to_owned())
            }
            Form::Delassus(delassus) => Ok(Answer {
                iterations: found.iterations,
                stopped: Stop::Done,
                seconds: found.seconds,
                certificate: delassus.judge(Claim::Coulomb, found.all()),
                impulses: found.impulses,
                couples: found.couples,
            }),
        };
        Self { problem, solver: found.solver, answer }
    }
}
