//! Must a scene rest? Forces at its contact points, inside their friction cones, that balance every body.
//!
//! A scene must rest when such forces exist with 5 % of the friction to spare, and when they exist also with gravity tilted
//! by 0.02 rad to each side: then no body is about to tip. Tilted gravity is given the friction that the tilt itself needs, so that a body
//! on a level floor without friction counts as resting. A ball or a lying cylinder is in neutral balance: where it touches only flat ground, it is
//! given a couple about its axis in the tilted cases.
//!
//! Forces that brace a body between two opposite walls balance it too, but nothing says that they are there: scenes with such walls are not for this
//! test.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | n, t | `normal`, `tangents` | normal of a contact and directions in its plane | – |
//! | μ | `friction` | static friction of a contact | – |
//! | r | `arm` | from a centre of mass to the contact point | m |

use super::feasible;
use crate::generate::place::reach;
use huygens::contact::{Head, Point, Side};
use huygens::math::{Quat, Vec3, scalar, trig};
use huygens::scene::{Axis, Body, Motion, ShapeKind};
use huygens::{Scene, World};

/// Edges of a friction cone.
const EDGES: usize = 16;
/// Share of the friction that may be needed.
const SPARE: f64 = 0.95;
/// Tilt of gravity [rad].
const TILT: f64 = 0.02;
/// What the balance may be off, relative to all weights.
const ROUND_OFF: f64 = 1e-8;
/// Gaps up to this share of the length are contacts; overlap up to this share of the smallest body is round-off.
const CLOSED: f64 = 1e-7;

/// The bodies that balance is asked of, and what touches them.
struct Contacts<'a> {
    scene: &'a Scene,
    world: &'a World,
    /// Equation block of each body slot that forces move.
    block: Vec<Option<usize>>,
    weight: f64,
    length: f64,
}

/// Why statics does not say that a scene rests; `None` when it does.
pub fn may_move(scene: &Scene) -> Option<String> {
    if !scene.joints.is_empty() || !scene.repeats.is_empty() || !scene.edits.is_empty() {
        return Some("statics is for single bodies".into());
    }
    let still = |body: &Body| body.linear_velocity == Vec3::ZERO && body.angular_velocity == Vec3::ZERO;
    if !scene.bodies.iter().all(still) {
        return Some("a body moves at the start".into());
    }
    let driven = |body: &Body| matches!(body.motion, Motion::Driven { .. });
    let belts = scene.materials.values().any(|material| material.surface_velocity.is_some());
    if scene.bodies.iter().any(driven) || belts {
        return Some("a driver moves".into());
    }
    // The contact points of the first step are those of the start. Geometry alone: no impulse is looked at.
    let mut plain = scene.clone();
    plain.world.speculative = true;
    plain.world.sleep = Some(false);
    let mut world = match World::new(&plain) {
        Ok(world) => world,
        Err(errors) => return Some(format!("the scene cannot be: {errors}")),
    };
    let smallest = scene.bodies.iter().map(reach).filter(|size| *size > 0.0).fold(f64::INFINITY, scalar::min);
    if world.penetration() > CLOSED * smallest {
        return Some("bodies overlap at the start".into());
    }
    world.step();
    let contacts = Contacts::of(scene, &world);
    if contacts.block.iter().all(Option::is_none) {
        return Some("nothing can move".into());
    }
    let g = scene.world.gravity;
    if contacts.unbalanced(g, SPARE, 0.0) {
        return Some("no forces in the friction cones balance it".into());
    }
    let (one, other) = (across(g), g.normalize_or_zero().cross(across(g)));
    for side in [one, -one, other, -other] {
        if contacts.unbalanced(g + TILT * g.length() * side, 1.0, 1.2 * TILT) {
            return Some("it is about to tip or to roll".into());
        }
    }
    None
}

/// A unit vector across another one.
fn across(v: Vec3) -> Vec3 {
    let along = v.normalize_or_zero();
    let other = if along.x.abs() < 0.6 { Vec3::X } else { Vec3::Y };
    along.cross(other).normalize_or_zero()
}

impl<'a> Contacts<'a> {
    fn of(scene: &'a Scene, world: &'a World) -> Self {
        let mut count = 0;
        let block = scene
            .bodies
            .iter()
            .map(|body| {
                (body.motion == Motion::Dynamic).then(|| {
                    count += 1;
                    count - 1
                })
            })
            .collect();
        let g = scene.world.gravity.length();
        let weight = world.model().bodies.iter().map(|body| body.mass * g).sum();
        Self { scene, world, block, weight, length: scene.world.length }
    }

