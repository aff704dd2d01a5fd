//! Secrets that are kept by a name: not logins, but what a configuration leaves for a person to give.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use crate::credential::short_hash;
use crate::error::Error;
use crate::record::{Unreadable, read_secret, write_secret};
use crate::secret::Secret;
use crate::store::StoreKind;
use crate::store::memory::guard;
use crate::store::private_file::{self, set_aside};
use crate::store::protection::Protection;

/// Longest name, in bytes.
const LONGEST_NAME: usize = 1024;

/// What a secret is called.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SecretName {
    /// Who alone asks for it by this name, such as a file; `None` where everybody means the same secret by it.
    pub owner: Option<String>,
    /// The name.
    pub name: String,
}

impl SecretName {
    /// A name that means the same secret to everybody.
    pub fn shared(name: impl Into<String>) -> Self {
        Self { owner: None, name: name.into() }
    }

    /// A name that means something to `owner` alone: another owner's secret of this name is another secret.
    pub fn owned(owner: impl Into<String>, name: impl Into<String>) -> Self {
        Self { owner: Some(owner.into()), name: name.into() }
    }

    /// A name for files and keyring entries that depends on nothing but this one.
    fn id(&self) -> String {
        let parts: Vec<&str> = self.owner.as_deref().into_iter().chain([self.name.as_str()]).collect();
        format!("secret-{}", short_hash(&parts))
    }

    fn check(&self) -> Result<(), Error> {
        if self.name.is_empty() || self.name.len() > LONGEST_NAME {
            return Err(Error::Unkept { reason: "expected a name of 1 to 1024 bytes" });
        }
        Ok(())
    }
}

/// Keeps secrets by name, protected as logins are: each in a file of its own, sealed or private, or in the keyring.
///
/// The methods block, some on a person who has to unlock a keyring; asynchronous callers give them a thread. Programs that
/// share the store see whole secrets only, and the one that was set last.
#[derive(Debug)]
pub struct SecretStore {
    held: Held,
}

#[derive(Debug)]
enum Held {
    Memory(Mutex<BTreeMap<SecretName, Secret>>),
    Directory { directory: PathBuf, protection: Protection },
}

impl SecretStore {
    /// Longest secret that is kept, in bytes: half of what Linux lets a program have in one variable.
    pub const LONGEST_SECRET: usize = 64 * 1024;

    /// A store that ends with the process.
    pub fn in_memory() -> Self {
        Self { held: Held::Memory(Mutex::default()) }
    }

    pub(crate) fn in_directory(directory: PathBuf, protection: Protection) -> Self {
        Self { held: Held::Directory { directory, protection } }
    }

    /// Where the secrets are.
    pub fn kind(&self) -> StoreKind {
        match &self.held {
            Held::Memory(_) => StoreKind::Memory,
            Held::Directory { protection, .. } => protection.kind(),
        }
    }

    /// The names of all secrets, in order, and what cannot be read.
    ///
    /// # Errors
    ///
    /// [`Error::File`] when nothing at all can be read.
    pub fn list(&self) -> Result<(Vec<SecretName>, Vec<Error>), Error> {
        let (directory, protection) = match &self.held {
            Held::Memory(secrets) => return Ok((guard(secrets).keys().cloned().collect(), Vec::new())),
            Held::Directory { directory, protection } => (directory, protection),
        };
        let (mut names, mut problems) = (Vec::new(), Vec::new());
        for path in files(directory)? {
            match read(&path, protection) {
                Ok(found) => names.extend(found.map(|(name, _)| name)),
                Err(problem) => problems.push(problem),
            }
        }
        names.sort();
        Ok((names, problems))
    }

    /// The secret called `name`, `None` when there is none.
    ///
    /// # Errors
    ///
    /// There may be one that cannot be read.
    pub fn get(&self, name: &SecretName) -> Result<Option<Secret>, Error> {
        match &self.held {
            Held::Memory(secrets) => Ok(guard(secrets).get(name).cloned()),
            Held::Directory { directory, protection } => {
                Ok(read(&path(directory, name), protection)?.map(|(_, secret)| secret))
            }
        }
    }

