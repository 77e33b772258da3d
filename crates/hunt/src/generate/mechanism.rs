//! Random mechanisms: open ones, in which each link hangs on one before it, and closed rings; joints of every kind, with ranges, springs,
//! dampers, motors and dry friction; couplings of joints and of bodies.

use super::body::{chance, log_range, solid};
use super::place::{Room, Taken};
use huygens::Scene;
use huygens::contact::Compliance;
use huygens::math::{SplitMix, Vec3, trig};
use huygens::scene::{
    Body, CouplingKind, CouplingSpec, Joint, JointKind, JointSpring, MotorKind, MotorSpec, Shape,
};
use std::f64::consts::TAU;

/// Density of its links [kg/m³].
const DENSITY: f64 = 1000.0;

/// What acts at joints is of the size that gravity has on links of this size.
struct Scale {
    /// Radius of the ball that bounds a link [m].
    link: f64,
    /// Weight of such a ball [N].
    weight: f64,
    /// √(g·link) [m/s].
    pace: f64,
}

/// Puts a mechanism of the size `size` into the room, if there is room.
pub fn mechanism(random: &mut SplitMix, scene: &mut Scene, room: &Room, taken: &mut Taken, size: f64) {
    let closed = chance(random, 0.4);
    let count = if closed { 3 + random.index(4) } else { 2 + random.index(4) };
    let Some(center) = taken.place(random, room, size) else { return };
    let (places, link) = if closed { ring(random, count, size) } else { line(random, count, size) };
    let scale = Scale { link, weight: 4.0 * DENSITY * link * link * link * 9.81, pace: (9.81 * link).sqrt() };
    // Some have one link that is up to a thousand times as heavy as the others.
    let heavy = chance(random, 0.2).then(|| (random.index(count), log_range(random, 10.0, 1000.0)));
    for (k, place) in places.iter().enumerate() {
        let mut shape = Shape::new(solid(random, 0.95 * link));
        let factor = heavy.filter(|(at, _)| *at == k).map_or(1.0, |(_, factor)| factor);
        shape.density = Some(DENSITY * factor);
        let mut body = Body::dynamic(name_of(k)).shape(shape);
        body.position = center + *place;
        body.orientation = random.rotation();
        scene.bodies.push(body);
    }
    let at = |k: usize| center + places[k];
    if closed {
        let flat = chance(random, 0.5).then(|| (places[1] - places[0]).cross(places[2] - places[0]));
        for k in 0..count {
            let before = (k + count - 1) % count;
            let mut joint = joint(random, scene, Some(before), k, (at(k) + at(before)) * 0.5, &scale);
            if let Some(axis) = flat.filter(|_| joint.kind == JointKind::Hinge) {
                joint.axis = axis.normalize();
            }
            joint.velocity = 0.0;
            scene.joints.push(joint);
        }
    } else {
        for k in 1..count {
            let parent = if chance(random, 0.7) { k - 1 } else { random.index(k) };
            let joint = joint(random, scene, Some(parent), k, (at(k) + at(parent)) * 0.5, &scale);
            scene.joints.push(joint);
        }
    }
    if chance(random, 0.5) {
        let up = at(0) + random.direction() * link;
        let joint = joint(random, scene, None, 0, up, &scale);
        scene.joints.push(joint);
    }
    couplings(random, scene, count, closed, &scale);
}

fn name_of(k: usize) -> String {
    format!("link {}", k + 1)
}

/// Centres on a line through the middle, and the radius of the balls.
fn line(random: &mut SplitMix, count: usize, size: f64) -> (Vec<Vec3>, f64) {
    let (along, link) = (random.direction(), size / count as f64);
    let places = (0..count).map(|k| along * link * (2.0 * k as f64 + 1.0 - count as f64)).collect();
    (places, link)
}

