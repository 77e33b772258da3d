use huygens_geometry::*;
use huygens_math::*;
use std::hint::black_box;
use std::time::Instant;
fn main() {
    let mut r = SplitMix::new(1);
    let mut cases = vec![];
    for what in [0, 1, 2] {
        cases.clear();
        for _ in 0..500 {
            let mk = |r: &mut SplitMix| {
                let c = 8 + r.index(17);
                let p: Vec<Vec3> = (0..c).map(|_| r.direction()).collect();
                Shape::hull(&p).unwrap()
            };
            let (a, b) = (mk(&mut r), mk(&mut r));
            let gap = [0.01, 0.0, -0.2][what] * a.size().min(b.size());
            let (rot, dir) = (r.rotation(), r.direction());
            let (mut lo, mut hi) = (0.0, 2.0);
            for _ in 0..50 {
                let m = 0.5 * (lo + hi);
                if query::separation(&a, &Pose::IDENTITY, &b, &Pose::new(rot, dir * m)).unwrap().gap > gap {
                    hi = m
                } else {
                    lo = m
                }
            }
            cases.push((a, b, Pose::new(rot, dir * lo)));
        }
        let time = |f: &mut dyn FnMut(&Shape, &Shape, &Pose)| {
            let mut best = f64::INFINITY;
            for _ in 0..60 {
                let t = Instant::now();
                for (a, b, p) in &cases {
                    f(a, b, p);
                }
                best = best.min(t.elapsed().as_nanos() as f64);
            }
            best / 500.0
        };
        for _ in 0..10 {
            let mut out = Vec::with_capacity(4);
            time(&mut |a, b, p| {
                out.clear();
                collide(a, b, p, 0.02, &mut out);
                black_box(&out);
            });
        }
        let g = time(&mut |a, b, p| {
            if let (Shape::Hull(a), Shape::Hull(b)) = (a, b) {
                black_box(gjk::separation(&**a, &**b, p));
            }
        });
        let mut out = Vec::with_capacity(4);
        let m = time(&mut |a, b, p| {
            out.clear();
            collide(a, b, p, 0.02, &mut out);
            black_box(&out);
        });
        println!("case {what} gjk {g:.0} all {m:.0}");
    }
}
