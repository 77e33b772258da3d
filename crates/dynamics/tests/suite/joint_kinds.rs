//! Hinge, slide, ball and free joints, several of them on one link and links without mass: against maximal coordinates with Lagrange
//! multipliers whose geometry comes from finite differences of the poses alone, against each other, and against closed forms.

use crate::common::{largest, placed, random_coordinates, random_mechanism, random_pose, random_velocities};
use huygens_dynamics::{
    Joint, JointKind, Link, Tree, TreeScratch, Wrench, advance, bias, damping_force, joint_inertia,
    massless_dof,
};
use huygens_math::{Pose, Quat, SplitMix, Sym3, Twist, Vec3};

const G: Vec3 = Vec3::new(0.3, -0.4, -9.81);

fn accelerations(tree: &Tree, q: &[f64], v: &[f64], wrenches: &[Wrench]) -> Vec<f64> {
    let (kin, mut scratch) = (placed(tree, q, v), TreeScratch::default());
    let (mut ldl, mut a) = (tree.new_ldl(), vec![0.0; tree.dofs()]);
    joint_inertia(tree, &kin, &mut scratch, &mut ldl).unwrap();
    bias(tree, &kin, G, wrenches, &mut scratch, &mut a);
    let mut damping = vec![0.0; tree.dofs()];
    damping_force(tree, v, &mut damping);
    a.iter_mut().zip(&damping).for_each(|(a, d)| *a += d);
    ldl.solve(&mut a);
    a
}

/// Rotation vector of a small rotation.
fn small_angle(q: Quat) -> Vec3 {
    let v = Vec3::new(q.x, q.y, q.z) * if q.w < 0.0 { -2.0 } else { 2.0 };
    // asin(x)/x up to x⁴.
    let x2 = 0.25 * v.length_squared();
    v * (1.0 + x2 / 6.0 + 3.0 * x2 * x2 / 40.0)
}

/// Poses of the links at `time` when the dofs move with constant velocities `v`: all that the reference knows of the joints.
fn poses(tree: &Tree, q: &[f64], v: &[f64], time: f64) -> Vec<(Vec3, Quat)> {
    let mut moved = q.to_vec();
    // In small parts, each of them a Cayley map: a rotation of constant velocity to 1e-12.
    let parts = 8;
    let displacement: Vec<f64> = v.iter().map(|v| v * time / f64::from(parts)).collect();
    for _ in 0..parts {
        advance(tree, &mut moved, &displacement);
    }
    let kin = placed(tree, &moved, v);
    kin.com.iter().zip(&kin.world_from_link).map(|(c, pose)| (*c, pose.rotation)).collect()
}

/// Twist of every link (at its centre of mass) and its rate of change while the dofs keep the velocities `v`: differences of poses of fourth
/// order.
fn motion(tree: &Tree, q: &[f64], v: &[f64]) -> Vec<(Twist, Twist)> {
    let differences = |h: f64| -> Vec<(Twist, Twist)> {
        let [behind, here, ahead] = [-h, 0.0, h].map(|t| poses(tree, q, v, t));
        (0..here.len())
            .map(|i| {
                let linear = (ahead[i].0 - behind[i].0) / (2.0 * h);
                let rate = (ahead[i].0 - here[i].0 * 2.0 + behind[i].0) / (h * h);
                let forth = small_angle(ahead[i].1 * here[i].1.conjugate()) / h;
                let back = small_angle(here[i].1 * behind[i].1.conjugate()) / h;
                (Twist::new(linear, (forth + back) * 0.5), Twist::new(rate, (forth - back) / h))
            })
            .collect()
    };
    let (coarse, fine) = (differences(4e-3), differences(2e-3));
    let better = |a: Twist, b: Twist| b + (b - a) * (1.0 / 3.0);
    coarse.iter().zip(fine).map(|(a, b)| (better(a.0, b.0), better(a.1, b.1))).collect()
}

