//! Can contact add energy? Never with the guard, whatever the model, its sweeps, its warm start, the masses.

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sum, Sym3, Twist, Vec3, scalar, trig};

/// Fewer islands where the code is not optimised.
const ISLANDS: u64 = if cfg!(debug_assertions) { 2_000 } else { 100_000 };

/// A few bodies with masses over six decades, friction to 2, restitution to 1, and impulses of a last step that fit nothing.
fn island(seed: u64) -> (Toy, Vec<Impulse>) {
    let mut r = SplitMix::new(seed);
    let recipe = Recipe {
        bodies: 1 + r.index(3),
        contacts: 1 + r.index(3),
        mu: 2.0 * r.unit(),
        restitution: 1.0,
        mass_decades: 3.0,
        ..Recipe::default()
    };
    let mut toy = random(&mut r, recipe);
    if seed.is_multiple_of(2) {
        toy.groups.materials.iter_mut().for_each(|material| material.restitution = 1.0);
    }
    // No forces: what is gained is contact's doing.
    toy.v_free = toy.v_start.clone();
    let warm = toy.groups.points.iter().map(|_| {
        let size = trig::pow(10.0, r.range(-3.0, 1.0));
        [size * r.unit(), size * r.range(-0.5, 0.5), size * r.range(-0.5, 0.5)]
    });
    let warm = warm.collect();
    (toy, warm)
}

fn fastest(toy: &Toy, v: &Velocity) -> f64 {
    let mut speed = toy.speed;
    for head in &toy.groups.heads {
        for point in &toy.groups.points[head.range()] {
            for u in toy.groups.relative(head, point, v) {
                speed = scalar::max(u.abs(), speed);
            }
        }
    }
    speed
}

/// The fastest closing beyond what gaps allow, relative to the fastest row.
fn closing(toy: &Toy, v: &Velocity) -> f64 {
    let mut worst = 0.0;
    for head in &toy.groups.heads {
        for (i, point) in head.range().zip(&toy.groups.points[head.range()]) {
            let mut least = scalar::min(-point.gap / toy.h, 0.0);
            if toy.airborne.get(i) == Some(&true) {
                least = scalar::min(toy.groups.relative(head, point, &toy.v_free)[0], least);
            }
            worst = scalar::max(least - toy.groups.relative(head, point, v)[0], worst);
        }
    }
    worst / fastest(toy, &toy.v_free)
}

/// Energy that the impulses of some points bring in, Σ p·(u before + u after)/2: exact where the difference of two kinetic energies is
/// round-off.
fn gain_of<'a>(
    toy: &Toy,
    impulses: &[Impulse],
    v: &Velocity,
    points: impl Iterator<Item = (&'a Head, usize)>,
) -> f64 {
    let mut sum = Sum::default();
    for (head, i) in points {
        let before = toy.groups.relative(head, &toy.groups.points[i], &toy.v_free);
        let after = toy.groups.relative(head, &toy.groups.points[i], v);
        for k in 0..3 {
            sum.add(0.5 * impulses[i][k] * (before[k] + after[k]));
        }
    }
    sum.value()
}

fn gain(toy: &Toy, out: &Solution) -> f64 {
    gain_of(toy, &out.impulses, &out.v, points(toy))
}

/// Which island each group is in, by its first body.
fn islands(toy: &Toy) -> Vec<u32> {
    let mut of_body: Vec<u32> = (0..toy.bodies.len() as u32).collect();
    let free = |side: Side| if let Side::Free(i) = side { Some(i as usize) } else { None };
    for head in &toy.groups.heads {
        if let [Some(a), Some(b)] = head.side.map(free) {
            let (from, to) = (of_body[a].max(of_body[b]), of_body[a].min(of_body[b]));
            of_body.iter_mut().filter(|of| **of == from).for_each(|of| *of = to);
        }
    }
    toy.groups.heads.iter().map(|head| of_body[head.side.into_iter().find_map(free).unwrap()]).collect()
}

