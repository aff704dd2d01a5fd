//! Files of this toolkit's own that programs change while others read them: settings, pins, logs.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use crate::disk;
use crate::error::Error;
use crate::state;

/// How far back a log's last line is looked for at first; one that is longer is looked for further back.
const USUAL_LINE: u64 = 64 * 1024;

/// Where the search ends: what is longer was not written here, and its end has to do.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

/// How many earlier parts of a log are kept: `audit.jsonl.1` is the latest.
const KEPT_PARTS: u32 = 4;

/// A file that belongs to the toolkit, text but for [`read_bytes`](Self::read_bytes): changed under a lock, replaced in one step, readable by its owner alone.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// let file = mcp_config::OwnFile::new(folder.path().join("notes.txt"));
/// file.rewrite(|text| Ok::<_, std::convert::Infallible>(format!("{text}first\n")))?.unwrap();
/// file.append(|last| format!("after {}", last.unwrap_or_default()))?;
/// assert_eq!(file.read()?, "first\nafter first\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct OwnFile {
    path: PathBuf,
}

impl OwnFile {
    /// The file at this path, which need not exist.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into() }
    }

    /// Returns the path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether nobody but the user may write the file, so that it can be believed; one that is not there is theirs.
    ///
    /// # Errors
    /// Others may write it, or it belongs to somebody else.
    pub fn check_private(&self) -> Result<(), Error> {
        state::check_file(&self.path)
            .map_err(|problem| Error::Unreadable { path: self.path.clone(), problem: Box::new(problem) })
    }

    /// Reads the text; a file that is not there is empty.
    ///
    /// # Errors
    /// The file is there and cannot be read, is larger than any of this toolkit's, or is no UTF-8.
    pub fn read(&self) -> Result<String, Error> {
        let unreadable = |problem| Error::Unreadable { path: self.path.clone(), problem: Box::new(problem) };
        let bytes = disk::read(&self.path, disk::MAX_FILE).map_err(unreadable)?.unwrap_or_default();
        String::from_utf8(bytes)
            .map_err(|error| disk::io_error("read", &self.path, io::Error::new(io::ErrorKind::InvalidData, error)))
    }

    /// Reads a file that need not be text; one that is not there is empty.
    ///
    /// # Errors
    /// The file is there and cannot be read, or is larger than `limit`.
    pub fn read_bytes(&self, limit: u64) -> Result<Vec<u8>, Error> {
        let unreadable = |problem| Error::Unreadable { path: self.path.clone(), problem: Box::new(problem) };
        Ok(disk::read(&self.path, limit).map_err(unreadable)?.unwrap_or_default())
    }

    /// Replaces whatever is there by these bytes, in one step: of two programs that do so at the same time, one is the last.
    ///
    /// # Errors
    /// The file cannot be written; then it is as it was.
    pub fn replace(&self, bytes: &[u8]) -> Result<(), Error> {
        let _lock = disk::lock_own(&self.path)?;
        disk::write(&disk::write_target(&self.path)?, bytes)
    }

    /// Replaces the text by what `change` makes of it, under a lock: of two programs that change it at the same time, each
    /// sees what the other wrote. When `change` fails, its error is the inner result and the file stays as it is.
    ///
    /// # Errors
    /// The file cannot be read or written; then it is as it was.
    pub fn rewrite<E>(&self, change: impl FnOnce(&str) -> Result<String, E>) -> Result<Result<(), E>, Error> {
        let _lock = disk::lock_own(&self.path)?;
        let target = disk::write_target(&self.path)?;
        let before = self.read()?;
        match change(&before) {
            Ok(after) if after == before => Ok(Ok(())),
            Ok(after) => disk::write(&target, after.as_bytes()).map(Ok),
            Err(error) => Ok(Err(error)),
        }
    }

    /// Appends a line, under a lock. `line` is given the last line there is, so that a log can be chained.
    ///
    /// # Errors
    /// The file cannot be read or written. A line that was cut short is completed by no one: it stays the last line.
    pub fn append(&self, line: impl FnOnce(Option<&str>) -> String) -> Result<(), Error> {
        self.append_within(u64::MAX, line)
    }

    /// Appends a line like [`append`](Self::append), and begins a new file when this one has `most` bytes: the old one becomes
    /// the first of four earlier parts, and the last of those is gone. The first line of a new file is given the last of the
    /// old one.
    ///
    /// # Errors
    /// As for [`append`](Self::append).
    pub fn append_within(&self, most: u64, line: impl FnOnce(Option<&str>) -> String) -> Result<(), Error> {
        let failed = |source| disk::io_error("write", &self.path, source);
        let _lock = disk::lock_own(&self.path)?;
        let mut file = self.open_to_append().map_err(failed)?;
        let tail = tail(&mut file).map_err(failed)?;
        let mut line = line(tail.lines().next_back());
        if !line.ends_with('\n') {
            line.push('\n');
        }
        if file.metadata().map_err(failed)?.len() >= most {
            drop(file);
            self.put_away().map_err(failed)?;
            file = self.open_to_append().map_err(failed)?;
        } else if !tail.is_empty() && !tail.ends_with('\n') {
            line.insert(0, '\n');
        }
        file.write_all(line.as_bytes()).map_err(failed)
    }

    /// Tells whether a line could be appended, without appending one.
    ///
    /// # Errors
    /// It could not: what is there is no file, or it or the directory for it cannot be written.
    pub fn check_append(&self) -> Result<(), Error> {
        let failed = |source| disk::io_error("write", &self.path, source);
        if fs::symlink_metadata(&self.path).is_ok() {
            return self.open_to_append().map(drop).map_err(failed);
        }
        let directory = self.path.ancestors().skip(1).find(|directory| directory.exists());
        // An unnamed file, which is gone at once.
        directory.map_or(Ok(()), |directory| tempfile::tempfile_in(directory).map(drop)).map_err(failed)
    }

    fn open_to_append(&self) -> io::Result<File> {
        let file = private(&mut OpenOptions::new()).open(&self.path)?;
        // A pipe has no end to look for the last line at.
        if file.metadata()?.is_file() { Ok(file) } else { Err(io::Error::other("it is no regular file")) }
    }

    fn put_away(&self) -> io::Result<()> {
        let part = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        for number in (1..KEPT_PARTS).rev() {
            match fs::rename(part(number), part(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        fs::rename(&self.path, part(1))
    }
}

#[cfg(unix)]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.read(true).append(true).create(true).mode(0o600)
}

#[cfg(not(unix))]
fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    options.read(true).append(true).create(true)
}

/// The end of a file, long enough to hold its last line.
fn tail(file: &mut File) -> io::Result<String> {
    let length = file.seek(SeekFrom::End(0))?;
    let mut wanted = USUAL_LINE;
    loop {
        file.seek(SeekFrom::Start(length.saturating_sub(wanted)))?;
        let mut bytes = Vec::new();
        file.take(wanted).read_to_end(&mut bytes)?;
        let before_last = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        if wanted >= length.min(LONGEST_LINE) || before_last.contains(&b'\n') {
            return Ok(String::from_utf8_lossy(&bytes).into_owned());
        }
        wanted *= 16;
    }
}
