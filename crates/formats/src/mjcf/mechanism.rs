//! From a compiled model to a mechanism that moves.

use super::error::Fault;
use super::mech::{
    self, Drag, Ellipsoid, Forward, Integration, JointProperties, Mechanism, MechanismState, Medium,
    PathPart, Place, Sensor, SensorKind, Switches, WrapGeom, forward, inertia_box, semi_axes,
};
use super::model::{
    self, DynKind, Frame, GainKind, GeomKind, IntegratorKind, JointKind, Model, Transmission, Wrap,
};
use super::soft;
use huygens_dynamics::{Joint, JointKind as TreeJoint, Link, Tree};
use huygens_math::{Pose, Sym3, Vec3, scalar};

/// A mass matrix of more dofs takes more than a gigabyte with its factors.
const MOST_DOFS: usize = 6000;

/// A model that can be moved: its mechanism and its sensors.
#[derive(Clone, Debug)]
pub struct Machine {
    /// The tree with its forces.
    pub mechanism: Mechanism,
    /// Its sensors, in the model's order.
    pub sensors: Vec<Sensor>,
}

impl Machine {
    /// The mechanism of a model. What MuJoCo computes at the start pose is resolved here: damping ratios, springs by time constant, lengths of
    /// slack tendons, scale of muscles.
    ///
    /// # Errors
    /// When a dof moves no mass.
    pub fn new(model: &Model) -> Result<Self, Fault> {
        let mut machine = Self::bare(model)?;
        soft::find_length_ranges(model, &mut machine)?;
        Ok(machine)
    }

    /// The same without ranges of lengths that only a trial finds.
    pub(super) fn bare(model: &Model) -> Result<Self, Fault> {
        if model.nv > MOST_DOFS {
            let message =
                format!("the model has {} dofs; its mass matrix is kept whole up to {MOST_DOFS}", model.nv);
            return Err(Fault::of_file(message, "Split the model."));
        }
        let tree = tree(model, &[]).map_err(|e| Fault::of_file(format!("the model is no tree: {e}"), ""))?;
        let mut mechanism = Mechanism {
            tree,
            offset: offsets(model),
            start: model.qpos0.clone(),
            joints: joints(model),
            gravity: model.options.gravity,
            gravity_compensation: model.bodies.iter().map(|b| b.gravcomp).collect(),
            inertial: model.bodies.iter().map(|b| b.inertial).collect(),
            medium: Medium {
                density: model.options.density,
                viscosity: model.options.viscosity,
                wind: model.options.wind,
            },
            drag: drags(model),
            sites: model.sites.iter().map(|s| Place { link: s.body, pose: s.pose }).collect(),
            wraps: model.geoms.iter().map(wrap_geom).collect(),
            tendons: model.tendons.iter().map(|t| tendon(model, t)).collect(),
            actuators: actuators(model),
            switches: switches(model),
            integration: integration(model.options.integrator),
            timestep: model.options.timestep,
            standalone: standalone(model),
        };
        resolve(model, &mut mechanism)?;
        Ok(Self { sensors: model.sensors.iter().map(|s| sensor(model, s)).collect(), mechanism })
    }

    /// The state at the start.
    pub fn start(&self) -> MechanismState {
        MechanismState {
            qpos: self.mechanism.start.clone(),
            qvel: vec![0.0; self.mechanism.tree.dofs()],
            act: vec![0.0; self.mechanism.actuators.iter().map(|a| a.act.len()).sum()],
            ctrl: vec![0.0; self.mechanism.actuators.last().map_or(0, |a| a.controls.end)],
            ..MechanismState::default()
        }
    }

    /// Moves mocap bodies to other poses, in the order of their ids.
    pub fn place_mocap(&mut self, model: &Model, poses: &[Pose]) {
        if let Ok(tree) = tree(model, poses) {
            self.mechanism.tree = tree;
        }
    }
}

