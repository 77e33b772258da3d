mod manifold_kit;
use manifold_kit::*;
use huygens_geometry::*;
use huygens_math::*;

#[test]
fn scan() {
    for (i, ka) in CONVEX.iter().enumerate() {
        for kb in &CONVEX[i..] {
            let mut random = SplitMix::new(1);
            let (mut n, mut bad, mut worst) = (0, 0, 0.0f64);
            let mut ex = String::new();
            for it in 0..3000 {
                let a = convex(ka, 1.0, &mut random);
                let b = convex(kb, 1.0, &mut random);
                let size = a.size().min(b.size());
                let margin = 0.02 * size;
                let gap = random.range(-0.3, 0.03) * size;
                let pose = pose_with_gap(&a, &b, gap, &mut random);
                let ms = manifolds(&a, &b, &pose, margin);
                let w = Pose::new(random.rotation(), random.in_cube());
                let pose2 = w.relative(&(w * pose));
                let ms2 = manifolds(&a, &b, &pose2, margin);
                n += 1;
                if ms.len() != ms2.len() {
                    bad += 1;
                    ex = format!("{it} count {} {}", ms.len(), ms2.len());
                    continue;
                }
                if ms.is_empty() {
                    continue;
                }
                let (m, back) = (&ms[0], &ms2[0]);
                let d = {
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
                    bad += 1;
                    ex = format!(
                        "{it} d {d:.1e} gap {:.2e} n {:?} {:?} {:?} {:?}",
                        m.gap() / size,
                        m.normal,
                        back.normal,
                        m.points().iter().map(|p| p.feature).collect::<Vec<_>>(),
                        back.points().iter().map(|p| p.feature).collect::<Vec<_>>()
                    );
                }
                worst = worst.max(d);
            }
            println!("{ka:9} {kb:9} n {n} bad {bad} worst {worst:.2e} {ex}");
        }
    }
}
