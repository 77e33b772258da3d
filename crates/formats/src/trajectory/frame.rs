//! What is written of a world at one time.

use crate::mjcf::Readings;
use huygens::geometry::CollisionShape;
use huygens::geometry::tessellation::{Fineness, Surface};
use huygens::ledger::Account;
use huygens::model::Model;
use huygens::scene::{JointKind, Scene};
use huygens::{BodyId, World};
use huygens_math::scalar::max;
use huygens_math::{Pose, Quat, Vec3};
use std::collections::HashMap;
use std::io;

/// Energy accounts of a ledger.
pub(super) const ACCOUNTS: usize = Account::ALL.len();

/// Who is in a motion: the bodies that are written, and those that stand still and are only named by contacts.
#[derive(Debug, Default)]
pub(super) struct Cast {
    /// Names of the bodies that are written, in order.
    pub names: Vec<String>,
    /// Radius of a ball about each body's centre of mass that holds it [m]; 0 where there is none.
    pub sizes: Vec<f64>,
    /// Names of the static bodies.
    pub fixed: Vec<String>,
    /// The surfaces of all shapes.
    pub surfaces: Vec<CastSurface>,
    /// The joints of the scene, in its order.
    pub joints: Vec<CastJoint>,
    /// What a robot tells beside its bodies.
    pub channels: Vec<Channel>,
    /// Of a mechanism: who each link is.
    pub links: Vec<Side>,
    pub side: HashMap<BodyId, Side>,
}

/// The surface of a shape, in triangles.
#[derive(Debug)]
pub(super) struct CastSurface {
    pub side: Side,
    /// Corners in the frame of the body [m].
    pub points: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

/// A joint, seen from the body that it carries.
#[derive(Debug)]
pub(super) struct CastJoint {
    pub name: String,
    pub child: Side,
    /// Its place and axis in the frame of the child.
    pub at: Vec3,
    pub axis: Vec3,
}

/// A list of numbers that a robot tells at every step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Channel {
    pub name: String,
    /// Numbers in it.
    pub width: usize,
    pub is_sensor: bool,
}

/// One side of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// A body that is written: its number.
    Moving(u32),
    /// A static body: its number among those.
    Fixed(u32),
}

/// One body at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyFrame {
    pub position: Vec3,
    pub orientation: Quat,
    pub linear_velocity: Vec3,
    pub angular_velocity: Vec3,
    pub kinetic_energy: f64,
}

/// One contact point of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactFrame {
    pub side: [Side; 2],
    pub point: Vec3,
    pub normal: Vec3,
    /// Mean force on the first body in the step [N].
    pub force: Vec3,
    pub gap: f64,
    pub slip: Vec3,
}

/// One joint at one time.
#[derive(Clone, Copy, Debug)]
pub(super) struct JointFrame {
    pub q: f64,
    pub v: f64,
    /// Its place and axis in the world.
    pub at: Vec3,
    pub axis: Vec3,
}

/// A world at one time.
#[derive(Debug, Default)]
pub(super) struct Frame {
    pub step: u64,
    pub time: f64,
    pub energy: f64,
    pub kinetic_energy: f64,
    /// What each account has brought in since the start [J].
    pub ledger: [f64; ACCOUNTS],
    pub bodies: Vec<BodyFrame>,
    pub contacts: Vec<ContactFrame>,
    /// In the order of the cast's joints.
    pub joints: Vec<JointFrame>,
    /// Frames of the static bodies.
    pub fixed: Vec<Pose>,
    /// Numbers of all channels, one after the other.
    pub channels: Vec<f64>,
}

/// Faces around an axis of a surface.
pub(super) const AROUND: usize = 16;

impl Cast {
    /// With the joints of the scene that the world was made of.
    pub fn of_scene(world: &World, scene: &Scene) -> Self {
        let mut cast = Self::of(world);
        let moving = scene.joints.iter().filter(|joint| joint.kind != JointKind::Free);
        let joints = moving.filter_map(|joint| {
            let child = world.bodies().find(|body| body.name == joint.child)?;
            let child_from_world = Pose::new(child.orientation, child.position).inverse();
            Some(CastJoint {
                name: joint.name.clone(),
                child: *cast.side.get(&child.id)?,
                at: child_from_world.transform(joint.anchor),
                axis: child_from_world.rotate(joint.axis).normalize_or(Vec3::Z),
            })
        });
        cast.joints = joints.collect();
        cast
    }

    /// The same with what a robot tells.
    pub fn of_robot(world: &World, scene: &Scene, readings: &Readings) -> Self {
        Self { channels: channels(readings), ..Self::of_scene(world, scene) }
    }

    pub fn of(world: &World) -> Self {
        let mut cast = Self::default();
        let models = world.model().bodies.iter().filter(|body| !body.removed);
        for (body, model) in world.bodies().zip(models) {
            let side = if body.motion == huygens::MotionKind::Static {
                cast.fixed.push(body.name.to_owned());
                Side::Fixed(cast.fixed.len() as u32 - 1)
            } else {
                let reaches = model.shapes.iter().map(|slot| world.model().shapes[*slot as usize].reach);
                cast.names.push(body.name.to_owned());
                cast.sizes.push(reaches.filter(|reach| reach.is_finite()).fold(0.0, max));
                Side::Moving(cast.names.len() as u32 - 1)
            };
            cast.side.insert(body.id, side);
            cast.surfaces.extend(surfaces(world, &model.shapes, side));
        }
        cast
    }

    /// The number by which grids and names.csv know a body: those that move first, then the static ones.
    pub fn id(&self, side: Side) -> i64 {
        match side {
            Side::Moving(i) => i64::from(i),
            Side::Fixed(i) => self.names.len() as i64 + i64::from(i),
        }
    }

