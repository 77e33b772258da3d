//! Scenes written in Rust: short chains that fill the same plain data as a scene file.
//!
//! ```
//! use huygens::scene::{Body, Scene, Shape};
//!
//! let scene = Scene::new()
//!     .dt(1.0 / 240.0)
//!     .seconds(2.0)
//!     .body(Body::fixed("floor").shape(Shape::half_space()))
//!     .body(Body::dynamic("ball").sphere(0.5).at(0.0, 0.0, 2.0));
//! assert!(scene.check().is_ok());
//! ```

use super::{
    Axis, Band, Body, BodyMediumSpec, Check, Color, CouplingKind, CouplingSpec, DriveLimit, Duration,
    HeightSource, HullSource, Joint, JointKind, JointSpring, Keyframe, Lock, Material, MediumSpec,
    MeshSource, Motion, MotorKind, MotorSpec, PairSpec, Quantity, RepeatSpec, Scene, Shape, ShapeKind,
    Spring, StabilisationSpec, SurfaceSpec, WindSpec, WorldSpec,
};
use huygens_contact::Compliance;
use huygens_math::{Quat, Sym3, Vec2, Vec3, trig};

impl Scene {
    /// An empty scene with the default world.
    pub fn new() -> Self {
        Self::default()
    }

    /// Acceleration of gravity [m/s²].
    #[must_use]
    pub fn gravity(mut self, x: f64, y: f64, z: f64) -> Self {
        self.world.gravity = Vec3::new(x, y, z);
        self
    }

    /// Length of a step [s].
    #[must_use]
    pub fn dt(mut self, dt: f64) -> Self {
        self.world.dt = dt;
        self
    }

    /// Number of steps of the run.
    #[must_use]
    pub fn steps(mut self, steps: u64) -> Self {
        self.world.duration = Duration::Steps(steps);
        self
    }

    /// Time of the run [s].
    #[must_use]
    pub fn seconds(mut self, seconds: f64) -> Self {
        self.world.duration = Duration::Seconds(seconds);
        self
    }

    /// Whether islands that lie still fall asleep ([`WorldSpec::sleep`]).
    #[must_use]
    pub fn sleep(mut self, sleep: bool) -> Self {
        self.world.sleep = Some(sleep);
        self
    }

    /// The contact model, by name or as a [`huygens_contact::SolverKind`].
    #[must_use]
    pub fn solver(mut self, name: impl Into<String>) -> Self {
        self.world.solver = name.into();
        self
    }

    /// How overlap is undone.
    #[must_use]
    pub fn stabilisation(mut self, stabilisation: StabilisationSpec) -> Self {
        self.world.stabilisation = stabilisation;
        self
    }

    /// Any other choice of the world.
    #[must_use]
    pub fn world(mut self, choose: impl FnOnce(&mut WorldSpec)) -> Self {
        choose(&mut self.world);
        self
    }

    /// Adds a material, or replaces the one of that name.
    #[must_use]
    pub fn material(mut self, name: impl Into<String>, material: Material) -> Self {
        self.materials.insert(name.into(), material);
        self
    }

    /// Says what two materials do together.
    #[must_use]
    pub fn pair(mut self, a: impl Into<String>, b: impl Into<String>, surface: SurfaceSpec) -> Self {
        self.pairs.push(PairSpec { a: a.into(), b: b.into(), surface });
        self
    }

    /// Adds a body.
    #[must_use]
    pub fn body(mut self, body: Body) -> Self {
        self.bodies.push(body);
        self
    }

    /// Adds a pattern of bodies.
    #[must_use]
    pub fn repeat(mut self, repeat: RepeatSpec) -> Self {
        self.repeats.push(repeat);
        self
    }

    /// Adds a joint.
    #[must_use]
    pub fn joint(mut self, joint: Joint) -> Self {
        self.joints.push(joint);
        self
    }

    /// Adds a coupling.
    #[must_use]
    pub fn coupling(mut self, coupling: CouplingSpec) -> Self {
        self.couplings.push(coupling);
        self
    }

    /// Adds a tendon.
    #[must_use]
    pub fn tendon(mut self, tendon: crate::scene::TendonSpec) -> Self {
        self.tendons.push(tendon);
        self
    }

