//! Rows of the middle of the step, for contacts that last on a surface that curves.
//!
//! | symbol | code | meaning | unit |
//! |---|---|---|---|
//! | J₀, J | | rows of the contact at the start and in the middle of the step | – |
//! | v̄ | `mean` | mean velocity of the step, as gravity and the impulses of the last step let expect it | m/s |
//! | τ | `half_change` | (J − J₀)v₀: the velocity along J that the start velocity has because the contact turns | m/s |
//!
//! Rows are constant through a step. With those of its start a ball that rolls in a pipe goes straight on by ½κv²h²; the impulse of the next
//! step takes the velocity across the new normal, and the lift out of the overlap brings potential energy that nothing paid. Rows J at the
//! pose reached after half of v̄ give the change of the gap as h J v̄, to third order. The velocity may not be across the normal *there*, neither at
//! the start (+τ) nor at the end (−τ): the law is asked of J v⁺ + τ, so that J(v₀ + v⁺) = 0 where J₀v₀ was, and a contact that lasts does no
//! work. The normal impulse then turns the velocity along the surface instead of stopping a part of it.

use super::demand;
use crate::access::AssembleAccess;
use crate::model::{Model, ShapeModel};
use crate::state::State;
use huygens_contact::{Head, Side};
use huygens_geometry::narrowphase::collide_at;
use huygens_geometry::{CollisionShape, Feature, FeatureKind, Manifold, ManifoldPoint};
use huygens_math::{Pose, Quat, Twist, Vec3, scalar, trig};

/// Turns beyond this tell nothing about the middle of the step [rad].
const MOST_TURN: f64 = 0.5;

/// Groups of an island beyond which it is a heap: rows between two moving bodies are then those of the start. A heap of balls took five
/// times as long with rows of the middle, and friction takes far more there than the bound.
const HEAP: usize = 4;

/// Normals that turn by more than the angle of this cosine in half a step belong to another feature.
const LEAST_COSINE: f64 = 0.9;

/// A contact is curved ahead when two bodies move by more than this share of the scene's length against each other in the step: the gap is
/// wrong by half the square of it otherwise.
const LEAST_MOTION: f64 = 1e-6;

/// How the surface of a shape bends under a contact.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Bend {
    /// Faces: the normal turns with the body alone, and round edges.
    Flat,
    /// A ball about the centre of mass: its contact is straight along the normal, however it turns.
    Ball,
    /// Anything else.
    Curved,
}

fn bend(shape: &ShapeModel) -> Bend {
    match shape.shape {
        CollisionShape::Sphere(_) if shape.in_body.translation == Vec3::ZERO => Bend::Ball,
        CollisionShape::Sphere(_)
        | CollisionShape::Capsule(_)
        | CollisionShape::Cylinder(_)
        | CollisionShape::Cone(_)
        | CollisionShape::Ellipsoid(_) => Bend::Curved,
        CollisionShape::CylinderInside(_) => Bend::Curved,
        CollisionShape::Box(_)
        | CollisionShape::Hull(_)
        | CollisionShape::HalfSpace
        | CollisionShape::Wall(_)
        | CollisionShape::BoxInside(_)
        | CollisionShape::Mesh(_) => Bend::Flat,
    }
}

/// True where the normal, the arm or the surface velocity of a contact of the two shapes changes as they move.
fn curves(work: &AssembleAccess, head: &Head, shapes: [&ShapeModel; 2]) -> bool {
    // A ball runs straight over a face that does not turn, and round its edges.
    let rounds = |k: usize| turns(work, head.side[k]) || is_on_edge(work, head, k);
    match shapes.map(bend) {
        [Bend::Flat, Bend::Flat] => false,
        [Bend::Ball, Bend::Flat] => rounds(1),
        [Bend::Flat, Bend::Ball] => rounds(0),
        _ => true,
    }
}

/// True for a contact that touches an edge or a corner of side `k`.
fn is_on_edge(work: &AssembleAccess, head: &Head, k: usize) -> bool {
    let points = &work.groups.points[head.range()];
    points.iter().any(|point| Feature::from_number(point.feature[k]).kind() != FeatureKind::Face)
}

/// True for a side that can turn.
fn turns(work: &AssembleAccess, side: Side) -> bool {
    match side {
        Side::Fixed => false,
        Side::Driven(i) => work.groups.driven[i as usize].angular != Vec3::ZERO,
        Side::Free(_) | Side::Tree(_) => true,
    }
}

