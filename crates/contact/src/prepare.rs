//! What a sweep needs of each point and row, computed once per solve.
//!
//! W is symmetric positive semidefinite. Where bodies have locked axes, or a tree has few dofs, it is singular: it is
//! then inverted only on the space that can move.

use crate::demand::Target;
use crate::kernel::{Block, Friction, Tangential, multiply3};
use crate::transport::RANK;
use crate::{ContactProblem, Head, Scale};
use huygens_math::{Mat3, Sym3, Vec3, scalar};

/// What cannot be stopped counts as stopped below this share of the problem's speed.
const SLACK: f64 = 1e-9;

/// No slack needed: larger than every squared velocity.
const REGULAR: f64 = f64::MAX;

/// A contact point, ready to be relaxed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PointData {
    pub block: Block<f64>,
    pub friction: Friction<f64>,
    pub target: Target,
    /// R of the normal, which the block contains; 0 for a rigid one.
    pub regularisation: f64,
    /// Friction acts strongly on the normal: [`crate::kernel::coupled`] is the relaxation that converges.
    pub steep: bool,
}

/// A scalar row, ready to be relaxed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RowData {
    pub w: f64,
    /// 1/(W + R), or 0 when nothing moves.
    pub inverse: f64,
    pub target: Target,
    /// R; 0 for a rigid row.
    pub regularisation: f64,
}

/// Whether a model uses the inverse of the 3×3 block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Inverse {
    /// Normal and tangential parts only; the whole block where friction is steep.
    Parts,
    /// The whole block too.
    Whole,
}

impl PointData {
    /// The data of point `i`, which belongs to `head`.
    pub(crate) fn new(problem: &ContactProblem, head: &Head, i: usize, inverse: Inverse) -> Self {
        let point = &problem.groups.points[i];
        let mut w = problem.groups.delassus(problem.move_inertia, head, point);
        let material = &problem.groups.materials[head.material as usize];
        let mut target = problem.groups.point_target(problem.h, head, i);
        if problem.airborne.get(i) == Some(&true) {
            let u = problem.groups.relative_at_end(head, point, problem.v_free)[0];
            target = Target { speed: scalar::min(u, target.speed), bias: 0.0 };
        }
        let mut regularisation = 0.0;
        if let Some(spring) = problem.groups.spring(head, w.x_axis.x) {
            target = Target { speed: spring.target(problem.h, point.gap, head.law), bias: 0.0 };
            regularisation = spring.regularisation(problem.h);
            w.x_axis.x += regularisation;
        }
        let friction = Friction { stick: material.friction_static, slip: material.friction_dynamic };
        let steep = is_steep(&w, &friction);
        let inverse = if steep { Inverse::Whole } else { inverse };
        Self { block: block(&w, inverse, problem.scale), friction, target, regularisation, steep }
    }
}

impl PointData {
    /// W δ: the change of velocity that an impulse makes. The block has R on top.
    #[inline(always)]
    pub(crate) fn answer(&self, delta: [f64; 3]) -> [f64; 3] {
        let [n, a, b] = multiply3(&self.block.w, delta);
        [n - self.regularisation * delta[0], a, b]
    }
}

impl RowData {
    /// The data of one row.
    pub(crate) fn new(problem: &ContactProblem, head: &Head, i: usize) -> Self {
        let w = problem.groups.delassus_row(problem.move_inertia, head, i);
        let inverse = problem.groups.row_mass(problem.move_inertia, head, i);
        let row = &problem.groups.rows[i];
        let mut data =
            Self { w, inverse, target: problem.groups.row_target(problem.h, head, row), regularisation: 0.0 };
        if let Some(spring) = problem.groups.spring(head, w).filter(|_| inverse > 0.0) {
            let speed = row.target + spring.target(problem.h, row.error, head.law);
            data.target = Target { speed, bias: 0.0 };
            data.regularisation = spring.regularisation(problem.h);
            data.inverse = 1.0 / (w + data.regularisation);
        }
        data
    }
}

/// True when friction of a slipping contact changes its normal velocity by half as much as the normal impulse does.
pub(crate) fn is_steep(w: &Mat3, friction: &Friction<f64>) -> bool {
    let normal = w.x_axis;
    let across = (normal.y * normal.y + normal.z * normal.z).sqrt();
    friction.slip * across > 0.5 * normal.x
}

/// The blocks of W and their inverses on the space that can move.
pub(crate) fn block(w: &Mat3, inverse: Inverse, scale: Scale) -> Block<f64> {
    let w = Sym3::from_mat3(w);
    let slack = scalar::square(SLACK * scale.speed);
    let trace = w.trace();
    let (whole, regular) = match inverse {
        Inverse::Parts => (Sym3::ZERO, true),
        Inverse::Whole => inverse3(&w),
    };
    Block {
        w: entries(&w),
        inverse: entries(&whole),
        inverse_nn: if w.xx > RANK * trace { 1.0 / w.xx } else { 0.0 },
        tangential: tangential(&w, trace, slack),
        slack: if regular { REGULAR } else { slack },
    }
}

fn entries(w: &Sym3) -> [f64; 6] {
    [w.xx, w.yy, w.zz, w.xy, w.xz, w.yz]
}

/// The tangential part of a block alone.
pub(crate) fn tangential_of(w: &Mat3, scale: Scale) -> Tangential<f64> {
    let w = Sym3::from_mat3(w);
    tangential(&w, w.trace(), scalar::square(SLACK * scale.speed))
}

/// The tangential part; `trace` is that of the whole block.
fn tangential(w: &Sym3, trace: f64, slack: f64) -> Tangential<f64> {
    let (a, b, c) = (w.yy, w.yz, w.zz);
    let (mean, half) = (0.5 * (a + c), 0.5 * (a - c));
    let spread = (half * half + b * b).sqrt();
    let (largest, det) = (mean + spread, a * c - b * b);
    // The smaller eigenvalue is det/largest: free of the cancellation in mean − spread.
    let regular = det > RANK * trace * largest;
    let inverse = if regular {
        [c / det, -b / det, a / det]
    } else if largest > RANK * trace {
        // One direction moves: W_tt = λ d dᵀ, whose inverse on d is W_tt/λ².
        let s = 1.0 / (largest * largest);
        [a * s, b * s, c * s]
    } else {
        [0.0; 3]
    };
    Tangential { w: [a, b, c], inverse, largest, slack: if regular { REGULAR } else { slack } }
}

/// W⁻¹ on the space that can move, and whether that is all of it.
fn inverse3(w: &Sym3) -> (Sym3, bool) {
    let mean = w.trace() / 3.0;
    // Far from singular, as between two free bodies, cofactors do; they lose digits as the determinant falls.
    if w.determinant() > 1e-6 * mean * mean * mean
        && let Some(inverse) = w.inverse()
    {
        return (inverse, true);
    }
    let (values, axes) = w.principal();
    let least = RANK * values.z;
    let invert = |x: f64| if x > least { 1.0 / x } else { 0.0 };
    let inverse =
        Sym3::rotated_diagonal(Vec3::new(invert(values.x), invert(values.y), invert(values.z)), axes);
    (inverse, values.x > least)
}
