//! The core of the soft convex model: random problems against the law written down once more, against projected Gauss–Seidel on the dual, and
//! against themselves.

use huygens_contact::Stop;
use huygens_contact::convex::{
    MassBlocks, Method, Resolution, SoftLaw, SoftOptions, SoftProblem, SoftRows, SoftScratch, SoftSolution,
    Softness, WarmRule, solve_soft,
};
use huygens_math::SplitMix;
use huygens_math::scalar::{clamp, max};

/// A problem that owns its parts.
#[derive(Default)]
struct Case {
    mass: MassBlocks,
    rows: SoftRows,
    smooth: Vec<f64>,
}

impl Case {
    fn block(&mut self, r: &mut SplitMix, size: usize) {
        let g: Vec<f64> = (0..size * size).map(|_| r.range(-1.0, 1.0)).collect();
        let values = self.mass.push(size);
        for i in 0..size {
            for j in 0..size {
                values[i * size + j] = (0..size).map(|k| g[i * size + k] * g[j * size + k]).sum::<f64>()
                    + if i == j { 0.3 } else { 0.0 };
            }
        }
        self.smooth.extend((0..size).map(|_| r.range(-10.0, 10.0)));
    }

    fn rows(&mut self, r: &mut SplitMix, law: SoftLaw, count: usize, columns: &[usize]) {
        let block = self.rows.push(law, count, columns);
        let stiffness = r.range(0.01, 0.3);
        for row in 0..count {
            self.rows.row_of_mut(&block, row).iter_mut().for_each(|j| *j = r.range(-1.0, 1.0));
            self.rows.aref[block.first + row] = r.range(-20.0, 20.0);
            self.rows.r[block.first + row] = match law {
                // R of friction follows from that of the normal (MuJoCo's rule).
                SoftLaw::Elliptic { friction, mu } if row > 0 => {
                    let impratio = (friction[0] / mu) * (friction[0] / mu);
                    stiffness / impratio
                        * (friction[0] / friction[row - 1])
                        * (friction[0] / friction[row - 1])
                }
                _ => stiffness,
            };
        }
    }

    /// Two to four blocks joined by rows of all laws.
    fn random(r: &mut SplitMix) -> Self {
        let mut case = Self::default();
        for _ in 0..2 + r.index(3) {
            let size = 1 + r.index(6);
            case.block(r, size);
        }
        let n = case.mass.dofs();
        for _ in 0..3 + r.index(8) {
            let columns: Vec<usize> = (0..n).filter(|_| r.unit() < 0.7).collect();
            if columns.is_empty() {
                continue;
            }
            let mu = r.range(0.2, 1.5);
            let friction = [mu, mu, r.range(0.01, 0.5), r.range(0.01, 0.3), r.range(0.01, 0.3)];
            let (law, count) = match r.index(6) {
                0 => (SoftLaw::Equality, 1 + r.index(6)),
                1 => (SoftLaw::Friction { loss: r.range(0.1, 5.0) }, 1),
                2 => (SoftLaw::Unilateral, 1),
                3 => (SoftLaw::Pyramid, 4),
                4 => (SoftLaw::Bounded { lo: r.range(-3.0, 0.5), hi: r.range(0.6, 4.0) }, 1),
                _ => {
                    let impratio: f64 = if r.unit() < 0.5 { 1.0 } else { 10.0 };
                    (SoftLaw::Elliptic { friction, mu: mu / impratio.sqrt() }, [3, 4, 6][r.index(3)])
                }
            };
            case.rows(r, law, count, &columns);
        }
        case
    }

    fn solve(&self, options: &SoftOptions) -> (SoftSolution, huygens_contact::convex::SoftReport) {
        let mut out = SoftSolution::default();
        let last = vec![0.0; self.smooth.len()];
        let problem = SoftProblem { mass: &self.mass, rows: &self.rows, smooth: &self.smooth, last: &last };
        let report = solve_soft(&problem, options, &mut SoftScratch::default(), &mut out);
        (out, report)
    }

    fn residuals(&self, a: &[f64]) -> Vec<f64> {
        let mut x = Vec::new();
        self.rows.times(a, &mut x);
        x.iter().zip(&self.rows.aref).map(|(x, aref)| x - aref).collect()
    }