/// One side of a contact: where it is at the start and in the middle of the step.
struct Place {
    /// Centre of mass, or reference point of a driver, at the start and in the middle [m].
    centre: [Vec3; 2],
    /// The shape in the middle.
    shape: Pose,
    /// Velocity at the start.
    velocity: Twist,
    /// Change of the spin by the gyroscopic term after the solve [rad/s].
    later: Vec3,
    /// Largest motion of a point of the contact with it in the step [m].
    motion: f64,
}

/// Makes the rows of lasting contacts on curved surfaces those of the middle of the step.
pub(super) fn rows_of_the_middle(model: &Model, state: &State, work: &mut AssembleAccess) {
    work.curved.clear();
    for k in 0..work.head_found.len() {
        let head = &work.groups.heads[k];
        // Faces of more points lie flat.
        if head.len > 2 || head.side.iter().any(|side| matches!(side, Side::Tree(_))) {
            continue;
        }
        let shapes = head.key.shapes().map(|slot| &model.shapes[slot as usize]);
        if curves(work, head, shapes) && !is_in_heap(work, k) {
            work.curved.push(k as u32);
        }
    }
    if work.curved.is_empty() {
        return;
    }
    kicks(work, model.settings.dt);
    for i in 0..work.curved.len() {
        let k = work.curved[i] as usize;
        let head = work.groups.heads[k];
        let shapes = head.key.shapes().map(|slot| &model.shapes[slot as usize]);
        if let Some(middle) = middle(model, state, work, &head, shapes) {
            put(work, k, &middle);
        }
    }
}

/// True for a contact of two moving bodies in a large island.
fn is_in_heap(work: &AssembleAccess, group: usize) -> bool {
    let [Side::Free(_), Side::Free(_)] = work.groups.heads[group].side else { return false };
    work.graph.island_of(group).is_some_and(|island| work.graph.groups(island).len() > HEAP)
}

/// A contact in the middle of the step.
struct Middle {
    normal: Vec3,
    tangent: Vec3,
    arm: [[Vec3; 2]; huygens_geometry::manifold::MAX_POINTS],
    half_change: Vec3,
}

fn place(
    model: &Model,
    state: &State,
    work: &AssembleAccess,
    side: Side,
    reach: f64,
    shape: &ShapeModel,
) -> Option<Place> {
    let h = model.settings.dt;
    let body = shape.body as usize;
    let (position, orientation) = (state.position[body], state.orientation[body]);
    let (start, end) = match side {
        Side::Fixed => (Twist::ZERO, Twist::ZERO),
        Side::Driven(i) => (work.groups.driven[i as usize], work.groups.driven[i as usize]),
        Side::Free(i) => {
            let (start, kick) = (state.velocity.free[i as usize], work.kicks[i as usize]);
            // The blow of a landing does not come twice: a contact that lasts changes a velocity by less than there is of it.
            let linear = kick.linear.clamp_length_max(start.linear.length());
            let angular = kick.angular.clamp_length_max(start.angular.length());
            (start, start + Twist::new(linear, angular))
        }
        Side::Tree(_) => return None,
    };
    let half = (start + end) * (0.25 * h);
    // A ball about the centre of mass looks the same however it is turned.
    let is_ball = bend(shape) == Bend::Ball && matches!(side, Side::Free(_));
    if !is_ball && half.angular.length_squared() > 0.25 * MOST_TURN * MOST_TURN {
        return None;
    }
    let turned = trig::rotation_vector(half.angular) * orientation;
    let centre = position + half.linear;
    let at = centre + turned * shape.in_body.translation;
    let later = match side {
        Side::Free(i) => gyroscopic(model, work, i as usize, orientation, (start + end).angular * 0.5),
        _ => Vec3::ZERO,
    };
    let motion = 2.0 * (half.linear.length() + half.angular.length() * reach);
    let shape = Pose { rotation: turned * shape.in_body.rotation, translation: at };
    Some(Place { centre: [position, centre], shape, velocity: start, later, motion })
}

