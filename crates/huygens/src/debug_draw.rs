//! A world as lines, points and triangles, for whatever draws them.

use crate::model::Motion;
use crate::world::World;
use huygens_geometry::{Aabb, Shape};
use huygens_math::{Pose, Vec2, Vec3, trig};
use std::f64::consts::TAU;

/// What a line stands for; the one who draws chooses its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ink {
    /// A shape that forces and contacts move.
    Moving,
    /// A static shape.
    Fixed,
    /// A shape with prescribed motion.
    Driven,
    /// A shape that reports contacts only.
    Sensor,
    /// A box of the broad phase.
    Bounds,
    /// A contact: its point and its normal.
    Contact,
    /// The mean force of a contact in the last step.
    Force,
    /// An axis of a body's frame at its centre of mass: 0, 1 or 2.
    Axis(u8),
}

/// Draws; every call is in world axes [m].
pub trait DebugDraw {
    /// A straight line.
    fn line(&mut self, from: Vec3, to: Vec3, ink: Ink);

    /// A point.
    fn point(&mut self, at: Vec3, ink: Ink);

    /// A triangle; three lines, unless the drawer can do better.
    fn triangle(&mut self, corners: [Vec3; 3], ink: Ink) {
        let [a, b, c] = corners;
        for (from, to) in [(a, b), (b, c), (c, a)] {
            self.line(from, to, ink);
        }
    }
}

/// What of a world is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DebugParts {
    /// The edges of all shapes.
    pub shapes: bool,
    /// The boxes around them.
    pub bounds: bool,
    /// The frames of the bodies.
    pub axes: bool,
    /// Points, normals and patches of the contacts of the last step.
    pub contacts: bool,
    /// Length of a line for a force of 1 N [m]; 0 for none.
    pub force_scale: f64,
}

impl Default for DebugParts {
    fn default() -> Self {
        Self { shapes: true, bounds: false, axes: false, contacts: true, force_scale: 0.0 }
    }
}

/// Lines around a circle.
const AROUND: usize = 24;

impl World {
    /// Draws the world as it is now.
    pub fn debug_draw(&self, parts: DebugParts, draw: &mut dyn DebugDraw) {
        let length = self.model.settings.length;
        for (slot, shape) in self.model.shapes.iter().enumerate().filter(|(_, shape)| !shape.removed) {
            let body = shape.body as usize;
            let pose = Pose::new(self.state.orientation[body], self.state.position[body]) * shape.in_body;
            if parts.shapes {
                let ink = self.ink(slot);
                let mut wire = Wire { pose, ink, draw: &mut *draw };
                wire.shape(&shape.shape, length);
            }
            let aabb = shape.shape.aabb(&pose);
            if parts.bounds && aabb.min.is_finite() && aabb.max.is_finite() {
                let mut wire = Wire { pose: Pose::IDENTITY, ink: Ink::Bounds, draw: &mut *draw };
                wire.bounds(&aabb);
            }
        }
        if parts.axes {
            self.draw_axes(draw);
        }
        if parts.contacts {
            self.draw_contacts(parts.force_scale, draw);
        }
    }

    fn ink(&self, shape: usize) -> Ink {
        let shape = &self.model.shapes[shape];
        match self.model.bodies[shape.body as usize].motion {
            _ if shape.sensor => Ink::Sensor,
            Motion::Dynamic | Motion::Link { .. } => Ink::Moving,
            Motion::Static => Ink::Fixed,
            Motion::Driven(_) => Ink::Driven,
        }
    }

    fn draw_axes(&self, draw: &mut dyn DebugDraw) {
        let alive = self.model.bodies.iter().enumerate().filter(|(_, body)| !body.removed);
        for (slot, _) in alive.filter(|(_, body)| body.motion != Motion::Static) {
            let (at, turn) = (self.state.position[slot], self.state.orientation[slot]);
            for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                draw.line(at, at + turn * axis * (0.25 * self.model.settings.length), Ink::Axis(i as u8));
            }
        }
    }

    fn draw_contacts(&self, force_scale: f64, draw: &mut dyn DebugDraw) {
        let (dt, length) = (self.model.settings.dt, self.model.settings.length);
        let contacts: Vec<crate::ContactView> = self.contacts().collect();
        for contact in &contacts {
            draw.point(contact.point, Ink::Contact);
            draw.line(contact.point, contact.point + contact.normal * (0.1 * length), Ink::Contact);
            if force_scale > 0.0 {
                let force = contact.impulse * (force_scale / dt);
                draw.line(contact.point, contact.point + force, Ink::Force);
            }
        }
        // The points of one pair span its patch.
        for patch in contacts.chunk_by(|a, b| a.shapes == b.shapes && a.normal == b.normal) {
            for i in 2..patch.len() {
                draw.triangle([patch[0].point, patch[i - 1].point, patch[i].point], Ink::Contact);
            }
        }
    }
}