    /// True when no forces balance gravity; `share` is on the friction of every contact, `extra` is added to it and lets round bodies have a couple.
    fn unbalanced(&self, gravity: Vec3, share: f64, extra: f64) -> bool {
        let equations = 6 * self.block.iter().flatten().count();
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let problem = self.world.contact_problem();
        let groups = problem.groups;
        for head in groups.contacts() {
            let friction = share * groups.materials[head.material as usize].friction_static + extra;
            for point in &groups.points[head.range()] {
                if point.gap <= CLOSED * self.length {
                    self.cone(&mut columns, equations, head, point, friction, gravity);
                }
            }
        }
        let mut right = vec![0.0; equations];
        for (slot, block) in self.block.iter().enumerate() {
            let Some(block) = block else { continue };
            let (body, spec) = (&self.world.model().bodies[slot], &self.scene.bodies[slot]);
            let force = -(body.mass * body.gravity_scale * gravity + spec.force) / self.weight;
            let couple = -spec.torque / (self.weight * self.length);
            right[6 * block..6 * block + 6]
                .copy_from_slice(&[force.x, force.y, force.z, couple.x, couple.y, couple.z]);
            self.locks(&mut columns, equations, *block, spec);
            if let Some(axis) = self.rolls(slot).filter(|_| extra > 0.0) {
                couples(&mut columns, equations, *block, axis);
            }
        }
        feasible::residual(&columns, &right) > ROUND_OFF
    }

    /// The edges of a contact's friction cone, each as the balance that it gives to both bodies.
    fn cone(
        &self,
        columns: &mut Vec<Vec<f64>>,
        equations: usize,
        head: &Head,
        point: &Point,
        friction: f64,
        gravity: Vec3,
    ) {
        let n = head.normal;
        // One edge points straight down the slope, where it is needed.
        let down = gravity - n * n.dot(gravity);
        let t = if down.length() > 1e-9 * gravity.length() { down.normalize_or_zero() } else { head.tangent };
        let edges = if friction > 0.0 { EDGES } else { 1 };
        for edge in 0..edges {
            let (sin, cos) = trig::sin_cos(std::f64::consts::TAU * edge as f64 / EDGES as f64);
            let force = n + friction * (t * cos + n.cross(t) * sin);
            let mut column = vec![0.0; equations];
            for (side, sign) in [(0, 1.0), (1, -1.0)] {
                let Side::Free(slot) = head.side[side] else { continue };
                let Some(block) = self.block.get(slot as usize).copied().flatten() else { continue };
                let couple = point.arm[side].cross(force) / self.length;
                for (k, entry) in [force.x, force.y, force.z, couple.x, couple.y, couple.z].iter().enumerate()
                {
                    column[6 * block + k] += sign * entry;
                }
            }
            columns.push(column);
        }
    }

    /// A locked axis takes whatever comes.
    fn locks(&self, columns: &mut Vec<Vec<f64>>, equations: usize, block: usize, spec: &Body) {
        for (k, locked) in spec.lock.linear.into_iter().chain(spec.lock.angular).enumerate() {
            for sign in [1.0, -1.0] {
                if locked {
                    let mut column = vec![0.0; equations];
                    column[6 * block + k] = sign;
                    columns.push(column);
                }
            }
        }
    }

    /// Axes about which a round body on flat ground may turn without tipping; `None` when it is not round, or touches what is not flat.
    fn rolls(&self, slot: usize) -> Option<Vec<Vec3>> {
        let body = &self.scene.bodies[slot];
        let [shape] = body.shapes.as_slice() else { return None };
        let turn = body.orientation.normalize() * shape.orientation.normalize();
        let along = |axis: Axis| turn * axis.vector();
        let axes = match shape.kind {
            ShapeKind::Sphere { .. } if body.center_of_mass.is_none() => vec![Vec3::X, Vec3::Y, Vec3::Z],
            ShapeKind::Capsule { axis, .. } | ShapeKind::Cylinder { axis, .. }
                if body.center_of_mass.is_none() && self.lies(along(axis)) =>
            {
                vec![along(axis)]
            }
            _ => return None,
        };
        self.on_flat_ground(slot).then_some(axes)
    }

    fn lies(&self, axis: Vec3) -> bool {
        axis.dot(self.scene.world.gravity.normalize_or_zero()).abs() < 0.8
    }

    /// True when every contact of a body is with a flat shape of a body at rest.
    fn on_flat_ground(&self, slot: usize) -> bool {
        let model = self.world.model();
        let owner = |shape: u32| model.shapes[shape as usize].body as usize;
        let groups = self.world.contact_problem().groups;
        groups.contacts().all(|head| {
            let ends = head.key.shapes().map(owner);
            let Some(mine) = ends.iter().position(|end| *end == slot) else { return true };
            let other = &self.scene.bodies[ends[1 - mine]];
            let flat = |kind: &ShapeKind| {
                matches!(
                    kind,
                    ShapeKind::HalfSpace { .. }
                        | ShapeKind::Wall { .. }
                        | ShapeKind::BoxInside { .. }
                        | ShapeKind::Mesh { .. }
                        | ShapeKind::HeightField { .. }
                )
            };
            other.motion == Motion::Static && other.shapes.iter().all(|shape| flat(&shape.kind))
        })
    }
}

