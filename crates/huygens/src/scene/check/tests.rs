//! One scene is broken in one place; the error must name that place, its value and a remedy.

use crate::scene::*;
use huygens_math::{Quat, Sym3, Vec3};

fn good() -> Scene {
    Scene::new()
        .material("steel", Material::new().density(7800.0).friction(0.3).restitution(0.2))
        .body(Body::fixed("floor").shape(Shape::half_space().material("steel")))
        .body(Body::driven("belt", [1.0, 0.0, 0.0], [0.0; 3]).cuboid(1.0, 1.0, 0.1))
        .body(Body::dynamic("box").cuboid(1.0, 1.0, 1.0).at(0.0, 0.0, 2.0))
        .body(Body::dynamic("lid").cuboid(1.0, 1.0, 0.1).at(0.0, 0.0, 3.0))
        .joint(Joint::hinge("hinge", "lid").parent("box").anchor(0.5, 0.0, 2.5).axis(0.0, 1.0, 0.0))
        .expect(Quantity::KineticEnergy, 0.0, 1.0)
}

/// The first error of the scene that `break_it` broke, as printed.
#[track_caller]
fn error_of(break_it: impl FnOnce(&mut Scene)) -> String {
    let mut scene = good();
    break_it(&mut scene);
    scene.check().expect_err("the scene is broken").all()[0].to_string()
}

#[track_caller]
fn assert_error(break_it: impl FnOnce(&mut Scene), start: &str, remedy: &str) {
    let error = error_of(break_it);
    assert!(error.starts_with(start), "{error}\n  does not start with\n{start}");
    assert!(error.contains(remedy), "{error}\n  does not have the remedy\n{remedy}");
}

#[test]
fn a_good_scene_passes() {
    good().check().unwrap();
    // The floor may be the child: one of the two bodies moves.
    let mut swapped = good();
    swapped.joints[0].child = "floor".into();
    swapped.check().unwrap();
}

#[test]
fn every_number_of_the_world_is_checked() {
    assert_error(|s| s.world.dt = 0.0, "world.dt is 0: a step must be above 0", "positive");
    assert_error(|s| s.world.dt = -1.0, "world.dt is -1:", "positive");
    assert_error(|s| s.world.dt = f64::NAN, "world.dt is NaN:", "positive");
    assert_error(|s| s.world.dt = 60.0, "world.dt is 60: a step of more than", "in seconds");
    assert_error(|s| s.world.length = 0.0, "world.length is 0:", "positive");
    assert_error(|s| s.world.gravity.y = f64::INFINITY, "world.gravity is [0, inf, -9.81]:", "finite");
    assert_error(
        |s| s.world.solver = "sequental-impulse".into(),
        "world.solver is \"sequental-impulse\": there is no such contact model",
        "Did you mean `sequential-impulse`?",
    );
    assert_error(|s| s.world.iterations = 0, "world.iterations is 0:", "50");
    assert_error(|s| s.world.tolerance = -1.0, "world.tolerance is -1:", "from 0 to 1");
    assert_error(|s| s.world.relaxation = 1.5, "world.relaxation is 1.5:", "from 0.01 to 1");
    assert_error(
        |s| s.world.correction_aggressiveness = Some(0.0),
        "world.correction_aggressiveness is 0:",
        "positive",
    );
    assert_error(|s| s.world.exact_rows = 1_000_000, "world.exact_rows is 1000000:", "600");
    assert_error(|s| s.world.margin = Some(-0.1), "world.margin is -0.1:", "0 or a positive");
    assert_error(|s| s.world.restitution_threshold = Some(f64::NAN), "world.restitution_threshold", "0 or");
    assert_error(|s| s.world.duration = Duration::Seconds(-1.0), "world.seconds is -1:", "seconds");
    assert_error(|s| s.world.duration = Duration::Seconds(1e19), "world.seconds is 1", "smaller");
    assert_error(|s| s.world.duration = Duration::Steps(u64::MAX), "world.steps is", "smaller");
    let baumgarte = |erp, cap| StabilisationSpec::Baumgarte { erp, cap };
    let split = |beta, slop| StabilisationSpec::SplitImpulse { beta, slop };
    assert_error(|s| s.world.stabilisation = baumgarte(1.5, None), "world.stabilisation.erp is 1.5:", "to 1");
    assert_error(
        |s| s.world.stabilisation = baumgarte(0.5, Some(-1.0)),
        "world.stabilisation.cap is",
        "0 or",
    );
    assert_error(|s| s.world.stabilisation = split(-0.1, None), "world.stabilisation.beta is -0.1:", "to 1");
    assert_error(
        |s| s.world.stabilisation = split(0.1, Some(-1.0)),
        "world.stabilisation.slop is -1:",
        "0 or",
    );
}

