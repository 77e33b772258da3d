//! Samples to light.

use crate::camera::level_axes;
use crate::colour::{self, Light};
use crate::light::Lamps;
use crate::raster::{Picture, Sample, Samples};
use crate::shadow::Shadow;
use crate::stage::{Kind, Stage};
use huygens_math::scalar::{clamp, max, min};
use huygens_math::{SplitMix, Vec2, Vec3, trig};

/// Share of its own light that glass adds to what is seen through it.
pub(crate) const GLASS: f64 = 0.25;
/// Looks from each sample for what hides the sky.
const LOOKS: usize = 6;
/// How far they go, over the size of what is framed.
const LOOK: f64 = 0.16;

/// The light of every sample.
pub(crate) fn shade(stage: &Stage, samples: &Samples) -> Picture {
    let camera = &stage.camera;
    let lamps = Lamps::new(stage.up, camera.right, camera.forward);
    let shadow = Shadow::of(stage, lamps.to_sun);
    let shader = Shader { stage, samples, lamps, shadow, looks: looks(), grid: Grid::of(stage) };
    let mut light = vec![Light::ZERO; samples.samples.len()];
    // Each sample is alone: rows go to all cores, and the picture is the same whatever their number.
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let part = samples.samples.len().div_ceil(4 * cores).max(1);
    std::thread::scope(|scope| {
        for (k, lights) in light.chunks_mut(part).enumerate() {
            let shader = &shader;
            scope.spawn(move || {
                for (i, light) in lights.iter_mut().enumerate() {
                    *light = shader.light(k * part + i);
                }
            });
        }
    });
    Picture { width: samples.width, light }
}

/// Lays glass over a picture where it is before what is there.
pub(crate) fn shade_glass(stage: &Stage, behind: &Samples, glass: &Samples, picture: &mut Picture) {
    let camera = &stage.camera;
    let lamps = Lamps::new(stage.up, camera.right, camera.forward);
    for ((glass, behind), light) in glass.samples.iter().zip(&behind.samples).zip(&mut picture.light) {
        if let Some(thing) = stage.things.get(glass.thing as usize)
            && glass.depth < behind.depth
        {
            *light += (lamps.on(thing.colour, glass.normal, 1.0, 1.0) - *light) * GLASS;
        }
    }
}

/// The marks over a picture: where there is one, its light.
pub(crate) fn shade_marks(stage: &Stage, samples: &Samples, picture: &mut Picture) {
    let camera = &stage.camera;
    let lamps = Lamps::new(stage.up, camera.right, camera.forward);
    for (sample, light) in samples.samples.iter().zip(&mut picture.light) {
        if let Some(thing) = stage.things.get(sample.thing as usize) {
            *light = lamps.on(thing.colour, sample.normal, 1.0, 1.0);
        }
    }
}

struct Shader<'a> {
    stage: &'a Stage,
    samples: &'a Samples,
    lamps: Lamps,
    shadow: Shadow,
    looks: Vec<Vec3>,
    grid: Grid,
}

/// Points in the half ball above a surface, denser near its middle.
fn looks() -> Vec<Vec3> {
    let mut random = SplitMix::new(0x5EED);
    (0..LOOKS)
        .map(|i| {
            let direction = random.direction();
            let share = (i as f64 + 1.0) / LOOKS as f64;
            Vec3::new(direction.x, direction.y, direction.z.abs() + 0.15).normalize()
                * (0.08 + 0.92 * share * share)
        })
        .collect()
}

