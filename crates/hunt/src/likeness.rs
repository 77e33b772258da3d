//! The same scene seen otherwise: mirrored, turned, moved, in other units, with its bodies in another order.

use crate::BodySight;
use huygens::Scene;
use huygens::contact::SolverKind;
use huygens::math::{Quat, Sym3, Vec3};
use huygens::scene::{
    Axis, Body, DriveLimit, Duration, HeightSource, HullSource, Joint, Lock, Material, MeshSource, Motion,
    Shape, ShapeKind, StabilisationSpec, WorldSpec,
};

/// A way to see a scene otherwise: x' = length · rotation · mirror · x + shift, with the mirror x → −x.
#[derive(Clone, Debug, PartialEq)]
pub struct Likeness {
    /// Mirrored at the plane x = 0, before all else.
    pub mirrored: bool,
    /// Turned.
    pub rotation: Quat,
    /// Moved [new metres].
    pub shift: Vec3,
    /// New metres of an old one.
    pub length: f64,
    /// New seconds of an old one.
    pub time: f64,
    /// New kilograms of an old one.
    pub mass: f64,
    /// Old number of each new body; empty for the same order.
    pub order: Vec<usize>,
}

impl Likeness {
    /// The scene as it is.
    pub const SAME: Self = Self {
        mirrored: false,
        rotation: Quat::IDENTITY,
        shift: Vec3::ZERO,
        length: 1.0,
        time: 1.0,
        mass: 1.0,
        order: Vec::new(),
    };

    /// The new scene; `None` where a part of it cannot be seen so: axes that are locked can only be exchanged, and the triangles of a height field
    /// have no mirror image. Repeats and edits have none either.
    pub fn of(&self, scene: &Scene) -> Option<Scene> {
        if !scene.repeats.is_empty() || !scene.edits.is_empty() {
            return None;
        }
        let mut new = scene.clone();
        self.world(&mut new.world);
        new.materials.values_mut().for_each(|material| self.material(material));
        for pair in &mut new.pairs {
            self.levers(&mut pair.surface.friction_torsional, &mut pair.surface.friction_rolling);
        }
        new.joints.iter_mut().for_each(|joint| self.joint(joint));
        for body in &mut new.bodies {
            self.body(body)?;
        }
        if !self.order.is_empty() {
            let bodies = std::mem::take(&mut new.bodies);
            new.bodies = self.order.iter().map(|old| bodies[*old].clone()).collect();
        }
        Some(new)
    }

    /// What a body looks like in the new scene.
    pub fn sight(&self, body: &BodySight) -> BodySight {
        BodySight {
            mass: body.mass * self.mass,
            inertia: self.inertia(body.inertia),
            center: self.place(body.center),
            position: self.place(body.position),
            orientation: self.orientation(body.orientation),
            velocity: self.vector(body.velocity) * self.speed(),
            spin: self.pseudovector(body.spin) / self.time,
            ..*body
        }
    }

    /// New metres per second of an old one.
    pub fn speed(&self) -> f64 {
        self.length / self.time
    }

    fn reflected(&self, v: Vec3) -> Vec3 {
        if self.mirrored { Vec3::new(-v.x, v.y, v.z) } else { v }
    }

    /// A direction of the world.
    fn vector(&self, v: Vec3) -> Vec3 {
        self.rotation * self.reflected(v)
    }

    /// An axis of rotation: a mirror turns its sense round.
    fn pseudovector(&self, w: Vec3) -> Vec3 {
        let sign = if self.mirrored { -1.0 } else { 1.0 };
        self.rotation * (self.reflected(w) * sign)
    }

    fn place(&self, p: Vec3) -> Vec3 {
        self.vector(p) * self.length + self.shift
    }

    /// The same turn between mirrored frames.
    fn turn_in_body(&self, q: Quat) -> Quat {
        if self.mirrored { Quat::from_xyzw(q.x, -q.y, -q.z, q.w) } else { q }
    }

    fn orientation(&self, q: Quat) -> Quat {
        self.rotation * self.turn_in_body(q)
    }

    fn inertia(&self, old: Sym3) -> Sym3 {
        let sign = if self.mirrored { -1.0 } else { 1.0 };
        let scale = self.mass * self.length * self.length;
        Sym3 {
            xx: old.xx * scale,
            yy: old.yy * scale,
            zz: old.zz * scale,
            xy: old.xy * scale * sign,
            xz: old.xz * scale * sign,
            yz: old.yz * scale,
        }
    }

