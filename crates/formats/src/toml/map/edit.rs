//! `[[edit]]`.

use super::super::document::Node;
use super::super::keys;
use super::super::reader::Reader;
use huygens::scene::{EditSpec, SpecPath};

pub(super) fn read<'d>(reader: &mut Reader<'d>, node: &'d Node, path: &SpecPath) -> Option<EditSpec> {
    let table = reader.table(node, path, keys::EDIT)?;
    let after = reader.needed(&table, "after");
    let body = reader.needed(&table, "body");
    let position = reader.get(&table, "position");
    let orientation = reader.get(&table, "orientation");
    let linear_velocity = reader.get(&table, "linear_velocity");
    let angular_velocity = reader.get(&table, "angular_velocity");
    Some(EditSpec { after: after?, body: body?, position, orientation, linear_velocity, angular_velocity })
}
