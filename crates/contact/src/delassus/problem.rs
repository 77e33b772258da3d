//! The data, and the parts of it that do not act on each other.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | d | `dimension` | rows of a contact: 3, or 5 with friction against rolling | |
//! | r | `impulses` | impulse of each contact in (n, t₁, t₂), with d = 5 also the couples about t₁, t₂ | N·s, N·m·s |
//! | u | | W r + q, velocity of each contact | m/s, rad/s |
//! | W | `blocks` | d×d blocks of the Delassus matrix J M⁻¹ Jᵀ | 1/kg, … |
//! | q | `q` | velocity without impulses | m/s, rad/s |
//! | μ | `mu` | friction coefficient of each contact | – |
//! | μ_r | `roll` | lever against rolling of each contact | m |

use crate::{ContactProblem, Impulses};
use std::collections::BTreeMap;

/// A d×d block of W, row by row.
pub(super) type Block = Vec<f64>;

/// A contact problem as W, q and μ: find r with u = W r + q, r in the cone |r_t| ≤ μ r_n, u + μ|u_t|n in its dual, at right angles. With friction
/// against rolling a contact has two rows more, the rates ω of rolling: its couple m has |m| ≤ μ_r r_n, and μ_r|ω| is added to μ|u_t|.
///
/// ```
/// use huygens_contact::{DelassusProblem, Scratch, SolverKind};
///
/// // One contact: dimension, contacts; storage, rows, columns; rows, columns, W; q; μ.
/// let text = "3 1  0 3 3  3 3  2 0 0  0 2 0  0 0 2  -4 1 0  0.1";
/// let problem: DelassusProblem = text.parse()?;
/// let answer = problem.solve(SolverKind::NcpNewton, &mut Scratch::default())?;
/// let [n, t, _] = answer.impulses[0]; // it slips: all the friction there is
/// assert!((n - 2.0).abs() < 1e-15 && (t + 0.2).abs() < 1e-15);
/// assert!(problem.judge(SolverKind::NcpNewton.claim(), answer.all()).natural_map < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DelassusProblem {
    pub(super) dimension: usize,
    /// The blocks of each row of blocks that are not zero, by column.
    pub(super) blocks: Vec<Vec<(u32, Block)>>,
    /// d numbers for each contact.
    pub(super) q: Vec<f64>,
    pub(super) mu: Vec<f64>,
    /// Zero where d is 3.
    pub(super) roll: Vec<f64>,
}

/// Contacts that act on each other, as dense matrices.
pub(crate) struct Component {
    /// Rows of each contact.
    pub dimension: usize,
    /// The contacts.
    pub members: Vec<u32>,
    /// Row-major W over their rows, as the problem has it: it need not be symmetric.
    pub w: Vec<f64>,
    pub q: Vec<f64>,
    pub mu: Vec<f64>,
    pub roll: Vec<f64>,
}

/// Why a problem is more than W, q and μ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the problem has {what}; W, q and μ alone do not say it")]
pub struct NotReducible {
    /// What is more.
    pub what: &'static str,
}

impl DelassusProblem {
    /// From blocks by row and column; `mu` and `roll` have one entry for each contact, `q` as many as it has rows.
    pub(super) fn new(
        dimension: usize,
        blocks: BTreeMap<(u32, u32), Block>,
        q: Vec<f64>,
        mu: Vec<f64>,
        roll: Vec<f64>,
    ) -> Self {
        let mut rows = vec![Vec::new(); mu.len()];
        for ((row, column), block) in blocks {
            if block.iter().any(|&x| x != 0.0) {
                rows[row as usize].push((column, block));
            }
        }
        Self { dimension, blocks: rows, q, mu, roll }
    }

    /// The contacts of a problem with bodies as W, q and μ; gaps are in q.
    ///
    /// # Errors
    /// When joints, motors or two coefficients of friction in one contact are more than that form can say.
    pub fn of(problem: &ContactProblem) -> Result<Self, NotReducible> {
        let groups = problem.groups;
        if groups.row_groups().next().is_some() || groups.heads.iter().any(|head| head.is_soft) {
            return Err(NotReducible { what: "rows of joints, limits or motors, or contacts that give way" });
        }
        if groups.couples > 0 {
            return Err(NotReducible { what: "friction against spinning or rolling" });
        }
        if groups.materials.iter().any(|m| m.friction_static != m.friction_dynamic) {
            return Err(NotReducible { what: "static friction that is not the dynamic one" });
        }
        Ok(Self::of_contacts(problem))
    }

