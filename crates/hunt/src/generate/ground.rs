//! Grounds of every kind, each with the room where bodies may start.
//!
//! Names: the first body is `ground`; what moves by a driver is `driver`; a floor that only catches what falls off is `floor`.

use super::body::{chance, log_range};
use super::place::Room;
use huygens::math::{Pose, Quat, SplitMix, Sym3, Vec3, trig};
use huygens::scene::{Axis, Body, DriveLimit, Keyframe, Material, Motion, Scene, Shape, ShapeKind};

/// A kind of ground.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    /// A level half-space.
    Floor,
    /// A tilted half-space.
    Slope,
    /// Two half-spaces that make a V.
    Trough,
    /// A rectangle without thickness above a floor.
    Shelf,
    /// The inside of a cylinder at rest, lying.
    Pipe,
    /// The inside of a cylinder that turns about its axis.
    Drum,
    /// The inside of a box.
    Bin,
    /// A ball above a floor.
    Ball,
    /// A height field.
    HeightField,
    /// A surface of triangles.
    Mesh,
    /// A floor whose surface moves along itself.
    Belt,
    /// A disc that turns, above a floor.
    Turntable,
    /// A floor with a box that is pushed along.
    Pusher,
}

impl Ground {
    /// Every kind.
    pub const ALL: [Self; 13] = [
        Self::Floor,
        Self::Slope,
        Self::Trough,
        Self::Shelf,
        Self::Pipe,
        Self::Drum,
        Self::Bin,
        Self::Ball,
        Self::HeightField,
        Self::Mesh,
        Self::Belt,
        Self::Turntable,
        Self::Pusher,
    ];

    /// A random kind.
    pub fn any(random: &mut SplitMix) -> Self {
        Self::ALL[random.index(Self::ALL.len())]
    }

    /// Puts such a ground for bodies of that size [m] into a scene; returns the room for them.
    pub fn lay(self, random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
        match self {
            Self::Floor => {
                scene.bodies.push(fixed("ground", Shape::half_space()));
                above(Pose::IDENTITY, 3.0 * size)
            }
            Self::Slope => slope(random, scene, size),
            Self::Trough => trough(random, scene, size),
            Self::Shelf => shelf(random, scene, size),
            Self::Pipe => pipe(random, scene, size, None),
            Self::Drum => {
                let speed = spin(random);
                pipe(random, scene, size, Some(speed))
            }
            Self::Bin => bin(random, scene, size),
            Self::Ball => ball(random, scene, size),
            Self::HeightField => height_field(random, scene, size),
            Self::Mesh => mesh(random, scene, size),
            Self::Belt => belt(random, scene, size),
            Self::Turntable => turntable(random, scene, size),
            Self::Pusher => pusher(random, scene, size),
        }
    }
}

fn fixed(name: &str, shape: Shape) -> Body {
    Body::fixed(name).shape(shape)
}

fn above(frame: Pose, half: f64) -> Room {
    Room::Above { frame, half }
}

/// A floor far below, for what falls off.
fn catch(scene: &mut Scene, depth: f64) {
    scene.bodies.push(fixed("floor", Shape::half_space()).at(0.0, 0.0, -depth));
}

fn turn_x(angle: f64) -> Quat {
    trig::axis_angle(Vec3::X, angle)
}

fn spin(random: &mut SplitMix) -> f64 {
    let speed = log_range(random, 0.2, 10.0);
    if chance(random, 0.5) { speed } else { -speed }
}

fn slope(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let tilt = turn_x(random.range(0.02, 0.8));
    let mut ground = fixed("ground", Shape::half_space());
    ground.orientation = tilt;
    scene.bodies.push(ground);
    // A wall across ends the slide.
    let down = tilt * Vec3::NEG_Y;
    let end = 40.0 * size * down;
    let stop = Shape::half_space().facing(-down.x, -down.y, -down.z);
    scene.bodies.push(fixed("floor", stop).at(end.x, end.y, end.z));
    above(Pose::new(tilt, Vec3::ZERO), 3.0 * size)
}