    /// The name of one side of a contact.
    pub fn name(&self, side: Side) -> &str {
        match side {
            Side::Moving(i) => &self.names[i as usize],
            Side::Fixed(i) => &self.fixed[i as usize],
        }
    }
}

impl Frame {
    /// Reads a world; the room of the last reading is used again.
    ///
    /// # Errors
    /// When bodies were added or removed since the cast was made: a file has the same bodies from its start to its end.
    pub fn read(&mut self, world: &World, cast: &Cast) -> io::Result<()> {
        (self.step, self.time) = (world.steps(), world.time());
        (self.energy, self.kinetic_energy) = (world.energy(), world.kinetic_energy());
        self.ledger = Account::ALL.map(|account| world.ledger().get(account));
        self.bodies.clear();
        let moving = world.bodies().filter(|body| body.motion != huygens::MotionKind::Static);
        for (body, number) in moving.zip(0..) {
            if cast.side.get(&body.id) != Some(&Side::Moving(number)) {
                return Err(changed());
            }
            self.bodies.push(BodyFrame {
                position: body.position,
                orientation: body.orientation,
                linear_velocity: body.linear_velocity,
                angular_velocity: body.angular_velocity,
                kinetic_energy: body.kinetic_energy,
            });
        }
        if self.bodies.len() != cast.names.len() {
            return Err(changed());
        }
        self.fixed.clear();
        let still = world.bodies().filter(|body| body.motion == huygens::MotionKind::Static);
        self.fixed.extend(still.map(|body| Pose::new(body.orientation, body.position)));
        self.read_joints(world, cast);
        self.read_contacts(world, cast)
    }

    /// Reads what a robot tells.
    pub fn read_robot(&mut self, readings: &Readings) {
        self.channels.clear();
        readings.lists().iter().for_each(|(_, values)| self.channels.extend_from_slice(values));
        readings.sensors().for_each(|(_, values)| self.channels.extend_from_slice(values));
    }

    fn read_joints(&mut self, world: &World, cast: &Cast) {
        let of = |joint: &CastJoint| world.joints().find(|view| view.name == joint.name);
        self.put_joints(cast, |_, joint| of(joint).map_or((0.0, 0.0), |state| (state.q, state.v)));
    }

    /// Puts all joints where they are; `coordinate` gives q and v of one by its number.
    pub fn put_joints(&mut self, cast: &Cast, coordinate: impl Fn(usize, &CastJoint) -> (f64, f64)) {
        self.joints.clear();
        for (i, joint) in cast.joints.iter().enumerate() {
            let child = self.pose(joint.child);
            let (q, v) = coordinate(i, joint);
            let (at, axis) = (child.transform(joint.at), child.rotate(joint.axis));
            self.joints.push(JointFrame { q, v, at, axis });
        }
    }

    /// The frame of a body in the world.
    pub fn pose(&self, side: Side) -> Pose {
        match side {
            Side::Moving(i) => {
                let body = &self.bodies[i as usize];
                Pose::new(body.orientation, body.position)
            }
            Side::Fixed(i) => self.fixed.get(i as usize).copied().unwrap_or(Pose::IDENTITY),
        }
    }

    fn read_contacts(&mut self, world: &World, cast: &Cast) -> io::Result<()> {
        self.contacts.clear();
        let dt = world.model().settings.dt;
        for contact in world.contacts() {
            let [Some(a), Some(b)] = contact.bodies.map(|body| cast.side.get(&body).copied()) else {
                return Err(changed());
            };
            self.contacts.push(ContactFrame {
                side: [a, b],
                point: contact.point,
                normal: contact.normal,
                force: contact.impulse / dt,
                gap: contact.gap,
                slip: contact.slip,
            });
        }
        Ok(())
    }
}

/// The lists that a robot tells.
pub(super) fn channels(readings: &Readings) -> Vec<Channel> {
    let list = |(name, values): (&str, &[f64]), is_sensor: bool| Channel {
        name: name.to_owned(),
        width: values.len(),
        is_sensor,
    };
    let mut channels: Vec<Channel> = readings.lists().map(|of| list(of, false)).into();
    channels.extend(readings.sensors().map(|(name, values)| list((&name, values), true)));
    channels
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "bodies were added or removed while the motion was written")
}

/// The surfaces of a body's shapes, in its frame; sensors have none.
fn surfaces(world: &World, shapes: &[u32], side: Side) -> Vec<CastSurface> {
    let model = world.model();
    let shapes = shapes.iter().map(|slot| &model.shapes[*slot as usize]).filter(|shape| !shape.sensor);
    let surface = |shape: &huygens::model::ShapeModel| {
        // An endless plane is shown as far as bodies are at the start, and again as far.
        let reach = if matches!(shape.shape, CollisionShape::HalfSpace) { spread(world, model) } else { 0.0 };
        let surface = Surface::of(&shape.shape, Fineness { around: AROUND, reach });
        let center = model.bodies[shape.body as usize].center;
        let points = surface.points.iter().map(|point| center + shape.in_body.transform(*point)).collect();
        CastSurface { side, points, triangles: surface.triangles().collect() }
    };
    shapes.map(surface).collect()
}

/// Twice the distance of the farthest body from the origin, its size included, and ten times a typical body at least [m].
fn spread(world: &World, model: &Model) -> f64 {
    let sizes = model.shapes.iter().map(|shape| shape.reach).filter(|reach| reach.is_finite()).fold(0.0, max);
    let moving = world.bodies().filter(|body| body.motion != huygens::MotionKind::Static);
    let far = moving.map(|body| body.position.length()).filter(|far| far.is_finite()).fold(0.0, max);
    max(2.0 * (far + sizes), 10.0 * model.settings.length)
}