    /// The contacts of a problem alone, each with its dynamic friction: all there is when there are no rows and one friction.
    pub fn of_contacts(problem: &ContactProblem) -> Self {
        let groups = problem.groups;
        let (w, q) = crate::solver::dense_contacts(problem);
        let contacts = groups.points.len();
        let mut blocks = BTreeMap::new();
        for row in 0..contacts {
            for column in 0..contacts {
                let entry = |k: usize| w[(3 * row + k / 3) * 3 * contacts + 3 * column + k % 3];
                blocks.insert((row as u32, column as u32), (0..9).map(entry).collect());
            }
        }
        let mut mu = vec![0.0; contacts];
        for head in &groups.heads {
            mu[head.range()].fill(groups.materials[head.material as usize].friction_dynamic);
        }
        Self::new(3, blocks, q, mu, vec![0.0; contacts])
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// Rows of a contact: 3, or 5 with friction against rolling.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Impulses as the rows of W have them: d numbers for each contact.
    ///
    /// # Panics
    /// When there is not one impulse for each contact, and with d = 5 one couple: the caller's bug.
    pub fn rows_of(&self, impulses: Impulses) -> Vec<f64> {
        assert_eq!(impulses.points.len(), self.contacts(), "one impulse for each contact");
        let mut rows = Vec::with_capacity(self.dimension * self.contacts());
        for (k, p) in impulses.points.iter().enumerate() {
            rows.extend(p);
            if self.dimension > 3 {
                rows.extend(&impulses.couples[k][1..]);
            }
        }
        rows
    }

    /// What impulses change of the velocity of each contact: W r, from W as it was given; d numbers for each contact [m/s, rad/s].
    ///
    /// # Panics
    /// When there are not d numbers for each contact: the caller's bug.
    pub fn response(&self, r: &[f64]) -> Vec<f64> {
        let d = self.dimension;
        assert_eq!(r.len(), d * self.contacts(), "the rows of all contacts");
        let mut u = vec![0.0; r.len()];
        for (u, row) in u.chunks_exact_mut(d).zip(&self.blocks) {
            for (column, block) in row {
                let r = &r[d * *column as usize..][..d];
                for (u, w) in u.iter_mut().zip(block.chunks_exact(d)) {
                    *u += w.iter().zip(r).fold(0.0, |sum, (w, r)| sum + w * r);
                }
            }
        }
        u
    }

    /// The largest component of q: the speed that tolerances are measured by [m/s].
    pub(super) fn speed(&self) -> f64 {
        self.q.iter().fold(0.0, |most, q| if q.abs() > most { q.abs() } else { most })
    }

    /// The matrices of one set of [`DelassusProblem::sets`].
    pub(super) fn component(&self, members: &[u32]) -> Component {
        let d = self.dimension;
        let n = d * members.len();
        let mut w = vec![0.0; n * n];
        let mut places: Vec<(u32, usize)> = members.iter().copied().zip(0..).collect();
        places.sort_unstable();
        for (i, &row) in members.iter().enumerate() {
            for (column, block) in &self.blocks[row as usize] {
                let Ok(found) = places.binary_search_by_key(column, |place| place.0) else { continue };
                let j = places[found].1;
                for (k, x) in block.iter().enumerate() {
                    w[(d * i + k / d) * n + d * j + k % d] = *x;
                }
            }
        }
        let q = members.iter().flat_map(|&i| &self.q[d * i as usize..][..d]).copied().collect();
        let of_members = |all: &[f64]| members.iter().map(|&i| all[i as usize]).collect();
        let (mu, roll) = (of_members(&self.mu), of_members(&self.roll));
        Component { dimension: d, members: members.to_vec(), w, q, mu, roll }
    }
}
