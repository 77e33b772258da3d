//! Random scenes for `passage`: shots at thin things, inside of a closed box (roles: `judge::passage`).

use super::body::{body, chance, log_range};
use super::place::reach;
use super::settings::{self, Methods};
use crate::likeness::Likeness;
use huygens::Scene;
use huygens::math::{Quat, SplitMix, Vec3, scalar, trig};
use huygens::scene::{Body, Duration, Keyframe, Lock, Motion, Shape};

/// How the first shot gets its speed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Blow {
    /// It flies by itself.
    Shot,
    /// It rests in front of the thin thing, and others strike it in a row.
    Chain,
    /// It rests in front of the thin thing, and a driver strikes it.
    Driver,
}

/// The box and what is in it, before all is turned.
struct Range {
    /// Half of the box's edges [m].
    half: Vec3,
    /// Largest height of the thin thing over its own middle plane [m].
    top: f64,
    /// Where the room for shots ends: at the box, or at a plate that moves [m].
    end: f64,
}

/// A random scene.
pub fn scene(random: &mut SplitMix, solver: &str) -> Scene {
    let size = log_range(random, 0.01, 0.1);
    let mut scene =
        Scene { world: settings::world(random, solver, Methods::Every, size), ..Scene::default() };
    // Without contacts that act before the touch a user has asked for overlap.
    scene.world.speculative = true;
    scene.world.duration = Duration::Steps(50 + random.index(40) as u64);
    if chance(random, 0.5) {
        scene.world.gravity = Vec3::ZERO;
    }
    let half = size * Vec3::new(random.range(8.0, 20.0), random.range(8.0, 20.0), random.range(20.0, 40.0));
    scene.bodies.push(Body::fixed("box").shape(Shape::box_inside(2.0 * half.x, 2.0 * half.y, 2.0 * half.z)));
    let piston = chance(random, 0.2);
    // What moves along z in a wedge would be squeezed.
    let tilt = if !piston && chance(random, 0.4) { random.range(-MOST_TILT, MOST_TILT) } else { 0.0 };
    let top = thin(random, &mut scene, half, tilt);
    let mut range = Range { half, top, end: half.z };
    if piston {
        range.end = half.z * random.range(0.6, 0.9);
        plate(random, &mut scene, &range);
    }
    let blow = if piston {
        Blow::Shot
    } else {
        [Blow::Shot, Blow::Chain, Blow::Chain, Blow::Driver][random.index(4)]
    };
    shots(random, &mut scene, &range, size, blow);
    settings::surfaces(random, &mut scene, size);
    let turned = Likeness { rotation: random.rotation(), ..Likeness::SAME };
    // A plate that moves is locked to the axes of the world.
    if !piston && chance(random, 0.5) { turned.of(&scene).unwrap_or(scene) } else { scene }
}

/// Largest angle between a thin thing and the cross-section of the box [rad].
const MOST_TILT: f64 = 0.6;

/// A thin thing across the box, about its middle, turned about y by `tilt`; returns its greatest height over the middle [m].
fn thin(random: &mut SplitMix, scene: &mut Scene, half: Vec3, tilt: f64) -> f64 {
    let thick = log_range(random, 5e-4, 5e-3);
    let (sin, cos) = trig::sin_cos(tilt.abs());
    let rise = half.x * sin / cos;
    // It must reach the walls with its edges, too.
    let half = Vec3::new((half.x + 0.5 * thick * sin) / cos, half.y, half.z);
    let (x, y) = (2.0 * half.x, 2.0 * half.y);
    let (shape, top) = match random.index(5) {
        0 => (Shape::wall(x, y), 0.0),
        1 => (sheet(random, half), 0.0),
        2 => (closed_mesh(half, 0.5 * thick), 0.5 * thick),
        3 => {
            let relief = half.x * random.range(0.0, 0.1);
            let row = |random: &mut SplitMix| (0..5).map(|_| relief * random.unit()).collect::<Vec<f64>>();
            ((Shape::height_field((0..5).map(|_| row(random)).collect(), x, y)), relief)
        }
        _ => (Shape::cuboid(x, y, thick), 0.5 * thick),
    };
    let mut body = Body::fixed("thin 1").shape(shape);
    if tilt != 0.0 {
        body.orientation = trig::rotation_vector(Vec3::Y * tilt);
    }
    scene.bodies.push(body);
    if tilt != 0.0 { rise + top / cos } else { top }
}

/// A flat surface of triangles, some of them slender.
fn sheet(random: &mut SplitMix, half: Vec3) -> Shape {
    let line = [-1.0, random.range(-0.9, 0.9), 1.0];
    let vertices: Vec<[f64; 3]> =
        (0..9usize).map(|i| [half.x * line[i % 3], half.y * line[i / 3], 0.0]).collect();
    let cells = [0, 1, 3, 4].into_iter().flat_map(|a| [[a, a + 1, a + 3], [a + 1, a + 4, a + 3]]);
    Shape::mesh(vertices, cells)
}

