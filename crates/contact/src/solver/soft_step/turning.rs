//! Friction against spinning and rolling in the sub-steps: the law of [`crate::couple`], one contact at a time.

use super::narrow::Narrow;
use crate::couple::Couple;
use crate::{ContactProblem, Head, Law, Velocity};

/// The couple of a contact, with its state through the sub-steps.
#[derive(Clone, Copy, Debug)]
pub(super) struct NarrowCouple {
    pub head: u32,
    /// Place of its contact among those that are solved one by one, and how many they are: one, or each of its points.
    first: u32,
    len: u32,
    law: Couple,
    tau: [f64; 3],
    total: [f64; 3],
}

impl NarrowCouple {
    /// The couple of group `at`, whose contact is among `narrow`, from place `from` on sorted by head.
    pub fn new(problem: &ContactProblem, at: usize, head: &Head, narrow: &[Narrow], from: usize) -> Self {
        let Law::Couple { contact } = head.law else { panic!("a group of friction couples") };
        let first = from + narrow[from..].partition_point(|one| one.head < contact);
        let len = narrow[first..].iter().take_while(|one| one.head == contact).count();
        Self {
            head: at as u32,
            first: first as u32,
            len: len as u32,
            law: Couple::new(problem, head),
            tau: [0.0; 3],
            total: [0.0; 3],
        }
    }

    fn contact<'n>(&self, narrow: &'n mut [Narrow]) -> &'n mut [Narrow] {
        &mut narrow[self.first as usize..][..self.len as usize]
    }

    /// Takes over a share of the couple of the last step.
    pub fn prepare(
        &mut self,
        problem: &ContactProblem,
        (warm, share): (&[f64], f64),
        narrow: &mut [Narrow],
        v: &mut Velocity,
    ) {
        let head = &problem.groups.heads[self.head as usize];
        if warm.is_empty() {
            return;
        }
        let load = self.contact(narrow).iter().map(Narrow::load).sum();
        let tau = Couple::of_rows(head, warm).map(|tau| tau * share);
        self.take(problem, self.law.admissible(tau, load), v);
    }

    /// Together with the push in the plane where all of it sticks, else by itself.
    pub fn pass(&mut self, problem: &ContactProblem, narrow: &mut [Narrow], v: &mut Velocity) {
        let head = &problem.groups.heads[self.head as usize];
        let contact = self.contact(narrow);
        let load = contact.iter().map(Narrow::load).sum();
        let spin = problem.spin_of(head, v);
        if let [one] = contact
            && let Some((push, tau)) = self.law.together(one.slip(problem, v), spin, self.tau, load)
            && one.stick(problem, push, v)
        {
            self.take(problem, tau, v);
        } else {
            self.take(problem, self.law.alone(spin, self.tau, load), v);
        }
    }

    fn take(&mut self, problem: &ContactProblem, new: [f64; 3], v: &mut Velocity) {
        let groups = problem.groups;
        let head = &groups.heads[self.head as usize];
        for (k, i) in head.range().enumerate() {
            let delta = new[k] - self.tau[k];
            if delta != 0.0 {
                groups.apply_row(problem.move_inertia, head, &groups.rows[i], delta, v);
            }
        }
        self.tau = new;
    }

    /// Ends the sub-step.
    pub fn finish(&mut self) {
        self.total.iter_mut().zip(self.tau).for_each(|(total, tau)| *total += tau);
    }

    /// Impulses of the whole step, row by row.
    pub fn totals(&self, problem: &ContactProblem) -> impl Iterator<Item = (usize, f64)> {
        problem.groups.heads[self.head as usize].range().zip(self.total)
    }
}
