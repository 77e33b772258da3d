//! The file of a motion.

use super::row::{CSV_HEADER, Row};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// How a motion is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Comma-separated values with a header.
    Csv,
    /// A JSON object on each line.
    Jsonl,
}

impl Format {
    /// The formats by the ending of the file's name.
    pub const ENDINGS: &'static [(&'static str, Self)] = &[("csv", Self::Csv), ("jsonl", Self::Jsonl)];

    /// The format that the ending of `path` names.
    pub fn of(path: &Path) -> Option<Self> {
        let ending = path.extension()?.to_str()?.to_ascii_lowercase();
        Self::ENDINGS.iter().find(|(known, _)| *known == ending).map(|(_, format)| *format)
    }
}

/// Writes rows; what reaches the file is always a number of whole steps.
#[derive(Debug)]
pub struct Writer<W> {
    out: W,
    format: Format,
    /// Rows of steps that are not in the file yet.
    waiting: String,
    /// Last step that is in the file.
    written: Option<u64>,
    last: Option<u64>,
}

impl Writer<File> {
    /// Makes the file, or empties it.
    ///
    /// # Errors
    /// When the file cannot be made.
    pub fn create(path: &Path, format: Format) -> io::Result<Self> {
        Ok(Self::new(File::create(path)?, format))
    }
}

impl<W: Write> Writer<W> {
    /// The text that is kept before it is written [bytes].
    const CHUNK: usize = 1 << 16;

    /// Writes to `out`.
    pub fn new(out: W, format: Format) -> Self {
        let waiting = match format {
            Format::Csv => CSV_HEADER.to_owned(),
            Format::Jsonl => String::new(),
        };
        Self { out, format, waiting, written: None, last: None }
    }

    /// Adds the rows of one step.
    ///
    /// # Errors
    /// When the file takes no more; it then ends with step [`Writer::written`].
    pub fn step<'a>(&mut self, rows: impl IntoIterator<Item = Row<'a>>) -> io::Result<()> {
        for row in rows {
            self.last = Some(row.step);
            match self.format {
                Format::Csv => row.push_csv(&mut self.waiting),
                Format::Jsonl => row.push_json(&mut self.waiting),
            }
        }
        if self.waiting.len() >= Self::CHUNK { self.flush() } else { Ok(()) }
    }

    /// Writes what is waiting.
    ///
    /// # Errors
    /// When the file takes no more.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.write_all(self.waiting.as_bytes())?;
        self.out.flush()?;
        self.waiting.clear();
        self.written = self.last;
        Ok(())
    }

    /// The last step that is in the file.
    pub fn written(&self) -> Option<u64> {
        self.written
    }

    /// What was written to.
    pub fn into_inner(self) -> W {
        self.out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use huygens_math::{Quat, Vec3};

    fn row(step: u64, body: &str) -> Row<'_> {
        Row {
            step,
            time: step as f64 * 0.1,
            body,
            position: Vec3::new(1.0, -0.0, 0.1 + 0.2),
            orientation: Quat::IDENTITY,
            linear_velocity: Vec3::new(1e-7, 2.0, 3.0),
            angular_velocity: Vec3::new(f64::NAN, 0.0, 0.0),
        }
    }

    fn written(format: Format) -> String {
        let mut writer = Writer::new(Vec::new(), format);
        writer.step([row(0, "a"), row(0, "b,\"c\"")]).unwrap();
        writer.step([row(1, "a")]).unwrap();
        assert_eq!(writer.written(), None, "a small file waits");
        writer.flush().unwrap();
        assert_eq!(writer.written(), Some(1));
        String::from_utf8(writer.into_inner()).unwrap()
    }

    #[test]
    fn csv_has_a_header_and_a_row_for_each_body_and_step() {
        assert_eq!(
            written(Format::Csv),
            "step,time,body,px,py,pz,qw,qx,qy,qz,vx,vy,vz,wx,wy,wz\n\
             0,0.0,a,1.0,-0.0,0.30000000000000004,1.0,0.0,0.0,0.0,1e-7,2.0,3.0,,0.0,0.0\n\
             0,0.0,\"b,\"\"c\"\"\",1.0,-0.0,0.30000000000000004,1.0,0.0,0.0,0.0,1e-7,2.0,3.0,,0.0,0.0\n\
             1,0.1,a,1.0,-0.0,0.30000000000000004,1.0,0.0,0.0,0.0,1e-7,2.0,3.0,,0.0,0.0\n"
        );
    }

    #[test]
    fn jsonl_has_an_object_on_each_line() {
        let text = written(Format::Jsonl);
        assert_eq!(text.lines().count(), 3);
        assert_eq!(
            text.lines().last().unwrap(),
            "{\"step\":1,\"time\":0.1,\"body\":\"a\",\"position\":[1.0,-0.0,0.30000000000000004],\
             \"orientation\":[1.0,0.0,0.0,0.0],\"linear_velocity\":[1e-7,2.0,3.0],\"angular_velocity\":[null,0.0,0.0]}"
        );
    }

    /// Takes a number of bytes, as a full disk does.
    struct Full(usize, Vec<u8>);

    impl Write for Full {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let n = bytes.len().min(self.0);
            if n == 0 {
                return Err(io::ErrorKind::StorageFull.into());
            }
            self.0 -= n;
            self.1.extend_from_slice(&bytes[..n]);
            Ok(n)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn memory_stays_bounded_and_a_full_disk_says_what_is_there() {
        let mut writer = Writer::new(Full(200_000, Vec::new()), Format::Csv);
        let mut step = 0;
        let failed = loop {
            if let Err(error) = writer.step([row(step, "body")]) {
                break error;
            }
            assert!(writer.waiting.len() < 2 * Writer::<Full>::CHUNK);
            step += 1;
        };
        assert_eq!(failed.kind(), io::ErrorKind::StorageFull);
        assert!(writer.written().is_some_and(|written| written < step));
    }
}