/// Centres on a circle about the middle, and the radius of the balls.
fn ring(random: &mut SplitMix, count: usize, size: f64) -> (Vec<Vec3>, f64) {
    let turn = random.rotation();
    let half = trig::sin_cos(0.5 * TAU / count as f64).0;
    let radius = size / (1.0 + half);
    let place = |k: usize| {
        let (s, c) = trig::sin_cos(TAU * k as f64 / count as f64);
        turn * Vec3::new(c, s, 0.0) * radius
    };
    ((0..count).map(place).collect(), radius * half)
}

/// A joint of any kind.
fn joint(
    random: &mut SplitMix,
    scene: &Scene,
    parent: Option<usize>,
    child: usize,
    at: Vec3,
    scale: &Scale,
) -> Joint {
    const KINDS: [JointKind; 12] = [
        JointKind::Hinge,
        JointKind::Hinge,
        JointKind::Hinge,
        JointKind::Ball,
        JointKind::Ball,
        JointKind::Slide,
        JointKind::Fixed,
        JointKind::Universal,
        JointKind::Cylindrical,
        JointKind::Planar,
        JointKind::Screw,
        JointKind::Generic,
    ];
    let axis = random.direction();
    let name = format!("joint {}", scene.joints.len() + 1);
    let mut joint = Joint::hinge(name, name_of(child)).anchor(at.x, at.y, at.z).axis(axis.x, axis.y, axis.z);
    joint.parent = parent.map(name_of);
    joint.kind = KINDS[random.index(KINDS.len())];
    match joint.kind {
        JointKind::Universal | JointKind::Planar => joint.axis2 = Some(random.direction()),
        JointKind::Screw => joint.pitch = scale.link * random.range(0.2, 2.0),
        JointKind::Generic => {
            joint.free = std::array::from_fn(|_| chance(random, 0.4));
            joint.free[random.index(6)] = true;
        }
        _ => {}
    }
    if joint.kind == JointKind::Ball {
        if chance(random, 0.2) {
            joint.cone = Some(random.range(0.2, 2.0));
        }
        if chance(random, 0.2) {
            joint.twist = Some([-random.range(0.2, 2.0), random.range(0.2, 2.0)]);
        }
    }
    act(random, &mut joint, scale);
    joint
}

/// Whether the first coordinate of a joint is a length; `None` where nothing can act on it.
fn travels(joint: &Joint) -> Option<bool> {
    match joint.kind {
        JointKind::Hinge | JointKind::Universal | JointKind::Cylindrical | JointKind::Screw => Some(false),
        JointKind::Slide | JointKind::Planar => Some(true),
        JointKind::Generic if joint.free[..3].contains(&true) => Some(true),
        JointKind::Generic if !joint.turns_freely() => Some(false),
        JointKind::Generic | JointKind::Ball | JointKind::Fixed | JointKind::Free => None,
    }
}

/// Gives a joint what acts on it.
fn act(random: &mut SplitMix, joint: &mut Joint, scale: &Scale) {
    let travels = travels(joint);
    // A unit of the coordinate, and a force or torque.
    let (unit, force) =
        if travels == Some(true) { (scale.link, scale.weight) } else { (1.0, scale.weight * scale.link) };
    let rate = scale.pace / scale.link * unit;
    if chance(random, 0.2) {
        joint.damping = force / rate * log_range(random, 1e-3, 10.0);
    }
    if chance(random, 0.15) {
        joint.armature = force / (rate * rate) * unit * log_range(random, 1e-3, 1.0);
    }
    if travels.is_none() {
        return;
    }
    if chance(random, 0.25) {
        joint.range = Some([-unit * random.range(0.1, 2.0), unit * random.range(0.1, 2.0)]);
        if chance(random, 0.3) {
            joint.restitution = random.range(0.0, 1.0);
        } else if chance(random, 0.3) {
            let (time_constant, damping_ratio) = (random.range(0.02, 0.2), random.range(0.5, 1.5));
            joint.limit = Compliance::Response { time_constant, damping_ratio };
        }
    }
    if chance(random, 0.2) {
        let stiffness = force / unit * log_range(random, 0.1, 1e3);
        joint.spring = Some(JointSpring { stiffness, rest: unit * random.range(-0.5, 0.5) });
    }
    if chance(random, 0.2) {
        joint.friction = force * log_range(random, 1e-3, 1.0);
    }
    if chance(random, 0.25) {
        joint.motor = Some(motor(random, force, unit, rate));
    }
    if chance(random, 0.3) {
        joint.velocity = rate * random.range(-3.0, 3.0);
    }
}

