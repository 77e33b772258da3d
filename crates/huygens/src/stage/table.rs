//! What the stages between kinematics and solve need to know of each body and shape, side by side: the model's own entries
//! carry names and lists, and are too large to go through for every pair.

use crate::access::CollideAccess;
use crate::edit_log::Since;
use crate::model::{BodyModel, DEFAULT_MARGIN, Model, Motion, ShapeModel};
use crate::state::State;
use huygens_geometry::{CollisionShape, narrowphase};
use huygens_math::{Pose, Quat, Vec3, scalar};

/// Half width of what has no thickness, in sizes.
const THIN: f64 = 1e-3;

/// What decides how a shape meets others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A ball.
    Ball,
    /// A shape with a closed form against balls.
    Plain,
    /// Any other convex shape.
    Convex,
    /// A container or a mesh: several manifolds with one shape.
    Container,
}

/// A shape, as pairs see it: two cache lines, and two balls need only the first. How far it may come is in f32: that is no
/// place, and rounding it does no harm.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub struct ShapeRow {
    /// Origin in the world [m].
    pub place: Vec3,
    /// Radius of the ball about the origin that holds it [m]; infinite for boundaries.
    pub radius: f64,
    /// Straight displacement in this step, as velocity, gravity and forces give it [m].
    pub drift: [f32; 3],
    /// Farthest that a point of it can move in this step beyond that [m].
    pub turning: f32,
    /// Gap at which its contacts are first seen [m]; of a pair the lesser counts.
    pub margin: f32,
    /// Slot of its body.
    pub body: u32,
    /// How it meets others.
    pub kind: Kind,
    /// It reports overlap and takes no force.
    pub sensor: bool,
    /// Nothing moves it.
    pub is_static: bool,
    /// There are bodies that its own does not collide with ([`Model::exclusions`]).
    pub has_exclusions: bool,
    /// The slot is free.
    pub removed: bool,
    /// Its body sleeps.
    pub asleep: bool,
    /// Turn in the world.
    pub rotation: Quat,
    /// Characteristic size [m].
    pub size: f64,
    /// Farthest from the body's centre of mass that turning moves anything of the shape [m]: its farthest point, or the centre of a ball, whose surface
    /// stays where it is; 0 for boundaries, which have no such point.
    pub reach: f64,
    /// Index into the material table.
    pub material: u32,
    /// Half of its least width [m]; infinite for boundaries.
    pub thin: f64,
}

impl ShapeRow {
    /// World pose.
    #[inline(always)]
    pub fn pose(&self) -> Pose {
        Pose::new(self.rotation, self.place)
    }
}

/// A body, as the stages see it.
#[derive(Clone, Copy, Debug)]
pub struct BodyRow {
    /// Acceleration by gravity, along the axes that are not locked; 0 when nothing but the user moves it [m/s²].
    pub gravity: Vec3,
    /// What moves it.
    pub motion: Motion,
    /// Farthest point of its shapes from the centre of mass [m]; 0 for boundaries.
    pub reach: f64,
}

/// Brings the tables up to date with model and state; says what was edited. Shapes that fell asleep or woke are in `turned`.
pub(crate) fn update<'m>(model: &'m Model, state: &State, work: &mut CollideAccess) -> Since<'m> {
    let edits = model.edits.since(*work.table_edits);
    *work.table_edits = Some(model.edits.count());
    match edits {
        Since::All => {
            work.body_rows.clear();
            work.body_rows.extend(model.bodies.iter().map(|body| body_row(model, body)));
            work.shapes.clear();
            work.shapes.extend(model.shapes.iter().map(|shape| shape_row(model, shape)));
        }
        Since::These(_) => {
            while work.body_rows.len() < model.bodies.len() {
                work.body_rows.push(body_row(model, &model.bodies[work.body_rows.len()]));
            }
            while work.shapes.len() < model.shapes.len() {
                work.shapes.push(shape_row(model, &model.shapes[work.shapes.len()]));
            }
            for slot in edits.bodies() {
                work.body_rows[slot] = body_row(model, &model.bodies[slot]);
            }
            for slot in edits.shapes() {
                let row = shape_row(model, &model.shapes[slot]);
                let asleep = !row.removed && state.sleep.has(row.body as usize);
                work.shapes[slot] = ShapeRow { asleep, ..row };
            }
        }
    }
    work.turned.clear();
    let has_turned = matches!(edits, Since::All) || *work.table_sleep != Some(state.sleep.changes);
    if has_turned {
        *work.table_sleep = Some(state.sleep.changes);
        for (slot, row) in work.shapes.iter_mut().enumerate() {
            let asleep = !row.removed && state.sleep.has(row.body as usize);
            if asleep != row.asleep {
                row.asleep = asleep;
                work.turned.push(slot as u32);
            }
        }
    }
    if has_turned {
        for slot in 0..work.shapes.len() {
            refresh(model, state, work, slot);
        }
    } else {
        for i in 0..work.bodies.awake_shapes.len() {
            refresh(model, state, work, work.bodies.awake_shapes[i] as usize);
        }
        for slot in edits.shapes() {
            refresh(model, state, work, slot);
        }
    }
    if model.settings.speculative {
        pulled(model, work);
    }
    edits
}

