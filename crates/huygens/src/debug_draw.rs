//! A world as lines, points and triangles, for whatever draws them.

use crate::model::Motion;
use crate::world::World;
use huygens_geometry::tessellation::{Fineness, box_edges, wires};
use huygens_math::{Pose, Vec3};

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
    ///
    /// Example: `examples/lines.rs`.
    pub fn debug_draw(&self, parts: DebugParts, draw: &mut dyn DebugDraw) {
        let length = self.model.settings.length;
        for (slot, shape) in self.model.shapes.iter().enumerate().filter(|(_, shape)| !shape.removed) {
            let body = shape.body as usize;
            let pose = Pose::new(self.state.orientation[body], self.state.position[body]) * shape.in_body;
            if parts.shapes {
                let ink = self.ink(slot);
                // A piece of an endless plane; where it is does not matter, since it goes on.
                let fineness = Fineness { around: AROUND, reach: 5.0 * length };
                for [from, to] in wires(&shape.shape, fineness) {
                    draw.line(pose.transform(from), pose.transform(to), ink);
                }
            }
            let aabb = shape.shape.aabb(&pose);
            if parts.bounds && aabb.min.is_finite() && aabb.max.is_finite() {
                for [from, to] in box_edges(&aabb) {
                    draw.line(from, to, Ink::Bounds);
                }
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
