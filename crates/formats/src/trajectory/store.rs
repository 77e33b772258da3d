//! What motions are written to: files, and what stands for them in tests.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file that can be brought back to an earlier length.
pub(super) trait Store: Write + Seek {
    /// Cuts the file off after `length` bytes, and goes there.
    fn cut(&mut self, length: u64) -> io::Result<()>;

    /// Reads `bytes` from a place.
    fn get(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Writes `bytes` at a place.
    fn put(&mut self, at: u64, bytes: &[u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.write_all(bytes)
    }
}

impl Store for File {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.set_len(length)?;
        self.seek(SeekFrom::Start(length)).map(|_| ())
    }

    fn get(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.seek(SeekFrom::Start(at))?;
        self.read_exact(bytes)
    }
}

/// What to say after a write failed with `error` and the file was brought back to its last whole step, or was not.
pub(super) fn after(error: io::Error, brought_back: io::Result<()>) -> io::Error {
    match brought_back {
        Ok(()) => error,
        Err(worse) => io::Error::new(
            error.kind(),
            format!("{error}; what is after the last whole step could not be taken back ({worse})"),
        ),
    }
}

/// A place for many files.
pub(super) trait Disk {
    /// Its files.
    type File: Store;

    /// Makes a file, or empties it.
    fn create(&mut self, name: &str) -> io::Result<Self::File>;

    /// Takes a file away, if it can.
    fn remove(&mut self, name: &str);
}

/// A folder that exists.
#[derive(Debug)]
pub(super) struct Folder(PathBuf);

impl Folder {
    /// The folder of `path`, with a folder of the name `inner` in it.
    pub fn with_inner(path: &Path, inner: &str) -> io::Result<Self> {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        match fs::create_dir(folder.join(inner)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            _ => Ok(Self(folder)),
        }
    }
}

impl Folder {
    /// Takes away what an earlier run left in the folder `inner`: files `KIND_NUMBER.ENDING` with one of these endings.
    pub fn clear(&self, inner: &str, endings: &[&str]) {
        let entries = fs::read_dir(self.0.join(inner)).into_iter().flatten().flatten();
        for entry in entries {
            let path = entry.path();
            let ours = path.extension().and_then(|e| e.to_str()).is_some_and(|e| endings.contains(&e));
            let numbered = path.file_stem().and_then(|stem| stem.to_str()).is_some_and(|stem| {
                stem.rsplit_once('_')
                    .is_some_and(|(_, number)| number.len() == 7 && number.parse::<u64>().is_ok())
            });
            if ours && numbered {
                // What cannot be removed is in no list.
                let _ = fs::remove_file(path);
            }
        }
    }
}

impl Disk for Folder {
    type File = File;

    fn create(&mut self, name: &str) -> io::Result<File> {
        File::create(self.0.join(name))
    }

    fn remove(&mut self, name: &str) {
        // What stays is not in the collection, so it does no harm.
        let _ = fs::remove_file(self.0.join(name));
    }
}

/// Files in memory, on a disk with room for a number of bytes in all; each of them may have a limit of its own.
#[cfg(test)]
pub(super) mod small {
    use super::{Disk, Store};
    use std::cell::{Cell, RefCell};
    use std::collections::BTreeMap;
    use std::io::{self, Seek, SeekFrom, Write};
    use std::rc::Rc;

    #[derive(Clone, Debug)]
    pub struct SmallDisk {
        room: Rc<Cell<usize>>,
        pub files: BTreeMap<String, SmallFile>,
    }

    /// Bytes that were never written take no room, as on a disk.
    #[derive(Clone, Debug)]
    pub struct SmallFile {
        room: Rc<Cell<usize>>,
        bytes: Rc<RefCell<BTreeMap<u64, u8>>>,
        at: u64,
        limit: u64,
    }

    impl SmallDisk {
        pub fn new(room: usize) -> Self {
            Self { room: Rc::new(Cell::new(room)), files: BTreeMap::new() }
        }

        pub fn file(&self) -> SmallFile {
            SmallFile { room: self.room.clone(), bytes: Rc::default(), at: 0, limit: u64::MAX }
        }
    }

    impl SmallFile {
        pub fn no_longer_than(self, limit: u64) -> Self {
            Self { limit, ..self }
        }

        pub fn contents(&self) -> Vec<u8> {
            let bytes = self.bytes.borrow();
            let length = bytes.keys().next_back().map_or(0, |last| last + 1);
            (0..length).map(|i| bytes.get(&i).copied().unwrap_or(0)).collect()
        }
    }

    impl Write for SmallFile {
        fn write(&mut self, new: &[u8]) -> io::Result<usize> {
            let mut bytes = self.bytes.borrow_mut();
            for (i, byte) in new.iter().enumerate() {
                if self.at >= self.limit {
                    return if i > 0 { Ok(i) } else { Err(io::ErrorKind::FileTooLarge.into()) };
                }
                if !bytes.contains_key(&self.at) {
                    if self.room.get() == 0 {
                        return if i > 0 { Ok(i) } else { Err(io::ErrorKind::StorageFull.into()) };
                    }
                    self.room.set(self.room.get() - 1);
                }
                bytes.insert(self.at, *byte);
                self.at += 1;
            }
            Ok(new.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl Seek for SmallFile {
        fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
            let SeekFrom::Start(at) = to else { return Err(io::ErrorKind::Unsupported.into()) };
            self.at = at;
            Ok(at)
        }
    }

    impl Store for SmallFile {
        fn get(&mut self, at: u64, bytes: &mut [u8]) -> io::Result<()> {
            let there = self.bytes.borrow();
            bytes.iter_mut().zip(at..).for_each(|(byte, i)| *byte = there.get(&i).copied().unwrap_or(0));
            Ok(())
        }

        fn cut(&mut self, length: u64) -> io::Result<()> {
            if length > self.limit {
                return Err(io::ErrorKind::FileTooLarge.into());
            }
            let gone = self.bytes.borrow_mut().split_off(&length);
            self.room.set(self.room.get() + gone.len());
            self.at = length;
            Ok(())
        }
    }

    impl Disk for SmallDisk {
        type File = SmallFile;

        fn create(&mut self, name: &str) -> io::Result<SmallFile> {
            self.remove(name);
            let file = self.file();
            self.files.insert(name.to_owned(), file.clone());
            Ok(file)
        }

        fn remove(&mut self, name: &str) {
            if let Some(mut file) = self.files.remove(name) {
                let _ = file.cut(0);
            }
        }
    }
}
