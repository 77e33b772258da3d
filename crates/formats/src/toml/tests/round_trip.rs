//! Text → scene → text → scene, and scenes made in Rust.

use super::super::{parse, write};
use super::load;
use crate::builtin;
use huygens::scene::*;
use huygens_math::{Quat, Sym3, Vec2, Vec3};

#[track_caller]
fn assert_comes_back(scene: &Scene) {
    let text = write(scene);
    let back = parse("written.toml", &text, &[]).unwrap_or_else(|report| panic!("{report}\n{text}"));
    assert_eq!(back.scene, *scene, "{text}");
}

#[test]
fn every_built_in_scene_passes_the_gate_and_comes_back() {
    for name in builtin::names() {
        let loaded = load(builtin::text(name).unwrap(), &[]).unwrap_or_else(|r| panic!("{name}:\n{r}"));
        let is_benchmark = ["heap", "pile", "pyramid", "spheres", "terrain", "towers"].contains(&name);
        assert!(is_benchmark || !loaded.scene.expect.is_empty(), "{name} expects nothing");
        assert_comes_back(&loaded.scene);
    }
}

/// A scene in which nothing has its default.
fn everything() -> Scene {
    let mut scene = Scene::new().gravity(0.1, -0.2, -1.0 / 3.0).dt(1e-3 / 7.0).seconds(0.1 + 0.2);
    let world = &mut scene.world;
    world.length = 3.0;
    world.solver = "nbgs/approximate-decoupling".into();
    world.integrator = Integrator::SymplecticEuler;
    world.gyroscopic = Gyroscopic::Explicit;
    world.stabilisation = StabilisationSpec::Baumgarte { erp: 0.3, cap: Some(2.5) };
    world.speculative = false;
    world.iterations = 17;
    world.relaxation = 0.9;
    world.correction_aggressiveness = Some(50.0);
    world.exact_rows = 42;
    world.decoupled_friction = true;
    world.tolerance = 1e-7;
    world.warm_start = false;
    world.restitution_threshold = Some(0.125);
    world.combine = Combine::Priority;
    world.margin = Some(1e-3);
    world.guard = false;
    world.seed = u64::MAX;
    world.sleep = Some(false);
    world.threads = Some(2);
    world.soft_step = SoftStepSpec {
        substeps: 3,
        hertz: 31.0,
        damping_ratio: 9.0,
        push_speed: Some(1.5),
        friction: FrictionAt::Point,
    };
    world.convex = ConvexSpec {
        like: ConvexLike::Genesis,
        cone: Some(Cone::Elliptic),
        impratio: Some(7.5),
        resolution: Some(Resolution::Convex),
        noslip_iterations: 3,
        solref: Some([-400.0, -30.0]),
        solimp: Some([0.8, 0.9, 2e-3, 0.25, 3.0]),
        refsafe: Some(false),
        exact_diagonal: Some(true),
        sol_params: Some([-0.02, 0.7, 0.8, 0.85, 2e-3, 0.4, 3.0]),
        constraint_timeconst: Some(0.03),
        pyramid: Some(PyramidRule::Mujoco),
        start: Some(WarmRule::Cheaper),
        ls_iterations: Some(20),
    };
    let surface = SurfaceSpec {
        friction: Some(0.1),
        friction_static: Some(0.3),
        friction_dynamic: Some(0.2),
        friction_torsional: Some(0.01),
        friction_rolling: Some(0.02),
        restitution: Some(0.7),
    };
    let surface_velocity = Some(Vec3::new(0.1, -2.0, 0.0));
    let stone = Material {
        density: Some(2.8),
        surface,
        surface_velocity,
        priority: Some(-3),
        color: Some(Color([18, 52, 255])),
    };
    scene = scene.material("stone", stone).material("a \"b\".\u{1}", Material::new());
    scene = scene.pair("stone", "stone", surface);
    let mut odd = Shape::sphere(0.1).material("stone").friction(0.9).restitution(0.8).density(7.0);
    odd = odd.at(1.0, 2.0, 3.0).groups(6, 9).sensor();
    odd.orientation = Quat::from_xyzw(0.5, -0.5, 0.5, -0.5);
    let mut body = Body::dynamic("odd one").at(1.0, 1e-300, -0.0).velocity(1.0, 2.0, 3.0).spin(4.0, 5.0, 6.0);
    body = body.mass(2.0).center_of_mass(0.1, 0.2, 0.3).gravity_scale(0.5).force(1.0, 0.0, 0.0);
    body = body.torque(0.0, 1.0, 0.0).shape(odd).shape(Shape::cuboid(1.0, 2.0, 3.0));
    body = body.lock(Lock { linear: [true, false, true], angular: [false, true, false] });
    body = body.inertia(Sym3 { xx: 1.0, yy: 1.1, zz: 1.2, xy: 0.01, xz: -0.02, yz: 0.03 });
    body.orientation = Quat::from_xyzw(0.1, 0.2, 0.3, 0.927);
    body = body.color(1, 2, 3).damping(0.25, 1.0 / 3.0).medium(BodyMediumSpec {
        drag: 0.47,
        area: Some(0.01),
        linear_drag: 0.1,
        lift: -0.5,
        span: Vec3::new(0.0, 1.0, 1.0),
        magnus: 1e-4,
        buoyancy: true,
    });
    let fan = WindSpec {
        velocity: Vec3::X,
        gradient: [Vec3::X, Vec3::Y, Vec3::new(0.1, 0.2, 0.3)],
        origin: Vec3::new(0.0, 0.0, 10.0),
        region: Some([-Vec3::ONE, Vec3::ONE]),
    };
    let ends = [[1.0, 2.0, 3.0], [0.1, 0.2, 0.3]];
    let spring = Spring::to_world("a \"spring\"", "odd one", ends, 1e3 / 3.0).damping(0.1).length(0.7);
    scene
        .medium(MediumSpec::new(998.2).surface(-0.5).wind(WindSpec::uniform(1.0, 2.0, 3.0)).wind(fan))
        .spring(spring)
        .body(body)
}

