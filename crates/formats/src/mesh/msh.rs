//! MuJoCo's binary meshes: four counts, then vertices, normals, texture coordinates and faces.

use super::{MeshError, MeshProblem, Place, TriangleSoup};
use huygens_math::Vec3;

/// The triangles of an MSH file; `name` stands in messages.
///
/// # Errors
/// When its length does not fit its counts, a coordinate is not finite, or a face names a vertex that is not there.
pub fn read_msh(name: &str, bytes: &[u8]) -> Result<TriangleSoup, MeshError> {
    let fail = |at: usize, problem| MeshError { file: name.to_owned(), place: Place::Byte(at), problem };
    let word = |at: usize| bytes.get(at..at + 4).map(|b| [b[0], b[1], b[2], b[3]]);
    let mut counts = [0_u64; 4];
    for (i, count) in counts.iter_mut().enumerate() {
        let Some(found) = word(4 * i) else {
            return Err(fail(4 * i, MeshProblem::Truncated { expected: "one of the four counts" }));
        };
        *count = u64::from(u32::from_le_bytes(found));
    }
    let [vertices, normals, coordinates, faces] = counts;
    let expected = 16 + 12 * vertices + 12 * normals + 8 * coordinates + 12 * faces;
    if expected != bytes.len() as u64 {
        let count = u32::try_from(faces).unwrap_or(u32::MAX);
        return Err(fail(0, MeshProblem::WrongLength { count, expected, found: bytes.len() as u64 }));
    }
    let mut soup = TriangleSoup::default();
    let number = |at: usize| word(at).map_or(0.0, |b| f64::from(f32::from_le_bytes(b)));
    for i in 0..vertices as usize {
        let at = 16 + 12 * i;
        let v = Vec3::new(number(at), number(at + 4), number(at + 8));
        if !v.is_finite() {
            return Err(fail(
                at,
                MeshProblem::NotFinite { what: "a coordinate of the vertex", value: f64::NAN },
            ));
        }
        soup.vertices.push(v);
    }
    let first = (16 + 12 * vertices + 12 * normals + 8 * coordinates) as usize;
    for i in 0..faces as usize {
        let at = first + 12 * i;
        let corner = |k: usize| word(at + 4 * k).map_or(u32::MAX, u32::from_le_bytes);
        let face = [corner(0), corner(1), corner(2)];
        if let Some(index) = face.iter().find(|&&v| u64::from(v) >= vertices) {
            let problem = MeshProblem::IndexOutOfRange { index: i64::from(*index), count: vertices as usize };
            return Err(fail(at, problem));
        }
        soup.triangles.push(face);
    }
    Ok(soup)
}
