//! Mesh files by their name.

use super::{MeshError, MeshProblem, Place, TriangleSoup, read_msh, read_obj, read_stl};
use std::path::Path;

/// The triangles of an `.stl`, `.obj` or `.msh` file.
///
/// # Errors
/// When it cannot be read, its name has another ending, or its content is wrong.
pub fn read(path: &Path) -> Result<TriangleSoup, MeshError> {
    let name = path.display().to_string();
    let fail = |problem| MeshError { file: name.clone(), place: Place::File, problem };
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let parse = match extension.as_str() {
        "stl" => read_stl,
        "obj" => read_obj,
        "msh" => read_msh,
        _ => return Err(fail(MeshProblem::UnknownKind { extension })),
    };
    let bytes = std::fs::read(path).map_err(|e| fail(MeshProblem::Unreadable { reason: e.to_string() }))?;
    parse(&name, &bytes)
}