fn middle(
    model: &Model,
    state: &State,
    work: &mut AssembleAccess,
    head: &Head,
    shapes: [&ShapeModel; 2],
) -> Option<Middle> {
    let points = &work.groups.points[head.range()];
    let arm = |k: usize| points.iter().fold(0.0, |most, point| scalar::max(point.arm[k].length(), most));
    let [a, b] = [0, 1].map(|k| place(model, state, work, head.side[k], arm(k), shapes[k]));
    let (a, b) = (a?, b?);
    let motion = a.motion + b.motion;
    if motion < LEAST_MOTION * model.settings.length || !lasts(model, work, head, shapes, [&a, &b]) {
        return None;
    }
    let margin = scalar::max(motion, model.settings.length * 1e-3);
    work.pair.clear();
    let b_in_a = a.shape.relative(&b.shape);
    collide_at(work.bodies.level, [&shapes[0].shape, &shapes[1].shape], &b_in_a, margin, work.pair);
    // A ball in a corner of a container touches each of its walls.
    let along = |manifold: &Manifold| a.shape.rotate(manifold.normal).dot(head.normal);
    let manifold = work.pair.iter().max_by(|p, q| along(p).total_cmp(&along(q)))?;
    let normal = a.shape.rotate(manifold.normal);
    let points = &work.groups.points[head.range()];
    if manifold.points().len() < points.len() || normal.dot(head.normal) < LEAST_COSINE {
        return None;
    }
    // What slides over a flat face without turning keeps its rows.
    let turns = (a.velocity.angular - b.velocity.angular).length() * model.settings.dt > LEAST_MOTION;
    if !turns && (normal - head.normal).length_squared() <= f64::EPSILON {
        return None;
    }
    // The rotation from the normal of the start to that of the middle takes the tangents along.
    let turn = trig::short_arc(head.normal, normal);
    let mut out =
        Middle { normal, tangent: turn * head.tangent, arm: Default::default(), half_change: Vec3::ZERO };
    for (k, point) in points.iter().enumerate() {
        let found = nearest(manifold, &a, turn * point.arm[0])?;
        let at = a.shape.transform(found.on_a) - normal * (0.5 * found.gap);
        let arm = [at - a.centre[1], at - b.centre[1]];
        let velocity = |arm: [Vec3; 2]| a.velocity.at(arm[0]) - b.velocity.at(arm[1]);
        let later = a.later.cross(arm[0]) - b.later.cross(arm[1]);
        out.half_change += velocity(arm) - turn * velocity(point.arm) + later;
        out.arm[k] = arm;
    }
    out.half_change /= points.len() as f64;
    out.half_change -= velocity_after_leaving(model, work, head, [&a, &b], &out);
    Some(out)
}

/// Velocity that the sides of a contact have at the end of the step because it stops pressing before [m/s]: friction ends at that moment, and neither with
/// the step nor before it, which would be errors of first order. A contact with friction that has no other beside it on either side.
///
/// Where N is positive at first, its integral while it is positive is the normal impulse of the step, however negative N is at the end: asked for the
/// speed with which the sides then part, the contact gets that impulse, and with it the cone for its friction.
///
/// | symbol | code | meaning | unit |
/// |---|---|---|---|
/// | A | `pull` | relative acceleration at the contact by all but the contact | m/s² |
/// | N | `load` | −n·A − J̇v: acceleration that the contact must give along its normal, at the start and in the middle of the step | m/s² |
fn velocity_after_leaving(
    model: &Model,
    work: &AssembleAccess,
    head: &Head,
    places: [&Place; 2],
    middle: &Middle,
) -> Vec3 {
    let has_others = |side: &Side| match side {
        Side::Free(body) => work.graph.groups_of(*body as usize).len() > 1,
        Side::Fixed | Side::Driven(_) => false,
        Side::Tree(_) => true,
    };
    let has_friction = work.groups.materials[head.material as usize].friction_static > 0.0;
    if !has_friction || head.side.iter().any(has_others) {
        return Vec3::ZERO;
    }
    let h = model.settings.dt;
    let (mut pull, mut begin, mut change) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
    for (k, sign) in [(0, 1.0), (1, -1.0)] {
        let Side::Free(body) = head.side[k] else {
            begin += places[k].velocity.linear * sign;
            continue;
        };
        pull += work.acceleration.free[body as usize].at(middle.arm[0][k]) * sign;
        begin += places[k].velocity.linear * sign;
        change += work.kicks[body as usize].linear * (0.5 * sign);
    }
    // J̇v grows as the square of the speed along the surface.
    let along = |velocity: Vec3, normal: Vec3| (velocity - normal * normal.dot(velocity)).length_squared();
    // The normal turns with the velocity of the middle, and what it turns is that of the start.
    let bending = 2.0 * middle.normal.dot(middle.half_change) / h;
    let [start, half] = [along(begin, head.normal), along(begin + change, middle.normal)];
    if start <= 0.0 || half <= 0.0 || bending <= 0.0 {
        return Vec3::ZERO;
    }
    let growth = (half / start).sqrt();
    let first = -head.normal.dot(pull) - bending / growth;
    let last = 2.0 * (-middle.normal.dot(pull) - bending * growth) - first;
    if last >= 0.0 {
        return Vec3::ZERO;
    }
    let pressing = if first > 0.0 { first / (first - last) } else { 0.0 };
    let free = (1.0 - pressing) * h;
    let parting = if first > 0.0 { -0.5 * last * free } else { 0.0 };
    (pull - middle.normal * middle.normal.dot(pull)) * free + middle.normal * parting
}

