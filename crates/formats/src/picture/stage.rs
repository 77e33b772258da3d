//! What there is to see of a world.

use super::camera::{Camera, View};
use super::colour::{self, Light, Role};
use super::solid::{self, Faces, Fineness, Look};
use huygens::World;
use huygens::geometry::{Aabb, Shape};
use huygens::model::Motion;
use huygens_math::scalar::max;
use huygens_math::{Pose, Vec2, Vec3};

/// How the faces of a thing are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Seen from outside, throws a shadow.
    Solid,
    /// Seen from both sides, throws a shadow.
    Sheet,
    /// The inside of a container: seen where it faces the eye, throws none.
    Inside,
    /// Large and below everything: has a grid and fades.
    Ground,
    /// Over everything: arrows.
    Mark,
}

/// Faces of one colour, in world axes.
#[derive(Debug)]
pub(super) struct Thing {
    pub faces: Faces,
    pub colour: Light,
    pub kind: Kind,
}

/// A world ready to be drawn.
#[derive(Debug)]
pub(super) struct Stage {
    pub things: Vec<Thing>,
    pub camera: Camera,
    pub up: Vec3,
    /// The middle of what is framed, and its size [m].
    pub center: Vec3,
    pub radius: f64,
}

/// More moving bodies than this are cut less finely.
const MANY: usize = 400;
/// A static shape larger than this times what moves is part of the ground.
const LARGE: f64 = 3.0;
/// The longest arrow, over the size of what is framed.
const LONGEST_ARROW: f64 = 0.45;

impl Stage {
    /// The world as `view` sees it in a picture of `size` samples.
    pub fn of(world: &World, view: View, size: Vec2, forces: bool) -> Self {
        let gravity = world.model().settings.gravity;
        let up = (-gravity).normalize_or(Vec3::Z);
        let shapes = placed(world);
        let framed = framed(&shapes);
        let boxes = || shapes.iter().zip(&framed).filter(|(_, framed)| **framed).filter_map(|(s, _)| s.aabb);
        let all = boxes().fold(Aabb::EMPTY, |all, aabb| all.union(&aabb));
        let finite = all.min.is_finite() && all.max.is_finite();
        let center = if finite { (all.min + all.max) * 0.5 } else { Vec3::ZERO };
        let radius = if finite { max(0.5 * (all.max - all.min).length(), 1e-9) } else { 1.0 };
        let many = shapes.len() > MANY;
        let fineness = Fineness { around: if many { 14 } else { 32 } };
        // Boxes are enough to frame a crowd.
        let mut points: Vec<Vec3> =
            if many { boxes().flat_map(|aabb| corners(&aabb)).collect() } else { Vec::new() };
        let camera = Camera::framing(&[], view, up, size);
        let mut stage = Self { things: Vec::new(), camera, up, center, radius };
        for (shape, framed) in shapes.iter().zip(&framed) {
            let first = stage.things.len();
            stage.add(shape, fineness);
            if *framed && !many {
                points.extend(stage.things[first..].iter().flat_map(|thing| &thing.faces.points));
            }
        }
        stage.camera = Camera::framing(&points, view, up, size);
        if forces {
            stage.add_forces(world);
        }
        stage
    }

    fn add(&mut self, shape: &Placed, fineness: Fineness) {
        let colour = colour::of_body(shape.name, shape.role);
        let large = shape.role == Role::Fixed
            && shape.aabb.is_none_or(|aabb| 0.5 * (aabb.max - aabb.min).length() > LARGE * self.radius);
        match solid::look(shape.shape, fineness) {
            Look::Solid(faces) if large => {
                self.push(faces, &shape.pose, colour::light(colour::GROUND), Kind::Ground);
            }
            Look::Solid(faces) => self.push(faces, &shape.pose, colour, Kind::Solid),
            Look::Sheet(faces) => self.push(faces, &shape.pose, colour, Kind::Sheet),
            Look::Inside(faces, edges) => {
                self.push(faces, &shape.pose, colour, Kind::Inside);
                for [from, to] in edges {
                    let rod = solid::rod(from, to, 0.004 * self.radius);
                    self.push(rod, &shape.pose, colour::light(colour::EDGE), Kind::Solid);
                }
            }
            Look::Ground => {
                let faces = self.ground(&shape.pose);
                self.push(faces, &Pose::IDENTITY, colour::light(colour::GROUND), Kind::Ground);
            }
        }
    }

    fn push(&mut self, mut faces: Faces, world_from_shape: &Pose, colour: Light, kind: Kind) {
        faces.points.iter_mut().for_each(|p| *p = world_from_shape.transform(*p));
        faces.normals.iter_mut().for_each(|n| *n = world_from_shape.rotate(*n));
        self.things.push(Thing { faces, colour, kind });
    }