/// How MuJoCo's words for integrators are called here.
pub(super) fn integration(kind: IntegratorKind) -> Integration {
    match kind {
        IntegratorKind::Euler => Integration::Euler,
        IntegratorKind::Rk4 => Integration::Rk4,
        IntegratorKind::Implicit => Integration::Implicit,
        IntegratorKind::ImplicitFast | IntegratorKind::Discrete => Integration::ImplicitFast,
    }
}

fn switches(model: &Model) -> Switches {
    let on = |flag: &str| model.options.on(flag);
    Switches {
        spring: on("spring"),
        damper: on("damper"),
        gravity: on("gravity"),
        actuation: on("actuation"),
        clampctrl: on("clampctrl"),
        eulerdamp: on("eulerdamp"),
    }
}

/// Armature and damping that actuators add to a joint or tendon: gear² times theirs.
pub(super) fn actuator_share(model: &Model, which: &Transmission) -> (f64, [f64; 3]) {
    let (mut armature, mut damping) = (0.0, [0.0; 3]);
    for a in model.actuators.iter().filter(|a| a.transmission == *which) {
        let squared = a.gear[0] * a.gear[0];
        armature += squared * a.armature;
        (0..3).for_each(|k| damping[k] += squared * a.damping[k]);
    }
    (armature, damping)
}

fn tree(model: &Model, mocap: &[Pose]) -> Result<Tree, huygens_dynamics::TreeError> {
    let mut links = Vec::with_capacity(model.bodies.len());
    for (i, body) in model.bodies.iter().enumerate() {
        let parent = (i > 0 && body.parent > 0).then_some(body.parent);
        let pose = body.mocap.and_then(|id| mocap.get(id).copied()).unwrap_or(body.pose);
        let mut list: Vec<Joint> = Vec::new();
        for (k, joint) in model.joints[body.joints.clone()].iter().enumerate() {
            let anchor = Pose::at(joint.pos);
            let before = if k == 0 { pose * anchor } else { anchor };
            let kind = match joint.kind {
                JointKind::Free => TreeJoint::FreeLocal,
                JointKind::Ball => TreeJoint::BallLocal,
                JointKind::Hinge => TreeJoint::Hinge,
                JointKind::Slide => TreeJoint::Slide,
            };
            let share = actuator_share(model, &Transmission::Joint(body.joints.start + k)).0;
            list.push(Joint {
                kind,
                parent_from_joint: before,
                child_from_joint: anchor,
                axis: joint.axis,
                armature: joint.armature + share,
                ..Joint::fixed(pose)
            });
        }
        if list.is_empty() {
            list.push(Joint::fixed(pose));
        }
        links.push(Link {
            parent,
            joints: list,
            mass: body.mass,
            com: body.inertial.translation,
            inertia: Sym3::rotated_diagonal(body.inertia, body.inertial.rotation),
            gravity_scale: 1.0,
        });
    }
    Tree::new(links)
}

fn offsets(model: &Model) -> Vec<f64> {
    let mut offset = vec![0.0; model.nq];
    for joint in &model.joints {
        if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            offset[joint.qpos] = joint.reference;
        }
    }
    offset
}

fn joints(model: &Model) -> Vec<JointProperties> {
    let of = |(i, joint): (usize, &model::Joint)| {
        let (kind, rest) = match joint.kind {
            JointKind::Free => (TreeJoint::FreeLocal, model.qpos0[joint.qpos..joint.qpos + 7].to_vec()),
            JointKind::Ball => (TreeJoint::BallLocal, vec![1.0, 0.0, 0.0, 0.0]),
            JointKind::Hinge => (TreeJoint::Hinge, vec![joint.springref]),
            JointKind::Slide => (TreeJoint::Slide, vec![joint.springref]),
        };
        let share = actuator_share(model, &Transmission::Joint(i)).1;
        let mut damping = joint.damping;
        (0..3).for_each(|k| damping[k] += share[k]);
        JointProperties {
            kind,
            coordinate: joint.qpos,
            dof: joint.dof,
            stiffness: joint.stiffness,
            damping,
            rest,
            actuator_range: joint.actuatorfrcrange,
            actuator_gravity: joint.actuatorgravcomp,
        }
    };
    model.joints.iter().enumerate().map(of).collect()
}