fn six(t: &Twist) -> [f64; 6] {
    let (l, a) = (t.linear, t.angular);
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

/// Gauss–Jordan with full rows, for the reference alone.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for k in 0..n {
        let best = (k..n).max_by(|&i, &j| a[i][k].abs().total_cmp(&a[j][k].abs())).unwrap();
        a.swap(k, best);
        b.swap(k, best);
        for i in (0..n).filter(|i| *i != k) {
            let factor = a[i][k] / a[k][k];
            let pivot = a[k].clone();
            a[i].iter_mut().zip(&pivot).for_each(|(x, p)| *x -= factor * p);
            b[i] -= factor * b[k];
        }
    }
    (0..n).map(|k| b[k] / a[k][k]).collect()
}

/// Orthonormal basis of the directions across the columns of `s`.
fn complement(s: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let mut basis: Vec<[f64; 6]> = Vec::new();
    let unit = (0..6).map(|k| std::array::from_fn(|i| if i == k { 1.0 } else { 0.0 }));
    for (k, mut x) in s.iter().copied().chain(unit).enumerate() {
        for _ in 0..2 {
            for b in &basis {
                let along: f64 = b.iter().zip(&x).map(|(b, x)| b * x).sum();
                x.iter_mut().zip(b).for_each(|(x, b)| *x -= along * b);
            }
        }
        let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
        if k < s.len() || size > 0.1 {
            basis.push(x.map(|x| x / size));
        }
        if basis.len() == 6 {
            break;
        }
    }
    assert_eq!(basis.len(), 6);
    basis.split_off(s.len())
}

