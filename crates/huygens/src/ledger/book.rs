//! Postings of one step, and the totals of a run.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | ΔE | `close(measured)` | change of kinetic plus potential energy, measured | J |
//! | R | `unexplained` | ΔE minus all postings | J |
//! | bound | `bound` | 64 ε Σ κ (T + V + Σ terms): what round-off may leave | J |

use crate::ledger::Account;
use huygens_math::{Sum, scalar};
use std::fmt;

/// Postings of one step.
#[derive(Clone, Debug, Default)]
pub struct StepBook {
    accounts: [Sum; Account::ALL.len()],
    /// Σ κ·(|T| + |V| + Σ|terms|) over bodies [J]: what the bound on round-off is made of.
    size: f64,
}

impl StepBook {
    /// Empties the book.
    ///
    /// Example: [the crate](crate).
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    /// Posts energy that an account brought into the system [J].
    ///
    /// Example: [the crate](crate).
    #[inline]
    pub fn post(&mut self, account: Account, joules: f64) {
        self.accounts[account as usize].add(joules);
        self.size += joules.abs();
    }

    /// Posts a sum of many terms.
    ///
    /// Example: [the crate](crate).
    #[inline]
    pub fn post_sum(&mut self, account: Account, sum: &Sum) {
        self.accounts[account as usize].add_sum(sum);
        self.size += sum.value().abs();
    }

    /// Posts a sum of many terms whose sizes widen the bound on their own.
    ///
    /// Example: [the crate](crate).
    #[inline]
    pub fn post_terms(&mut self, account: Account, sum: &Sum) {
        self.accounts[account as usize].add_sum(sum);
    }

    /// For tests: makes all that an account posted wrong by one millionth.
    pub(crate) fn distort(&mut self, account: Account) {
        let error = 1e-6 * self.get(account);
        self.accounts[account as usize].add(error);
    }

    /// Widens the bound on round-off by terms of this size.
    ///
    /// Example: [the crate](crate).
    #[inline]
    pub fn widen(&mut self, size: f64) {
        self.size += size;
    }

    /// What an account brought in this step [J].
    pub fn get(&self, account: Account) -> f64 {
        self.accounts[account as usize].value()
    }

    /// Sum of all accounts [J].
    ///
    /// Example: [the crate](crate).
    pub fn total(&self) -> f64 {
        let mut total = Sum::default();
        for account in &self.accounts {
            total.add_sum(account);
        }
        total.value()
    }

    /// What round-off may leave unexplained in this step [J].
    ///
    /// Example: [the crate](crate).
    pub fn bound(&self) -> f64 {
        64.0 * f64::EPSILON * self.size
    }
}

/// Totals of a run.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    accounts: [Sum; Account::ALL.len()],
    unexplained: Sum,
    worst_step_unexplained: f64,
    worst_ratio: f64,
    energy_start: f64,
    change: Sum,
}

/// As in the JSON of `run`: each account with the energy that it brought in, and what is unexplained [J].
#[cfg(feature = "serde")]
impl serde::Serialize for Ledger {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let known = Account::ALL.iter().map(|account| (account.name(), self.get(*account)));
        let left =
            [("unexplained", self.unexplained()), ("worst_step_unexplained", self.worst_step_unexplained())];
        to.collect_map(known.chain(left))
    }
}

impl Ledger {
    /// A book that begins with this energy.
    ///
    /// Example: [the crate](crate).
    pub fn starting_at(energy: f64) -> Self {
        Self { energy_start: energy, ..Self::default() }
    }

    /// Takes over the postings of a step and the measured change of energy; returns what stays unexplained [J].
    ///
    /// Example: [the crate](crate).
    pub fn close(&mut self, step: &StepBook, measured_change: f64) -> f64 {
        for (total, step) in self.accounts.iter_mut().zip(&step.accounts) {
            total.add_sum(step);
        }
        let left = measured_change - step.total();
        self.unexplained.add(left);
        self.change.add(measured_change);
        self.worst_step_unexplained = scalar::max(self.worst_step_unexplained, left.abs());
        let bound = step.bound();
        if left != 0.0 {
            self.worst_ratio = scalar::max(self.worst_ratio, left.abs() / bound);
        }
        left
    }

