//! `[materials.NAME]` and `[[pair]]`.

use super::super::document::Node;
use super::super::keys;
use super::super::reader::{Reader, Table};
use huygens::scene::{MaterialSpec, PairSpec, SpecPath, SurfaceSpec};
use std::collections::BTreeMap;

pub(super) fn read_all<'d>(reader: &mut Reader<'d>, node: &'d Node) -> BTreeMap<String, MaterialSpec> {
    let mut materials = BTreeMap::new();
    let path = SpecPath::top("materials");
    let Some(table) = reader.open(node, &path) else { return materials };
    for entry in table.entries {
        let path = path.name(&entry.key);
        let mut material = MaterialSpec::default();
        if let Some(table) = reader.table(&entry.node, &path, keys::MATERIAL) {
            material.density = reader.get(&table, "density");
            material.surface_velocity = reader.get(&table, "surface_velocity");
            material.priority = reader.get(&table, "priority");
            material.color = reader.get(&table, "color");
            material.surface = read_surface(reader, &table);
        }
        materials.insert(entry.key.clone(), material);
    }
    materials
}

pub(super) fn read_pair<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> PairSpec {
    let mut pair = PairSpec::default();
    let Some(table) = reader.table(node, path, keys::PAIR) else { return pair };
    pair.a = reader.needed(&table, "a").unwrap_or_default();
    pair.b = reader.needed(&table, "b").unwrap_or_default();
    pair.surface = read_surface(reader, &table);
    pair
}

fn read_surface<'d>(reader: &mut Reader<'d>, table: &Table<'d>) -> SurfaceSpec {
    SurfaceSpec {
        friction: reader.get(table, "friction"),
        friction_static: reader.get(table, "friction_static"),
        friction_dynamic: reader.get(table, "friction_dynamic"),
        friction_torsional: reader.get(table, "friction_torsional"),
        friction_rolling: reader.get(table, "friction_rolling"),
        restitution: reader.get(table, "restitution"),
    }
}