    /// What fills the space around the bodies; it acts on those that have a [`Body::medium`].
    #[must_use]
    pub fn medium(mut self, medium: MediumSpec) -> Self {
        self.medium = Some(medium);
        self
    }

    /// Adds a spring.
    #[must_use]
    pub fn spring(mut self, spring: Spring) -> Self {
        self.springs.push(spring);
        self
    }

    /// Adds a check of the scene's own test.
    #[must_use]
    pub fn expect(mut self, quantity: Quantity, low: f64, high: f64) -> Self {
        self.expect.checks.push(Check { quantity, band: Band { low, high } });
        self
    }
}

impl Body {
    /// A body that forces and contacts move.
    pub fn dynamic(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    /// A body that never moves.
    pub fn fixed(name: impl Into<String>) -> Self {
        Self { motion: Motion::Static, ..Self::dynamic(name) }
    }

    /// A body that keeps its velocity [m/s] and spin [rad/s], whatever it meets.
    pub fn driven(
        name: impl Into<String>,
        linear_velocity: impl Into<Vec3>,
        angular_velocity: impl Into<Vec3>,
    ) -> Self {
        let motion = Motion::Driven {
            linear_velocity: linear_velocity.into(),
            angular_velocity: angular_velocity.into(),
            keyframes: Vec::new(),
            limit: DriveLimit::Unlimited,
        };
        Self { motion, ..Self::dynamic(name) }
    }

    /// A body that follows a path.
    pub fn on_path(name: impl Into<String>, path: impl IntoIterator<Item = Keyframe>) -> Self {
        let mut body = Self::driven(name, [0.0; 3], [0.0; 3]);
        if let Motion::Driven { keyframes, .. } = &mut body.motion {
            keyframes.extend(path);
        }
        body
    }

    /// What its driver can give; of no effect on a body that is not driven.
    #[must_use]
    pub fn limit(mut self, most: DriveLimit) -> Self {
        if let Motion::Driven { limit, .. } = &mut self.motion {
            *limit = most;
        }
        self
    }

    /// Place of the body's frame [m].
    #[must_use]
    pub fn at(mut self, x: f64, y: f64, z: f64) -> Self {
        self.position = Vec3::new(x, y, z);
        self
    }

    /// Turn by `angle` radians about `axis`, of any length, from the world's axes.
    #[must_use]
    pub fn turned(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.orientation = rotation(axis.into(), angle);
        self
    }

    /// Velocity of the centre of mass [m/s].
    #[must_use]
    pub fn velocity(mut self, x: f64, y: f64, z: f64) -> Self {
        self.linear_velocity = Vec3::new(x, y, z);
        self
    }

    /// Spin in world axes [rad/s].
    #[must_use]
    pub fn spin(mut self, x: f64, y: f64, z: f64) -> Self {
        self.angular_velocity = Vec3::new(x, y, z);
        self
    }

    /// Mass [kg], instead of what the shapes give.
    #[must_use]
    pub fn mass(mut self, mass: f64) -> Self {
        self.mass = Some(mass);
        self
    }

    /// Centre of mass in the body's frame [m], instead of what the shapes give.
    #[must_use]
    pub fn center_of_mass(mut self, x: f64, y: f64, z: f64) -> Self {
        self.center_of_mass = Some(Vec3::new(x, y, z));
        self
    }

    /// Inertia about the centre of mass in the body's axes [kg·m²], instead of what the shapes give.
    #[must_use]
    pub fn inertia(mut self, inertia: Sym3) -> Self {
        self.inertia = Some(inertia);
        self
    }

    /// World axes along and about which it cannot move.
    #[must_use]
    pub fn lock(mut self, lock: Lock) -> Self {
        self.lock = lock;
        self
    }

    /// Factor on gravity.
    #[must_use]
    pub fn gravity_scale(mut self, scale: f64) -> Self {
        self.gravity_scale = scale;
        self
    }

    /// Constant force at the centre of mass, in world axes [N].
    #[must_use]
    pub fn force(mut self, x: f64, y: f64, z: f64) -> Self {
        self.force = Vec3::new(x, y, z);
        self
    }

    /// Constant torque in world axes [N·m].
    #[must_use]
    pub fn torque(mut self, x: f64, y: f64, z: f64) -> Self {
        self.torque = Vec3::new(x, y, z);
        self
    }

    /// Rates at which its momentum and its angular momentum die away by themselves [1/s].
    #[must_use]
    pub fn damping(mut self, linear: f64, angular: f64) -> Self {
        (self.linear_damping, self.angular_damping) = (linear, angular);
        self
    }

    /// How the scene's medium acts on it.
    #[must_use]
    pub fn medium(mut self, medium: BodyMediumSpec) -> Self {
        self.medium = Some(medium);
        self
    }

    /// Its colour in pictures: red, green, blue.
    #[must_use]
    pub fn color(mut self, red: u8, green: u8, blue: u8) -> Self {
        self.color = Some(Color([red, green, blue]));
        self
    }

    /// Adds a shape.
    #[must_use]
    pub fn shape(mut self, shape: Shape) -> Self {
        self.shapes.push(shape);
        self
    }

    /// Adds a ball of default material.
    #[must_use]
    pub fn sphere(self, radius: f64) -> Self {
        self.shape(Shape::sphere(radius))
    }

    /// Adds a box of default material, by its full edges [m].
    #[must_use]
    pub fn cuboid(self, x: f64, y: f64, z: f64) -> Self {
        self.shape(Shape::cuboid(x, y, z))
    }
}

impl Shape {
    /// A ball.
    pub fn sphere(radius: f64) -> Self {
        Self::new(ShapeKind::Sphere { radius })
    }