/// Accelerations of the dofs from the accelerations of all links and the forces of all joints, in one dense system.
fn maximal_accelerations(tree: &Tree, q: &[f64], v: &[f64], wrenches: &[Wrench]) -> Vec<f64> {
    let (links, n) = (tree.links().len(), tree.dofs());
    let here = motion(tree, q, v);
    let places = poses(tree, q, v, 0.0);
    // Motion of each link when one dof alone moves.
    let jacobian: Vec<Vec<(Twist, Twist)>> = (0..n)
        .map(|dof| {
            let mut one = vec![0.0; n];
            one[dof] = 1.0;
            motion(tree, q, &one)
        })
        .collect();
    // Acceleration of link i as a point of its parent.
    let carried = |p: usize, i: usize, x: &Twist| Twist::new(x.at(places[i].0 - places[p].0), x.angular);
    let mut rows: Vec<(Vec<f64>, f64)> = Vec::new();
    let mut own: Vec<Vec<[f64; 6]>> = Vec::new();
    let mut mass = vec![vec![0.0; 6 * links]; 6 * links];
    let mut force = vec![0.0; 6 * links];
    for (i, link) in tree.links().iter().enumerate() {
        let s: Vec<[f64; 6]> = tree.dofs_of(i).map(|dof| six(&jacobian[dof][i].0)).collect();
        let velocity_products = match link.parent {
            Some(p) => here[i].1 - carried(p, i, &here[p].1),
            None => here[i].1,
        };
        // Relative acceleration of the link on its parent, as rows over all accelerations.
        let relative: Vec<Vec<f64>> = (0..6)
            .map(|k| {
                let mut row = vec![0.0; 6 * links];
                row[6 * i + k] = 1.0;
                if let Some(p) = link.parent {
                    for c in 0..6 {
                        let mut unit = [0.0; 6];
                        unit[c] = 1.0;
                        let x = Twist::new(Vec3::from_slice(&unit[..3]), Vec3::from_slice(&unit[3..]));
                        row[6 * p + c] -= six(&carried(p, i, &x))[k];
                    }
                }
                row
            })
            .collect();
        let along = |d: &[f64; 6]| -> (Vec<f64>, f64) {
            let mut row = vec![0.0; 6 * links];
            for (d, relative) in d.iter().zip(&relative) {
                row.iter_mut().zip(relative).for_each(|(row, r)| *row += d * r);
            }
            (row, d.iter().zip(six(&velocity_products)).map(|(d, x)| d * x).sum())
        };
        rows.extend(complement(&s).iter().map(along));
        // Drives: their inertia and damping act on the rates of the dofs, which are dual to the axes.
        let dual = dual(&s);
        for (dof, d) in tree.dofs_of(i).zip(&dual) {
            let (row, product) = along(d);
            for a in 0..6 * links {
                for b in 0..6 * links {
                    mass[a][b] += tree.armature()[dof] * row[a] * row[b];
                }
                force[a] += row[a] * (tree.armature()[dof] * product - tree.damping()[dof] * v[dof]);
            }
        }
        own.push(dual);
        let inertia = link.inertia.rotated(places[i].1);
        let omega = here[i].0.angular;
        let wrench = wrenches.get(i).copied().unwrap_or_default();
        let f = G * (link.mass * link.gravity_scale) + wrench.force;
        let t = wrench.torque - omega.cross(inertia * omega);
        let matrix = inertia.to_mat3();
        for k in 0..3 {
            mass[6 * i + k][6 * i + k] += link.mass;
            for c in 0..3 {
                mass[6 * i + 3 + k][6 * i + 3 + c] += matrix.col(c)[k];
            }
            force[6 * i + k] += f[k];
            force[6 * i + 3 + k] += t[k];
        }
    }
    let size = 6 * links + rows.len();
    let (mut a, mut b) = (vec![vec![0.0; size]; size], vec![0.0; size]);
    for k in 0..6 * links {
        a[k][..6 * links].copy_from_slice(&mass[k]);
        b[k] = force[k];
    }
    for (k, (row, product)) in rows.iter().enumerate() {
        for c in 0..6 * links {
            a[6 * links + k][c] = row[c];
            a[c][6 * links + k] = row[c];
        }
        b[6 * links + k] = *product;
    }
    let x = solve(a, b);
    let mut out = vec![0.0; n];
    for (i, link) in tree.links().iter().enumerate() {
        let twist = |i: usize| {
            Twist::new(Vec3::from_slice(&x[6 * i..6 * i + 3]), Vec3::from_slice(&x[6 * i + 3..6 * i + 6]))
        };
        let relative = match link.parent {
            Some(p) => twist(i) - carried(p, i, &twist(p)) - (here[i].1 - carried(p, i, &here[p].1)),
            None => twist(i) - here[i].1,
        };
        for (dof, d) in tree.dofs_of(i).zip(&own[i]) {
            out[dof] = d.iter().zip(six(&relative)).map(|(d, x)| d * x).sum();
        }
    }
    out
}

/// The vectors in the span of `s` with dᵢ·sⱼ = δᵢⱼ.
fn dual(s: &[[f64; 6]]) -> Vec<[f64; 6]> {
    let dot = |a: &[f64; 6], b: &[f64; 6]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    (0..s.len())
        .map(|i| {
            let gram = s.iter().map(|a| s.iter().map(|b| dot(a, b)).collect()).collect();
            let unit = (0..s.len()).map(|k| if k == i { 1.0 } else { 0.0 }).collect();
            let weight = solve(gram, unit);
            std::array::from_fn(|k| s.iter().zip(&weight).map(|(s, w)| s[k] * w).sum())
        })
        .collect()
}

