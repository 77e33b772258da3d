//! The only file that touches the engine: a world in, plain numbers out.

use crate::Failure;
use crate::robot::Pilot;
use huygens::MotionKind;
use huygens::contact::Certificate;
use huygens::ledger::Account;
use huygens::math::{Quat, Vec3};
use huygens::state::{Broken, MotorRecord};
use huygens::{JointLoad, JointView, MechanismReport, Scene, SceneErrors, TendonView, World};
use huygens_formats::mjcf::Readings;

/// A run that is under way.
pub struct Simulation {
    world: World,
    pilots: Vec<Pilot>,
    certificate: Certificate,
    quarantined: u64,
    mechanisms: MechanismReport,
    unsolved: u64,
}

/// A body that can move, at the end of a run.
#[derive(Clone, Debug)]
pub struct BodyState {
    pub name: String,
    pub position: Vec3,
    pub orientation: Quat,
    pub linear_velocity: Vec3,
    pub angular_velocity: Vec3,
    pub asleep: bool,
}

/// A driver, at the end of a run.
#[derive(Clone, Debug)]
pub struct DriverState {
    pub name: String,
    pub work: f64,
    pub peak_force: f64,
    pub peak_torque: f64,
}

/// A joint, at the end of a run.
#[derive(Clone, Debug)]
pub struct JointState {
    pub name: String,
    pub q: f64,
    pub v: f64,
    /// All of its coordinates, of a ball joint the quaternion w, x, y, z.
    pub coordinates: Vec<f64>,
    /// All of its velocities.
    pub velocities: Vec<f64>,
    /// Force and torque that the parent gave to the child in the last step.
    pub load: JointLoad,
    pub motor: MotorRecord,
}

/// A tendon at the end.
#[derive(Clone, Debug)]
pub struct TendonState {
    pub name: String,
    pub length: f64,
    pub tension: f64,
}

impl TendonState {
    fn of(view: TendonView) -> Self {
        Self { name: view.name.to_owned(), length: view.length, tension: view.tension }
    }
}