    fn world(&self, world: &mut WorldSpec) {
        let (length, time) = (self.length, self.time);
        world.length *= length;
        world.gravity = self.vector(world.gravity) * (length / (time * time));
        world.dt *= time;
        world.restitution_threshold = world.restitution_threshold.map(|speed| speed * self.speed());
        world.margin = world.margin.map(|margin| margin * length);
        world.soft_step.hertz /= time;
        world.soft_step.push_speed = world.soft_step.push_speed.map(|speed| speed * self.speed());
        self.softness(world);
        match &mut world.stabilisation {
            StabilisationSpec::None => {}
            StabilisationSpec::Baumgarte { cap, .. } => *cap = cap.map(|speed| speed * self.speed()),
            StabilisationSpec::SplitImpulse { slop, .. } => *slop = slop.map(|slop| slop * length),
        }
        if let Duration::Seconds(seconds) = &mut world.duration {
            *seconds *= time;
        }
    }

    /// The softness of a convex model: its times and its width.
    fn softness(&self, world: &mut WorldSpec) {
        let Ok(solver) = world.solver.parse::<SolverKind>() else { return };
        if !solver.is_soft() || (self.time == 1.0 && self.length == 1.0) {
            return;
        }
        let mut softness = world.convex.settings(solver).softness;
        let [a, b] = &mut softness.solref;
        if *a > 0.0 {
            *a *= self.time;
        } else {
            (*a, *b) = (*a / (self.time * self.time), *b / self.time);
        }
        softness.solimp[2] *= self.length;
        (world.convex.solref, world.convex.solimp) = (Some(softness.solref), Some(softness.solimp));
    }

    fn levers(&self, torsional: &mut Option<f64>, rolling: &mut Option<f64>) {
        *torsional = torsional.map(|lever| lever * self.length);
        *rolling = rolling.map(|lever| lever * self.length);
    }

    fn material(&self, material: &mut Material) {
        let cube = self.length * self.length * self.length;
        material.density = Some(material.density.unwrap_or(Material::DEFAULT_DENSITY) * self.mass / cube);
        let surface = &mut material.surface;
        self.levers(&mut surface.friction_torsional, &mut surface.friction_rolling);
        material.surface_velocity = material.surface_velocity.map(|v| self.reflected(v) * self.speed());
    }

    fn joint(&self, joint: &mut Joint) {
        joint.anchor = self.place(joint.anchor);
        joint.axis = self.pseudovector(joint.axis);
        joint.velocity /= self.time;
    }

    fn body(&self, body: &mut Body) -> Option<()> {
        let force = self.mass * self.length / (self.time * self.time);
        // A body on a path has none of its own; the path says where it is.
        let on_path = matches!(&body.motion, Motion::Driven { keyframes, .. } if !keyframes.is_empty());
        if on_path {
            (body.position, body.orientation) = (Vec3::ZERO, Quat::IDENTITY);
        } else {
            body.position = self.place(body.position);
            body.orientation = self.orientation(body.pose().rotation);
        }
        body.linear_velocity = self.vector(body.linear_velocity) * self.speed();
        body.angular_velocity = self.pseudovector(body.angular_velocity) / self.time;
        body.mass = body.mass.map(|mass| mass * self.mass);
        body.center_of_mass = body.center_of_mass.map(|c| self.reflected(c) * self.length);
        body.inertia = body.inertia.map(|inertia| self.inertia(inertia));
        body.force = self.vector(body.force) * force;
        body.torque = self.pseudovector(body.torque) * (force * self.length);
        body.lock = self.lock(body.lock)?;
        self.motion(&mut body.motion);
        body.shapes.iter_mut().try_for_each(|shape| self.shape(shape))
    }

