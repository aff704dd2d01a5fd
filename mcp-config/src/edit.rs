//! Changes one server or one setting in a file and leaves every other byte as it is.

mod format;
mod jsonc;
mod setting;
mod switch;
mod toml;
mod value;

#[cfg(test)]
mod tests;

pub use format::FileFormat;

use std::path::{Path, PathBuf};

use serde_json::Value as Json;

use crate::dialect::bad_name;
use crate::disk;
use crate::document::{self, Node, Text};
use crate::error::Error;
use crate::new_server::NewServer;
use crate::problem::Problem;
use crate::workspace::{Workspace, destination};
use setting::{Setting, SettingChange};

/// An edit of one file, kept in memory until [`save`](Self::save).
///
/// Comments, order, indentation, line endings, the byte order mark, unknown keys and every other entry stay as they are.
/// A file that cannot be understood is never written.
///
/// ```no_run
/// use mcp_config::{Edit, FileFormat, NewServer};
///
/// let mut edit = Edit::open("/work/project/.mcp.json", FileFormat::McpServers)?;
/// edit.add("files", &NewServer::stdio("mcp-server-files", ["."]))?;
/// edit.save()?;
/// # Ok::<(), mcp_config::Error>(())
/// ```
#[derive(Debug)]
pub struct Edit {
    path: PathBuf,
    format: FileFormat,
    /// The file as it was read.
    before: Text,
    /// The file as edited so far.
    now: State,
    changes: Vec<Change>,
    /// The project that the file must stay in.
    workspace: Option<Workspace>,
}

/// A text, and what it says.
#[derive(Debug, Clone)]
struct State {
    text: Text,
    document: Option<Node>,
}

/// What becomes of the file as it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Backup {
    None,
    Beside,
}

/// One change, which can be made again to a newer state of the file.
#[derive(Debug, Clone)]
enum Change {
    Add(String, Box<NewServer>),
    Remove(String),
    Enable(String, bool),
    Set(Setting),
}

impl Edit {
    /// Reads a file. One that is not there is empty, and is created on [`save`](Self::save).
    ///
    /// # Errors
    /// The file cannot be read or understood.
    pub fn open(path: impl Into<PathBuf>, format: FileFormat) -> Result<Self, Error> {
        Self::begin(path.into(), format, None)
    }

    /// Reads a file that is the project's, to write it only if it is inside the project, links followed. A file of the user's
    /// own may be a link to wherever they keep it; who made a project's link is not known.
    ///
    /// # Errors
    /// The file leads out of the project, or cannot be read or understood.
    pub fn open_in(workspace: Workspace, path: impl Into<PathBuf>, format: FileFormat) -> Result<Self, Error> {
        Self::begin(path.into(), format, Some(workspace))
    }

    fn begin(path: PathBuf, format: FileFormat, workspace: Option<Workspace>) -> Result<Self, Error> {
        check_place(&path, workspace.as_ref())?;
        let before = read(&path)?;
        let now = understand(&path, format, before.clone())?;
        Ok(Self { path, format, before, now, changes: Vec::new(), workspace })
    }

    /// Returns the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells whether the file, as edited so far, has a server of that name.
    pub fn contains(&self, name: &str) -> bool {
        self.now.document.as_ref().is_some_and(|document| self.format.contains(document, name))
    }

    /// Adds a server, or replaces the one of that name; tells whether it replaced one.
    ///
    /// # Errors
    /// The name is not one, or the file's dialect cannot express the server.
    pub fn add(&mut self, name: &str, server: &NewServer) -> Result<bool, Error> {
        if let Some(reason) = bad_name(name) {
            return Err(Error::Name { name: name.escape_default().to_string(), reason });
        }
        let replaces = self.contains(name);
        self.change(Change::Add(name.to_owned(), Box::new(server.clone())))?;
        Ok(replaces)
    }

    /// Removes a server; tells whether there was one.
    ///
    /// # Errors
    /// The file has a shape in which the entry cannot be removed on its own.
    pub fn remove(&mut self, name: &str) -> Result<bool, Error> {
        let known = self.contains(name);
        if known {
            self.change(Change::Remove(name.to_owned()))?;
        }
        Ok(known)
    }

    /// Switches a server on or off; tells whether the file has one of that name. In [`FileFormat::Settings`] it does after.
    ///
    /// # Errors
    /// The file's dialect has no word for it.
    pub fn set_enabled(&mut self, name: &str, enabled: bool) -> Result<bool, Error> {
        let known = self.contains(name) || self.format.switches_others();
        if known {
            self.change(Change::Enable(name.to_owned(), enabled))?;
        }
        Ok(known)
    }

    /// Puts a text at the end of a list of the settings; tells whether the list did not have it. `keys` lead to the list from
    /// the top, and what is missing on the way is created.
    ///
    /// # Errors
    /// Something else stands where an object or the list belongs, a key on the way appears twice, or the file holds no
    /// settings.
    pub fn include(&mut self, keys: &[&str], item: &str) -> Result<bool, Error> {
        self.set(keys, SettingChange::Include(item.to_owned()))
    }

    /// Takes an entry out of a list of the settings, however often it is there; tells whether it was. A text is named by
    /// itself, white space around it left aside, and anything else by its JSON. A value that stands in the list's place and is
    /// none is taken away if it is named.
    ///
    /// # Errors
    /// As for [`include`](Self::include).
    pub fn exclude(&mut self, keys: &[&str], item: &str) -> Result<bool, Error> {
        self.set(keys, SettingChange::Exclude(item.to_owned()))
    }

