//! What drivers add to a problem goes into its file and comes back.

use super::{StoredCase, StoredProblem};
use crate::{
    Compliance, Demand, GroupKey, Groups, Head, Law, Material, Point, Recovery, Row, RowPose, Scale, Side,
    SurfaceVelocity, TorqueLimited, Unit,
};
use huygens_math::{BlockInertia, FreeInertia, FreeMass, Sym3, Twist, Vec3};

/// One demand of each kind.
fn demands() -> Vec<Demand> {
    let recoveries = [
        (Recovery::None, RowPose::Start),
        (Recovery::Baumgarte { erp: 0.2, cap: f64::INFINITY, max_step: 0.5 }, RowPose::Middle),
        (Recovery::SplitImpulse { beta: 0.2, slop: 1e-3, max_step: f64::INFINITY }, RowPose::Touch),
        (
            Recovery::Spring { hertz: 30.0, damping_ratio: 10.0, substeps: 4, slop: 1e-3, max_speed: 3.0 },
            RowPose::Start,
        ),
    ];
    let units = [Unit::Metre, Unit::Radian];
    let compliances = [
        Compliance::Spring { stiffness: 1e4, damping: 3.5 },
        Compliance::Response { time_constant: 0.02, damping_ratio: 1.5 },
        Compliance::Impedance(crate::convex::Softness::default()),
    ];
    units
        .into_iter()
        .flat_map(|unit| {
            recoveries.map(|(recovery, pose)| Demand { recovery, unit, pose, ..Demand::default() })
        })
        .chain(compliances.map(|compliance| Demand { compliance, ..Demand::default() }))
        .collect()
}

/// A parcel on a belt, beside a rotor with a torque limit and a pusher with a cap.
fn driven() -> StoredCase {
    let key = |a: u32| GroupKey::contact([a, a + 1], [0; 2]);
    let head = |a, side, law, first| Head {
        key: key(a),
        side,
        law,
        demand: 0,
        is_soft: false,
        first,
        len: 1,
        material: 0,
        couple: crate::NO_COUPLE,
        normal: Vec3::Z,
        tangent: Vec3::X,
    };
    let point = Point { arm: [Vec3::new(0.1, 0.2, -0.3), Vec3::ZERO], gap: 0.0, feature: [1, 2], tree: None };
    let row =
        Row { linear: Vec3::ZERO, angular: [Vec3::Z, Vec3::ZERO], target: 6.25, error: 0.0, tree: None };
    let groups = Groups {
        heads: vec![
            head(0, [Side::Free(0), Side::Driven(0)], Law::Contact, 0),
            head(2, [Side::Free(1), Side::Driven(2)], Law::Contact, 1),
            head(4, [Side::Free(1), Side::Fixed], Law::Drive { driver: 1, most: 0.1 }, 0),
        ],
        points: vec![point; 2],
        rows: vec![row],
        demands: demands(),
        materials: vec![Material {
            restitution: 0.0,
            friction_static: 0.4,
            friction_dynamic: 0.3,
            friction_torsional: 0.0,
            friction_rolling: 0.0,
        }],
        driven: vec![Twist::ZERO; 3],
        surface_velocities: vec![SurfaceVelocity {
            first: 0,
            velocity: [Vec3::ZERO, Vec3::new(2.0, 0.1, 0.0)],
            driver: [None, Some(0)],
            half_change: Vec3::new(0.0, 0.25, -0.5),
        }],
        torque_limited: vec![TorqueLimited { body: 1, driver: 1 }],
        caps: vec![f64::INFINITY, f64::INFINITY, 0.7],
        work_limits: vec![f64::INFINITY, 2.5, f64::INFINITY],
        ..Groups::default()
    };
    let free = FreeInertia { inv_mass: Vec3::ONE, inv_inertia: Sym3::diagonal(Vec3::splat(6.0)) };
    let mut problem = StoredProblem {
        h: 0.01,
        move_inertia: BlockInertia {
            free: vec![free; 2],
            mass: vec![FreeMass::from_inverse(&free); 2],
            ..BlockInertia::default()
        },
        groups,
        airborne: vec![false, true],
        scale: Scale { length: 1.0, speed: 3.0 },
        ..StoredProblem::default()
    };
    problem.v_start.free = vec![Twist::ZERO; 2];
    problem.v_free.free = vec![Twist::ZERO; 2];
    StoredCase { name: "driven".into(), problem, solution: None }
}

