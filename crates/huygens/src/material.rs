//! The surfaces of a world, and what two of them do together.

use crate::scene::{Combine, PairSpec, Surface};
use huygens_contact::Material;

/// The surface of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceModel {
    /// Its own numbers.
    pub surface: Surface,
    /// For the rule `priority`.
    pub priority: i32,
    /// Name of its material, for the pair table.
    pub material: Option<String>,
}

/// All surfaces of a world.
#[derive(Clone, Debug, Default)]
pub struct MaterialTable {
    /// The rule for pairs that the pair table does not name.
    pub combine: Combine,
    /// The pair table.
    pub pairs: Vec<PairSpec>,
    surfaces: Vec<SurfaceModel>,
}

impl MaterialTable {
    /// A table without surfaces.
    pub fn new(combine: Combine, pairs: Vec<PairSpec>) -> Self {
        Self { combine, pairs, surfaces: Vec::new() }
    }

    /// The index of a surface, added when it is new.
    pub fn intern(&mut self, surface: SurfaceModel) -> u32 {
        let at = self.surfaces.iter().position(|known| *known == surface).unwrap_or_else(|| {
            self.surfaces.push(surface);
            self.surfaces.len() - 1
        });
        at as u32
    }

    /// Properties of the contact between two surfaces.
    pub fn combined(&self, a: u32, b: u32) -> Material {
        let (a, b) = (&self.surfaces[a as usize], &self.surfaces[b as usize]);
        let rule = self.combine.surfaces((&a.surface, a.priority), (&b.surface, b.priority));
        let pair = self.pairs.iter().find(|pair| {
            let named = |x: &SurfaceModel, name: &str| x.material.as_deref() == Some(name);
            (named(a, &pair.a) && named(b, &pair.b)) || (named(a, &pair.b) && named(b, &pair.a))
        });
        let both = pair.map_or(rule, |pair| pair.surface.over(&rule));
        Material {
            restitution: both.restitution,
            friction_static: both.friction_static,
            friction_dynamic: both.friction_dynamic,
            friction_torsional: both.friction_torsional,
            friction_rolling: both.friction_rolling,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::SurfaceSpec;

    fn surface(friction: f64, restitution: f64, material: &str) -> SurfaceModel {
        let surface = Surface {
            friction_static: friction,
            friction_dynamic: friction,
            restitution,
            ..Surface::default()
        };
        SurfaceModel { surface, priority: 0, material: Some(material.to_owned()) }
    }

    #[test]
    fn the_pair_table_wins_over_the_rule_and_sets_only_what_it_names() {
        let own = SurfaceSpec { friction: Some(0.1), ..SurfaceSpec::default() };
        let pair = PairSpec { a: "ice".into(), b: "steel".into(), surface: own };
        let mut table = MaterialTable::new(Combine::Max, vec![pair]);
        let ice = table.intern(surface(0.4, 1.0, "ice"));
        let steel = table.intern(surface(0.9, 0.5, "steel"));
        let wood = table.intern(surface(0.6, 0.5, "wood"));
        assert_eq!(table.intern(surface(0.4, 1.0, "ice")), ice);
        for material in [table.combined(ice, steel), table.combined(steel, ice)] {
            assert_eq!((material.friction_static, material.restitution), (0.1, 1.0));
        }
        assert_eq!(table.combined(ice, wood).friction_static, 0.6);
    }
}
