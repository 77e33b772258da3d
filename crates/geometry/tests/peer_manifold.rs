//! explore
mod peer;
use huygens_geometry::narrowphase::{FACE_BAND_OF_DEPTH, FACE_BAND_OF_SIZE};
use huygens_geometry::{collide, query};
use huygens_math::{Pose, SplitMix, trig};
use parry3d_f64::query::{ContactManifold, DefaultQueryDispatcher, PersistentQueryDispatcher};
use peer::oracle::{self, larger, smaller};
use peer::parry;
use peer::sample::{Kind, Turn, beside, scattered};

#[test]
fn explore() {
    let mut r = SplitMix::new(2);
    let mut pairs: Vec<(Kind, Kind)> = Vec::new();
    let kinds =
        [Kind::HalfSpace, Kind::Sphere, Kind::Capsule, Kind::Box, Kind::Cylinder, Kind::Hull, Kind::Wall];
    for i in 0..7 {
        for j in i..7 {
            if j > 0 {
                pairs.push((kinds[i], kinds[j]));
            }
        }
    }
    for (ka, kb) in pairs {
        let (mut n, mut missing, mut extra, mut badsig, mut baddeep, mut badwit, mut badgap) =
            (0, 0, 0, 0, 0, 0, 0);
        let (mut wsig, mut wdeep, mut wwit, mut wang) = (0.0f64, 0.0f64, 0.0f64, 0.0f64);
        let (mut ang_bad, mut pgap_bad, mut pnone, mut pang_bad) = (0, 0, 0, 0);
        let mut shown = 0;
        let t0 = std::time::Instant::now();
        for i in 0..3000 {
            let (a, b) = (ka.shape(&mut r, 1.0), kb.shape(&mut r, 1.0));
            let (a, b) = if r.unit() < 0.5 && ka != Kind::HalfSpace { (b, a) } else { (a, b) };
            let turn = Turn::ALL[r.index(4)];
            let size = smaller(a.size(), b.size());
            let margin = 0.02 * size;
            let gap = size
                * match i % 4 {
                    0 => r.range(-0.02, 0.02),
                    1 => trig::pow(10.0, r.range(-9.0, -2.0)) * if r.unit() < 0.5 { 1.0 } else { -1.0 },
                    2 => -r.range(0.0, 0.2),
                    _ => -r.range(0.2, 1.0),
                };
            let place = if i % 3 == 0 { scattered } else { beside };
            let pair = place(a, b, gap, turn, &mut r);
            let Some(s) = query::separation(&pair.a, &Pose::IDENTITY, &pair.b, &pair.b_in_a) else {
                continue;
            };
            let band = FACE_BAND_OF_DEPTH * s.gap.abs() + FACE_BAND_OF_SIZE * size;
            let mut out = Vec::new();
            collide(&pair.a, &pair.b, &pair.b_in_a, margin, &mut out);
            if s.gap > margin {
                if !out.is_empty() {
                    extra += 1;
                }
                continue;
            }
            n += 1;
            if out.is_empty() {
                if s.gap < margin - band {
                    missing += 1;
                }
                continue;
            }
            assert_eq!(out.len(), 1);
            let m = &out[0];
            let sig = oracle::apart(&pair, m.normal);
            let e = (sig - s.gap).abs() / band;
            wsig = larger(wsig, e);
            let mut say = |what: &str, v: f64| {
                if shown < 3 {
                    shown += 1;
                    println!(
                        "   {what} {v:.2e} class {} {turn:?} true {} {:?} sigma {sig} m {:?} {:?}\n      {pair:?}",
                        i % 4,
                        s.gap,
                        s.normal,
                        m.normal,
                        m.points()
                    );
                }
            };
            if e > 1.0 {
                badsig += 1;
                say("sigma", e);
            }
            let e = (m.gap() - sig).abs() / band;
            wdeep = larger(wdeep, e);
            if e > 1.0 {
                baddeep += 1;
                say("deepest", e);
            }
            for p in m.points() {
                let xb = pair.b_in_a.transform(p.on_b);
                if (m.normal.dot(p.on_a - xb) - p.gap).abs() > 1e-12 * larger(size, p.on_a.length()) {
                    badgap += 1;
                    say("gap", 0.0);
                }
                let w =
                    larger(oracle::outside(&pair.a, p.on_a).abs(), oracle::outside(&pair.b, p.on_b).abs())
                        / size;
                wwit = larger(wwit, w);
                if w > 1e-3 {
                    badwit += 1;
                    say("witness", w);
                }
            }
            let ang = trig::angle_between(m.normal, s.normal);
            if ang > 1e-3 {
                ang_bad += 1;
            }
            if let (Some(pa), Some(pb)) = (parry::shape(&pair.a), parry::shape(&pair.b)) {
                let (qa, qb) = (parry::pose(&pair.a, &Pose::IDENTITY), parry::pose(&pair.b, &pair.b_in_a));
                let mut ms: Vec<ContactManifold<(), ()>> = Vec::new();
                DefaultQueryDispatcher
                    .contact_manifolds(&qa.inv_mul(&qb), &*pa, &*pb, margin, &mut ms, &mut None)
                    .unwrap();
                let deepest =
                    ms.iter().flat_map(|m| m.points.iter().map(|p| p.dist)).fold(f64::INFINITY, smaller);
                if deepest == f64::INFINITY {
                    pnone += 1;
                } else {
                    if (deepest - m.gap()).abs() > 2.0 * band {
                        pgap_bad += 1;
                    }
                    let pn = -parry::ours(qa.rotation * ms[0].local_n1);
                    let ang = trig::angle_between(pn, m.normal);
                    wang = larger(wang, ang);
                    if ang > 1e-3 {
                        pang_bad += 1;
                    }
                }
            }
        }
        println!(
            "{ka:?} {kb:?}: n {n} missing {missing} extra {extra} sigma {badsig} ({wsig:.1e}) deepest {baddeep} ({wdeep:.1e}) gap {badgap} witness {badwit} ({wwit:.1e}) angle {ang_bad} | parry none {pnone} gap {pgap_bad} angle {pang_bad}, {:?}",
            t0.elapsed()
        );
    }
}
