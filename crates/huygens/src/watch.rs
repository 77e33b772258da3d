//! What a scene expects, looked at while it runs.

use crate::handle::BodyId;
use crate::ledger::Account;
use crate::scene::{
    BodyQuantity, Check, DriverQuantity, During, JointQuantity, Quantity, Scene, Take, Unmet,
};
use crate::world::World;
use huygens_math::{Quat, Vec3, trig};
use std::collections::BTreeMap;

/// Looks at a run for its scene's `[expect]`: [`Watch::look`] at the start and after every step, [`Watch::unmet`] at the end.
///
/// ```
/// use huygens::World;
/// use huygens::scene::{Body, Quantity, Scene, Watch};
///
/// let scene = Scene::new().body(Body::dynamic("ball").sphere(0.5)).expect(Quantity::KineticEnergy, 0.0, 1.0);
/// let mut world = World::new(&scene)?;
/// let mut watch = Watch::new(&scene, &world);
/// for _ in 0..100 {
///     world.step();
///     watch.look(&world);
/// }
/// assert_eq!(watch.unmet(&world).len(), 1, "a ball of half a ton falls for 0.4 s");
/// # Ok::<(), huygens::SceneErrors>(())
/// ```
#[derive(Debug)]
pub struct Watch {
    up: Vec3,
    /// The bodies that the checks name, with their orientation at the start.
    bodies: BTreeMap<String, (BodyId, Quat)>,
    checks: Vec<Check>,
    windows: Vec<Window>,
}

/// A time of the run and what was seen in it.
#[derive(Debug)]
struct Window {
    during: During,
    seen: Vec<Option<Seen>>,
}

/// The value that decides about a check, and when it was.
#[derive(Clone, Copy, Debug)]
struct Seen {
    value: Option<f64>,
    time: f64,
}

impl Watch {
    /// For a run of `scene`, whose `world` is at its start.
    pub fn new(scene: &Scene, world: &World) -> Self {
        let expect = &scene.expect;
        let all = expect.checks.iter().chain(expect.during.iter().flat_map(|during| &during.checks));
        let mut bodies: BTreeMap<String, (BodyId, Quat)> = BTreeMap::new();
        for check in all {
            if let Quantity::Body(name, _) = &check.quantity {
                bodies.insert(name.clone(), (BodyId::NONE, Quat::IDENTITY));
            }
        }
        for body in world.bodies() {
            if let Some(known) = bodies.get_mut(body.name) {
                *known = (body.id, body.orientation);
            }
        }
        let window =
            |during: &During| Window { during: during.clone(), seen: vec![None; during.checks.len()] };
        let windows = expect.during.iter().map(window).collect();
        let mut watch = Self { up: scene.world.up(), bodies, checks: expect.checks.clone(), windows };
        watch.look(world);
        watch
    }

    /// Looks at the world after a step.
    pub fn look(&mut self, world: &World) {
        let mut windows = std::mem::take(&mut self.windows);
        let time = world.time();
        // Times are sums of steps: half a step more or less is the same step.
        let slack = 0.5 * world.model().settings.dt;
        for window in &mut windows {
            let during = &window.during;
            let begun = during.from.is_none_or(|from| time > from - slack);
            if !begun || during.until.is_some_and(|until| time > until + slack) {
                continue;
            }
            for (check, seen) in during.checks.iter().zip(&mut window.seen) {
                let now = Seen { value: self.value(world, &check.quantity), time };
                if during.take.prefers(check, now, *seen) {
                    *seen = Some(now);
                }
            }
        }
        self.windows = windows;
    }

    /// The checks that did not hold; the world is at the end of the run.
    pub fn unmet(&self, world: &World) -> Vec<Unmet> {
        let judge = |check: &Check, value: Option<f64>, time: Option<f64>| {
            let holds = value.is_some_and(|x| check.band.holds(x));
            (!holds).then(|| Unmet { check: check.clone(), value, time })
        };
        let at_end =
            self.checks.iter().filter_map(|check| judge(check, self.value(world, &check.quantity), None));
        let in_windows = self.windows.iter().flat_map(|window| {
            window.during.checks.iter().zip(&window.seen).filter_map(|(check, seen)| {
                judge(check, seen.and_then(|seen| seen.value), seen.map(|seen| seen.time))
            })
        });
        at_end.chain(in_windows).collect()
    }

