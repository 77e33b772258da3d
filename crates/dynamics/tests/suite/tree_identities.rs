//! Mass matrix, Jacobians and forces of random trees against independent forms of the same.

use crate::common::{
    has_free_base, largest, momenta, placed, random_coordinates, random_mechanism, random_tree,
    random_velocities,
};
use huygens_dynamics::{
    ArticulatedInertia, Joint, JointKind, Link, Tree, TreeError, TreeScratch, Wrench, advance,
    angular_jacobian, bias, external_force, free_inertia, inverse_dynamics, jacobian, joint_inertia,
    kinetic_energy, mass_matrix, mass_matrix_quadratic, mass_times, potential, robot_mass_matrix,
};
use huygens_math::{Pose, SplitMix, Sym3, Vec3};

const G: Vec3 = Vec3::new(0.3, -0.4, -9.81);

fn trees(seed: u64, count: usize) -> impl Iterator<Item = (SplitMix, Tree)> {
    (0..count).map(move |k| {
        let mut r = SplitMix::new(seed + k as u64);
        let base =
            [JointKind::Hinge, JointKind::Free, JointKind::Fixed, JointKind::Slide, JointKind::Ball][k % 5];
        let links = 1 + r.index(10);
        // Hinges alone, then all joints.
        let tree =
            if k % 2 == 0 { random_tree(&mut r, links, base) } else { random_mechanism(&mut r, links, base) };
        (r, tree)
    })
}

#[test]
fn the_recursion_over_links_solves_what_the_factored_matrix_does() {
    let mut joints = 0;
    for (mut r, tree) in trees(900, 200) {
        let n = tree.dofs();
        joints += n;
        let q = random_coordinates(&mut r, &tree);
        let kin = placed(&tree, &q, &random_velocities(&mut r, n));
        let more: Vec<f64> = (0..n).map(|_| if r.index(3) == 0 { r.range(0.0, 10.0) } else { 0.0 }).collect();
        let mut h = vec![0.0; n * n];
        mass_matrix(&tree, &kin, &mut TreeScratch::default(), &mut h);
        (0..n).for_each(|i| h[i * n + i] += more[i]);
        let mut recursion = ArticulatedInertia::default();
        recursion.factor(&tree, &kin, |dof| more[dof]).unwrap();
        let force = random_velocities(&mut r, n);
        let mut x = force.clone();
        recursion.solve(&tree, &mut x);
        // H x = force: each side from its own formulas.
        let back = |i: usize| (0..n).map(|j| h[i * n + j] * x[j]).sum::<f64>();
        let size = largest(force.iter().copied()) + largest(h.iter().copied()) * largest(x.iter().copied());
        let off = largest((0..n).map(|i| back(i) - force[i]));
        // A few roundings for each of up to ten links.
        assert!(off <= 1e-13 * size, "{off} of {size}");
    }
    assert!(joints > 500);
}

#[test]
fn momenta_about_one_point_give_the_same_mass_matrix() {
    for (mut r, tree) in trees(1700, 200) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let kin = placed(&tree, &q, &random_velocities(&mut r, n));
        let (mut h, mut other) = (vec![0.0; n * n], vec![0.0; n * n]);
        mass_matrix(&tree, &kin, &mut TreeScratch::default(), &mut h);
        robot_mass_matrix(&tree, &kin, &mut TreeScratch::default(), &mut other);
        let size = largest(h.iter().copied());
        for (i, k) in (0..n).flat_map(|i| (0..=i).map(move |k| (i, k))) {
            let off = (h[i * n + k] - other[i * n + k]).abs();
            assert!(off <= 1e-13 * size, "{off} of {size}");
        }
    }
}