fn all_shapes() -> Vec<Shape> {
    let axis = Axis::Y;
    let scale = Vec3::new(1.0, 2.0, -3.0);
    let heights = vec![vec![0.0, 0.1], vec![0.2, 0.3]];
    [
        ShapeKind::Sphere { radius: 0.1 },
        ShapeKind::Capsule { radius: 0.1, length: 0.2, axis },
        ShapeKind::Cylinder { radius: 0.1, length: 0.2, axis: Axis::X },
        ShapeKind::Cone { radius: 0.1, length: 0.2, axis: Axis::Z },
        ShapeKind::Box { size: Vec3::ONE },
        ShapeKind::Ellipsoid { radii: Vec3::new(1.0, 2.0, 3.0) },
        ShapeKind::Hull { source: HullSource::Points(vec![Vec3::X, Vec3::Y, Vec3::Z, -Vec3::ONE]), scale },
        ShapeKind::Hull { source: HullSource::File("a.stl".into()), scale: Vec3::ONE },
        ShapeKind::Mesh { source: MeshSource::File("b.obj".into()), scale },
        ShapeKind::Mesh {
            source: MeshSource::Triangles {
                vertices: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
                triangles: vec![[0, 1, 2]],
            },
            scale: Vec3::ONE,
        },
        ShapeKind::HeightField { source: HeightSource::Heights(heights), size: Vec2::new(4.0, 5.0) },
        ShapeKind::HeightField { source: HeightSource::File("h.txt".into()), size: Vec2::ONE },
        ShapeKind::HalfSpace { normal: Vec3::Y, offset: 0.5 },
        ShapeKind::Wall { size: Vec2::new(1.0, 2.0), normal: Vec3::X },
        ShapeKind::BoxInside { size: Vec3::new(1.0, 2.0, 3.0) },
        ShapeKind::CylinderInside { radius: 1.0, length: 2.0, axis },
    ]
    .map(Shape::new)
    .into()
}

