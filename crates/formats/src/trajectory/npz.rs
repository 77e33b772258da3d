//! `.npz`: a zip file of arrays that `numpy.load` reads.
//!
//! How long an array can become is known at the start, but for the contacts, which come last. So every array has its place in
//! the file from the start, and rows are written where they belong; what is not written yet takes no room on the disk.
//! Each time, the directory goes behind the contacts and the headers are brought up to date: the file is
//! whole after every flush. When a write fails, the old directory is put back where it was.
//!
//! Where a file may not be as large as that (`ulimit -f`, FAT), there is a place for as many frames as would fit without contacts, and for
//! fewer each time the contacts need more than was left for them: what is there moves together. The last time, as many steps as fit are kept.

use super::crc;
use super::frame::{ACCOUNTS, Cast, Frame, Side};
use super::npy::{ArrayType, push_text};
use super::store::{Store, after};
use super::writer::{Sink, Written};
use super::zip::{self, Entry};
use huygens::ledger::Account;
use std::borrow::Cow;
use std::io;

/// One array of the file.
#[derive(Debug)]
struct Array {
    /// With `.npy`.
    name: Cow<'static, str>,
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
    /// How many of them have a row for each frame: the first ones.
    by_frame: usize,
    /// Most frames that are asked for.
    frames: u64,
    /// Frames that there is a place for; fewer where the file may not be so large.
    places: u64,
    taken: u64,
    last: Option<u64>,
    written: Written,
}

/// The numbers that are kept before they are written [bytes].
const CHUNK: usize = 1 << 20;
const CONTACT: &str = "[('step', '<i8'), ('body', '<i4', (2,)), ('point', '<f8', (3,)), ('normal', '<f8', (3,)), \
                       ('force', '<f8', (3,)), ('slip', '<f8', (3,)), ('gap', '<f8')]";
const CONTACT_BYTES: usize = 8 + 2 * 4 + (4 * 3 + 1) * 8;

/// The number of each step, how many contacts it has, and those.
const STEPS: usize = 0;
const COUNTS: usize = 12;

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
            Array::new("joint_q.npy", ArrayType::floats(&[cast.joints.len()])),
            Array::new("joint_v.npy", ArrayType::floats(&[cast.joints.len()])),
            Array::new("contact_count.npy", ArrayType::integers(&[])),
        ];
        arrays.extend(cast.channels.iter().map(|channel| {
            let folder = if channel.is_sensor { "sensors/" } else { "" };
            Array::new(format!("{folder}{}.npy", channel.name), ArrayType::floats(&[channel.width]))
        }));
        let by_frame = arrays.len();
        arrays.extend([
            Array::texts("names.npy", cast.names.iter().map(String::as_str)),
            Array::texts("accounts.npy", Account::ALL.iter().map(|account| account.name())),
            Array::texts("joint_names.npy", cast.joints.iter().map(|joint| joint.name.as_str())),
            Array::new("contacts.npy", ArrayType::records(CONTACT, CONTACT_BYTES)),
        ]);
        let mut npz = Self {
            out,
            arrays,
            by_frame,
            frames,
            places: frames,
            taken: 0,
            last: None,
            written: Written::default(),
        };
        npz.place(frames)?;
        npz.flush()?;
        Ok(npz)
    }

    /// The last array.
    fn contacts(&self) -> &Array {
        &self.arrays[self.arrays.len() - 1]
    }

    /// Gives every array its place in a file for so many frames, and moves what there is of it there: never up.
    fn place(&mut self, frames: u64) -> io::Result<()> {
        let mut at = 0;
        for (i, array) in self.arrays.iter_mut().enumerate() {
            let from = array.data_at();
            array.at = at;
            let to = array.data_at();
            move_down(&mut self.out, from, to, array.there.rows * array.kind.row as u64)?;
            let rows = if i < self.by_frame { frames } else { array.rows() };
            at = rows.checked_mul(array.kind.row as u64).and_then(|size| size.checked_add(to)).ok_or_else(
                || {
                    let problem = "so many steps of so many bodies fit in no file";
                    io::Error::new(io::ErrorKind::FileTooLarge, problem)
                },
            )?;
        }
        self.places = frames;
        Ok(())
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

    /// What there is of each array once all that waits is in the file.
    fn next(&self) -> Vec<Extent> {
        let rows = |i: usize, array: &Array| if i < self.by_frame { self.taken } else { array.rows() };
        self.arrays.iter().enumerate().map(|(i, array)| array.next(rows(i, array))).collect()
    }

    /// Takes note that all that waited is in the file.
    fn commit(&mut self, next: Vec<Extent>) {
        for (array, extent) in self.arrays.iter_mut().zip(next) {
            array.there = extent;
            array.waiting.clear();
        }
        self.written = Written { steps: self.taken, last: self.last };
    }
}

/// A file that may not be as large as it would have to be.
impl<S: Store + std::fmt::Debug> Npz<S> {
    /// Bytes of the file with places for so many frames and contacts, at most.
    fn size(&self, frames: u64, contacts: u64) -> u64 {
        let names = self.arrays.iter().map(|array| array.name.as_ref());
        let last = self.arrays.len() - 1;
        let mut size = zip::most_directory_bytes(names);
        for (i, array) in self.arrays.iter().enumerate() {
            let rows = match i {
                _ if i < self.by_frame => frames,
                _ if i == last => contacts,
                _ => array.rows(),
            };
            let headers = zip::header_size(&array.name) + array.kind.header_size() as u64;
            size = size.saturating_add(headers).saturating_add(rows.saturating_mul(array.kind.row as u64));
        }
        size
    }