fn trough(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let angle = random.range(0.2, 1.2);
    for (name, tilt) in [("ground", angle), ("ground 2", -angle)] {
        let mut side = fixed(name, Shape::half_space());
        side.orientation = turn_x(tilt);
        scene.bodies.push(side);
    }
    // Above both sides by one size at the middle of the room: a ball of radius r needs r/cos(angle).
    let (sin, cos) = trig::sin_cos(angle);
    let half = 1.5 * size;
    let lift = half * sin / cos + size * (1.0 / cos - 1.0);
    above(Pose::new(Quat::IDENTITY, Vec3::new(0.0, 0.0, lift)), half)
}

fn shelf(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let edge = size * random.range(3.0, 10.0);
    scene.bodies.push(fixed("ground", Shape::wall(edge, edge * random.range(0.5, 1.0))));
    catch(scene, 6.0 * size);
    above(Pose::IDENTITY, 0.25 * edge)
}

/// The inside of a lying cylinder, at rest or turning about its axis at `speed` [rad/s].
fn pipe(random: &mut SplitMix, scene: &mut Scene, size: f64, speed: Option<f64>) -> Room {
    let (radius, length) = (size * random.range(2.5, 6.0), size * random.range(3.0, 10.0));
    let shape = Shape::cylinder_inside(radius, length).along(Axis::X);
    let ground = match speed {
        None => fixed("ground", shape),
        Some(speed) => {
            let drum = Body::driven("driver", [0.0; 3], [speed, 0.0, 0.0]).shape(shape);
            // A hollow has no volume: a motor's drum needs a mass of its own.
            let mass = 1000.0 * size * size * size * random.range(1.0, 20.0);
            let mut drum = drum.mass(mass).limit(limit(random, mass, size));
            drum.inertia = Some(Sym3::diagonal(Vec3::new(1.0, 0.8, 0.8) * mass * radius * radius));
            drum
        }
    };
    scene.bodies.push(ground);
    // z of the room along x of the world.
    let frame = Pose::new(trig::axis_angle(Vec3::Y, std::f64::consts::FRAC_PI_2), Vec3::ZERO);
    Room::Cylinder { frame, radius, half: 0.5 * length }
}

fn bin(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let edge = |random: &mut SplitMix| size * random.range(2.5, 8.0);
    let edges = Vec3::new(edge(random), edge(random), edge(random));
    let mut ground = fixed("ground", Shape::box_inside(edges.x, edges.y, edges.z));
    if chance(random, 0.3) {
        ground.orientation = random.rotation();
    }
    let frame = ground.pose();
    scene.bodies.push(ground);
    Room::Inside { frame, half: 0.5 * edges }
}

fn ball(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let radius = size * random.range(1.0, 8.0);
    scene.bodies.push(fixed("ground", Shape::sphere(radius)).at(0.0, 0.0, -radius));
    catch(scene, 2.0 * radius);
    above(Pose::IDENTITY, 0.3 * radius)
}

fn height_field(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let (columns, rows) = (4 + random.index(8), 4 + random.index(8));
    let relief = size * random.range(0.0, 1.5);
    let mut heights = vec![vec![0.0; columns]; rows];
    for row in &mut heights {
        for height in row {
            *height = -relief * random.unit();
        }
    }
    let edge = size * random.range(8.0, 16.0);
    scene.bodies.push(fixed("ground", Shape::height_field(heights, edge, edge)));
    catch(scene, 2.0 * relief + 4.0 * size);
    above(Pose::IDENTITY, 0.25 * edge)
}

