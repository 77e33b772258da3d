//! A character that a player steers: it slides along walls, climbs steps and slopes that are not too steep, falls, stands on what moves, and
//! pushes boxes aside. It is a driven body: shape casts say how far it may go, its velocity says so to the engine.

use huygens::geometry::CollisionShape;
use huygens::math::{Pose, Quat, Vec3, scalar, trig};
use huygens::scene::{Body, Scene, Shape};
use huygens::{Among, BodyId, Hit, SceneErrors, World};

/// Radius and length of the middle part of its capsule [m].
const SIZE: [f64; 2] = [0.3, 1.0];
/// Distance that it keeps from all things [m].
const SKIN: f64 = 0.01;
/// Height of the highest step that it climbs [m].
const STEP: f64 = 0.3;
/// Cosine of the steepest slope that it climbs: 45°.
const STEEP: f64 = std::f64::consts::FRAC_1_SQRT_2;
const DOWN: Vec3 = Vec3::NEG_Z;

/// What steers the capsule.
#[derive(Debug)]
pub struct Character {
    body: BodyId,
    form: CollisionShape,
    /// Speed of its fall [m/s].
    fall: f64,
    /// It stands on something.
    pub stands: bool,
}

impl Character {
    /// The character whose body has this name.
    pub fn new(world: &World, name: &str) -> Option<Self> {
        let form = CollisionShape::capsule(SIZE[0], SIZE[1]).ok()?;
        Some(Self { body: world.find(name)?, form, fall: 0.0, stands: false })
    }

    /// What it meets first on a way, of all that it cannot push aside.
    fn cast(&self, world: &World, from: Vec3, way: Vec3) -> Option<Hit> {
        let heavy = |id: BodyId, _| world.body(id).is_ok_and(|body| !body.motion.is_moved_by_forces());
        let among = Among { except: Some(self.body), only: Some(&heavy), ..Among::ALL };
        // What it leaves does not hold it.
        let hit = world.cast_shape(&self.form, &Pose::new(Quat::IDENTITY, from), way, among)?;
        (hit.normal.dot(way) < 0.0).then_some(hit)
    }

    /// Goes along `way` and slides along what it meets; returns where it gets.
    fn slide(&self, world: &World, mut at: Vec3, mut way: Vec3) -> Vec3 {
        for _ in 0..4 {
            let length = way.length();
            if length < 1e-6 {
                break;
            }
            let ahead = way * (1.0 + SKIN / length);
            let Some(hit) = self.cast(world, at, ahead) else { return at + way };
            let free = scalar::clamp(hit.time * ahead.length() - SKIN, 0.0, length);
            at += way * (free / length);
            way *= 1.0 - free / length;
            // Walls and steep slopes turn it aside, never up.
            let is_wall = hit.normal.z < STEEP;
            let across = if is_wall { flat(hit.normal).normalize_or_zero() } else { hit.normal };
            way -= across * scalar::min(across.dot(way), 0.0);
        }
        at
    }

    /// Steers it for one step of the world with a velocity along the ground [m/s].
    pub fn walk(&mut self, world: &mut World, steer: Vec3) {
        let dt = world.choices().dt;
        let Ok(from) = world.body(self.body).map(|body| body.position) else { return };
        let way = flat(steer) * dt;
        let mut to = self.slide(world, from, way);
        if self.stands {
            // Over a step: up, along, and down again, if that leads farther.
            let up = self.cast(world, from, Vec3::Z * STEP).map_or(STEP, |hit| hit.time * STEP);
            let over = self.slide(world, from + Vec3::Z * up, way);
            if let Some(hit) = self.cast(world, over, DOWN * (up + STEP))
                && hit.normal.z > STEEP
                && flat(over - from).length() > flat(to - from).length() + 1e-4
            {
                to = over + DOWN * (hit.time * (up + STEP) - SKIN);
            }
        }
        self.fall += 9.81 * dt;
        let reach = self.fall * dt + if self.stands { STEP } else { 0.0 } + SKIN;
        let ground = self.cast(world, to, DOWN * reach);
        self.stands = ground.is_some_and(|hit| hit.normal.z > STEEP);
        match ground {
            Some(hit) if self.stands => {
                self.fall = 0.0;
                to += DOWN * (hit.time * reach - SKIN);
                // What it stands on takes it along.
                if let Ok(floor) = world.body(hit.body) {
                    to += flat(floor.linear_velocity) * dt;
                }
            }
            // Too steep to stand: it slides down.
            _ => to = self.slide(world, to, DOWN * (self.fall * dt)),
        }
        let velocity = huygens::math::Twist::new((to - from) / dt, Vec3::ZERO);
        assert!(world.set_velocity(self.body, velocity).is_ok(), "it is driven, and its speed is finite");
    }
}

/// The part along the ground.
fn flat(v: Vec3) -> Vec3 {
    Vec3::new(v.x, v.y, 0.0)
}

/// Walks over steps, up a ramp, against a wall, and pushes a box.
pub fn main() -> Result<(), SceneErrors> {
    let block =
        |name: &str, size: [f64; 3]| Body::fixed(name).shape(Shape::cuboid(size[0], size[1], size[2]));
    let mut scene = Scene::new()
        .dt(1.0 / 60.0)
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(
            Body::driven("player", [0.0; 3], [0.0; 3])
                .shape(Shape::capsule(SIZE[0], SIZE[1]))
                .at(0.0, 0.0, 1.5),
        )
        .body(block("wall", [0.2, 4.0, 3.0]).at(9.0, 0.0, 1.5))
        .body(block("ramp", [4.0, 2.0, 0.2]).at(0.0, 6.0, 0.9).turned([1.0, 0.0, 0.0], trig::atan2(1.0, 2.0)))
        .body(Body::dynamic("crate").cuboid(0.5, 0.5, 0.5).mass(10.0).at(2.0, 0.0, 0.25));
    for i in 0..3 {
        let height = 0.2 * f64::from(i + 1);
        scene = scene.body(block(&format!("step {i}"), [0.5, 4.0, height]).at(
            5.0 + 0.5 * f64::from(i),
            0.0,
            height / 2.0,
        ));
    }
    let mut world = World::new(&scene)?;
    let Some(mut player) = Character::new(&world, "player") else { return Ok(()) };
    let mut highest: f64 = 0.0;
    while world.time() < 8.0 {
        player.walk(&mut world, Vec3::new(2.0, 0.3, 0.0));
        world.step();
        let Ok(seen) = world.body(player.body) else { continue };
        highest = scalar::max(highest, seen.position.z);
        assert!(seen.position.z > 0.79, "it stands on the floor, not in it");
    }
    let place =
        |name| world.find(name).and_then(|id| world.body(id).ok()).map_or(Vec3::NAN, |body| body.position);
    println!("player at {:.2}, highest at {highest:.2} m, crate at {:.2}", place("player"), place("crate"));
    assert!(highest > 0.6 + 0.8, "it climbed the stairs");
    assert!(
        (place("player").x - (9.0 - 0.1 - SIZE[0])).abs() < 0.05 || place("player").y > 2.0,
        "the wall holds it"
    );
    assert!((place("crate") - Vec3::new(2.0, 0.0, 0.25)).length() > 0.3, "it pushed the crate aside");
    Ok(())
}
