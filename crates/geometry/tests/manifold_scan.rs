mod common;
use common::*;
use huygens_geometry::*;
use huygens_math::*;

#[test]
fn scan() {
    for (i, ka) in CONVEX.iter().enumerate() {
        for kb in &CONVEX[i..] {
            let mut random = SplitMix::new(1);
            let (mut n, mut none, mut bad, mut worst, mut npts, mut swapbad, mut swapworst) =
                (0, 0, 0, 0.0f64, 0, 0, 0.0f64);
            let mut ex = String::new();
            for it in 0..2000 {
                let a = convex(ka, 1.0, &mut random);
                let b = convex(kb, 1.0, &mut random);
                let size = a.size().min(b.size());
                let margin = 0.02 * size;
                let gap = random.range(-0.3, 0.03) * size;
                let pose = pose_with_gap(&a, &b, gap, &mut random);
                let s = query::separation(&a, &Pose::IDENTITY, &b, &pose).unwrap();
                let ms = manifolds(&a, &b, &pose, margin);
                n += 1;
                if ms.is_empty() {
                    none += 1;
                    if s.gap <= margin {
                        bad += 1;
                        ex = format!("{it} missing {}", s.gap / size);
                    }
                    continue;
                }
                let m = &ms[0];
                check_manifold(m, &pose, margin, 10.0);
                npts += m.points().len();
                let e = (m.gap() - s.gap).abs() / size;
                let band = 0.05 * s.gap.abs() / size + 1e-3;
                if e > band + 1e-9 {
                    bad += 1;
                    ex = format!("{it} err {e} gap {}", s.gap / size);
                }
                worst = worst.max(e);
                let inv = pose.inverse();
                let sw = manifolds(&b, &a, &inv, margin);
                let d = if sw.len() != 1 {
                    9.0
                } else {
                    let back = sw[0].swapped(&inv);
                    let dn = (back.normal - m.normal).length();
                    let dg = (back.gap() - m.gap()).abs();
                    let mut dp = 0.0f64;
                    if back.points().len() != m.points().len() {
                        dp = 8.0;
                    } else {
                        for (p, q) in back.points().iter().zip(m.points()) {
                            dp = dp.max((p.on_a - q.on_a).length());
                        }
                    }
                    dn.max(dg).max(dp)
                };
                if d > 1e-9 {
                    swapbad += 1;
                }
                swapworst = swapworst.max(d);
            }
            println!(
                "{ka:9} {kb:9} n {n} none {none} bad {bad} worst {worst:.2e} pts {:.2} swapbad {swapbad} {swapworst:.1e}  {ex}",
                npts as f64 / (n - none).max(1) as f64
            );
        }
    }
}
