//! The broad phase against brute force, over random histories.

use huygens_geometry::broadphase::{BroadPhase, Filter, Mobility, Pair, ProxyBox};
use huygens_math::{SplitMix, Vec3};

/// What a slot holds, kept beside the structure under test.
#[derive(Clone, Copy)]
struct Proxy {
    bounds: ProxyBox,
    filter: Filter,
    mobility: Mobility,
    owner: u32,
}

type Content = Vec<Option<Proxy>>;

fn brute_force(content: &Content) -> Vec<Pair> {
    let mut out = Vec::new();
    for (a, p) in content.iter().enumerate() {
        let Some(p) = p else { continue };
        for (b, q) in content.iter().enumerate().skip(a + 1) {
            let Some(q) = q else { continue };
            let both_static = p.mobility == Mobility::Static && q.mobility == Mobility::Static;
            let wanted = p.owner != q.owner && !both_static;
            let layers = p.filter.layer & q.filter.mask != 0 && q.filter.layer & p.filter.mask != 0;
            if wanted && layers && p.bounds.overlaps(&q.bounds) {
                out.push(Pair { a: a as u32, b: b as u32 });
            }
        }
    }
    out
}

/// A fresh structure with this content, filled from the last slot to the first.
fn rebuilt(content: &Content) -> BroadPhase {
    let mut phase = BroadPhase::new();
    for (slot, p) in content.iter().enumerate().rev() {
        if let Some(p) = p {
            phase.insert(slot as u32, p.bounds, p.filter, p.mobility, p.owner);
        }
    }
    phase
}

fn around(centre: Vec3, half: Vec3) -> ProxyBox {
    ProxyBox::from_f64_outward(centre - half, centre + half)
}

/// A box of random place and size in a scene of size `scale`; now and then a hostile one.
fn random_box(r: &mut SplitMix, scale: f64, crowd: f64) -> ProxyBox {
    let half = r.in_cube().abs() * scale * crowd;
    let centre = r.in_cube() * scale;
    match r.index(60) {
        0 => ProxyBox::EVERYTHING,
        1 => ProxyBox { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY, f32::INFINITY, centre.z as f32] },
        2 => ProxyBox::EMPTY,
        3 => ProxyBox { min: [0.0, f32::NAN, 0.0], max: [1.0; 3] },
        4 => ProxyBox { min: [scale as f32; 3], max: [-scale as f32; 3] },
        5 => around(Vec3::ZERO, Vec3::ZERO),
        6 => around(centre, half * 1e6),
        7 => around(centre, half * 1e-6),
        8 => around(centre * 1e6, half),
        9 => ProxyBox { min: [f32::INFINITY; 3], max: [f32::INFINITY; 3] },
        10 => ProxyBox { min: [f32::MAX; 3], max: [f32::INFINITY; 3] },
        11 => around(Vec3::new(scale * 0.5, 0.0, 0.0), Vec3::splat(scale * 0.5)),
        _ => around(centre, half),
    }
}

fn random_filter(r: &mut SplitMix) -> Filter {
    match r.index(4) {
        0 => Filter { layer: 1 << r.index(3), mask: r.bits() as u32 & 7 },
        _ => Filter::DEFAULT,
    }
}

/// Moves along, so that some boxes stay in their fat boxes and some do not.
fn nudged(b: &ProxyBox, r: &mut SplitMix) -> ProxyBox {
    let size = (b.max[0] - b.min[0]).min(1e30);
    let step = size * [0.001, 0.01, 0.1, 1.0, 30.0][r.index(5)];
    let d = r.in_cube();
    let d = [d.x as f32 * step, d.y as f32 * step, d.z as f32 * step];
    ProxyBox { min: std::array::from_fn(|i| b.min[i] + d[i]), max: std::array::from_fn(|i| b.max[i] + d[i]) }
}

struct History {
    r: SplitMix,
    content: Content,
    phase: BroadPhase,
    scale: f64,
    crowd: f64,
}

impl History {
    fn new(seed: u64, slots: usize, scale: f64, crowd: f64) -> Self {
        let r = SplitMix::new(seed);
        Self { r, content: vec![None; slots], phase: BroadPhase::new(), scale, crowd }
    }

    fn insert(&mut self, slot: usize) {
        let r = &mut self.r;
        let bounds = random_box(r, self.scale, self.crowd);
        let mobility = if r.index(4) == 0 { Mobility::Static } else { Mobility::Moving };
        let owner = if r.index(4) == 0 { 1_000_000 + r.index(5) as u32 } else { slot as u32 };
        let p = Proxy { bounds, filter: random_filter(r), mobility, owner };
        self.content[slot] = Some(p);
        self.phase.insert(slot as u32, p.bounds, p.filter, p.mobility, p.owner);
    }