#[test]
fn a_dof_that_moves_no_mass_is_named() {
    let hinge = |axis| Joint::hinge(Pose::IDENTITY, axis);
    let link = Link::new(None, hinge(Vec3::X), 1.0, Sym3::IDENTITY).with_joint(hinge(Vec3::X));
    let tree = Tree::new(vec![link]).unwrap();
    let kin = placed(&tree, &[0.0, 0.0], &[0.0, 0.0]);
    let singular = ArticulatedInertia::default().factor(&tree, &kin, |_| 0.0).unwrap_err();
    assert_eq!(singular.dof, 0, "the second one moves all that the first one moves");
}

#[test]
fn the_mass_matrix_is_the_sum_of_the_links_through_their_jacobians() {
    for (mut r, tree) in trees(100, 60) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let kin = placed(&tree, &q, &vec![0.0; n]);
        let mut h = vec![0.0; n * n];
        mass_matrix(&tree, &kin, &mut TreeScratch::default(), &mut h);
        let mut expected = vec![0.0; n * n];
        let mut rows = vec![0.0; 3 * n];
        for (i, link) in tree.links().iter().enumerate() {
            jacobian(&tree, &kin, i, kin.com[i], &Vec3::AXES, &mut rows);
            let on_path: Vec<usize> = tree.path(i).collect();
            for a in 0..n {
                for b in 0..n {
                    let linear: f64 = (0..3).map(|k| rows[k * n + a] * rows[k * n + b]).sum();
                    expected[a * n + b] += link.mass * linear;
                    if on_path.contains(&a) && on_path.contains(&b) {
                        expected[a * n + b] += kin.axis[a].angular.dot(kin.inertia[i] * kin.axis[b].angular);
                    }
                }
            }
        }
        for dof in 0..n {
            expected[dof * n + dof] += tree.armature()[dof];
        }
        let size = largest(h.iter().copied());
        let off = largest(h.iter().zip(&expected).map(|(a, b)| a - b));
        assert!(off <= 1e-13 * size, "{off} of {size}"); // up to 10 links of a few roundings each
    }
}

#[test]
fn newton_euler_and_composite_bodies_give_the_same_matrix() {
    for (mut r, tree) in trees(200, 60) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, n);
        let kin = placed(&tree, &q, &v);
        let mut scratch = TreeScratch::default();
        let mut h = vec![0.0; n * n];
        mass_matrix(&tree, &kin, &mut scratch, &mut h);
        let size = largest(h.iter().copied());
        let (mut with, mut without, mut product) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        bias(&tree, &kin, G, &[], &mut scratch, &mut without);
        for column in 0..n {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            inverse_dynamics(&tree, &kin, G, &unit, &mut scratch, &mut with);
            mass_times(&tree, &kin, &unit, &mut scratch, &mut product);
            for row in 0..n {
                let difference = with[row] + without[row] - h[row * n + column];
                // The bias cancels: it is up to a hundred times the entries.
                assert!(difference.abs() <= 1e-12 * (size + without[row].abs()), "{difference}");
                assert!((product[row] - h[row * n + column]).abs() <= 1e-13 * size);
            }
        }
    }
}

#[test]
fn the_factored_matrix_solves_and_quadratic_forms_agree() {
    for (mut r, tree) in trees(300, 60) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, n);
        let kin = placed(&tree, &q, &v);
        let mut scratch = TreeScratch::default();
        let mut ldl = tree.new_ldl();
        joint_inertia(&tree, &kin, &mut scratch, &mut ldl).unwrap();
        let mut x = vec![0.0; n];
        mass_times(&tree, &kin, &v, &mut scratch, &mut x);
        let twice: f64 = x.iter().zip(&v).map(|(a, b)| a * b).sum();
        let energy = kinetic_energy(&tree, &kin);
        assert!((2.0 * energy - twice).abs() <= 1e-13 * twice.abs());
        assert!((mass_matrix_quadratic(&tree, &kin, &v, &mut scratch) - twice).abs() <= 1e-13 * twice.abs());
        ldl.solve(&mut x);
        let pivots: Vec<f64> = ldl.pivots().collect();
        let smallest = pivots.iter().fold(f64::INFINITY, |a, &b| if b < a { b } else { a });
        let spread = largest(pivots.iter().copied()) / smallest;
        for (x, v) in x.iter().zip(&v) {
            assert!((x - v).abs() <= 1e-14 * spread * 10.0, "{x} {v}"); // condition of the matrix
        }
    }
}

