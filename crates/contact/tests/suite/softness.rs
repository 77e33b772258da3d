//! Rows that give way: a spring and a damper, integrated implicitly, in every model.
//!
//! The closed forms are those of one mass m on a spring k and a damper c with the compression x: with x' = x − h u',
//! m(u' − u) = h(k x' + c (x' − x)/h − m g).

use crate::common::*;
use huygens_contact::*;
use huygens_math::{Sym3, Twist, Vec3};

const MASS: f64 = 2.0;
const GRAVITY: f64 = 9.81;

/// A row along z on a body.
fn upright(error: f64) -> Row {
    Row { linear: Vec3::Z, angular: [Vec3::ZERO; 2], target: 0.0, error, tree: None }
}

/// A mass that moves along z on one row, with its weight.
fn mass_on(law: Law, compliance: Compliance, error: f64, speed: f64, h: f64) -> Toy {
    let mut toy = Toy::new(h);
    let start = Twist::new(Vec3::Z * speed, Vec3::ZERO);
    let side = toy.body(MASS, Sym3::diagonal(Vec3::ONE), start, start);
    toy.gravity(Vec3::Z * -GRAVITY);
    toy.row([side, Side::Fixed], law, upright(error));
    soften(&mut toy, compliance);
    toy
}

/// Lets every group give way.
fn soften(toy: &mut Toy, compliance: Compliance) {
    toy.groups.demands[0].compliance = compliance;
    toy.groups.mark_soft();
}

/// Laws that hold a row, or hold it far within their bounds.
const LAWS: [Law; 3] = [Law::Unilateral, Law::Equality, Law::Bounded { lo: -1e6, hi: 1e6 }];

/// Velocity after `n` implicit steps of h/n, from compression x and velocity u upwards.
fn implicit(k: f64, c: f64, h: f64, n: u32, x: f64, u: f64) -> f64 {
    let (sub, mut x, mut u) = (h / f64::from(n), x, u);
    for _ in 0..n {
        u = (u - sub * GRAVITY + sub * k * x / MASS) / (1.0 + sub * (c + sub * k) / MASS);
        x -= sub * u;
    }
    u
}

#[test]
fn one_step_is_that_of_an_implicit_spring_in_every_model() {
    let (k, c, h) = (3000.0, 40.0, 0.01);
    let compliance = Compliance::Spring { stiffness: k, damping: c };
    for law in LAWS {
        for &kind in SolverKind::ALL {
            let substeps = if kind.displaces() { SoftStep::default().substeps } else { 1 };
            for (x, u) in [(0.02, 0.3), (0.001, -0.5), (0.0, -0.1)] {
                let toy = mass_on(law, compliance, -x, u, h);
                let (out, _) = toy.solve(kind, &toy.exact());
                let expected = implicit(k, c, h, substeps, x, u);
                let found = out.v.free[0].linear.z;
                assert!((found - expected).abs() < 1e-13, "{kind}, {law:?}: {found} {expected}");
            }
        }
    }
}

#[test]
fn an_open_limit_is_met_as_far_as_it_is_reached() {
    // x = 0 and x' = −(g + h u'), so m(u' − u) = −(hk + c)(g + h u') − m g h.
    let (k, c, h, gap, u) = (3000.0, 40.0, 0.01, 0.002, -0.5);
    let compliance = Compliance::Spring { stiffness: k, damping: c };
    let stiff = h * k + c;
    let expected = (u - h * GRAVITY - stiff * gap / MASS) / (1.0 + h * stiff / MASS);
    for kind in hard() {
        let toy = mass_on(Law::Unilateral, compliance, gap, u, h);
        let (out, _) = toy.solve(kind, &toy.exact());
        assert!((out.v.free[0].linear.z - expected).abs() < 1e-13, "{kind}");
        let far = mass_on(Law::Unilateral, compliance, 10.0 * gap, u, h);
        let (out, _) = far.solve(kind, &toy.exact());
        assert_eq!(out.v, far.v_free, "{kind}: a gap that stays open");
    }
}

