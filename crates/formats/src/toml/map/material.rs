//! `[materials.NAME]` and `[[pair]]`.

use super::super::document::Node;
use super::super::reader::Reader;
use huygens::scene::{Material, PairSpec, SpecPath};
use std::collections::BTreeMap;

pub(super) fn read_all<'d>(reader: &mut Reader<'d>, node: &'d Node) -> BTreeMap<String, Material> {
    let mut materials = BTreeMap::new();
    let path = SpecPath::top("materials");
    let Some(table) = reader.open(node, &path) else { return materials };
    for entry in table.entries {
        let mut material = Material::default();
        if let Some(table) = reader.open(&entry.node, &path.name(&entry.key)) {
            reader.fill(&table, &mut material);
        }
        materials.insert(entry.key.clone(), material);
    }
    materials
}

pub(super) fn read_pair<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> PairSpec {
    let mut pair = PairSpec::default();
    if let Some(table) = reader.open(node, path) {
        reader.fill(&table, &mut pair);
    }
    pair
}
