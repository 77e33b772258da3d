//! Contacts: how two geoms mix, and the rows of a contact.

use super::super::model::{Geom, Model, Pair, Softness as FileSoftness};
use super::rows::{Making, Place, RowInfo, RowKind};
use huygens::contact::convex::{SoftLaw, Softness};
use huygens_math::{Vec3, scalar};

/// Least coefficient of friction.
const LEAST_FRICTION: f64 = 1e-5;

/// A contact in MuJoCo's terms: the normal points from the first geom to the second.
#[derive(Clone, Debug, PartialEq)]
pub struct SoftContact {
    /// The geoms, the first one of the lower type.
    pub geoms: [usize; 2],
    /// The bodies of the geoms.
    pub bodies: [usize; 2],
    /// Halfway between the surfaces [m].
    pub pos: Vec3,
    /// Distance of the surfaces, negative when they overlap [m].
    pub dist: f64,
    /// Normal and two tangents.
    pub frame: [Vec3; 3],
    /// 1, 3, 4 or 6.
    pub dim: usize,
    /// Friction: two of sliding, one of spin, two of rolling.
    pub friction: [f64; 5],
    /// How it gives way.
    pub softness: FileSoftness,
    /// `solref` of the friction rows; zero: as the normal.
    pub solreffriction: [f64; 2],
    /// Distance below which it has rows [m].
    pub margin: f64,
}

impl SoftContact {
    /// A contact of two geoms at a given place, with the softness and friction that the model gives to them.
    pub fn given(model: &Model, geoms: [usize; 2], pos: Vec3, dist: f64, frame: [Vec3; 3]) -> Self {
        let [a, b] = geoms;
        let explicit = model.pairs.iter().find(|p| p.geoms == [a, b] || p.geoms == [b, a]);
        let mixed =
            explicit.map_or_else(|| Mixed::of_geoms(&model.geoms[a], &model.geoms[b]), Mixed::of_pair);
        mixed.contact(model, geoms, Touch { pos, dist, frame })
    }
}

/// What two geoms, or an explicit pair, give to their contacts.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Mixed {
    pub dim: usize,
    pub friction: [f64; 5],
    pub softness: FileSoftness,
    pub solreffriction: [f64; 2],
    pub margin: f64,
    pub gap: f64,
}

impl Mixed {
    /// By priority, or mixed by `solmix`.
    pub fn of_geoms(a: &Geom, b: &Geom) -> Self {
        let (margin, gap) = (a.margin + b.margin, a.gap + b.gap);
        let five = |f: [f64; 3]| [f[0], f[0], f[1], f[2], f[2]];
        let (dim, friction, softness) = if a.priority != b.priority {
            let g = if a.priority > b.priority { a } else { b };
            (g.condim, five(g.friction), g.softness)
        } else {
            let (x, y) = (five(a.friction), five(b.friction));
            let friction = std::array::from_fn(|k| scalar::max(x[k], y[k]));
            (a.condim.max(b.condim), friction, mix(a, b))
        };
        Self { dim: dim as usize, friction, softness, solreffriction: [0.0; 2], margin, gap }.bounded()
    }

    pub fn of_pair(pair: &Pair) -> Self {
        Self {
            dim: pair.condim as usize,
            friction: pair.friction,
            softness: pair.softness,
            solreffriction: pair.solreffriction,
            margin: pair.margin,
            gap: pair.gap,
        }
        .bounded()
    }

    fn bounded(mut self) -> Self {
        self.friction.iter_mut().for_each(|f| *f = scalar::max(*f, LEAST_FRICTION));
        self
    }

    pub fn contact(&self, model: &Model, geoms: [usize; 2], touch: Touch) -> SoftContact {
        let Touch { pos, dist, frame } = touch;
        SoftContact {
            geoms,
            bodies: geoms.map(|g| model.geoms[g].body),
            pos,
            dist,
            frame,
            dim: self.dim,
            friction: self.friction,
            softness: self.softness,
            solreffriction: self.solreffriction,
            margin: self.margin,
        }
    }
}

/// Where two geoms touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    pub pos: Vec3,
    pub dist: f64,
    pub frame: [Vec3; 3],
}

fn mix(a: &Geom, b: &Geom) -> FileSoftness {
    let (s, t) = (a.solmix, b.solmix);
    let w = if s >= 1e-15 && t >= 1e-15 {
        s / (s + t)
    } else if s < 1e-15 && t < 1e-15 {
        0.5
    } else if s < 1e-15 {
        0.0
    } else {
        1.0
    };
    let mean = |x: f64, y: f64| w * x + (1.0 - w) * y;
    let (x, y) = (a.softness, b.softness);
    let standard = x.solref[0] > 0.0 && y.solref[0] > 0.0;
    FileSoftness {
        solref: std::array::from_fn(|k| {
            if standard { mean(x.solref[k], y.solref[k]) } else { scalar::min(x.solref[k], y.solref[k]) }
        }),
        solimp: std::array::from_fn(|k| mean(x.solimp[k], y.solimp[k])),
    }
}

