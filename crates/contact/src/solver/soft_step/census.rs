//! How much work an island gets: rounds of a cold start.

use crate::{ContactProblem, Impulse, Law};

/// Rounds of the first pass in an island that starts cold: a stack that is put down at once, a blow, a body that comes from one support to
/// the next. Later steps start from the impulses of the last. A large heap that falls has new points in every step; there only
/// a step in which nearly all is new gets them.
const COLD_ROUNDS: usize = 16;
/// Rounds where all is new and the island is small: five cubes that are put down then move by 1e-14 m instead of 1e-6 m.
const MOST_ROUNDS: usize = 64;
/// Manifolds times rounds that are spent on an island of which a part is cold.
const COLD_WORK: usize = 2048;

/// Counts of an island, and the work that it gets because of them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Census {
    pub manifolds: usize,
    pub points: usize,
    /// Points that are closed, and how many of those have no impulse to start from.
    pub closed: usize,
    pub cold: usize,
    /// A motor with a torque limit acts against contacts.
    pub has_drive: bool,
}

impl Census {
    /// Counts the groups of an island.
    #[inline(always)]
    pub fn of(problem: &ContactProblem, warm: &[Impulse], island: &[u32]) -> Self {
        let groups = problem.groups;
        let mut census = Self::default();
        for head in island.iter().map(|&group| &groups.heads[group as usize]) {
            match head.law {
                Law::Contact => {
                    census.manifolds += 1;
                    census.points += head.len as usize;
                    for i in head.range().filter(|&i| groups.points[i].gap <= 0.0) {
                        census.closed += 1;
                        census.cold += usize::from(warm.get(i).is_none_or(|p| p[0] <= 0.0));
                    }
                }
                Law::Drive { .. } => census.has_drive = true,
                Law::Equality | Law::Unilateral | Law::Bounded { .. } => {}
            }
        }
        census
    }

    /// Rounds of the first pass: a power of two, so that few sections are needed.
    pub fn rounds(&self) -> usize {
        let affordable = COLD_WORK / self.manifolds.max(1);
        let rounds = if self.cold * 8 > self.closed * 7 {
            affordable.clamp(COLD_ROUNDS, MOST_ROUNDS)
        } else if self.cold * 4 > self.closed {
            affordable.clamp(1, COLD_ROUNDS)
        } else {
            1
        };
        1 << rounds.ilog2()
    }

    /// Number of the section that the island belongs to.
    pub fn section(&self) -> usize {
        2 * self.rounds().ilog2() as usize + usize::from(self.has_drive)
    }
}

/// Sections that there can be: rounds 1, 2, 4 to 64, with and without such a motor.
pub(super) const SECTIONS: usize = 14;
