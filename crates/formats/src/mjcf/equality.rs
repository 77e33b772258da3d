//! Equalities of a model as couplings of a scene.

use super::model::{Equality, EqualityKind, JointKind};
use super::scene::Conversion;
use huygens::scene::{CouplingKind, CouplingSpec};
use huygens_math::{Pose, Vec3};

/// Distance of points, and change of a coordinate, up to which a coupling holds what the start has [m, rad].
const TOGETHER: f64 = 1e-6;

/// Coefficients of P(x + d).
fn shifted(p: &[f64; 5], d: f64) -> [f64; 5] {
    let mut out = *p;
    // Horner's scheme, as often as there are coefficients: Taylor's expansion about d.
    for first in 0..4 {
        for k in (first..4).rev() {
            out[k] += d * out[k + 1];
        }
    }
    out
}

impl Conversion<'_> {
    /// Adds a coupling for each equality that is active and can be one.
    pub(super) fn equalities(&mut self) {
        let model = self.model;
        if !model.options.on("equality") || !model.options.on("constraint") {
            return;
        }
        for (i, equality) in model.equalities.iter().enumerate().filter(|(_, e)| e.active) {
            let name = if equality.name.is_empty() { format!("equality{i}") } else { equality.name.clone() };
            match self.coupling(equality) {
                Ok(Some(spec)) => self.scene.couplings.push(CouplingSpec { name, ..spec }),
                Ok(None) => {}
                Err(why) => self.note(format!("equality {name:?}: {why}")),
            }
        }
        if model.equalities.iter().any(|e| e.active && e.softness != Default::default()) {
            self.note("solref and solimp of equalities: they are exact");
        }
    }

    fn coupling(&self, equality: &Equality) -> Result<Option<CouplingSpec>, String> {
        let model = self.model;
        let poses = &self.placed.kin.world_from_link;
        let site = |id: usize| poses[model.sites[id].body] * model.sites[id].pose;
        match &equality.kind {
            EqualityKind::Connect { bodies, anchor } => {
                self.hold(CouplingKind::Connect, *bodies, poses[bodies[0]].transform(*anchor))
            }
            EqualityKind::Weld { bodies, relpose, .. } => {
                let [a, b] = bodies.map(|id| poses[id]);
                let is = a.relative(&b);
                if relpose.is_some_and(|wanted| !is_near(&wanted, &is)) {
                    return Err("the start has another relative pose".to_owned());
                }
                self.hold(CouplingKind::Weld, *bodies, b.translation)
            }
            EqualityKind::ConnectSites { sites } => {
                let [a, b] = sites.map(site);
                if (a.translation - b.translation).length() > TOGETHER {
                    return Err("its sites are apart at the start".to_owned());
                }
                self.hold(CouplingKind::Connect, sites.map(|id| model.sites[id].body), a.translation)
            }
            EqualityKind::WeldSites { sites, .. } => {
                let [a, b] = sites.map(site);
                if !is_near(&a, &b) {
                    return Err("its sites are apart at the start".to_owned());
                }
                self.hold(CouplingKind::Weld, sites.map(|id| model.sites[id].body), a.translation)
            }
            EqualityKind::Joint { joints: [Some(a), Some(b)], polycoef } => {
                let scalar = |id: usize| matches!(model.joints[id].kind, JointKind::Hinge | JointKind::Slide);
                if !scalar(*a) || !scalar(*b) {
                    return Err("one of its joints has no coordinate of its own".to_owned());
                }
                let moved = |id: usize| {
                    let at = model.joints[id].qpos;
                    self.state.qpos[at] - model.qpos0[at]
                };
                let mut coefficients = shifted(polycoef, moved(*b));
                coefficients[0] -= moved(*a);
                if coefficients[0].abs() > TOGETHER {
                    return Err("the start does not fulfil it".to_owned());
                }
                coefficients[0] = 0.0;
                let names = [*a, *b].map(|id| self.joint_names[id].clone());
                Ok(Some(CouplingSpec {
                    kind: CouplingKind::Polynomial,
                    joints: names,
                    coefficients,
                    ..CouplingSpec::default()
                }))
            }
            EqualityKind::Joint { .. } => Err("a joint that is held at a coordinate".to_owned()),
            EqualityKind::Tendon { .. } => Err("tendons are not coupled".to_owned()),
        }
    }

    /// Holds two bodies together as they are at the start; nothing when neither can move against the other.
    fn hold(
        &self,
        kind: CouplingKind,
        bodies: [usize; 2],
        anchor: Vec3,
    ) -> Result<Option<CouplingSpec>, String> {
        let owners = bodies.map(|id| self.owner[id]);
        let moves = |id: usize| !self.model.bodies[id].joints.is_empty();
        if owners[0] == owners[1] || !owners.iter().any(|id| moves(*id)) {
            return Ok(None);
        }
        let name = |id: usize| if moves(id) { self.names[id].clone() } else { String::new() };
        if self.state.qpos != self.model.qpos0 {
            let drawn = [&self.drawn[bodies[0]], &self.drawn[bodies[1]]];
            let poses = bodies.map(|id| self.placed.kin.world_from_link[id]);
            let local = poses[0].inverse_transform(anchor);
            let then = drawn[1].inverse_transform(drawn[0].transform(local));
            if (poses[1].transform(then) - anchor).length() > TOGETHER {
                return Err("the start does not fulfil it".to_owned());
            }
        }
        let anchors = [anchor; 2];
        Ok(Some(CouplingSpec { kind, bodies: owners.map(name), anchors, ..CouplingSpec::default() }))
    }
}

fn is_near(a: &Pose, b: &Pose) -> bool {
    let turn = a.rotation.conjugate() * b.rotation;
    let off = Vec3::new(turn.x, turn.y, turn.z).length();
    (a.translation - b.translation).length() <= TOGETHER && off <= TOGETHER
}

#[cfg(test)]
mod tests {
    use super::shifted;

    #[test]
    fn a_shifted_polynomial_has_the_values_of_the_polynomial_beside() {
        let p = [0.3, -1.0, 2.0, 0.5, -0.25];
        let at = |p: &[f64; 5], x: f64| p.iter().rev().fold(0.0, |sum, c| sum * x + c);
        for d in [-1.5, 0.0, 0.75] {
            let q = shifted(&p, d);
            for x in [-2.0, -0.1, 0.0, 1.0, 3.0] {
                assert!((at(&q, x) - at(&p, x + d)).abs() < 1e-12);
            }
        }
    }
}