/// Where a shape is, and how far it may come.
#[inline(always)]
fn refresh(model: &Model, state: &State, work: &mut CollideAccess, slot: usize) {
    let h = model.settings.dt;
    let (row, pose) = (&mut work.shapes[slot], &work.shape_pose[slot]);
    (row.place, row.rotation) = (pose.translation, pose.rotation);
    if row.is_static || !model.settings.speculative {
        return;
    }
    let slot = row.body as usize;
    let twist = &state.velocity.free[slot];
    let mut drift = twist.linear * h;
    if !state.quarantined[slot] && !row.asleep {
        let force = state.force[slot];
        let mut acceleration = work.body_rows[slot].gravity;
        if force != Vec3::ZERO {
            acceleration += force / model.bodies[slot].mass;
        }
        drift += acceleration * (h * h);
    }
    row.drift = drift.to_array().map(|x| x as f32);
    row.turning = (h * twist.angular.length() * row.reach) as f32;
}

/// Adds the displacement by the medium and by springs.
fn pulled(model: &Model, work: &mut CollideAccess) {
    let h = model.settings.dt;
    for applied in &work.forces.applied {
        let body = &model.bodies[applied.slot as usize];
        let drift = applied.total().linear * (h * h / body.mass);
        for &shape in &body.shapes {
            let row = &mut work.shapes[shape as usize];
            row.drift = std::array::from_fn(|k| row.drift[k] + drift[k] as f32);
        }
    }
}

fn body_row(model: &Model, body: &BodyModel) -> BodyRow {
    let moves = matches!(body.motion, Motion::Dynamic | Motion::Link { .. });
    let g = if moves { model.settings.gravity * body.gravity_scale } else { Vec3::ZERO };
    let free = |axis: usize| if body.lock_linear[axis] { 0.0 } else { g[axis] };
    let reaches = body.shapes.iter().map(|&shape| model.shapes[shape as usize].reach);
    let reach = reaches.filter(|reach| reach.is_finite()).fold(0.0, scalar::max);
    let gravity = Vec3::new(free(0), free(1), free(2));
    BodyRow { gravity, motion: body.motion, reach }
}

fn shape_row(model: &Model, shape: &ShapeModel) -> ShapeRow {
    let body = &model.bodies[shape.body as usize];
    let kind = match &shape.shape {
        CollisionShape::Sphere(_) => Kind::Ball,
        CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_) | CollisionShape::Mesh(_) => {
            Kind::Container
        }
        plain if narrowphase::meets_balls(plain) => Kind::Plain,
        _ => Kind::Convex,
    };
    ShapeRow {
        place: Vec3::ZERO,
        radius: shape.shape.bounding_radius(),
        drift: [0.0; 3],
        turning: 0.0,
        margin: model.settings.margin.unwrap_or(DEFAULT_MARGIN * shape.size) as f32,
        body: shape.body,
        kind,
        sensor: shape.sensor,
        is_static: body.motion == Motion::Static,
        has_exclusions: model.exclusions.has(shape.body),
        removed: shape.removed,
        asleep: false,
        rotation: Quat::IDENTITY,
        size: shape.size,
        reach: turning_arm(shape),
        material: shape.material,
        thin: half_width(shape),
    }
}

/// Farthest from the centre of mass that turning moves anything of a shape [m].
fn turning_arm(shape: &ShapeModel) -> f64 {
    match shape.shape {
        CollisionShape::Sphere(_) => shape.in_body.translation.length(),
        _ if shape.reach.is_finite() => shape.reach,
        // A boundary that turns has no farthest point; what it meets is within its own reach of the axis.
        _ => 0.0,
    }
}

/// Half of the least width of a shape [m]: what moves farther in one step may come to the other side of something.
fn half_width(shape: &ShapeModel) -> f64 {
    match &shape.shape {
        CollisionShape::Sphere(s) => s.radius,
        CollisionShape::Capsule(s) => s.radius,
        CollisionShape::Box(s) => s.half.min_element(),
        CollisionShape::Cylinder(s) => scalar::min(s.radius, s.half_length),
        // The ball inside of it: r l/(r + √(r² + l²)), where l is the height.
        CollisionShape::Cone(s) => {
            let length = 2.0 * s.half_length;
            s.radius * length / (s.radius + (s.radius * s.radius + length * length).sqrt())
        }
        CollisionShape::Ellipsoid(s) => s.radii.min_element(),
        CollisionShape::Hull(s) => 0.5 * s.thickness(),
        // They have none; a share of the size is where overlap begins to count.
        CollisionShape::Wall(_) | CollisionShape::Mesh(_) => THIN * shape.size,
        CollisionShape::HalfSpace | CollisionShape::BoxInside(_) | CollisionShape::CylinderInside(_) => {
            f64::INFINITY
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::World;
    use crate::scene::{Body, Scene, Shape};

    #[test]
    fn a_ball_that_spins_about_its_centre_comes_no_nearer_to_anything() {
        let pairs = |offset: f64| {
            let shape = || Shape::sphere(0.1).at(offset, 0.0, 0.0);
            let ball = |name: &str, y: f64| Body::dynamic(name).shape(shape()).at(0.0, y, 0.0);
            let mut scene = Scene::new().gravity(0.0, 0.0, 0.0).dt(0.01);
            scene = scene.body(ball("a", 0.0).spin(0.0, 0.0, 50.0)).body(ball("b", 0.22));
            for body in &mut scene.bodies {
                // Its turn moves the ball itself where its centre is not that of its mass.
                body.center_of_mass = Some(huygens_math::Vec3::ZERO);
            }
            let mut world = World::new(&scene).unwrap_or_else(|errors| panic!("{errors}"));
            world.step();
            world.work.found.len()
        };
        assert_eq!(pairs(0.0), 0, "0.02 m apart, its margin is 0.004 m");
        assert_eq!(pairs(0.05), 1, "half a radian about a point 0.05 m away");
    }
}