    /// One random edit.
    fn edit(&mut self) {
        let slot = self.r.index(self.content.len());
        match self.r.index(10) {
            0 => self.insert(slot),
            1 => {
                self.content[slot] = None;
                self.phase.remove(slot as u32);
            }
            2 => {
                let filter = random_filter(&mut self.r);
                self.phase.set_filter(slot as u32, filter);
                if let Some(p) = &mut self.content[slot] {
                    p.filter = filter;
                }
            }
            kind => {
                let old = self.content[slot].map_or(ProxyBox::EMPTY, |p| p.bounds);
                let far = kind == 3;
                let new = match far {
                    true => random_box(&mut self.r, self.scale, self.crowd),
                    false => nudged(&old, &mut self.r),
                };
                self.phase.set_bounds(slot as u32, new);
                if let Some(p) = &mut self.content[slot] {
                    p.bounds = new;
                }
            }
        }
    }

    /// Moves everything a little, most static ones too.
    fn move_all(&mut self) {
        for slot in 0..self.content.len() {
            if let Some(p) = &mut self.content[slot] {
                p.bounds = nudged(&p.bounds, &mut self.r);
                self.phase.set_bounds(slot as u32, p.bounds);
            }
        }
    }

    fn check(&mut self, step: usize) {
        let expected = brute_force(&self.content);
        assert_eq!(self.phase.update_pairs(), expected, "step {step}");
        assert_eq!(self.phase.pairs(), expected);
    }
}

#[test]
fn pairs_are_those_of_brute_force_over_random_histories() {
    for (seed, scale, crowd) in
        [(1, 1.0, 0.2), (2, 1e-6, 0.2), (3, 1e4, 0.2), (4, 1.0, 0.01), (5, 1.0, 1.0), (6, 1e30, 0.3)]
    {
        let mut h = History::new(seed, 40, scale, crowd);
        let mut pairs = 0;
        for step in 0..3000 {
            let edits = [0, 1, 1, 2, 5, 40][h.r.index(6)];
            for _ in 0..edits {
                h.edit();
            }
            if h.r.index(10) == 0 {
                h.move_all();
            }
            h.check(step);
            pairs += h.phase.pairs().len();
        }
        assert!(pairs > 3000, "the history of seed {seed} must have overlaps, not {pairs}");
    }
}

#[test]
fn pairs_are_those_of_brute_force_for_two_thousand_proxies() {
    let mut h = History::new(7, 2000, 1.0, 0.07);
    for slot in 0..2000 {
        h.insert(slot);
    }
    for step in 0..60 {
        let edits = [0, 10, 100, 500, 3000][step % 5];
        for _ in 0..edits {
            h.edit();
        }
        if step % 7 == 0 {
            h.move_all();
        }
        h.check(step);
    }
}

#[test]
fn a_fresh_structure_gives_the_same_pairs_at_every_step() {
    let mut h = History::new(8, 300, 1.0, 0.1);
    for step in 0..400 {
        for _ in 0..30 {
            h.edit();
        }
        let fresh = rebuilt(&h.content).update_pairs().to_vec();
        assert_eq!(h.phase.update_pairs(), fresh, "step {step}");
    }
}

#[test]
fn two_runs_of_one_history_agree_in_pairs_and_in_visiting_order() {
    let run = || {
        let mut h = History::new(9, 200, 1.0, 0.1);
        let mut log = Vec::new();
        for _ in 0..200 {
            for _ in 0..20 {
                h.edit();
            }
            log.extend(h.phase.update_pairs().iter().map(|p| p.key()));
            h.phase.query_box(around(Vec3::ZERO, Vec3::splat(0.5)), |slot| log.push(slot.into()));
            h.phase.cast_ray(Vec3::splat(-2.0), Vec3::new(1.0, 1.1, 0.9), 9.0, |slot| {
                log.push(slot.into());
                9.0
            });
        }
        log
    };
    assert_eq!(run(), run());
}

#[test]
fn queries_find_what_brute_force_finds_also_before_the_update() {
    let mut h = History::new(10, 300, 1.0, 0.1);
    for step in 0..600 {
        for _ in 0..25 {
            h.edit();
        }
        if step % 3 == 0 {
            h.phase.update_pairs();
        }
        let probe = random_box(&mut h.r, 1.0, 0.3);
        let mut found = Vec::new();
        h.phase.query_box(probe, |slot| found.push(slot as usize));
        found.sort();
        let overlapping = |p: &Option<Proxy>| p.is_some_and(|p| p.bounds.overlaps(&probe));
        let expected: Vec<usize> = (0..300).filter(|&i| overlapping(&h.content[i])).collect();
        assert_eq!(found, expected, "step {step}");
    }
}