#[test]
fn every_number_of_a_material_is_checked() {
    fn steel(s: &mut Scene) -> &mut Material {
        s.materials.get_mut("steel").unwrap()
    }
    assert_error(|s| steel(s).density = Some(0.0), "materials.\"steel\".density is 0:", "positive");
    assert_error(|s| steel(s).surface.friction = Some(-0.1), "materials.\"steel\".friction is -0.1:", "0 or");
    assert_error(
        |s| steel(s).surface.restitution = Some(1.1),
        "materials.\"steel\".restitution is 1.1:",
        "0 to 1",
    );
    assert_error(
        |s| steel(s).surface.restitution = Some(f64::NAN),
        "materials.\"steel\".restitution",
        "0 to 1",
    );
    assert_error(
        |s| steel(s).surface.friction_rolling = Some(-1.0),
        "materials.\"steel\".friction_rolling",
        "0",
    );
    assert_error(
        |s| steel(s).surface.friction_static = Some(0.2),
        "materials.\"steel\".friction_static is 0.2: static friction (0.2) must not be below dynamic",
        "Raise",
    );
    let pair = |a: &str, b: &str| PairSpec { a: a.into(), b: b.into(), surface: SurfaceSpec::default() };
    assert_error(
        |s| s.pairs.push(pair("steel", "stel")),
        "pair[0].b is \"stel\": there is no such",
        "`steel`",
    );
    assert_error(
        |s| s.pairs = vec![pair("steel", "steel"), pair("steel", "steel")],
        "pair[1] is \"steel\" and \"steel\": these two materials have a pair already",
        "Keep one",
    );
}

#[test]
fn combine_by_table_needs_a_pair_for_all_that_can_meet() {
    let make = |pairs: &[(&str, &str)]| {
        let mut scene = Scene::new()
            .material("ice", Material::new())
            .material("steel", Material::new())
            .material("rock", Material::new())
            .body(Body::fixed("floor").shape(Shape::half_space().material("ice")))
            .body(Body::fixed("wall").shape(Shape::wall(1.0, 1.0).material("rock")))
            .body(Body::dynamic("ball").shape(Shape::sphere(0.5).material("steel")));
        scene.world.combine = Combine::Table;
        for (a, b) in pairs {
            scene = scene.pair(*a, *b, SurfaceSpec::default());
        }
        scene.check()
    };
    make(&[("steel", "ice"), ("rock", "steel"), ("steel", "steel")]).unwrap();
    let missing = make(&[("steel", "ice"), ("steel", "steel")]).unwrap_err();
    assert!(missing.to_string().contains("\"rock\" and \"steel\" can meet"), "{missing}");
}

#[test]
fn every_number_of_a_body_is_checked() {
    fn body(s: &mut Scene) -> &mut Body {
        &mut s.bodies[2]
    }
    assert_error(|s| body(s).mass = Some(0.0), "body.\"box\".mass is 0:", "motion = \"static\"");
    assert_error(
        |s| body(s).mass = Some(-2.0),
        "body.\"box\".mass is -2: a mass must be above 0",
        "positive",
    );
    assert_error(|s| body(s).mass = Some(f64::INFINITY), "body.\"box\".mass is inf:", "positive");
    assert_error(|s| body(s).position.x = f64::NAN, "body.\"box\".position is [NaN, 0, 2]:", "finite");
    assert_error(|s| body(s).linear_velocity.x = 1e300, "body.\"box\".linear_velocity is", "finite");
    assert_error(|s| body(s).force.z = f64::NEG_INFINITY, "body.\"box\".force is [0, 0, -inf]:", "finite");
    assert_error(|s| body(s).gravity_scale = f64::NAN, "body.\"box\".gravity_scale is NaN:", "finite");
    assert_error(
        |s| body(s).inertia = Some(Sym3::diagonal(Vec3::new(1.0, 1.0, 2.5))),
        "body.\"box\".inertia is [1, 1, 2.5]: no body has this inertia",
        "xy, xz, yz",
    );
    assert_error(|s| body(s).inertia = Some(Sym3::ZERO), "body.\"box\".inertia is [0, 0, 0]:", "shapes");
    assert_error(|s| body(s).shapes.clear(), "body.\"box\": is dynamic and has no shape", "`mass`");
    assert_error(
        |s| *body(s) = Body::dynamic("box").mass(1.0),
        "body.\"box\": has a mass but no shape with a volume",
        "`inertia`",
    );
    assert_error(|s| body(s).name.clear(), "body[2].name is \"\":", "`name`");
    assert_error(
        |s| body(s).name = "belt".into(),
        "body[2].name is \"belt\": body 1 (counted from 0) has this name already",
        "of its own",
    );
}

