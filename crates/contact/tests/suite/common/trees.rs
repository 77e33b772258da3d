//! The same problem with every free body as a tree of six dofs: the law must not see the difference.

use huygens_contact::*;
use huygens_math::{Sym3, TreeInertia, TreeLdl, Vec3};

/// A problem whose free bodies have become trees.
pub struct AsTrees {
    pub problem: StoredProblem,
    /// First dof of each free body that became a tree.
    pub first_dof: Vec<Option<u32>>,
}

impl AsTrees {
    /// Replaces every free side by a tree whose six dofs are the twist of the body, with the same J and M⁻¹Jᵀ. Bodies with locked axes and
    /// drivers with a torque limit stay as they are.
    pub fn of(from: &StoredProblem) -> Self {
        let mut problem = from.clone();
        let mut first_dof = vec![None; from.move_inertia.free.len()];
        let mut tree_of = vec![None; first_dof.len()];
        for (i, block) in from.move_inertia.free.iter().enumerate() {
            let torque_limited = from.groups.torque_limited.iter().any(|driver| driver.body as usize == i);
            let Some(inertia) = block.inv_inertia.inverse().filter(|_| block.inv_mass.min_element() > 0.0)
            else {
                continue;
            };
            if torque_limited {
                continue;
            }
            let first = problem.v_free.dof.len() as u32;
            (first_dof[i], tree_of[i]) = (Some(first), Some(problem.move_inertia.trees.len() as u32));
            problem.move_inertia.trees.push(TreeInertia {
                first_dof: first,
                ldl: factored(block.inv_mass, inertia),
                ..TreeInertia::default()
            });
            for v in [&mut problem.v_start, &mut problem.v_free] {
                let twist = v.free[i];
                v.dof.extend(twist.linear.to_array());
                v.dof.extend(twist.angular.to_array());
            }
        }
        let mut turned = Turned { from, to: &mut problem, first_dof: &first_dof, tree_of: &tree_of };
        for k in 0..from.groups.heads.len() {
            turned.group(k);
        }
        problem.graph = ContactGraph::of(&problem.groups, &problem.move_inertia);
        Self { problem, first_dof }
    }

    /// Velocity of free body `i` in an answer: linear, then angular.
    pub fn velocity(&self, v: &Velocity, i: usize) -> [f64; 6] {
        match self.first_dof[i] {
            Some(first) => std::array::from_fn(|k| v.dof[first as usize + k]),
            None => {
                let ([x, y, z], [a, b, c]) = (v.free[i].linear.to_array(), v.free[i].angular.to_array());
                [x, y, z, a, b, c]
            }
        }
    }
}

/// The mass matrix of a free body in its twist.
fn factored(inv_mass: Vec3, inertia: Sym3) -> TreeLdl {
    let parents: Vec<Option<usize>> = (0..6).map(|k: usize| k.checked_sub(1)).collect();
    let mut ldl = TreeLdl::new(&parents);
    let rows = inertia.to_mat3();
    let matrix = ldl.matrix_mut();
    matrix.fill(0.0);
    for k in 0..3 {
        matrix[7 * k] = 1.0 / inv_mass[k];
        for l in 0..3 {
            matrix[6 * (3 + k) + 3 + l] = rows.col(l)[k];
        }
    }
    ldl.factor().expect("a real inertia");
    ldl
}

struct Turned<'a> {
    from: &'a StoredProblem,
    to: &'a mut StoredProblem,
    first_dof: &'a [Option<u32>],
    tree_of: &'a [Option<u32>],
}

impl Turned<'_> {
    fn group(&mut self, k: usize) {
        let head = self.from.groups.heads[k];
        let sides = head.side.map(|side| match side {
            Side::Free(i) => self.tree_of[i as usize].map_or(side, Side::Tree),
            other => other,
        });
        self.to.groups.heads[k].side = sides;
        if sides == head.side {
            return;
        }
        let axes = [head.normal, head.tangent, head.normal.cross(head.tangent)];
        for i in head.range() {
            if head.law == Law::Contact {
                let point = self.from.groups.points[i];
                let rows: Vec<[[Vec3; 2]; 2]> = if head.couple == NO_COUPLE {
                    vec![[[Vec3::ZERO; 2]; 2]; 3]
                } else {
                    vec![[[Vec3::ZERO; 2]; 2]; 6]
                }
                .into_iter()
                .enumerate()
                .map(|(row, _)| {
                    [(0, 1.0), (1, -1.0)].map(|(side, sign)| {
                        let axis = axes[row % 3] * sign;
                        if row < 3 { [axis, point.arm[side].cross(axis)] } else { [Vec3::ZERO, axis] }
                    })
                })
                .collect();
                self.to.groups.points[i].tree = self.spans(&head, point.tree, &rows);
            } else {
                let row = self.from.groups.rows[i];
                let rows = [[[row.linear, row.angular[0]], [-row.linear, row.angular[1]]]];
                self.to.groups.rows[i].tree = self.spans(&head, row.tree, &rows);
            }
        }
    }

    /// Spans of an entry; `rows` are the directions of each row on each side.
    fn spans(&mut self, head: &Head, old: Option<SpanIdx>, rows: &[[[Vec3; 2]; 2]]) -> Option<SpanIdx> {
        let mut spans = old.map_or([TreeSpan::default(); 2], |old| self.from.groups.tree.spans[old.get()]);
        for side in 0..2 {
            let Side::Free(body) = head.side[side] else { continue };
            let Some(first_dof) = self.first_dof[body as usize] else { continue };
            let block = self.from.move_inertia.free[body as usize];
            let tree = &mut self.to.groups.tree;
            let path = tree.push_path(first_dof..first_dof + 6);
            spans[side] =
                TreeSpan { first_dof, len: 6, y: tree.y.len() as u32, path, j: tree.j.len() as u32 };
            for row in rows {
                let [linear, angular] = row[side];
                tree.j.extend(linear.to_array().into_iter().chain(angular.to_array()));
                let (v, w) = (block.inv_mass * linear, block.inv_inertia * angular);
                tree.y.extend(v.to_array().into_iter().chain(w.to_array()));
            }
        }
        Some(self.to.groups.tree.push(spans))
    }
}
