//! `.npz`: a zip file of arrays that `numpy.load` reads.
//!
//! How long an array can become is known at the start, but for the contacts, which come last. So every array has its place in
//! the file from the start, and rows are written where they belong; what is not written yet takes no room on the disk.
//! Each time, the directory goes behind the contacts and the headers are brought up to date: the file is
//! whole after every flush. When a write fails, the old directory is put back where it was.

use super::crc;
use super::frame::{ACCOUNTS, Cast, Frame, Side};
use super::npy::{ArrayType, push_text};
use super::store::{Store, after};
use super::writer::{Sink, Written};
use super::zip::{self, Entry};
use huygens::ledger::Account;
use std::io;

/// One array of the file.
#[derive(Debug)]
struct Array {
    /// With `.npy`.
    name: &'static str,
    kind: ArrayType,
    /// Where its zip header is.
    at: u64,
    /// Rows and their checksum in the file.
    there: Extent,
    /// Rows that are not in the file yet.
    waiting: Vec<u8>,
}

/// How much of an array there is.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    rows: u64,
    crc: u32,
}

/// Streams frames into an `.npz` file.
#[derive(Debug)]
pub(super) struct Npz<S> {
    out: S,
    arrays: Vec<Array>,
    /// Most frames that there is a place for.
    frames: u64,
    taken: u64,
    last: Option<u64>,
    written: Written,
}

/// The numbers that are kept before they are written [bytes].
const CHUNK: usize = 1 << 20;
const CONTACT: &str = "[('step', '<i8'), ('body', '<i4', (2,)), ('point', '<f8', (3,)), ('normal', '<f8', (3,)), \
                       ('force', '<f8', (3,)), ('slip', '<f8', (3,)), ('gap', '<f8')]";
const CONTACT_BYTES: usize = 8 + 2 * 4 + (4 * 3 + 1) * 8;

/// What is written of a frame, in the order of the arrays; the contacts follow.
const FRAME_ARRAYS: usize = 11;

impl<S: Store + std::fmt::Debug> Npz<S> {
    /// Makes the file, with room for `frames` frames.
    pub fn new(out: S, cast: &Cast, frames: u64) -> io::Result<Self> {
        let n = cast.names.len();
        let mut arrays: Vec<Array> = vec![
            Array::new("step.npy", ArrayType::integers(&[])),
            Array::new("time.npy", ArrayType::floats(&[])),
            Array::new("energy.npy", ArrayType::floats(&[])),
            Array::new("kinetic_energy.npy", ArrayType::floats(&[])),
            Array::new("ledger.npy", ArrayType::floats(&[ACCOUNTS])),
            Array::new("position.npy", ArrayType::floats(&[n, 3])),
            Array::new("orientation.npy", ArrayType::floats(&[n, 4])),
            Array::new("linear_velocity.npy", ArrayType::floats(&[n, 3])),
            Array::new("angular_velocity.npy", ArrayType::floats(&[n, 3])),
            Array::new("body_energy.npy", ArrayType::floats(&[n])),
            Array::new("contact_count.npy", ArrayType::integers(&[])),
            Array::texts("names.npy", cast.names.iter().map(String::as_str)),
            Array::texts("accounts.npy", Account::ALL.iter().map(|account| account.name())),
            Array::new("contacts.npy", ArrayType::records(CONTACT, CONTACT_BYTES)),
        ];
        let mut at = 0;
        for (i, array) in arrays.iter_mut().enumerate() {
            array.at = at;
            let rows = if i < FRAME_ARRAYS { frames } else { array.rows() };
            at = rows
                .checked_mul(array.kind.row as u64)
                .and_then(|size| size.checked_add(array.data_at()))
                .ok_or_else(|| {
                io::Error::new(io::ErrorKind::FileTooLarge, "so many steps of so many bodies fit in no file")
            })?;
        }
        let mut npz = Self { out, arrays, frames, taken: 0, last: None, written: Written::default() };
        npz.flush()?;
        Ok(npz)
    }

    fn write_rows(&mut self, next: &[Extent]) -> io::Result<()> {
        for array in &self.arrays {
            if !array.waiting.is_empty() {
                self.out.put(array.end(array.there), &array.waiting)?;
            }
        }
        self.write_directory(next)?;
        for (array, extent) in self.arrays.iter().zip(next) {
            self.out.put(array.at, &array.headers(*extent).1)?;
        }
        self.out.flush()
    }

    /// The directory behind the last array, and nothing behind it.
    fn write_directory(&mut self, extents: &[Extent]) -> io::Result<()> {
        let entries: Vec<Entry> =
            self.arrays.iter().zip(extents).map(|(array, extent)| array.headers(*extent).0).collect();
        let at = match (self.arrays.last(), extents.last()) {
            (Some(contacts), Some(extent)) => contacts.end(*extent),
            _ => 0,
        };
        let mut bytes = Vec::new();
        zip::push_directory(&mut bytes, &entries, at);
        self.out.put(at, &bytes)?;
        self.out.cut(at + bytes.len() as u64)
    }