#[test]
fn a_quaternion_must_be_a_rotation_within_a_thousandth() {
    let quaternion = |w, x| move |s: &mut Scene| s.bodies[2].orientation = Quat::from_xyzw(x, 0.0, 0.0, w);
    assert_error(
        quaternion(0.0, 0.0),
        "body.\"box\".orientation is [0, 0, 0, 0]: a quaternion of",
        "[1, 0, 0, 0]",
    );
    assert_error(quaternion(f64::NAN, 0.0), "body.\"box\".orientation is [NaN, 0, 0, 0]:", "w, x, y, z");
    assert_error(
        quaternion(2.0, 0.0),
        "body.\"box\".orientation is [2, 0, 0, 0]: its length is 2",
        "[1, 0, 0, 0]",
    );
    let mut scene = good();
    quaternion(0.708, 0.706)(&mut scene);
    scene.check().unwrap();
    assert!((scene.bodies[2].pose().rotation.length() - 1.0).abs() < 1e-15);
}

#[test]
fn every_number_of_a_shape_is_checked() {
    let shape = |kind: ShapeKind| move |s: &mut Scene| s.bodies[2].shapes = vec![Shape::new(kind)];
    let axis = Axis::Z;
    let at = |key: &str| format!("body.\"box\".shape[0].{key} is ");
    assert_error(shape(ShapeKind::Sphere { radius: 0.0 }), &at("radius"), "positive");
    assert_error(shape(ShapeKind::Capsule { radius: 1.0, length: -1.0, axis }), &at("length"), "positive");
    assert_error(
        shape(ShapeKind::Cylinder { radius: f64::NAN, length: 1.0, axis }),
        &at("radius"),
        "positive",
    );
    assert_error(
        shape(ShapeKind::Cone { radius: 1.0, length: f64::INFINITY, axis }),
        &at("length"),
        "positive",
    );
    assert_error(shape(ShapeKind::Box { size: Vec3::new(1.0, 0.0, 1.0) }), &at("size"), "3 positive");
    assert_error(
        shape(ShapeKind::Ellipsoid { radii: Vec3::new(1.0, -1.0, 1.0) }),
        &at("radii"),
        "3 positive",
    );
    let hull = |points: Vec<Vec3>, scale| ShapeKind::Hull { source: HullSource::Points(points), scale };
    assert_error(shape(hull(vec![Vec3::ZERO; 3], Vec3::ONE)), &at("points"), "span a volume");
    assert_error(shape(hull(vec![Vec3::NAN; 4], Vec3::ONE)), &at("points[0]"), "finite");
    assert_error(shape(hull(vec![Vec3::ZERO; 4], Vec3::ZERO)), &at("scale"), "millimetres");
    assert_error(
        shape(ShapeKind::HalfSpace { normal: Vec3::Z, offset: 0.0 }),
        "body.\"box\".shape[0].kind is \"half-space\": a boundary has no volume",
        "static",
    );
    let floor = |kind: ShapeKind| move |s: &mut Scene| s.bodies[0].shapes = vec![Shape::new(kind)];
    let normal = "body.\"floor\".shape[0].normal is [0, 0, 0]:";
    assert_error(floor(ShapeKind::HalfSpace { normal: Vec3::ZERO, offset: 0.0 }), normal, "[0, 0, 1]");
    let heights = HeightSource::Heights(vec![vec![0.0, 0.0], vec![0.0]]);
    let field = ShapeKind::HeightField { source: heights, size: huygens_math::Vec2::ONE };
    assert_error(floor(field), "body.\"floor\".shape[0].heights is 2 rows:", "rows along y");
    assert_error(|s| s.bodies[2].shapes[0].friction = Some(-1.0), &at("friction"), "0 or");
    assert_error(|s| s.bodies[2].shapes[0].restitution = Some(2.0), &at("restitution"), "0 to 1");
    assert_error(|s| s.bodies[2].shapes[0].density = Some(-1.0), &at("density"), "positive");
    assert_error(|s| s.bodies[2].shapes[0].material = Some("stel".into()), &at("material"), "`steel`");
    assert_error(
        |s| s.bodies[2].shapes[0].orientation = Quat::from_xyzw(0.0, 0.0, 0.0, 0.0),
        &at("orientation"),
        "w",
    );
}

