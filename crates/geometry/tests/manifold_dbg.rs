mod common;
use common::*;
use huygens_geometry::*;
use huygens_math::*;
#[test]
fn dbg() {
    for (ka,kb,want) in [("cylinder","hull",2894),("box","cylinder",319)] {
            let mut random = SplitMix::new(1);
            for it in 0..3000 {
                let a = convex(ka, 1.0, &mut random);
                let b = convex(kb, 1.0, &mut random);
                let size = a.size().min(b.size());
                let gap = random.range(-0.3, 0.03) * size;
                let pose = pose_with_gap(&a, &b, gap, &mut random);
                let w = Pose::new(random.rotation(), random.in_cube());
                let pose2 = w.relative(&(w * pose));
                if it == want {
                    println!("{a:?} size {size} pose {pose:?}");
                    if let Shape::Box(x) = &a { println!("{x:?} {b:?}"); }
                    for p in [pose,pose2] {
                    let s = query::separation(&a, &Pose::IDENTITY, &b, &p).unwrap();
                    println!("{s:?}");
                    println!("{:?}", manifolds(&a, &b, &p, 0.02*size)[0]);
                    if let Shape::Hull(h) = &b { let d = p.inverse_rotate(s.normal); let x = p.inverse_transform(s.on_b);
                       let mut v: Vec<_> = (0..h.face_count()).map(|i| (h.face(i).normal.dot(d), i, h.face(i).normal.dot(x)-h.face(i).offset, h.face(i).edges.to_vec())).collect(); v.sort_by(|a,b| b.0.total_cmp(&a.0)); println!("{:?}", &v[..4]); let mut hs: Vec<_> = h.vertices().iter().enumerate().map(|(i,q)| (q.dot(d), i)).collect(); hs.sort_by(|a,b| b.0.total_cmp(&a.0)); println!("{:?} onb {}", &hs[..4], x.dot(d)); println!("face5 {:?} face7 {:?}", h.face(5), h.face(7)); }
                    }
                }
            }
    }
}