/// Islands whose impulses bring in energy. What they do to the velocity is worked out here: sub-steps have another one, since the points
/// of these manifolds are not those of rigid bodies.
fn islands_that_gain(toy: &Toy, islands: &[u32], impulses: &[Impulse]) -> u32 {
    let mut v = toy.v_free.clone();
    for (head, i) in points(toy) {
        toy.groups.apply(&toy.inertia, head, &toy.groups.points[i], impulses[i], &mut v);
    }
    let gains = |island: u32| {
        let own = toy.groups.heads.iter().zip(islands).filter(|(_, of)| **of == island);
        gain_of(toy, impulses, &v, own.flat_map(|(head, _)| head.range().map(move |i| (head, i)))) > 0.0
    };
    (0..toy.bodies.len() as u32).filter(|&island| gains(island)).count() as u32
}

fn points(toy: &Toy) -> impl Iterator<Item = (&Head, usize)> {
    toy.groups.heads.iter().flat_map(|head| head.range().map(move |i| (head, i)))
}

/// What a model showed over all islands.
#[derive(Clone, Default)]
struct Seen {
    /// Islands that gained without the guard, and that were scaled back with it.
    gained: u32,
    scaled: u32,
    /// Problems of several bodies in which nothing gained.
    whole: u32,
    sweeps: u64,
    most_sweeps: u32,
    worst_gain: f64,
    worst_closing: f64,
}

impl Seen {
    fn add(&mut self, other: &Self) {
        self.gained += other.gained;
        self.scaled += other.scaled;
        self.whole += other.whole;
        self.sweeps += other.sweeps;
        self.most_sweeps = self.most_sweeps.max(other.most_sweeps);
        self.worst_gain = scalar::max(other.worst_gain, self.worst_gain);
        self.worst_closing = scalar::max(other.worst_closing, self.worst_closing);
    }
}

/// Every n-th island, with every model.
struct Part {
    impacts: u32,
    guarded: u32,
    seen: Vec<Seen>,
}

/// The impacts of a step under the guard. Where without it no impact brings anything in, all of restitution is left: β = 1, and every bit.
fn bounce(toy: &mut Toy, settings: &Settings) -> ImpactOutcome {
    let mut free = toy.clone();
    let unguarded = free.bounce(&Settings { guard: false, ..*settings });
    let guarded = toy.bounce(settings);
    let groups = unguarded.losses.iter().filter(|loss| **loss != 0.0).count() as u32;
    // The book of a group adds its impacts up: it says no more than that of one.
    let once = unguarded.impacts == groups;
    if once && unguarded.losses.iter().all(|loss| *loss >= 0.0) {
        assert_eq!((guarded.guarded, guarded.least_beta), (0, 1.0), "nothing was gained");
        assert_eq!(toy.v_start, free.v_start, "the guard left every bit");
    }
    guarded
}

fn part(first: u64, stride: u64) -> Part {
    let mut room = (Scratch::default(), Solution::default());
    let mut part = Part { impacts: 0, guarded: 0, seen: vec![Seen::default(); SolverKind::ALL.len()] };
    for seed in (first..ISLANDS).step_by(stride as usize) {
        let (mut toy, warm) = island(seed);
        let settings = Settings { iterations: 1 + (seed % 8) as u32, guard: true, ..toy.exact() };
        let start = toy.kinetic(&toy.v_start);
        let bounced = bounce(&mut toy, &settings);
        part.impacts += bounced.impacts;
        part.guarded += bounced.guarded;
        let (warm, islands) = (Warm { points: &warm, ..Warm::default() }, islands(&toy));
        let case = Case { toy: &toy, islands: &islands, start, settings: &settings, warm };
        for (kind, seen) in SolverKind::ALL.iter().zip(&mut part.seen) {
            look(*kind, &case, &mut room, seen);
        }
    }
    part
}

/// A problem and what every model needs of it.
struct Case<'a> {
    toy: &'a Toy,
    islands: &'a [u32],
    start: f64,
    settings: &'a Settings,
    warm: Warm<'a>,
}

