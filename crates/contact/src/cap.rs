//! Drivers whose contact impulse has a cap.
//!
//! When a solve gives more than the cap of a driver, all impulses between it and others are scaled down by one factor α, and what is
//! not its contact is solved again around them: friction on the floor answers the push that remains, not the one that was wished.
//! The driver's account shows the work that the whole impulse would have taken, p·u_d; the part (1 − α) p·u_d of it that was not
//! given is taken back in the account `driver_cap`.

use crate::solver::{SolveReport, SolverKind};
use crate::{
    ContactGraph, ContactProblem, DriverLoad, Groups, Head, Impulse, Law, Scratch, Settings, Solution,
    Velocity, Warm, Work, work,
};
use huygens_math::scalar;

/// Room for the second solve.
#[derive(Clone, Debug, Default)]
pub(crate) struct CapScratch {
    groups: Groups,
    v_free: Velocity,
    airborne: Vec<bool>,
    points: Vec<Impulse>,
    rows: Vec<f64>,
    out: Solution,
    /// Share of its impulses that each driver gives.
    share: Vec<f64>,
    /// New index of each group; [`GONE`] for those of a capped driver.
    heads: Vec<u32>,
    /// Group and point of the whole problem that each group and point of the reduced one is.
    whole_heads: Vec<u32>,
    whole_points: Vec<u32>,
    graph: ContactGraph,
    /// Impulses before they were scaled, aligned with the whole problem.
    wish: Vec<Impulse>,
    wish_rows: Vec<f64>,
    /// What the whole impulses would have given.
    wished: Vec<DriverLoad>,
}

/// No group.
const GONE: u32 = u32::MAX;

/// Scales back what drivers gave beyond their caps and solves the rest again; `None` when there is nothing to do.
pub(crate) fn enforce(
    kind: SolverKind,
    settings: &Settings,
    problem: &ContactProblem,
    (warm, scratch): (Warm, &mut Scratch),
    out: &mut Solution,
) -> Option<SolveReport> {
    let mut room = std::mem::take(&mut scratch.cap);
    room.share.clear();
    room.share.resize(problem.groups.driven.len(), 1.0);
    room.heads.clear();
    room.wish.clone_from(&out.impulses);
    room.wish_rows.clone_from(&out.rows);
    let mut report = None;
    // Each round caps one driver more; what it no longer gives may fall to another.
    while room.find_over(problem, out) {
        room.keep_wishes(problem, out);
        room.reduce(problem, warm);
        let reduced = ContactProblem {
            v_free: &room.v_free,
            groups: &room.groups,
            graph: &room.graph,
            airborne: &room.airborne,
            cap_left: &[],
            ..*problem
        };
        let warm = Warm { points: &room.points, rows: &room.rows };
        report = Some(kind.solve(settings, &reduced, warm, scratch, &mut room.out));
        room.merge(problem, out);
        for landing in &mut scratch.landing {
            landing.head = room.whole_heads[landing.head as usize];
            landing.point = room.whole_points[landing.point as usize];
        }
    }
    scratch.cap = room;
    report
}

impl CapScratch {
    /// Finds drivers above their cap and the share that they keep.
    fn find_over(&mut self, problem: &ContactProblem, out: &Solution) -> bool {
        let mut found = false;
        for ((share, cap), load) in self.share.iter_mut().zip(problem.caps()).zip(&out.drivers) {
            let given = load.impulse.length();
            if *share >= 1.0 && given > *cap {
                *share = scalar::max(*cap, 0.0) / given;
                found = true;
            }
        }
        found
    }

    /// Notes the impulses of all groups that no cap has scaled yet.
    fn keep_wishes(&mut self, problem: &ContactProblem, out: &Solution) {
        for (head, _) in problem.groups.heads.iter().zip(&self.heads).filter(|(_, now)| **now != GONE) {
            if head.law == Law::Contact {
                self.wish[head.range()].copy_from_slice(&out.impulses[head.range()]);
            } else {
                self.wish_rows[head.range()].copy_from_slice(&out.rows[head.range()]);
            }
        }
    }

    /// The share of a contact's impulses; 1 when no driver of it is above its cap.
    fn share_of(&self, groups: &Groups, head: &Head) -> f64 {
        let share = |side| groups.driver_of(side).map_or(1.0, |i| self.share[i as usize]);
        scalar::min(share(head.side[0]), share(head.side[1]))
    }

