//! The columns of the table: what is told of every run, once, for the terminal, the JSON and the page.

use super::figures::{Comparison, Difference, Run};
use crate::table::{brief, duration, length, power, speed};
use huygens::ledger::Account;
use huygens::math::scalar::{max, min};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// With a unit of length that suits it.
    Length,
    /// With a unit of speed that suits it.
    Speed,
    /// With a unit of time that suits it.
    Time,
    /// As it is; the unit stands in the head.
    Number,
    /// In hundredths.
    Percent,
    /// With a power of ten.
    Residual,
}

/// How a value stands among the others of its column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The smallest.
    Best,
    /// The largest.
    Worst,
    /// Neither, or not to be judged.
    None,
}

/// One number of every run.
#[derive(Clone, Debug)]
pub struct Column {
    /// The part of the table.
    pub section: &'static str,
    /// What it is, with its unit where the values carry none.
    pub title: String,
    /// How the values are written.
    pub form: Form,
    /// One for each entry; none where it has no meaning.
    pub values: Vec<Option<f64>>,
    /// One for each entry.
    pub marks: Vec<Mark>,
}

impl Column {
    /// The value of an entry for people.
    pub fn text(&self, entry: usize) -> String {
        let Some(x) = self.values[entry] else { return "–".to_owned() };
        match self.form {
            Form::Length => length(x),
            Form::Speed => speed(x),
            Form::Time => duration(x),
            Form::Number => brief(x),
            Form::Percent => brief(100.0 * x),
            Form::Residual if x == 0.0 => "0".to_owned(),
            Form::Residual => power(x),
        }
    }
}

/// The sections in order, with what they say.
pub const DIFFERENCE: &str = "Difference from the reference";
pub const ENERGY: &str = "Energy";
pub const ACCOUNTS: &str = "Energy by account";
pub const CONTACT: &str = "Overlap and drift";
pub const RESIDUALS: &str = "Residuals of the law";
pub const COST: &str = "Cost";
/// All of them.
pub const SECTIONS: [&str; 6] = [DIFFERENCE, ENERGY, ACCOUNTS, CONTACT, RESIDUALS, COST];

/// Writes columns one by one.
struct Columns<'a> {
    comparison: &'a Comparison,
    all: Vec<Column>,
}

/// All columns that have a meaning for this scene.
pub fn columns(comparison: &Comparison) -> Vec<Column> {
    let mut columns = Columns { comparison, all: Vec::new() };
    columns.differences();
    columns.energy();
    columns.accounts();
    columns.contact();
    columns.residuals();
    columns.cost();
    columns.all
}