#[test]
fn a_limit_gives_way_by_its_load_over_its_stiffness() {
    let (k, h) = (1000.0, 0.01);
    let critical = 2.0 * (k * MASS).sqrt();
    let compliance = Compliance::Spring { stiffness: k, damping: critical };
    for law in LAWS {
        for &kind in SolverKind::ALL {
            let (mut z, mut u, mut force) = (0.0, 0.0, 0.0);
            for _ in 0..300 {
                let toy = mass_on(law, compliance, z, u, h);
                let settings = toy.exact();
                let (out, _) = toy.solve(kind, &settings);
                let end = out.v.free[0].linear.z;
                let theta = settings.start_share;
                z += h * (theta * u + (1.0 - theta) * end) + out.correction.free[0].linear.z;
                (u, force) = (end, out.rows[0] / h);
            }
            assert!((z + MASS * GRAVITY / k).abs() < 1e-9, "{kind}, {law:?}: {z}");
            assert!((force - MASS * GRAVITY).abs() < 1e-6, "{kind}, {law:?}: {force}");
        }
    }
}

#[test]
fn a_response_has_its_time_constant_and_damping_whatever_the_mass() {
    let (tau, zeta, h) = (0.02, 0.4, 0.01);
    let response = Compliance::Response { time_constant: tau, damping_ratio: zeta };
    let omega = 1.0 / (tau * zeta);
    let (k, c) = (MASS * omega * omega, 2.0 * MASS / tau);
    let same = Compliance::Spring { stiffness: k, damping: c };
    for &kind in SolverKind::ALL {
        let end = |compliance| {
            let toy = mass_on(Law::Equality, compliance, -0.01, 0.2, h);
            toy.solve(kind, &toy.exact()).0.v.free[0].linear.z
        };
        assert!((end(response) - end(same)).abs() < 1e-13, "{kind}");
    }
}

#[test]
fn a_stiffness_without_end_is_a_rigid_row() {
    for law in [Law::Unilateral, Law::Equality] {
        for kind in hard() {
            let toy = mass_on(law, Compliance::Rigid, 0.0, -0.5, 0.01);
            let stiff = mass_on(law, Compliance::Spring { stiffness: 1e15, damping: 0.0 }, 0.0, -0.5, 0.01);
            let [a, b] = [&toy, &stiff].map(|toy| toy.solve(kind, &toy.exact()).0);
            assert!((a.rows[0] - b.rows[0]).abs() < 1e-9, "{kind}: {} {}", a.rows[0], b.rows[0]);
        }
    }
}

#[test]
fn the_books_tell_the_spring_from_its_damper() {
    let (k, c, h) = (3000.0, 40.0, 0.01);
    let compliance = Compliance::Spring { stiffness: k, damping: c };
    for law in LAWS {
        for &kind in SolverKind::ALL {
            let toy = mass_on(law, compliance, -0.02, 0.3, h);
            let (out, _) = toy.solve(kind, &toy.exact());
            let (start, end) = (toy.v_start.free[0].linear.z, out.v.free[0].linear.z);
            let mean = 0.5 * (start + end);
            let all = out.rows[0] * mean;
            let [spring, viscous] = [&out.work.spring, &out.work.viscous].map(|sum| sum.value());
            if matches!(law, Law::Bounded { .. }) {
                // A motor with gains is no spring: all that it does is its own work.
                assert!((out.work.actuator.value() - all).abs() < 1e-13, "{kind}");
                assert!((out.work.total() - all).abs() < 1e-13, "{kind}: no other account has any");
                continue;
            }
            assert!((spring + viscous - all).abs() < 1e-13, "{kind}: {spring} {viscous} {all}");
            assert!((out.work.total() - all).abs() < 1e-13, "{kind}: no other account has any");
            if !kind.displaces() {
                assert!((viscous + h * c * end * mean).abs() < 1e-13, "{kind}: {viscous}");
            }
            assert!(viscous < 0.0 && spring > 0.0, "{kind}: it pushes the mass up");
        }
    }
}

/// A box on four points that give way, pushed along the floor, under a limit that gives way too.
fn soft_box(mu: f64, compliance: Compliance) -> Toy {
    let mut toy = Toy::new(0.01);
    let start = Twist::new(Vec3::new(0.3, 0.1, -0.2), Vec3::new(0.2, -0.3, 0.1));
    let side = toy.body(MASS, Sym3::diagonal(Vec3::new(0.1, 0.2, 0.15)), start, start);
    toy.gravity(Vec3::Z * -GRAVITY);
    let corner = |x: f64, y: f64| Vec3::new(x, y, -0.1);
    let points = [
        (corner(0.3, 0.2), Vec3::ZERO, -1e-3),
        (corner(-0.3, 0.2), Vec3::ZERO, 2e-3),
        (corner(-0.3, -0.2), Vec3::ZERO, -2e-3),
        (corner(0.3, -0.2), Vec3::ZERO, 0.0),
    ];
    toy.contact([side, Side::Fixed], Vec3::Z, &points, rough(mu));
    toy.row([side, Side::Fixed], Law::Unilateral, Row { linear: -Vec3::X, ..upright(-1e-3) });
    soften(&mut toy, compliance);
    toy
}