#[test]
fn jacobian_rows_are_the_velocity_of_the_material_point() {
    const STEP: f64 = 1e-5;
    for (mut r, tree) in trees(400, 60) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, n);
        let kin = placed(&tree, &q, &v);
        let link = r.index(tree.links().len());
        let in_link = r.in_cube();
        let point = kin.world_from_link[link].transform(in_link);
        let directions = [r.direction(), r.direction(), r.direction()];
        let mut rows = vec![0.0; 3 * n];
        jacobian(&tree, &kin, link, point, &directions, &mut rows);
        let at = |time: f64| {
            let mut moved = q.clone();
            let displacement: Vec<f64> = v.iter().map(|v| v * time).collect();
            advance(&tree, &mut moved, &displacement);
            placed(&tree, &moved, &v).world_from_link[link].transform(in_link)
        };
        let difference = (at(STEP) - at(-STEP)) / (2.0 * STEP);
        let exact = kin.twist[link].at(point - kin.com[link]);
        let mut spin_rows = vec![0.0; 3 * n];
        angular_jacobian(&tree, &kin, link, &directions, &mut spin_rows);
        for (k, direction) in directions.iter().enumerate() {
            let spin: f64 = (0..n).map(|j| spin_rows[k * n + j] * v[j]).sum();
            let expected = direction.dot(kin.twist[link].angular);
            assert!((spin - expected).abs() < 1e-13 * (1.0 + expected.abs()), "{spin} {expected}");
            let row: f64 = (0..n).map(|j| rows[k * n + j] * v[j]).sum();
            assert!((row - direction.dot(exact)).abs() < 1e-13 * (1.0 + exact.length()));
            // Central difference: third derivative of size 100 times 1e-10, and rounding 1e-16/1e-5.
            assert!((row - direction.dot(difference)).abs() < 3e-8, "{row} {}", direction.dot(difference));
        }
    }
}

#[test]
fn forces_of_hinges_follow_from_the_lagrangian() {
    const STEP: f64 = 1e-4;
    for (mut r, tree) in trees(500, 60).filter(|(_, t)| t.dofs() == t.coordinates() && t.dofs() > 0) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, n);
        let mut scratch = TreeScratch::default();
        let kin = placed(&tree, &q, &v);
        let mut force = vec![0.0; n];
        bias(&tree, &kin, G, &[], &mut scratch, &mut force);
        let lagrangian = |q: &[f64]| {
            let kin = placed(&tree, q, &v);
            kinetic_energy(&tree, &kin) - potential(&tree, &kin, G, Vec3::ZERO)
        };
        let momentum = |time: f64| {
            let moved: Vec<f64> = q.iter().zip(&v).map(|(q, v)| q + time * v).collect();
            let mut p = vec![0.0; n];
            mass_times(&tree, &placed(&tree, &moved, &v), &v, &mut TreeScratch::default(), &mut p);
            p
        };
        let (ahead, behind) = (momentum(STEP), momentum(-STEP));
        let size = largest(force.iter().copied()) + 1.0;
        for i in 0..n {
            let mut moved = [q.clone(), q.clone()];
            moved[0][i] += STEP;
            moved[1][i] -= STEP;
            let gradient = (lagrangian(&moved[0]) - lagrangian(&moved[1])) / (2.0 * STEP);
            let rate = (ahead[i] - behind[i]) / (2.0 * STEP);
            // d/dt ∂T/∂v at constant v, against ∂(T−V)/∂q; central differences of 1e-4.
            assert!((gradient - rate - force[i]).abs() < 1e-6 * size, "{} {}", gradient - rate, force[i]);
        }
    }
}