#[test]
fn what_a_body_that_is_not_dynamic_would_ignore_is_an_error() {
    let belt = |s: &mut Scene| s.bodies[1].linear_velocity = Vec3::X;
    assert_error(belt, "body.\"belt\".linear_velocity is [1, 0, 0]: the body is driven", "kind = \"driven\"");
    let floor = |s: &mut Scene| s.bodies[0].force = Vec3::X;
    assert_error(floor, "body.\"floor\".force is [1, 0, 0]: the body is static", "dynamic");
    let lock = |s: &mut Scene| s.bodies[0].lock.linear[0] = true;
    assert_error(lock, "body.\"floor\".lock is", "Remove `lock`");
    // A mass is not ignored: a limited driver needs it, and it does no harm elsewhere.
    let mut scene = good();
    scene.bodies[1].mass = Some(3.0);
    scene.check().unwrap();
}

#[test]
fn a_driven_path_runs_forward_in_time() {
    let frame = |t| Keyframe { t, position: Vec3::ZERO, orientation: Quat::IDENTITY };
    let path = |times: &'static [f64], v: Vec3, limit: DriveLimit| {
        move |s: &mut Scene| {
            s.bodies[1].motion = Motion::Driven {
                linear_velocity: v,
                angular_velocity: Vec3::ZERO,
                keyframes: times.iter().copied().map(frame).collect(),
                limit,
            }
        }
    };
    let free = DriveLimit::Unlimited;
    assert_error(
        path(&[0.0, 0.0], Vec3::ZERO, free),
        "body.\"belt\".motion.keyframes[1].t is 0:",
        "order of time",
    );
    assert_error(path(&[0.0], Vec3::ZERO, free), "body.\"belt\".motion.keyframes is 1 keyframe:", "second");
    assert_error(
        path(&[0.0, 1.0], Vec3::X, free),
        "body.\"belt\".motion.keyframes is 2 keyframes:",
        "velocities",
    );
    let torque = DriveLimit::Torque { max: -1.0 };
    assert_error(path(&[], Vec3::X, torque), "body.\"belt\".motion.limit.max is -1:", "0 or");
}

#[test]
fn joints_make_trees_of_known_dynamic_bodies() {
    assert_error(
        |s| s.joints[0].child = "lidd".into(),
        "joint.\"hinge\".child is \"lidd\": there is no such body",
        "`lid`",
    );
    assert_error(|s| s.joints[0].parent = Some("bxo".into()), "joint.\"hinge\".parent is \"bxo\":", "`box`");
    assert_error(
        |s| s.joints[0].parent = Some("lid".into()),
        "joint.\"hinge\".parent is \"lid\": is the child",
        "different",
    );
    let nothing_moves = |s: &mut Scene| (s.joints[0].parent, s.joints[0].child) = (None, "floor".into());
    assert_error(nothing_moves, "joint.\"hinge\".child is \"floor\":", "dynamic");
    assert_error(|s| s.joints[0].axis = Vec3::ZERO, "joint.\"hinge\".axis is [0, 0, 0]:", "direction");
    assert_error(|s| s.joints[0].range = Some([0.1, 0.2]), "joint.\"hinge\".range is [0.1, 0.2]:", "radians");
    assert_error(
        |s| s.bodies[3].lock.linear[1] = true,
        "joint.\"hinge\".child is \"lid\": the body has locked",
        "lock",
    );
    assert_error(
        |s| s.bodies[3].angular_velocity = Vec3::Y,
        "joint.\"hinge\".child is \"lid\": the body has a",
        "velocity",
    );
    let far = |s: &mut Scene| s.joints[0].anchor.x = 1e9;
    assert_error(far, "joint.\"hinge\": its link has 1.000e9 m", "a factor of a million");
    let fixed = |s: &mut Scene| {
        s.joints[0].kind = JointKind::Fixed;
        s.joints[0].motor = Some(MotorSpec::torque(1.0));
    };
    assert_error(fixed, "joint.\"hinge\".motor: a fixed joint", "hinge, slide or screw");
    assert_error(|s| s.joints[0].range = Some([1.0, -1.0]), "joint.\"hinge\".range is [1, -1]:", "radians");
    let along = |s: &mut Scene| s.joints[0].axis2 = Some(s.joints[0].axis * -2.0);
    assert_error(along, "joint.\"hinge\".axis2 is", "another direction");
}

