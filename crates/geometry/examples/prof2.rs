use huygens_geometry::*;
use huygens_math::*;
use std::hint::black_box;
use std::time::Instant;
fn main() {
    let mut out: Vec<Manifold> = Vec::with_capacity(8);
    let mut r = SplitMix::new(1);
    let v: Vec<Vec3> = (0..200).map(|_| r.direction()).collect();
    let poses: Vec<Pose> = (0..200).map(|_| Pose::new(r.rotation(), r.direction())).collect();
    let (a, b) = (Shape::sphere(0.6).unwrap(), Shape::sphere(0.5).unwrap());
    for _ in 0..3 {
        let t = |f: &mut dyn FnMut()| {
            let mut best = f64::INFINITY;
            for _ in 0..2000 {
                let t = Instant::now();
                f();
                best = best.min(t.elapsed().as_nanos() as f64);
            }
            best / 200.0
        };
        let p = t(&mut || {
            for n in &v {
                out.clear();
                out.push(Manifold::new(*n, Reference::A));
                black_box(&out);
            }
        });
        let q = t(&mut || {
            for n in &poses {
                black_box(n.inverse_rotate(n.translation / n.translation.length()));
            }
        });
        let s = t(&mut || {
            for n in &poses {
                out.clear();
                collide(&a, &b, n, 0.02, &mut out);
                black_box(&out);
            }
        });
        println!("push {p:.1} rot+norm {q:.1} collide {s:.1}");
    }
}
