//! Files that are whole or not there: what is written goes into a temporary file beside its place and takes
//! the place when it is complete. However the program ends, what stood there before or what was to be written
//! stands there, and never a part of it.
//!
//! What is no regular file (a device, a pipe) is written as it is. So is a file in a directory that takes no
//! further file.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tempfile::{Builder, NamedTempFile, tempfile_in};

/// The most symbolic links that lead to a file: as many as Linux follows.
const LINKS: usize = 40;

/// The temporary file that is being written, to be removed if the program ends before it is complete.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// Where a file is to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The file that symbolic links lead to.
    path: PathBuf,
    way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Beside it, and then in its place.
    Beside,
    /// Into it.
    Into,
}

impl Place {
    /// Sees to it that a file can be written, before a long run finds out that it cannot. Nothing is created,
    /// and what stands there stays.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        let (path, found) = follow(path)?;
        let Some(found) = found else {
            tempfile_in(directory(&path))?;
            return Ok(Self {
                path,
                way: Way::Beside,
            });
        };
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut way = Way::Into;
        if found.is_file() && !is_of_process(&path) {
            // One that may not be written is not replaced either.
            File::options().write(true).open(&path)?;
            if tempfile_in(directory(&path)).is_ok() {
                way = Way::Beside;
            }
        }
        Ok(Self { path, way })
    }

    /// Whether what is written to both would stand in one file.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.path == other.path && !is_of_process(&self.path)
    }

    /// Writes the file.
    pub(super) fn write(&self, text: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.way == Way::Beside {
            let temporary = beside(&self.path, text)?;
            match temporary.persist(&self.path) {
                // A file that is mounted there cannot be replaced, but written.
                Err(_) if self.path.exists() => {}
                persisted => return Ok(persisted.map(drop)?),
            }
        }
        write_into(File::create(&self.path)?, text)
    }

    /// Writes a file that does not exist; one that came about meanwhile stays as it is.
    pub(super) fn write_new(&self, text: &str) -> io::Result<()> {
        let temporary = beside(&self.path, &|out| out.write_all(text.as_bytes()))?;
        temporary.persist_noclobber(&self.path)?;
        Ok(())
    }
}

/// Removes what was not written to its end, when the program ends without waiting for that.
pub(super) fn discard_unfinished() {
    let unfinished = UNFINISHED.lock();
    if let Some(path) = &*unfinished {
        // It may have taken its place meanwhile.
        let _ = fs::remove_file(path);
    }
}

/// A whole temporary file beside another, which is removed if it does not take its place.
fn beside(
    path: &Path,
    text: &dyn Fn(&mut dyn Write) -> io::Result<()>,
) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".platform-conformance-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // As any other program creates files: the umask takes away what it should.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(directory(path))?;
    *UNFINISHED.lock() = Some(file.path().to_owned());
    if let Ok(known) = fs::metadata(path) {
        file.as_file().set_permissions(known.permissions())?;
    }
    write_into(file.as_file(), text)?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn write_into(out: impl Write, text: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    text(&mut out)?;
    out.flush()
}

/// The file that a path leads to, and what is known of it when it exists.
fn follow(path: &Path) -> io::Result<(PathBuf, Option<Metadata>)> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match fs::metadata(&path) {
            Ok(found) if found.is_file() && !is_of_process(&path) => {
                return Ok((fs::canonicalize(&path)?, Some(found)));
            }
            Ok(found) => return Ok((path, Some(found))),
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Err(_) => {}
        }
        let Some(name) = path.file_name() else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let there = fs::canonicalize(directory(&path))?;
        path = match fs::read_link(&path) {
            // A link to a file that does not exist yet.
            Ok(target) => there.join(target),
            Err(_) => return Ok((there.join(name), None)),
        };
    }
    Err(io::Error::other("too many symbolic links"))
}

/// Whether a path leads to what a process has open, as `/dev/stdout` does: others write there too.
fn is_of_process(path: &Path) -> bool {
    let opened = [
        "/dev/fd",
        "/dev/stdin",
        "/dev/stdout",
        "/dev/stderr",
        "/proc",
    ];
    opened.iter().any(|opened| path.starts_with(opened))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
