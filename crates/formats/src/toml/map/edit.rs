//! `[[edit]]`.

use super::super::document::Node;
use super::super::reader::Reader;
use huygens::scene::{EditSpec, SpecPath};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<EditSpec> {
    let table = reader.open(node, path)?;
    let mut edit = EditSpec::default();
    reader.fill(&table, &mut edit);
    Some(edit)
}
