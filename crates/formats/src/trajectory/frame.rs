//! What is written of a world at one time.

use huygens::ledger::Account;
use huygens::model::Motion;
use huygens::{BodyId, World};
use huygens_math::scalar::max;
use huygens_math::{Quat, Vec3};
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
    side: HashMap<BodyId, Side>,
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
}

impl Cast {
    pub fn of(world: &World) -> Self {
        let mut cast = Self::default();
        let models = world.model().bodies.iter().filter(|body| !body.removed);
        for (body, model) in world.bodies().zip(models) {
            let side = if body.motion == Motion::Static {
                cast.fixed.push(body.name.to_owned());
                Side::Fixed(cast.fixed.len() as u32 - 1)
            } else {
                let reaches = model.shapes.iter().map(|slot| world.model().shapes[*slot as usize].reach);
                cast.names.push(body.name.to_owned());
                cast.sizes.push(reaches.filter(|reach| reach.is_finite()).fold(0.0, max));
                Side::Moving(cast.names.len() as u32 - 1)
            };
            cast.side.insert(body.id, side);
        }
        cast
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
        let moving = world.bodies().filter(|body| body.motion != Motion::Static);
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
        self.read_contacts(world, cast)
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

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "bodies were added or removed while the motion was written")
}