#[test]
fn accelerations_are_those_of_maximal_coordinates_with_lagrange_multipliers() {
    let (mut worst, mut massless, mut several) = (0.0, 0, 0);
    let mut seen = Vec::new();
    for k in 0..72 {
        let mut r = SplitMix::new(2000 + k);
        let base = JointKind::ALL[k as usize % JointKind::ALL.len()];
        let links = 2 + r.index(5);
        let plain = random_mechanism(&mut r, links, base);
        let damped = plain.links().iter().map(|link| Link {
            joints: link.joints.iter().map(|joint| Joint { damping: 0.3, ..*joint }).collect(),
            ..link.clone()
        });
        let tree = Tree::new(damped.collect()).unwrap();
        massless += tree.links().iter().filter(|link| link.mass == 0.0).count();
        several += tree.links().iter().filter(|link| link.joints.len() > 1).count();
        seen.extend(tree.joints().iter().map(|slot| slot.joint.kind));
        let q = random_coordinates(&mut r, &tree);
        let v = random_velocities(&mut r, tree.dofs());
        let wrenches: Vec<Wrench> =
            (0..links).map(|_| Wrench { force: r.in_cube(), torque: r.in_cube() }).collect();
        let found = accelerations(&tree, &q, &v, &wrenches);
        let expected = maximal_accelerations(&tree, &q, &v, &wrenches);
        let size = 1.0 + largest(expected.iter().copied());
        let off = largest(found.iter().zip(&expected).map(|(a, b)| a - b)) / size;
        worst = if off > worst { off } else { worst };
        // Differences of fourth order with steps of 4e-3, and their rounding of 1e-16/4e-6.
        assert!(off < 1e-8, "case {k}, {base:?}: {off:.1e}\n{found:?}\n{expected:?}");
    }
    println!("worst {worst:.1e}; {massless} links without mass, {several} with several joints");
    assert!(massless > 10 && several > 30);
    assert!(JointKind::ALL.iter().all(|kind| seen.contains(kind)));
}

/// The same rigid body in the same motion, on joints of other kinds: its acceleration is the same.
#[test]
fn a_ball_is_three_hinges_and_a_free_joint_is_three_slides_and_a_ball() {
    let mut r = SplitMix::new(31);
    for _ in 0..40 {
        let (place, com) = (random_pose(&mut r), r.in_cube());
        let inertia = Sym3::rotated_diagonal(Vec3::new(0.2, 0.3, 0.4), r.rotation());
        let body = |joint: Joint| Link::new(None, joint, 1.5, inertia).with_com(com);
        let axis = |e: Vec3| Joint::hinge(Pose::IDENTITY, e);
        let gimbal = Tree::new(vec![
            body(Joint::hinge(place, Vec3::Z)).with_joint(axis(Vec3::Y)).with_joint(axis(Vec3::X)),
        ])
        .unwrap();
        let ball = Tree::new(vec![body(Joint::ball(place))]).unwrap();
        let q = [r.range(-3.0, 3.0), r.range(-1.0, 1.0), r.range(-3.0, 3.0)];
        let v = random_velocities(&mut r, 3);
        let one = placed(&gimbal, &q, &v);
        let relative = place.rotation.conjugate() * one.world_from_link[0].rotation;
        let q_ball = [relative.w, relative.x, relative.y, relative.z];
        // Spin along the joint's axes on the world.
        let spin = place.rotation.conjugate() * one.twist[0].angular;
        let other = placed(&ball, &q_ball, &spin.to_array());
        near(other.twist[0].linear, one.twist[0].linear, 1e-14);
        let acceleration = accelerations(&gimbal, &q, &v, &[]);
        let of_ball =
            place.rotation * Vec3::from_slice(&accelerations(&ball, &q_ball, &spin.to_array(), &[]));
        // ω̇ of the gimbal: axes times accelerations, and rates of the axes times velocities.
        let of_gimbal = (0..3)
            .map(|k| one.axis[k].angular * acceleration[k] + one.axis_rate[k].angular * v[k])
            .fold(Vec3::ZERO, |sum, x| sum + x);
        // The gimbal is worst where its axes come near each other: cos 1 at least.
        near(of_ball, of_gimbal, 1e-11 * (1.0 + of_ball.length()));

        let slides = body(Joint::slide(place, Vec3::X))
            .with_joint(Joint::slide(Pose::IDENTITY, Vec3::Y))
            .with_joint(Joint::slide(Pose::IDENTITY, Vec3::Z))
            .with_joint(Joint::ball(Pose::IDENTITY));
        let slides = Tree::new(vec![slides]).unwrap();
        let free = Tree::new(vec![body(Joint::free())]).unwrap();
        let turn = r.rotation();
        let travel = r.in_cube();
        let q = [travel.x, travel.y, travel.z, turn.w, turn.x, turn.y, turn.z];
        let v = random_velocities(&mut r, 6);
        let one = placed(&slides, &q, &v);
        let pose = one.world_from_link[0];
        let (t, o) = (pose.translation, pose.rotation);
        let twist = one.twist[0];
        let v_free: Vec<f64> = twist.linear.to_array().into_iter().chain(twist.angular.to_array()).collect();
        let flying = accelerations(&free, &[t.x, t.y, t.z, o.w, o.x, o.y, o.z], &v_free, &[]);
        let a = accelerations(&slides, &q, &v, &[]);
        // The origin of the ball joint accelerates by the slides, and the centre of mass falls.
        let (omega, lever) = (twist.angular, pose.rotate(com));
        let alpha = place.rotation * Vec3::from_slice(&a[3..]);
        let origin = place.rotation * Vec3::from_slice(&a[..3]);
        near(alpha, Vec3::from_slice(&flying[3..]), 1e-12 * (1.0 + alpha.length()));
        near(
            origin + alpha.cross(lever) + omega.cross(omega.cross(lever)),
            G,
            1e-12 * (10.0 + alpha.length()),
        );
    }
}

