//! Friction against spinning and rolling in the sub-steps: the law of [`crate::couple`], one contact at a time.

use super::narrow::Narrow;
use crate::couple::{self, Couple};
use crate::{ContactProblem, CoupleImpulse, Head, Impulse, Velocity};

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
    /// The couple of contact `at`, which is the last among `narrow`.
    pub fn new(problem: &ContactProblem, at: usize, head: &Head, narrow: &[Narrow]) -> Self {
        let len = narrow.iter().rev().take_while(|one| one.head as usize == at).count();
        let first = narrow.len() - len;
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
        (warm, share): (&[CoupleImpulse], f64),
        narrow: &mut [Narrow],
        v: &mut Velocity,
    ) {
        let head = &problem.groups.heads[self.head as usize];
        if warm.is_empty() {
            return;
        }
        let load = self.contact(narrow).iter().map(Narrow::load).sum();
        let tau = couple::sum_of(head, warm).map(|tau| tau * share);
        self.take(problem, self.law.admissible(tau, load), v);
    }

    /// Together with the push in the plane where all of it sticks, else by itself.
    pub fn pass(&mut self, problem: &ContactProblem, narrow: &mut [Narrow], v: &mut Velocity) {
        let head = &problem.groups.heads[self.head as usize];
        let contact = self.contact(narrow);
        let load = contact.iter().map(Narrow::load).sum();
        let spin = problem.groups.spin(head, &problem.groups.points[head.first as usize], v);
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
        let delta: [f64; 3] = std::array::from_fn(|k| new[k] - self.tau[k]);
        if delta != [0.0; 3] {
            let point = &groups.points[head.first as usize];
            groups.apply_couple(problem.move_inertia, head, point, delta, v);
        }
        self.tau = new;
    }

    /// Ends the sub-step.
    pub fn finish(&mut self) {
        self.total.iter_mut().zip(self.tau).for_each(|(total, tau)| *total += tau);
    }

    /// Shares the couple of the whole step among the points, by their loads.
    pub fn share(&self, problem: &ContactProblem, impulses: &[Impulse], couples: &mut [CoupleImpulse]) {
        couple::share(&problem.groups.heads[self.head as usize], self.total, impulses, couples);
    }
}
