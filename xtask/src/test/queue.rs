//! Jobs on all cores: longest first, so that no long one is left alone at the end.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError, mpsc};
use std::time::Instant;

/// Tries something; the message says how it failed.
pub type Attempt = Box<dyn FnOnce() -> Result<(), String> + Send>;

/// One thing to try, with a name that tells it from all others.
pub struct Job {
    /// For instance `contact suite guard::no_island_gains_energy`.
    pub name: String,
    /// The trial itself.
    pub attempt: Attempt,
}

/// The end of a job.
pub struct Outcome {
    /// The job's name.
    pub name: String,
    /// Wall time [s].
    pub seconds: f64,
    /// Why it failed.
    pub problem: Option<String>,
}

/// Runs every job, whatever fails, on `workers` threads; `report` hears of each end as it comes.
pub fn run(
    mut jobs: Vec<Job>,
    workers: usize,
    expected: impl Fn(&str) -> f64,
    mut report: impl FnMut(&Outcome),
) -> Vec<Outcome> {
    let length = |job: &Job| expected(&job.name);
    jobs.sort_by(|a, b| length(b).total_cmp(&length(a)).then_with(|| a.name.cmp(&b.name)));
    let queue = Mutex::new(VecDeque::from(jobs));
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (sender, receiver) = mpsc::channel();
    let mut outcomes = Vec::new();
    std::thread::scope(|scope| {
        for _ in 0..workers {
            let sender = sender.clone();
            scope.spawn(move || {
                while let Some(job) = next() {
                    let start = Instant::now();
                    let problem = (job.attempt)().err();
                    let outcome = Outcome { name: job.name, seconds: start.elapsed().as_secs_f64(), problem };
                    if sender.send(outcome).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for outcome in receiver {
            report(&outcome);
            outcomes.push(outcome);
        }
    });
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn job(name: &str, end: Result<(), String>) -> Job {
        Job { name: name.to_owned(), attempt: Box::new(move || end) }
    }

    #[test]
    fn a_failure_does_not_keep_the_other_jobs_from_running() {
        let jobs = vec![job("first", Err("broken".to_owned())), job("second", Ok(())), job("third", Ok(()))];
        let outcomes = run(jobs, 2, |_| 0.0, |_| {});
        let failed: Vec<_> =
            outcomes.iter().filter(|o| o.problem.is_some()).map(|o| o.name.as_str()).collect();
        assert_eq!((outcomes.len(), failed), (3, vec!["first"]));
    }

    #[test]
    fn the_longest_job_starts_first() {
        let jobs = vec![job("a", Ok(())), job("long", Ok(())), job("b", Ok(()))];
        let outcomes = run(jobs, 1, |name| if name == "long" { 9.0 } else { 1.0 }, |_| {});
        let names: Vec<_> = outcomes.iter().map(|outcome| outcome.name.as_str()).collect();
        assert_eq!(names, ["long", "a", "b"]);
    }
}
