//! The Mersenne twister MT19937 (Matsumoto and Nishimura 1998), seeded and drawn as CPython's `random.Random(int)`
//! does, so that scenes written for it come out body by body.
//!
//! | symbol | code | meaning |
//! |---|---|---|
//! | n, m | `N`, `M` | length of the state, and the middle word of the recurrence |
//! | x_k | `state[k]` | words of the state |

const N: usize = 624;
const M: usize = 397;

/// The generator.
pub(super) struct Mersenne {
    state: [u32; N],
    next: usize,
}

impl Mersenne {
    /// Seeds by the words of `seed`, lowest first.
    pub(super) fn new(seed: u64) -> Self {
        let words = [seed as u32, (seed >> 32) as u32];
        let key = if words[1] == 0 { &words[..1] } else { &words[..] };
        let mut state = [0; N];
        state[0] = 19_650_218u32;
        for i in 1..N {
            state[i] = mixed(state[i - 1], 1_812_433_253).wrapping_add(i as u32);
        }
        let mut i = 1;
        // The key is at most two words long, so the first pass of the seeding is N steps.
        for step in 0..N {
            let j = step % key.len();
            let word = state[i] ^ mixed(state[i - 1], 1_664_525);
            state[i] = word.wrapping_add(key[j]).wrapping_add(j as u32);
            i = following(&mut state, i);
        }
        for _ in 1..N {
            let word = state[i] ^ mixed(state[i - 1], 1_566_083_941);
            state[i] = word.wrapping_sub(i as u32);
            i = following(&mut state, i);
        }
        state[0] = 0x8000_0000;
        Self { state, next: N }
    }

    /// The next 32 bits.
    fn bits(&mut self) -> u32 {
        if self.next == N {
            self.turn();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9D2C_5680;
        y ^= (y << 15) & 0xEFC6_0000;
        y ^ (y >> 18)
    }

    fn turn(&mut self) {
        for k in 0..N {
            let y = (self.state[k] & 0x8000_0000) | (self.state[(k + 1) % N] & 0x7FFF_FFFF);
            let odd = if y & 1 == 1 { 0x9908_B0DF } else { 0 };
            self.state[k] = self.state[(k + M) % N] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }

    /// A number in [0, 1) with 53 random bits.
    pub(super) fn unit(&mut self) -> f64 {
        let (high, low) = (self.bits() >> 5, self.bits() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    /// A number in [low, high].
    pub(super) fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }
}

fn mixed(word: u32, factor: u32) -> u32 {
    (word ^ (word >> 30)).wrapping_mul(factor)
}

/// The index after `i`; when it wraps, the last word is carried to the front.
fn following(state: &mut [u32; N], i: usize) -> usize {
    if i + 1 < N {
        return i + 1;
    }
    state[0] = state[N - 1];
    1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_cpython() {
        // `random.Random(seed).random()` of CPython 3, printed with repr.
        let first = |seed: u64| {
            let mut r = Mersenne::new(seed);
            [r.unit(), r.unit()]
        };
        assert_eq!(first(1), [0.13436424411240122, 0.8474337369372327]);
        assert_eq!(first(2), [0.9560342718892494, 0.9478274870593494]);
        assert_eq!(first(1 << 40), [0.1036394562812375, 0.6705558677439764]);
        let mut r = Mersenne::new(1);
        let thousandth = (0..1000).map(|_| r.unit()).last();
        assert_eq!(thousandth, Some(0.7062615472551386));
    }
}
