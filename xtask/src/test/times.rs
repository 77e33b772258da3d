//! Times of the last run, below target/: the next run begins with the longest tests.

use super::queue::Outcome;
use crate::root;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Seconds by name.
pub struct Times(BTreeMap<String, f64>);

fn file() -> PathBuf {
    root().join("target/test-times.txt")
}

impl Times {
    /// The recorded times; none where there is no record.
    pub fn read() -> Times {
        let text = std::fs::read_to_string(file()).unwrap_or_default();
        let entry =
            |line: &str| line.split_once(' ').map(|(time, name)| (name.to_owned(), time.parse().ok()));
        let entries = text.lines().filter_map(entry).filter_map(|(name, time)| Some((name, time?)));
        Times(entries.collect())
    }

    /// How long a test took when it last ran [s].
    pub fn of_last_run(&self, name: &str) -> Option<f64> {
        self.0.get(name).copied()
    }

    /// Writes the times of this run over those of the last.
    pub fn record(mut self, outcomes: &[Outcome]) -> Result<(), String> {
        for outcome in outcomes {
            self.0.insert(outcome.name.clone(), outcome.seconds);
        }
        let text: String = self.0.iter().map(|(name, time)| format!("{time:.3} {name}\n")).collect();
        std::fs::write(file(), text).map_err(|error| format!("{}: {error}", file().display()))
    }
}

/// The slowest ten, a line each.
pub fn slowest(outcomes: &[Outcome]) -> Vec<String> {
    let mut order: Vec<&Outcome> = outcomes.iter().collect();
    order.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    order.iter().take(10).map(|outcome| format!("{:7.1} s  {}", outcome.seconds, outcome.name)).collect()
}