fn near(a: Vec3, b: Vec3, bound: f64) {
    assert!((a - b).length() <= bound, "{a} {b}: {:e} of {bound:e}", (a - b).length());
}

#[test]
fn a_dof_that_moves_no_mass_is_named() {
    let rod = Sym3::diagonal(Vec3::new(0.1, 0.1, 0.0));
    // A thin rod on a ball joint does not resist a spin about itself.
    let tree =
        Tree::new(vec![Link::new(None, Joint::ball(Pose::IDENTITY), 1.0, rod).with_com(Vec3::Z)]).unwrap();
    assert_eq!(massless_dof(&tree, &tree.neutral()), Some(2));
    let mut with_drive = tree.links()[0].clone();
    with_drive.joints[0].armature = 1e-3;
    let tree = Tree::new(vec![with_drive]).unwrap();
    assert_eq!(massless_dof(&tree, &tree.neutral()), None);
    // Two slides along one axis: one of them is too many.
    let body = Link::new(None, Joint::slide(Pose::IDENTITY, Vec3::X), 1.0, Sym3::IDENTITY);
    let twice = Tree::new(vec![body.clone().with_joint(Joint::slide(Pose::IDENTITY, Vec3::X))]).unwrap();
    assert_eq!(massless_dof(&twice, &[0.0, 0.0]), Some(0));
    // A link without mass in between, on a link with: good as long as the axes differ.
    let between = Link { mass: 0.0, inertia: Sym3::ZERO, ..body.clone() };
    let last = |axis| Link::new(Some(0), Joint::slide(Pose::IDENTITY, axis), 1.0, Sym3::IDENTITY);
    let good = Tree::new(vec![between.clone(), last(Vec3::Y)]).unwrap();
    assert_eq!(massless_dof(&good, &[0.0, 0.0]), None);
    let bad = Tree::new(vec![between, last(Vec3::X)]).unwrap();
    assert_eq!(massless_dof(&bad, &[0.0, 0.0]), Some(0));
    // Nothing there at all.
    let alone = Link { mass: 0.0, inertia: Sym3::ZERO, ..body };
    let tree = Tree::new(vec![alone]).unwrap();
    assert_eq!(massless_dof(&tree, &[0.0]), Some(0));
}
