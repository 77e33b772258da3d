//! Mass properties of geoms and bodies, as MuJoCo computes them.

use super::super::model::GeomKind;
use huygens_math::trig::pow;
use huygens_math::{Mat3, Quat, Sym3, Vec3};
use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// Masses and eigenvalues below this are none.
pub(super) const EPS: f64 = 1e-14;
/// Moments that differ by less than this share of the trace are equal, and keep their order.
const EQUAL: f64 = 1e-12;
/// Off-diagonal entries below this share of the trace are rounding.
const ROUNDING: f64 = 1e-18;

/// Principal moments, the largest first, and the rotation from the principal axes.
///
/// Jacobi's rotations of the largest off-diagonal entry, as MuJoCo does them: where moments are equal the axes are a matter of choice, and
/// they should be those that users see there.
pub(super) fn principal(inertia: &Sym3) -> (Vec3, Quat) {
    let matrix = inertia.to_mat3();
    let trace = inertia.trace().abs();
    let mut q = Quat::IDENTITY;
    let mut values = Vec3::ZERO;
    for _ in 0..50 {
        let axes = Mat3::from_quat(q);
        let d = axes.transpose() * matrix * axes;
        values = Vec3::new(d.x_axis.x, d.y_axis.y, d.z_axis.z);
        let (xy, xz, yz) = (d.y_axis.x, d.z_axis.x, d.z_axis.y);
        let (row, column, about, off) = if xy.abs() > xz.abs() && xy.abs() > yz.abs() {
            (0, 1, 2, xy)
        } else if xz.abs() > yz.abs() {
            (0, 2, 1, xz)
        } else {
            (1, 2, 0, yz)
        };
        if off.abs() <= ROUNDING * trace {
            break;
        }
        let tau = (values[column] - values[row]) / (2.0 * off);
        let t = if tau >= 0.0 {
            1.0 / (tau + (1.0 + tau * tau).sqrt())
        } else {
            -1.0 / (-tau + (1.0 + tau * tau).sqrt())
        };
        let c = 1.0 / (1.0 + t * t).sqrt();
        // sin(φ/2) from tan φ, without the cancellation of √(½ − ½ cos φ) at small angles.
        let half = t.abs() * c / (2.0 * (1.0 + c)).sqrt();
        let mut sine = if tau >= 0.0 { -half } else { half };
        if about == 1 {
            sine = -sine;
        }
        let mut v = Vec3::ZERO;
        v[about] = sine;
        let turn = Quat::from_xyzw(v.x, v.y, v.z, (1.0 - sine * sine).sqrt()).normalize();
        q = (q * turn).normalize();
    }
    for j in [0, 1, 0] {
        if values[j] + EQUAL * trace < values[j + 1] {
            (values[j], values[j + 1]) = (values[j + 1], values[j]);
            let mut v = Vec3::ZERO;
            v[(j + 2) % 3] = FRAC_1_SQRT_2;
            q = (q * Quat::from_xyzw(v.x, v.y, v.z, FRAC_1_SQRT_2)).normalize();
        }
    }
    (values, q)
}

/// Volume [m³], or surface [m²] when only the skin has mass.
pub(super) fn volume(kind: GeomKind, s: [f64; 3], shell: bool) -> f64 {
    let (r, h) = (s[0], 2.0 * s[1]);
    match (kind, shell) {
        (GeomKind::Sphere, false) => 4.0 * PI * r * r * r / 3.0,
        (GeomKind::Sphere, true) => 4.0 * PI * r * r,
        (GeomKind::Capsule, false) => PI * (r * r * h + 4.0 * r * r * r / 3.0),
        (GeomKind::Capsule, true) => 4.0 * PI * r * r + 2.0 * PI * r * h,
        (GeomKind::Cylinder, false) => PI * r * r * h,
        (GeomKind::Cylinder, true) => 2.0 * PI * r * r + 2.0 * PI * r * h,
        (GeomKind::Ellipsoid, false) => 4.0 * PI * s[0] * s[1] * s[2] / 3.0,
        (GeomKind::Ellipsoid, true) => {
            // Thomsen's formula.
            let p = 1.6075;
            let sum = pow(s[0] * s[1], p) + pow(s[1] * s[2], p) + pow(s[2] * s[0], p);
            4.0 * PI * pow(sum / 3.0, 1.0 / p)
        }
        (GeomKind::Box | GeomKind::HeightField, false) => 8.0 * s[0] * s[1] * s[2],
        (GeomKind::Box | GeomKind::HeightField, true) => 8.0 * (s[0] * s[1] + s[1] * s[2] + s[2] * s[0]),
        _ => 0.0,
    }
}