    fn mass_times(&self, v: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; v.len()];
        for b in &self.mass.blocks {
            for i in 0..b.size {
                for j in 0..b.size {
                    out[b.first + i] += self.mass.values[b.at + i * b.size + j] * v[b.first + j];
                }
            }
        }
        out
    }

    /// The cost, with the elliptic cone as the least of ½ Σ (x − p)²D over p in the dual cone's polar: computed by the dual, not by zones.
    fn cost(&self, a: &[f64]) -> f64 {
        let e: Vec<f64> = a.iter().zip(&self.smooth).map(|(a, s)| a - s).collect();
        let mut sum = 0.5 * e.iter().zip(self.mass_times(&e)).map(|(e, m)| e * m).sum::<f64>();
        let x = self.residuals(a);
        for b in &self.rows.blocks {
            let x = &x[b.first..b.first + b.rows];
            let r = &self.rows.r[b.first..b.first + b.rows];
            match b.law {
                SoftLaw::Equality => sum += x.iter().zip(r).map(|(x, r)| 0.5 * x * x / r).sum::<f64>(),
                SoftLaw::Friction { loss } => {
                    for (x, r) in x.iter().zip(r) {
                        // sup over |f| ≤ loss of −f x − ½ R f²
                        let f = clamp(-x / r, -loss, loss);
                        sum += -f * x - 0.5 * r * f * f;
                    }
                }
                SoftLaw::Bounded { lo, hi } => {
                    let f = clamp(-x[0] / r[0], lo, hi);
                    sum += -f * x[0] - 0.5 * r[0] * f * f;
                }
                SoftLaw::Unilateral | SoftLaw::Pyramid => {
                    for (x, r) in x.iter().zip(r) {
                        let f = max(-x / r, 0.0);
                        sum += -f * x - 0.5 * r * f * f;
                    }
                }
                SoftLaw::Elliptic { friction, .. } => sum += elliptic_by_dual(x, r, &friction),
            }
        }
        sum
    }
}

/// sup over {f₀ ≥ 0, Σ(fⱼ/cⱼ)² ≤ f₀²} of −f·x − ½ fᵀR f: with w = fⱼ/cⱼ along −cⱼxⱼ (all cⱼ²Rⱼ are the same), a problem in (f₀, |w|).
fn elliptic_by_dual(x: &[f64], r: &[f64], c: &[f64; 5]) -> f64 {
    let t = x[1..].iter().zip(c).map(|(x, c)| (c * x) * (c * x)).sum::<f64>().sqrt();
    let rt = r[1] * c[0] * c[0];
    let value = |f: f64, w: f64| -f * x[0] + w * t - 0.5 * (r[0] * f * f + rt * w * w);
    let (f, w) = (-x[0] / r[0], t / rt);
    if f >= 0.0 && w <= f {
        return value(f, w);
    }
    let edge = max((t - x[0]) / (r[0] + rt), 0.0);
    value(edge, edge)
}

const EXACT: SoftOptions = SoftOptions {
    method: Method::Newton,
    iterations: 200,
    tolerance: 0.0,
    improvement: None,
    dense_dofs: 180,
    ls_iterations: 50,
    ls_tolerance: 0.01,
    noslip_iterations: 0,
    noslip_tolerance: 0.0,
    resolution: Resolution::Convex,
    warm: WarmRule::Cheaper,
};

#[test]
fn newton_finds_the_minimum_of_random_problems_and_forces_belong_to_it() {
    let mut r = SplitMix::new(2101);
    for number in 0..300 {
        let case = Case::random(&mut r);
        let (out, report) = case.solve(&EXACT);
        assert_eq!(report.stopped, Stop::Converged, "case {number}");
        // M(a − aₛ) = Jᵀf to round-off of forces up to 1e4.
        let e: Vec<f64> = out.a.iter().zip(&case.smooth).map(|(a, s)| a - s).collect();
        let mut rest = case.mass_times(&e);
        let minus: Vec<f64> = out.force.iter().map(|f| -f).collect();
        case.rows.add_transposed(&minus, &mut rest);
        let scale = out.force.iter().fold(1.0_f64, |m, f| max(m, f.abs()));
        assert!(rest.iter().all(|x| x.abs() < 1e-10 * scale), "case {number}: {rest:?}");
        let least = case.cost(&out.a);
        assert!(
            (least - report.cost).abs() <= 1e-10 * max(least.abs(), 1.0),
            "case {number}: {least} {report:?}"
        );
        for size in [1e-3, 1e-1, 10.0] {
            for _ in 0..5 {
                let other: Vec<f64> = out.a.iter().map(|a| a + size * r.range(-1.0, 1.0)).collect();
                assert!(case.cost(&other) >= least - 1e-11 * least.abs(), "case {number}: a cheaper point");
            }
        }
    }
}