    /// The problem without the contacts of capped drivers, whose impulses act on the free velocity.
    ///
    /// It starts from where the first solve started: that one's answer is to a push that does not come.
    fn reduce(&mut self, problem: &ContactProblem, warm: Warm) {
        let groups = problem.groups;
        self.v_free.copy_from(problem.v_free);
        self.heads.clear();
        self.whole_heads.clear();
        self.whole_points.clear();
        self.airborne.clear();
        self.points.clear();
        self.rows.clear();
        let mut to = std::mem::take(&mut self.groups);
        to.clear();
        to.demands.clone_from(&groups.demands);
        to.materials.clone_from(&groups.materials);
        to.driven.clone_from(&groups.driven);
        to.tree.clone_from(&groups.tree);
        to.geared.clone_from(&groups.geared);
        for (k, head) in groups.heads.iter().enumerate() {
            let mut law = head.law;
            let mut share = self.share_of(groups, head);
            match &mut law {
                Law::Contact => {}
                Law::Couple { contact } => *contact = self.heads[*contact as usize],
                _ => share = 1.0,
            }
            if share < 1.0 {
                self.heads.push(GONE);
                self.push_free(problem, head, share);
                continue;
            }
            self.heads.push(to.heads.len() as u32);
            self.whole_heads.push(k as u32);
            let first = if law == Law::Contact { to.points.len() } else { to.rows.len() };
            to.heads.push(Head { law, first: first as u32, ..*head });
            if law == Law::Contact {
                to.points.extend_from_slice(&groups.points[head.range()]);
                self.whole_points.extend(head.range().map(|i| i as u32));
                to.belts.extend(groups.belt(head).map(|belt| crate::Belt { first: first as u32, ..*belt }));
                self.airborne.extend(head.range().map(|i| problem.airborne.get(i) == Some(&true)));
                self.points.extend_from_slice(warm.points.get(head.range()).unwrap_or_default());
            } else {
                to.rows.extend_from_slice(&groups.rows[head.range()]);
                self.rows.extend_from_slice(warm.rows.get(head.range()).unwrap_or_default());
            }
        }
        self.graph.build(&to, problem.move_inertia);
        self.groups = to;
    }

    /// What the shared impulses of a contact do to the free velocity.
    fn push_free(&mut self, problem: &ContactProblem, head: &Head, share: f64) {
        let (groups, m) = (problem.groups, problem.move_inertia);
        for i in head.range() {
            if head.law == Law::Contact {
                let p = self.wish[i].map(|p| p * share);
                groups.apply(m, head, &groups.points[i], p, &mut self.v_free);
            } else {
                groups.apply_row(m, head, &groups.rows[i], self.wish_rows[i] * share, &mut self.v_free);
            }
        }
    }

    /// The answer to the whole problem, and the books of what was scaled.
    fn merge(&mut self, problem: &ContactProblem, out: &mut Solution) {
        let groups = problem.groups;
        std::mem::swap(&mut out.v, &mut self.out.v);
        std::mem::swap(&mut out.correction, &mut self.out.correction);
        std::mem::swap(&mut out.drivers, &mut self.out.drivers);
        std::mem::swap(&mut out.work, &mut self.out.work);
        work::reset_drivers(groups, &mut self.wished);
        let (mut point, mut row) = (0, 0);
        for (head, now) in groups.heads.iter().zip(&self.heads) {
            let share = if *now == GONE { self.share_of(groups, head) } else { 1.0 };
            for i in head.range() {
                match (head.law, *now) {
                    (Law::Contact, GONE) => {
                        let wish = self.wish[i];
                        out.impulses[i] = wish.map(|p| p * share);
                        book(problem, head, i, wish, (out, &mut self.wished));
                    }
                    (Law::Contact, _) => {
                        out.impulses[i] = self.out.impulses[point];
                        point += 1;
                    }
                    (_, GONE) => {
                        out.rows[i] = self.wish_rows[i] * share;
                        book_row(problem, head, i, out);
                    }
                    _ => {
                        out.rows[i] = self.out.rows[row];
                        row += 1;
                    }
                }
            }
        }
        out.capped.clear();
        out.capped.extend(self.share.iter().map(|share| *share < 1.0));
    }
}

/// Books a scaled impulse, and takes back what the driver would have given with the whole.
fn book(
    problem: &ContactProblem,
    head: &Head,
    i: usize,
    wish: Impulse,
    (out, wished): (&mut Solution, &mut [DriverLoad]),
) {
    let (groups, p) = (problem.groups, out.impulses[i]);
    let before = groups.relative(head, &groups.points[i], problem.v_start);
    let after = groups.relative(head, &groups.points[i], &out.v);
    work::book_point(&mut out.work, p, before, after, 0.0);
    work::load_point(groups, head, i, p, &mut out.work, &mut out.drivers);
    let mut whole = Work::default();
    work::load_point(groups, head, i, [wish[0] - p[0], wish[1] - p[1], wish[2] - p[2]], &mut whole, wished);
    out.work.take_back(whole.driver.value());
}

fn book_row(problem: &ContactProblem, head: &Head, i: usize, out: &mut Solution) {
    let (groups, row, lambda) = (problem.groups, &problem.groups.rows[i], out.rows[i]);
    let before = groups.relative_row(head, row, problem.v_start);
    let after = groups.relative_row(head, row, &out.v);
    let mean = 0.5 * (before + after);
    work::book_row(&mut out.work, head.law, lambda, mean, 0.0);
    work::load_row(groups, head, row, (lambda, mean), &mut out.work, &mut out.drivers);
}

impl Work {
    /// Books work that a driver would have given, and did not.
    pub(crate) fn take_back(&mut self, work: f64) {
        self.driver.add(work);
        self.driver_cap.add(-work);
        self.magnitude += 2.0 * work.abs();
    }
}
