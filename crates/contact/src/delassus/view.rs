//! A problem for the models that sweep over bodies, and for the judge: every set of contacts is a tree whose dofs are its own row
//! velocities, so that J = 1 and M⁻¹Jᵀ = W, and what contact i touches is driven with −q_i. Nothing is factored, and nothing is rounded.

use super::{Component, DelassusProblem};
use crate::{
    Certificate, Claim, ContactGraph, Demand, GroupKey, Groups, Head, Impulses, Law, Material, NO_COUPLE,
    Point, Scale, Side, SpanIdx, StoredProblem, TreeRows, TreeSpan, Velocity,
};
use huygens_math::{BlockInertia, Twist, Vec3};

impl DelassusProblem {
    /// How far impulses are from the law that a model claims, by W, q and μ as they were given. Momentum is 0: u is W r + q.
    ///
    /// # Panics
    /// When there is not one impulse for each contact: the caller's bug.
    pub fn judge(&self, claim: Claim, impulses: Impulses) -> Certificate {
        let stored = self.stored();
        let mut v = stored.v_free.clone();
        let (d, response) = (self.dimension, self.response(&self.rows_of(impulses)));
        let order = self.sets();
        for (&contact, dofs) in order.iter().flatten().zip(v.dof.chunks_exact_mut(d)) {
            dofs.copy_from_slice(&response[d * contact as usize..][..d]);
        }
        let judged = Certificate::of_claim(claim, &stored.view(), impulses, &v);
        Certificate { momentum: 0.0, ..judged }
    }

    /// The problem with a tree for each set of contacts.
    pub(super) fn stored(&self) -> StoredProblem {
        let (contacts, d) = (self.contacts(), self.dimension);
        let mut groups = Groups {
            demands: vec![Demand::default()],
            materials: self.mu.iter().zip(&self.roll).map(|(&mu, &roll)| material(mu, roll)).collect(),
            driven: self.q.chunks_exact(d).map(driver).collect(),
            couples: if d > 3 { contacts as u32 } else { 0 },
            ..Groups::default()
        };
        let mut spans = vec![[TreeSpan::default(); 2]; contacts];
        let mut tree_of = vec![0; contacts];
        let mut first_dof = 0;
        for (tree, members) in self.sets().into_iter().enumerate() {
            let component = self.component(&members);
            let n = component.q.len();
            for (k, &contact) in component.members.iter().enumerate() {
                let rows = &mut groups.tree;
                let path = rows.push_path((0..d).map(|row| first_dof + (d * k + row) as u32));
                let (y, j) = (rows.y.len() as u32, rows.j.len() as u32);
                let span = TreeSpan { first_dof, len: n as u32, y, path, j };
                spans[contact as usize] = [span, TreeSpan::default()];
                tree_of[contact as usize] = tree as u32;
                push_rows(&mut groups.tree, &component, k);
            }
            first_dof += n as u32;
        }
        groups.tree.spans = spans;
        for contact in 0..contacts as u32 {
            let side = [Side::Tree(tree_of[contact as usize]), Side::Driven(contact)];
            let couple = if d > 3 { contact } else { NO_COUPLE };
            groups.heads.push(Head { couple, ..head(contact, side) });
            let arm = [Vec3::ZERO; 2];
            groups.points.push(Point {
                arm,
                gap: 0.0,
                feature: [contact; 2],
                tree: Some(SpanIdx::new(contact)),
            });
        }
        let rest = Velocity { free: vec![], dof: vec![0.0; first_dof as usize] };
        StoredProblem {
            h: 1.0,
            v_start: rest.clone(),
            v_free: rest,
            graph: ContactGraph::of(&groups, &BlockInertia::default()),
            groups,
            airborne: vec![],
            scale: Scale { length: 1.0, speed: self.speed() },
            ..StoredProblem::default()
        }
    }
}

/// The rows of a contact, the one of spinning included, which does nothing: J is a row of the unit matrix, M⁻¹Jᵀ a column of W.
fn push_rows(rows: &mut TreeRows, component: &Component, contact: usize) {
    let (n, d) = (component.q.len(), component.dimension);
    let own: &[Option<usize>] = if d == 3 {
        &[Some(0), Some(1), Some(2)]
    } else {
        &[Some(0), Some(1), Some(2), None, Some(3), Some(4)]
    };
    for row in own {
        rows.j.extend((0..d).map(|k| if Some(k) == *row { 1.0 } else { 0.0 }));
        let column = row.map(|row| d * contact + row);
        rows.y.extend((0..n).map(|k| column.map_or(0.0, |column| component.w[k * n + column])));
    }
}

/// What a contact touches: it moves with −q.
fn driver(q: &[f64]) -> Twist {
    let roll = if let [_, _, _, a, b] = q { Vec3::new(0.0, *a, *b) } else { Vec3::ZERO };
    Twist::new(-Vec3::from_slice(q), -roll)
}

fn material(mu: f64, roll: f64) -> Material {
    Material {
        restitution: 0.0,
        friction_static: mu,
        friction_dynamic: mu,
        friction_torsional: 0.0,
        friction_rolling: roll,
    }
}

fn head(contact: u32, side: [Side; 2]) -> Head {
    Head {
        key: GroupKey::contact([contact; 2], [0; 2]),
        side,
        law: Law::Contact,
        demand: 0,
        is_soft: false,
        first: contact,
        len: 1,
        material: contact,
        couple: NO_COUPLE,
        normal: Vec3::X,
        tangent: Vec3::Y,
    }
}