#[test]
fn conjugate_gradients_find_what_newton_finds() {
    let mut r = SplitMix::new(2102);
    let cg = SoftOptions { method: Method::Cg, iterations: 5000, ..EXACT };
    for number in 0..150 {
        let case = Case::random(&mut r);
        let (newton, by_cg) = (case.solve(&EXACT).0, case.solve(&cg).0);
        let scale = newton.a.iter().fold(1.0_f64, |m, a| max(m, a.abs()));
        for (a, b) in newton.a.iter().zip(&by_cg.a) {
            // The gradient stops at 1e-13 of the forces, which condition numbers to 1e4 make 1e-8 of the accelerations.
            assert!((a - b).abs() < 1e-8 * scale, "case {number}: {a} {b}");
        }
    }
}

/// Many blocks in a grid, most of them of six dofs, whose neighbours are joined by rows: a wall, or a solid for `deep` above 1.
fn grid(r: &mut SplitMix, [wide, high, deep]: [usize; 3], stiffest: f64) -> Case {
    let mut case = Case::default();
    let sizes: Vec<usize> =
        (0..wide * high * deep).map(|_| if r.unit() < 0.8 { 6 } else { 1 + r.index(9) }).collect();
    sizes.iter().for_each(|&size| case.block(r, size));
    let first: Vec<usize> = case.mass.blocks.iter().map(|b| b.first).collect();
    let at = |x: usize, y: usize, z: usize| (z * high + y) * wide + x;
    let mut pairs = Vec::new();
    for (x, y, z) in (0..wide).flat_map(|x| (0..high).flat_map(move |y| (0..deep).map(move |z| (x, y, z)))) {
        let others = [(x + 1, y, z), (x, y + 1, z), (x, y, z + 1)];
        let inside = |&(x, y, z): &(usize, usize, usize)| x < wide && y < high && z < deep;
        pairs.extend(others.iter().filter(|o| inside(o)).map(|o| (at(x, y, z), at(o.0, o.1, o.2))));
    }
    for (a, b) in pairs {
        let columns: Vec<usize> = [a, b].iter().flat_map(|&k| first[k]..first[k] + sizes[k]).collect();
        let mu = r.range(0.2, 1.5);
        let friction = [mu, mu, 0.1, 0.1, 0.1];
        let (law, count) = match r.index(4) {
            0 => (SoftLaw::Elliptic { friction, mu }, 3),
            1 => (SoftLaw::Equality, 2),
            _ => (SoftLaw::Pyramid, 4),
        };
        let stiff = case.rows.len();
        case.rows(r, law, count, &columns);
        let scale = if r.unit() < 0.1 { stiffest } else { 1.0 };
        case.rows.r[stiff..].iter_mut().for_each(|r| *r *= scale);
    }
    case
}

#[test]
fn large_islands_have_the_minimum_of_a_dense_factor_whichever_way_they_are_solved() {
    let mut r = SplitMix::new(2107);
    // Walls and chains have a sparse factor, solids conjugate gradients; stiff rows among soft ones turn from these to a factor.
    for (number, (shape, stiffest)) in
        [([40, 1, 1], 1.0), ([12, 6, 1], 1.0), ([7, 6, 5], 1.0), ([6, 5, 4], 1e-6), ([8, 2, 2], 1e-4)]
            .into_iter()
            .enumerate()
    {
        let case = grid(&mut r, shape, stiffest);
        let (dense, report) = case.solve(&SoftOptions { dense_dofs: usize::MAX, ..EXACT });
        assert_eq!(report.stopped, Stop::Converged, "case {number}");
        let (sparse, report) = case.solve(&SoftOptions { dense_dofs: 0, ..EXACT });
        assert_eq!(report.stopped, Stop::Converged, "case {number}");
        let scale = dense.a.iter().fold(1.0_f64, |m, a| max(m, a.abs()));
        let off = dense.a.iter().zip(&sparse.a).fold(0.0_f64, |m, (a, b)| max(m, (a - b).abs()));
        assert!(off < 1e-8 * scale, "case {number}: {off} of {scale}");
    }
}

