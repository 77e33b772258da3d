//! From the velocities of bodies to the six relative motions of a manifold, and back: u = J v, v += M⁻¹Jᵀp. The law of a manifold knows
//! nothing of what its two sides are.

use super::batch::{At, Rates, Wide, ZERO};
use super::body::{LentBodies, LentVelocity, Source};
use super::fill::{Fill, Geometry, Sides};
use super::side_rows::SideRows;
use huygens_math::lanes::{Lane, WIDTH};

/// Which of the relative motions are read.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Motions {
    /// u_n, and the spin along t₁ and t₂.
    OfNormals,
    /// All six.
    All,
}

/// How eight manifolds reach their bodies. `SPIN` is set where a manifold has six relative motions, else it has three: u_n, u₁, u₂.
pub(super) trait Transport: Copy + Send {
    const EMPTY: Self;
    /// W may be singular: bodies have locked axes, or few dofs.
    const MAY_BE_SINGULAR: bool;
    /// As [`super::kind::Kind::AT_BASELINE`].
    const AT_BASELINE: bool;
    /// Normals may give way: [`Transport::regularisation`].
    const MAY_BE_SOFT: bool;

    /// Axes of the manifolds, as far as the transport needs them.
    type Frame<L: Lane>: Copy;
    /// Velocities (or displacements) between reading and writing.
    type Motion<L: Lane>: Copy;

    /// Takes over the sides of the lanes of `at`.
    fn fill<L: Lane, const N: usize>(
        &mut self,
        at: At<L>,
        fill: &Fill,
        sides: &Sides,
        geometry: &Geometry<L, N>,
        bodies: &LentBodies,
        rows: &mut SideRows,
    );

    fn frame<L: Lane>(&self, at: At<L>) -> Self::Frame<L>;

    /// Reads the bodies.
    fn gather<L: Lane>(
        &self,
        at: At<L>,
        rows: &SideRows,
        v: &impl Source,
        motions: Motions,
    ) -> Self::Motion<L>;

    /// Writes the bodies, but for those that nothing moves.
    fn scatter<L: Lane>(&self, at: At<L>, rows: &SideRows, motion: &Self::Motion<L>, v: &LentVelocity);

    /// The motions that normals feel: u_n, and the spin along t₁ and t₂.
    fn normal_rates<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Self::Frame<L>,
        motion: &Self::Motion<L>,
    ) -> [L; 3];

    /// The relative motions; `axis` are the parts of d along t₁ and t₂.
    fn rates<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Self::Frame<L>,
        motion: &Self::Motion<L>,
        axis: [L; 2],
    ) -> Rates<L>;

    /// Adds M⁻¹Jᵀ of a push along n and couples about t₁ and t₂.
    fn apply_normals<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Self::Frame<L>,
        p: [L; 3],
        motion: &mut Self::Motion<L>,
    );

    /// Adds M⁻¹Jᵀ of pushes and couples.
    fn apply<L: Lane, const SPIN: bool>(
        &self,
        at: At<L>,
        frame: &Self::Frame<L>,
        p: &Rates<L>,
        axis: [L; 2],
        motion: &mut Self::Motion<L>,
    );

    /// W of the three motions of a single point: entries nn, n1, n2, 11, 12, 22.
    fn point_w<L: Lane>(&self, at: At<L>, rows: &SideRows, frame: &Self::Frame<L>) -> [L; 6];

    /// W of the six motions, at [`super::batch::entry`].
    fn face_w<L: Lane>(&self, at: At<L>, rows: &SideRows, frame: &Self::Frame<L>, axis: [L; 2]) -> [L; 21];

    /// R of the normals of each point, where they may give way.
    #[inline(always)]
    fn regularisation(&self) -> &[Wide; 4] {
        const { &[ZERO; 4] }
    }

    /// Where R of the normals is kept, if they may give way.
    #[inline(always)]
    fn regularisation_mut(&mut self) -> Option<&mut [Wide; 4]> {
        None
    }

    /// Prefetches the bodies.
    fn prefetch_bodies(&self, v: &LentVelocity);

    /// Places of the two bodies of each lane, where the sides are bodies.
    fn body(&self) -> Option<&[[u32; WIDTH]; 2]>;

    /// All numbers of a lane.
    #[cfg(test)]
    fn numbers(&self, lane: usize) -> Vec<f64>;
}

/// The numbers of a lane.
#[cfg(test)]
pub(super) fn lane_of(lists: &[&[Wide]], lane: usize) -> Vec<f64> {
    lists.iter().copied().flatten().map(|wide| wide[lane]).collect()
}
