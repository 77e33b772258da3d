use huygens_geometry::gjk::*;
use huygens_geometry::shape::*;
use huygens_math::*;

fn sat(a: &Cuboid, b: &Cuboid, pose: &Pose) -> (f64, Vec3, f64) {
    let m = Mat3::from_quat(pose.rotation);
    let bx = [m.x_axis, m.y_axis, m.z_axis];
    let ax = [Vec3::X, Vec3::Y, Vec3::Z];
    let ha = [a.half.x, a.half.y, a.half.z];
    let hb = [b.half.x, b.half.y, b.half.z];
    let mut axes: Vec<Vec3> = ax.to_vec();
    axes.extend(bx);
    for p in ax {
        for q in bx {
            let c = p.cross(q);
            if c.length() > 1e-9 {
                axes.push(c.normalize());
            }
        }
    }
    let mut best = (f64::INFINITY, Vec3::ZERO);
    let mut second = f64::INFINITY;
    for n in axes {
        let ra: f64 = (0..3).map(|i| ha[i] * n.dot(ax[i]).abs()).sum();
        let rb: f64 = (0..3).map(|i| hb[i] * n.dot(bx[i]).abs()).sum();
        let c = n.dot(pose.translation);
        let h = ra + rb - c.abs();
        let dir = if c > 0.0 { -n } else { n };
        if h < best.0 {
            second = best.0;
            best = (h, dir);
        } else if h < second {
            second = h;
        }
    }
    (best.0, best.1, second)
}

#[test]
fn boxes() {
    let mut r = SplitMix::new(1);
    for mode in 0..6 {
        let (mut worst, mut wn, mut unconv, mut it, mut itg, mut n, mut maxit, mut bad, mut wm) =
            (0.0f64, 0.0f64, 0, 0, 0, 0, 0, 0, 0.0f64);
        for _ in 0..100000 {
            let s = if mode >= 4 { trig::pow(10.0, r.range(-3.0, 3.0)) } else { 1.0 };
            let a = Cuboid { half: Vec3::new(r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0)) };
            let b = if mode == 2 {
                a
            } else {
                Cuboid { half: s * Vec3::new(r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0)) }
            };
            let rot = match mode {
                1 => Quat::IDENTITY,
                2 => Quat::IDENTITY,
                3 => trig::axis_angle(Vec3::Z, r.range(0.0, 3.0)),
                _ => r.rotation(),
            };
            let t = match mode {
                2 => {
                    if r.unit() < 0.5 {
                        Vec3::ZERO
                    } else {
                        Vec3::X * r.range(0.0, 1.0) * a.half.x
                    }
                }
                _ => r.in_cube() * 1.5 * (if s > 1.0 { s } else { 1.0 }),
            };
            let pose = Pose::new(rot, t);
            let (h, nrm, second) = sat(&a, &b, &pose);
            if h < 0.0 {
                continue;
            }
            n += 1;
            let (g, e) = separation_with_effort(&a, &b, &pose, Vec3::ZERO);
            if !e.converged {
                unconv += 1;
            }
            it += e.epa;
            itg += e.gjk;
            if e.epa > maxit {
                maxit = e.epa;
            }
            let size = 1.0 + s;
            let err = (g.gap + h).abs() / size;
            if err > 1e-12 {
                bad += 1;
                if bad < 4 {
                    println!("mode {mode} gap {} vs {} {:?} {:?} sat n {nrm:?}", g.gap, -h, e, g);
                }
            }
            if err > worst {
                worst = err;
            }
            if second - h > 1e-6 {
                let w = (g.normal - nrm).length();
                if w > wn {
                    wn = w;
                }
            }
            let m = (g.on_a - g.on_b - g.gap * g.normal).length() / size;
            if m > wm {
                wm = m;
            }
            // witness on surfaces
            let q = pose.inverse_transform(g.on_b);
            let oa = (g.on_a.abs() - a.half).max_element();
            let ob = (q.abs() - b.half).max_element();
            let sd = if oa.abs() > ob.abs() { oa.abs() } else { ob.abs() } / size;
            if sd > 1e-9 {
                println!("mode {mode} off surface {oa} {ob} {e:?}");
                bad += 1;
                if bad > 10 {
                    break;
                }
            }
        }
        println!(
            "mode {mode}: n {n} worst {worst:e} normal {wn:e} unconverged {unconv} epa {} max {maxit} gjk {} bad {bad} consistency {wm:e}",
            it as f64 / n as f64,
            itg as f64 / n as f64
        );
    }
}

