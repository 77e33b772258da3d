//! Boxes along the world's axes, which enclose shapes.

use huygens_math::{
    Vec3,
    scalar::{max, min},
};

/// A box along the axes of its frame, from `min` to `max` [m]; a side may be infinite.
///
/// A box whose `min` exceeds its `max` on some axis is empty; [`Aabb::EMPTY`] is the one that any union forgets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Smallest coordinates [m].
    pub min: Vec3,
    /// Largest coordinates [m].
    pub max: Vec3,
}

impl Aabb {
    /// Holds nothing; its union with another box is that box.
    pub const EMPTY: Self = Self { min: Vec3::INFINITY, max: Vec3::NEG_INFINITY };
    /// Holds all of space.
    pub const INFINITE: Self = Self { min: Vec3::NEG_INFINITY, max: Vec3::INFINITY };

    /// The box between two corners.
    #[inline(always)]
    pub const fn new(min: Vec3, max: Vec3) -> Self {
        Self { min, max }
    }

    /// The box of half extents `half` about `center`.
    #[inline(always)]
    pub fn from_center(center: Vec3, half: Vec3) -> Self {
        Self { min: center - half, max: center + half }
    }

    /// The smallest box that holds all points; empty without points.
    pub fn of_points(points: &[Vec3]) -> Self {
        points.iter().fold(Self::EMPTY, |found, &p| found.union(&Self { min: p, max: p }))
    }

    /// The smallest box that holds both.
    #[inline]
    pub fn union(&self, other: &Self) -> Self {
        Self { min: smaller(self.min, other.min), max: larger(self.max, other.max) }
    }

    /// The box grown by `margin` [m] on every side.
    #[inline]
    pub fn expanded(&self, margin: f64) -> Self {
        Self { min: self.min - margin, max: self.max + margin }
    }

    /// The smallest box that holds this one on its whole way along `displacement` [m].
    #[inline]
    pub fn swept(&self, displacement: Vec3) -> Self {
        Self {
            min: self.min + smaller(displacement, Vec3::ZERO),
            max: self.max + larger(displacement, Vec3::ZERO),
        }
    }

    /// True when the boxes share a point; touching counts.
    #[inline]
    pub fn overlaps(&self, other: &Self) -> bool {
        self.min.x <= other.max.x
            && other.min.x <= self.max.x
            && self.min.y <= other.max.y
            && other.min.y <= self.max.y
            && self.min.z <= other.max.z
            && other.min.z <= self.max.z
    }

    /// True when `other` lies within this box; touching counts.
    #[inline]
    pub fn contains(&self, other: &Self) -> bool {
        self.min.cmple(other.min).all() && self.max.cmpge(other.max).all()
    }

    /// True when `point` lies within this box; touching counts.
    #[inline]
    pub fn contains_point(&self, point: Vec3) -> bool {
        self.min.cmple(point).all() && self.max.cmpge(point).all()
    }

    /// The middle [m]; 0 on an axis that is infinite both ways.
    #[inline]
    pub fn center(&self) -> Vec3 {
        let middle = |low: f64, high: f64| {
            if low == f64::NEG_INFINITY && high == f64::INFINITY { 0.0 } else { 0.5 * low + 0.5 * high }
        };
        Vec3::new(
            middle(self.min.x, self.max.x),
            middle(self.min.y, self.max.y),
            middle(self.min.z, self.max.z),
        )
    }

    /// Half the edges [m]; infinite where a side is.
    #[inline]
    pub fn half_extents(&self) -> Vec3 {
        self.max * 0.5 - self.min * 0.5
    }

    /// Half the surface [m²], the usual cost of a box in a tree of boxes.
    #[inline]
    pub fn half_area(&self) -> f64 {
        let d = self.max - self.min;
        d.x * d.y + d.y * d.z + d.z * d.x
    }

    /// True when no side is infinite.
    #[inline]
    pub fn is_finite(&self) -> bool {
        self.min.is_finite() && self.max.is_finite()
    }
}

#[inline(always)]
fn smaller(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(min(a.x, b.x), min(a.y, b.y), min(a.z, b.z))
}

#[inline(always)]
fn larger(a: Vec3, b: Vec3) -> Vec3 {
    Vec3::new(max(a.x, b.x), max(a.y, b.y), max(a.z, b.z))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Aabb = Aabb::new(Vec3::ZERO, Vec3::ONE);

    #[test]
    fn the_empty_box_is_the_neutral_element_of_union() {
        assert_eq!(Aabb::EMPTY.union(&UNIT), UNIT);
        assert_eq!(UNIT.union(&Aabb::EMPTY), UNIT);
        assert!(!Aabb::EMPTY.overlaps(&UNIT));
    }

    #[test]
    fn boxes_that_touch_overlap_and_boxes_apart_on_one_axis_do_not() {
        for axis in Vec3::AXES {
            let beside = Aabb::new(axis, axis + Vec3::ONE);
            assert!(UNIT.overlaps(&beside));
            let apart = Aabb::new(axis * 1.001, axis * 1.001 + Vec3::ONE);
            assert!(!UNIT.overlaps(&apart) && !apart.overlaps(&UNIT));
        }
        assert!(UNIT.overlaps(&Aabb::INFINITE));
    }

    #[test]
    fn a_swept_box_holds_its_start_and_its_end_and_nothing_more() {
        let d = Vec3::new(2.0, -3.0, 0.0);
        let end = Aabb::new(UNIT.min + d, UNIT.max + d);
        assert_eq!(UNIT.swept(d), UNIT.union(&end));
        assert!(UNIT.swept(d).contains(&UNIT) && UNIT.swept(d).contains(&end));
        assert_eq!(Aabb::INFINITE.swept(d), Aabb::INFINITE);
    }

    #[test]
    fn center_and_half_extents_rebuild_the_box_and_are_never_nan() {
        let b = Aabb::new(Vec3::new(-1.0, 2.0, 5.0), Vec3::new(3.0, 4.0, 5.0));
        assert_eq!(Aabb::from_center(b.center(), b.half_extents()), b);
        assert_eq!(Aabb::INFINITE.center(), Vec3::ZERO);
        assert_eq!(Aabb::INFINITE.half_extents(), Vec3::INFINITY);
        assert!(b.is_finite() && !Aabb::INFINITE.is_finite());
    }

    #[test]
    fn expanded_box_contains_what_lies_within_the_margin() {
        let grown = UNIT.expanded(0.5);
        assert!(grown.contains_point(Vec3::splat(-0.5)) && !grown.contains_point(Vec3::splat(-0.6)));
        assert!(grown.contains(&UNIT) && !UNIT.contains(&grown));
        assert_eq!(UNIT.half_area(), 3.0);
    }
}