    /// Energy that an account brought in so far [J].
    pub fn get(&self, account: Account) -> f64 {
        self.accounts[account as usize].value()
    }

    /// Energy at the start [J].
    ///
    /// Example: [the crate](crate).
    pub fn energy_start(&self) -> f64 {
        self.energy_start
    }

    /// Energy now: the start plus all measured changes [J].
    ///
    /// Example: [the crate](crate).
    pub fn energy_end(&self) -> f64 {
        self.energy_start + self.change.value()
    }

    /// What no account explains, over all steps [J].
    ///
    /// Example: [the crate](crate).
    pub fn unexplained(&self) -> f64 {
        self.unexplained.value()
    }

    /// The largest amount that one step left unexplained [J].
    ///
    /// Example: [the crate](crate).
    pub fn worst_step_unexplained(&self) -> f64 {
        self.worst_step_unexplained
    }

    /// The largest ratio, over all steps, of what was left to what round-off may leave; above 1 the book does not close.
    ///
    /// Example: [the crate](crate).
    pub fn worst_ratio(&self) -> f64 {
        self.worst_ratio
    }
}

crate::snapshot::bytes::fields!(Ledger {
    accounts,
    unexplained,
    worst_step_unexplained,
    worst_ratio,
    energy_start,
    change,
});

/// A table: energy at the start, each account that brought something, energy at the end, and what is unexplained.
/// Seven digits of the largest entry; accounts that would show as zero are left out.
impl fmt::Display for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = [self.energy_start(), self.energy_end()];
        let accounts = Account::ALL.map(|account| self.get(account));
        let largest = ends.iter().chain(&accounts).fold(0.0, |most, x| scalar::max(most, x.abs()));
        let decimals = decimals(largest);
        let mut half = 0.5;
        for _ in 0..decimals {
            half *= 0.1;
        }
        let mut line = |joules: f64, name: &str| {
            // What rounds to zero shows no sign.
            let shown = if joules.abs() < half { 0.0 } else { joules };
            writeln!(f, "{shown:>16.decimals$} J  {name}")
        };
        line(ends[0], "at the start")?;
        for (account, joules) in Account::ALL.into_iter().zip(accounts) {
            if joules.abs() >= half {
                line(joules, account.name())?;
            }
        }
        line(ends[1], "at the end")?;
        line(self.unexplained(), "unexplained")
    }
}

/// Decimals that show seven digits of a number.
fn decimals(largest: f64) -> usize {
    let (mut scale, mut decimals) = (largest, 6);
    while scale >= 10.0 && decimals > 0 {
        scale *= 0.1;
        decimals -= 1;
    }
    while scale < 1.0 && scale > 0.0 && decimals < 30 {
        scale *= 10.0;
        decimals += 1;
    }
    decimals
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_term_scaled_by_one_millionth_shows_up_as_unexplained() {
        let mut right = StepBook::default();
        right.post(Account::Impact, -2.0);
        right.post(Account::Driver, 5.0);
        let mut ledger = Ledger::starting_at(10.0);
        assert_eq!(ledger.close(&right, 3.0), 0.0);
        assert_eq!(ledger.energy_end(), 13.0);

        let mut wrong = StepBook::default();
        wrong.post(Account::Impact, -2.0 * (1.0 + 1e-6));
        wrong.post(Account::Driver, 5.0);
        let left = ledger.close(&wrong, 3.0);
        assert!(left.abs() > wrong.bound());
        assert!(ledger.worst_ratio() > 1e6);
    }

    #[test]
    fn the_table_shows_seven_digits_of_the_largest_and_no_zeros() {
        let mut ledger = Ledger::starting_at(2e-7);
        let mut step = StepBook::default();
        step.post(Account::Friction, -1.5e-7);
        step.post(Account::Impact, -1e-22);
        ledger.close(&step, -1.5e-7);
        let expected = ["0.0000002000000 J  at the start", "-0.0000001500000 J  friction"];
        let shown = ledger.to_string();
        for (line, expected) in shown.lines().zip(expected) {
            assert_eq!(line.trim(), expected);
        }
        assert_eq!(shown.lines().count(), 4);
    }
}
