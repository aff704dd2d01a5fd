//! Who approved what: records outside the repository that say which project server may run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::document;
use crate::error::Error;
use crate::layer::{Layer, Script};
use crate::overlay::Withheld;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::resolved::Resolved;
use crate::settings::ProjectSettings;
use crate::source::{Host, Source};

/// The version of the file this crate writes.
const VERSION: u32 = 1;

/// The approvals a person has given.
///
/// An approval holds for exactly one thing: this definition, of this name, in this file, in this workspace, running these
/// scripts. When any of them changes it holds no longer, and the person is asked again.
///
/// ```
/// let (trust, problems) = mcp_config::TrustStore::load("/nonexistent/trust.json");
/// assert!(trust.is_empty() && problems.is_empty());
/// ```
#[derive(Debug, Clone, Default)]
pub struct TrustStore {
    path: Option<PathBuf>,
    approvals: Vec<Approval>,
    changes: Vec<Change>,
    allowed_imports: BTreeSet<Host>,
    damaged: Option<Problem>,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Approval {
    #[serde(flatten)]
    pub(crate) subject: Subject,
    /// Keyring entries and files outside the workspace that the person confirmed by name.
    #[serde(default)]
    pub(crate) confirmed: BTreeSet<String>,
    /// Seconds since 1970.
    approved_at: u64,
}

impl Approval {
    fn new(subject: Subject, confirmed: BTreeSet<String>, now: SystemTime) -> Self {
        let approved_at = now.duration_since(UNIX_EPOCH).map_or(0, |duration| duration.as_secs());
        Self { subject, confirmed, approved_at }
    }
}

/// What an approval is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Subject {
    workspace: PathBuf,
    source: String,
    path: PathBuf,
    name: String,
    definition: String,
    #[serde(default)]
    scripts: Vec<ScriptRecord>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ScriptRecord {
    path: PathBuf,
    content: String,
}

#[derive(Debug, Clone)]
enum Change {
    Approve(Approval),
    Revoke(Subject),
}

#[derive(Debug, Serialize, Deserialize)]
struct Records {
    version: u32,
    approvals: Vec<Approval>,
}

impl Subject {
    /// Describes a definition; `None` when it runs a script whose content is not known, which nobody can approve.
    pub(crate) fn new(layer: &Layer, name: &str, definition: &str, scripts: &[Script]) -> Option<Self> {
        let scripts = scripts
            .iter()
            .map(|script| Some(ScriptRecord { path: script.path.clone(), content: script.content.clone()? }));
        Some(Self {
            workspace: layer.workspace.clone(),
            source: source_key(layer.source),
            path: disk::canonical(&layer.path),
            name: name.to_owned(),
            definition: definition.to_owned(),
            scripts: scripts.collect::<Option<_>>()?,
        })
    }

    /// Describes a project's settings.
    pub(crate) fn of_settings(workspace: &Path, path: &Path, hash: &str) -> Self {
        Self {
            workspace: workspace.to_path_buf(),
            source: "settings".to_owned(),
            path: disk::canonical(path),
            name: String::new(),
            definition: hash.to_owned(),
            scripts: Vec::new(),
        }
    }

    /// Whether the other is about the same entry, in whatever state.
    fn is_same_entry(&self, other: &Self) -> bool {
        self.workspace == other.workspace
            && self.source == other.source
            && self.path == other.path
            && self.name == other.name
    }
}

fn source_key(source: Source) -> String {
    source.to_string()
}

impl TrustStore {
    /// Reads the records at `path`. A file that is not there holds none.
    ///
    /// A file that cannot be understood holds none either, so nothing is trusted, and [`save`](Self::save) refuses to
    /// replace it.
    pub fn load(path: impl Into<PathBuf>) -> (Self, Vec<Problem>) {
        let path = path.into();
        match read_records(&path) {
            Ok(approvals) => (Self { path: Some(path), approvals, ..Self::default() }, Vec::new()),
            Err(problem) => {
                let store = Self { path: Some(path), damaged: Some(problem.clone()), ..Self::default() };
                (store, vec![problem])
            }
        }
    }

    /// Lets the imported servers of these hosts start, as if their user files were this toolkit's own.
    #[must_use]
    pub fn with_allowed_imports(mut self, hosts: impl IntoIterator<Item = Host>) -> Self {
        self.allowed_imports.extend(hosts);
        self
    }

    /// Tells whether there is no approval.
    pub fn is_empty(&self) -> bool {
        self.approvals.is_empty()
    }

    /// Returns the number of approvals.
    pub fn len(&self) -> usize {
        self.approvals.len()
    }

    /// Approves a project's server as it stands now, replacing an approval of an earlier state.
    ///
    /// Returns `false` when there is nothing to approve: the server needs no approval, or runs a script inside the
    /// workspace that cannot be read. Secrets of the keyring and files outside the workspace stay out of its reach; see
    /// [`approve_with`](Self::approve_with).
    pub fn approve(&mut self, server: &Resolved, now: SystemTime) -> bool {
        self.approve_with(server, [], now)
    }