#[test]
fn contacts_that_give_way_satisfy_their_law_in_every_sweeping_and_exact_model() {
    let (k, c) = (2e4, 100.0);
    let compliance = Compliance::Spring { stiffness: k, damping: c };
    for mu in [0.0, 0.4] {
        let toy = soft_box(mu, compliance);
        let h = toy.h;
        let regularisation = 1.0 / (h * (c + h * k));
        for kind in hard() {
            let (out, _) = toy.solve(kind, &toy.exact());
            let judged = toy.judge(kind, &out);
            assert!(judged.largest() < 1e-8, "{kind}, μ {mu}: {judged:?}");
            let v = &out.v.free[0];
            for (point, p) in toy.groups.points.iter().zip(&out.impulses) {
                let u = v.linear.z + v.angular.cross(point.arm[0]).z;
                let x = -point.gap;
                let target = if x < 0.0 { x / h } else { k * x / (c + h * k) };
                // The associated law opens what slips.
                if p[0] > 0.0 && kind.claim() != Claim::Associated {
                    assert!((u + regularisation * p[0] - target).abs() < 1e-8, "{kind}: {u} {p:?}");
                }
            }
            let work = out.work.total() - (toy.kinetic(&out.v) - toy.kinetic(&toy.v_start))
                + MASS * -GRAVITY * h * 0.5 * (toy.v_start.free[0].linear.z + v.linear.z);
            assert!(work.abs() < 1e-12, "{kind}: the books, {work}");
        }
    }
}

#[test]
fn models_of_coulombs_law_agree_on_contacts_that_give_way() {
    let toy = soft_box(0.4, Compliance::Response { time_constant: 0.03, damping_ratio: 0.7 });
    let mut first: Option<Solution> = None;
    for kind in exact() {
        let (out, _) = toy.solve(kind, &toy.exact());
        // Four springs share a load in one way only.
        let was = first.get_or_insert_with(|| out.clone());
        for (a, b) in was.impulses.iter().zip(&out.impulses) {
            assert!((a[0] - b[0]).abs() < 1e-7, "{kind}: {a:?} {b:?}");
        }
        let difference = was.v.free[0] - out.v.free[0];
        assert!(difference.linear.length() + difference.angular.length() < 1e-7, "{kind}: {difference:?}");
    }
}

/// A sphere on the floor with its weight.
fn ball_on(compliance: Compliance, gap: f64, speed: f64, h: f64) -> Toy {
    let mut toy = Toy::new(h);
    let side = toy.sphere(MASS, 0.1, Vec3::Z * speed);
    toy.gravity(Vec3::Z * -GRAVITY);
    toy.contact([side, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.1, Vec3::ZERO, gap)], rough(0.5));
    soften(&mut toy, compliance);
    toy
}

#[test]
fn a_ball_on_a_contact_that_gives_way_moves_as_on_an_implicit_spring_in_every_model() {
    let (k, c, h) = (3000.0, 40.0, 0.01);
    for (x, u) in [(0.02, 0.3), (0.001, -0.5), (0.0, -0.1)] {
        let toy = ball_on(Compliance::Spring { stiffness: k, damping: c }, -x, u, h);
        for &kind in SolverKind::ALL {
            let substeps = if kind.displaces() { SoftStep::default().substeps } else { 1 };
            let (out, _) = toy.solve(kind, &toy.exact());
            let (found, expected) = (out.v.free[0].linear.z, implicit(k, c, h, substeps, x, u));
            assert!((found - expected).abs() < 1e-13, "{kind}: {found} {expected}");
            let gained = toy.kinetic(&out.v) - toy.kinetic(&toy.v_start);
            let fell = -MASS * GRAVITY * h * 0.5 * (u + found);
            assert!((out.work.total() - (gained - fell)).abs() < 1e-12, "{kind}: the books");
            assert_eq!(out.work.impact.value(), 0.0, "{kind}: no rigid contact took part");
        }
    }
}