/// A plate made of twelve triangles.
fn closed_mesh(half: Vec3, thick: f64) -> Shape {
    let corner = |i: usize| {
        let sign = |bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        [half.x * sign(0), half.y * sign(1), thick * sign(2)]
    };
    // Corner numbers of the six faces, counter-clockwise seen from outside.
    let faces = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = faces.into_iter().flat_map(|[a, b, c, d]| [[a, b, c], [a, c, d]]);
    Shape::mesh((0..8).map(corner), triangles)
}

/// A plate that moves along z and separates the shots from the end of the box.
fn plate(random: &mut SplitMix, scene: &mut Scene, range: &Range) {
    let (half, thick) = (range.half, log_range(random, 1e-3, 5e-3));
    let share = 2.0 * (1.0 - 5e-4);
    let shape =
        Shape::cuboid(share * half.x, share * half.y, thick).density(log_range(random, 300.0, 8000.0));
    let mut plate = Body::dynamic("thin 2").shape(shape).at(0.0, 0.0, range.end);
    plate.lock = Lock { linear: [true, true, false], angular: [true; 3] };
    if chance(random, 0.5) {
        plate.linear_velocity.z = -log_range(random, 1.0, 300.0);
    }
    scene.bodies.push(plate);
}

/// One to four shots in a row along z.
fn shots(random: &mut SplitMix, scene: &mut Scene, range: &Range, size: f64, blow: Blow) {
    let count = if blow == Blow::Shot { 1 + random.index(3) } else { 1 + random.index(4) };
    let speed = log_range(random, 10.0, 1000.0);
    let mut z = range.top + log_range(random, 1e-4, 2.0 * size);
    let aside = Vec3::new(random.range(-0.7, 0.7), random.range(-0.7, 0.7), 0.0)
        * (range.half - Vec3::splat(3.0 * size));
    for number in 1..=count {
        let own = size * random.range(0.4, 1.0);
        let mut shot = body(random, &format!("shot {number}"), own);
        for shape in &mut shot.shapes {
            shape.density = Some(log_range(random, 300.0, 8000.0));
        }
        z += own;
        if z + own > range.end - size {
            break;
        }
        let jitter = 0.3 * own * Vec3::new(random.range(-1.0, 1.0), random.range(-1.0, 1.0), 0.0);
        shot.position = aside + jitter + Vec3::Z * z;
        let flies = match blow {
            Blow::Shot => true,
            Blow::Chain => number == count && count > 1 || count == 1,
            Blow::Driver => false,
        };
        if flies {
            let aim = Vec3::new(random.range(-0.3, 0.3), random.range(-0.3, 0.3), -1.0);
            let aim = if blow == Blow::Chain { Vec3::NEG_Z } else { aim.normalize() };
            shot.linear_velocity = aim * speed * random.range(0.5, 1.0);
            // The ends move as fast as the whole at most: more is no shot but a saw.
            shot.angular_velocity = random.direction() * (random.unit() * speed / own);
        }
        z += own + log_range(random, 1e-3, size);
        scene.bodies.push(shot);
    }
    if blow == Blow::Driver {
        driver(random, scene, range, aside, z, speed);
    }
}

/// A paddle that moves towards the thin thing and stops while there is room for all shots.
fn driver(random: &mut SplitMix, scene: &mut Scene, range: &Range, aside: Vec3, z: f64, speed: f64) {
    let room = scene.bodies.iter().filter(|body| body.name.starts_with("shot"));
    // Twice the sum of all sizes: no squeeze is asked for. A loaded or compound body reaches farther from its centre of mass than its size.
    let room = 1.2 * room.fold(0.0, |sum, body| sum + 4.0 * reach(body));
    let edge = scalar::min(range.half.x, range.half.y) * 0.2;
    let (start, stop) = (range.half.z - room - edge, range.top + room + edge);
    if start < scalar::max(z + edge, stop) {
        return;
    }
    let frame =
        |t: f64, z: f64| Keyframe { t, position: Vec3::Z * z + 0.3 * aside, orientation: Quat::IDENTITY };
    let limit = Default::default();
    let keyframes = vec![frame(0.0, start), frame((start - stop) / speed, stop)];
    let mut paddle = Body::fixed("driver").shape(Shape::cuboid(edge, edge, 0.5 * edge));
    paddle.motion =
        Motion::Driven { linear_velocity: Vec3::ZERO, angular_velocity: Vec3::ZERO, keyframes, limit };
    // The shots that wait stand in the paddle's way.
    for shot in scene.bodies.iter_mut().filter(|body| body.name.starts_with("shot")) {
        let jitter = 0.1 * edge * random.range(-1.0, 1.0);
        (shot.position.x, shot.position.y) = (0.3 * aside.x + jitter, 0.3 * aside.y);
    }
    scene.bodies.push(paddle);
}
