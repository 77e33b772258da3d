//! The frame of a zip file whose entries are stored as they are: headers, and the directory at its end.
//!
//! A header always has room for sizes of 64 bits: in an extra field that means those sizes where they are needed, and nothing
//! at all (an identifier that no reader knows) where 32 bits do.

/// What the directory says about an entry.
#[derive(Clone, Debug)]
pub(super) struct Entry<'a> {
    pub name: &'a str,
    pub crc: u32,
    /// Bytes of its contents.
    pub size: u64,
    /// Where its header is.
    pub at: u64,
}

/// A size that 32 bits cannot hold; it stands for "see the 64 bits".
const FULL: u32 = u32::MAX;
const ZIP64: u16 = 1;
const NOTHING: u16 = 0xD935;
/// 1 January 1980, the first day that a zip file knows: the same run gives the same file.
const DATE: u16 = 0x21;

/// Bytes of an entry's header.
pub(super) fn header_size(name: &str) -> u64 {
    30 + name.len() as u64 + 20
}

/// Bytes of the directory of such entries, however large they are, at most.
pub(super) fn most_directory_bytes<'a>(names: impl Iterator<Item = &'a str>) -> u64 {
    names.map(|name| 46 + name.len() as u64 + 28).sum::<u64>() + 56 + 20 + 22
}

/// The header that stands before an entry's contents.
pub(super) fn push_header(out: &mut Vec<u8>, entry: &Entry) {
    let large = short(entry.size) == FULL;
    put32(out, 0x0403_4B50);
    push_common(out, entry, large);
    put16(out, 20);
    out.extend_from_slice(entry.name.as_bytes());
    put16(out, if large { ZIP64 } else { NOTHING });
    put16(out, 16);
    put64(out, if large { entry.size } else { 0 });
    put64(out, if large { entry.size } else { 0 });
}

/// The directory, which begins at `at` and ends the file.
pub(super) fn push_directory(out: &mut Vec<u8>, entries: &[Entry], at: u64) {
    let start = out.len();
    for entry in entries {
        push_directory_entry(out, entry);
    }
    let size = (out.len() - start) as u64;
    let count = entries.len() as u64;
    if short(at) == FULL || short(size) == FULL || count >= 0xFFFF {
        let end = at + size;
        put32(out, 0x0606_4B50);
        put64(out, 44);
        put16(out, 45);
        put16(out, 45);
        put32(out, 0);
        put32(out, 0);
        [count, count, size, at].into_iter().for_each(|x| put64(out, x));
        put32(out, 0x0706_4B50);
        put32(out, 0);
        put64(out, end);
        put32(out, 1);
    }
    let count = u16::try_from(count).unwrap_or(u16::MAX);
    put32(out, 0x0605_4B50);
    put16(out, 0);
    put16(out, 0);
    put16(out, count);
    put16(out, count);
    put32(out, short(size));
    put32(out, short(at));
    put16(out, 0);
}

fn push_directory_entry(out: &mut Vec<u8>, entry: &Entry) {
    let (large, far) = (short(entry.size) == FULL, short(entry.at) == FULL);
    let extra: Vec<u64> = [(large, entry.size), (large, entry.size), (far, entry.at)]
        .into_iter()
        .filter_map(|(needed, x)| needed.then_some(x))
        .collect();
    put32(out, 0x0201_4B50);
    put16(out, 45);
    push_common(out, entry, large || far);
    let bytes = if extra.is_empty() { 0 } else { 4 + 8 * extra.len() as u16 };
    put16(out, bytes);
    // No comment, first disk, no attributes.
    [0; 3].into_iter().for_each(|x| put16(out, x));
    put32(out, 0);
    put32(out, short(entry.at));
    out.extend_from_slice(entry.name.as_bytes());
    if !extra.is_empty() {
        put16(out, ZIP64);
        put16(out, 8 * extra.len() as u16);
        extra.into_iter().for_each(|x| put64(out, x));
    }
}

/// From the version that is needed to the length of the name.
fn push_common(out: &mut Vec<u8>, entry: &Entry, large: bool) {
    put16(out, if large { 45 } else { 20 });
    // No flags, stored, midnight.
    [0; 3].into_iter().for_each(|x| put16(out, x));
    put16(out, DATE);
    put32(out, entry.crc);
    put32(out, short(entry.size));
    put32(out, short(entry.size));
    put16(out, entry.name.len() as u16);
}

fn short(x: u64) -> u32 {
    u32::try_from(x).unwrap_or(FULL)
}

fn put16(out: &mut Vec<u8>, x: u16) {
    out.extend_from_slice(&x.to_le_bytes());
}

fn put32(out: &mut Vec<u8>, x: u32) {
    out.extend_from_slice(&x.to_le_bytes());
}

fn put64(out: &mut Vec<u8>, x: u64) {
    out.extend_from_slice(&x.to_le_bytes());
}