#[test]
fn forces_of_independent_rows_are_those_of_projected_gauss_seidel() {
    let mut r = SplitMix::new(2103);
    let mut compared = 0;
    while compared < 60 {
        let case = Case::random(&mut r);
        if case.rows.blocks.iter().any(|b| matches!(b.law, SoftLaw::Elliptic { .. })) {
            continue;
        }
        compared += 1;
        let (out, _) = case.solve(&EXACT);
        let (m, n) = (case.rows.len(), case.smooth.len());
        let mut y = vec![vec![0.0; n]; m];
        for row in 0..m {
            let mut unit = vec![0.0; m];
            unit[row] = 1.0;
            case.rows.add_transposed(&unit, &mut y[row]);
        }
        let j = y.clone();
        for y in &mut y {
            for b in &case.mass.blocks {
                let mut l = case.mass.values[b.at..b.at + b.size * b.size].to_vec();
                assert!(huygens_math::dense::factor_rows(&mut l, b.size));
                huygens_math::dense::solve_factored(&l, b.size, &mut y[b.first..b.first + b.size]);
            }
        }
        let (mut f, mut a) = (vec![0.0; m], case.smooth.clone());
        for _ in 0..20_000 {
            for b in &case.rows.blocks {
                for row in b.first..b.first + b.rows {
                    let x: f64 = j[row].iter().zip(&a).map(|(j, a)| j * a).sum::<f64>() - case.rows.aref[row];
                    let weight: f64 = j[row].iter().zip(&y[row]).map(|(j, y)| j * y).sum();
                    let r = case.rows.r[row];
                    let free = f[row] - (x + r * f[row]) / (weight + r);
                    let new = match b.law {
                        SoftLaw::Equality => free,
                        SoftLaw::Friction { loss } => clamp(free, -loss, loss),
                        SoftLaw::Bounded { lo, hi } => clamp(free, lo, hi),
                        _ => max(free, 0.0),
                    };
                    let by = new - f[row];
                    f[row] = new;
                    a.iter_mut().zip(&y[row]).for_each(|(a, y)| *a += y * by);
                }
            }
        }
        let scale = f.iter().fold(1.0_f64, |m, f| max(m, f.abs()));
        for (ours, theirs) in out.force.iter().zip(&f) {
            assert!((ours - theirs).abs() < 1e-9 * scale, "{ours} {theirs}");
        }
    }
}

#[test]
fn an_island_beside_others_has_the_bits_that_it_has_alone() {
    let mut r = SplitMix::new(2104);
    for _ in 0..50 {
        let (one, two) = (Case::random(&mut r), Case::random(&mut r));
        let shift = one.smooth.len();
        let mut both = Case { mass: one.mass.clone(), rows: one.rows.clone(), smooth: one.smooth.clone() };
        for b in &two.mass.blocks {
            both.mass.push(b.size).copy_from_slice(&two.mass.values[b.at..b.at + b.size * b.size]);
        }
        both.smooth.extend_from_slice(&two.smooth);
        for b in &two.rows.blocks {
            let columns: Vec<usize> = two.rows.columns_of(b).iter().map(|c| c + shift).collect();
            let added = both.rows.push(b.law, b.rows, &columns);
            for row in 0..b.rows {
                both.rows.row_of_mut(&added, row).copy_from_slice(two.rows.row_of(b, row));
                both.rows.aref[added.first + row] = two.rows.aref[b.first + row];
                both.rows.r[added.first + row] = two.rows.r[b.first + row];
            }
        }
        let options = SoftOptions { tolerance: 1e-8, ..EXACT };
        let (joined, alone) = (both.solve(&options).0, [one.solve(&options).0, two.solve(&options).0]);
        assert_eq!(joined.a, [alone[0].a.clone(), alone[1].a.clone()].concat());
        assert_eq!(joined.force, [alone[0].force.clone(), alone[1].force.clone()].concat());
    }
}

