//! Closed loops: mechanisms of reference/mechanisms.md by the implicit midpoint rule.

use crate::mover::{BEST, MIDPOINT, Mover, Scheme};
use huygens_dynamics::{Equality, Joint, Link, Tree, kinetic_energy, potential};
use huygens_math::{Pose, Sym3, Vec3};

const G: Vec3 = Vec3::new(0.0, -9.81, 0.0);

/// A rod from `a` to `b` (world, at the start), whose frame is at its middle with the world's axes.
fn rod(a: Vec3, b: Vec3, mass: f64) -> (Vec3, Sym3) {
    let along = b - a;
    ((a + b) * 0.5, Sym3::point_inertia(along) * (mass / 12.0))
}

/// Bodies in a chain on hinges, the last of them halved and its second half hinged to the world.
fn ring(points: &[Vec3], axes: &[Vec3], density: impl Fn(f64) -> f64) -> Tree {
    let (mut links, last) = (Vec::new(), points.len() - 2);
    for i in 0..=last {
        let mass = density((points[i + 1] - points[i]).length());
        let (com, inertia) = rod(points[i], points[i + 1], mass);
        let before = if i == 0 { Vec3::ZERO } else { (points[i - 1] + points[i]) * 0.5 };
        let share = if i == last { 0.5 } else { 1.0 };
        let joint = Joint::hinge(Pose::at(points[i] - before), axes[i])
            .with_child_from_joint(Pose::at(points[i] - com));
        links.push(Link::new(i.checked_sub(1), joint, mass * share, inertia * share));
        if i == last {
            let end = points[i + 1];
            let joint = Joint::hinge(Pose::at(end), axes[i + 1]).with_child_from_joint(Pose::at(end - com));
            links.push(Link::new(None, joint, mass * share, inertia * share));
        }
    }
    Tree::new(links).unwrap().with_equalities(vec![Equality::Weld { links: [last, last + 1] }])
}

/// Runs for a second at 1 ms; returns the place of the far end of link `link`, and the largest gap and energy error.
fn run(tree: Tree, h: f64, scheme: Scheme, seconds: f64) -> (Mover, f64, f64) {
    let (q, v) = (tree.neutral(), vec![0.0; tree.dofs()]);
    let mut mover = Mover::new(tree, q, v);
    let energy = |m: &Mover| kinetic_energy(&m.tree, &m.end) + potential(&m.tree, &m.end, G, Vec3::ZERO);
    mover.step(h, G, scheme);
    let first = energy(&mover);
    let (mut gap, mut off) = (0.0, 0.0);
    for _ in 1..(seconds / h).round() as usize {
        mover.step(h, G, scheme);
        gap = huygens_math::scalar::max(gap, mover.kick.gap);
        off = huygens_math::scalar::max(off, (energy(&mover) - first).abs());
    }
    (mover, gap, off)
}

fn four_bar() -> Tree {
    let (s, c) = huygens_math::trig::sin_cos(20f64.to_radians());
    let points = [
        Vec3::ZERO,
        Vec3::new(c, s, 0.0) * 0.35,
        Vec3::new(1.0170056510, 0.6997934037, 0.0),
        Vec3::new(1.0, 0.0, 0.0),
    ];
    ring(&points, &[Vec3::Z; 4], |length| length)
}

#[test]
fn a_four_bar_linkage_swings_as_the_reference_says() {
    for scheme in [BEST, MIDPOINT] {
        let error = |h: f64| {
            let (mover, gap, off) = run(four_bar(), h, scheme, 1.0);
            let angle = 20f64.to_radians() + mover.q[0];
            println!("{h}: θ {angle} ω {} gap {gap:.1e} energy {off:.1e}", mover.v[0]);
            assert!(gap < 1e-11, "{gap}");
            assert!(scheme.at != MIDPOINT.at || off < 1e-12, "{off}");
            (angle + 3.7248309916).abs()
        };
        let [coarse, fine] = [error(1e-3), error(5e-4)];
        assert!(coarse < 2e-4, "{coarse}"); // ten times the midpoint rule's error in minimal coordinates
        assert!(coarse / fine > 3.5, "{coarse} {fine}");
    }
}

#[test]
fn bricards_linkage_moves_although_its_rows_are_redundant() {
    let points = [
        Vec3::ZERO,
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(1.0, -1.0, 0.0),
        Vec3::new(1.0, -1.0, 1.0),
        Vec3::new(0.0, -1.0, 1.0),
        Vec3::new(0.0, 0.0, 1.0),
    ];
    let axes = [Vec3::Y, Vec3::Z, Vec3::X, Vec3::Y, Vec3::Z, Vec3::X];
    let (mover, gap, off) = run(ring(&points, &axes, |_| 1.0), 1e-3, MIDPOINT, 1.0);
    assert_eq!(mover.block.equalities.rank(), 5);
    // P3 is the far end of the third rod.
    let p3 = mover.end.world_from_link[2].transform((points[3] - points[2]) * 0.5);
    println!("{p3} gap {gap:.1e} energy {off:.1e}");
    assert!((p3 - Vec3::new(0.5086647602, -1.6498270632, 0.1390353307)).length() < 5e-6, "{p3}");
    assert!(gap < 1e-11 && off < 1e-11, "{gap} {off}");
}

/// A bridge of `count` rods of 0.2 m and 10 kg that hang as they balance each other: slopes c (k − (count − 1)/2).
fn bridge(count: usize) -> Tree {
    let mut points = vec![Vec3::ZERO];
    for k in 0..count {
        let slope = huygens_math::trig::atan2(0.008 * (k as f64 - 0.5 * (count as f64 - 1.0)), 1.0);
        let (s, c) = huygens_math::trig::sin_cos(slope);
        points.push(points[k] + Vec3::new(c, s, 0.0) * 0.2);
    }
    ring(&points, &vec![Vec3::Z; count + 1], |_| 10.0)
}

#[test]
fn a_bridge_of_a_hundred_planks_does_not_sag_by_drift() {
    let tree = bridge(100);
    let (q, v) = (tree.neutral(), vec![0.0; tree.dofs()]);
    let mut mover = Mover::new(tree, q, v);
    let (mut gap, mut residual, mut pieces) = (0.0, 0.0, 0);
    for step in 0..1200 {
        mover.step(1.0 / 120.0, G, BEST);
        gap = huygens_math::scalar::max(gap, mover.kick.gap);
        residual = huygens_math::scalar::max(residual, mover.kick.residual);
        pieces = pieces.max(mover.kick.pieces);
        if step % 100 == 0 {
            let fastest = mover.v.iter().fold(0.0, |a: f64, b| if b.abs() > a { b.abs() } else { a });
            println!(
                "{step}: gap {gap:.1e} residual {residual:.1e} pieces {pieces} speed {fastest:.1e} turn {:.1e}",
                mover.q[49]
            );
        }
    }
    let off = mover.q.iter().fold(0.0, |a: f64, b| if b.abs() > a { b.abs() } else { a });
    assert!(gap < 1e-9 && residual < 1e-9 && pieces <= 2 && off < 1e-9, "{gap} {residual} {pieces} {off}");
}