    /// A capsule along z; `length` is that of its cylindrical part.
    pub fn capsule(radius: f64, length: f64) -> Self {
        Self::new(ShapeKind::Capsule { radius, length, axis: Axis::Z })
    }

    /// A cylinder along z; `length` is the whole.
    pub fn cylinder(radius: f64, length: f64) -> Self {
        Self::new(ShapeKind::Cylinder { radius, length, axis: Axis::Z })
    }

    /// A box, by its full edges.
    pub fn cuboid(x: f64, y: f64, z: f64) -> Self {
        Self::new(ShapeKind::Box { size: Vec3::new(x, y, z) })
    }

    /// A cone along z, its tip up; `length` is the whole.
    pub fn cone(radius: f64, length: f64) -> Self {
        Self::new(ShapeKind::Cone { radius, length, axis: Axis::Z })
    }

    /// An ellipsoid, by its half axes.
    pub fn ellipsoid(x: f64, y: f64, z: f64) -> Self {
        Self::new(ShapeKind::Ellipsoid { radii: Vec3::new(x, y, z) })
    }

    /// A surface of triangles, counter-clockwise seen from outside.
    pub fn mesh(
        vertices: impl IntoIterator<Item = impl Into<Vec3>>,
        triangles: impl IntoIterator<Item = [u32; 3]>,
    ) -> Self {
        let vertices = vertices.into_iter().map(Into::into).collect();
        let source = MeshSource::Triangles { vertices, triangles: triangles.into_iter().collect() };
        Self::new(ShapeKind::Mesh { source, scale: Vec3::ONE })
    }

    /// Heights over a regular grid about the origin, of extent x and y: rows along y, heights along x.
    pub fn height_field(rows: Vec<Vec<f64>>, x: f64, y: f64) -> Self {
        Self::new(ShapeKind::HeightField { source: HeightSource::Heights(rows), size: Vec2::new(x, y) })
    }

    /// The convex hull of points.
    pub fn hull(points: impl IntoIterator<Item = impl Into<Vec3>>) -> Self {
        let points = points.into_iter().map(Into::into).collect();
        Self::new(ShapeKind::Hull { source: HullSource::Points(points), scale: Vec3::ONE })
    }

    /// Everything below z = 0.
    pub fn half_space() -> Self {
        Self::new(ShapeKind::HalfSpace { normal: Vec3::Z, offset: 0.0 })
    }

