//! Closed forms, and hulls against them.

use super::*;
use huygens_math::{SplitMix, trig};

fn assert_near(found: f64, expected: f64, relative: f64, what: &str) {
    let error = (found - expected).abs();
    assert!(error <= relative * expected.abs(), "{what}: {found:?} is not {expected:?} to {relative:e}");
}

fn assert_diagonal(found: &Sym3, expected: Vec3, relative: f64) {
    for axis in 0..3 {
        assert_near(found.diag()[axis], expected[axis], relative, "moment");
    }
    let largest = expected.max_element();
    for x in [found.xy, found.xz, found.yz] {
        assert!(x.abs() <= relative * largest, "product of inertia {x:e} beside {largest:e}");
    }
}

/// Same mass, centre (within `relative` of `length`) and inertia (within `relative` of its trace).
fn assert_same(found: &MassProperties, expected: &MassProperties, relative: f64, length: f64) {
    assert_near(found.mass, expected.mass, relative, "mass");
    assert!((found.center - expected.center).length() <= relative * length, "{found:?} {expected:?}");
    let off = (found.inertia - expected.inertia).to_mat3().to_cols_array();
    let worst = off.iter().fold(0.0, |m, x| huygens_math::scalar::max(m, x.abs()));
    assert!(worst <= relative * expected.inertia.trace(), "{worst:e}");
}

#[test]
fn box_inertia_is_m_b2_plus_c2_over_12() {
    // Case 1: half extents 0.1, 0.2, 0.3 and mass 1.
    let solid =
        CollisionShape::cuboid(Vec3::new(0.2, 0.4, 0.6)).unwrap().mass_properties(1.0 / 0.048).unwrap();
    assert_near(solid.mass, 1.0, 1e-14, "mass");
    let expected = Vec3::new(0.16 + 0.36, 0.04 + 0.36, 0.04 + 0.16) / 12.0;
    assert_diagonal(&solid.inertia, expected, 1e-14);
    assert_near(solid.inertia.xx, 0.043_333_333_333_333_33, 1e-14, "the number of the list");
    assert_eq!(solid.center, Vec3::ZERO);
}

#[test]
fn sphere_and_cylinder_have_their_textbook_inertia() {
    // Case 2.
    let (r, h, density) = (0.3, 0.7, 900.0);
    let sphere = CollisionShape::sphere(r).unwrap().mass_properties(density).unwrap();
    let m = density * 4.0 / 3.0 * PI * 0.027;
    assert_near(sphere.mass, m, 1e-14, "sphere");
    assert_diagonal(&sphere.inertia, Vec3::splat(0.4 * m * 0.09), 1e-14);
    let cylinder = CollisionShape::cylinder(r, h).unwrap().mass_properties(density).unwrap();
    let m = density * PI * 0.09 * h;
    let across = m * (3.0 * 0.09 + h * h) / 12.0;
    assert_near(cylinder.mass, m, 1e-14, "cylinder");
    assert_diagonal(&cylinder.inertia, Vec3::new(across, across, 0.5 * m * 0.09), 1e-14);
}

#[test]
fn capsule_of_the_list_has_its_mass_and_inertia() {
    // Case 3, r = 0.2, L = 1, ρ = 1000. With ρ = 1000: m = 1000π(0.04 + 0.032/3), and so on; the sums below are
    // the list's formula in exact fractions.
    let solid = CollisionShape::capsule(0.2, 1.0).unwrap().mass_properties(1000.0).unwrap();
    assert_near(solid.mass, PI * (40.0 + 32.0 / 3.0), 1e-13, "mass");
    let axial = PI * (0.8 + 32.0 / 3.0 * 0.016);
    let across = PI * (40.0 * (0.01 + 1.0 / 12.0) + 32.0 / 3.0 * (0.016 + 0.075 + 0.25));
    assert_diagonal(&solid.inertia, Vec3::new(across, across, axial), 1e-13);
    // The printed digits.
    assert!((solid.mass - 159.17403).abs() < 5e-6);
    assert!((solid.inertia.zz - 3.0494393).abs() < 5e-8);
    assert!((solid.inertia.xx - 23.1556323).abs() < 5e-8);
}