#[test]
fn free_trees_keep_their_momenta_and_energy_at_every_instant() {
    const STEP: f64 = 1e-4;
    for (mut r, tree) in trees(600, 60).filter(|(_, t)| has_free_base(t)) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, n);
        let mut scratch = TreeScratch::default();
        let kin = placed(&tree, &q, &v);
        let mut a = vec![0.0; n];
        let mut ldl = tree.new_ldl();
        joint_inertia(&tree, &kin, &mut scratch, &mut ldl).unwrap();
        bias(&tree, &kin, Vec3::ZERO, &[], &mut scratch, &mut a);
        ldl.solve(&mut a);
        let at = |time: f64| {
            let mut moved = q.clone();
            let displacement: Vec<f64> =
                v.iter().zip(&a).map(|(v, a)| v * time + 0.5 * a * time * time).collect();
            advance(&tree, &mut moved, &displacement);
            let v: Vec<f64> = v.iter().zip(&a).map(|(v, a)| v + a * time).collect();
            let kin = placed(&tree, &moved, &v);
            (momenta(&tree, &kin), kinetic_energy(&tree, &kin))
        };
        let (((p1, l1), t1), ((p0, l0), t0)) = (at(STEP), at(-STEP));
        let size = 1.0 + t0 + l0.length() + largest(a.iter().copied());
        // Rates by central differences: third derivatives times 1e-8.
        let bound = 1e-5 * size * 2.0 * STEP;
        assert!((p1 - p0).length() < bound && (l1 - l0).length() < bound, "{} {}", p1 - p0, l1 - l0);
        assert!((t1 - t0).abs() < bound, "{}", t1 - t0);
    }
}

#[test]
fn external_wrenches_do_the_work_of_their_links() {
    for (mut r, tree) in trees(700, 40) {
        let n = tree.dofs();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, n);
        let kin = placed(&tree, &q, &v);
        let wrenches: Vec<Wrench> =
            tree.links().iter().map(|_| Wrench { force: r.in_cube(), torque: r.in_cube() }).collect();
        let mut scratch = TreeScratch::default();
        let (mut force, mut all, mut alone) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        external_force(&tree, &kin, &wrenches, &mut scratch, &mut force);
        let power: f64 = force.iter().zip(&v).map(|(f, v)| f * v).sum();
        let expected: f64 = wrenches
            .iter()
            .zip(&kin.twist)
            .map(|(w, t)| w.force.dot(t.linear) + w.torque.dot(t.angular))
            .sum();
        assert!((power - expected).abs() < 1e-12 * (1.0 + expected.abs()));
        bias(&tree, &kin, G, &wrenches, &mut scratch, &mut all);
        bias(&tree, &kin, G, &[], &mut scratch, &mut alone);
        for i in 0..n {
            assert!((all[i] - alone[i] - force[i]).abs() < 1e-12 * (1.0 + alone[i].abs()));
        }
    }
}

