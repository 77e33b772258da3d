//! The surfaces of a world, and what two of them do together.

use crate::scene::{Combine, PairSpec, Surface, SurfaceSpec};
use huygens_contact::Material;

/// The surface of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct SurfaceModel {
    /// Its own numbers.
    pub surface: Surface,
    /// For the rule `priority`.
    pub priority: i32,
    /// Its material, for the pair table: an index into the names of the table.
    material: Option<u32>,
}

/// What two materials do together, by the indices of their names, lower first.
#[derive(Clone, Debug)]
struct Pair {
    names: [u32; 2],
    surface: SurfaceSpec,
}

/// All surfaces of a world. Names are numbers here: the step looks up pairs.
#[derive(Clone, Debug, Default)]
pub struct MaterialTable {
    combine: Combine,
    names: Vec<String>,
    /// Sorted by names.
    pairs: Vec<Pair>,
    surfaces: Vec<SurfaceModel>,
}

/// How many of the last surfaces are searched for an equal one: a scene in which every body has a surface of its own
/// must not take quadratic time.
const SEARCHED: usize = 256;

impl MaterialTable {
    /// A table without surfaces, with a rule for pairs that the pair table does not name.
    pub fn new(combine: Combine, pairs: &[PairSpec]) -> Self {
        let mut table = Self { combine, ..Self::default() };
        for pair in pairs {
            let mut names = [table.name(&pair.a), table.name(&pair.b)];
            names.sort_unstable();
            table.pairs.push(Pair { names, surface: pair.surface });
        }
        // Stable: of two entries for the same pair the first counts.
        table.pairs.sort_by_key(|pair| pair.names);
        table
    }

    fn name(&mut self, name: &str) -> u32 {
        let at = self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        at as u32
    }

    /// The index of a surface, added when it is new.
    pub fn intern(&mut self, surface: Surface, priority: i32, material: Option<&str>) -> u32 {
        let material = material.map(|name| self.name(name));
        let surface = SurfaceModel { surface, priority, material };
        let first = self.surfaces.len().saturating_sub(SEARCHED);
        let at = self.surfaces[first..].iter().position(|known| *known == surface).map_or_else(
            || {
                self.surfaces.push(surface);
                self.surfaces.len() - 1
            },
            |at| first + at,
        );
        at as u32
    }

    /// True when the rule is the table alone and it does not name these two materials.
    pub(crate) fn lacks(&self, material: Option<&str>, surface: u32) -> bool {
        let known = material.and_then(|name| self.names.iter().position(|known| known == name));
        let other = self.surfaces[surface as usize].material;
        self.combine == Combine::Table && self.pair(known.map(|at| at as u32), other).is_none()
    }

    fn pair(&self, a: Option<u32>, b: Option<u32>) -> Option<&SurfaceSpec> {
        let mut names = [a?, b?];
        names.sort_unstable();
        let at = self.pairs.partition_point(|pair| pair.names < names);
        self.pairs.get(at).filter(|pair| pair.names == names).map(|pair| &pair.surface)
    }

    /// Properties of the contact between two surfaces.
    pub fn combined(&self, a: u32, b: u32) -> Material {
        let (a, b) = (&self.surfaces[a as usize], &self.surfaces[b as usize]);
        let rule = self.combine.surfaces((&a.surface, a.priority), (&b.surface, b.priority));
        let pair = self.pair(a.material, b.material);
        let both = pair.map_or(rule, |pair| pair.over(&rule));
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

    fn surface(friction: f64, restitution: f64) -> Surface {
        Surface { friction_static: friction, friction_dynamic: friction, restitution, ..Surface::default() }
    }

    #[test]
    fn the_pair_table_wins_over_the_rule_and_sets_only_what_it_names() {
        let own = SurfaceSpec { friction: Some(0.1), ..SurfaceSpec::default() };
        let pair = PairSpec { a: "steel".into(), b: "ice".into(), surface: own };
        let mut table = MaterialTable::new(Combine::Max, &[pair]);
        let ice = table.intern(surface(0.4, 1.0), 0, Some("ice"));
        let steel = table.intern(surface(0.9, 0.5), 0, Some("steel"));
        let wood = table.intern(surface(0.6, 0.5), 0, Some("wood"));
        let bare = table.intern(surface(0.3, 0.5), 0, None);
        assert_eq!(table.intern(surface(0.4, 1.0), 0, Some("ice")), ice);
        for material in [table.combined(ice, steel), table.combined(steel, ice)] {
            assert_eq!((material.friction_static, material.restitution), (0.1, 1.0));
        }
        assert_eq!(table.combined(ice, wood).friction_static, 0.6);
        assert_eq!(table.combined(ice, bare).friction_static, 0.4);
    }
}