#[test]
fn a_capsule_is_a_cylinder_and_two_half_balls() {
    // Half ball of radius r: centre 3r/8 from its flat side, inertia across about that point ⅖mr² − m(3r/8)².
    let (r, length, density) = (0.4, 1.3, 3.0);
    let cylinder = CollisionShape::cylinder(r, length).unwrap().mass_properties(density).unwrap();
    let m = density * 2.0 / 3.0 * PI * r * r * r;
    let across = m * r * r * (0.4 - 9.0 / 64.0);
    let cap = |side: f64| MassProperties {
        mass: m,
        center: Vec3::new(0.0, 0.0, side * (0.5 * length + 0.375 * r)),
        inertia: Sym3::diagonal(Vec3::new(across, across, 0.4 * m * r * r)),
    };
    let sum = MassProperties::sum(&[cap(1.0), cylinder, cap(-1.0)]);
    let capsule = CollisionShape::capsule(r, length).unwrap().mass_properties(density).unwrap();
    assert_same(&sum, &capsule, 1e-14, length);
}

fn box_corners(half: Vec3) -> [Vec3; 8] {
    let sign = |i: usize, bit: usize| if i & bit == 0 { -1.0 } else { 1.0 };
    std::array::from_fn(|i| half * Vec3::new(sign(i, 1), sign(i, 2), sign(i, 4)))
}

#[test]
fn the_hull_of_a_box_weighs_like_the_box_wherever_it_is() {
    // Case 4. Displaced by 1000 m a corner is rounded to 1e-13 m: 1e-12 of the edges here.
    let mut r = SplitMix::new(1);
    for round in 0..300 {
        let size = Vec3::new(r.range(0.5, 2.0), r.range(0.5, 2.0), r.range(0.5, 2.0));
        let far = if round % 2 == 0 { 0.0 } else { 1000.0 };
        let pose = Pose::new(r.rotation(), r.direction() * far);
        let exact = CollisionShape::cuboid(size).unwrap().mass_properties(1200.0).unwrap().transformed(&pose);
        let corners = box_corners(0.5 * size).map(|c| pose.transform(c));
        let hull = CollisionShape::hull(&corners).unwrap().mass_properties(1200.0).unwrap();
        assert_same(&hull, &exact, 1e-12, size.length());
        if far == 0.0 {
            // A few roundings: nothing cancels.
            assert_same(&hull, &exact, 1e-14, size.length());
        }
    }
}

#[test]
fn the_hull_of_a_box_weighs_like_the_box_at_every_scale() {
    for scale in [1e-15, 1e-9, 1e-6, 1.0, 1e4, 1e12, 5e14] {
        let size = Vec3::new(1.0, 1.3, 1.6) * scale;
        let exact = CollisionShape::cuboid(size).unwrap().mass_properties(1e3).unwrap();
        let hull = CollisionShape::hull(&box_corners(0.5 * size)).unwrap().mass_properties(1e3).unwrap();
        assert_same(&hull, &exact, 1e-14, scale);
        assert!(hull.inertia.inverse().is_some_and(|i| i.is_finite()), "{scale:e}");
    }
}

#[test]
fn a_tetrahedron_has_its_closed_form() {
    // Corners 0, e1, e2, e3: V = 1/6, centre (¼,¼,¼), ∫x² = 1/60, ∫xy = 1/120, so about the centre
    // Ixx = 2(1/60 − 1/96) = 1/80 and Ixy = −(1/120 − 1/96) = 1/480.
    let tetra = CollisionShape::hull(&[Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]).unwrap();
    let expected = MassProperties {
        mass: 1.0 / 6.0,
        center: Vec3::splat(0.25),
        inertia: Sym3 {
            xx: 1.0 / 80.0,
            yy: 1.0 / 80.0,
            zz: 1.0 / 80.0,
            xy: 1.0 / 480.0,
            xz: 1.0 / 480.0,
            yz: 1.0 / 480.0,
        },
    };
    assert_same(&tetra.mass_properties(1.0).unwrap(), &expected, 1e-15, 1.0);
}