/// Where the ray enters the box, by clipping in f64, and by how much it would have to grow to be missed or hit.
fn clip(b: &ProxyBox, origin: Vec3, direction: Vec3, max: f64) -> Option<f64> {
    let (mut near, mut far) = (0.0_f64, max);
    if b.is_empty() {
        return None;
    }
    for i in 0..3 {
        let (lo, hi) = (f64::from(b.min[i]) - origin[i], f64::from(b.max[i]) - origin[i]);
        if direction[i] == 0.0 {
            if lo > 0.0 || hi < 0.0 {
                return None;
            }
            continue;
        }
        let (t, u) = (lo / direction[i], hi / direction[i]);
        let (t, u) = if t < u { (t, u) } else { (u, t) };
        near = if t > near { t } else { near };
        far = if u < far { u } else { far };
    }
    (near <= far).then_some(near)
}

#[test]
fn a_ray_finds_every_box_on_its_way_and_the_nearest_first_hit() {
    let mut h = History::new(11, 300, 1.0, 0.1);
    let mut hits = 0;
    for step in 0..1500 {
        for _ in 0..10 {
            h.edit();
        }
        if step % 3 == 0 {
            h.phase.update_pairs();
        }
        let origin = h.r.in_cube() * 2.0;
        let mut direction = h.r.in_cube();
        if step % 5 == 0 {
            direction.x = 0.0;
        }
        if step % 25 == 0 {
            direction.y = -0.0;
        }
        let max = h.r.range(0.0, 6.0);
        let mut found = Vec::new();
        h.phase.cast_ray(origin, direction, max, |slot| {
            found.push(slot as usize);
            max
        });
        found.sort();
        let enter = |slot: usize| h.content[slot].and_then(|p| clip(&p.bounds, origin, direction, max));
        let expected: Vec<usize> = (0..300).filter(|&slot| enter(slot).is_some()).collect();
        // Random rays do not graze edges to 1e-15, so that no box is found by rounding alone.
        assert_eq!(found, expected, "step {step}");
        hits += found.len();

        // Shortening the ray at every box still leads to the nearest.
        let mut best = f64::INFINITY;
        h.phase.cast_ray(origin, direction, max, |slot| {
            let t = enter(slot as usize).unwrap_or(f64::INFINITY);
            best = if t < best { t } else { best };
            if best < max { best } else { max }
        });
        let nearest =
            expected.iter().filter_map(|&s| enter(s)).fold(f64::INFINITY, |a, b| if b < a { b } else { a });
        assert_eq!(best, nearest, "step {step}");
    }
    assert!(hits > 3000, "only {hits} boxes were hit");
}

#[test]
fn a_ray_with_bad_numbers_finds_nothing_and_ends() {
    let mut phase = BroadPhase::new();
    for slot in 0..20 {
        phase.insert(slot, ProxyBox::EVERYTHING, Filter::DEFAULT, Mobility::Moving, slot);
    }
    phase.update_pairs();
    let count = |origin: Vec3, direction: Vec3, max: f64, next: f64| {
        let mut n = 0;
        phase.cast_ray(origin, direction, max, |_| {
            n += 1;
            next
        });
        n
    };
    assert_eq!(count(Vec3::ZERO, Vec3::X, 1.0, 1.0), 20);
    assert_eq!(count(Vec3::ZERO, Vec3::ZERO, 0.0, 0.0), 20, "a point");
    assert_eq!(count(Vec3::ZERO, Vec3::X, 1.0, f64::NAN), 1);
    assert_eq!(count(Vec3::ZERO, Vec3::X, -1.0, 1.0), 0);
    assert_eq!(count(Vec3::ZERO, Vec3::X, f64::NAN, 1.0), 0);
    assert_eq!(count(Vec3::splat(f64::NAN), Vec3::X, 1.0, 1.0), 0);
    assert_eq!(count(Vec3::ZERO, Vec3::splat(f64::INFINITY), 1.0, 1.0), 0);
}

fn filled(boxes: impl IntoIterator<Item = ProxyBox>) -> BroadPhase {
    let mut phase = BroadPhase::new();
    for (slot, b) in boxes.into_iter().enumerate() {
        phase.insert(slot as u32, b, Filter::DEFAULT, Mobility::Moving, slot as u32);
    }
    phase
}