fn look(kind: SolverKind, case: &Case, room: &mut (Scratch, Solution), seen: &mut Seen) {
    let (&Case { toy, islands, start, settings, warm }, (scratch, out)) = (case, room);
    let free = Settings { guard: false, ..*settings };
    kind.solve(&free, &toy.problem(), warm, scratch, out);
    let (unguarded, before) = (islands_that_gain(toy, islands, &out.impulses), out.impulses.clone());
    let report = kind.solve(settings, &toy.problem(), warm, scratch, out).guard;
    let end = toy.kinetic(&out.v);
    seen.worst_gain = scalar::max((end - start) / (start + end + out.work.magnitude), seen.worst_gain);
    seen.worst_closing = scalar::max(closing(toy, &out.v), seen.worst_closing);
    seen.sweeps += u64::from(report.sweeps);
    seen.most_sweeps = report.sweeps.max(seen.most_sweeps);
    seen.gained += unguarded;
    seen.scaled += report.scaled;
    seen.whole += u32::from(toy.bodies.len() > 1 && unguarded == 0);
    if report.scaled == 0 && report.sweeps == 0 {
        assert_eq!(out.impulses, before, "{kind}: it left every bit");
    }
    // Only islands that gain are scaled: the guard's own sums have more round-off than those here, and it allows for it.
    assert!(report.scaled <= unguarded, "{kind}: {} scaled, {unguarded} gained", report.scaled);
    assert_eq!(report.least_scale < 1.0, report.scaled > 0, "{kind}: {report:?}");
    // A set number of sub-steps ends with friction that a wild start has left outside; sweeps end each visit in the cone.
    if kind.displaces() {
        return;
    }
    for (head, i) in points(toy) {
        let (p, mu) = (out.impulses[i], toy.groups.materials[head.material as usize].friction_static);
        let p_t = (p[1] * p[1] + p[2] * p[2]).sqrt();
        assert!(p_t <= mu * p[0] * (1.0 + 1e-12) && p[0] >= 0.0, "{kind}: in its cone {p:?}");
    }
}

#[test]
fn no_island_gains_energy_and_nothing_closes_with_few_sweeps_and_a_wild_warm_start() {
    let count = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let parts: Vec<Part> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|first| scope.spawn(move || part(first, count))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no part fails")).collect()
    });
    let mut all = vec![Seen::default(); SolverKind::ALL.len()];
    let (mut impacts, mut guarded) = (0, 0);
    for part in &parts {
        (impacts, guarded) = (impacts + part.impacts, guarded + part.guarded);
        all.iter_mut().zip(&part.seen).for_each(|(all, part)| all.add(part));
    }
    println!("{ISLANDS} islands, {impacts} impacts, {guarded} of them scaled back");
    for (kind, seen) in SolverKind::ALL.iter().zip(&all) {
        println!(
            "{kind}: {} gained unguarded, {} scaled, {} of several bodies left whole, worst gain {:.1e}, closing {:.1e}, {} sweeps to \
             keep apart, most {}",
            seen.gained,
            seen.scaled,
            seen.whole,
            seen.worst_gain,
            seen.worst_closing,
            seen.sweeps,
            seen.most_sweeps
        );
        // Hundreds of roundings over masses that differ by a million.
        assert!(seen.worst_gain < 1e-14, "{kind}: {:e}", seen.worst_gain);
        // The guard ends when a sweep meets less than 1e-9 of the fastest row; rows that come later in the sweep push earlier ones.
        assert!(seen.worst_closing < 1e-8, "{kind}: {:e}", seen.worst_closing);
        // The reference forgets where it began: it has nothing to take back.
        let forgets = *kind == SolverKind::NcpNewton;
        assert!(forgets || seen.scaled > 0, "{kind}: the warm starts are wild enough to need it");
        assert!(seen.whole > 0, "{kind}: some islands of several bodies gain nothing");
    }
    assert!(guarded > 0, "some impacts gain");
}

#[test]
fn trees_and_drivers_are_guarded_too() {
    for seed in 0..ISLANDS / 50 {
        let mut r = SplitMix::new(seed);
        let recipe = Recipe { bodies: 2, contacts: 4, mu: 2.0 * r.unit(), extras: true, ..Recipe::default() };
        let mut toy = random(&mut r, recipe);
        toy.v_free = toy.v_start.clone();
        let warm: Vec<Impulse> = toy.groups.points.iter().map(|_| [r.unit(), 0.3, -0.2]).collect();
        for &kind in SolverKind::ALL {
            let settings = Settings { iterations: 3, guard: true, ..toy.exact() };
            let mut out = Solution::default();
            let warm = Warm { points: &warm, ..Warm::default() };
            kind.solve(&settings, &toy.problem(), warm, &mut Scratch::default(), &mut out);
            // Relative to the driver: what it gives is its own work.
            let gain = gain(&toy, &out);
            assert!(gain <= 1e-13 * out.work.magnitude, "{kind} {seed}: {gain}");
        }
    }
}