#[test]
fn a_box_sinks_into_four_springs_by_its_weight_over_their_stiffness() {
    let (k, h) = (1000.0, 0.01);
    let compliance = Compliance::Response { time_constant: 0.05, damping_ratio: 1.0 };
    let size = [Compliance::Spring { stiffness: k, damping: 2.0 * (k * MASS).sqrt() }, compliance];
    for compliance in size {
        for kind in SolverKind::ALL.iter().copied() {
            let (mut z, mut u, mut warm) = (0.0, 0.0, Vec::new());
            let mut carried = 0.0;
            for _ in 0..400 {
                let mut toy = Toy::new(h);
                let start = Twist::new(Vec3::Z * u, Vec3::ZERO);
                let side = toy.body(MASS, Sym3::diagonal(Vec3::new(0.1, 0.2, 0.15)), start, start);
                toy.gravity(Vec3::Z * -GRAVITY);
                let corners = [(0.3, 0.2), (-0.3, 0.2), (-0.3, -0.2), (0.3, -0.2)];
                let points = corners.map(|(x, y)| (Vec3::new(x, y, -0.1), Vec3::ZERO, z));
                toy.contact([side, Side::Fixed], Vec3::Z, &points, rough(0.5));
                soften(&mut toy, compliance);
                let (settings, mut out) = (toy.exact(), Solution::default());
                let from = Warm { points: &warm, ..Warm::default() };
                kind.solve(&settings, &toy.problem(), from, &mut Scratch::default(), &mut out);
                let end = out.v.free[0].linear.z;
                let theta = settings.start_share;
                z += h * (theta * u + (1.0 - theta) * end) + out.correction.free[0].linear.z;
                (u, carried) = (end, out.impulses.iter().map(|p| p[0]).sum::<f64>() / h);
                assert!(out.v.free[0].angular.length() < 1e-9, "{kind}: it does not tilt");
                warm = out.impulses;
            }
            assert!((carried / (MASS * GRAVITY) - 1.0).abs() < 1e-6, "{kind}: {carried} N");
            if let Compliance::Spring { stiffness, .. } = compliance {
                assert!((z + MASS * GRAVITY / (4.0 * stiffness)).abs() < 1e-8, "{kind}: {z}");
            }
            assert!(z < -1e-3, "{kind}: {z}");
        }
    }
}

#[test]
fn contacts_side_by_side_keep_their_own_recovery_and_compliance() {
    let demand = |recovery, compliance| Demand { recovery, compliance, ..Demand::default() };
    let demands = [
        demand(split_impulse(0.5, 0.0), Compliance::Rigid),
        demand(split_impulse(0.1, 1e-3), Compliance::Rigid),
        demand(baumgarte(0.3), Compliance::Rigid),
        demand(Recovery::None, Compliance::Rigid),
        demand(Recovery::None, Compliance::Spring { stiffness: 2e3, damping: 10.0 }),
        demand(Recovery::None, Compliance::Response { time_constant: 0.02, damping_ratio: 0.5 }),
    ];
    // Spheres that touch nothing but the floor: all of them would fit in one batch.
    let scene = |chosen: &[usize]| {
        let mut toy = Toy::new(0.01);
        toy.groups.demands = demands.to_vec();
        for &k in chosen {
            let side = toy.sphere(MASS, 0.1, Vec3::new(0.1, 0.0, -0.3));
            let points = [(Vec3::Z * -0.1, Vec3::ZERO, -4e-3)];
            let contact = toy.contact([side, Side::Fixed], Vec3::Z, &points, rough(0.3));
            toy.groups.heads[contact].demand = k as u32;
        }
        toy.gravity(Vec3::Z * -GRAVITY);
        toy.groups.mark_soft();
        toy
    };
    let all: Vec<usize> = (0..demands.len()).rev().chain(0..demands.len()).collect();
    for &kind in SolverKind::ALL {
        let together = scene(&all);
        let (out, _) = together.solve(kind, &together.exact());
        let mut seen: Vec<[u64; 2]> = Vec::new();
        for (i, &k) in all.iter().enumerate() {
            let alone = scene(&[k]);
            let (own, _) = alone.solve(kind, &alone.exact());
            assert_eq!(out.v.free[i], own.v.free[0], "{kind}, demand {k}");
            assert_eq!(out.correction.free[i], own.correction.free[0], "{kind}, demand {k}");
            let bits = [own.v.free[0].linear.z.to_bits(), own.correction.free[0].linear.z.to_bits()];
            seen.extend((!seen.contains(&bits)).then_some(bits));
        }
        // Models without a path leave recovery by displacements to the position stage; soft rows know no recovery.
        let kinds = match kind.claim() {
            Claim::Cone => demands.len(),
            Claim::Soft => 3,
            _ => 4,
        };
        assert_eq!(seen.len(), kinds, "{kind}");
    }
}