fn drags(model: &Model) -> Vec<Drag> {
    let of = |body: &model::Body| {
        let geoms = &model.geoms[body.geoms.clone()];
        if geoms.iter().any(|g| g.fluid.is_some()) {
            let shape = |g: &model::Geom, coefficients: [f64; 5]| {
                let axes = match g.kind {
                    GeomKind::Sphere => Vec3::splat(g.size[0]),
                    GeomKind::Capsule => semi_axes(g.size[0], g.size[1], true),
                    GeomKind::Cylinder => semi_axes(g.size[0], g.size[1], false),
                    _ => Vec3::from_array(g.size),
                };
                Ellipsoid::new(g.pose, axes, coefficients)
            };
            return Drag::Ellipsoids(geoms.iter().filter_map(|g| g.fluid.map(|c| shape(g, c))).collect());
        }
        if body.mass < 1e-15 {
            return Drag::None;
        }
        Drag::Box(body.inertial, inertia_box(body.mass, body.inertia))
    };
    model.bodies.iter().map(of).collect()
}

fn wrap_geom(geom: &model::Geom) -> WrapGeom {
    let place = Place { link: geom.body, pose: geom.pose };
    WrapGeom { place, radius: geom.size[0], cylinder: geom.kind == GeomKind::Cylinder }
}

fn tendon(model: &Model, tendon: &model::Tendon) -> mech::Tendon {
    let part = |wrap: &Wrap| match *wrap {
        Wrap::Joint { joint, coef } => {
            let joint = &model.joints[joint];
            PathPart::Joint { coordinate: joint.qpos, dof: joint.dof, factor: coef }
        }
        Wrap::Site(id) => PathPart::Site(id),
        Wrap::Pulley(divisor) => PathPart::Pulley(divisor),
        Wrap::Geom { geom, side } => PathPart::Around { wrap: geom, side },
    };
    let id = model.tendons.iter().position(|t| std::ptr::eq(t, tendon)).unwrap_or(0);
    let (armature, share) = actuator_share(model, &Transmission::Tendon(id));
    let mut damping = tendon.damping;
    (0..3).for_each(|k| damping[k] += share[k]);
    mech::Tendon {
        path: tendon.path.iter().map(part).collect(),
        stiffness: tendon.stiffness,
        damping,
        armature: tendon.armature + armature,
        slack: tendon.springlength,
        actuator_range: tendon.actuatorfrcrange,
    }
}

fn actuators(model: &Model) -> Vec<mech::Actuator> {
    let (mut first, mut control) = (0, 0);
    let mut list = Vec::with_capacity(model.actuators.len());
    for a in &model.actuators {
        let act = first..first + a.actdim;
        let controls = control..control + a.inputs.len();
        (first, control) = (act.end, controls.end);
        let disabled = model.options.disabled_groups.contains(&a.group);
        list.push(mech::Actuator {
            transmission: a.transmission.clone(),
            gear: a.gear,
            dynamics: if disabled { DynKind::User } else { a.dynamics },
            gain: a.gain,
            bias: a.bias,
            dynprm: a.dynprm,
            gainprm: a.gainprm,
            biasprm: a.biasprm,
            controls,
            inputs: a.inputs.clone(),
            ctrlranges: a.ctrlranges.clone(),
            period: period(model, a),
            forcerange: a.forcerange,
            actrange: a.actrange,
            lengthrange: a.lengthrange,
            acc0: 0.0,
            actearly: a.actearly,
            act,
            works: !a.unknown && !disabled,
        });
    }
    list
}

/// The turn after which the set point of a servo of rotations comes back to itself, in units of its length; 0 for other actuators.
fn period(model: &Model, a: &model::Actuator) -> f64 {
    let follows =
        matches!(a.dynamics, DynKind::None | DynKind::Integrator | DynKind::Filter | DynKind::FilterExact);
    let servo = a.gain == GainKind::Fixed && a.bias == GainKind::Affine && a.gainprm[0] == -a.biasprm[1];
    if !(servo && follows) {
        return 0.0;
    }
    let axis = match a.transmission {
        Transmission::Joint(id) | Transmission::JointInParent(id)
            if model.joints[id].kind == JointKind::Ball =>
        {
            &a.gear[..3]
        }
        Transmission::Site { refsite: Some(_), .. } if a.gear[..3] == [0.0; 3] => &a.gear[3..],
        _ => return 0.0,
    };
    std::f64::consts::TAU * Vec3::from_slice(axis).length()
}