    /// A rectangle across z, by its full edges.
    pub fn wall(x: f64, y: f64) -> Self {
        Self::new(ShapeKind::Wall { size: Vec2::new(x, y), normal: Vec3::Z })
    }

    /// The inside of a box, by its full edges.
    pub fn box_inside(x: f64, y: f64, z: f64) -> Self {
        Self::new(ShapeKind::BoxInside { size: Vec3::new(x, y, z) })
    }

    /// The inside of a closed cylinder along z.
    pub fn cylinder_inside(radius: f64, length: f64) -> Self {
        Self::new(ShapeKind::CylinderInside { radius, length, axis: Axis::Z })
    }

    /// The axis of a capsule, cylinder or cone; other shapes have none and stay as they are.
    #[must_use]
    pub fn along(mut self, along: Axis) -> Self {
        match &mut self.kind {
            ShapeKind::Capsule { axis, .. }
            | ShapeKind::Cylinder { axis, .. }
            | ShapeKind::Cone { axis, .. }
            | ShapeKind::CylinderInside { axis, .. } => *axis = along,
            _ => {}
        }
        self
    }

    /// The normal of a half-space or wall; other shapes have none and stay as they are.
    #[must_use]
    pub fn facing(mut self, x: f64, y: f64, z: f64) -> Self {
        match &mut self.kind {
            ShapeKind::HalfSpace { normal, .. } | ShapeKind::Wall { normal, .. } => {
                *normal = Vec3::new(x, y, z);
            }
            _ => {}
        }
        self
    }

    /// Place in the body's frame [m].
    #[must_use]
    pub fn at(mut self, x: f64, y: f64, z: f64) -> Self {
        self.position = Vec3::new(x, y, z);
        self
    }

    /// Turn by `angle` radians about `axis`, of any length, from the body's axes.
    #[must_use]
    pub fn turned(mut self, axis: impl Into<Vec3>, angle: f64) -> Self {
        self.orientation = rotation(axis.into(), angle);
        self
    }

    /// What it is made of, by name.
    #[must_use]
    pub fn material(mut self, name: impl Into<String>) -> Self {
        self.material = Some(name.into());
        self
    }

    /// Static and dynamic friction coefficient, over the material's.
    #[must_use]
    pub fn friction(mut self, coefficient: f64) -> Self {
        self.friction = Some(coefficient);
        self
    }

    /// Coefficient of restitution, over the material's.
    #[must_use]
    pub fn restitution(mut self, coefficient: f64) -> Self {
        self.restitution = Some(coefficient);
        self
    }

    /// Density [kg/m³], over the material's.
    #[must_use]
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// Bits of the groups that it belongs to, and of those that it meets.
    #[must_use]
    pub fn groups(mut self, layer: u32, mask: u32) -> Self {
        (self.layer, self.mask) = (layer, mask);
        self
    }

    /// Reports contacts and gives no force.
    #[must_use]
    pub fn sensor(mut self) -> Self {
        self.sensor = true;
        self
    }
}

impl Material {
    /// A material with the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Density [kg/m³].
    #[must_use]
    pub fn density(mut self, density: f64) -> Self {
        self.density = Some(density);
        self
    }

    /// Static and dynamic friction coefficient.
    #[must_use]
    pub fn friction(mut self, coefficient: f64) -> Self {
        self.surface.friction = Some(coefficient);
        self
    }

    /// Coefficient of restitution.
    #[must_use]
    pub fn restitution(mut self, coefficient: f64) -> Self {
        self.surface.restitution = Some(coefficient);
        self
    }

    /// Levers of friction against spinning about the normal and against rolling [m].
    #[must_use]
    pub fn levers(mut self, torsional: f64, rolling: f64) -> Self {
        self.surface.friction_torsional = Some(torsional);
        self.surface.friction_rolling = Some(rolling);
        self
    }

    /// Velocity of the surface along itself, in the axes of the body that carries it [m/s].
    #[must_use]
    pub fn surface_velocity(mut self, x: f64, y: f64, z: f64) -> Self {
        self.surface_velocity = Some(Vec3::new(x, y, z));
        self
    }
}

impl Joint {
    /// A hinge that carries `child`, on the world.
    pub fn hinge(name: impl Into<String>, child: impl Into<String>) -> Self {
        Self { name: name.into(), child: child.into(), ..Self::default() }
    }