    /// Gives a member of the settings a value; tells whether it had another or none.
    ///
    /// # Errors
    /// As for [`include`](Self::include).
    pub fn set_member(&mut self, keys: &[&str], value: Json) -> Result<bool, Error> {
        self.set(keys, SettingChange::Set(value))
    }

    /// Takes a member of the settings away; tells whether it was there.
    ///
    /// # Errors
    /// As for [`include`](Self::include).
    pub fn remove_member(&mut self, keys: &[&str]) -> Result<bool, Error> {
        self.set(keys, SettingChange::Unset)
    }

    fn set(&mut self, keys: &[&str], change: SettingChange) -> Result<bool, Error> {
        if !self.format.holds_settings() {
            return Err(Error::Inexpressible { format: self.format.name(), what: "a setting" });
        }
        let setting = Setting { keys: keys.iter().map(|key| (*key).to_owned()).collect(), change };
        let before = self.now.text.content.clone();
        self.change(Change::Set(setting))?;
        Ok(self.now.text.content != before)
    }

    fn change(&mut self, change: Change) -> Result<(), Error> {
        self.now = apply(&self.path, self.format, &self.now, &change)?;
        self.changes.push(change);
        Ok(())
    }

    /// Returns the text as it would be written.
    pub fn text(&self) -> &str {
        &self.now.text.content
    }

    /// Writes the changes.
    ///
    /// The file is locked, read again, changed, and replaced in one step, so that two programs that edit it at the same
    /// time lose nothing. A new file is readable by its owner only. Without changes nothing is written.
    ///
    /// # Errors
    /// The file cannot be locked or written, or somebody has made it unreadable or a link out of the project in the meantime.
    pub fn save(&mut self) -> Result<(), Error> {
        self.write(Backup::None).map(drop)
    }

    /// Writes the changes, and keeps the file as it was beside itself: as `mcp.json.bak`, or `mcp.json.bak.2` and so on, never
    /// in the place of an earlier one. Returns where; `None` when there was no file, or nothing has changed.
    ///
    /// # Errors
    /// As for [`save`](Self::save); what cannot be kept is not replaced.
    pub fn save_with_backup(&mut self) -> Result<Option<PathBuf>, Error> {
        self.write(Backup::Beside)
    }

    fn write(&mut self, backup: Backup) -> Result<Option<PathBuf>, Error> {
        if self.changes.is_empty() {
            return Ok(None);
        }
        check_place(&self.path, self.workspace.as_ref())?;
        let _lock = disk::lock(&self.path)?;
        let target = disk::write_target(&self.path)?;
        let current = read(&self.path)?;
        if current != self.before {
            // Somebody else has written it: the changes are made again to what is there now.
            self.now = understand(&self.path, self.format, current.clone())?;
            for change in &self.changes {
                self.now = apply(&self.path, self.format, &self.now, change)?;
            }
        }
        let text = &self.now.text;
        let is_replaced = *text != current && disk::is_file(&target);
        let kept = match backup {
            Backup::Beside if is_replaced => Some(disk::keep(&target, &current.encode())?),
            Backup::Beside | Backup::None => None,
        };
        if text.content.is_empty() && self.format.removes_empty_file() {
            disk::remove(&target)?;
        } else if *text != current {
            disk::write(&target, &text.encode())?;
        }
        self.before = text.clone();
        self.changes.clear();
        Ok(kept)
    }
}

fn check_place(path: &Path, workspace: Option<&Workspace>) -> Result<(), Error> {
    match workspace {
        Some(workspace) if !workspace.contains(path) => {
            let target = destination(path).unwrap_or_else(|| path.to_path_buf());
            Err(Error::Outside { path: path.to_path_buf(), target })
        }
        _ => Ok(()),
    }
}

fn unreadable(path: &Path, problem: Problem) -> Error {
    Error::Unreadable { path: path.to_path_buf(), problem: Box::new(problem.with_path(path)) }
}

fn read(path: &Path) -> Result<Text, Error> {
    match disk::read(path, disk::MAX_FILE).map_err(|problem| unreadable(path, problem))? {
        Some(bytes) => document::decode(&bytes).map_err(|problem| unreadable(path, problem)),
        None => Ok(Text { content: String::new(), marked: false }),
    }
}

/// Checks that a text can be edited.
fn understand(path: &Path, format: FileFormat, text: Text) -> Result<State, Error> {
    let document = format.check(&text.content).map_err(|problem| unreadable(path, problem))?;
    Ok(State { text, document })
}

/// Makes one change. Whatever the editor did, what goes to disk can be read again.
fn apply(path: &Path, format: FileFormat, state: &State, change: &Change) -> Result<State, Error> {
    let State { text, document } = state;
    let file = format::File { text: &text.content, document: document.as_ref(), format };
    let content = match change {
        Change::Add(name, server) => file.add(name, server)?,
        Change::Remove(name) => file.remove(name),
        Change::Enable(name, enabled) => file.set_enabled(name, *enabled)?,
        Change::Set(setting) => file.set(setting).map_err(|problem| unreadable(path, problem))?,
    };
    understand(path, format, Text { content, marked: text.marked })
}