/// A scene with every kind of everything, in which nothing has its default.
pub(super) fn whole() -> Scene {
    let mut scene = everything();
    scene.check().unwrap();
    let shapes = all_shapes();
    assert_eq!(
        ShapeKind::words().len(),
        shapes.iter().map(|s| s.kind.word()).collect::<std::collections::BTreeSet<_>>().len(),
        "a kind of shape is missing here"
    );
    scene = scene.body(Body { shapes, ..Body::fixed("all shapes") });
    let frame = |t, x| Keyframe {
        t,
        position: Vec3::new(x, 0.0, 0.0),
        orientation: Quat::from_xyzw(1.0, 0.0, 0.0, 0.0),
    };
    let limits = [
        DriveLimit::Unlimited,
        DriveLimit::Torque { max: 10.0 },
        DriveLimit::Power { max: 20.0 },
        DriveLimit::Cap { impulse: 30.0 },
    ];
    for (i, limit) in limits.into_iter().enumerate() {
        let mut body = Body::driven(format!("driven{i}"), [0.0; 3], [0.0, 0.0, 1.0]).sphere(1.0);
        if let Motion::Driven { limit: own, keyframes, .. } = &mut body.motion {
            *own = limit;
            *keyframes = vec![frame(0.0, 1.0), frame(1.5, 2.0)];
        }
        scene = scene.body(body);
    }
    for (_, kind) in RepeatKind::NAMES {
        let spaced = |i: usize| if kind.spaced().contains(&i) { 1.5 + i as f64 } else { 0.0 };
        let counted = |i: usize| if i < kind.counts() { 2 + i as u32 } else { 1 };
        scene = scene.repeat(RepeatSpec {
            kind: *kind,
            count: [counted(0), counted(1), counted(2)],
            spacing: Vec3::new(spaced(0), spaced(1), spaced(2)),
            jitter: Vec3::new(0.1, 0.2, 0.3),
            tumble: *kind != RepeatKind::Pile,
            seed: Some(7),
            bodies: vec![Body::dynamic(kind.word()).sphere(0.5), Body::dynamic("b").cuboid(1.0, 1.0, 1.0)],
        });
    }
    let mut joint = Joint::hinge("j", "driven1").parent("odd one").anchor(1.0, 2.0, 3.0).axis(0.0, 1.0, 1.0);
    joint = joint.range(-1.0, 2.0);
    (joint.velocity, joint.collide) = (0.5, true);
    (joint.break_force, joint.break_torque) = (30.0, 2.5);
    let limit = huygens::contact::Compliance::Spring { stiffness: 300.0, damping: 2.5 };
    scene = scene.joint(joint.damping(0.1).armature(0.2).limit(limit));
    let limit = huygens::contact::Compliance::Response { time_constant: 0.02, damping_ratio: 1.5 };
    scene = scene.joint(Joint::slide("s", "b[0]").axis(0.0, 0.0, 2.0).range(-1.0, 1.0).limit(limit));
    let mut ball = Joint::ball("c", "b[1]").parent("b[0]").anchor(1.0, 0.0, 0.0);
    (ball.cone, ball.twist) = (Some(0.5), Some([-0.25, 1.0]));
    scene = scene.joint(ball);
    let mut generic = Joint::hinge("g", "b[3]").kind(JointKind::Generic);
    generic.free = [true, false, false, false, true, false];
    let sliding = Joint::slide("", "").range(-1.0, 1.0).limit(limit).spring(2.0, 0.5).damping(0.1);
    let turning =
        Joint::hinge("", "").friction(0.2).motor(MotorSpec::torque(3.0)).start(0.1, 0.2).armature(0.3);
    (generic.axes[0], generic.axes[4]) =
        (Some(sliding.at_first()), Some(turning.restitution(0.5).at_first()));
    scene = scene.joint(generic);
    let motor = MotorSpec { max_power: 5.0, ..MotorSpec::position(0.3, 10.0, 2.0).max_force(7.0) };
    let mut driven = Joint::hinge("u", "b[2]").kind(JointKind::Universal).axis2(0.0, 1.0, 0.5).motor(motor);
    driven = driven.spring(3.0, 0.1).friction(0.2).restitution(0.5).start(0.2, 0.0).pitch(0.4);
    driven.free = [true, false, true, false, false, true];
    scene = scene.joint(driven);
    for (name, kind) in CouplingKind::NAMES {
        let ends = [[0.0, 0.0, 1.0], [0.5, 0.0, 0.0]];
        let mut coupling = CouplingSpec::bodies(*name, *kind, ["b[0]", ""], ends).length(2.0);
        if kind.is_of_joints() {
            coupling = CouplingSpec::polynomial(*name, "j", "s", [0.0, 1.5, -2.0, 0.0, 0.25]);
            (coupling.kind, coupling.ratio) = (*kind, -3.0);
        }
        scene = scene.coupling(coupling);
    }
    let mut tendon = TendonSpec::over("t", [("j", 1.0), ("s", -0.5)]);
    (tendon.range, tendon.damping, tendon.friction) = (Some([0.0, 2.0]), 0.1, 0.2);
    tendon.spring = Some(JointSpring { stiffness: 3.0, rest: 0.5 });
    tendon.motor = Some(MotorSpec::torque(2.0));
    scene = scene.tendon(tendon);
    let mut tendon = TendonSpec::through("p", [("b[0]", Vec3::X), ("", Vec3::Y)]);
    tendon.path.insert(1, TendonPart::Wrap { body: "b[1]".into(), side: Some(Vec3::Z) });
    tendon.path.push(TendonPart::Pulley(2.0));
    scene = scene.tendon(tendon);
    scene = scene.expect(Quantity::Energy, f64::NEG_INFINITY, 1.0);
    for (_, field) in BodyQuantity::NAMES {
        scene = scene.expect(Quantity::Body("odd one".into(), *field), -1.0, 1.0);
    }
    for account in LEDGER_ACCOUNTS {
        scene = scene.expect(Quantity::Ledger(account), -1.0, 1.0);
    }
    scene = scene.expect(Quantity::Driver("driven1".into(), DriverQuantity::Work), 0.0, 1.0);
    scene = scene.expect(Quantity::Joint("j".into(), JointQuantity::Q), 0.0, 1.0);
    scene.edits.push(EditSpec {
        after: 7,
        body: "odd one".into(),
        position: Some(Vec3::new(0.1, 0.2, 0.3)),
        orientation: Some(Quat::from_xyzw(0.5, 0.5, 0.5, 0.5)),
        linear_velocity: Some(Vec3::X),
        angular_velocity: Some(Vec3::Y),
    });
    scene.edits.push(EditSpec { after: 8, body: "driven1".into(), ..EditSpec::default() });
    let band = Band { low: f64::NEG_INFINITY, high: 0.1 };
    for (_, take) in Take::NAMES {
        let checks =
            [Quantity::EnergyChange, Quantity::Contacts].map(|quantity| Check { quantity, band }).into();
        scene.expect.during.push(During { from: Some(0.1), until: Some(0.2), take: *take, checks });
    }
    scene
}