/// The frame of a normal: tangents from `seed`, or from y (z where the normal is along y).
pub(super) fn frame(normal: Vec3, seed: Option<Vec3>) -> [Vec3; 3] {
    let y = match seed.filter(|s| s.length() > 0.5) {
        Some(seed) => seed,
        None if normal.y < 0.5 && normal.y > -0.5 => Vec3::Y,
        None => Vec3::Z,
    };
    let t = y - normal * normal.dot(y);
    let length = t.length();
    let t = if length < 1e-15 { Vec3::X } else { t / length };
    [normal, t, normal.cross(t)]
}

pub(super) fn rows(place: &Place<'_>, contacts: &[SoftContact], making: &mut Making<'_>) {
    for (id, contact) in contacts.iter().enumerate() {
        if contact.dist < contact.margin {
            rows_of(place, id, contact, making);
        }
    }
}

fn rows_of(place: &Place<'_>, id: usize, contact: &SoftContact, making: &mut Making<'_>) {
    let kin = &place.f.kin;
    let soft = place.soft;
    let (dim, c) = (contact.dim, &contact.friction);
    let impratio = scalar::max(1e-15, soft.options.impratio);
    let mu = c[0] / impratio.sqrt();
    let (law, kind, count) = match dim {
        1 => (SoftLaw::Unilateral, RowKind::ContactFrictionless, 1),
        _ if soft.options.elliptic => (SoftLaw::Elliptic { friction: *c, mu }, RowKind::ContactElliptic, dim),
        _ => (SoftLaw::Pyramid, RowKind::ContactPyramidal, 2 * (dim - 1)),
    };
    let block = making.against(place.m, contact.bodies, law, count);
    let [normal, first, second] = contact.frame;
    for (column, end) in making.ends.iter().enumerate() {
        let axis = &kin.axis[end.dof];
        let (velocity, spin) = (axis.at(contact.pos) * end.sign, axis.angular * end.sign);
        // Velocity of the second body relative to the first: normal, two tangents, spin, two of rolling.
        let mut along = [normal.dot(velocity), first.dot(velocity), second.dot(velocity), 0.0, 0.0, 0.0];
        if dim > 3 {
            along[3..].copy_from_slice(&[normal.dot(spin), first.dot(spin), second.dot(spin)]);
        }
        let values = &mut making.rows.values[block.first_value + column..];
        for row in 0..count {
            values[row * block.columns] = match kind {
                RowKind::ContactPyramidal if row % 2 == 0 => along[0] + c[row / 2] * along[row / 2 + 1],
                RowKind::ContactPyramidal => along[0] - c[row / 2] * along[row / 2 + 1],
                _ => along[row],
            };
        }
    }
    let violation = contact.dist - contact.margin;
    let impedance = Softness::from(contact.softness).at(violation, soft.least_time);
    let weights = contact.bodies.map(|b| soft.weights.body[b][0]);
    let translation = weights[0] + weights[1];
    for row in 0..count {
        let vel = making.velocity(&block, row, &place.state.qvel);
        let mut info = RowInfo { vel, ..RowInfo::new(kind, id, translation) };
        (info.pos, info.margin) = (contact.dist, contact.margin);
        let mut impedance = impedance;
        match kind {
            RowKind::ContactPyramidal => info.inverse_mass *= 1.0 + c[0] * c[0],
            RowKind::ContactElliptic if row > 0 => {
                (info.pos, info.margin) = (0.0, 0.0);
                if contact.solreffriction != [0.0; 2] {
                    let own = Softness { solref: contact.solreffriction, solimp: contact.softness.solimp };
                    impedance.b = own.at(violation, soft.least_time).b;
                }
                impedance.k = 0.0;
            }
            _ => {}
        }
        making.finish(&block, row, &impedance, info);
    }
    let r = &mut making.rows.r[block.first..block.first + count];
    match kind {
        RowKind::ContactPyramidal => {
            let edge = scalar::max(1e-15, 2.0 * mu * mu * r[0]);
            r.fill(edge);
        }
        RowKind::ContactElliptic => {
            let first = r[0] / impratio;
            for (r, c_row) in r[1..].iter_mut().zip(c) {
                *r = scalar::max(1e-15, first * (c[0] / c_row) * (c[0] / c_row));
            }
        }
        _ => {}
    }
}
