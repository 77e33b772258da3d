//! `soft-step` has the same bits at every level of the CPU, and whichever lane a contact gets.

use crate::common::{Recipe, Toy, random, split_impulse};
use huygens_contact::{Recovery, Scratch, Settings, Solution, SolverKind, Velocity, Warm};
use huygens_math::{SimdLevel, SplitMix};

/// The bits of an answer. The books are sums over lanes and left out.
fn bits(out: &Solution) -> Vec<u64> {
    let velocity = |v: &Velocity| {
        let free = v.free.iter().flat_map(|t| [t.linear.to_array(), t.angular.to_array()]);
        free.flatten().chain(v.dof.iter().copied()).collect::<Vec<f64>>()
    };
    let parts = [velocity(&out.v), velocity(&out.correction), out.rows.clone()];
    out.impulses.iter().flatten().chain(parts.iter().flatten()).map(|x| x.to_bits()).collect()
}

/// Two steps: the second starts from the impulses of the first.
fn solve(toy: &Toy, settings: &Settings, level: SimdLevel, shuffle: Option<u64>) -> Vec<u64> {
    let kind = "soft-step".parse::<SolverKind>().expect("the default model");
    let (mut scratch, mut first, mut second) = (Scratch::default(), Solution::default(), Solution::default());
    scratch.set_level(level.level().expect("an available level"));
    scratch.shuffle_lanes(shuffle);
    let problem = toy.problem();
    kind.solve(settings, &problem, Warm::default(), &mut scratch, &mut first);
    let warm = first.all();
    kind.solve(settings, &problem, warm, &mut scratch, &mut second);
    [bits(&first), bits(&second)].concat()
}

#[test]
fn random_problems_have_the_same_bits_at_every_level_and_in_every_order_of_lanes() {
    let mut r = SplitMix::new(77);
    let problems = if cfg!(debug_assertions) { 20 } else { 60 };
    for round in 0..problems {
        let bodies = 2 + r.index(60);
        let recipe = Recipe {
            bodies,
            contacts: 3 * bodies,
            mu: 0.5,
            extras: true,
            rows: round % 3 == 0,
            ..Recipe::default()
        };
        let mut toy = random(&mut r, recipe);
        toy.make_rigid();
        let toy = toy.recovering(match round % 4 {
            0 => Recovery::None,
            1 => Recovery::Baumgarte { erp: 0.2, cap: 1.0, max_step: f64::INFINITY },
            _ => split_impulse(0.2, 5e-4),
        });
        let settings = Settings::for_scale(toy.scale());
        let expected = solve(&toy, &settings, SimdLevel::Best, None);
        for level in SimdLevel::available() {
            for shuffle in [None, Some(1), Some(2)] {
                let same = solve(&toy, &settings, level, shuffle) == expected;
                assert!(same, "round {round}, {}, shuffled by {shuffle:?}", level.name());
            }
        }
    }
}