#[test]
fn coincident_boxes_give_every_pair_and_stay_linear_in_the_output() {
    let n = 4000;
    let mut phase = filled((0..n).map(|_| around(Vec3::ONE, Vec3::ONE)));
    assert_eq!(phase.update_pairs().len(), n * (n - 1) / 2);
    let sorted = phase.pairs().windows(2).all(|w| w[0] < w[1]);
    assert!(sorted, "pairs must be sorted");
    // 8 million pairs of 8 bytes: result and candidates, each with at most an eighth more for growth.
    let bytes = phase.bytes() as f64 / (8.0 * (n * (n - 1) / 2) as f64);
    assert!(bytes < 2.0 * 1.125 + 0.1, "{bytes:.2} times the size of the output");
}

#[test]
fn coincident_points_without_size_are_found() {
    let mut phase = filled((0..300).map(|_| around(Vec3::new(1.0, 2.0, 3.0), Vec3::ZERO)));
    assert_eq!(phase.update_pairs().len(), 300 * 299 / 2);
}

/// Nodes cannot be counted from outside; what they cost shows in the time only. So the claim is on the result, and that
/// the far ends of the number range do not disturb it.
#[test]
fn giants_and_outliers_among_grains_give_the_pairs_of_brute_force() {
    let mut r = SplitMix::new(12);
    let grain = |r: &mut SplitMix| around(r.in_cube(), Vec3::splat(1e-2));
    let mut boxes: Vec<ProxyBox> = (0..1500).map(|_| grain(&mut r)).collect();
    boxes.push(around(Vec3::new(0.0, 0.0, -1e4), Vec3::splat(1e4)));
    boxes.push(ProxyBox { min: [f32::NEG_INFINITY; 3], max: [f32::INFINITY, f32::INFINITY, -0.9] });
    boxes.push(ProxyBox::EVERYTHING);
    boxes.push(around(Vec3::splat(1e30), Vec3::splat(1e24)));
    boxes.push(around(Vec3::splat(-3e38), Vec3::splat(1e38)));
    boxes.push(around(Vec3::ZERO, Vec3::splat(1e-8)));
    boxes.push(around(Vec3::ZERO, Vec3::splat(1e-44)));
    let whole =
        |b: &ProxyBox| Proxy { bounds: *b, filter: Filter::DEFAULT, mobility: Mobility::Moving, owner: 0 };
    let mut content: Content = boxes.iter().map(|b| Some(whole(b))).collect();
    for (slot, p) in content.iter_mut().flatten().enumerate() {
        p.owner = slot as u32;
    }
    let mut phase = filled(boxes);
    assert_eq!(phase.update_pairs(), brute_force(&content));
}

#[test]
fn a_scene_scaled_by_a_power_of_two_has_the_same_pairs() {
    let mut r = SplitMix::new(13);
    let unit: Vec<(Vec3, Vec3)> = (0..1000).map(|_| (r.in_cube(), r.in_cube().abs() * 0.2)).collect();
    let pairs = |scale: f64| {
        let mut phase = filled(unit.iter().map(|&(c, h)| around(c * scale, h * scale)));
        phase.update_pairs().to_vec()
    };
    let expected = pairs(1.0);
    assert!(expected.len() > 1000);
    for exponent in [-20, -10, 13, 60, -60] {
        let scale = f64::from_bits(((1023 + exponent) as u64) << 52);
        assert_eq!(pairs(scale), expected, "2^{exponent}");
    }
}

#[test]
fn an_empty_phase_and_empty_slots_are_no_trouble() {
    let mut phase = BroadPhase::default();
    assert!(phase.update_pairs().is_empty());
    phase.remove(5);
    phase.set_bounds(7, ProxyBox::EVERYTHING);
    phase.set_filter(7, Filter::DEFAULT);
    phase.query_box(ProxyBox::EVERYTHING, |_| panic!("nothing is there"));
    phase.cast_ray(Vec3::ZERO, Vec3::X, 1.0, |_| panic!("nothing is there"));
    assert!(phase.update_pairs().is_empty());
    // A slot far out, taken and given back, and one that is replaced while it waits.
    phase.insert(100_000, ProxyBox::EVERYTHING, Filter::DEFAULT, Mobility::Static, 1);
    phase.insert(3, ProxyBox::EVERYTHING, Filter::DEFAULT, Mobility::Static, 2);
    phase.insert(3, ProxyBox::EVERYTHING, Filter::DEFAULT, Mobility::Moving, 2);
    assert_eq!(phase.update_pairs(), [Pair { a: 3, b: 100_000 }]);
    phase.set_filter(3, Filter { layer: 1, mask: 0 });
    assert!(phase.update_pairs().is_empty());
    phase.set_filter(3, Filter { layer: 2, mask: 1 });
    assert_eq!(phase.update_pairs(), [Pair { a: 3, b: 100_000 }]);
    phase.remove(100_000);
    assert!(phase.update_pairs().is_empty());
    assert!(phase.update_pairs().is_empty());
}
