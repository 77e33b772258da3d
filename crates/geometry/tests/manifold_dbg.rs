mod manifold_kit;
use manifold_kit::*;
use huygens_geometry::*;
use huygens_math::*;
#[test]
fn reuse() {
    for (i, ka) in CONVEX.iter().enumerate() {
        for kb in &CONVEX[i..] {
            let mut random = SplitMix::new(5);
            let (mut n, mut kept, mut bad, mut worst, mut worst_same, mut differ, mut tl) =
                (0, 0, 0, 0.0f64, 0.0f64, 0, 0.0);
            let mut ex = String::new();
            for it in 0..3000 {
                let a = convex(ka, 1.0, &mut random);
                let b = convex(kb, 1.0, &mut random);
                let size = a.size().min(b.size());
                let margin = 0.05 * size;
                let gap = random.range(-0.05, 0.05) * size;
                let pose = pose_with_gap(&a, &b, gap, &mut random);
                let ms = manifolds(&a, &b, &pose, margin);
                if ms.is_empty() {
                    continue;
                }
                let m = ms[0];
                n += 1;
                tl += m.reuse.travel / size;
                // motion about the contact
                let turn = m.reuse.turn.min(0.01) * random.unit();
                let travel = m.reuse.travel.min(0.01 * size) * random.unit();
                let c = m.points()[0].on_a;
                let dq = trig::axis_angle(random.direction(), turn);
                let moved = Pose::new(
                    dq * pose.rotation,
                    c + dq * (pose.translation - c) + random.direction() * travel,
                );
                let Some(r) = m.refreshed(&pose, &moved, size) else { continue };
                kept += 1;
                let cold = manifolds(&a, &b, &moved, margin * 3.0);
                let cold = cold[0];
                if it == 2542 && *ka == "box" && *kb == "cylinder" {
                    println!(
                        "{a:?} {b:?} turn {turn} travel {travel} size {size} reuse {:?}\n m {:?} {:?} {:?}\n r {:?} {:?}\n cold {:?} {:?} {:?} ids {:?} {:?}",
                        m.reuse,
                        m.normal,
                        m.points(),
                        m.round,
                        r.normal,
                        r.points(),
                        cold.normal,
                        cold.points(),
                        cold.reference,
                        m.reference,
                        pose
                    );
                    let s = query::separation(&a, &Pose::IDENTITY, &b, &pose).unwrap();
                    println!("star {s:?}");
                    let s = query::separation(&a, &Pose::IDENTITY, &b, &moved).unwrap();
                    println!("star {s:?}");
                }
                let e = (cold.gap() - r.gap()).abs() / size;
                worst = worst.max(e);
                let deep =
                    |m: &Manifold| m.points().iter().min_by(|p, q| p.gap.total_cmp(&q.gap)).unwrap().feature;
                let has = |m: &Manifold, f: FeatureId| m.points().iter().any(|p| p.feature == f);
                let same =
                    (cold.normal - r.normal).length() < 0.03 && has(&cold, deep(&r)) && has(&r, deep(&cold));
                if !same {
                    differ += 1;
                } else {
                    worst_same = worst_same.max(e);
                    if e > 1e-4 {
                        bad += 1;
                        ex = format!(
                            "{it} e {e:.1e} gap {:.2e} -> {:.3e} cold {:.3e} {:?} len {} {}",
                            m.gap() / size,
                            r.gap() / size,
                            cold.gap() / size,
                            m.points()[0].feature,
                            m.points().len(),
                            cold.points().len()
                        );
                    }
                }
            }
            println!(
                "{ka:9} {kb:9} n {n} kept {kept} travel {:.1e} differ {differ} bad {bad} worst {worst:.1e} same {worst_same:.1e} {ex}",
                tl / n as f64
            );
        }
    }
}
