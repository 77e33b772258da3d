//! The surfaces of a world, and what two of them do together.

use crate::scene::{Combine, PairSpec, Scene, Surface, SurfaceSpec};
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
    /// Numbers of the shape's own, which go before those of the material.
    own: SurfaceSpec,
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
    pub fn intern(&mut self, own: SurfaceSpec, material: Option<&str>, scene: &Scene) -> u32 {
        let known = scene.material_named(material);
        let (surface, priority) = (own.over(&known.surface.over(&Surface::default())), known.priority);
        let (material, priority) = (material.map(|name| self.name(name)), priority.unwrap_or(0));
        let surface = SurfaceModel { surface, priority, material, own };
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

    /// Number of its surfaces.
    pub(crate) fn len(&self) -> usize {
        self.surfaces.len()
    }

    /// Keeps the surfaces that have an entry in `places`, and says there where they are now.
    pub(crate) fn keep(&mut self, places: &mut [Option<u32>]) {
        let (mut from, mut kept) = (0, 0);
        self.surfaces.retain(|_| {
            let place = &mut places[from];
            from += 1;
            if place.is_some() {
                *place = Some(kept);
                kept += 1;
            }
            place.is_some()
        });
    }

    /// Gives all surfaces of a material its numbers in a scene.
    pub(crate) fn change(&mut self, name: &str, scene: &Scene) {
        let Some(at) = self.names.iter().position(|known| known == name) else { return };
        let known = scene.material_named(Some(name));
        for surface in self.surfaces.iter_mut().filter(|surface| surface.material == Some(at as u32)) {
            surface.surface = surface.own.over(&known.surface.over(&Surface::default()));
            surface.priority = known.priority.unwrap_or(0);
        }
    }

    /// The name of the material of a surface.
    pub fn material_of(&self, surface: u32) -> Option<&str> {
        let at = self.surfaces[surface as usize].material?;
        Some(&self.names[at as usize])
    }

    /// Numbers of the shape's own of a surface.
    pub(crate) fn own_of(&self, surface: u32) -> SurfaceSpec {
        self.surfaces[surface as usize].own
    }

    /// Takes another rule for pairs that the pair table does not name.
    pub(crate) fn combine_by(&mut self, rule: Combine) {
        self.combine = rule;
    }

    /// The first two of these surfaces that can meet and that the pair table does not name, by the names of their materials. Beside each surface
    /// stands whether its body can move.
    pub(crate) fn unpaired(&self, surfaces: &[(u32, bool)]) -> Option<[Option<&str>; 2]> {
        for (i, &a) in surfaces.iter().enumerate() {
            for &b in surfaces[i..].iter().filter(|b| a.1 || b.1) {
                let materials = [a, b].map(|(at, _)| self.surfaces[at as usize].material);
                if self.pair(materials[0], materials[1]).is_none() {
                    return Some([a, b].map(|(at, _)| self.material_of(at)));
                }
            }
        }
        None
    }

    /// True when the rule is the table alone.
    pub(crate) fn is_table(&self) -> bool {
        self.combine == Combine::Table
    }

    /// True when the rule is the table alone and it does not name these two materials.
    pub(crate) fn lacks(&self, material: Option<&str>, surface: u32) -> bool {
        let known = material.and_then(|name| self.names.iter().position(|known| known == name));
        let other = self.surfaces[surface as usize].material;
        self.is_table() && self.pair(known.map(|at| at as u32), other).is_none()
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

    fn surface(friction: f64, restitution: f64) -> SurfaceSpec {
        SurfaceSpec { friction: Some(friction), restitution: Some(restitution), ..SurfaceSpec::default() }
    }

    #[test]
    fn the_pair_table_wins_over_the_rule_and_sets_only_what_it_names() {
        let own = SurfaceSpec { friction: Some(0.1), ..SurfaceSpec::default() };
        let pair = PairSpec { a: "steel".into(), b: "ice".into(), surface: own };
        let mut table = MaterialTable::new(Combine::Max, &[pair]);
        let scene = Scene::new();
        let ice = table.intern(surface(0.4, 1.0), Some("ice"), &scene);
        let steel = table.intern(surface(0.9, 0.5), Some("steel"), &scene);
        let wood = table.intern(surface(0.6, 0.5), Some("wood"), &scene);
        let bare = table.intern(surface(0.3, 0.5), None, &scene);
        assert_eq!(table.intern(surface(0.4, 1.0), Some("ice"), &scene), ice);
        for material in [table.combined(ice, steel), table.combined(steel, ice)] {
            assert_eq!((material.friction_static, material.restitution), (0.1, 1.0));
        }
        assert_eq!(table.combined(ice, wood).friction_static, 0.6);
        assert_eq!(table.combined(ice, bare).friction_static, 0.4);
    }
}
