//! Does a scene a million times smaller behave alike? With lengths scaled by powers of four every number scales by a power
//! of two, so that it must do so to the last bit.

use crate::common::*;
use huygens_contact::*;
use huygens_math::{SplitMix, Sym3, Twist, Vec3};

/// Factors for length, speed (√length: gravity stays) and mass.
#[derive(Clone, Copy)]
struct Units {
    length: f64,
    speed: f64,
    mass: f64,
}

impl Units {
    /// Lengths times 4^k, densities as they are.
    fn new(k: i32) -> Self {
        let power = |k: i32| f64::from_bits(((1023 + k) as u64) << 52);
        Self { length: power(2 * k), speed: power(k), mass: power(6 * k) }
    }

    fn twist(&self, t: &Twist) -> Twist {
        Twist::new(t.linear * self.speed, t.angular * (self.speed / self.length))
    }

    fn velocity(&self, v: &Velocity) -> Velocity {
        Velocity {
            free: v.free.iter().map(|t| self.twist(t)).collect(),
            dof: v.dof.iter().map(|x| x * self.speed / self.length).collect(),
        }
    }

    fn toy(&self, toy: &Toy) -> Toy {
        let inertia = self.mass * self.length * self.length;
        let mut out = toy.clone();
        out.h *= self.length / self.speed;
        out.length *= self.length;
        out.speed *= self.speed;
        (out.v_start, out.v_free) = (self.velocity(&toy.v_start), self.velocity(&toy.v_free));
        for block in &mut out.inertia.free {
            block.inv_mass /= self.mass;
            block.inv_inertia = block.inv_inertia * (1.0 / inertia);
        }
        for twist in &mut out.groups.driven {
            *twist = self.twist(twist);
        }
        for point in &mut out.groups.points {
            point.arm = point.arm.map(|arm| arm * self.length);
            point.gap *= self.length;
        }
        for row in &mut out.groups.rows {
            row.angular = row.angular.map(|direction| direction * self.length);
            row.target *= self.speed;
            row.error *= self.length;
        }
        for head in &mut out.groups.heads {
            if let Law::Bounded { lo, hi } = &mut head.law {
                *lo *= self.mass * self.speed;
                *hi *= self.mass * self.speed;
            }
        }
        // Dofs are angles: J turns rad/s into m/s, Y = M⁻¹Jᵀ.
        out.groups.tree.j.iter_mut().for_each(|j| *j *= self.length);
        out.groups.tree.y.iter_mut().for_each(|y| *y *= self.length / inertia);
        out
    }
}

#[test]
fn every_stage_scales_to_the_last_bit_from_micrometres_to_ten_kilometres() {
    let recipe = Recipe {
        bodies: 6,
        contacts: 10,
        mu: 0.5,
        restitution: 0.9,
        rows: true,
        extras: true,
        ..Recipe::default()
    };
    for seed in 0..10 {
        let toy = random(&mut SplitMix::new(seed), recipe);
        for k in [-10, -3, 7] {
            let units = Units::new(k);
            for kind in hard() {
                let run = |mut toy: Toy| {
                    let settings = Settings { guard: true, ..Settings::for_scale(toy.scale()) };
                    let bounced = toy.bounce(&settings);
                    let (out, report) = toy.solve(kind, &settings);
                    let s = drift(toy.h, &toy.v_start, &out.v);
                    let mut c = Velocity::default();
                    let corrected = correct(&settings, &toy.problem(), &s, &mut Scratch::default(), &mut c);
                    let certificate = Certificate::of(&toy.problem(), out.all(), &out.v);
                    (bounced, out, report, c, corrected.sweeps, certificate)
                };
                let (a, b) = (run(toy.clone()), run(units.toy(&toy)));
                assert_eq!((a.0.impacts, a.2, a.4, a.5), (b.0.impacts, b.2, b.4, b.5), "{kind} {seed} {k}");
                assert_eq!(units.velocity(&a.1.v), b.1.v, "{kind} {seed} {k}");
                let moved = Units { speed: units.length, ..units }.velocity(&a.3);
                assert_eq!(moved, b.3, "{kind} {seed} {k}");
                let joule = units.mass * units.speed * units.speed;
                assert_eq!(a.1.work.total() * joule, b.1.work.total());
                assert_eq!(a.0.work.total() * joule, b.0.work.total());
            }
        }
    }
}

#[test]
fn thin_and_heavy_things_stay_finite() {
    // Size and mass ratios to 1e6 and inertia ratios to 1e6, deep overlap, fast and slow.
    for seed in 0..15 {
        let mut r = SplitMix::new(seed);
        let recipe = Recipe {
            bodies: 4,
            contacts: 8,
            mu: 2.0 * r.unit(),
            restitution: 1.0,
            mass_decades: 3.0,
            rows: true,
            extras: true,
        };
        let mut toy = random(&mut r, recipe);
        for (i, block) in toy.inertia.free.iter_mut().enumerate() {
            let thin = Sym3::rotated_diagonal(Vec3::new(1.0, 1e3, 1e6), r.rotation());
            block.inv_inertia = thin * (1.0 / toy.bodies[i].mass);
        }
        for point in &mut toy.groups.points {
            point.gap *= 1000.0;
        }
        for kind in hard() {
            let recovery = baumgarte(0.8);
            let mut toy = toy.recovering(recovery);
            let settings = Settings::for_scale(toy.scale());
            toy.bounce(&settings);
            let (out, _) = toy.solve(kind, &settings);
            assert!(out.v.free.iter().all(Twist::is_finite), "{kind} {seed}");
            assert!(out.v.dof.iter().all(|x| x.is_finite()), "{kind} {seed}");
            let mut c = Velocity::default();
            correct(&settings, &toy.problem(), &out.v, &mut Scratch::default(), &mut c);
            assert!(c.free.iter().all(Twist::is_finite), "{kind} {seed}");
        }
    }
}