/// First dofs of free bodies on which nothing hangs that moves.
fn standalone(model: &Model) -> Vec<usize> {
    let root = |mut body: usize| {
        while model.bodies[body].parent != 0 {
            body = model.bodies[body].parent;
        }
        body
    };
    let free = model.joints.iter().filter(|j| j.kind == JointKind::Free);
    let alone =
        |j: &&model::Joint| model.joints.iter().filter(|other| root(other.body) == j.body).count() == 1;
    free.filter(alone).map(|j| j.dof).collect()
}

/// What depends on the mass matrix and the lengths at the start.
fn resolve(model: &Model, m: &mut Mechanism) -> Result<(), Fault> {
    let n = model.nv;
    let mut state = MechanismState {
        qpos: model.qpos0.clone(),
        qvel: vec![0.0; n],
        act: vec![0.0; model.na],
        ctrl: vec![0.0; model.nu],
        ..MechanismState::default()
    };
    let mut f = Forward::default();
    if !forward(m, &state, &mut f) {
        let help = "Give every moving body a mass and an inertia, or its joint an armature.";
        return Err(Fault::of_file(format!("model {:?}: a dof moves no mass", model.name), help));
    }
    let inverse_weight = |row: &[f64]| {
        let mut x = row.to_vec();
        f.factored.solve(&mut x);
        let along: f64 = row.iter().zip(&x).map(|(a, b)| a * b).sum();
        (along, x.iter().map(|x| x * x).sum::<f64>().sqrt())
    };
    for (joint, source) in m.joints.iter_mut().zip(&model.joints) {
        let [tc, ratio] = source.springdamper;
        if tc <= 0.0 || ratio <= 0.0 {
            continue;
        }
        let dofs = joint.dof..joint.dof + joint.kind.dofs();
        let count = dofs.len() as f64;
        let weight: f64 = dofs
            .map(|dof| {
                let mut row = vec![0.0; n];
                row[dof] = 1.0;
                inverse_weight(&row).0
            })
            .sum::<f64>()
            / count;
        let inertia = 1.0 / scalar::max(1e-15, weight);
        joint.stiffness = [inertia / scalar::max(1e-15, tc * tc * ratio * ratio), 0.0, 0.0];
        joint.damping = [2.0 * inertia / scalar::max(1e-15, tc), 0.0, 0.0];
    }
    for i in 0..m.actuators.len() {
        let (along, acc0) = inverse_weight(&f.actuator_rows.dense(i, n));
        let actuator = &mut m.actuators[i];
        actuator.acc0 = acc0;
        if model.actuators[i].dampratio {
            let mass = if along > 1e-15 { 1.0 / along } else { 0.0 };
            actuator.biasprm[2] = -2.0 * actuator.biasprm[2] * (-actuator.biasprm[1] * mass).sqrt();
        }
    }
    // Slack tendons have the length that they have where the joints' springs are slack.
    for joint in &model.joints {
        if matches!(joint.kind, JointKind::Hinge | JointKind::Slide) {
            state.qpos[joint.qpos] = joint.springref;
        }
    }
    if m.tendons.iter().any(|t| t.slack == [-1.0, -1.0]) {
        forward(m, &state, &mut f);
        for (tendon, length) in m.tendons.iter_mut().zip(&f.tendon_length) {
            if tendon.slack == [-1.0, -1.0] {
                tendon.slack = [*length; 2];
            }
        }
    }
    Ok(())
}

