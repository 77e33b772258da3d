//! Wavefront OBJ: the vertices and the faces; all else that the format knows is passed over.

use super::{
    MeshError, MeshProblem, Place, TriangleSoup,
    error::excerpt,
    text::{COORDINATES, Word, at_line},
};
use huygens_math::Vec3;

/// Statements that say nothing about vertices and polygons.
const PASSED_OVER: [&str; 42] = [
    "vt",
    "vn",
    "vp",
    "o",
    "g",
    "s",
    "mg",
    "l",
    "p",
    "usemtl",
    "mtllib",
    "usemap",
    "maplib",
    "bevel",
    "c_interp",
    "d_interp",
    "lod",
    "shadow_obj",
    "trace_obj",
    "cstype",
    "deg",
    "bmat",
    "step",
    "curv",
    "curv2",
    "surf",
    "parm",
    "trim",
    "hole",
    "scrv",
    "sp",
    "end",
    "con",
    "ctech",
    "stech",
    "call",
    "csh",
    "bsp",
    "bzp",
    "cdc",
    "cdp",
    "res",
];

/// The triangles of an OBJ file; `name` stands in messages. A polygon becomes a fan of triangles.
///
/// ```
/// use huygens_formats::mesh::read_obj;
///
/// let soup = read_obj("quad.obj", b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")?;
/// assert_eq!(soup.triangles, [[0, 1, 2], [0, 2, 3]]);
///
/// let error = read_obj("bad.obj", b"v 0 0 one\n").unwrap_err();
/// assert!(error.to_string().starts_with("bad.obj, line 1: z of the vertex is `one`, which is no number."));
/// # Ok::<(), huygens_formats::mesh::MeshError>(())
/// ```
///
/// Vertices stay as they are numbered in the file. A face may name only vertices that stand before it.
///
/// # Errors
/// When a statement is not known, a number is no number or not finite, an index is out of range, or there is no face.
pub fn read_obj(name: &str, bytes: &[u8]) -> Result<TriangleSoup, MeshError> {
    let mut soup = TriangleSoup::default();
    let mut lines = bytes.split(|b| *b == b'\n').enumerate();
    while let Some((i, line)) = lines.next() {
        let mut text = String::from_utf8_lossy(line).into_owned();
        // A backslash at the end of a line joins the next one to it.
        while text.trim_end().ends_with('\\') {
            text.truncate(text.trim_end().len() - 1);
            text.push(' ');
            let Some((_, more)) = lines.next() else { break };
            text.push_str(&String::from_utf8_lossy(more));
        }
        let text = text.split('#').next().unwrap_or_default();
        read_statement(&mut soup, text, i + 1).map_err(at_line(name, i + 1))?;
    }
    if soup.triangles.is_empty() {
        return Err(MeshError { file: name.to_owned(), place: Place::File, problem: MeshProblem::Empty });
    }
    Ok(soup)
}

fn read_statement(soup: &mut TriangleSoup, text: &str, line: usize) -> Result<(), MeshProblem> {
    let mut words = text.split_whitespace().map(|text| Word { text, line });
    let Some(keyword) = words.next() else { return Ok(()) };
    if keyword.is("v") {
        let vertex = read_vertex(&words.collect::<Vec<_>>())?;
        u32::try_from(soup.vertices.len() + 1).map_err(|_| MeshProblem::TooLarge)?;
        soup.vertices.push(vertex);
        Ok(())
    } else if keyword.is("f") || keyword.is("fo") {
        read_face(soup, words)
    } else if PASSED_OVER.iter().any(|k| keyword.is(k)) {
        Ok(())
    } else {
        let expected = "a statement of the OBJ format (`v`, `f`, …)";
        Err(MeshProblem::Unexpected { expected, found: excerpt(keyword.text) })
    }
}

/// x y z, perhaps with a weight or a colour, or both.
fn read_vertex(words: &[Word<'_>]) -> Result<Vec3, MeshProblem> {
    if !matches!(words.len(), 3 | 4 | 6 | 7) {
        return Err(MeshProblem::WrongCount { expected: "x, y and z of a vertex", found: words.len() });
    }
    for word in &words[3..] {
        word.number("the weight or colour of the vertex")?;
    }
    let mut v = Vec3::ZERO;
    for axis in 0..3 {
        v[axis] = words[axis].finite(COORDINATES[axis])?;
    }
    Ok(v)
}

fn read_face<'a>(soup: &mut TriangleSoup, words: impl Iterator<Item = Word<'a>>) -> Result<(), MeshProblem> {
    let mut corners = Vec::with_capacity(4);
    for word in words {
        corners.push(read_corner(word, soup.vertices.len())?);
    }
    // A face of two corners has no surface: programs write some, and all readers pass them over.
    if corners.len() < 2 {
        return Err(MeshProblem::WrongCount {
            expected: "three or more corners of a face",
            found: corners.len(),
        });
    }
    soup.triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
    Ok(())
}

/// `vertex`, `vertex/texture`, `vertex//normal` or `vertex/texture/normal`; counted from 1, or back from −1.
fn read_corner(word: Word<'_>, count: usize) -> Result<u32, MeshProblem> {
    let bad = || MeshProblem::BadNumber { what: "a corner of the face", found: excerpt(word.text) };
    let mut fields = word.text.split('/');
    let index: i64 = fields.next().unwrap_or_default().parse().map_err(|_| bad())?;
    let mut others = 0;
    for field in fields {
        others += 1;
        if !field.is_empty() {
            field.parse::<i64>().map_err(|_| bad())?;
        }
    }
    if others > 2 {
        return Err(bad());
    }
    let total = count as i64;
    // 0, which names nothing, comes out as `total`.
    let number = if index > 0 { index - 1 } else { total.saturating_add(index) };
    if number < 0 || number >= total {
        return Err(MeshProblem::IndexOutOfRange { index, count });
    }
    u32::try_from(number).map_err(|_| MeshProblem::TooLarge)
}
