//! A stage as polygons, from far to near. The ground is a grid that fades, with the shadows that fall on it.

use crate::colour::{self, Light};
use crate::light::Lamps;
use crate::shade::Grid;
use crate::stage::{Kind, Stage};
use huygens_math::scalar::clamp;
use huygens_math::{Vec2, Vec3};
use std::fmt::Write;

/// One face as it will be drawn.
struct Polygon {
    layer: u8,
    depth: f64,
    places: Vec<Vec2>,
    fill: [u8; 3],
    /// Seen through.
    glass: bool,
}

/// The text of a picture of `size`.
pub(crate) fn text(stage: &Stage, size: Vec2) -> String {
    let camera = &stage.camera;
    let lamps = Lamps::new(stage.up, camera.right, camera.forward);
    let mut polygons = Vec::new();
    for thing in stage.things.iter().filter(|thing| thing.kind != Kind::Ground) {
        for face in thing.faces.faces() {
            let points: Vec<Vec3> = face.iter().map(|i| thing.faces.points[*i as usize]).collect();
            polygons.extend(polygon(stage, &lamps, &points, thing.kind, thing.colour, size));
        }
    }
    polygons.sort_by(|a, b| a.layer.cmp(&b.layer).then(b.depth.total_cmp(&a.depth)));
    let [top, foot] = colour::SKY.map(hex);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n\
         <defs><linearGradient id=\"sky\" x1=\"0\" y1=\"0\" x2=\"0\" y2=\"1\"><stop offset=\"0\" stop-color=\"{top}\"/>\
         <stop offset=\"1\" stop-color=\"{foot}\"/></linearGradient></defs>\n\
         <rect width=\"{0}\" height=\"{1}\" fill=\"url(#sky)\"/>\n\
",
        size.x, size.y
    );
    for plane in grounds(stage) {
        push_grid(&mut text, stage, plane);
        push_shadows(&mut text, stage, &lamps, plane);
    }
    text.push_str("<g stroke-width=\"0.4\" stroke-linejoin=\"round\">\n");
    for polygon in &polygons {
        let fill = hex(polygon.fill);
        let glass = if polygon.glass { " fill-opacity=\"0.25\" stroke-opacity=\"0.25\"" } else { "" };
        let _ = write!(text, "<path fill=\"{fill}\" stroke=\"{fill}\"{glass} d=\"M");
        for place in &polygon.places {
            let _ = write!(text, "{:.1} {:.1} ", place.x, place.y);
        }
        text.push_str("z\"/>\n");
    }
    text.push_str("</g>\n</svg>\n");
    text
}

/// A point of a level piece of ground and its normal.
type Plane = (Vec3, Vec3);

/// The ground that is seen from above.
fn grounds(stage: &Stage) -> impl Iterator<Item = Plane> {
    let ground = stage.things.iter().filter(|thing| thing.kind == Kind::Ground);
    let faces = ground.flat_map(|thing| {
        thing.faces.faces().map(|face| {
            let i = face[0] as usize;
            (thing.faces.points[i], thing.faces.normals[i])
        })
    });
    faces.filter(|(point, normal)| normal.dot(stage.up) > 0.9 && normal.dot(stage.camera.eye - *point) > 0.0)
}

/// Lines of the grid to either side of the middle, and pieces of each, which fade one by one.
const LINES: i32 = 24;
const PIECES: i32 = 12;

fn push_grid(text: &mut String, stage: &Stage, (point, normal): Plane) {
    let camera = &stage.camera;
    let Grid { mut spacing, axes } = Grid::of(stage);
    while spacing * f64::from(LINES) < 2.5 * stage.radius {
        spacing *= 2.0;
    }
    let wide = spacing * f64::from(LINES);
    let on_plane = |p: Vec3| p - stage.up * (normal.dot(p - point) / normal.dot(stage.up));
    let _ = writeln!(text, "<g stroke=\"#8a9099\" stroke-width=\"0.8\">");
    for (along, across) in [(axes[0], axes[1]), (axes[1], axes[0])] {
        let middle = (stage.center.dot(across) / spacing).round();
        for line in -LINES..=LINES {
            let offset = (middle + f64::from(line)) * spacing - stage.center.dot(across);
            let at = |k: i32| {
                let run = wide * (2.0 * f64::from(k) / f64::from(PIECES) - 1.0);
                on_plane(stage.center + across * offset + along * run)
            };
            for k in 0..PIECES {
                let (from, to) = (at(k), at(k + 1));
                let away = ((from + to) * 0.5 - stage.center).length() / wide;
                let ink = 0.5 * clamp(1.0 - away, 0.0, 1.0);
                let seen = [from, to].map(|p| camera.seen(p));
                if ink > 0.01 && seen.iter().all(|p| p.z > camera.near) {
                    let [a, b] = seen.map(|p| camera.project(p));
                    let _ = writeln!(
                        text,
                        "<path stroke-opacity=\"{ink:.2}\" d=\"M{:.1} {:.1} {:.1} {:.1}\"/>",
                        a.x, a.y, b.x, b.y
                    );
                }
            }
        }
    }
    text.push_str("</g>\n");
}

