//! The data, and the parts of it that do not act on each other.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | r | `impulses` | impulse of each contact in (n, t₁, t₂) | N·s |
//! | u | | W r + q, velocity of each contact | m/s |
//! | W | `blocks` | 3×3 blocks of the Delassus matrix J M⁻¹ Jᵀ | 1/kg |
//! | q | `q` | velocity without impulses | m/s |
//! | μ | `mu` | friction coefficient of each contact | – |

use crate::ContactProblem;
use std::collections::BTreeMap;

/// A 3×3 block of W, row by row.
pub(super) type Block = [f64; 9];

/// A contact problem as W, q and μ: find r with u = W r + q, r in the cone |r_t| ≤ μ r_n, u + μ|u_t|n in its dual, at right angles.
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
/// assert!(problem.judge(SolverKind::NcpNewton.claim(), &answer.impulses).natural_map < 1e-15);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DelassusProblem {
    /// The blocks of each row of blocks that are not zero, by column.
    pub(super) blocks: Vec<Vec<(u32, Block)>>,
    pub(super) q: Vec<[f64; 3]>,
    pub(super) mu: Vec<f64>,
}

/// Contacts that act on each other, as dense matrices.
pub(crate) struct Component {
    /// The contacts.
    pub members: Vec<u32>,
    /// Row-major W over their rows, as the problem has it: it need not be symmetric.
    pub w: Vec<f64>,
    pub q: Vec<f64>,
    pub mu: Vec<f64>,
}

/// Why a problem is more than W, q and μ.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the problem has {what}; W, q and μ alone do not say it")]
pub struct NotReducible {
    /// What is more.
    pub what: &'static str,
}

impl DelassusProblem {
    /// From blocks by row and column; `q` and `mu` have one entry for each contact.
    pub(super) fn new(blocks: BTreeMap<(u32, u32), Block>, q: Vec<[f64; 3]>, mu: Vec<f64>) -> Self {
        let mut rows = vec![Vec::new(); mu.len()];
        for ((row, column), block) in blocks {
            if block.iter().any(|&x| x != 0.0) {
                rows[row as usize].push((column, block));
            }
        }
        Self { blocks: rows, q, mu }
    }

    /// The contacts of a problem with bodies as W, q and μ; gaps are in q.
    ///
    /// # Errors
    /// When joints, motors or two coefficients of friction in one contact are more than that form can say.
    pub fn of(problem: &ContactProblem) -> Result<Self, NotReducible> {
        let groups = problem.groups;
        if groups.heads.iter().any(|head| !head.is_contact()) {
            return Err(NotReducible { what: "rows of joints, limits or motors" });
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
                blocks.insert((row as u32, column as u32), std::array::from_fn(entry));
            }
        }
        let mut mu = vec![0.0; contacts];
        for head in &groups.heads {
            mu[head.range()].fill(groups.materials[head.material as usize].friction_dynamic);
        }
        Self::new(blocks, q.chunks_exact(3).map(|q| [q[0], q[1], q[2]]).collect(), mu)
    }

    /// Number of contacts.
    pub fn contacts(&self) -> usize {
        self.mu.len()
    }

    /// What impulses change of the velocity of each contact: W r, from W as it was given [m/s].
    ///
    /// # Panics
    /// When there is not one impulse for each contact: the caller's bug.
    pub fn response(&self, impulses: &[[f64; 3]]) -> Vec<[f64; 3]> {
        assert_eq!(impulses.len(), self.contacts(), "one impulse for each contact");
        let answer = |row: &Vec<(u32, Block)>| {
            let mut u = [0.0; 3];
            for (column, block) in row {
                let r = impulses[*column as usize];
                for (u, w) in u.iter_mut().zip(block.chunks_exact(3)) {
                    *u += w[0] * r[0] + w[1] * r[1] + w[2] * r[2];
                }
            }
            u
        };
        self.blocks.iter().map(answer).collect()
    }

    /// The largest component of q: the speed that tolerances are measured by [m/s].
    pub(super) fn speed(&self) -> f64 {
        self.q.iter().flatten().fold(0.0, |most, q| if q.abs() > most { q.abs() } else { most })
    }

    /// The matrices of one set of [`DelassusProblem::sets`].
    pub(super) fn component(&self, members: &[u32]) -> Component {
        let n = 3 * members.len();
        let mut w = vec![0.0; n * n];
        let mut places: Vec<(u32, usize)> = members.iter().copied().zip(0..).collect();
        places.sort_unstable();
        for (i, &row) in members.iter().enumerate() {
            for (column, block) in &self.blocks[row as usize] {
                let Ok(found) = places.binary_search_by_key(column, |place| place.0) else { continue };
                let j = places[found].1;
                for (k, x) in block.iter().enumerate() {
                    w[(3 * i + k / 3) * n + 3 * j + k % 3] = *x;
                }
            }
        }
        let q = members.iter().flat_map(|&i| self.q[i as usize]).collect();
        let mu = members.iter().map(|&i| self.mu[i as usize]).collect();
        Component { members: members.to_vec(), w, q, mu }
    }
}