/// Principal moments of a geom of mass `m` [kg m²].
pub(super) fn moments(kind: GeomKind, m: f64, s: [f64; 3], shell: bool) -> Vec3 {
    let (r, h) = (s[0], 2.0 * s[1]);
    let squares = Vec3::from_array(s.map(|x| x * x));
    let pairs = Vec3::new(squares.y + squares.z, squares.x + squares.z, squares.x + squares.y);
    match (kind, shell) {
        (GeomKind::Sphere, false) => Vec3::splat(2.0 * m * r * r / 5.0),
        (GeomKind::Sphere, true) => Vec3::splat(2.0 * m * r * r / 3.0),
        (GeomKind::Capsule, _) => capsule(m, r, h, shell),
        (GeomKind::Cylinder, false) => {
            let x = m * (3.0 * r * r + h * h) / 12.0;
            Vec3::new(x, x, m * r * r / 2.0)
        }
        (GeomKind::Cylinder, true) => cylinder_shell(m, r, h),
        (GeomKind::Ellipsoid, false) => pairs * (m / 5.0),
        (GeomKind::Ellipsoid, true) => ellipsoid_shell(m, Vec3::from_array(s)),
        (GeomKind::Box | GeomKind::HeightField, false) => pairs * (m / 3.0),
        (GeomKind::Box | GeomKind::HeightField, true) => box_shell(m, Vec3::from_array(s)),
        _ => Vec3::ZERO,
    }
}

fn capsule(m: f64, r: f64, h: f64, shell: bool) -> Vec3 {
    if shell {
        let (ball, wall) = (4.0 * PI * r * r, 2.0 * PI * r * h);
        let ball_mass = m * ball / (ball + wall);
        let wall_mass = m - ball_mass;
        let ball_inertia = 2.0 * ball_mass * r * r / 3.0;
        let (com, at) = (r / 2.0, h / 2.0 + r / 2.0);
        let x = wall_mass * (6.0 * r * r + h * h) / 12.0 + ball_inertia + ball_mass * (at * at - com * com);
        return Vec3::new(x, x, wall_mass * r * r + ball_inertia);
    }
    let ball_mass = m * 4.0 * r / (4.0 * r + 3.0 * h);
    let rod_mass = m - ball_mass;
    let ball_inertia = 2.0 * ball_mass * r * r / 5.0;
    let x =
        rod_mass * (3.0 * r * r + h * h) / 12.0 + ball_inertia + ball_mass * h * (3.0 * r + 2.0 * h) / 8.0;
    Vec3::new(x, x, rod_mass * r * r / 2.0 + ball_inertia)
}

fn cylinder_shell(m: f64, r: f64, h: f64) -> Vec3 {
    let (disk, wall) = (PI * r * r, 2.0 * PI * r * h);
    let disk_mass = m * disk / (2.0 * disk + wall);
    let wall_mass = m - 2.0 * disk_mass;
    let disk_x = disk_mass * r * r / 4.0 + disk_mass * h * h / 4.0;
    let x = wall_mass * (6.0 * r * r + h * h) / 12.0 + 2.0 * disk_x;
    Vec3::new(x, x, wall_mass * r * r + disk_mass * r * r)
}

/// A thin layer: the difference of two solids.
fn ellipsoid_shell(m: f64, s: Vec3) -> Vec3 {
    let outer = s + Vec3::splat(1e-6);
    let of = |s: Vec3| 4.0 * PI * s.x * s.y * s.z / 3.0;
    let density = m / (of(outer) - of(s));
    let solid = |s: Vec3| {
        let q = s * s;
        Vec3::new(q.y + q.z, q.x + q.z, q.x + q.y) * (of(s) * density / 5.0)
    };
    solid(outer) - solid(s)
}

fn box_shell(m: f64, s: Vec3) -> Vec3 {
    let (x, y, z) = (2.0 * s.x, 2.0 * s.y, 2.0 * s.z);
    let total = 2.0 * (x * y + y * z + z * x);
    // Six plates of thickness 0: those across z, x and y.
    let (mz, mx, my) = (m * x * y / total, m * y * z / total, m * z * x / total);
    let ix =
        mz * y * y / 12.0 + mx * (y * y + z * z) / 12.0 + my * z * z / 12.0 + mz * s.z * s.z + my * s.y * s.y;
    let iy =
        mz * x * x / 12.0 + mx * z * z / 12.0 + my * (x * x + z * z) / 12.0 + mz * s.z * s.z + mx * s.x * s.x;
    let iz =
        mz * (x * x + y * y) / 12.0 + mx * y * y / 12.0 + my * x * x / 12.0 + mx * s.x * s.x + my * s.y * s.y;
    Vec3::new(ix, iy, iz) * 2.0
}