    /// Puts back what a failed write may have overwritten; its place on the disk is still there.
    fn restore(&mut self) -> io::Result<()> {
        let old: Vec<Extent> = self.arrays.iter().map(|array| array.there).collect();
        self.write_directory(&old)?;
        for (array, extent) in self.arrays.iter().zip(&old) {
            self.out.put(array.at, &array.headers(*extent).1)?;
        }
        self.out.flush()
    }
}

impl<S: Store + std::fmt::Debug> Sink for Npz<S> {
    fn frame(&mut self, frame: &Frame, _cast: &Cast) -> io::Result<()> {
        if self.taken == self.frames {
            let problem = "more steps than the file was made for";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        self.taken += 1;
        self.last = Some(frame.step);
        let mut at = 0;
        let mut row = |numbers: &mut dyn Iterator<Item = [u8; 8]>| {
            self.arrays[at].waiting.extend(numbers.flatten());
            at += 1;
        };
        let f = f64::to_le_bytes;
        let vector = |v: huygens_math::Vec3| v.to_array();
        let bodies = || frame.bodies.iter();
        row(&mut [(frame.step as i64).to_le_bytes()].into_iter());
        row(&mut [f(frame.time)].into_iter());
        row(&mut [f(frame.energy)].into_iter());
        row(&mut [f(frame.kinetic_energy)].into_iter());
        row(&mut frame.ledger.into_iter().map(f));
        row(&mut bodies().flat_map(|b| vector(b.position)).map(f));
        row(&mut bodies().map(|b| b.orientation).flat_map(|q| [q.w, q.x, q.y, q.z]).map(f));
        row(&mut bodies().flat_map(|b| vector(b.linear_velocity)).map(f));
        row(&mut bodies().flat_map(|b| vector(b.angular_velocity)).map(f));
        row(&mut bodies().map(|b| f(b.kinetic_energy)));
        row(&mut [(frame.contacts.len() as i64).to_le_bytes()].into_iter());
        if let Some(array) = self.arrays.last_mut() {
            push_contacts(&mut array.waiting, frame);
        }
        let waiting: usize = self.arrays.iter().map(|array| array.waiting.len()).sum();
        if waiting >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = |i: usize, array: &Array| if i < FRAME_ARRAYS { self.taken } else { array.rows() };
        let next = self.arrays.iter().enumerate().map(|(i, array)| array.next(rows(i, array)));
        let next: Vec<Extent> = next.collect();
        if let Err(error) = self.write_rows(&next) {
            return Err(after(error, self.restore()));
        }
        for (array, extent) in self.arrays.iter_mut().zip(next) {
            array.there = extent;
            array.waiting.clear();
        }
        self.written = Written { steps: self.taken, last: self.last };
        Ok(())
    }

    fn written(&self) -> Written {
        self.written
    }
}

impl Array {
    fn new(name: &'static str, kind: ArrayType) -> Self {
        Self { name, kind, at: 0, there: Extent::default(), waiting: Vec::new() }
    }

    /// An array of texts, all of which wait to be written.
    fn texts<'a>(name: &'static str, texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        let longest = texts.clone().map(|text| text.chars().count()).fold(1, usize::max);
        let mut array = Self::new(name, ArrayType::texts(longest));
        texts.for_each(|text| push_text(&mut array.waiting, text, longest));
        array
    }

    /// Rows in all, those that wait among them; only where a row has bytes.
    fn rows(&self) -> u64 {
        self.there.rows + self.waiting.len().checked_div(self.kind.row).unwrap_or(0) as u64
    }

    /// What there is once all that waits is in the file.
    fn next(&self, rows: u64) -> Extent {
        Extent { rows, crc: crc::extend(self.there.crc, &self.waiting) }
    }

    /// Where the rows are.
    fn data_at(&self) -> u64 {
        self.at + zip::header_size(self.name) + self.kind.header_size() as u64
    }

    /// Where the rows end.
    fn end(&self, extent: Extent) -> u64 {
        self.data_at() + extent.rows * self.kind.row as u64
    }

    /// The directory's entry, and the bytes before the rows.
    fn headers(&self, extent: Extent) -> (Entry<'_>, Vec<u8>) {
        let mut header = Vec::new();
        self.kind.push_header(&mut header, extent.rows);
        let data = extent.rows * self.kind.row as u64;
        let crc = crc::joined(crc::extend(0, &header), extent.crc, data);
        let entry = Entry { name: self.name, crc, size: header.len() as u64 + data, at: self.at };
        let mut bytes = Vec::new();
        zip::push_header(&mut bytes, &entry);
        bytes.append(&mut header);
        (entry, bytes)
    }
}

/// One record for each contact; a body that is not among the names is −1.
fn push_contacts(out: &mut Vec<u8>, frame: &Frame) {
    for contact in &frame.contacts {
        out.extend_from_slice(&(frame.step as i64).to_le_bytes());
        for side in contact.side {
            let number = match side {
                Side::Moving(i) => i as i32,
                Side::Fixed(_) => -1,
            };
            out.extend_from_slice(&number.to_le_bytes());
        }
        let vectors = [contact.point, contact.normal, contact.force, contact.slip];
        let numbers = vectors.iter().flat_map(|v| v.to_array()).chain([contact.gap]);
        numbers.for_each(|x| out.extend_from_slice(&x.to_le_bytes()));
    }
}