    fn lock(&self, lock: Lock) -> Option<Lock> {
        if lock == Lock::NONE {
            return Some(lock);
        }
        let mut new = Lock::NONE;
        for (axis, unit) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            let turned = self.rotation * unit;
            let to = (0..3).find(|to| (turned[*to].abs() - 1.0).abs() < 1e-15)?;
            new.linear[to] = lock.linear[axis];
            new.angular[to] = lock.angular[axis];
        }
        Some(new)
    }

    fn motion(&self, motion: &mut Motion) {
        let Motion::Driven { linear_velocity, angular_velocity, keyframes, limit } = motion else { return };
        *linear_velocity = self.vector(*linear_velocity) * self.speed();
        *angular_velocity = self.pseudovector(*angular_velocity) / self.time;
        for frame in keyframes {
            frame.t *= self.time;
            frame.position = self.place(frame.position);
            frame.orientation = self.orientation(frame.orientation.normalize());
        }
        let impulse = self.mass * self.speed();
        match limit {
            DriveLimit::Unlimited => {}
            DriveLimit::Torque { max } => *max *= impulse * self.speed(),
            DriveLimit::Power { max } => *max *= impulse * self.speed() / self.time,
            DriveLimit::Cap { impulse: most } => *most *= impulse,
        }
    }

    fn shape(&self, shape: &mut Shape) -> Option<()> {
        let cube = self.length * self.length * self.length;
        shape.position = self.reflected(shape.position) * self.length;
        shape.orientation = self.turn_in_body(shape.pose().rotation);
        // A shape without density takes that of its material, which has been seen to.
        if shape.material.is_none() && shape.density.is_none() {
            shape.density = Some(Material::DEFAULT_DENSITY);
        }
        shape.density = shape.density.map(|density| density * self.mass / cube);
        if let ShapeKind::Cone { axis: Axis::X, .. } = shape.kind {
            // Its tip looks along x, which the mirror turns round: half a turn about z does so too.
            if self.mirrored {
                shape.orientation *= Quat::from_xyzw(0.0, 0.0, 1.0, 0.0);
            }
        }
        self.form(&mut shape.kind)
    }

    fn form(&self, kind: &mut ShapeKind) -> Option<()> {
        let length = self.length;
        match kind {
            ShapeKind::Sphere { radius } => *radius *= length,
            ShapeKind::Capsule { radius, length: whole, .. }
            | ShapeKind::Cylinder { radius, length: whole, .. }
            | ShapeKind::Cone { radius, length: whole, .. }
            | ShapeKind::CylinderInside { radius, length: whole, .. } => {
                *radius *= length;
                *whole *= length;
            }
            ShapeKind::Box { size } | ShapeKind::BoxInside { size } => *size *= length,
            ShapeKind::Ellipsoid { radii } => *radii *= length,
            ShapeKind::Hull { source: HullSource::Points(points), .. } => {
                points.iter_mut().for_each(|p| *p = self.reflected(*p) * length);
            }
            ShapeKind::Mesh { source: MeshSource::Triangles { vertices, triangles }, .. } => {
                vertices.iter_mut().for_each(|p| *p = self.reflected(*p) * length);
                if self.mirrored {
                    triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
                }
            }
            ShapeKind::HeightField { source: HeightSource::Heights(rows), size } if !self.mirrored => {
                *size *= length;
                rows.iter_mut().flatten().for_each(|height| *height *= length);
            }
            ShapeKind::HalfSpace { normal, offset } => {
                *normal = self.reflected(*normal);
                *offset *= length;
            }
            ShapeKind::Wall { size, normal } if !self.mirrored || *normal == Vec3::Z => *size *= length,
            ShapeKind::Wall { .. }
            | ShapeKind::HeightField { .. }
            | ShapeKind::Hull { .. }
            | ShapeKind::Mesh { .. } => return None,
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::forms::{Forms, pose};
    use crate::judge::run::run;
    use crate::{Kind, Worlds, generate};
    use huygens::math::SplitMix;

    fn any(random: &mut SplitMix, bodies: usize) -> Likeness {
        Likeness {
            mirrored: random.unit() < 0.5,
            rotation: random.rotation(),
            shift: random.in_cube(),
            length: random.range(0.5, 2.0),
            time: random.range(0.5, 2.0),
            mass: random.range(0.5, 2.0),
            order: (0..bodies).rev().collect(),
        }
    }

    #[test]
    fn gaps_masses_and_inertias_are_those_of_the_old_scene_in_new_units() {
        let mut random = SplitMix::new(5);
        let (mut pairs, mut seen) = (0, 0);
        for number in 0..200 {
            let scene = generate::scene(Kind::Symmetry, 9, number, "soft-step");
            let likeness = any(&mut random, scene.bodies.len());
            let Some(new) = likeness.of(&scene) else { continue };
            seen += 1;
            let (old_forms, new_forms) = (Forms::new(&scene).unwrap(), Forms::new(&new).unwrap());
            let (old, new) =
                (run(&Worlds, &scene, 0).unwrap().remove(0), run(&Worlds, &new, 0).unwrap().remove(0));
            let twin = |body: usize| old.len() - 1 - body;
            for a in 0..old.len() {
                let (expected, found) = (likeness.sight(&old[a]), &new[twin(a)]);
                assert!((expected.mass - found.mass).abs() <= 1e-12 * expected.mass);
                let (i, k) = (expected.inertia, found.inertia);
                let off = [i.xx - k.xx, i.yy - k.yy, i.zz - k.zz, i.xy - k.xy, i.xz - k.xz, i.yz - k.yz];
                assert!(off.iter().all(|x| x.abs() <= 1e-12 * i.trace()), "scene {number}: {off:?}");
                assert!((expected.center - found.center).length() < 1e-9, "scene {number}");
                for b in 0..a {
                    let gap = old_forms.gap(a, &pose(&old[a]), b, &pose(&old[b]));
                    let new_gap = new_forms.gap(twin(a), &pose(&new[twin(a)]), twin(b), &pose(&new[twin(b)]));
                    if gap > 0.0 && gap.is_finite() {
                        pairs += 1;
                        assert!(
                            (new_gap - gap * likeness.length).abs() < 1e-9,
                            "scene {number}: {gap} {new_gap}"
                        );
                    }
                }
            }
        }
        assert!(pairs > 500 && seen > 100, "{pairs} pairs of {seen} scenes");
    }
}