    /// Approves a project's server, and lets it have what was confirmed by name: of
    /// [`Resolved::reaches`](crate::Resolved::reaches), those that the person said yes to.
    pub fn approve_with<'a>(
        &mut self,
        server: &Resolved,
        confirmed: impl IntoIterator<Item = &'a str>,
        now: SystemTime,
    ) -> bool {
        let Some(subject) = server.subject.clone() else { return false };
        let confirmed = confirmed.into_iter().map(str::to_owned).collect();
        self.change(Change::Approve(Approval::new(subject, confirmed, now)));
        true
    }

    /// Approves an overlay that a project's file lays over a server; tells whether that is possible.
    pub fn approve_overlay(&mut self, overlay: &Withheld, now: SystemTime) -> bool {
        let Some(subject) = overlay.subject.clone() else { return false };
        self.change(Change::Approve(Approval::new(subject, BTreeSet::new(), now)));
        true
    }

    /// Approves a project's settings exactly as they are.
    pub fn approve_settings(&mut self, settings: &ProjectSettings, now: SystemTime) {
        self.change(Change::Approve(Approval::new(settings.subject.clone(), BTreeSet::new(), now)));
    }

    /// Takes an approval back; tells whether there was one.
    pub fn revoke(&mut self, server: &Resolved) -> bool {
        let Some(subject) = server.subject.clone() else { return false };
        let known = self.approvals.iter().any(|approval| approval.subject.is_same_entry(&subject));
        if known {
            self.change(Change::Revoke(subject));
        }
        known
    }

    fn change(&mut self, change: Change) {
        apply(&mut self.approvals, &change);
        self.changes.push(change);
    }

    /// Writes the approvals given and taken back since [`load`](Self::load) into the file, readable by its owner only.
    ///
    /// The file is read again under a lock, so two programs that approve at the same time both keep their approvals.
    ///
    /// # Errors
    /// The file cannot be written, or holds something that is not a list of approvals.
    pub fn save(&mut self) -> Result<(), Error> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        let _lock = disk::lock(&path)?;
        let target = disk::write_target(&path)?;
        let mut approvals = read_records(&path)
            .map_err(|problem| Error::Unreadable { path: path.clone(), problem: Box::new(problem) })?;
        for change in &self.changes {
            apply(&mut approvals, change);
        }
        let records = Records { version: VERSION, approvals };
        let mut text =
            serde_json::to_string_pretty(&records).map_err(|error| disk::io_error("write", &path, error.into()))?;
        text.push('\n');
        disk::write(&target, text.as_bytes())?;
        self.approvals = records.approvals;
        self.changes.clear();
        self.damaged = None;
        Ok(())
    }

    /// Returns the approval of exactly this subject.
    pub(crate) fn approval(&self, subject: &Subject) -> Option<&Approval> {
        self.approvals.iter().find(|approval| approval.subject == *subject)
    }

    /// Tells whether the entry was approved in some other state.
    pub(crate) fn is_changed_since_approval(&self, subject: &Subject) -> bool {
        self.approvals.iter().any(|approval| approval.subject.is_same_entry(subject))
    }

    pub(crate) fn allows_imports_of(&self, host: Host) -> bool {
        self.allowed_imports.contains(&host)
    }
}

fn apply(approvals: &mut Vec<Approval>, change: &Change) {
    let subject = match change {
        Change::Approve(approval) => &approval.subject,
        Change::Revoke(subject) => subject,
    };
    approvals.retain(|known| !known.subject.is_same_entry(subject));
    if let Change::Approve(approval) = change {
        approvals.push(approval.clone());
    }
}

fn read_records(path: &Path) -> Result<Vec<Approval>, Problem> {
    let Some(bytes) = disk::read(path, disk::MAX_STATE_FILE)? else { return Ok(Vec::new()) };
    let text = document::decode(&bytes).map_err(|problem| problem.with_path(path))?;
    if text.content.trim().is_empty() {
        return Ok(Vec::new());
    }
    let damaged = |message: String| {
        Problem::new(Severity::Error, ProblemKind::Syntax, message)
            .with_path(path)
            .with_fix(format!("remove {} and approve again", path.display()))
    };
    let records: Records = serde_json::from_str(&text.content).map_err(|error| {
        damaged("expected the records of approvals".to_owned())
            .at(u32::try_from(error.line()).unwrap_or(u32::MAX), u32::try_from(error.column()).unwrap_or(u32::MAX))
    })?;
    if records.version > VERSION {
        return Err(damaged(format!("expected version {VERSION} or older, found {}", records.version)));
    }
    Ok(records.approvals)
}