#[test]
fn a_free_base_without_joints_is_a_free_rigid_body() {
    let mut r = SplitMix::new(800);
    for _ in 0..20 {
        let inertia = Sym3::rotated_diagonal(Vec3::new(0.2, 0.3, 0.4), r.rotation());
        let link = Link::new(None, Joint::free(), 2.0, inertia).with_com(r.in_cube());
        let tree = Tree::new(vec![link]).unwrap();
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, 6);
        let kin = placed(&tree, &q, &v);
        let rotation = crate::common::rotation_of(&q);
        assert_eq!(
            (kin.twist[0].linear, kin.twist[0].angular),
            (Vec3::from_slice(&v[..3]), Vec3::from_slice(&v[3..]))
        );
        let mut ldl = tree.new_ldl();
        let mut scratch = TreeScratch::default();
        joint_inertia(&tree, &kin, &mut scratch, &mut ldl).unwrap();
        let block = free_inertia(2.0, &inertia, rotation, [false; 3], [false; 3]);
        let impulse = r.in_cube();
        let arm = r.in_cube();
        let expected = block.respond(impulse, arm);
        let mut rows = vec![0.0; 18];
        jacobian(&tree, &kin, 0, kin.com[0] + arm, &Vec3::AXES, &mut rows);
        let mut gained: Vec<f64> =
            (0..6).map(|j| (0..3).map(|k| rows[k * 6 + j] * impulse[k]).sum()).collect();
        ldl.solve(&mut gained);
        let spin = rotation.conjugate() * kin.twist[0].angular;
        let turning = rotation * (inertia.inverse().unwrap() * (-spin.cross(inertia * spin)));
        let mut force = vec![0.0; 6];
        bias(&tree, &kin, G, &[], &mut scratch, &mut force);
        ldl.solve(&mut force);
        for k in 0..3 {
            assert!((gained[k] - expected.linear[k]).abs() < 1e-14);
            assert!((gained[k + 3] - expected.angular[k]).abs() < 1e-13);
            assert!((force[k] - G[k]).abs() < 1e-14);
            assert!((force[k + 3] - turning[k]).abs() < 1e-14);
        }
    }
}

#[test]
fn a_tree_far_from_the_origin_weighs_the_same() {
    let mut r = SplitMix::new(900);
    let tree = random_tree(&mut r, 6, JointKind::Free);
    let n = tree.dofs();
    let mut q = random_coordinates(&mut r, &tree);
    let v = random_velocities(&mut r, n);
    let matrix = |q: &[f64]| {
        let mut h = vec![0.0; n * n];
        mass_matrix(&tree, &placed(&tree, q, &v), &mut TreeScratch::default(), &mut h);
        h
    };
    let near = matrix(&q);
    q[0] += 1e4;
    let far = matrix(&q);
    let size = largest(near.iter().copied());
    // Positions of 1e4 m are known to 1.8e-12 m; nothing is lost beyond that.
    assert!(largest(near.iter().zip(&far).map(|(a, b)| a - b)) < 1e-10 * size);
}

#[test]
fn what_is_no_tree_is_refused() {
    let good = Link::new(None, Joint::hinge(Pose::IDENTITY, Vec3::Y), 1.0, Sym3::IDENTITY);
    let refuse = |links: Vec<Link>| Tree::new(links).unwrap_err();
    assert_eq!(
        refuse(vec![Link { parent: Some(0), ..good.clone() }]),
        TreeError::Order { link: 0, parent: 0 }
    );
    let inside = Link { parent: Some(0), joints: vec![Joint::free()], ..good.clone() };
    assert_eq!(refuse(vec![good.clone(), inside]), TreeError::FreeInside { link: 1, parent: 0 });
    let beside = good.clone().with_joint(Joint::free());
    assert_eq!(refuse(vec![beside]), TreeError::FreeAmongOthers { link: 0, joints: 2 });
    let heavy = refuse(vec![Link { mass: -0.2, ..good.clone() }]);
    assert_eq!(heavy.to_string(), "link 0: mass [kg] is -0.2; must be finite and not below 0");
    for axis in [Vec3::ZERO, Vec3::X * f64::NAN, Vec3::X * f64::INFINITY] {
        let joints = vec![Joint { axis, ..good.joints[0] }];
        assert!(matches!(
            refuse(vec![Link { joints, ..good.clone() }]),
            TreeError::Number { what: "axis (length)", .. }
        ));
    }
    let massless = Tree::new(vec![Link { mass: 0.0, inertia: Sym3::ZERO, ..good.clone() }]).unwrap();
    let kin = placed(&massless, &[0.0], &[0.0]);
    assert!(joint_inertia(&massless, &kin, &mut TreeScratch::default(), &mut massless.new_ldl()).is_err());
}