    /// A piece of the plane of a half-space, wide enough to fade away before its end.
    fn ground(&self, pose: &Pose) -> Faces {
        let normal = pose.rotate(Vec3::Z);
        let foot = self.center - normal * normal.dot(self.center - pose.translation);
        let (a, b) = super::camera::level_axes(normal);
        let wide = 12.0 * self.radius;
        let mut faces = Faces::default();
        for (x, y) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            faces.points.push(foot + (a * x + b * y) * wide);
            faces.normals.push(normal);
        }
        faces.corners = vec![0, 1, 2, 3];
        faces.ends = vec![4];
        faces
    }

    /// An arrow at every contact point: the force on the body that can move, or on the first of two.
    fn add_forces(&mut self, world: &World) {
        let dt = world.model().settings.dt;
        let arrows: Vec<(Vec3, Vec3)> = world
            .contacts()
            .map(|contact| {
                let fixed = world.body(contact.bodies[0]).is_ok_and(|body| body.motion == Motion::Static);
                let force = contact.impulse / dt;
                (contact.point, if fixed { -force } else { force })
            })
            .collect();
        let largest = arrows.iter().fold(0.0, |largest, (_, force)| max(largest, force.length()));
        if largest <= 0.0 || !largest.is_finite() {
            return;
        }
        let scale = LONGEST_ARROW * self.radius / largest;
        for (point, force) in arrows {
            // What is too short to be seen would only be a dot.
            if force.length() > 0.01 * largest {
                let faces = solid::arrow(point, force * scale, 0.022 * self.radius);
                self.push(faces, &Pose::IDENTITY, colour::light(colour::FORCE), Kind::Mark);
            }
        }
    }
}

/// A shape where it is.
struct Placed<'w> {
    name: &'w str,
    role: Role,
    shape: &'w Shape,
    pose: Pose,
    /// `None` when it has no end.
    aabb: Option<Aabb>,
}

fn placed(world: &World) -> Vec<Placed<'_>> {
    let (model, state) = (world.model(), world.state());
    let alive = model.shapes.iter().filter(|shape| !shape.removed && !shape.sensor);
    alive
        .map(|shape| {
            let slot = shape.body as usize;
            let pose = Pose::new(state.orientation[slot], state.position[slot]) * shape.in_body;
            let aabb = shape.shape.aabb(&pose);
            let role = match model.bodies[slot].motion {
                Motion::Static => Role::Fixed,
                Motion::Driven(_) => Role::Driven,
                Motion::Dynamic | Motion::Link { .. } => Role::Moving,
            };
            // The box of a container is all of space; its walls have an end.
            let aabb = match &shape.shape {
                Shape::BoxInside(inside) => bounds(inside.half, &pose),
                Shape::CylinderInside(inside) => {
                    bounds(Vec3::new(inside.radius, inside.radius, inside.half_length), &pose)
                }
                _ => aabb,
            };
            let finite = aabb.min.is_finite() && aabb.max.is_finite();
            let name = model.bodies[slot].name.as_str();
            Placed { name, role, shape: &shape.shape, pose, aabb: finite.then_some(aabb) }
        })
        .collect()
}

fn bounds(half: Vec3, pose: &Pose) -> Aabb {
    Aabb::of_points(&corners(&Aabb::from_center(Vec3::ZERO, half)).map(|p| pose.transform(p)))
}

fn corners(aabb: &Aabb) -> [Vec3; 8] {
    std::array::from_fn(|i| {
        let pick = |bit: usize, low: f64, high: f64| if i & bit == 0 { low } else { high };
        Vec3::new(
            pick(1, aabb.min.x, aabb.max.x),
            pick(2, aabb.min.y, aabb.max.y),
            pick(4, aabb.min.z, aabb.max.z),
        )
    })
}

/// Which shapes belong into the picture: all that can move, but for a few that flew away, and what stands still and is not much
/// larger.
fn framed(shapes: &[Placed]) -> Vec<bool> {
    let mut framed: Vec<bool> =
        shapes.iter().map(|shape| shape.role != Role::Fixed && shape.aabb.is_some()).collect();
    leave_out_strays(shapes, &mut framed);
    let chosen = shapes.iter().zip(&framed).filter(|(_, framed)| **framed).filter_map(|(s, _)| s.aabb);
    let moving = chosen.fold(Aabb::EMPTY, |all, aabb| all.union(&aabb));
    let (size, none) = ((moving.max - moving.min).length(), framed.iter().all(|framed| !framed));
    for (shape, framed) in shapes.iter().zip(&mut framed) {
        if let (Role::Fixed, Some(aabb)) = (shape.role, shape.aabb) {
            *framed = none || (aabb.max - aabb.min).length() <= LARGE * size;
        }
    }
    framed
}

/// Leaves out what is farther from the middle than eight times the usual.
fn leave_out_strays(shapes: &[Placed], framed: &mut [bool]) {
    let middle = |aabb: &Aabb| (aabb.min + aabb.max) * 0.5;
    let of = |shape: &Placed, framed: bool| shape.aabb.filter(|_| framed);
    let boxes: Vec<Aabb> = shapes.iter().zip(&*framed).filter_map(|(s, framed)| of(s, *framed)).collect();
    if boxes.len() < 8 {
        return;
    }
    let median = |mut list: Vec<f64>| {
        list.sort_by(f64::total_cmp);
        list[list.len() / 2]
    };
    let axis = |i: usize| median(boxes.iter().map(|aabb| middle(aabb)[i]).collect());
    let center = Vec3::new(axis(0), axis(1), axis(2));
    let far = |aabb: &Aabb| (middle(aabb) - center).length() + 0.5 * (aabb.max - aabb.min).length();
    let usual = median(boxes.iter().map(far).collect());
    for (shape, framed) in shapes.iter().zip(framed) {
        *framed = *framed && shape.aabb.is_some_and(|aabb| far(&aabb) <= 8.0 * usual);
    }
}