use huygens_geometry::support::Support;
fn sigma<A: Support, B: Support>(a: &A, b: &B, p: &Pose, m: Vec3) -> f64 {
    m.dot(a.support(-m).point)
        - a.radius()
        - m.dot(p.transform(b.support(p.inverse_rotate(m)).point))
        - b.radius()
}
fn climb<A: Support, B: Support>(
    a: &A,
    b: &B,
    p: &Pose,
    m: Vec3,
    start: f64,
    r: &mut SplitMix,
) -> (f64, Vec3) {
    let mut m = m;
    let mut best = sigma(a, b, p, m);
    let mut step = start;
    let mut fails = 0;
    while step > 1e-9 {
        let d = r.direction();
        let t = (m + d * step).normalize();
        let s = sigma(a, b, p, t);
        if s > best {
            best = s;
            m = t;
            fails = 0;
            step *= 1.5;
            if step > 0.3 {
                step = 0.3;
            }
        } else {
            fails += 1;
            if fails > 12 {
                step *= 0.7;
                fails = 0;
            }
        }
    }
    (best, m)
}

#[test]
fn cylinders() {
    let mut r = SplitMix::new(5);
    for mode in 0..8 {
        let mut worst = 0.0f64;
        let (mut n, mut un, mut itg, mut ite, mut mx, mut sep, mut wn, mut mg) =
            (0, 0, 0, 0, 0, 0, 0.0f64, 0);
        let mut bad = 0;
        for _ in 0..3000 {
            let c = Cylinder { radius: r.range(0.1, 1.0), half_length: r.range(0.1, 1.0) };
            let b = Cuboid { half: Vec3::new(r.range(0.1, 1.0), r.range(0.1, 1.0), r.range(0.1, 1.0)) };
            let c2 = Cylinder { radius: r.range(0.1, 1.0), half_length: r.range(0.1, 1.0) };
            let rot = match mode {
                2 | 3 => Quat::IDENTITY,
                _ => r.rotation(),
            };
            let t = match mode {
                6 | 7 => Vec3::ZERO,
                _ => r.in_cube() * 1.5,
            };
            let pose = Pose::new(rot, t);
            let mut go = |g: Separation, e: Effort, s0: (f64, Vec3), s1: (f64, Vec3)| {
                n += 1;
                if !e.converged {
                    un += 1;
                }
                itg += e.gjk;
                ite += e.epa;
                if e.gjk > mg {
                    mg = e.gjk;
                }
                if e.epa > mx {
                    mx = e.epa;
                }
                if g.gap > 0.0 {
                    sep += 1;
                }
                let s = if s0.0 > s1.0 { s0 } else { s1 };
                let err = s.0 - g.gap;
                if err.abs() > worst {
                    worst = err.abs();
                }
                if err.abs() > 1e-9 {
                    bad += 1;
                    if bad < 4 {
                        println!(
                            "  mode {mode} gap {} oracle {} {e:?} n {:?} oracle n {:?}",
                            g.gap, s.0, g.normal, s.1
                        );
                    }
                }
                let w = (s0.1 - g.normal).length();
                if w > wn {
                    wn = w;
                }
            };
            let mut sweep = Vec::new();
            for _ in 0..300 {
                sweep.push(r.direction());
            }
            if mode % 2 == 0 {
                let (g, e) = separation_with_effort(&c, &b, &pose, Vec3::ZERO);
                let s0 = climb(&c, &b, &pose, g.normal, 1e-3, &mut r);
                let m = sweep
                    .iter()
                    .copied()
                    .max_by(|x, y| sigma(&c, &b, &pose, *x).total_cmp(&sigma(&c, &b, &pose, *y)))
                    .unwrap();
                let s1 = climb(&c, &b, &pose, m, 0.1, &mut r);
                go(g, e, s0, s1);
            } else {
                let (g, e) = separation_with_effort(&c, &c2, &pose, Vec3::ZERO);
                let s0 = climb(&c, &c2, &pose, g.normal, 1e-3, &mut r);
                let m = sweep
                    .iter()
                    .copied()
                    .max_by(|x, y| sigma(&c, &c2, &pose, *x).total_cmp(&sigma(&c, &c2, &pose, *y)))
                    .unwrap();
                let s1 = climb(&c, &c2, &pose, m, 0.1, &mut r);
                go(g, e, s0, s1);
            }
        }
        println!(
            "mode {mode}: n {n} sep {sep} bad {bad} worst {worst:e} normal {wn:e} unconverged {un} gjk {} max {mg} epa {} max {mx}",
            itg as f64 / n as f64,
            ite as f64 / n as f64
        );
    }
}