fn motor(random: &mut SplitMix, force: f64, unit: f64, rate: f64) -> MotorSpec {
    let kind = [MotorKind::Position, MotorKind::Velocity, MotorKind::Torque][random.index(3)];
    let mut motor = MotorSpec { kind, ..MotorSpec::default() };
    match kind {
        MotorKind::Position => {
            motor.target = unit * random.range(-1.0, 1.0);
            motor.stiffness = force / unit * log_range(random, 0.1, 100.0);
            motor.damping = force / rate * log_range(random, 0.1, 10.0);
        }
        MotorKind::Velocity => {
            motor.target = rate * random.range(-1.0, 1.0);
            if chance(random, 0.5) {
                motor.damping = force / rate * log_range(random, 0.1, 100.0);
            }
            // One that holds its speed at any price may ask what a mechanism cannot do.
            motor.max_force = force * log_range(random, 0.1, 10.0);
        }
        MotorKind::Torque => motor.target = force * random.range(-1.0, 1.0),
    }
    if chance(random, 0.3) {
        motor.max_force = force * log_range(random, 0.1, 10.0);
    }
    if chance(random, 0.1) {
        motor.max_power = force * rate * log_range(random, 0.1, 10.0);
    }
    motor
}

/// Couplings of what has been built.
fn couplings(random: &mut SplitMix, scene: &mut Scene, count: usize, closed: bool, scale: &Scale) {
    let with_coordinate: Vec<String> = scene
        .joints
        .iter()
        .filter(|joint| matches!(joint.kind, JointKind::Hinge | JointKind::Slide) && joint.velocity == 0.0)
        .map(|joint| joint.name.clone())
        .collect();
    if let [first, second, ..] = &with_coordinate[..]
        && chance(random, 0.3)
        && !closed
    {
        let mut gear = CouplingSpec::gear("gear", first, second, random.range(-2.0, 2.0));
        if chance(random, 0.3) {
            gear.kind = CouplingKind::Polynomial;
            gear.coefficients = [0.0, random.unit(), random.unit(), 0.0, 0.0];
        }
        scene.couplings.push(gear);
    }
    let place = |scene: &Scene, k: usize| {
        let name = name_of(k);
        scene.bodies.iter().find(|body| body.name == name).map_or(Vec3::ZERO, |body| body.position)
    };
    if chance(random, 0.3) {
        let kind = if chance(random, 0.5) { CouplingKind::Rope } else { CouplingKind::Distance };
        let body = random.index(count);
        let from = place(scene, body);
        let to = from + random.direction() * scale.link * random.range(0.5, 2.0);
        let ends = [from.to_array(), to.to_array()];
        let mut rope = CouplingSpec::bodies("rope", kind, [&name_of(body), ""], ends);
        if kind == CouplingKind::Rope {
            rope.length = Some((to - from).length() * random.range(1.0, 1.5));
        }
        // A rod to the world takes a velocity that it cannot follow.
        if kind == CouplingKind::Rope || scene.joints.iter().all(|joint| joint.velocity == 0.0) {
            scene.couplings.push(rope);
        }
    }
    if !closed && chance(random, 0.15) && scene.joints.iter().all(|joint| joint.velocity == 0.0) {
        let middle = ((place(scene, 0) + place(scene, count - 1)) * 0.5).to_array();
        let kind = if chance(random, 0.5) { CouplingKind::Weld } else { CouplingKind::Connect };
        let ends = [name_of(0), name_of(count - 1)];
        let names = ends.each_ref().map(String::as_str);
        scene.couplings.push(CouplingSpec::bodies("tie", kind, names, [middle; 2]));
    }
}
