//! Which instructions the wide kernels use. A measurement may choose; the bits are the same for every choice.

use crate::lanes::Level;

/// Runs an expression compiled for the instructions of a level: SSE2, AVX2 or AVX-512, and what else a CPU of another kind has. With
/// `wide =>` AVX-512 gets an expression of its own.
///
/// `dispatch!` of fearless_simd would do, but compiles one arm more, and the kernels are large: they are most of a build.
#[cfg(target_arch = "x86_64")]
#[macro_export]
macro_rules! at_level {
    ($level:expr, $simd:ident => $op:expr) => {
        $crate::at_level!($level, $simd => $op, wide => $op)
    };
    ($level:expr, $simd:ident => $op:expr, wide => $wide:expr) => {{
        use $crate::lanes::Simd as _;
        let level: $crate::lanes::Level = $level;
        if let Some($simd) = level.as_avx512() {
            $simd.vectorize(
                #[inline(always)]
                || $wide,
            )
        } else if let Some($simd) = level.as_avx2() {
            $simd.vectorize(
                #[inline(always)]
                || $op,
            )
        } else {
            let $simd = level.as_sse2().expect("every x86-64 has SSE2");
            $simd.vectorize(
                #[inline(always)]
                || $op,
            )
        }
    }};
}

/// Runs an expression compiled for the instructions of a level.
#[cfg(not(target_arch = "x86_64"))]
#[macro_export]
macro_rules! at_level {
    ($level:expr, $simd:ident => $op:expr) => {
        $crate::lanes::dispatch!($level, $simd => $op)
    };
    ($level:expr, $simd:ident => $op:expr, wide => $wide:expr) => {
        $crate::lanes::dispatch!($level, $simd => $op)
    };
}

/// Which instructions the wide kernels use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimdLevel {
    /// The best that this CPU has.
    #[default]
    Best,
    /// What every x86-64 CPU has.
    Sse2,
    /// AVX2.
    Avx2,
    /// AVX-512.
    Avx512,
}

impl SimdLevel {
    /// Every choice.
    pub const ALL: [Self; 4] = [Self::Best, Self::Sse2, Self::Avx2, Self::Avx512];

    /// The choices that this CPU has.
    pub fn available() -> impl Iterator<Item = Self> {
        Self::ALL.into_iter().filter(|level| level.level().is_some())
    }

    /// Its name on the command line and in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Best => "best",
            Self::Sse2 => "sse2",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// The choice of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }

    /// What [`at_level!`](crate::at_level) wants; `None` when this CPU lacks the instructions.
    pub fn level(self) -> Option<Level> {
        let best = Level::new();
        match self {
            Self::Best => Some(best),
            #[cfg(target_arch = "x86_64")]
            Self::Sse2 => best.as_sse2().map(Level::Sse2),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => best.as_avx2().map(Level::Avx2),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => best.as_avx512().map(Level::Avx512),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// The level that [`SimdLevel::Best`] stands for on this CPU, as far as it has a name here.
    pub fn best() -> Self {
        let has = |level: &Self| level.level().is_some();
        [Self::Avx512, Self::Avx2, Self::Sse2].into_iter().find(has).unwrap_or(Self::Best)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_has_a_name_that_finds_it() {
        for level in SimdLevel::ALL {
            assert_eq!(SimdLevel::from_name(level.name()), Some(level));
        }
        assert_eq!(SimdLevel::from_name("sse9"), None);
    }

    #[test]
    fn the_best_level_is_there() {
        assert!(SimdLevel::Best.level().is_some());
        assert!(SimdLevel::best().level().is_some());
    }
}