pub(super) fn place(model: &Model, frame: Frame) -> mech::Frame {
    let place = match frame {
        Frame::Body(id) => Place { link: id, pose: model.bodies[id].inertial },
        Frame::XBody(id) => Place { link: id, pose: Pose::IDENTITY },
        Frame::Geom(id) => Place { link: model.geoms[id].body, pose: model.geoms[id].pose },
        Frame::Site(id) => Place { link: model.sites[id].body, pose: model.sites[id].pose },
        Frame::Camera(id) => Place { link: model.cameras[id].body, pose: model.cameras[id].pose },
    };
    mech::Frame { place }
}

fn camera_projection(model: &Model, s: &model::Sensor) -> SensorKind {
    let Some(id) = s.query.camera else { return SensorKind::Silent };
    let camera = &model.cameras[id];
    let look = place(model, Frame::Camera(id));
    SensorKind::CamProjection {
        site: s.object,
        camera: look,
        focal: camera.focal,
        resolution: camera.resolution,
    }
}

fn sensor(model: &Model, s: &model::Sensor) -> Sensor {
    let id = s.object;
    let joint = || &model.joints[id];
    let look = s.frame.map(|f| place(model, f));
    let reference = s.reference.map(|f| place(model, f));
    let framed = |make: &dyn Fn(mech::Frame) -> SensorKind| look.map_or(SensorKind::Silent, make);
    let kind = match s.kind.as_str() {
        _ if s.unknown => SensorKind::Silent,
        "accelerometer" => SensorKind::Accelerometer(id),
        "velocimeter" => SensorKind::Velocimeter(id),
        "gyro" => SensorKind::Gyro(id),
        "force" => SensorKind::Force(id),
        "torque" => SensorKind::Torque(id),
        "magnetometer" => SensorKind::Magnetometer(id, model.options.magnetic),
        "jointpos" => SensorKind::JointPos(joint().qpos),
        "jointvel" => SensorKind::JointVel(joint().dof),
        "tendonpos" => SensorKind::TendonPos(id),
        "tendonvel" => SensorKind::TendonVel(id),
        "actuatorpos" => SensorKind::ActuatorPos(id),
        "actuatorvel" => SensorKind::ActuatorVel(id),
        "actuatorfrc" => SensorKind::ActuatorFrc(id),
        "jointactuatorfrc" => SensorKind::JointActuatorFrc(joint().dof),
        "tendonactuatorfrc" => SensorKind::TendonActuatorFrc(id),
        "ballquat" => SensorKind::BallQuat(joint().qpos),
        "ballangvel" => SensorKind::BallAngVel(joint().dof),
        "framepos" => framed(&|f| SensorKind::FramePos(f, reference)),
        "framequat" => framed(&|f| SensorKind::FrameQuat(f, reference)),
        "framexaxis" => framed(&|f| SensorKind::FrameAxis(f, reference, 0)),
        "frameyaxis" => framed(&|f| SensorKind::FrameAxis(f, reference, 1)),
        "framezaxis" => framed(&|f| SensorKind::FrameAxis(f, reference, 2)),
        "framelinvel" => framed(&|f| SensorKind::FrameLinVel(f, reference)),
        "frameangvel" => framed(&|f| SensorKind::FrameAngVel(f, reference)),
        "framelinacc" => framed(&SensorKind::FrameLinAcc),
        "frameangacc" => framed(&SensorKind::FrameAngAcc),
        "subtreecom" => SensorKind::SubtreeCom(id),
        "subtreelinvel" => SensorKind::SubtreeLinVel(id),
        "subtreeangmom" => SensorKind::SubtreeAngMom(id),
        "camprojection" => camera_projection(model, s),
        "clock" => SensorKind::Clock,
        "e_kinetic" => SensorKind::Kinetic,
        _ => SensorKind::Silent,
    };
    let positive = matches!(s.kind.as_str(), "touch" | "rangefinder" | "distance");
    // Directions and quaternions are never cut off.
    let whole =
        matches!(s.kind.as_str(), "framequat" | "ballquat" | "framexaxis" | "frameyaxis" | "framezaxis");
    Sensor { kind, dim: s.dim, cutoff: if whole { 0.0 } else { s.cutoff }, positive }
}
