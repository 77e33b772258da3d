//! What the narrow phase says about one pair of touching shapes.

use huygens_math::{Pose, Vec3};

/// Most points that one manifold carries.
pub const MAX_POINTS: usize = 4;

/// What part of a shape a contact point lies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FeatureKind {
    /// A corner, a sphere's centre, an end of a capsule's axis, a point of a cylinder's rim.
    Vertex = 0,
    /// An edge of a polyhedron, a rim, the side line of a capsule or cylinder.
    Edge = 1,
    /// A face of a polyhedron, a cap, a plane.
    Face = 2,
}

/// A part of one shape: its kind, and its index among the parts of that kind. Persists while the shape does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Feature(u32);

impl Feature {
    /// The number that stands for it: kind and index in one.
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The feature with this number.
    pub const fn from_number(number: u32) -> Self {
        Self(number)
    }

    /// The feature `index` of a kind.
    #[inline(always)]
    pub const fn new(kind: FeatureKind, index: u32) -> Self {
        Self(((kind as u32) << 30) | (index & 0x3FFF_FFFF))
    }

    /// The corner `index`.
    #[inline(always)]
    pub const fn vertex(index: u32) -> Self {
        Self::new(FeatureKind::Vertex, index)
    }

    /// The edge `index`.
    #[inline(always)]
    pub const fn edge(index: u32) -> Self {
        Self::new(FeatureKind::Edge, index)
    }

    /// The face `index`.
    #[inline(always)]
    pub const fn face(index: u32) -> Self {
        Self::new(FeatureKind::Face, index)
    }

    /// What kind of part it is.
    pub const fn kind(self) -> FeatureKind {
        match self.0 >> 30 {
            0 => FeatureKind::Vertex,
            1 => FeatureKind::Edge,
            _ => FeatureKind::Face,
        }
    }

    /// Kind and number in one word, for keeping.
    #[inline]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Its number among the parts of its kind.
    pub const fn index(self) -> u32 {
        self.0 & 0x3FFF_FFFF
    }
}

/// Identity of a contact point: the features of both shapes that meet there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FeatureId {
    /// The feature of shape A.
    pub a: Feature,
    /// The feature of shape B.
    pub b: Feature,
}

impl FeatureId {
    /// The same point with A and B exchanged.
    #[inline]
    pub const fn swapped(self) -> Self {
        Self { a: self.b, b: self.a }
    }
}

/// One point of a manifold.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ManifoldPoint {
    /// Witness point on the surface of A, in A's frame [m].
    pub on_a: Vec3,
    /// Witness point on the surface of B, in B's frame [m].
    pub on_b: Vec3,
    /// Distance along the normal [m]; negative when the shapes overlap here.
    pub gap: f64,
    /// What meets here.
    pub feature: FeatureId,
}

/// Which shape the normal belongs to, and turns with while a manifold is reused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reference {
    /// A's face, or a contact without a face.
    #[default]
    A,
    /// B's face.
    B,
}

/// How far the shapes may move against each other before a kept manifold must be made anew.
///
/// The narrow phase sets it for each manifold, so that [`Manifold::carried`] keeps its bound.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reuse {
    /// Largest relative rotation [rad].
    pub turn: f64,
    /// Largest relative motion at a contact point [m].
    pub travel: f64,
}

/// Contact between two shapes: one normal, up to four points, each with its own gap.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Manifold {
    /// Unit normal in A's frame, from B to A.
    pub normal: Vec3,
    /// Whose face gave the normal.
    pub reference: Reference,
    /// Part of each shape that this manifold belongs to: a face of a container, a triangle cluster; 0 for convex shapes.
    pub sub_shape: [u32; 2],
    /// Radius of curvature [m] of each shape at its witness points: behind each lies a point fixed in the body at this
    /// distance along the normal, such as a sphere's centre. 0 for corners, edges and flat faces.
    pub round: [f64; 2],
    /// For how long it may be kept.
    pub reuse: Reuse,
    points: [ManifoldPoint; MAX_POINTS],
    len: u8,
}

