//! What a model of the Gauss–Seidel family is: the relaxation of one contact point.

use crate::Impulse;
use crate::kernel::{Block, Friction, coupled, normal_then_friction, without_own};
use crate::prepare::{Inverse, PointData};
use huygens_math::lanes::Lane;

/// The relaxation of one contact point, written once for any number of lanes.
pub(super) trait PointLaw {
    /// Which inverses it uses.
    const INVERSE: Inverse = Inverse::Whole;

    /// Whether a slipping point ends on its disc against the slip, so that a whole face may be put there at once.
    const EXACT_SLIP: bool;

    /// Whether it knows friction at all.
    const FRICTION: bool = true;

    /// Whether it takes normal and friction in turn, which cycles where friction acts strongly on the normal:
    /// [`coupled`] then takes them together.
    const IN_TURN: bool = true;

    /// The new impulse of a point with velocity `u` and impulse `p` so far; `target` is the normal velocity asked for.
    fn relax<L: Lane>(block: &Block<L>, mu: &Friction<L>, target: L, u: [L; 3], p: [L; 3]) -> [L; 3];
}

/// One visit to one point.
#[inline(always)]
pub(super) fn visit<K: PointLaw>(data: &PointData, u: [f64; 3], p: Impulse) -> Impulse {
    let (block, mu, target) = (&data.block, &data.friction, data.target.speed);
    if !(K::IN_TURN && data.steep) {
        return K::relax(block, mu, target, u, p);
    }
    let b = without_own(block, target, u, p);
    // Where friction jams, one turn per visit grows until it sticks; a law that alternates inside a visit swings between
    // no impulse and too much. The exact laws have the same fixed points, so one turn serves them all.
    coupled(block, mu, b, || {
        if K::EXACT_SLIP {
            normal_then_friction(block, mu, target, u, p)
        } else {
            K::relax(block, mu, target, u, p)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::super::approximate_decoupling::ApproximateDecoupling;
    use super::super::de_saxce::DeSaxce;
    use super::super::decoupling::Decoupling;
    use super::super::frictionless::Frictionless;
    use super::super::max_dissipation::MaxDissipation;
    use super::super::orthogonal_projection::OrthogonalProjection;
    use super::super::projected::Projected;
    use super::super::sequential_impulse::SequentialImpulse;
    use super::*;
    use crate::kernel::tests::random_block;
    use crate::kernel::{Tangential, add3, multiply3, square2};
    use huygens_math::SplitMix;
    use huygens_math::lanes::{Level, WIDTH, dispatch, f64x8};

    /// Calls a macro with every law.
    macro_rules! for_every_law {
        ($call:ident) => {
            $call!(SequentialImpulse);
            $call!(ApproximateDecoupling);
            $call!(Frictionless);
            $call!(Decoupling);
            $call!(OrthogonalProjection);
            $call!(DeSaxce);
            $call!(MaxDissipation);
            $call!(Projected);
        };
    }

    /// The same entry of eight blocks as a lane.
    fn gather<L: Lane, const N: usize>(token: L::Token, from: &[[f64; N]; WIDTH]) -> [L; N] {
        std::array::from_fn(|k| {
            let lanes: [f64; WIDTH] = std::array::from_fn(|i| from[i][k]);
            L::load(token, &lanes)
        })
    }

    fn wide_block<L: Lane>(token: L::Token, b: &[Block<f64>; WIDTH]) -> Block<L> {
        let [inverse_nn, slack, largest, slack_t] =
            gather(token, &b.map(|b| [b.inverse_nn, b.slack, b.tangential.largest, b.tangential.slack]));
        let tangential = Tangential {
            w: gather(token, &b.map(|b| b.tangential.w)),
            inverse: gather(token, &b.map(|b| b.tangential.inverse)),
            largest,
            slack: slack_t,
        };
        Block {
            w: gather(token, &b.map(|b| b.w)),
            inverse: gather(token, &b.map(|b| b.inverse)),
            inverse_nn,
            tangential,
            slack,
        }
    }

    const MU: Friction<f64> = Friction { stick: 0.5, slip: 0.4 };

    /// One model on eight contacts at once.
    #[inline(always)]
    fn wide<L: Lane, K: PointLaw>(
        token: L::Token,
        blocks: &[Block<f64>; WIDTH],
        u: &[[f64; 3]; WIDTH],
        p: &[[f64; 3]; WIDTH],
    ) -> [[f64; WIDTH]; 3] {
        let block = wide_block::<L>(token, blocks);
        let constant = |x| L::splat(token, x);
        let mu = Friction { stick: constant(MU.stick), slip: constant(MU.slip) };
        let (u, p): ([L; 3], [L; 3]) = (gather(token, u), gather(token, p));
        let new = K::relax(&block, &mu, constant(0.1), u, p);
        let mut out = [[0.0; WIDTH]; 3];
        for (to, from) in out.iter_mut().zip(new) {
            from.store(to);
        }
        out
    }

    fn eight_lanes_against_one<K: PointLaw>(name: &str) {
        let mut r = SplitMix::new(9);
        for k in 0..500 {
            let blocks: [Block<f64>; WIDTH] = std::array::from_fn(|_| random_block(&mut r, f64::from(k % 5)));
            let u: [[f64; 3]; WIDTH] = std::array::from_fn(|_| r.in_cube().to_array());
            let p: [[f64; 3]; WIDTH] = std::array::from_fn(|_| [r.unit(), 0.1, r.range(-0.1, 0.1)]);
            let mut all = [[0.0; WIDTH]; 3];
            dispatch!(Level::new(), simd => {
                all = wide::<f64x8<_>, K>(simd, &blocks, &u, &p);
            });
            for i in 0..WIDTH {
                let one = K::relax(&blocks[i], &MU, 0.1, u[i], p[i]);
                for (k, one) in one.into_iter().enumerate() {
                    assert_eq!(all[k][i].to_bits(), one.to_bits(), "{name}, {k}: {} {one}", all[k][i]);
                }
            }
        }
    }

    #[test]
    fn eight_lanes_give_the_bits_of_one() {
        macro_rules! check {
            ($law:ident) => {
                eight_lanes_against_one::<$law>(stringify!($law));
            };
        }
        for_every_law!(check);
    }

    fn finite<K: PointLaw>(name: &str) {
        let full = random_block(&mut SplitMix::new(3), 1.0);
        for u in [[0.0; 3], [-1.0, 0.0, 0.0], [-1e-170, 1e-170, 0.0], [-1.0, 1e-320, 0.0], [1.0, 2.0, 0.0]] {
            for mu in [0.0, 0.5, 1e9] {
                let mu = Friction { stick: mu, slip: mu };
                for block in [&full, &Block::default()] {
                    for p in [[0.0; 3], [1.0, 0.3, -0.2]] {
                        let new = K::relax(block, &mu, 0.0, u, p);
                        assert!(new.iter().all(|x| x.is_finite()), "{name}: {u:?} {p:?} {new:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn no_law_makes_a_nan_of_zeros() {
        macro_rules! check {
            ($law:ident) => {
                finite::<$law>(stringify!($law));
            };
        }
        for_every_law!(check);
    }

    /// Visits until it rests; the velocity and impulse then.
    fn settle<K: PointLaw>(block: &Block<f64>, b: [f64; 3], mu: &Friction<f64>) -> ([f64; 3], [f64; 3]) {
        let mut p = [0.0; 3];
        for _ in 0..400 {
            let u = add3(b, multiply3(&block.w, p));
            p = K::relax(block, mu, 0.0, u, p);
        }
        (add3(b, multiply3(&block.w, p)), p)
    }

    fn one_contact<K: PointLaw>(name: &str) {
        let mut r = SplitMix::new(5);
        let (mut stuck, mut slipped) = (0, 0);
        for _ in 0..1000 {
            let block = random_block(&mut r, 0.5);
            let (b, aside) = (r.in_cube().to_array(), r.unit());
            let b = [b[0], b[1] * aside, b[2] * aside];
            let mu = Friction { stick: 0.35, slip: 0.3 };
            let (u, p) = settle::<K>(&block, b, &mu);
            let p_t = square2([p[1], p[2]]).sqrt();
            let size = p[0] + p_t;
            assert!(p[0] >= 0.0 && p_t <= mu.stick * p[0] + 1e-15 * size, "{name}: in the cone {p:?}");
            assert!(u[0] > -1e-9, "{name}: does not close {u:?}");
            let work = p[0] * (b[0] + u[0]) + p[1] * (b[1] + u[1]) + p[2] * (b[2] + u[2]);
            assert!(work <= 1e-12, "{name}: one contact never adds energy: {work}");
            let slip = square2([u[1], u[2]]).sqrt();
            if p[0] == 0.0 {
                assert!(u == b, "{name}");
            } else if slip < 1e-9 {
                stuck += 1;
            } else {
                slipped += 1;
                let limit = if K::FRICTION { mu.slip * p[0] } else { 0.0 };
                assert!(
                    (p_t - limit).abs() < 1e-9 * size,
                    "{name}: full friction where it slips {p:?} {u:?}"
                );
                let against = (p[1] * u[1] + p[2] * u[2]) + p_t * slip;
                assert!(!K::EXACT_SLIP || against < 1e-8, "{name}: against the slip {against}");
            }
        }
        assert!(slipped > 200 && (stuck > 50 || !K::FRICTION), "{name}: {stuck} {slipped}");
    }

    #[test]
    fn one_contact_by_itself_comes_to_rest_or_slips_with_full_friction() {
        macro_rules! check {
            ($law:ident) => {
                one_contact::<$law>(stringify!($law));
            };
        }
        for_every_law!(check);
    }
}