/// Draws in a shape's frame.
struct Wire<'d> {
    pose: Pose,
    ink: Ink,
    draw: &'d mut dyn DebugDraw,
}

impl Wire<'_> {
    fn shape(&mut self, shape: &Shape, length: f64) {
        match shape {
            Shape::Sphere(s) => self.rounded(s.radius, 0.0),
            Shape::Capsule(s) => self.rounded(s.radius, s.half_length),
            Shape::Box(s) => self.bounds(&Aabb::from_center(Vec3::ZERO, s.half)),
            Shape::Cylinder(s) => self.tube(s.radius, s.half_length),
            Shape::Cone(s) => self.cone(s.radius, s.half_length),
            Shape::Ellipsoid(s) => self.ellipsoid(s.radii),
            Shape::Mesh(s) => {
                // An edge between two triangles is drawn twice: to know it, all would have to be searched.
                for t in s.triangles() {
                    let p = t.map(|i| s.vertices()[i as usize]);
                    (0..3).for_each(|k| self.line(p[k], p[(k + 1) % 3]));
                }
            }
            Shape::Hull(s) => {
                for [a, b] in s.edges() {
                    self.line(s.vertices()[*a as usize], s.vertices()[*b as usize]);
                }
            }
            // A piece of the plane; where it is does not matter, since it goes on.
            Shape::HalfSpace => self.sheet(Vec2::splat(5.0 * length)),
            Shape::Wall(s) => self.sheet(s.half),
            Shape::BoxInside(s) => self.bounds(&Aabb::from_center(Vec3::ZERO, s.half)),
            Shape::CylinderInside(s) => self.tube(s.radius, s.half_length),
        }
    }

    fn line(&mut self, from: Vec3, to: Vec3) {
        self.draw.line(self.pose.transform(from), self.pose.transform(to), self.ink);
    }

    /// The twelve edges of a box.
    fn bounds(&mut self, aabb: &Aabb) {
        let corner = |i: usize| {
            let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
            Vec3::new(
                pick(1, aabb.min.x, aabb.max.x),
                pick(2, aabb.min.y, aabb.max.y),
                pick(4, aabb.min.z, aabb.max.z),
            )
        };
        for i in 0..8 {
            for bit in [1, 2, 4] {
                if i & bit == 0 {
                    self.line(corner(i), corner(i | bit));
                }
            }
        }
    }

    /// A rectangle with its diagonals.
    fn sheet(&mut self, half: Vec2) {
        let corner = |x: f64, y: f64| Vec3::new(x * half.x, y * half.y, 0.0);
        let p = [corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)];
        for (a, b) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)] {
            self.line(p[a], p[b]);
        }
    }

    /// Part of the circle center + a cos θ + b sin θ, `from` and `to` in turns.
    fn arc(&mut self, center: Vec3, [a, b]: [Vec3; 2], [from, to]: [f64; 2]) {
        let at = |i: usize| {
            let share = from + (to - from) * i as f64 / AROUND as f64;
            let (sin, cos) = trig::sin_cos(TAU * share);
            center + a * cos + b * sin
        };
        (0..AROUND).for_each(|i| self.line(at(i), at(i + 1)));
    }

    /// A ball whose halves are moved apart along z.
    fn rounded(&mut self, radius: f64, half: f64) {
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|axis| axis * radius);
        for side in [1.0, -1.0] {
            let end = Vec3::Z * (side * half);
            self.arc(end, [x, y], [0.0, 1.0]);
            self.arc(end, [x, z * side], [0.0, 0.5]);
            self.arc(end, [y, z * side], [0.0, 0.5]);
        }
        if half > 0.0 {
            self.sides(radius, half);
        }
    }

    fn tube(&mut self, radius: f64, half: f64) {
        for z in [-half, half] {
            self.arc(Vec3::Z * z, [Vec3::X * radius, Vec3::Y * radius], [0.0, 1.0]);
        }
        self.sides(radius, half);
    }

    fn cone(&mut self, radius: f64, half: f64) {
        self.arc(Vec3::Z * -half, [Vec3::X * radius, Vec3::Y * radius], [0.0, 1.0]);
        for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
            self.line(side * radius - Vec3::Z * half, Vec3::Z * half);
        }
    }

    /// Its three main sections.
    fn ellipsoid(&mut self, radii: Vec3) {
        let [x, y, z] = [Vec3::X * radii.x, Vec3::Y * radii.y, Vec3::Z * radii.z];
        for pair in [[x, y], [y, z], [z, x]] {
            self.arc(Vec3::ZERO, pair, [0.0, 1.0]);
        }
    }

    fn sides(&mut self, radius: f64, half: f64) {
        for side in [Vec3::X, Vec3::NEG_X, Vec3::Y, Vec3::NEG_Y] {
            self.line(side * radius - Vec3::Z * half, side * radius + Vec3::Z * half);
        }
    }
}
