//! STL, text and binary.
//!
//! Binary: 80 bytes of header, the number of triangles as u32, then for each 12 f32 (normal and three corners) and
//! a u16, all little-endian: 84 + 50 n bytes. Text: `solid NAME`, then `facet normal x y z`, `outer loop`, three
//! `vertex x y z`, `endloop`, `endfacet` for each triangle, then `endsolid NAME`. A binary header may begin with
//! `solid` too.

use super::{
    MeshError, MeshProblem, Place, TriangleSoup,
    error::excerpt,
    soup::Welder,
    text::{COORDINATES, Word, Words, at_line},
};
use huygens_math::Vec3;

const HEADER: usize = 84;
const TRIANGLE: usize = 50;

/// The triangles of an STL file; `name` stands in messages. Equal vertices become one.
///
/// # Errors
/// When the file is no STL, ends too soon, holds no triangle, or a coordinate is not finite.
pub fn read_stl(name: &str, bytes: &[u8]) -> Result<TriangleSoup, MeshError> {
    let soup = if is_text(bytes) { Text::new(name, bytes).read() } else { read_binary(name, bytes) }?;
    if soup.triangles.is_empty() {
        return Err(MeshError { file: name.to_owned(), place: Place::File, problem: MeshProblem::Empty });
    }
    Ok(soup)
}

fn announced(bytes: &[u8]) -> Option<u32> {
    let field = bytes.get(HEADER - 4..HEADER)?;
    Some(u32::from_le_bytes(field.try_into().ok()?))
}

fn binary_length(count: u32) -> u64 {
    HEADER as u64 + TRIANGLE as u64 * u64::from(count)
}

pub(super) fn is_text(bytes: &[u8]) -> bool {
    let begins = bytes.trim_ascii_start().get(..5).is_some_and(|b| b.eq_ignore_ascii_case(b"solid"));
    // A text has no zero bytes, and a binary file always has some: its count is below 2²⁴.
    begins && !bytes.contains(&0)
}

fn read_binary(name: &str, bytes: &[u8]) -> Result<TriangleSoup, MeshError> {
    let error = |place, problem| MeshError { file: name.to_owned(), place, problem };
    let Some(count) = announced(bytes) else {
        let expected = if bytes.is_empty() { "`solid` or a header of 84 bytes" } else { "the header's end" };
        return Err(error(Place::Byte(bytes.len()), MeshProblem::Truncated { expected }));
    };
    let (expected, found) = (binary_length(count), bytes.len() as u64);
    if expected != found {
        return Err(error(Place::Byte(HEADER - 4), MeshProblem::WrongLength { count, expected, found }));
    }
    let mut welder = Welder::default();
    for (i, triangle) in bytes[HEADER..].chunks_exact(TRIANGLE).enumerate() {
        let mut corners = [0; 3];
        for (k, corner) in corners.iter_mut().enumerate() {
            // The normal, three numbers, stands first; it follows from the corners.
            let mut v = Vec3::ZERO;
            for axis in 0..3 {
                let at = 4 * (3 + 3 * k + axis);
                let value = f64::from(f32::from_le_bytes(std::array::from_fn(|b| triangle[at + b])));
                if !value.is_finite() {
                    let place = Place::Byte(HEADER + TRIANGLE * i + at);
                    return Err(error(place, MeshProblem::NotFinite { what: COORDINATES[axis], value }));
                }
                v[axis] = value;
            }
            *corner = welder.vertex(v).map_err(|problem| error(Place::File, problem))?;
        }
        welder.soup.triangles.push(corners);
    }
    Ok(welder.soup)
}

struct Text<'a> {
    name: &'a str,
    words: Words<'a>,
    welder: Welder,
}

impl<'a> Text<'a> {
    fn new(name: &'a str, bytes: &'a [u8]) -> Self {
        Self { name, words: Words::new(bytes), welder: Welder::default() }
    }

    fn read(mut self) -> Result<TriangleSoup, MeshError> {
        while let Some(word) = self.words.next() {
            self.check(word, "solid", "`solid`")?;
            // The rest of the line, here and after `endsolid`, is a name.
            self.words.skip_line();
            self.read_solid()?;
            self.words.skip_line();
        }
        Ok(self.welder.soup)
    }

    fn read_solid(&mut self) -> Result<(), MeshError> {
        loop {
            let word = self.word("`facet` or `endsolid`")?;
            if word.is("endsolid") {
                return Ok(());
            }
            self.check(word, "facet", "`facet` or `endsolid`")?;
            self.expect("normal", "`normal`")?;
            for _ in 0..3 {
                let word = self.word("a normal of three numbers")?;
                // It may be zero or not a number for a degenerate triangle; nothing here depends on it.
                word.number("a number of the normal").map_err(at_line(self.name, word.line))?;
            }
            self.expect("outer", "`outer loop`")?;
            self.expect("loop", "`outer loop`")?;
            let mut corners = [0; 3];
            for corner in &mut corners {
                self.expect("vertex", "`vertex`")?;
                *corner = self.read_vertex()?;
            }
            self.expect("endloop", "`endloop`")?;
            self.expect("endfacet", "`endfacet`")?;
            self.welder.soup.triangles.push(corners);
        }
    }

    fn read_vertex(&mut self) -> Result<u32, MeshError> {
        let mut v = Vec3::ZERO;
        for (axis, what) in COORDINATES.into_iter().enumerate() {
            let word = self.word("a vertex of three numbers")?;
            v[axis] = word.finite(what).map_err(at_line(self.name, word.line))?;
        }
        self.welder.vertex(v).map_err(at_line(self.name, self.words.line))
    }

    fn word(&mut self, expected: &'static str) -> Result<Word<'a>, MeshError> {
        let word = self.words.next();
        word.ok_or_else(|| at_line(self.name, self.words.line)(MeshProblem::Truncated { expected }))
    }

    fn expect(&mut self, keyword: &str, expected: &'static str) -> Result<(), MeshError> {
        let word = self.word(expected)?;
        self.check(word, keyword, expected)
    }

    fn check(&self, word: Word<'_>, keyword: &str, expected: &'static str) -> Result<(), MeshError> {
        if word.is(keyword) {
            return Ok(());
        }
        let problem = MeshProblem::Unexpected { expected, found: excerpt(word.text) };
        Err(at_line(self.name, word.line)(problem))
    }
}