impl Shader<'_> {
    fn light(&self, index: usize) -> Light {
        let at = self.samples.place(index);
        let sky = self.sky(at);
        let sample = &self.samples.samples[index];
        let Some(thing) = self.stage.things.get(sample.thing as usize) else { return sky };
        let camera = &self.stage.camera;
        let point = camera.unproject(at, sample.depth);
        let across = sample.depth / camera.focal;
        let colour = match thing.kind {
            Kind::Ground => self.grid.on(thing.colour, point, sample.normal, across),
            Kind::Solid | Kind::Sheet | Kind::Inside | Kind::Glass | Kind::Mark => thing.colour,
        };
        let lean = sample.normal.dot(self.lamps.to_sun);
        let sun = if lean > 0.0 {
            let slope = min(8.0, (1.0 - lean * lean).sqrt() / lean);
            self.shadow.light_at(point, slope)
        } else {
            0.0
        };
        // A container is looked into: its walls are lit as if it were open.
        let seen_sky = self.seen_sky(index, point, sample);
        let light = self.lamps.on(colour, sample.normal, sun, seen_sky);
        match thing.kind {
            Kind::Ground => {
                let away = (point - self.stage.center).length() / self.stage.radius;
                let fade = clamp((away - 1.6) / 5.0, 0.0, 1.0);
                light + (sky - light) * (fade * (2.0 - fade))
            }
            Kind::Inside => light + (sky - light) * 0.35,
            Kind::Solid | Kind::Sheet | Kind::Glass | Kind::Mark => light,
        }
    }

    fn sky(&self, at: Vec2) -> Light {
        let share = at.y / self.samples.height as f64;
        let [top, foot] = colour::SKY.map(colour::light);
        top + (foot - top) * share
    }

    /// The share of the sky that a surface sees past what is near it.
    fn seen_sky(&self, index: usize, point: Vec3, sample: &Sample) -> f64 {
        let camera = &self.stage.camera;
        let reach = LOOK * self.stage.radius;
        let turn = trig::sin_cos(pattern(index % self.samples.width, index / self.samples.width));
        let across = sample.normal.any_orthonormal_vector();
        let other = sample.normal.cross(across);
        let (a, b) = (across * turn.1 + other * turn.0, other * turn.1 - across * turn.0);
        let start = point + sample.normal * (0.02 * reach);
        let mut hidden = 0.0;
        for look in &self.looks {
            let target = start + (a * look.x + b * look.y + sample.normal * look.z) * reach;
            let seen = camera.seen(target);
            if seen.z <= camera.near {
                continue;
            }
            let at = camera.project(seen);
            let inside = at.x >= 0.0
                && at.y >= 0.0
                && at.x < self.samples.width as f64
                && at.y < self.samples.height as f64;
            if inside {
                let there = self.samples.samples[at.y as usize * self.samples.width + at.x as usize].depth;
                let before = seen.z - there;
                if before > 0.01 * reach {
                    // What is far in front hides nothing.
                    hidden += clamp(2.0 - before / reach, 0.0, 1.0);
                }
            }
        }
        1.0 - 0.85 * hidden / self.looks.len() as f64
    }
}

/// An angle for each sample, from a pattern of 4 by 4 that neighbours make up for.
fn pattern(x: usize, y: usize) -> f64 {
    const ORDER: [u8; 16] = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5];
    f64::from(ORDER[(y % 4) * 4 + x % 4]) / 16.0 * std::f64::consts::TAU
}

/// Lines on the ground, one or ten or … of a metre apart.
pub(crate) struct Grid {
    pub spacing: f64,
    pub axes: [Vec3; 2],
}

impl Grid {
    pub fn of(stage: &Stage) -> Self {
        let (a, b) = level_axes(stage.up);
        let mut spacing = 1.0;
        // Ten lines or fewer across what is framed; both loops end since a radius is finite and above zero.
        while spacing > 0.5 * stage.radius && spacing > f64::MIN_POSITIVE {
            spacing *= 0.1;
        }
        while spacing < 0.05 * stage.radius && spacing < f64::MAX {
            spacing *= 10.0;
        }
        Self { spacing, axes: [a, b] }
    }

    /// The colour of the ground at a point, where a sample is `across` metres wide.
    fn on(&self, colour: Light, point: Vec3, normal: Vec3, across: f64) -> Light {
        let mut ink: f64 = 0.0;
        for axis in self.axes {
            // A slope along the axis has its lines closer together.
            let run = (1.0 - normal.dot(axis) * normal.dot(axis)).sqrt();
            if run < 0.2 {
                continue;
            }
            for (spacing, strength) in [(self.spacing, 0.16), (10.0 * self.spacing, 0.3)] {
                let x = point.dot(axis) / spacing;
                let off = (x - x.round()).abs() * spacing;
                let half = max(0.006 * self.spacing, 0.6 * across);
                // Lines that are closer than samples would only flicker.
                let visible = clamp(spacing / (6.0 * across) - 0.3, 0.0, 1.0);
                ink = max(ink, strength * visible * clamp(1.5 - off / half, 0.0, 1.0));
            }
        }
        colour * (1.0 - ink)
    }
}
