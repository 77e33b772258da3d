//! Numbers in lanes: a kernel is written once over [`Lane`] and runs on one f64 or on eight at a time.
//!
//! Every operation here gives the same bits in a lane as on a single number: no fused multiply-add, no reciprocal
//! estimates, minimum and maximum as a comparison and a choice.
//!
//! **The law of lanes**: what a kernel makes of a lane depends on that lane alone; a branch on several lanes ([`Lane::any`]) may save work, and
//! never changes a bit of any of them.

use fearless_simd::{Select, SimdBase, SimdFloat, SimdMask};
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

pub use fearless_simd::{Level, Simd, dispatch, f64x4, f64x8};

// Code that runs in lanes has no closures and no `array::from_fn`: those are functions without the CPU's features, into which the
// operations cannot be inlined. Loops over arrays and `#[inline(always)]` functions can.

/// Lanes of a wide batch, on every CPU.
pub const WIDTH: usize = 8;

/// Asks for a value that is needed soon, so that it is near when it is: a hint, on CPUs that have one.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_first(value, size_of::<T>());
}

/// Asks for the first so many bytes of a value.
#[inline(always)]
pub fn prefetch_first<T>(value: &T, bytes: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let from = std::ptr::from_ref(value).cast::<i8>();
        let last = bytes.max(1) - 1;
        let mut at = 0;
        while at <= last {
            // SAFETY: every x86-64 CPU has SSE, and a prefetch reads nothing and cannot fault, whatever the address.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(from.wrapping_add(at)) };
            // What does not begin with a line may end on one more.
            let is_last = align_of::<T>() >= CACHE_LINE || at == last;
            at += if is_last { CACHE_LINE } else { CACHE_LINE.min(last - at) };
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = (value, bytes);
}

/// Bytes that come from memory together.
const CACHE_LINE: usize = 64;

/// A number, or several side by side.
pub trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
{
    /// Proof that the CPU has the instructions; `()` for a single number.
    type Token: Copy + Send + Sync;
    /// A yes or no for each lane.
    type Mask: Copy;
    /// Number of lanes.
    const WIDTH: usize;

    /// The same number in every lane.
    fn splat(token: Self::Token, x: f64) -> Self;
    /// Reads the lanes from the first `WIDTH` numbers of a slice.
    fn load(token: Self::Token, from: &[f64]) -> Self;
    /// Writes the lanes to the first `WIDTH` numbers of a slice.
    fn store(self, to: &mut [f64]);
    /// The token of this number.
    fn token(self) -> Self::Token;
    /// Square root, exactly rounded.
    fn sqrt(self) -> Self;
    /// Lane by lane `self < other`.
    fn lt(self, other: Self) -> Self::Mask;
    /// `yes` where the mask is set, `no` elsewhere.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// True when the mask is set in some lane: to leave out work that changes no lane, see the law above.
    fn any(mask: Self::Mask) -> bool;
    /// The sum over the lanes, always in the same order.
    fn sum(self) -> f64;
    /// Runs a closure, which must be `#[inline(always)]`, in a function of its own that has the instructions of these lanes.
    fn vectorize<R>(token: Self::Token, run: impl FnOnce() -> R) -> R;

    /// The columns of the first `WIDTH` rows: lane i of column k is `rows[i][k]`.
    #[inline(always)]
    fn columns(token: Self::Token, rows: &[[f64; 4]; WIDTH]) -> [Self; 4] {
        let mut lanes = [[0.0; WIDTH]; 4];
        for i in 0..Self::WIDTH {
            for k in 0..4 {
                lanes[k][i] = rows[i][k];
            }
        }
        [
            Self::load(token, &lanes[0]),
            Self::load(token, &lanes[1]),
            Self::load(token, &lanes[2]),
            Self::load(token, &lanes[3]),
        ]
    }

    /// [`Lane::columns`] of rows that lie apart in memory.
    #[inline(always)]
    fn gather(token: Self::Token, rows: [&[f64; 4]; WIDTH]) -> [Self; 4] {
        let mut copies = [[0.0; 4]; WIDTH];
        for i in 0..Self::WIDTH {
            copies[i] = *rows[i];
        }
        Self::columns(token, &copies)
    }

    /// The first `WIDTH` rows of four columns: the reverse of [`Lane::columns`].
    #[inline(always)]
    fn rows(columns: [Self; 4]) -> [[f64; 4]; WIDTH] {
        let mut lanes = [[0.0; WIDTH]; 4];
        for k in 0..4 {
            columns[k].store(&mut lanes[k]);
        }
        let mut rows = [[0.0; 4]; WIDTH];
        for i in 0..Self::WIDTH {
            for k in 0..4 {
                rows[i][k] = lanes[k][i];
            }
        }
        rows
    }

    /// The larger; `other` in a tie.
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }

    /// The smaller; `other` in a tie.
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }

    /// Absolute value.
    #[inline(always)]
    fn abs(self) -> Self {
        self.max(-self)
    }
}