/// A point mass of 1 kg pressed on the ground with 10 N and sliding at `slip`: normal row z, friction rows x and y.
fn slider(slip: f64, push: f64) -> Case {
    let mut case = Case::default();
    let mass = case.mass.push(3);
    (0..3).for_each(|i| mass[4 * i] = 1.0);
    case.smooth = vec![push, 0.0, -10.0];
    let law = SoftLaw::Elliptic { friction: [0.5, 0.5, 0.0, 0.0, 0.0], mu: 0.05 };
    let block = case.rows.push(law, 3, &[0, 1, 2]);
    for (row, dof) in [2, 0, 1].into_iter().enumerate() {
        case.rows.row_of_mut(&block, row)[dof] = 1.0;
        case.rows.r[row] = if row == 0 { 0.1 } else { 0.001 };
    }
    case.rows.aref[1] = -slip / 0.02;
    case
}

#[test]
fn sliding_lifts_under_the_convex_law_and_not_under_signorini() {
    let signorini = SoftOptions { resolution: Resolution::Signorini, ..EXACT };
    let rest = slider(0.0, 0.0).solve(&signorini).0;
    // a = −10 + f, f = −a/R: f = 10/(1 + R).
    assert!((rest.force[0] - 10.0 / 1.1).abs() < 1e-12);
    for slip in [1.0, 5.0, 20.0] {
        let slid = slider(slip, 0.0).solve(&signorini).0;
        assert!((slid.force[0] - rest.force[0]).abs() < 1e-10, "normal force {} at {slip}", slid.force[0]);
        assert!((slid.force[1] + 0.5 * slid.force[0]).abs() < 1e-10, "friction {}", slid.force[1]);
        let lifted = slider(slip, 0.0).solve(&EXACT).0;
        assert!(lifted.force[0] > 2.0 * rest.force[0], "convex {}", lifted.force[0]);
    }
}

#[test]
fn no_slip_holds_what_friction_can_hold_and_lets_slide_what_it_cannot() {
    let options = SoftOptions { noslip_iterations: 50, ..EXACT };
    let held = slider(0.0, 2.0).solve(&options).0;
    assert!(held.a[0].abs() < 1e-12, "creeps with {}", held.a[0]);
    assert!((held.force[1] + 2.0).abs() < 1e-12);
    let creeping = slider(0.0, 2.0).solve(&EXACT).0;
    assert!(creeping.a[0] > 1e-4, "the soft law creeps: {}", creeping.a[0]);
    let sliding = slider(0.0, 20.0).solve(&options).0;
    assert!((sliding.force[1] + 0.5 * sliding.force[0]).abs() < 1e-10, "{:?}", sliding.force);
}

#[test]
fn solref_and_solimp_mean_what_mujoco_says() {
    let soft = Softness::default();
    let at = soft.at(-0.0005, 0.0); // in the middle of the curve: y = x²/mid = 0.5
    assert!((at.d - 0.925).abs() < 1e-15);
    assert!((at.b - 2.0 / (0.95 * 0.02)).abs() < 1e-12);
    assert!((at.k - 1.0 / (0.95 * 0.02 * 0.95 * 0.02)).abs() < 1e-9);
    assert_eq!(soft.at(0.0, 0.0).d, 0.9);
    assert_eq!(soft.at(-1.0, 0.0).d, 0.95);
    // refsafe: a time constant of at least two steps.
    assert!((soft.at(0.0, 0.04).b - 2.0 / (0.95 * 0.04)).abs() < 1e-12);
    let direct = Softness { solref: [-100.0, -7.0], ..soft }.at(0.0, 0.04);
    assert!((direct.k - 100.0 / (0.95 * 0.95)).abs() < 1e-12 && (direct.b - 7.0 / 0.95).abs() < 1e-12);
    // Mixed signs are the default.
    assert_eq!(Softness { solref: [0.02, -1.0], ..soft }.at(0.0, 0.0), soft.at(0.0, 0.0));
    // Out of range: clamped; no width: the mean.
    let odd = Softness { solimp: [2.0, -1.0, 0.0, 0.5, 0.0], ..soft }.at(-0.3, 0.0);
    assert!((odd.d - 0.5 * (0.9999 + 1e-4)).abs() < 1e-15);
    let linear = Softness { solimp: [0.2, 0.8, 0.01, 0.5, 1.0], ..soft }.at(0.0025, 0.0);
    assert!((linear.d - 0.35).abs() < 1e-15);
    let cubic = Softness { solimp: [0.2, 0.8, 0.01, 0.25, 3.0], ..soft }.at(0.005, 0.0);
    assert!((cubic.d - (0.2 + 0.6 * (1.0 - 0.125 / 0.5625))).abs() < 1e-14);
}