/// The rod of ledger.md: mass 1, length 1, its lower end in contact, e = μ = 1.
fn rod() -> Toy {
    let mut toy = Toy::new(1e-3);
    let (s, c) = trig::sin_cos(0.78864);
    let start = Twist::new(Vec3::new(-0.00701, 0.0, -0.40386), Vec3::Y * -1.83771);
    let a = toy.body(1.0, Sym3::diagonal(Vec3::splat(1.0 / 12.0)), start, start);
    let arm = Vec3::new(-c, 0.0, -s) * 0.5;
    toy.contact([a, Side::Fixed], Vec3::Z, &[(arm, Vec3::ZERO, 0.0)], bouncy(1.0, 1.0));
    toy
}

#[test]
fn the_rod_that_restitution_speeds_up_keeps_its_energy_under_the_guard() {
    for (guard, ratio) in [(false, 1.5615), (true, 1.0)] {
        let mut toy = rod();
        let before = toy.kinetic(&toy.v_start);
        let settings = Settings { guard, ..toy.exact() };
        let out = toy.bounce(&settings);
        let after = toy.kinetic(&toy.v_start);
        println!("guard {guard}: T⁺/T⁻ = {}, β = {}", after / before, out.least_beta);
        // The page prints five digits.
        assert!((after / before - ratio).abs() < 1e-4, "{}", after / before);
        if guard {
            assert!(after <= before * (1.0 + 1e-14), "{}", after / before);
            assert!((out.least_beta - 0.80008).abs() < 1e-5, "{}", out.least_beta);
        }
    }
}

#[test]
fn baumgarte_brings_no_more_than_the_book_shows() {
    let recovery = baumgarte(0.7);
    for seed in 0..ISLANDS / 50 {
        let (toy, warm) = island(seed);
        let toy = toy.recovering(recovery);
        for &kind in SolverKind::ALL {
            let settings = Settings { iterations: 1 + (seed % 8) as u32, guard: true, ..toy.exact() };
            let mut out = Solution::default();
            let warm = Warm { points: &warm, ..Warm::default() };
            kind.solve(&settings, &toy.problem(), warm, &mut Scratch::default(), &mut out);
            let (start, end) = (toy.kinetic(&toy.v_start), toy.kinetic(&out.v));
            let brought = out.work.stabilisation.value();
            let size = start + end + out.work.magnitude;
            assert!(end - start <= brought + 1e-13 * size, "{kind} {seed}: {} {brought}", end - start);
        }
    }
}

#[test]
fn a_motor_may_do_its_work_under_the_guard() {
    // A cart on the floor, pushed by a motor: contact adds nothing, the motor all it can.
    for &kind in SolverKind::ALL {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
        toy.inertia.free[0].inv_inertia = Sym3::ZERO;
        toy.gravity(Vec3::Z * -9.81);
        toy.contact([a, Side::Fixed], Vec3::Z, &[(Vec3::Z * -0.5, Vec3::ZERO, 0.0)], rough(0.0));
        let row = Row { linear: Vec3::X, angular: [Vec3::ZERO; 2], target: 3.0, error: 0.0, tree: None };
        toy.row([a, Side::Fixed], Law::Bounded { lo: -0.5, hi: 0.5 }, row);
        let (out, report) = toy.solve(kind, &Settings { guard: true, ..toy.exact() });
        assert_eq!(report.guard.scaled, 0, "{kind}");
        assert!((out.v.free[0].linear.x - 0.25).abs() < 1e-15, "{kind}: {:?}", out.v.free[0]);
    }
}

#[test]
fn a_driver_may_do_its_work_under_the_guard() {
    // A wall at 2 m/s meets a ball at rest: ½ p u_d is the driver's, and the ball leaves with its speed.
    for kind in hard() {
        let mut toy = Toy::new(0.01);
        let a = toy.sphere(2.0, 0.5, Vec3::ZERO);
        let wall = toy.driven(Twist::new(Vec3::X * 2.0, Vec3::ZERO));
        toy.contact([a, wall], Vec3::X, &[(Vec3::X * -0.5, Vec3::ZERO, 0.0)], rough(0.5));
        let (out, report) = toy.solve(kind, &Settings { guard: true, ..toy.exact() });
        assert_eq!(report.guard.scaled, 0, "{kind}");
        assert!((out.v.free[0].linear.x - 2.0).abs() < 1e-14, "{kind}: {:?}", out.v.free[0]);
    }
}
