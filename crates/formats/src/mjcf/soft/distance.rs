//! The smallest signed distance of two sets of geoms: what `distance`, `normal` and `fromto` tell.

use super::super::model::{GeomKind, Model, Sensor, SensorEnd};
use super::collide::{Collider, Placed, geoms_of, touch};
use huygens_dynamics::TreeKinematics;
use huygens_geometry::query::separation;
use huygens_math::Vec3;

/// Two surfaces at their nearest points, or at their deepest overlap.
#[derive(Clone, Copy, Debug)]
struct Nearest {
    distance: f64,
    /// On the first surface and on the second one.
    points: [Vec3; 2],
}

/// The values of a sensor of distance.
pub(super) fn read(model: &Model, collider: &Collider, kin: &TreeKinematics, sensor: &Sensor) -> Vec<f64> {
    let nearest = nearest(&Space { model, collider, kin }, sensor);
    match (sensor.kind.as_str(), nearest) {
        ("distance", found) => vec![found.map_or(sensor.cutoff, |n| n.distance)],
        (_, None) => vec![0.0; sensor.dim],
        ("normal", Some(n)) => {
            let [from, to] = n.points;
            (to - from).normalize_or(Vec3::ZERO).to_array().to_vec()
        }
        (_, Some(n)) => n.points.iter().flat_map(|p| p.to_array()).collect(),
    }
}

/// Geoms where they are.
struct Space<'a> {
    model: &'a Model,
    collider: &'a Collider,
    kin: &'a TreeKinematics,
}

fn nearest(space: &Space<'_>, sensor: &Sensor) -> Option<Nearest> {
    let geoms = |end: SensorEnd| geoms_of(space.model, end);
    let [Some(a), Some(b)] = sensor.query.ends.map(|end| end.map(geoms)) else { return None };
    let mut found: Option<Nearest> = None;
    for (i, j) in a.flat_map(|i| b.clone().map(move |j| (i, j))) {
        let most = found.map_or(sensor.cutoff, |n| n.distance);
        if let Some(near) = between(space, [i, j], sensor.cutoff).filter(|n| n.distance < most) {
            found = Some(near);
        }
    }
    found
}

/// The nearest points of two geoms that are at most `most` apart.
fn between(space: &Space<'_>, [i, j]: [usize; 2], most: f64) -> Option<Nearest> {
    let Space { model, collider, kin } = *space;
    let place = |g: usize| {
        let geom = &model.geoms[g];
        Placed { kind: geom.kind, size: geom.size, pose: kin.world_from_link[geom.body] * geom.pose }
    };
    // Pairs are known with the lower type first.
    if model.geoms[i].kind > model.geoms[j].kind {
        let other = between(space, [j, i], most)?;
        let [p, q] = other.points;
        return Some(Nearest { points: [q, p], ..other });
    }
    let (a, b) = (place(i), place(j));
    let mut touches = Vec::new();
    let closed = (a.kind, b.kind) != (GeomKind::Box, GeomKind::Box) && touch(&a, &b, most, &mut touches);
    if closed {
        let least = touches.iter().reduce(|old, new| if new.dist < old.dist { new } else { old })?;
        let half = least.frame[0] * (least.dist / 2.0);
        let points = [least.pos - half, least.pos + half];
        return (least.dist < most).then_some(Nearest { distance: least.dist, points });
    }
    let s = separation(collider.shape_of(i)?, &a.pose, collider.shape_of(j)?, &b.pose)?;
    (s.gap < most).then_some(Nearest { distance: s.gap, points: [s.on_a, s.on_b] })
}