#[test]
fn couplings_are_of_known_joints_and_bodies_and_do_not_contradict_each_other() {
    let gear = |ratio| {
        move |s: &mut Scene| s.couplings.push(CouplingSpec::gear(format!("g{ratio}"), "hinge", "hing", ratio))
    };
    assert_error(gear(2.0), "coupling.\"g2\".joints is \"hing\": there is no such joint", "`hinge`");
    let rope = |s: &mut Scene| {
        let ends = [[0.0; 3], [0.0; 3]];
        s.couplings.push(CouplingSpec::bodies("r", CouplingKind::Rope, ["lid", "bxo"], ends));
    };
    assert_error(rope, "coupling.\"r\".bodies is \"bxo\": there is no such body", "`box`");
    let twice = |s: &mut Scene| {
        s.joints.push(Joint::hinge("other", "box"));
        for ratio in [2.0, 3.0] {
            s.couplings.push(CouplingSpec::gear(format!("g{ratio}"), "hinge", "other", ratio));
        }
    };
    assert_error(
        twice,
        "coupling.\"g2\".joints is [\"hinge\", \"other\"]: coupling \"g3\" says",
        "one of the two",
    );
}

#[test]
fn repeats_are_checked_before_they_are_written_out() {
    let stack = |count, spacing| RepeatSpec {
        kind: RepeatKind::Stack,
        count: [count, 1, 1],
        spacing: Vec3::new(0.0, 0.0, spacing),
        jitter: Vec3::ZERO,
        tumble: false,
        seed: None,
        bodies: vec![Body::dynamic("crate").cuboid(1.0, 1.0, 1.0)],
    };
    assert_error(
        |s| s.repeats.push(stack(4_000_000_000, 1.0)),
        "repeat[0].count is [4000000000, 1, 1]:",
        "smaller",
    );
    assert_error(|s| s.repeats.push(stack(3, 0.0)), "repeat[0].spacing is [0]:", "positive");
    let clash = |s: &mut Scene| {
        s.bodies[3].name = "crate[1]".into();
        s.joints.clear();
        s.repeats.push(stack(3, 1.0));
    };
    assert_error(clash, "repeat[0].body[0].name is \"crate\": its bodies are named crate[0]", "another");
    let joined = |s: &mut Scene| {
        s.repeats.push(stack(3, 1.0));
        s.joints[0].child = "crate[3]".into();
    };
    assert_error(joined, "joint.\"hinge\".child is \"crate[3]\": there is no such body", "crate");
}

#[test]
fn expectations_name_what_exists() {
    let expect =
        |quantity, low, high| move |s: &mut Scene| *s = std::mem::take(s).expect(quantity, low, high);
    let body = |name: &str| Quantity::Body(name.into(), BodyQuantity::Z);
    assert_error(
        expect(body("bxo"), 0.0, 1.0),
        "expect.bodies.\"bxo\" is \"bxo\": there is no such body",
        "`box`",
    );
    assert_error(expect(body("box"), 1.0, 0.0), "expect.bodies.\"box\".z is [1, 0]:", "smallest");
    let driver = Quantity::Driver("box".into(), DriverQuantity::Work);
    assert_error(
        expect(driver, 0.0, 1.0),
        "expect.drivers.\"box\" is \"box\": there is no such driven",
        "`belt`",
    );
    let joint = Quantity::Joint("hing".into(), JointQuantity::Q);
    assert_error(
        expect(joint, 0.0, 1.0),
        "expect.joints.\"hing\" is \"hing\": there is no such joint",
        "`hinge`",
    );
}

#[test]
fn several_errors_are_reported_together_in_order() {
    let mut scene = good();
    scene.world.dt = -1.0;
    scene.bodies[2].mass = Some(-1.0);
    let errors = scene.check().unwrap_err();
    let paths: Vec<String> = errors.all().iter().map(|e| e.path.to_string()).collect();
    assert_eq!(paths, ["world.dt", "body.\"box\".mass"]);
}