    /// A quantity now; `None` when the world has no such thing.
    fn value(&self, world: &World, quantity: &Quantity) -> Option<f64> {
        let ledger = world.ledger();
        Some(match quantity {
            Quantity::KineticEnergy => world.kinetic_energy(),
            Quantity::Energy => world.energy(),
            Quantity::EnergyChange => world.report().energy_change,
            Quantity::Contacts => world.report().contacts as f64,
            Quantity::MaxPenetration => world.max_penetration(),
            Quantity::MaxPenetrationEnd => world.penetration(),
            Quantity::Ledger("unexplained") => ledger.unexplained(),
            Quantity::Ledger("worst_step_unexplained") => ledger.worst_step_unexplained(),
            Quantity::Ledger(name) => {
                ledger.get(*Account::ALL.iter().find(|account| account.name() == *name)?)
            }
            Quantity::Body(name, field) => self.of_body(world, name, *field)?,
            Quantity::Driver(name, field) => {
                let record = world.drivers().find(|driver| driver.name == name)?.record;
                match field {
                    DriverQuantity::Work => record.work,
                    DriverQuantity::PeakForce => record.peak_force,
                    DriverQuantity::PeakTorque => record.peak_torque,
                }
            }
            Quantity::Joint(name, field) => {
                let joint = world.joints().find(|joint| joint.name == name)?;
                match field {
                    JointQuantity::Q => joint.q,
                    JointQuantity::V => joint.v,
                }
            }
        })
    }

    fn of_body(&self, world: &World, name: &str, field: BodyQuantity) -> Option<f64> {
        let (id, start) = self.bodies.get(name)?;
        let body = world.body(*id).ok()?;
        let (p, v, w) = (body.position, body.linear_velocity, body.angular_velocity);
        Some(match field {
            BodyQuantity::X => p.x,
            BodyQuantity::Y => p.y,
            BodyQuantity::Z => p.z,
            BodyQuantity::Height => p.dot(self.up),
            BodyQuantity::Vx => v.x,
            BodyQuantity::Vy => v.y,
            BodyQuantity::Vz => v.z,
            BodyQuantity::Speed => v.length(),
            BodyQuantity::Wx => w.x,
            BodyQuantity::Wy => w.y,
            BodyQuantity::Wz => w.z,
            BodyQuantity::Spin => w.length(),
            BodyQuantity::KineticEnergy => body.kinetic_energy,
            BodyQuantity::Turn => trig::rotation_angle(start.conjugate() * body.orientation),
            BodyQuantity::Tilt => {
                // The body's axis that is nearest to the vertical, whichever face it stands on.
                let up = body.orientation.conjugate() * self.up;
                trig::angle_between(up.abs(), nearest_axis(up.abs()))
            }
        })
    }
}

/// The coordinate axis that a vector without negative components is nearest to.
fn nearest_axis(v: Vec3) -> Vec3 {
    if v.z >= v.x && v.z >= v.y {
        Vec3::Z
    } else if v.y >= v.x {
        Vec3::Y
    } else {
        Vec3::X
    }
}

impl Take {
    /// Whether `now` decides rather than what was seen before.
    fn prefers(self, check: &Check, now: Seen, before: Option<Seen>) -> bool {
        let Some(before) = before else { return true };
        let (Some(value), Some(old)) = (now.value, before.value) else { return before.value.is_some() };
        match self {
            // The first that does not hold; as long as all do, the last.
            Self::Every => check.band.holds(old),
            Self::Most => value > old || value.is_nan(),
            Self::Least => value < old || value.is_nan(),
        }
    }
}