/// True for a contact that carried load in the last step, or that hardly opened and hardly closes: one that has just been left, and falls back
/// less than its surface bends away.
fn lasts(
    model: &Model,
    work: &AssembleAccess,
    head: &Head,
    shapes: [&ShapeModel; 2],
    places: [&Place; 2],
) -> bool {
    if work.warm[head.range()].iter().all(|p| p[0] > 0.0) {
        return true;
    }
    let h = model.settings.dt;
    let motion = places[0].motion + places[1].motion;
    let size = scalar::min(shapes[0].size, shapes[1].size);
    let bend = 4.0 * motion * motion / size;
    let closing = bend / h + 2.0 * model.settings.gravity.length() * h;
    work.groups.points[head.range()].iter().all(|point| {
        let u = places[0].velocity.at(point.arm[0]) - places[1].velocity.at(point.arm[1]);
        point.gap <= bend && head.normal.dot(u) >= -closing
    })
}

/// The point of a manifold whose arm from the centre of A is nearest to `arm`.
fn nearest<'a>(manifold: &'a Manifold, a: &Place, arm: Vec3) -> Option<&'a ManifoldPoint> {
    let far = |point: &ManifoldPoint| (a.shape.transform(point.on_a) - a.centre[1] - arm).length_squared();
    manifold.points().iter().min_by(|p, q| far(p).total_cmp(&far(q)))
}

fn put(work: &mut AssembleAccess, k: usize, middle: &Middle) {
    let groups = &mut work.groups;
    let head = &mut groups.heads[k];
    head.demand = demand::CONTACT_AT_MIDDLE;
    head.normal = middle.normal;
    head.tangent = middle.tangent;
    let (first, range) = (head.first, head.range());
    for (point, arm) in groups.points[range].iter_mut().zip(middle.arm) {
        point.arm = arm;
    }
    demand::half_change(groups, first, middle.half_change);
}

/// Finds the kicks of all bodies on curved ground, before any rows are those of the middle.
fn kicks(work: &mut AssembleAccess, h: f64) {
    work.kicks.clear();
    work.kicks.resize(work.acceleration.free.len(), Twist::new(Vec3::NAN, Vec3::NAN));
    for i in 0..work.curved.len() {
        for side in work.groups.heads[work.curved[i] as usize].side {
            if let Side::Free(body) = side
                && work.kicks[body as usize].linear.is_nan()
            {
                work.kicks[body as usize] = kick(work, body, h);
            }
        }
    }
}

/// Change of the velocity of a body in this step, if contacts do what they did in the last one.
fn kick(work: &AssembleAccess, body: u32, h: f64) -> Twist {
    let (groups, inverse) = (&work.groups, &work.inertia.free[body as usize]);
    let mut kick = work.acceleration.free[body as usize] * h;
    for &group in work.graph.groups_of(body as usize) {
        let head = &groups.heads[group as usize];
        let sides = [(0, 1.0), (1, -1.0)].into_iter().filter(|(k, _)| head.side[*k] == Side::Free(body));
        for (k, sign) in sides {
            for i in groups.point_range(head) {
                let p = head.to_world(work.warm[i]) * sign;
                kick += inverse.respond(p, groups.points[i].arm[k]);
            }
        }
    }
    kick
}

/// Change of the spin ω of a body by the gyroscopic term in a step of length h: h I⁻¹(Iω × ω).
fn gyroscopic(model: &Model, work: &AssembleAccess, slot: usize, orientation: Quat, omega: Vec3) -> Vec3 {
    let momentum = orientation * (model.bodies[slot].inertia * (orientation.inverse() * omega));
    work.inertia.free[slot].inv_inertia * momentum.cross(omega) * model.settings.dt
}

/// True for a shape whose contacts may need rows of the middle.
pub(crate) fn is_curved(shape: &ShapeModel) -> bool {
    bend(shape) != Bend::Flat
}