impl Manifold {
    /// Nothing.
    pub const EMPTY: Self = {
        let feature = FeatureId { a: Feature(0), b: Feature(0) };
        let point = ManifoldPoint { on_a: Vec3::ZERO, on_b: Vec3::ZERO, gap: 0.0, feature };
        Self {
            normal: Vec3::ZERO,
            reference: Reference::A,
            sub_shape: [0; 2],
            round: [0.0; 2],
            reuse: Reuse { turn: 0.0, travel: 0.0 },
            points: [point; MAX_POINTS],
            len: 0,
        }
    };

    /// A manifold without points.
    #[inline]
    pub fn new(normal: Vec3, reference: Reference) -> Self {
        Self { normal, reference, ..Self::default() }
    }

    /// A manifold of one point.
    #[inline(always)]
    pub(crate) fn of_point(normal: Vec3, round: [f64; 2], reuse: Reuse, point: ManifoldPoint) -> Self {
        let none = ManifoldPoint::default();
        let points = [point, none, none, none];
        Self { normal, reference: Reference::A, sub_shape: [0; 2], round, reuse, points, len: 1 }
    }

    /// Adds a point.
    ///
    /// # Panics
    /// When the manifold is full.
    #[inline]
    pub fn push(&mut self, point: ManifoldPoint) {
        self.points[self.len as usize] = point;
        self.len += 1;
    }

    /// The points.
    #[inline]
    pub fn points(&self) -> &[ManifoldPoint] {
        &self.points[..self.len as usize]
    }

    /// The points, to change.
    #[inline]
    pub fn points_mut(&mut self) -> &mut [ManifoldPoint] {
        &mut self.points[..self.len as usize]
    }

    /// Drops the points that `keep` refuses.
    pub fn retain(&mut self, keep: impl Fn(&ManifoldPoint) -> bool) {
        let mut kept = 0;
        for i in 0..self.len as usize {
            if keep(&self.points[i]) {
                self.points[kept] = self.points[i];
                kept += 1;
            }
        }
        self.len = kept as u8;
    }

    /// Becomes the same as another manifold; copies no more points than it has.
    #[inline]
    pub fn copy_from(&mut self, from: &Self) {
        self.normal = from.normal;
        self.reference = from.reference;
        self.sub_shape = from.sub_shape;
        self.round = from.round;
        self.reuse = from.reuse;
        self.copy_points(from);
    }

    /// Takes over the points of another manifold.
    #[inline]
    pub(crate) fn copy_points(&mut self, from: &Self) {
        self.len = from.len;
        for (to, from) in self.points_mut().iter_mut().zip(from.points()) {
            *to = *from;
        }
    }

    /// The smallest gap [m]; infinite without points.
    pub fn gap(&self) -> f64 {
        self.points().iter().fold(f64::INFINITY, |least, p| huygens_math::scalar::min(least, p.gap))
    }

    /// The same contact with A and B exchanged; `b_in_a` is the pose of B in A's frame.
    #[inline]
    pub fn swapped(&self, b_in_a: &Pose) -> Self {
        let mut out = *self;
        out.swap(b_in_a);
        out
    }

    /// Exchanges A and B; `b_in_a` is the pose of B in A's frame.
    #[inline]
    pub fn swap(&mut self, b_in_a: &Pose) {
        self.normal = b_in_a.inverse_rotate(-self.normal);
        self.reference = match self.reference {
            Reference::A => Reference::B,
            Reference::B => Reference::A,
        };
        self.sub_shape.swap(0, 1);
        self.round.swap(0, 1);
        for point in self.points_mut() {
            std::mem::swap(&mut point.on_a, &mut point.on_b);
            point.feature = point.feature.swapped();
        }
    }
}