    /// Keeps `secret` under `name`, in place of an earlier one.
    ///
    /// # Errors
    ///
    /// [`Error::Unkept`] when it is empty, longer than [`LONGEST_SECRET`](Self::LONGEST_SECRET) or holds a NUL, which no
    /// program can be given; others when it is not certain that a later reader sees it.
    pub fn set(&self, name: &SecretName, secret: &Secret) -> Result<(), Error> {
        name.check()?;
        check(secret)?;
        let (directory, protection) = match &self.held {
            Held::Memory(secrets) => {
                guard(secrets).insert(name.clone(), secret.clone());
                return Ok(());
            }
            Held::Directory { directory, protection } => (directory, protection),
        };
        let _turn = turn(directory)?;
        let path = path(directory, name);
        // What cannot be read is moved aside before something takes its place.
        if let Err(Error::Record { .. }) = read(&path, protection)
            && path.exists()
        {
            drop(set_aside(&path, ""));
        }
        let stored = protection.seal(&name.id(), &write_secret(name, secret))?;
        private_file::write(&path, &stored)
    }

    /// Forgets the secret called `name`, readable or not, and tells whether there was one.
    ///
    /// # Errors
    ///
    /// When a later reader may still see it.
    pub fn remove(&self, name: &SecretName) -> Result<bool, Error> {
        let (directory, protection) = match &self.held {
            Held::Memory(secrets) => return Ok(guard(secrets).remove(name).is_some()),
            Held::Directory { directory, protection } => (directory, protection),
        };
        let _turn = turn(directory)?;
        let path = path(directory, name);
        let was_there = path.symlink_metadata().is_ok();
        protection.forget(&name.id())?;
        private_file::remove(&path)?;
        private_file::remove(&path.with_extension("corrupt"))?;
        Ok(was_there)
    }
}

fn check(secret: &Secret) -> Result<(), Error> {
    let refused = |reason| Err(Error::Unkept { reason });
    match secret.expose() {
        "" => refused("it is empty"),
        text if text.len() > SecretStore::LONGEST_SECRET => refused("it is longer than 64 KiB"),
        text if text.contains('\0') => refused("it holds a NUL character"),
        _ => Ok(()),
    }
}

fn path(directory: &Path, name: &SecretName) -> PathBuf {
    directory.join(format!("{}.json", name.id()))
}

/// Every file that holds a secret, in order.
fn files(directory: &Path) -> Result<Vec<PathBuf>, Error> {
    let failed = |source| Error::File { operation: "list", path: directory.to_owned(), source };
    let mut files = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_secret = entry.file_name().to_str().is_some_and(|name| {
            name.starts_with("secret-") && Path::new(name).extension().is_some_and(|extension| extension == "json")
        });
        files.extend(is_secret.then(|| entry.path()));
    }
    files.sort();
    Ok(files)
}

/// The secret in a file, and its name; `None` when there is no file.
fn read(path: &Path, protection: &Protection) -> Result<Option<(SecretName, Secret)>, Error> {
    let refused = |reason| Error::Record { place: path.display().to_string(), reason };
    let Some(stored) = private_file::read(path)? else { return Ok(None) };
    let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let Some(plain) = protection.open(id, &stored)? else {
        return Err(refused("it was written with another key, or by another program"));
    };
    match read_secret(&plain) {
        // A secret under another's name was copied there; it is not what was asked for.
        Ok((name, secret)) if name.id() == id => Ok(Some((name, secret))),
        Ok(_) => Err(set_aside(path, "it is the secret of another name")),
        Err(Unreadable::Corrupt) => Err(set_aside(path, Unreadable::Corrupt.reason())),
        Err(Unreadable::Newer) => Err(refused(Unreadable::Newer.reason())),
    }
}

/// The right to change the directory. Whoever has it is the only writer, so that what others were killed over is rubbish,
/// and may hold a secret that nobody could remove any more.
fn turn(directory: &Path) -> Result<File, Error> {
    let turn = private_file::lock_directory(directory)?;
    private_file::sweep(directory)?;
    Ok(turn)
}

#[cfg(test)]
mod tests;
