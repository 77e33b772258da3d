//! The choices of an integrator, by name.

use super::{AtEnd, ForceAt};
use std::fmt;
use std::ops::{Add, Mul};
use std::str::FromStr;

/// How the velocities at the two ends of a step displace the positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Integrator {
    /// By their mean h·(v + v⁺)/2: free flight under uniform gravity is exact at every step.
    #[default]
    KickDriftKick,
    /// By h·v⁺: free flight loses ½mg²h² of energy in every step.
    SymplecticEuler,
    /// As kick-drift-kick for free bodies; trees by the implicit midpoint rule, which keeps their energy.
    Midpoint,
    /// As kick-drift-kick for free bodies; trees by the classical Runge–Kutta rule, of fourth order where nothing but smooth forces acts.
    Rk4,
    /// By h·v⁺ with the forces of the start of the step; dampers of joints at its end, as MuJoCo's Euler.
    Euler,
    /// As that, with the dampers of motors at its end, too.
    ImplicitFast,
    /// As that, with the velocity products at its end, to first order in their change.
    Implicit,
    /// As `implicitfast`: contacts of this engine always see the matrix with dampers, which is what Genesis means by the name.
    ApproximateImplicitFast,
}

impl Integrator {
    /// Every integrator.
    pub const ALL: [Self; 8] = [
        Self::KickDriftKick,
        Self::SymplecticEuler,
        Self::Midpoint,
        Self::Rk4,
        Self::Euler,
        Self::ImplicitFast,
        Self::Implicit,
        Self::ApproximateImplicitFast,
    ];

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::KickDriftKick => "kick-drift-kick",
            Self::SymplecticEuler => "symplectic-euler",
            Self::Midpoint => "midpoint",
            Self::Rk4 => "rk4",
            Self::Euler => "euler",
            Self::ImplicitFast => "implicitfast",
            Self::Implicit => "implicit",
            Self::ApproximateImplicitFast => "approximate-implicitfast",
        }
    }

    /// The two ends of a step count alike in its displacement; else its end alone does.
    #[inline(always)]
    const fn is_symmetric(self) -> bool {
        matches!(self, Self::KickDriftKick | Self::Midpoint | Self::Rk4)
    }

    /// The velocity v̄ with which a step moves from pose to pose, of the velocities at its two ends; of one body, or of several side by side.
    #[inline(always)]
    pub fn mean<V: Add<Output = V> + Mul<f64, Output = V>>(self, start: V, end: V) -> V {
        if self.is_symmetric() { (start + end) * 0.5 } else { end }
    }

    /// Displacement of a step of length `h` with these velocities at its two ends.
    #[inline(always)]
    pub fn path<V: Add<Output = V> + Mul<f64, Output = V>>(self, start: V, end: V, h: f64) -> V {
        self.mean(start, end) * h
    }

    /// Free flight under uniform gravity is exact, and keeps its energy.
    pub const fn follows_parabola(self) -> bool {
        self.is_symmetric()
    }

    /// Where in the step the smooth forces of a tree are taken.
    pub const fn force_at(self) -> ForceAt {
        match self {
            Self::KickDriftKick => ForceAt::MiddlePose,
            Self::SymplecticEuler => ForceAt::Start,
            Self::Midpoint => ForceAt::Implicit,
            Self::Rk4 => ForceAt::Stages,
            Self::Euler => ForceAt::Explicit(AtEnd::JointDampers),
            Self::ImplicitFast | Self::ApproximateImplicitFast => ForceAt::Explicit(AtEnd::Dampers),
            Self::Implicit => ForceAt::Explicit(AtEnd::Velocities),
        }
    }

    /// Share θ of the start velocity in the displacement h(θ v + (1 − θ) v⁺).
    pub const fn start_share(self) -> f64 {
        if self.is_symmetric() { 0.5 } else { 0.0 }
    }
}

/// How the gyroscopic term turns a free body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub enum Gyroscopic {
    /// Implicit midpoint rule and Cayley map: keeps energy and angular momentum.
    #[default]
    Midpoint,
    /// At the start of the step: always creates energy. For comparison.
    Explicit,
}

impl Gyroscopic {
    /// Every scheme.
    pub const ALL: [Self; 2] = [Self::Midpoint, Self::Explicit];

    /// Its name in scene files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Midpoint => "midpoint",
            Self::Explicit => "explicit",
        }
    }
}

/// A name that none of the choices has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is not a name of {what}; known are {}", .known.join(", "))]
pub struct UnknownName {
    /// What was to be chosen.
    pub what: &'static str,
    /// The name as given.
    pub given: String,
    /// The names that exist.
    pub known: Vec<&'static str>,
}

impl FromStr for Integrator {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|k| k.name() == s).ok_or_else(|| UnknownName {
            what: "an integrator",
            given: s.to_owned(),
            known: Self::ALL.iter().map(|k| k.name()).collect(),
        })
    }
}

impl FromStr for Gyroscopic {
    type Err = UnknownName;

    fn from_str(s: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|k| k.name() == s).ok_or_else(|| UnknownName {
            what: "a gyroscopic scheme",
            given: s.to_owned(),
            known: Self::ALL.iter().map(|k| k.name()).collect(),
        })
    }
}

impl fmt::Display for Integrator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Gyroscopic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_and_a_wrong_one_lists_the_right_ones() {
        for k in Integrator::ALL {
            assert_eq!(k.to_string().parse(), Ok(k));
        }
        for k in Gyroscopic::ALL {
            assert_eq!(k.to_string().parse(), Ok(k));
        }
        let e = "verlet".parse::<Integrator>().unwrap_err();
        assert_eq!(
            e.to_string(),
            "\"verlet\" is not a name of an integrator; known are kick-drift-kick, symplectic-euler, midpoint, rk4, euler, implicitfast, \
             implicit, approximate-implicitfast"
        );
    }
}