/// Every face that the sun shines on, thrown onto the ground; together one shade.
fn push_shadows(text: &mut String, stage: &Stage, lamps: &Lamps, (point, normal): Plane) {
    let camera = &stage.camera;
    let steep = normal.dot(lamps.to_sun);
    if steep < 0.1 {
        return;
    }
    let _ = writeln!(text, "<g opacity=\"0.22\" fill=\"#202a3a\">");
    for thing in stage.things.iter().filter(|thing| matches!(thing.kind, Kind::Solid | Kind::Sheet)) {
        for face in thing.faces.faces() {
            let lit = face.iter().any(|i| thing.faces.normals[*i as usize].dot(lamps.to_sun) > 0.0);
            let high = |p: Vec3| normal.dot(p - point);
            let points = face.iter().map(|i| thing.faces.points[*i as usize]);
            let thrown: Vec<Vec3> =
                points.map(|p| camera.seen(p - lamps.to_sun * (high(p) / steep))).collect();
            let below = face.iter().all(|i| high(thing.faces.points[*i as usize]) < 0.0);
            if (!lit && thing.kind == Kind::Solid) || below || thrown.iter().any(|p| p.z < camera.near) {
                continue;
            }
            text.push_str("<path d=\"M");
            for place in thrown.into_iter().map(|p| camera.project(p)) {
                let _ = write!(text, "{:.1} {:.1} ", place.x, place.y);
            }
            text.push_str("z\"/>\n");
        }
    }
    text.push_str("</g>\n");
}

fn hex(colour: [u8; 3]) -> String {
    let [r, g, b] = colour;
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A face, when it is seen.
fn polygon(
    stage: &Stage,
    lamps: &Lamps,
    points: &[Vec3],
    kind: Kind,
    colour: Light,
    size: Vec2,
) -> Option<Polygon> {
    let camera = &stage.camera;
    let first = *points.first()?;
    let mut normal = Vec3::ZERO;
    for pair in points.windows(2).skip(1) {
        normal += (pair[0] - first).cross(pair[1] - first);
    }
    let mut normal = normal.normalize_or_zero();
    if normal.dot(camera.eye - first) <= 0.0 {
        if !matches!(kind, Kind::Sheet | Kind::Glass) || normal == Vec3::ZERO {
            return None;
        }
        normal = -normal;
    }
    let mut seen: Vec<Vec3> = points.iter().map(|p| camera.seen(*p)).collect();
    cut(&mut seen, camera.near);
    if seen.len() < 3 {
        return None;
    }
    let places: Vec<Vec2> = seen.iter().map(|p| camera.project(*p)).collect();
    let outside = |f: &dyn Fn(&Vec2) -> bool| places.iter().all(f);
    if outside(&|p| p.x < 0.0)
        || outside(&|p| p.y < 0.0)
        || outside(&|p| p.x > size.x)
        || outside(&|p| p.y > size.y)
    {
        return None;
    }
    let depth = seen.iter().map(|p| p.length()).sum::<f64>() / seen.len() as f64;
    let light = lamps.on(colour, normal, 1.0, 0.95);
    let sky = colour::light(colour::SKY[1]);
    let (layer, light) = match kind {
        Kind::Inside => (0, light + (sky - light) * 0.35),
        Kind::Ground | Kind::Solid | Kind::Sheet | Kind::Glass => (1, light),
        Kind::Mark => (2, light),
    };
    let clamped = places
        .into_iter()
        .map(|p| Vec2::new(clamp(p.x, -4.0 * size.x, 5.0 * size.x), clamp(p.y, -4.0 * size.y, 5.0 * size.y)));
    Some(Polygon {
        layer,
        depth,
        places: clamped.collect(),
        fill: colour::bytes(light),
        glass: kind == Kind::Glass,
    })
}

/// Cuts a face at depth `near`.
fn cut(seen: &mut Vec<Vec3>, near: f64) {
    if seen.iter().all(|p| p.z >= near) {
        return;
    }
    let old = std::mem::take(seen);
    for (i, p) in old.iter().enumerate() {
        let next = old[(i + 1) % old.len()];
        if p.z >= near {
            seen.push(*p);
        }
        if (p.z >= near) != (next.z >= near) {
            seen.push(*p + (next - *p) * ((near - p.z) / (next.z - p.z)));
        }
    }
}