/// A grid of triangles whose inner vertices are random heights.
fn mesh(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let cells = 3 + random.index(5);
    let edge = size * random.range(8.0, 16.0);
    let relief = if chance(random, 0.3) { 0.0 } else { size * random.range(0.0, 1.5) };
    let mut vertices = Vec::new();
    for j in 0..=cells {
        for i in 0..=cells {
            let at = |k: usize| edge * (k as f64 / cells as f64 - 0.5);
            vertices.push([at(i), at(j), -relief * random.unit()]);
        }
    }
    let number = |i: usize, j: usize| (j * (cells + 1) + i) as u32;
    let mut triangles = Vec::new();
    for j in 0..cells {
        for i in 0..cells {
            let (a, b) = (number(i, j), number(i + 1, j));
            let (c, d) = (number(i + 1, j + 1), number(i, j + 1));
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    scene.bodies.push(fixed("ground", Shape::mesh(vertices, triangles)));
    catch(scene, 2.0 * relief + 4.0 * size);
    above(Pose::IDENTITY, 0.25 * edge)
}

fn belt(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let speed = spin(random);
    scene.materials.insert("belt".into(), Material::new().surface_velocity(speed * size, 0.0, 0.0));
    let thick = 0.5 * size;
    let shape = Shape::cuboid(16.0 * size, 8.0 * size, thick).material("belt");
    scene.bodies.push(fixed("ground", shape).at(0.0, 0.0, -0.5 * thick));
    catch(scene, 4.0 * size);
    above(Pose::IDENTITY, 3.0 * size)
}

fn turntable(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    let (radius, thick) = (size * random.range(3.0, 8.0), size * random.range(0.2, 1.0));
    let disc = Shape::new(ShapeKind::Cylinder { radius, length: thick, axis: Axis::Z });
    let speed = spin(random);
    let mass = 1000.0 * std::f64::consts::PI * radius * radius * thick;
    let table = Body::driven("driver", [0.0; 3], [0.0, 0.0, speed]).shape(disc);
    scene.bodies.push(table.limit(limit(random, mass, size)).at(0.0, 0.0, -0.5 * thick));
    catch(scene, 4.0 * size);
    above(Pose::IDENTITY, 0.6 * radius)
}

fn pusher(random: &mut SplitMix, scene: &mut Scene, size: f64) -> Room {
    scene.bodies.push(fixed("ground", Shape::half_space()));
    let edge = 2.0 * size;
    let away = 3.0 * size + edge;
    let speed = size * log_range(random, 0.3, 10.0);
    let start = Vec3::new(-away, 0.0, 0.5 * edge + 0.1 * size);
    let shape = Shape::cuboid(edge, 4.0 * edge, edge);
    let mut driver = if chance(random, 0.5) {
        Body::driven("driver", [speed, 0.0, 0.0], [0.0; 3])
    } else {
        let frame = |t: f64, x: f64| {
            let position = Vec3::new(x, start.y, start.z);
            Keyframe { t, position, orientation: Quat::IDENTITY }
        };
        let there = 2.0 * away / speed;
        Body::on_path("driver", [frame(0.0, -away), frame(there, away), frame(2.0 * there, -away)])
    };
    driver = driver.shape(shape).at(start.x, start.y, start.z);
    let mass = 1000.0 * size * size * size;
    // A motor turns a body; along a line only power and impulse can be limited.
    let bound = limit(random, mass, size);
    if !matches!(bound, DriveLimit::Torque { .. }) {
        driver = driver.limit(bound);
    }
    scene.bodies.push(driver);
    above(Pose::IDENTITY, 2.0 * size)
}

/// A random limit of a driver that moves bodies of that mass [kg] and size [m].
fn limit(random: &mut SplitMix, mass: f64, size: f64) -> DriveLimit {
    let weight = mass * 9.81;
    match random.index(4) {
        0 => DriveLimit::Unlimited,
        1 => DriveLimit::Torque { max: weight * size * log_range(random, 0.01, 10.0) },
        2 => DriveLimit::Power { max: weight * size * log_range(random, 0.01, 10.0) },
        _ => DriveLimit::Cap { impulse: weight * log_range(random, 1e-4, 1.0) },
    }
}

/// True for a body with prescribed motion.
pub fn is_driven(body: &Body) -> bool {
    matches!(body.motion, Motion::Driven { .. })
}