/// Couples of any size about the axes.
fn couples(columns: &mut Vec<Vec<f64>>, equations: usize, block: usize, axes: Vec<Vec3>) {
    for axis in axes {
        for sign in [1.0, -1.0] {
            let mut column = vec![0.0; equations];
            column[6 * block + 3..6 * block + 6].copy_from_slice(&(sign * axis).to_array());
            columns.push(column);
        }
    }
}

/// Angle between two orientations [rad].
pub fn turned(from: Quat, to: Quat) -> f64 {
    trig::rotation_angle(to * from.inverse())
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens::scene::Shape;

    fn on_slope(tangent: f64, friction: f64, body: Body, half: f64) -> Scene {
        let tilt = trig::axis_angle(Vec3::X, trig::atan2(tangent, 1.0));
        let mut ground = Body::fixed("ground").shape(Shape::half_space());
        ground.orientation = tilt;
        let mut body = body;
        body.position = tilt * Vec3::new(0.0, 0.0, half);
        body.orientation = tilt * body.orientation;
        let mut scene = Scene::new().body(ground).body(body);
        scene.shapes_mut().for_each(|shape| shape.friction = Some(friction));
        scene
    }

    fn cuboid(x: f64, y: f64, z: f64) -> Body {
        Body::dynamic("body").shape(Shape::cuboid(x, y, z))
    }

    #[test]
    fn a_box_on_a_slope_rests_below_the_friction_angle_and_while_it_does_not_tip() {
        assert_eq!(may_move(&on_slope(0.0, 0.0, cuboid(1.0, 1.0, 1.0), 0.5)), None);
        assert_eq!(may_move(&on_slope(0.45, 0.5, cuboid(1.0, 1.0, 1.0), 0.5)), None);
        assert!(
            may_move(&on_slope(0.49, 0.5, cuboid(1.0, 1.0, 1.0), 0.5)).is_some(),
            "less than 5 % to spare"
        );
        assert!(may_move(&on_slope(0.55, 0.5, cuboid(1.0, 1.0, 1.0), 0.5)).is_some());
        // Tips where tan is the width over the height: 0.5.
        assert_eq!(may_move(&on_slope(0.45, 2.0, cuboid(1.0, 1.0, 2.0), 1.0)), None);
        assert!(may_move(&on_slope(0.49, 2.0, cuboid(1.0, 1.0, 2.0), 1.0)).is_some());
        assert!(may_move(&on_slope(0.55, 2.0, cuboid(1.0, 1.0, 2.0), 1.0)).is_some());
    }

    #[test]
    fn what_rolls_rests_on_the_level_and_moves_on_a_slope() {
        let ball = || Body::dynamic("body").sphere(0.5);
        assert_eq!(may_move(&on_slope(0.0, 0.5, ball(), 0.5)), None);
        assert!(may_move(&on_slope(0.05, 0.5, ball(), 0.5)).is_some());
        let mut locked = ball();
        locked.lock.angular = [true; 3];
        assert_eq!(may_move(&on_slope(0.05, 0.5, locked, 0.5)), None);
        // The fall line is y: a cylinder along it slides, across it rolls.
        let lying = |axis| Body::dynamic("body").shape(Shape::cylinder(0.5, 1.0).along(axis));
        assert_eq!(may_move(&on_slope(0.2, 0.5, lying(Axis::Y), 0.5)), None);
        assert!(may_move(&on_slope(0.2, 0.5, lying(Axis::X), 0.5)).is_some());
    }

    #[test]
    fn what_stands_on_a_point_or_hangs_over_an_edge_may_move() {
        let pencil = Body::dynamic("body").shape(Shape::capsule(0.1, 1.0));
        assert!(may_move(&on_slope(0.0, 0.5, pencil, 0.6)).is_some());
        let stack = |aside: f64| {
            on_slope(0.0, 0.5, cuboid(1.0, 1.0, 1.0), 0.5)
                .body(Body::dynamic("top").cuboid(1.0, 1.0, 1.0).at(aside, 0.0, 1.5))
        };
        assert_eq!(may_move(&stack(0.4)), None);
        assert!(may_move(&stack(0.55)).is_some());
    }

    #[test]
    fn motion_drivers_overlap_and_gaps_are_no_matter_of_statics() {
        let level = |body: Body, half: f64| on_slope(0.0, 0.5, body, half);
        assert!(may_move(&level(cuboid(1.0, 1.0, 1.0).velocity(0.1, 0.0, 0.0), 0.5)).is_some());
        assert!(may_move(&level(cuboid(1.0, 1.0, 1.0), 0.51)).is_some());
        assert!(may_move(&level(cuboid(1.0, 1.0, 1.0), 0.49)).is_some());
        assert!(may_move(&level(cuboid(1.0, 1.0, 1.0).force(0.0, 2000.0, 0.0), 0.5)).is_none());
        assert!(
            may_move(&level(cuboid(1.0, 1.0, 1.0).force(0.0, 6000.0, 0.0), 0.5)).is_some(),
            "μ m g is 4905 N"
        );
    }
}
