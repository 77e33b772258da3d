//! Questions about the boxes as they are set now: which overlap a box, which lie on a ray.
//!
//! Proxies that left their fat box since the last update stand in no tree where they should; they are looked through
//! one by one, so that a question is exact at any time.

use super::bounds::ProxyBox;
use super::node::{LANES, Node};
use super::phase::BroadPhase;
use super::tree::{NONE, STACK, Tree, Visit};
use huygens_math::Vec3;
use huygens_math::at_level;
use huygens_math::scalar::{max, min};

impl BroadPhase {
    /// The box of a proxy, as it is set now.
    pub fn bounds(&self, slot: u32) -> ProxyBox {
        self.proxies.tight(slot)
    }

    /// Calls `found(slot)` for every proxy whose box overlaps `bounds`, each once. The order depends on the history.
    pub fn query_box(&self, bounds: ProxyBox, mut found: impl FnMut(u32)) {
        if bounds.is_empty() {
            return;
        }
        for tree in [&self.moving, &self.fixed] {
            at_level!(self.level, simd => tree.visit(simd, &bounds, |entry| {
                let slot = tree.entries[entry].slot;
                if !self.proxies.is_touched(slot) && self.proxies.tight(slot).overlaps(&bounds) {
                    found(slot);
                }
            }));
        }
        for &slot in &self.touched {
            if self.proxies.tight(slot).overlaps(&bounds) {
                found(slot);
            }
        }
    }

    /// Calls `found(slot)` for every proxy whose box the ray meets at a parameter t in [0, max], where the ray is
    /// origin + t·direction, and goes on with the returned value as the new `max`.
    ///
    /// Roughly from near to far, in an order that depends on the history: a caller who keeps the nearest hit must
    /// break ties itself. A box that the ray misses by a rounding error may be found too. Nothing is found when
    /// `max` is NaN or origin or direction are not finite.
    pub fn cast_ray(&self, origin: Vec3, direction: Vec3, max: f64, mut found: impl FnMut(u32) -> f64) {
        let mut ray = Ray { origin: origin.to_array(), direction: direction.to_array(), max };
        if !(origin.is_finite() && direction.is_finite()) || max.is_nan() {
            return;
        }
        for tree in [&self.moving, &self.fixed] {
            tree.visit_ray(&mut ray, |entry, ray| {
                let slot = tree.entries[entry].slot;
                if !self.proxies.is_touched(slot) && ray.meets(&self.proxies.tight(slot)) {
                    ray.limit(found(slot));
                }
            });
        }
        for &slot in &self.touched {
            if ray.meets(&self.proxies.tight(slot)) {
                ray.limit(found(slot));
            }
        }
    }
}

struct Ray {
    origin: [f64; 3],
    direction: [f64; 3],
    max: f64,
}

/// Difference and quotient are rounded once each, and so is this factor.
const WIDER: f64 = 1.0 + 4.0 * f64::EPSILON;

/// An interval without parameters.
const MISS: (f64, f64) = (f64::INFINITY, f64::NEG_INFINITY);

impl Ray {
    /// The parameters between which the ray is inside lane `lane`, not less than 0 nor more than `max`, widened for
    /// rounding; the first is above the second when it misses, and neither is NaN.
    #[inline(always)]
    fn interval(&self, node: &Node, lane: usize) -> (f64, f64) {
        let (mut near, mut far) = (0.0, self.max);
        for i in 0..3 {
            let lo = f64::from(node.min[i][lane]) - self.origin[i];
            let hi = f64::from(node.max[i][lane]) - self.origin[i];
            let d = self.direction[i];
            if d == 0.0 {
                // Parallel: inside at all times, or never; a vacant lane is never.
                if lo <= 0.0 && hi >= 0.0 {
                    continue;
                }
                return MISS;
            }
            let (enter, leave) = if d > 0.0 { (lo / d, hi / d) } else { (hi / d, lo / d) };
            if enter.is_nan() || leave.is_nan() {
                return MISS;
            }
            near = max(near, enter / WIDER);
            far = min(far, leave * WIDER);
        }
        (near, far)
    }

    /// Sets the end; NaN ends the search.
    fn limit(&mut self, max: f64) {
        self.max = if max.is_nan() { f64::NEG_INFINITY } else { max };
    }

    fn meets(&self, b: &ProxyBox) -> bool {
        let mut node = Node::VACANT;
        node.set(0, b);
        let (near, far) = self.interval(&node, 0);
        near <= far
    }
}

impl Tree {
    /// Calls `hit(entry, ray)` for every entry that the ray meets, children of a node from near to far.
    fn visit_ray(&self, ray: &mut Ray, mut hit: impl FnMut(usize, &mut Ray)) {
        let Some(root) = self.root() else { return };
        let mut stack = [(0.0, Visit::default()); STACK];
        stack[0] = (0.0, root);
        let mut top = 1;
        while top > 0 {
            top -= 1;
            let (near, Visit { level, node }) = stack[top];
            if near > ray.max {
                continue;
            }
            let boxes = &self.levels[level as usize][node as usize];
            let base = top;
            for lane in 0..LANES {
                let (near, far) = ray.interval(boxes, lane);
                let child = node * LANES as u32 + lane as u32;
                if near > far {
                    continue;
                }
                if level == 0 {
                    if self.entries[child as usize].slot != NONE {
                        hit(child as usize, ray);
                    }
                } else {
                    let mut at = top;
                    // The nearest goes on top.
                    while at > base && stack[at - 1].0 < near {
                        stack[at] = stack[at - 1];
                        at -= 1;
                    }
                    stack[at] = (near, Visit { level: level - 1, node: child });
                    top += 1;
                }
            }
        }
    }
}