/// All that is told of a run, except how long it took.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub steps: u64,
    pub time: f64,
    pub energy_start: f64,
    pub energy_end: f64,
    /// Every account in the order of INTERFACE.md, then `unexplained` and `worst_step_unexplained`.
    pub ledger: Vec<(&'static str, f64)>,
    /// The largest ratio of what a step left unexplained to what round-off may leave.
    pub worst_ratio: f64,
    /// Static bodies are left out.
    pub bodies: Vec<BodyState>,
    pub joints: Vec<JointState>,
    pub broken: Vec<Broken>,
    pub tendons: Vec<TendonState>,
    pub drivers: Vec<DriverState>,
    /// Contact points of the last step.
    pub contacts: u64,
    pub max_penetration: f64,
    pub max_penetration_end: f64,
    /// Worst step: gap, cone, complementarity, dissipation, momentum, natural_map.
    pub certificate: [(&'static str, f64); 6],
    pub hash: u64,
    /// Bodies that were stopped because a number was not finite.
    pub quarantined: u64,
    /// Worst step of the loops, gears and rods.
    pub mechanisms: MechanismReport,
    /// Steps whose mechanisms were not solved.
    pub unsolved: u64,
}

/// One contact model, for `huygens solvers`.
pub struct SolverInfo {
    pub name: &'static str,
    pub law: &'static str,
    /// Name, default and meaning.
    pub parameters: Vec<[&'static str; 3]>,
}

impl Simulation {
    /// The start of `scene`.
    pub fn new(scene: &Scene) -> Result<Self, SceneErrors> {
        let mut world = World::new(scene)?;
        world.want_certificate(true);
        Ok(Self {
            world,
            pilots: Vec::new(),
            certificate: Certificate::default(),
            quarantined: 0,
            mechanisms: MechanismReport::default(),
            unsolved: 0,
        })
    }

    /// Gives the world its robots.
    pub fn set_pilots(&mut self, pilots: Vec<Pilot>) {
        self.pilots = pilots;
    }

    /// Coordinates, controls and sensors of the robot that the scene is made of.
    pub fn readings(&self) -> Option<Readings<'_>> {
        self.pilots.first().filter(|pilot| pilot.is_whole()).map(Pilot::readings)
    }

    /// One step; robots act in it.
    pub fn step_with_robots(&mut self) -> Result<(), Failure> {
        for pilot in &mut self.pilots {
            pilot.before_step(&mut self.world)?;
        }
        self.step();
        for pilot in &mut self.pilots {
            pilot.after_step(&self.world);
        }
        Ok(())
    }

    /// One step.
    pub fn step(&mut self) {
        let report = self.world.step();
        self.quarantined += report.quarantined.len() as u64;
        self.mechanisms = self.mechanisms.with(&report.mechanisms);
        self.unsolved += u64::from(!report.mechanisms.is_solved());
        if let Some(certificate) = report.certificate {
            self.certificate = self.certificate.worst(certificate);
        }
    }

    /// What is simulated, as it is now.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The world, to be taken to another state.
    pub fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// How often a body was stopped because a number was not finite.
    pub fn quarantined(&self) -> u64 {
        self.quarantined
    }

    /// The state now, and the books of the run.
    pub fn outcome(&self) -> Outcome {
        let world = &self.world;
        let ledger = world.ledger();
        let mut accounts: Vec<(&'static str, f64)> =
            Account::ALL.iter().map(|account| (account.name(), ledger.get(*account))).collect();
        accounts.push(("unexplained", ledger.unexplained()));
        accounts.push(("worst_step_unexplained", ledger.worst_step_unexplained()));
        let moving = world.bodies().filter(|body| body.motion != MotionKind::Static);
        let drivers = world.drivers().map(|driver| DriverState {
            name: driver.name.to_owned(),
            work: driver.record.work,
            peak_force: driver.record.peak_force,
            peak_torque: driver.record.peak_torque,
        });
        let c = self.certificate;
        Outcome {
            steps: world.steps(),
            time: world.time(),
            energy_start: ledger.energy_start(),
            energy_end: world.energy(),
            ledger: accounts,
            worst_ratio: ledger.worst_ratio(),
            bodies: moving
                .map(|body| BodyState {
                    name: body.name.to_owned(),
                    position: body.position,
                    orientation: body.orientation,
                    linear_velocity: body.linear_velocity,
                    angular_velocity: body.angular_velocity,
                    asleep: body.asleep,
                })
                .collect(),
            joints: joints(world),
            broken: world.state().broken.clone(),
            tendons: world.tendons().map(TendonState::of).collect(),
            drivers: drivers.collect(),
            contacts: world.report().contacts as u64,
            max_penetration: world.max_penetration(),
            max_penetration_end: world.penetration(),
            certificate: [
                ("gap", c.gap),
                ("cone", c.cone),
                ("complementarity", c.complementarity),
                ("dissipation", c.dissipation),
                ("momentum", c.momentum),
                ("natural_map", c.natural_map),
            ],
            hash: world.hash(),
            quarantined: self.quarantined,
            mechanisms: self.mechanisms,
            unsolved: self.unsolved,
        }
    }
}

/// The joints now, with what they carried in the last step.
fn joints(world: &World) -> Vec<JointState> {
    let loads = world.joint_loads().into_iter().zip(world.motor_records());
    let state = |(joint, (load, motor)): (JointView, (JointLoad, MotorRecord))| JointState {
        name: joint.name.to_owned(),
        q: joint.q,
        v: joint.v,
        coordinates: joint.coordinates.to_vec(),
        velocities: joint.velocities.to_vec(),
        load,
        motor,
    };
    world.joints().zip(loads).map(state).collect()
}

/// Every contact model.
pub fn solvers() -> Vec<SolverInfo> {
    huygens::contact::SolverKind::ALL
        .iter()
        .map(|kind| SolverInfo {
            name: kind.name(),
            law: kind.law(),
            parameters: kind.parameters().iter().map(|p| [p.name, p.default, p.meaning]).collect(),
        })
        .collect()
}
