//! Several placed shapes on one body.

use crate::{Aabb, MassProperties, Shape, ShapeError};
use huygens_math::{Pose, scalar::max, scalar::min};

/// One shape of a compound.
#[derive(Clone, Debug)]
pub struct Part {
    /// `body_from_shape`.
    pub pose: Pose,
    /// The shape, in its own frame.
    pub shape: Shape,
    /// Density [kg/m³]; 0 for a part without mass.
    pub density: f64,
}

/// Several placed shapes on one body; where they overlap, their masses add.
#[derive(Clone, Debug)]
pub struct Compound {
    /// The shapes.
    pub parts: Vec<Part>,
}

impl Compound {
    /// A compound of checked parts.
    ///
    /// # Errors
    /// When there is none, or when one has a position or density that is not finite, a negative density, or an
    /// orientation that is not a unit quaternion (to 1e-6).
    pub fn new(parts: Vec<Part>) -> Result<Self, ShapeError> {
        if parts.is_empty() {
            return Err(ShapeError::NoParts);
        }
        for (i, part) in parts.iter().enumerate() {
            part.check(i)?;
        }
        Ok(Self { parts })
    }

    /// The smallest box along the target's axes that holds all parts; `pose` is `target_from_body`.
    pub fn aabb(&self, pose: &Pose) -> Aabb {
        self.parts.iter().fold(Aabb::EMPTY, |all, part| all.union(&part.shape.aabb(&(*pose * part.pose))))
    }

    /// Mass, centre of mass and inertia in the body's frame; `None` when no part has any.
    ///
    /// Parts without volume or without end add nothing.
    pub fn mass_properties(&self) -> Option<MassProperties> {
        let solids: Vec<MassProperties> = self
            .parts
            .iter()
            .filter_map(|part| Some(part.shape.mass_properties(part.density)?.transformed(&part.pose)))
            .filter(|solid| solid.mass > 0.0)
            .collect();
        (!solids.is_empty()).then(|| MassProperties::sum(&solids))
    }

    /// Radius [m] of a ball about the body's origin that holds every part; infinite when one has no end.
    pub fn bounding_radius(&self) -> f64 {
        self.parts
            .iter()
            .fold(0.0, |all, part| max(all, part.pose.translation.length() + part.shape.bounding_radius()))
    }

    /// Size of the thinnest part [m]; see [`Shape::size`].
    pub fn size(&self) -> f64 {
        self.parts.iter().fold(f64::INFINITY, |least, part| min(least, part.shape.size()))
    }
}

impl Part {
    fn check(&self, part: usize) -> Result<(), ShapeError> {
        let bad = |field, value, must| {
            Err(ShapeError::BadPart { part, shape: self.shape.kind(), field, value, must })
        };
        let (p, q) = (self.pose.translation, self.pose.rotation);
        if !p.is_finite() {
            return bad("position", format!("({:?}, {:?}, {:?}) m", p.x, p.y, p.z), "finite");
        }
        // Looser than rounding, tighter than any mistake; what is not a number lies outside too.
        if !(1.0 - 2e-6..=1.0 + 2e-6).contains(&q.length_squared()) {
            let value = format!("(w {:?}, x {:?}, y {:?}, z {:?})", q.w, q.x, q.y, q.z);
            return bad("orientation", value, "a unit quaternion");
        }
        if !(self.density >= 0.0 && self.density.is_finite()) {
            return bad("density", format!("{:?} kg/m³", self.density), "finite and not negative");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{SplitMix, Vec3};

    fn halves(pose: Pose) -> Compound {
        let half = |x: f64| Part {
            pose: pose * Pose::at(Vec3::new(x, 0.0, 0.0)),
            shape: Shape::cuboid(Vec3::new(1.0, 0.4, 0.6)).unwrap(),
            density: 700.0,
        };
        Compound::new(vec![half(-0.5), half(0.5)]).unwrap()
    }

    #[test]
    fn two_half_boxes_are_one_box_wherever_they_are() {
        let mut r = SplitMix::new(1);
        let whole = Shape::cuboid(Vec3::new(2.0, 0.4, 0.6)).unwrap();
        for _ in 0..100 {
            let pose = Pose::new(r.rotation(), r.in_cube() * 10.0);
            let expected = whole.mass_properties(700.0).unwrap().transformed(&pose);
            let found = halves(pose).mass_properties().unwrap();
            // A dozen roundings, on lengths of 10 m for the centre.
            assert!((found.mass - expected.mass).abs() < 1e-15 * expected.mass);
            assert!((found.center - expected.center).length() < 1e-14);
            let off = (found.inertia - expected.inertia).to_mat3();
            assert!(off.to_cols_array().iter().all(|x| x.abs() < 1e-14 * expected.inertia.trace()));
            let world = Pose::new(r.rotation(), r.in_cube());
            let (a, b) = (halves(pose).aabb(&world), whole.aabb(&(world * pose)));
            assert!((a.min - b.min).length() < 1e-14 && (a.max - b.max).length() < 1e-14);
        }
    }

    #[test]
    fn a_part_off_the_origin_widens_the_radius() {
        let part = Part { pose: Pose::at(Vec3::X), shape: Shape::sphere(0.5).unwrap(), density: 1.0 };
        let mut compound = Compound::new(vec![part.clone()]).unwrap();
        assert_eq!((compound.bounding_radius(), compound.size()), (1.5, 1.0));
        compound.parts.push(Part { shape: Shape::HalfSpace, ..part });
        assert_eq!((compound.bounding_radius(), compound.size()), (f64::INFINITY, 1.0));
    }

    #[test]
    fn parts_without_volume_add_no_mass() {
        let floor = Part { pose: Pose::IDENTITY, shape: Shape::HalfSpace, density: 1000.0 };
        let ball = Part { pose: Pose::at(Vec3::Z), shape: Shape::sphere(1.0).unwrap(), density: 1.0 };
        assert_eq!(Compound::new(vec![floor.clone()]).unwrap().mass_properties(), None);
        let both = Compound::new(vec![floor, ball.clone()]).unwrap().mass_properties().unwrap();
        assert_eq!(both.center, Vec3::Z);
        let light = Part { density: 0.0, ..ball };
        assert_eq!(Compound::new(vec![light]).unwrap().mass_properties(), None);
    }

    #[test]
    fn bad_parts_are_refused_by_name() {
        assert_eq!(Compound::new(vec![]).unwrap_err(), ShapeError::NoParts);
        let good = Part { pose: Pose::IDENTITY, shape: Shape::sphere(1.0).unwrap(), density: 1.0 };
        let refused = |part: Part| Compound::new(vec![good.clone(), part]).unwrap_err().to_string();
        let mut bad = good.clone();
        bad.density = f64::NAN;
        assert!(refused(bad).starts_with("compound: part 1 (sphere): density is NaN kg/m³;"));
        let mut bad = good.clone();
        bad.pose.translation.y = f64::INFINITY;
        assert!(refused(bad).contains("position is (0.0, inf, 0.0) m"));
        let mut bad = good.clone();
        bad.pose.rotation.w = 0.0;
        assert!(
            refused(bad).contains("orientation is (w 0.0, x 0.0, y 0.0, z 0.0); must be a unit quaternion")
        );
    }
}
