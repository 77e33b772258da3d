//! What can be wrong with a mesh file.

use std::fmt;

/// Why a mesh cannot be read: which file, where in it, what is there, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{file}{place}: {problem}")]
pub struct MeshError {
    /// Name of the file.
    pub file: String,
    /// Where in it.
    pub place: Place,
    /// What is wrong there.
    pub problem: MeshProblem,
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line, counted from 1.
    Line(usize),
    /// A byte, counted from 0.
    Byte(usize),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => Ok(()),
            Self::Line(line) => write!(f, ", line {line}"),
            Self::Byte(byte) => write!(f, ", byte {byte}"),
        }
    }
}

/// What is wrong, and what to do.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MeshProblem {
    /// The file system refuses.
    #[error("cannot be read: {reason}. Check the path and its permissions.")]
    Unreadable {
        /// What the system says.
        reason: String,
    },
    /// Neither STL nor OBJ nor MSH by its name.
    #[error(
        "the name ends in `{extension}`; meshes are read from `.stl`, `.obj` and `.msh`. Convert the file."
    )]
    UnknownKind {
        /// The extension found.
        extension: String,
    },
    /// No triangle in the file.
    #[error("0 triangles; a mesh needs at least one. Export the mesh again, with its faces.")]
    Empty,
    /// No height in the file.
    #[error("0 rows of heights; a height field needs at least 2. Write a row of numbers on each line.")]
    NoHeights,
    /// A binary STL whose length does not fit the number of triangles that it states.
    #[error(
        "{count} triangles are announced, which take {expected} bytes, but the file has {found}. Copy or export it again."
    )]
    WrongLength {
        /// Triangles announced.
        count: u32,
        /// Bytes that they take.
        expected: u64,
        /// Bytes found.
        found: u64,
    },
    /// A file that ends too soon.
    #[error("the file ends where {expected} should come. Copy or export it again.")]
    Truncated {
        /// What is missing.
        expected: &'static str,
    },
    /// Another word than the one that must come here.
    #[error("found `{found}` where {expected} should come. Mend the line, or export the mesh again.")]
    Unexpected {
        /// What must come here.
        expected: &'static str,
        /// What is here.
        found: String,
    },
    /// A word that should be a number.
    #[error("{what} is `{found}`, which is no number. Mend the line, or export the mesh again.")]
    BadNumber {
        /// What the number is.
        what: &'static str,
        /// What is here.
        found: String,
    },
    /// A coordinate that is infinite or not a number.
    #[error("{what} is {value:?}; must be finite. Mend the vertex, or export the mesh again.")]
    NotFinite {
        /// What the number is.
        what: &'static str,
        /// Its value.
        value: f64,
    },
    /// A wrong number of words on a line.
    #[error("{found} numbers where {expected} should come. Mend the line, or export the mesh again.")]
    WrongCount {
        /// What must come here.
        expected: &'static str,
        /// How many there are.
        found: usize,
    },
    /// A face that names a vertex that is not there.
    #[error(
        "the face names vertex {index}, but {count} vertices stand before it; must be 1 to {count}, or -{count} to -1. Mend the index, or export the mesh again."
    )]
    IndexOutOfRange {
        /// The index found.
        index: i64,
        /// How many vertices there are.
        count: usize,
    },
    /// More vertices than can be numbered.
    #[error("more than 4294967295 vertices. Simplify the mesh.")]
    TooLarge,
}

/// At most 40 characters of what was found, so that a message stays readable.
pub(super) fn excerpt(text: &str) -> String {
    let mut short: String = text.chars().take(40).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}