#[test]
fn belts_motors_and_caps_come_back_from_their_file() {
    let case = driven();
    let text = case.to_string();
    let again: StoredCase = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_string(), text);
    let (was, is) = (&case.problem.groups, &again.problem.groups);
    assert_eq!(was.surface_velocities, is.surface_velocities);
    assert_eq!(was.torque_limited, is.torque_limited);
    assert_eq!(was.caps, is.caps);
    assert_eq!(was.demands, is.demands);
    assert_eq!(was.work_limits, is.work_limits);
    let laws = |groups: &Groups| groups.heads.iter().map(|head| head.law).collect::<Vec<_>>();
    assert_eq!(laws(was), laws(is));
}

#[test]
fn a_driver_that_is_not_there_is_refused() {
    let text = driven().to_string();
    for (from, to, expected) in [
        ("\nbelt 0 ", "\nbelt 9 ", "belt 9: no contact begins with that point"),
        ("2 0.1 0 - 0 ", "2 0.1 0 - 3 ", "belt 0: a driver is not one of 3"),
        ("\ngeared 1 1", "\ngeared 2 1", "geared 2 1: of 2 bodies and 3 drivers"),
        ("\ncap 0.7", "", "2 lines cap, 3 drivers"),
        ("\ncap 0.7", "\ncap -0.7", "a cap is below 0"),
        ("\ncap 0.7", "\ncap nan", "a bound is not a number"),
        ("drive 1 0.1", "drive 5 0.1", "a drive has one row, a driver of 3"),
        ("drive 1 0.1", "drift 1 0.1", "is not a law"),
    ] {
        assert!(text.contains(from), "{from:?} in\n{text}");
        let error =
            text.replace(from, to).parse::<StoredCase>().map_or_else(|e| e.to_string(), |_| String::new());
        assert!(error.contains(expected), "{to:?}: {error}");
    }
}

/// A text of version 1: a ball on two points with friction against spinning and rolling as a group of its own, and a joint behind it.
const OLD: &str = "huygens-contact-problem 1
name old
step 0.01
scale 1 3
free 1 1 1 6 6 6 0 0 0
velocity 0 0 0 0 0 0 0 0 0 0 0 0
material 0 0.5 0.5 0.01 0.02
group 0 1 0 0 free:0 fixed 0 2 0 contact 0 0 1 1 0 0
group 0 1 2147483648 0 free:0 fixed 0 3 0 couple 0
group 5 6 0 0 free:0 fixed 3 1 0 equality
point 0.1 0 -0.3 0 0 0 0 1 0 - near
point -0.1 0 -0.3 0 0 0 0 2 0 - near
row 0 0 0 0 0 1 0 0 -1 0 0 -
row 0 0 0 1 0 0 -1 0 0 0 0 -
row 0 0 0 0 1 0 0 -1 0 0 0 -
row 1 0 0 0 0 0 0 0 0 0.5 0 -
solution sequential-impulse
impulse 3 0 0
impulse 1 0 0
lambda 0.004
lambda 0.008
lambda 0
lambda 7
end-velocity 0 0 0 0 0 0
certificate 0 0 0 0 0 0
end
";

#[test]
fn couples_of_the_first_version_become_those_of_their_points() {
    let case: StoredCase = OLD.parse().unwrap_or_else(|error| panic!("{error}"));
    let groups = &case.problem.groups;
    assert_eq!((groups.heads.len(), groups.couples, groups.rows.len()), (2, 2, 1));
    assert_eq!((groups.heads[0].couples(), groups.heads[1].range()), (0..2, 0..1));
    assert_eq!(groups.rows[0].target, 0.5);
    let solution = case.solution.as_ref().unwrap();
    // By the loads, three to one.
    assert_eq!(solution.couples, [[0.003, 0.006, 0.0], [0.001, 0.002, 0.0]]);
    assert_eq!(solution.rows, [7.0]);
    let text = case.to_string();
    assert!(text.starts_with("huygens-contact-problem 2\n"), "{text}");
    assert_eq!(text.parse::<StoredCase>().unwrap().to_string(), text);
    for (from, to, expected) in [
        ("fixed 0 3 0 couple 0", "fixed 0 3 0 couple 2", "group 2 is none"),
        ("fixed 0 3 0 couple 0", "fixed 2 3 0 couple 0", "has not three rows"),
    ] {
        let error =
            OLD.replace(from, to).parse::<StoredCase>().map_or_else(|e| e.to_string(), |_| String::new());
        assert!(error.contains(expected), "{to:?}: {error}");
    }
}