    /// A slide that carries `child`, on the world.
    pub fn slide(name: impl Into<String>, child: impl Into<String>) -> Self {
        Self { kind: JointKind::Slide, ..Self::hinge(name, child) }
    }

    /// A ball joint that carries `child`, on the world.
    pub fn ball(name: impl Into<String>, child: impl Into<String>) -> Self {
        Self { kind: JointKind::Ball, ..Self::hinge(name, child) }
    }

    /// The body that carries it, instead of the world.
    #[must_use]
    pub fn parent(mut self, name: impl Into<String>) -> Self {
        self.parent = Some(name.into());
        self
    }

    /// Where it is, in world coordinates [m].
    #[must_use]
    pub fn anchor(mut self, x: f64, y: f64, z: f64) -> Self {
        self.anchor = Vec3::new(x, y, z);
        self
    }

    /// Its axis, in world axes.
    #[must_use]
    pub fn axis(mut self, x: f64, y: f64, z: f64) -> Self {
        self.axis = Vec3::new(x, y, z);
        self
    }

    /// Smallest and largest angle [rad], or travel of a slide [m].
    #[must_use]
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = Some([low, high]);
        self
    }

    /// Force or torque against its velocity, for each 1 of it [N·m·s/rad, of a slide N·s/m].
    #[must_use]
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Lets the limits at the ends of its range give way.
    #[must_use]
    pub fn limit(mut self, limit: Compliance) -> Self {
        self.limit = limit;
        self
    }

    /// The same joint of another kind.
    #[must_use]
    pub fn kind(mut self, kind: JointKind) -> Self {
        self.kind = kind;
        self
    }

    /// A second axis, of a universal or planar joint, in world axes.
    #[must_use]
    pub fn axis2(mut self, x: f64, y: f64, z: f64) -> Self {
        self.axis2 = Some(Vec3::new(x, y, z));
        self
    }

    /// Travel of a screw for each turn [m].
    #[must_use]
    pub fn pitch(mut self, pitch: f64) -> Self {
        self.pitch = pitch;
        self
    }

    /// Share of the speed with which it comes back from the ends of its range.
    #[must_use]
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.restitution = restitution;
        self
    }

    /// A spring of that stiffness [N·m/rad, of a slide N/m] that is slack at the coordinate `rest`.
    #[must_use]
    pub fn spring(mut self, stiffness: f64, rest: f64) -> Self {
        self.spring = Some(JointSpring { stiffness, rest });
        self
    }

    /// Dry friction [N·m, of a slide N].
    #[must_use]
    pub fn friction(mut self, friction: f64) -> Self {
        self.friction = friction;
        self
    }

    /// What drives it.
    #[must_use]
    pub fn motor(mut self, motor: MotorSpec) -> Self {
        self.motor = Some(motor);
        self
    }

    /// Its coordinate [rad, m] and rate [rad/s, m/s] at the start.
    #[must_use]
    pub fn start(mut self, position: f64, velocity: f64) -> Self {
        (self.position, self.velocity) = (position, velocity);
        self
    }

    /// Breaks it when its force [N] or its torque [N·m] is larger than this.
    #[must_use]
    pub fn breaks_at(mut self, force: f64, torque: f64) -> Self {
        (self.break_force, self.break_torque) = (force, torque);
        self
    }

    /// Inertia of its drive [kg·m², of a slide kg].
    #[must_use]
    pub fn armature(mut self, armature: f64) -> Self {
        self.armature = armature;
        self
    }
}

impl MotorSpec {
    /// Drives a joint to a coordinate [rad, m] with these gains.
    pub fn position(target: f64, stiffness: f64, damping: f64) -> Self {
        Self { kind: MotorKind::Position, target, stiffness, damping, ..Self::default() }
    }

    /// Drives a joint with a rate [rad/s, m/s] with this gain.
    pub fn velocity(target: f64, damping: f64) -> Self {
        Self { kind: MotorKind::Velocity, target, damping, ..Self::default() }
    }