impl Lane for f64 {
    type Token = ();
    type Mask = bool;
    const WIDTH: usize = 1;

    #[inline(always)]
    fn splat((): (), x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn load((): (), from: &[f64]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        to[0] = self;
    }
    #[inline(always)]
    fn token(self) {}
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> bool {
        self < other
    }
    #[inline(always)]
    fn select(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn any(mask: bool) -> bool {
        mask
    }
    #[inline(always)]
    fn sum(self) -> f64 {
        self
    }
    #[inline(always)]
    fn vectorize<R>((): (), run: impl FnOnce() -> R) -> R {
        run()
    }
}

/// [`Lane`] for a vector of the SIMD library.
macro_rules! wide_lane {
    ($vector:ident, $width:expr; $($own:item)*) => {
        impl<S: Simd> Lane for $vector<S> {
            type Token = S;
            type Mask = <Self as SimdBase<S>>::Mask;
            const WIDTH: usize = $width;

            #[inline(always)]
            fn splat(token: S, x: f64) -> Self {
                SimdBase::splat(token, x)
            }
            #[inline(always)]
            fn load(token: S, from: &[f64]) -> Self {
                SimdBase::from_slice(token, &from[..$width])
            }
            #[inline(always)]
            fn store(self, to: &mut [f64]) {
                self.store_slice(&mut to[..$width]);
            }
            #[inline(always)]
            fn token(self) -> S {
                self.simd
            }
            #[inline(always)]
            fn vectorize<R>(token: S, run: impl FnOnce() -> R) -> R {
                token.vectorize(run)
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                SimdFloat::sqrt(self)
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                self.simd_lt(other)
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Select::select(mask, yes, no)
            }
            #[inline(always)]
            fn any(mask: Self::Mask) -> bool {
                mask.any_true()
            }
            #[inline(always)]
            fn sum(self) -> f64 {
                // In pairs: the same tree for every width.
                let mut x = [0.0; $width];
                self.store(&mut x);
                let mut n = $width;
                while n > 1 {
                    n /= 2;
                    for i in 0..n {
                        x[i] = x[2 * i] + x[2 * i + 1];
                    }
                }
                x[0]
            }
            $($own)*
        }
    };
}

wide_lane! { f64x4, 4;
    #[inline(always)]
    fn columns(token: S, rows: &[[f64; 4]; WIDTH]) -> [Self; 4] {
        transpose([
            Self::load(token, &rows[0]),
            Self::load(token, &rows[1]),
            Self::load(token, &rows[2]),
            Self::load(token, &rows[3]),
        ])
    }
    #[inline(always)]
    fn gather(token: S, rows: [&[f64; 4]; WIDTH]) -> [Self; 4] {
        transpose([
            Self::load(token, rows[0]),
            Self::load(token, rows[1]),
            Self::load(token, rows[2]),
            Self::load(token, rows[3]),
        ])
    }
    #[inline(always)]
    fn rows(columns: [Self; 4]) -> [[f64; 4]; WIDTH] {
        let four = transpose(columns);
        let mut rows = [[0.0; 4]; WIDTH];
        for k in 0..4 {
            four[k].store(&mut rows[k]);
        }
        rows
    }
}
wide_lane! { f64x8, WIDTH;
    // Two halves of four rows each: eight numbers at a time, written one by one into lanes, are 96 moves.
    #[inline(always)]
    fn columns(token: S, rows: &[[f64; 4]; WIDTH]) -> [Self; 4] {
        let [a, b, c, d, e, f, g, h] = rows;
        Self::gather(token, [a, b, c, d, e, f, g, h])
    }
    #[inline(always)]
    fn gather(token: S, [a, b, c, d, e, f, g, h]: [&[f64; 4]; WIDTH]) -> [Self; 4] {
        let low = f64x4::gather(token, [a, b, c, d, a, b, c, d]);
        let high = f64x4::gather(token, [e, f, g, h, e, f, g, h]);
        [
            token.combine_f64x4(low[0], high[0]),
            token.combine_f64x4(low[1], high[1]),
            token.combine_f64x4(low[2], high[2]),
            token.combine_f64x4(low[3], high[3]),
        ]
    }
    #[inline(always)]
    fn rows([a, b, c, d]: [Self; 4]) -> [[f64; 4]; WIDTH] {
        let token = a.simd;
        let (a, b) = (token.split_f64x8(a), token.split_f64x8(b));
        let (c, d) = (token.split_f64x8(c), token.split_f64x8(d));
        let (low, high) = (transpose([a.0, b.0, c.0, d.0]), transpose([a.1, b.1, c.1, d.1]));
        let mut rows = [[0.0; 4]; WIDTH];
        for k in 0..4 {
            low[k].store(&mut rows[k]);
            high[k].store(&mut rows[4 + k]);
        }
        rows
    }
}

/// Four rows of four numbers as columns, in registers.
#[inline(always)]
fn transpose<S: Simd>(r: [f64x4<S>; 4]) -> [f64x4<S>; 4] {
    let (a, b) = (r[0].zip_low(r[2]), r[0].zip_high(r[2]));
    let (c, d) = (r[1].zip_low(r[3]), r[1].zip_high(r[3]));
    [a.zip_low(c), a.zip_high(c), b.zip_low(d), b.zip_high(d)]
}

/// Three numbers per lane: a vector.
#[derive(Clone, Copy, Debug)]
pub struct Vec3Lanes<L> {
    /// First component.
    pub x: L,
    /// Second component.
    pub y: L,
    /// Third component.
    pub z: L,
}

impl<L: Lane> Vec3Lanes<L> {
    /// A vector from its components.
    #[inline(always)]
    pub fn new(x: L, y: L, z: L) -> Self {
        Self { x, y, z }
    }

    /// Scalar product.
    #[inline(always)]
    pub fn dot(self, o: Self) -> L {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Vector product.
    #[inline(always)]
    pub fn cross(self, o: Self) -> Self {
        Self::new(self.y * o.z - self.z * o.y, self.z * o.x - self.x * o.z, self.x * o.y - self.y * o.x)
    }

    /// All components times `s`.
    #[inline(always)]
    pub fn scale(self, s: L) -> Self {
        Self::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<L: Lane> Add for Vec3Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self::new(self.x + o.x, self.y + o.y, self.z + o.z)
    }
}

impl<L: Lane> Sub for Vec3Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self::new(self.x - o.x, self.y - o.y, self.z - o.z)
    }
}

impl<L: Lane> Mul<f64> for Vec3Lanes<L> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: f64) -> Self {
        self.scale(L::splat(self.x.token(), s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SplitMix;

    #[inline(always)]
    fn kernel<L: Lane>(a: L, b: L) -> L {
        let v = Vec3Lanes::new(a, b, a - b);
        let w = v.cross(Vec3Lanes::new(b, a * b, -a));
        let length = v.dot(w).abs().sqrt();
        L::select(a.lt(b), length / (a * a + b * b), length.max(a).min(b - a))
    }

    #[test]
    fn eight_lanes_give_the_bits_of_one_at_every_level() {
        let mut r = SplitMix::new(5);
        let mut levels = vec![Level::baseline()];
        levels.extend(Level::new().as_sse2().map(Level::Sse2));
        levels.extend(Level::new().as_avx2().map(Level::Avx2));
        levels.push(Level::new());
        for _ in 0..500 {
            let a: [f64; WIDTH] = std::array::from_fn(|_| r.range(-3.0, 3.0));
            let b: [f64; WIDTH] = std::array::from_fn(|_| r.range(-3.0, 3.0));
            let one: [u64; WIDTH] = std::array::from_fn(|i| kernel(a[i], b[i]).to_bits());
            for &level in &levels {
                let mut wide = [0.0; WIDTH];
                dispatch!(level, simd => {
                    kernel(f64x8::load(simd, &a), f64x8::load(simd, &b)).store(&mut wide);
                });
                assert_eq!(wide.map(f64::to_bits), one, "{level:?}");
                dispatch!(level, simd => {
                    kernel(f64x4::load(simd, &a[4..]), f64x4::load(simd, &b[4..])).store(&mut wide);
                });
                assert_eq!(wide.map(f64::to_bits)[..4], one[4..], "{level:?}, four lanes");
            }
        }
    }

    #[test]
    fn rows_and_columns_are_each_other_s_reverse_at_every_width() {
        fn check<L: Lane>(token: L::Token) {
            let rows: [[f64; 4]; WIDTH] =
                std::array::from_fn(|i| std::array::from_fn(|k| (10 * i + k) as f64));
            let columns = L::columns(token, &rows);
            for (k, column) in columns.iter().enumerate() {
                let mut lanes = [0.0; WIDTH];
                column.store(&mut lanes);
                (0..L::WIDTH).for_each(|i| assert_eq!(lanes[i], rows[i][k]));
            }
            let gathered = L::gather(token, rows.each_ref());
            assert_eq!(L::rows(gathered)[..L::WIDTH], rows[..L::WIDTH]);
            assert_eq!(L::rows(columns)[..L::WIDTH], rows[..L::WIDTH]);
        }
        check::<f64>(());
        dispatch!(Level::new(), simd => check::<f64x4<_>>(simd));
        dispatch!(Level::new(), simd => check::<f64x8<_>>(simd));
    }

    #[test]
    fn sums_of_lanes_have_one_order() {
        let x = [1e16, 1.0, -1e16, 1.0, 3.0, 5.0, 7.0, 11.0];
        let expected = ((1e16 + 1.0) + (-1e16 + 1.0)) + ((3.0 + 5.0) + (7.0 + 11.0));
        dispatch!(Level::new(), simd => assert_eq!(f64x8::load(simd, &x).sum(), expected));
    }
}
