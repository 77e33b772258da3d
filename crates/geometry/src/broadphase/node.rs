//! Eight boxes side by side: the node of the tree, and the tests on it.

use super::bounds::ProxyBox;
use fearless_simd::{Select, Simd, SimdBase, SimdMask, f32x8};

/// Boxes in a node.
pub(super) const LANES: usize = 8;

/// The boxes of eight children, or of eight proxies. A lane of NaN is vacant: it overlaps nothing.
#[repr(C, align(32))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Node {
    pub(super) min: [[f32; LANES]; 3],
    pub(super) max: [[f32; LANES]; 3],
}

impl Node {
    pub(super) const VACANT: Self = Self { min: [[f32::NAN; LANES]; 3], max: [[f32::NAN; LANES]; 3] };

    #[inline(always)]
    pub(super) fn set(&mut self, lane: usize, b: &ProxyBox) {
        for i in 0..3 {
            self.min[i][lane] = b.min[i];
            self.max[i][lane] = b.max[i];
        }
    }

    #[inline(always)]
    pub(super) fn get(&self, lane: usize) -> ProxyBox {
        ProxyBox {
            min: [self.min[0][lane], self.min[1][lane], self.min[2][lane]],
            max: [self.max[0][lane], self.max[1][lane], self.max[2][lane]],
        }
    }

    /// Makes a lane contain `b`; false when it already did.
    #[inline(always)]
    pub(super) fn grow(&mut self, lane: usize, b: &ProxyBox) -> bool {
        let mut grown = false;
        for i in 0..3 {
            // Asked so that a vacant lane (NaN) takes the box.
            let (below, above) = (self.min[i][lane] <= b.min[i], self.max[i][lane] >= b.max[i]);
            if !below {
                self.min[i][lane] = b.min[i];
            }
            if !above {
                self.max[i][lane] = b.max[i];
            }
            grown |= !(below && above);
        }
        grown
    }

    /// The box around all lanes; without a lane in use the bounds are +∞ and −∞.
    #[inline(always)]
    pub(super) fn union<S: Simd>(&self, simd: S) -> ProxyBox {
        let mut out = ProxyBox { min: [0.0; 3], max: [0.0; 3] };
        for i in 0..3 {
            out.min[i] = least(simd, &self.min[i]);
            out.max[i] = -least(simd, &self.max[i].map(|x| -x));
        }
        out
    }
}

/// The smallest number that is not NaN.
#[inline(always)]
fn least<S: Simd>(simd: S, x: &[f32; LANES]) -> f32 {
    let x = f32x8::load_array_ref(simd, x);
    let all = f32x8::splat(simd, f32::INFINITY);
    let x: [f32; LANES] = x.simd_lt(all).select(x, all).into();
    let pick = |a: f32, b: f32| if a < b { a } else { b };
    pick(pick(pick(x[0], x[4]), pick(x[1], x[5])), pick(pick(x[2], x[6]), pick(x[3], x[7])))
}

/// A box in every lane, to test against nodes.
#[derive(Clone, Copy)]
pub(super) struct Probe<S: Simd> {
    min: [f32x8<S>; 3],
    max: [f32x8<S>; 3],
}

impl<S: Simd> Probe<S> {
    #[inline(always)]
    pub(super) fn new(simd: S, b: &ProxyBox) -> Self {
        Self { min: b.min.map(|x| f32x8::splat(simd, x)), max: b.max.map(|x| f32x8::splat(simd, x)) }
    }

    /// A bit for each lane of the node that overlaps the box.
    #[inline(always)]
    pub(super) fn overlaps(&self, simd: S, node: &Node) -> u32 {
        let load = |x: &[f32; LANES]| f32x8::load_array_ref(simd, x);
        let x = self.min[0].simd_le(load(&node.max[0])) & load(&node.min[0]).simd_le(self.max[0]);
        let y = self.min[1].simd_le(load(&node.max[1])) & load(&node.min[1]).simd_le(self.max[1]);
        let z = self.min[2].simd_le(load(&node.max[2])) & load(&node.min[2]).simd_le(self.max[2]);
        (x & y & z).to_bitmask() as u32
    }
}

/// The positions of the set bits, lowest first.
pub(super) struct Bits(pub(super) u32);

impl Iterator for Bits {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        if self.0 == 0 {
            return None;
        }
        let at = self.0.trailing_zeros() as usize;
        self.0 &= self.0 - 1;
        Some(at)
    }
}