    /// Drives a joint with a force or torque [N, N·m].
    pub fn torque(target: f64) -> Self {
        Self { kind: MotorKind::Torque, target, ..Self::default() }
    }

    /// Its largest force or torque [N, N·m].
    #[must_use]
    pub fn max_force(mut self, max_force: f64) -> Self {
        self.max_force = max_force;
        self
    }
}

impl CouplingSpec {
    /// The coordinate of joint `a` is `ratio` times that of joint `b`, counted from the scene's pose.
    pub fn gear(name: impl Into<String>, a: impl Into<String>, b: impl Into<String>, ratio: f64) -> Self {
        Self { name: name.into(), joints: [a.into(), b.into()], ratio, ..Self::default() }
    }

    /// The coordinate of joint `a` is a polynomial of that of joint `b`.
    pub fn polynomial(
        name: impl Into<String>,
        a: impl Into<String>,
        b: impl Into<String>,
        coefficients: [f64; 5],
    ) -> Self {
        let joints = [a.into(), b.into()];
        Self { name: name.into(), kind: CouplingKind::Polynomial, joints, coefficients, ..Self::default() }
    }

    /// A coupling of two bodies at these points of the scene's pose; an empty name is the world.
    pub fn bodies(
        name: impl Into<String>,
        kind: CouplingKind,
        bodies: [&str; 2],
        anchors: [impl Into<Vec3>; 2],
    ) -> Self {
        let (bodies, anchors) = (bodies.map(str::to_owned), anchors.map(Into::into));
        Self { name: name.into(), kind, bodies, anchors, ..Self::default() }
    }

    /// The distance that it keeps [m].
    #[must_use]
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}

impl MediumSpec {
    /// A medium of this density [kg/m³], everywhere and at rest.
    pub fn new(density: f64) -> Self {
        Self { density, ..Self::default() }
    }

    /// Height of its surface, against gravity [m].
    #[must_use]
    pub fn surface(mut self, height: f64) -> Self {
        self.surface = Some(height);
        self
    }

    /// Adds a field of wind.
    #[must_use]
    pub fn wind(mut self, wind: WindSpec) -> Self {
        self.wind.push(wind);
        self
    }
}

impl WindSpec {
    /// The same wind everywhere [m/s].
    pub fn uniform(x: f64, y: f64, z: f64) -> Self {
        Self { velocity: Vec3::new(x, y, z), ..Self::default() }
    }
}

impl BodyMediumSpec {
    /// A body with this drag coefficient.
    pub fn drag(coefficient: f64) -> Self {
        Self { drag: coefficient, ..Self::default() }
    }

    /// A body that the weight of what it displaces lifts.
    pub fn buoyant() -> Self {
        Self { buoyancy: true, ..Self::default() }
    }
}

impl Spring {
    /// A spring between a point of `body` and one of the world, both in world coordinates [m].
    pub fn to_world(
        name: impl Into<String>,
        body: impl Into<String>,
        anchors: [impl Into<Vec3>; 2],
        stiffness: f64,
    ) -> Self {
        let anchors = anchors.map(Into::into);
        Self { name: name.into(), bodies: vec![body.into()], anchors, stiffness, ..Self::default() }
    }

    /// A spring between points of two bodies, in world coordinates [m].
    pub fn between(
        name: impl Into<String>,
        bodies: [&str; 2],
        anchors: [impl Into<Vec3>; 2],
        stiffness: f64,
    ) -> Self {
        let bodies = bodies.map(str::to_owned).to_vec();
        Self { bodies, ..Self::to_world(name, "", anchors, stiffness) }
    }

    /// Damping [N·s/m].
    #[must_use]
    pub fn damping(mut self, damping: f64) -> Self {
        self.damping = damping;
        self
    }

    /// Length at rest [m], instead of the distance of the anchors.
    #[must_use]
    pub fn length(mut self, length: f64) -> Self {
        self.length = Some(length);
        self
    }
}

/// A zero axis gives no unit quaternion, which the gate then reports.
fn rotation(axis: Vec3, angle: f64) -> Quat {
    trig::axis_angle(axis / axis.length(), angle)
}
