//! A contact point with a mesh before it belongs to a manifold.

use crate::manifold::Feature;
use arrayvec::ArrayVec;
use huygens_math::Vec3;

/// Most contact points of one shape with one mesh that are looked at, the deepest of them.
pub(super) const MAX_TOUCHES: usize = 96;

/// A contact point in the mesh's frame.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touch {
    /// Where on the mesh.
    pub at: Vec3,
    /// Outward normal: of the triangle, or across what meets there.
    pub up: Vec3,
    pub gap: f64,
    pub reference: Feature,
    pub incident: Feature,
    /// Names the part of the mesh: a flat region by its lowest triangle, or an edge.
    pub part: u32,
    pub lies: Lies,
    /// True when `up` is the normal of a face of the shape, and turns with it.
    pub of_shape: bool,
    /// The triangle that said it.
    pub triangle: u32,
    pub used: bool,
}

/// How the shape lies at a contact point, and how long the point stays what it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lies {
    /// Motion of the point after which its gap is still right [m].
    pub travel: f64,
    /// Largest rotation for which the point keeps its place [rad].
    pub turn: f64,
    /// Radius of curvature of the shape.
    pub round: f64,
}

/// The part of a mesh that an edge is; above all regions.
pub(super) const EDGE_PART: u32 = 1 << 31;

#[derive(Default)]
pub(super) struct Touches {
    pub list: ArrayVec<Touch, MAX_TOUCHES>,
}

impl Touches {
    /// Adds a touch; where there is no room, the shallowest goes.
    pub fn push(&mut self, touch: Touch) {
        if self.list.try_push(touch).is_ok() {
            return;
        }
        self.push_out(touch);
    }

    #[cold]
    fn push_out(&mut self, touch: Touch) {
        let last = self.list.len() - 1;
        let shallowest = (0..=last).fold(0, |i, j| if self.list[j].gap > self.list[i].gap { j } else { i });
        if touch.gap < self.list[shallowest].gap {
            self.list[shallowest] = touch;
        }
    }
}
