//! Counts what passed and keeps the names of what did not, for the summary.

use super::queue::Outcome;

/// Passed, failed and skipped so far.
#[derive(Default)]
pub struct Tally {
    passed: usize,
    failures: Vec<Failure>,
    skipped: Vec<String>,
}

struct Failure {
    name: String,
    problem: String,
}

impl Tally {
    /// Counts one check or test.
    pub fn count(&mut self, name: &str, result: Result<(), String>) {
        match result {
            Ok(()) => self.passed += 1,
            Err(problem) => {
                println!("   FAILED {name}");
                self.failures.push(Failure { name: name.to_owned(), problem });
            }
        }
    }

    /// Counts a job of the queue.
    pub fn count_outcome(&mut self, outcome: &Outcome) {
        self.count(&outcome.name, outcome.problem.clone().map_or(Ok(()), Err));
    }

    /// Counts one that was not tried; the line says which and why.
    pub fn skip(&mut self, line: String) {
        self.skipped.push(line);
    }

    /// Prints each failure with its output, the names of all that failed, and as the last line the counts; fails if anything did.
    pub fn close(self) -> Result<(), String> {
        for line in &self.skipped {
            println!("skipped: {line}");
        }
        for Failure { name, problem } in &self.failures {
            println!("── failed: {name}\n{problem}");
        }
        for Failure { name, .. } in &self.failures {
            println!("failed: {name}");
        }
        println!("{}", self.counts());
        match self.failures.len() {
            0 => Ok(()),
            count => Err(format!("{count} failed")),
        }
    }

    /// The line that continuous integration reads.
    fn counts(&self) -> String {
        let skipped = match self.skipped.len() {
            0 => String::new(),
            count => format!(", {count} skipped"),
        };
        format!("{} passed, {} failed{skipped}", self.passed, self.failures.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_counts_what_passed_failed_and_was_skipped() {
        let mut tally = Tally::default();
        assert_eq!(tally.counts(), "0 passed, 0 failed");
        tally.count("a", Ok(()));
        tally.count("b", Err("broken".to_owned()));
        tally.skip("c".to_owned());
        assert_eq!(tally.counts(), "1 passed, 1 failed, 1 skipped");
        assert!(tally.close().is_err(), "one failed");
    }
}