impl Columns<'_> {
    fn add(
        &mut self,
        (section, title): (&'static str, impl Into<String>),
        form: Form,
        noise: Option<f64>,
        value: impl Fn(&Run) -> Option<f64>,
    ) {
        let entries = self.comparison.entries.iter();
        let values: Vec<Option<f64>> =
            entries.map(|entry| entry.run.as_ref().ok().and_then(&value).filter(|x| x.is_finite())).collect();
        if values.iter().all(Option::is_none) {
            return;
        }
        let marks = noise.map_or_else(|| vec![Mark::None; values.len()], |noise| marks(&values, noise));
        self.all.push(Column { section, title: title.into(), form, values, marks });
    }

    /// What differs by less than this is the same: a billionth of the scene's size.
    fn length_noise(&self) -> Option<f64> {
        Some(1e-9 * self.comparison.scene.world.length)
    }

    fn differences(&mut self) {
        let length = self.length_noise();
        let speed = self.comparison.reference().map(|run| 1e-9 * run.record.speed_scale);
        type Of = fn(&Difference) -> f64;
        let parts: [(&str, Of); 3] = [("rms", |d| d.rms), ("max", |d| d.max), ("end", |d| d.end)];
        for (part, of) in parts {
            let value = move |run: &Run| run.figures.position.as_ref().map(of);
            self.add((DIFFERENCE, format!("place {part}")), Form::Length, length, value);
        }
        for (part, of) in parts {
            let value = move |run: &Run| run.figures.velocity.as_ref().map(of);
            self.add((DIFFERENCE, format!("velocity {part}")), Form::Speed, speed, value);
        }
    }

    fn energy(&mut self) {
        let noise = self.comparison.reference().map(|run| 1e-9 * run.record.flow.throughput());
        self.add((ENERGY, "created [J]"), Form::Number, noise.or(Some(0.0)), |run| {
            Some(run.record.flow.created())
        });
        self.add((ENERGY, "created [%]"), Form::Percent, Some(1e-9), |run| run.record.flow.share());
        self.add((ENERGY, "throughput [J]"), Form::Number, None, |run| Some(run.record.flow.throughput()));
        self.add((ENERGY, "start [J]"), Form::Number, None, |run| Some(run.record.outcome.energy_start));
        self.add((ENERGY, "end [J]"), Form::Number, None, |run| Some(run.record.outcome.energy_end));
        self.add((ENERGY, "drivers − ref. [J]"), Form::Number, None, |run| run.figures.driver_excess);
    }

    /// Every account that brought something in some run.
    fn accounts(&mut self) {
        let of = |run: &Run, account: Account| super::figures::account(&run.record, account);
        let runs = || self.comparison.entries.iter().filter_map(|entry| entry.run.as_ref().ok());
        // What is round-off of what goes through the system would only be noise.
        let noise = 1e-12 * runs().map(|run| run.record.flow.throughput()).fold(0.0, max);
        let used: Vec<Account> = Account::ALL
            .into_iter()
            .filter(|account| runs().any(|run| of(run, *account).abs() > noise))
            .collect();
        for account in used {
            self.add((ACCOUNTS, format!("{} [J]", account.name())), Form::Number, None, |run| {
                Some(of(run, account))
            });
        }
        self.add((ACCOUNTS, "unexplained [J]"), Form::Residual, None, |run| {
            run.record.outcome.ledger.iter().find(|(name, _)| *name == "unexplained").map(|(_, x)| *x)
        });
    }

    fn contact(&mut self) {
        let noise = self.length_noise();
        self.add((CONTACT, "overlap max"), Form::Length, noise, |run| {
            Some(run.record.outcome.max_penetration)
        });
        self.add((CONTACT, "overlap mean"), Form::Length, noise, |run| Some(run.record.mean_penetration));
        self.add((CONTACT, "overlap end"), Form::Length, noise, |run| {
            Some(run.record.outcome.max_penetration_end)
        });
        self.add((CONTACT, "drift rms"), Form::Length, noise, |run| run.figures.drift.map(|drift| drift.rms));
        self.add((CONTACT, "drift max"), Form::Length, noise, |run| run.figures.drift.map(|drift| drift.max));
    }

    fn residuals(&mut self) {
        // Below this all are round-off.
        let noise = Some(1e-12);
        for (i, name) in ["gap", "cone", "complementarity", "dissipation", "momentum"].iter().enumerate() {
            self.add((RESIDUALS, *name), Form::Residual, noise, |run| {
                Some(run.record.outcome.certificate[i].1)
            });
        }
        self.add((RESIDUALS, "natural map"), Form::Residual, noise, |run| {
            Some(run.record.outcome.certificate[5].1)
        });
        self.add((RESIDUALS, "its mean"), Form::Residual, noise, |run| Some(run.record.mean_residual));
    }

    fn cost(&mut self) {
        self.add((COST, "iterations mean"), Form::Number, Some(0.0), |run| Some(run.record.iterations[0]));
        self.add((COST, "iterations max"), Form::Number, Some(0.0), |run| Some(run.record.iterations[1]));
        self.add((COST, "time per step"), Form::Time, Some(0.0), |run| Some(run.record.seconds_per_step));
    }
}

/// The smallest and the largest, where they differ by more than `noise`.
fn marks(values: &[Option<f64>], noise: f64) -> Vec<Mark> {
    let known = || values.iter().flatten().copied();
    let (low, high) = (known().fold(f64::INFINITY, min), known().fold(f64::NEG_INFINITY, max));
    let mark = |value: &Option<f64>| match value {
        Some(x) if high - low > noise && *x <= low + noise => Mark::Best,
        Some(x) if high - low > noise && *x >= high - noise => Mark::Worst,
        _ => Mark::None,
    };
    values.iter().map(mark).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_is_best_and_the_largest_worst_unless_all_are_alike() {
        let values = [Some(1.0), Some(3.0), None, Some(2.0), Some(1.0)];
        let expected = [Mark::Best, Mark::Worst, Mark::None, Mark::None, Mark::Best];
        assert_eq!(marks(&values, 0.1), expected);
        assert_eq!(marks(&values, 5.0), [Mark::None; 5]);
        assert_eq!(marks(&[Some(1.0)], 0.0), [Mark::None]);
        assert_eq!(marks(&[None], 0.0), [Mark::None]);
    }
}