/// Corners of an icosahedron whose triangles were cut in four `cuts` times, on the unit sphere.
fn icosphere(cuts: usize) -> Vec<Vec3> {
    let g = 0.5 * (1.0 + 5f64.sqrt());
    let mut corners: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, g), (1.0, -g), (-1.0, g), (-1.0, -g)] {
        corners.extend([Vec3::new(0.0, a, b), Vec3::new(a, b, 0.0), Vec3::new(b, 0.0, a)]);
    }
    let mut corners: Vec<Vec3> = corners.iter().map(|c| c.normalize()).collect();
    for _ in 0..cuts {
        let hull = Hull::new(&corners).unwrap();
        let middle =
            |&[a, b]: &[u32; 2]| (hull.vertices()[a as usize] + hull.vertices()[b as usize]).normalize();
        corners = hull.vertices().to_vec();
        corners.extend(hull.edges().iter().map(middle));
    }
    corners
}

#[test]
fn icospheres_converge_to_the_ball_with_the_square_of_the_edge() {
    let ball = CollisionShape::sphere(1.0).unwrap().mass_properties(1.0).unwrap();
    let mut last: Option<[f64; 2]> = None;
    let mut allowed = 0.45;
    for cuts in 0..6 {
        let hull = CollisionShape::hull(&icosphere(cuts)).unwrap().mass_properties(1.0).unwrap();
        let errors = [1.0 - hull.mass / ball.mass, 1.0 - hull.inertia.xx / ball.inertia.xx];
        println!("{cuts} cuts: volume short by {:.3e}, inertia by {:.3e}", errors[0], errors[1]);
        assert!(hull.center.length() < 1e-15);
        if let Some([volume, inertia]) = last
            && cuts > 1
        {
            // Half the edge, a quarter of the error; the next term of the series, e⁴, makes the ratio fall short of
            // 4 by an amount that is itself quartered.
            let short = [4.0 - volume / errors[0], 4.0 - inertia / errors[1]];
            println!("  ratio short of 4 by {short:.4?}");
            assert!(short.iter().all(|s| *s > 0.0 && *s < allowed), "{cuts}: {short:?}");
            allowed *= 0.25;
        }
        last = Some(errors);
    }
    // 2562 + 7680 corners: edges of about 0.035, and error about edge².
    assert!(last.unwrap()[0] < 1e-3);
}

#[test]
fn shapes_without_volume_or_end_have_no_mass() {
    assert_eq!(CollisionShape::HalfSpace.mass_properties(1.0), None);
    assert_eq!(CollisionShape::wall(huygens_math::Vec2::ONE).unwrap().mass_properties(1.0), None);
    assert_eq!(CollisionShape::box_inside(Vec3::ONE).unwrap().mass_properties(1.0), None);
    assert_eq!(CollisionShape::cylinder_inside(1.0, 1.0).unwrap().mass_properties(1.0), None);
}

#[test]
fn inertia_about_another_point_adds_m_d_squared() {
    let solid = CollisionShape::sphere(1.0).unwrap().mass_properties(1.0).unwrap();
    let moved = solid.transformed(&Pose::new(trig::axis_angle(Vec3::Y, 0.3), Vec3::new(0.0, 2.0, 0.0)));
    let about = moved.inertia_about(Vec3::ZERO);
    assert_near(about.xx, solid.inertia.xx + 4.0 * solid.mass, 1e-15, "across");
    assert_near(about.yy, solid.inertia.yy, 1e-15, "along");
    assert_eq!(MassProperties::sum(&[]), MassProperties::ZERO);
}
