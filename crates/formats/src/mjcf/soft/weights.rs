//! Inverse masses at the start pose, from which MuJoCo scales the softness of rows.

use super::super::mech::{Forward, Mechanism};
use super::super::model::{JointKind, Model};
use huygens_math::Vec3;

/// Inverse masses that rows see, at the start pose.
#[derive(Clone, Debug, Default)]
pub(super) struct Weights {
    /// Of each body: translation [1/kg] and rotation [1/(kg m²)] of its centre of mass.
    pub body: Vec<[f64; 2]>,
    /// Of each dof; a ball has the mean of its three, a free body those of its two triples.
    pub dof: Vec<f64>,
    /// Of each tendon.
    pub tendon: Vec<f64>,
}

impl Weights {
    pub(super) fn new(model: &Model, m: &Mechanism, start: &Forward) -> Self {
        let n = model.nv;
        let along = |row: &[f64]| {
            let mut x = row.to_vec();
            start.factored.solve(&mut x);
            row.iter().zip(&x).map(|(a, b)| a * b).sum::<f64>()
        };
        let body = (0..model.bodies.len())
            .map(|link| {
                if m.tree.path(link).next().is_none() {
                    return [0.0; 2];
                }
                let mean = |value: &dyn Fn(usize, Vec3) -> f64| {
                    let sum: f64 = [Vec3::X, Vec3::Y, Vec3::Z]
                        .into_iter()
                        .map(|direction| {
                            let mut row = vec![0.0; n];
                            m.tree.path(link).for_each(|dof| row[dof] = value(dof, direction));
                            along(&row)
                        })
                        .sum();
                    sum / 3.0
                };
                let axis = &start.kin.axis;
                let com = start.kin.com[link];
                [
                    mean(&|dof, direction| direction.dot(axis[dof].at(com))),
                    mean(&|dof, direction| direction.dot(axis[dof].angular)),
                ]
            })
            .collect();
        let mut dof: Vec<f64> = (0..n)
            .map(|i| {
                let mut row = vec![0.0; n];
                row[i] = 1.0;
                along(&row)
            })
            .collect();
        for joint in &model.joints {
            let triples: &[usize] = match joint.kind {
                JointKind::Free => &[0, 3],
                JointKind::Ball => &[0],
                JointKind::Slide | JointKind::Hinge => &[],
            };
            for first in triples {
                let triple = &mut dof[joint.dof + first..joint.dof + first + 3];
                let mean = triple.iter().sum::<f64>() / 3.0;
                triple.fill(mean);
            }
        }
        let tendon = start.tendon_rows.chunks_exact(n.max(1)).map(along).collect();
        Self { body, dof, tendon }
    }
}