    /// The largest size that the file may have, below `asked`, which it may not.
    fn limit(&mut self, asked: u64) -> u64 {
        let there = self.arrays.iter().filter(|array| array.there.rows > 0);
        let mut low = there.map(|array| array.end(array.there)).max().unwrap_or(0);
        let mut high = asked;
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            if self.out.cut(middle).is_ok() {
                low = middle;
            } else {
                high = middle;
            }
        }
        low
    }

    /// Gives the contacts the places of frames that there is no room for anyway; false when that does not help.
    fn make_room(&mut self, limit: u64) -> io::Result<bool> {
        let (taken, contacts) = (self.taken.max(1), self.contacts().rows());
        // As many contacts in each frame to come as there were on average.
        let empty = self.size(0, 0);
        let (spare, used) = (limit.saturating_sub(empty), self.size(taken, contacts) - empty);
        let fit = u128::from(spare) * u128::from(taken) / u128::from(used.max(1));
        let fit = u64::try_from(fit).unwrap_or(u64::MAX);
        // Not for the last few: all that there is moves each time.
        if fit <= self.taken + self.taken / 256 || fit >= self.places {
            return Ok(false);
        }
        self.place(fit)?;
        Ok(true)
    }

    /// Writes as many of the steps that wait as the file has room for; the others are given up.
    fn keep_what_fits(&mut self, limit: u64) -> io::Result<()> {
        if self.written.steps == 0 && self.size(0, 0) > limit {
            // Not even the names.
            return self.out.cut(0);
        }
        let number = |bytes: &[u8], i: usize| {
            let word = bytes.get(8 * i..8 * i + 8).and_then(|word| word.try_into().ok());
            u64::from_le_bytes(word.unwrap_or_default())
        };
        let there = self.written.steps;
        let (mut kept, mut contacts) = (0, 0);
        for i in 0..(self.taken - there) as usize {
            let more = contacts + number(&self.arrays[COUNTS].waiting, i);
            if self.size(there + kept + 1, self.contacts().there.rows + more) > limit {
                break;
            }
            (kept, contacts) = (kept + 1, more);
            self.last = Some(number(&self.arrays[STEPS].waiting, i));
        }
        let last = self.arrays.len() - 1;
        for (i, array) in self.arrays.iter_mut().enumerate() {
            let rows = match i {
                _ if i < self.by_frame => kept,
                _ if i == last => contacts,
                _ => continue,
            };
            array.waiting.truncate(rows as usize * array.kind.row);
        }
        if kept == 0 {
            self.last = self.written.last;
        }
        self.taken = there + kept;
        self.place(self.taken)?;
        let next = self.next();
        self.write_rows(&next)?;
        self.commit(next);
        Ok(())
    }
}

impl<S: Store + std::fmt::Debug> Sink for Npz<S> {
    fn frame(&mut self, frame: &Frame, cast: &Cast) -> io::Result<()> {
        if self.taken == self.places && self.places < self.frames {
            self.flush()?;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
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
        row(&mut frame.joints.iter().map(|joint| f(joint.q)));
        row(&mut frame.joints.iter().map(|joint| f(joint.v)));
        row(&mut [(frame.contacts.len() as i64).to_le_bytes()].into_iter());
        let mut rest = frame.channels.as_slice();
        for channel in &cast.channels {
            let (values, after) = rest.split_at(channel.width.min(rest.len()));
            rest = after;
            row(&mut values.iter().map(|x| f(*x)));
        }
        if let Some(array) = self.arrays.last_mut() {
            push_contacts(&mut array.waiting, frame);
        }
        let waiting: usize = self.arrays.iter().map(|array| array.waiting.len()).sum();
        if waiting >= CHUNK { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        loop {
            let next = self.next();
            let Err(error) = self.write_rows(&next) else {
                self.commit(next);
                return Ok(());
            };
            if error.kind() != io::ErrorKind::FileTooLarge {
                return Err(after(error, self.restore()));
            }
            let limit = self.limit(self.size(self.places, self.contacts().rows()));
            match self.make_room(limit) {
                Ok(true) => {}
                Ok(false) => return Err(after(error, self.keep_what_fits(limit))),
                Err(worse) => return Err(after(error, Err(worse))),
            }
        }
    }

    fn written(&self) -> Written {
        self.written
    }
}

impl Array {
    fn new(name: impl Into<Cow<'static, str>>, kind: ArrayType) -> Self {
        Self { name: name.into(), kind, at: 0, there: Extent::default(), waiting: Vec::new() }
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
        self.at + zip::header_size(&self.name) + self.kind.header_size() as u64
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
        let entry = Entry { name: &self.name, crc, size: header.len() as u64 + data, at: self.at };
        let mut bytes = Vec::new();
        zip::push_header(&mut bytes, &entry);
        bytes.append(&mut header);
        (entry, bytes)
    }
}

/// Moves bytes of a file to a place before them.
fn move_down(out: &mut impl Store, from: u64, to: u64, size: u64) -> io::Result<()> {
    let mut buffer = Vec::new();
    let mut done = 0;
    while from != to && done < size {
        buffer.resize(usize::try_from(size - done).map_or(CHUNK, |left| left.min(CHUNK)), 0);
        out.get(from + done, &mut buffer)?;
        out.put(to + done, &buffer)?;
        done += buffer.len() as u64;
    }
    Ok(())
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