#[test]
fn a_scene_in_which_nothing_has_its_default_comes_back() {
    assert_comes_back(&whole());
}

#[test]
fn a_scene_written_in_rust_equals_the_same_scene_file() {
    let text = r#"
        [world]
        dt = 0.001
        seconds = 2
        stabilisation = "none"

        [materials.rubber]
        density = 1100
        friction = 0.9
        restitution = 0.7

        [[body]]
        motion = "static"
        name = "floor"
        shape = { kind = "half-space" }

        [[body]]
        name = "ball"
        position = [0, 0, 2]
        linear_velocity = [1, 0, 0]
        shape = { kind = "sphere", radius = 0.5, material = "rubber" }

        [[body]]
        name = "belt"
        motion = { kind = "driven", linear_velocity = [2, 0, 0] }
        shapes = [{ kind = "box", size = [4, 1, 0.1] }, { kind = "capsule", radius = 0.1, length = 1, axis = "y" }]

        [[joint]]
        name = "hinge"
        child = "ball"
        anchor = [0, 0, 3]
        axis = "y"

        [expect]
        bodies.ball.z = [0, 2]
    "#;
    let made = Scene::new()
        .dt(0.001)
        .seconds(2.0)
        .stabilisation(StabilisationSpec::None)
        .material("rubber", Material::new().density(1100.0).friction(0.9).restitution(0.7))
        .body(Body::fixed("floor").shape(Shape::half_space()))
        .body(
            Body::dynamic("ball")
                .at(0.0, 0.0, 2.0)
                .velocity(1.0, 0.0, 0.0)
                .shape(Shape::sphere(0.5).material("rubber")),
        )
        .body(
            Body::driven("belt", [2.0, 0.0, 0.0], [0.0; 3])
                .cuboid(4.0, 1.0, 0.1)
                .shape(Shape::capsule(0.1, 1.0).along(Axis::Y)),
        )
        .joint(Joint::hinge("hinge", "ball").anchor(0.0, 0.0, 3.0).axis(0.0, 1.0, 0.0))
        .expect(Quantity::Body("ball".into(), BodyQuantity::Z), 0.0, 2.0);
    assert_eq!(parse("ball.toml", text, &[]).unwrap().scene, made);
}

#[test]
fn an_empty_file_is_the_default_scene() {
    assert_eq!(parse("empty.toml", "", &[]).unwrap().scene, Scene::default());
}
