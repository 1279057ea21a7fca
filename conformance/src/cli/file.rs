//! Atomic writing of files: the content goes to a temporary file beside the destination, which replaces the
//! destination when it is complete. However the program ends, the destination has its complete old or complete new
//! content.
//!
//! A device, a pipe and any other irregular file is written directly. So is a file in a directory in which no file can
//! be created.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use parking_lot::Mutex;
use tempfile::{Builder, NamedTempFile, tempfile, tempfile_in};

/// The limit on symbolic links to follow, as on Linux.
const LINKS: usize = 40;

/// The temporary file in use, removed if the program ends before it is complete.
static UNFINISHED: Mutex<Option<PathBuf>> = Mutex::new(None);

/// The destination of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The file at the end of the symbolic links.
    path: PathBuf,
    way: Way,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// To a temporary file that replaces it.
    Beside,
    /// Directly to the file.
    Into,
}

impl Place {
    /// Checks that a file can be written, before a long run. Creates nothing and leaves an existing file unchanged.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        let (path, found) = follow(path)?;
        let Some(found) = found else {
            tempfile_in(directory(&path))?;
            return Ok(Self { path, way: Way::Beside });
        };
        if found.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        let mut way = Way::Into;
        if found.is_file() && !is_of_process(&path) {
            // A file without write permission is not replaced either.
            File::options().write(true).open(&path)?;
            if tempfile_in(directory(&path)).is_ok() {
                way = Way::Beside;
            }
        }
        Ok(Self { path, way })
    }

    /// Whether both places are the same file.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        self.path == other.path && !is_of_process(&self.path)
    }

    /// Writes the file.
    pub(super) fn write(&self, text: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        if self.way == Way::Beside {
            let temporary = beside(&self.path, text)?;
            match temporary.persist(&self.path) {
                // A mount point cannot be replaced, but can be written.
                Err(_) if self.path.exists() => {}
                persisted => return Ok(persisted.map(drop)?),
            }
        }
        write_into(File::create(&self.path)?, text)
    }

    /// A file without a name, for content that is assembled before it is written. It is in the same directory as the
    /// destination if a file can be created there.
    pub(super) fn scratch(&self) -> io::Result<File> {
        match self.way {
            Way::Beside => tempfile_in(directory(&self.path)),
            Way::Into => tempfile(),
        }
    }

    /// Writes a file that does not exist yet; a file created in the meantime is not overwritten.
    pub(super) fn write_new(&self, text: &str) -> io::Result<()> {
        let temporary = beside(&self.path, &|out| out.write_all(text.as_bytes()))?;
        temporary.persist_noclobber(&self.path)?;
        Ok(())
    }
}

/// Removes an incomplete file when the program ends without waiting for it.
pub(super) fn discard_unfinished() {
    let unfinished = UNFINISHED.lock();
    if let Some(path) = &*unfinished {
        // The file may have replaced its destination in the meantime.
        let _ = fs::remove_file(path);
    }
}

/// A complete temporary file beside its destination, removed if it does not replace it.
fn beside(path: &Path, text: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> io::Result<NamedTempFile> {
    let mut builder = Builder::new();
    builder.prefix(".platform-conformance-").suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Like the files of any other program: the umask restricts the permissions.
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

/// Returns the file that a path leads to, with its metadata if it exists.
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

/// Whether a path leads to an open file of a process, as `/dev/stdout` does: other programs write there too.
fn is_of_process(path: &Path) -> bool {
    let opened = ["/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/proc"];
    opened.iter().any(|opened| path.starts_with(opened))
}

fn directory(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    }
}
