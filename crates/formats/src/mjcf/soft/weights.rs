//! Inverse masses at the start pose, from which MuJoCo scales the softness of rows.

use super::super::mech::{Forward, Mechanism};
use super::super::model::{Joint, JointKind, Model, Tendon, Wrap};
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
        let sliders: Vec<bool> = (0..model.bodies.len()).map(|link| only_slides(model, link)).collect();
        let body = (0..model.bodies.len())
            .map(|link| {
                if m.tree.path(link).next().is_none() {
                    return [0.0; 2];
                }
                if sliders[link] {
                    return [1.0 / model.bodies[link].mass, 0.0];
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
            if sliders[joint.body] {
                dof[joint.dof] = 1.0 / model.bodies[joint.body].mass;
            }
        }
        let tendon = start.tendon_rows.chunks_exact(n.max(1)).map(along).collect();
        Self { body, dof, tendon }
    }
}

/// True for a body that MuJoCo takes for a mass on rails, whose inverse mass it states as 1/m whatever its armature and the number of its rails:
/// slides along its own axes alone, the inertial frame that of the body, nothing hung on it, hung on the world or on a body that is fixed there, and no
/// tendon with mass.
fn only_slides(model: &Model, link: usize) -> bool {
    let body = &model.bodies[link];
    let (joints, parent) = (&model.joints[body.joints.clone()], &model.bodies[body.parent]);
    let along_an_axis = |axis: Vec3| axis.to_array().into_iter().filter(|x| *x != 0.0).count() == 1;
    let on_rails = |j: &Joint| j.kind == JointKind::Slide && along_an_axis(j.axis) && j.pos == Vec3::ZERO;
    let q = body.inertial.rotation;
    let centred = body.inertial.translation == Vec3::ZERO && [q.x, q.y, q.z] == [0.0; 3];
    let heavy = |tendon: &Tendon| {
        let pulls = |w: &Wrap| matches!(w, Wrap::Joint { joint, .. } if body.joints.contains(joint));
        tendon.armature > 0.0 && tendon.path.iter().any(pulls)
    };
    link > 0
        && !joints.is_empty()
        && joints.iter().all(on_rails)
        && centred
        && (body.parent == 0 || (parent.parent == 0 && parent.joints.is_empty()))
        && !model.bodies.iter().skip(1).any(|other| other.parent == link)
        && !model.tendons.iter().any(heavy)
}
