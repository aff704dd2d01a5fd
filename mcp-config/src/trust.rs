//! Who approved what: records outside the repository that say which project server may run.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::disk;
use crate::document;
use crate::error::Error;
use crate::facts::Facts;
use crate::layer::Layer;
use crate::loosening::Loosening;
use crate::plan::Plan;
use crate::problem::{Problem, ProblemKind, Severity};
use crate::resolved::Resolved;
use crate::source::Host;
use crate::state;
use crate::workspace::Workspace;

/// The version of the file this crate writes.
const VERSION: u32 = 2;

/// What approvals of a project's settings, and of its overlays, are filed under in the place of a source.
const SETTINGS: &str = "settings";
const OVERLAYS: &str = "overlays";

/// The approvals a person has given.
///
/// An approval holds for exactly one thing: the facts of one [`Plan`], of one entry in one file of one workspace. When any of
/// them changes it holds no longer, and the person is asked again.
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
    /// Why there is no place to keep approvals.
    refused: Option<Box<(PathBuf, Problem)>>,
}

/// One record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Approval {
    #[serde(flatten)]
    pub(crate) identity: Identity,
    /// The digest of the facts that were approved. The records of version 1 had another, and approve nothing any more.
    #[serde(default)]
    pub(crate) plan: String,
    /// What the person confirmed by name.
    #[serde(default)]
    pub(crate) confirmed: BTreeSet<String>,
    /// Seconds since 1970.
    approved_at: u64,
}

impl Approval {
    fn new(identity: Identity, facts: &Facts, confirmed: BTreeSet<String>, now: SystemTime) -> Self {
        let approved_at = now.duration_since(UNIX_EPOCH).map_or(0, |duration| duration.as_secs());
        Self { identity, plan: facts.digest(), confirmed, approved_at }
    }
}

/// What an approval is filed under: one entry of one file in one workspace, in whatever state.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Identity {
    workspace: PathBuf,
    source: String,
    path: PathBuf,
    name: String,
}

#[derive(Debug, Clone)]
enum Change {
    Approve(Approval),
    Revoke(Identity),
}

#[derive(Debug, Serialize, Deserialize)]
struct Records {
    version: u32,
    approvals: Vec<Approval>,
}

impl Identity {
    /// Identifies an entry of a layer.
    pub(crate) fn new(layer: &Layer, name: &str) -> Self {
        Self {
            workspace: layer.workspace.clone(),
            source: layer.source.to_string(),
            path: disk::canonical(&layer.path),
            name: name.to_owned(),
        }
    }

    /// Returns the name of the server, or the key of the settings.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Identifies an overlay of a layer, which is another thing than a definition of the same name.
    pub(crate) fn of_overlay(layer: &Layer, name: &str) -> Self {
        Self { source: OVERLAYS.to_owned(), ..Self::new(layer, name) }
    }

    /// Identifies a key of a project's settings.
    pub(crate) fn of_setting(workspace: &Path, path: &Path, key: &str) -> Self {
        Self {
            workspace: workspace.to_path_buf(),
            source: SETTINGS.to_owned(),
            path: disk::canonical(path),
            name: key.to_owned(),
        }
    }
}

/// Why an approval is not given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotApprovable {
    /// It may run as it is, or never.
    #[error("it needs no approval")]
    NotNeeded,
    /// Nobody knows all that would run.
    #[error("nobody can say what would run: {}", .0.iter().map(|problem| &*problem.message).collect::<Vec<_>>().join("; "))]
    Unresolved(Vec<Problem>),
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
            Err(problem) => (Self { path: Some(path), ..Self::default() }, vec![problem]),
        }
    }

    /// Holds no approval and takes none: there is a reason not to believe what is kept at `path`, and
    /// [`save`](Self::save) gives it.
    pub fn refused(path: impl Into<PathBuf>, problem: Problem) -> Self {
        Self { refused: Some(Box::new((path.into(), problem))), ..Self::default() }
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

    /// Returns the names of the servers that were approved, in any workspace and in whatever state they were.
    pub fn server_names(&self) -> impl Iterator<Item = &str> {
        let identities = self.approvals.iter().map(|approval| &approval.identity);
        identities.filter(|identity| identity.source != SETTINGS && identity.source != OVERLAYS).map(Identity::name)
    }

    /// Approves a project's server exactly as the plan says, replacing an approval of an earlier state.
    ///
    /// What it wants beyond its project it does not get; see [`approve_with`](Self::approve_with).
    ///
    /// # Errors
    /// There is nothing to approve, or nobody can say what would run.
    pub fn approve(&mut self, plan: &Plan, now: SystemTime) -> Result<(), NotApprovable> {
        self.approve_with(plan, [], now)
    }

    /// Approves a project's server, and lets it have what was confirmed by name: of [`Plan::wants`](crate::Plan::wants), those
    /// that the person said yes to.
    ///
    /// # Errors
    /// Like [`approve`](Self::approve).
    pub fn approve_with<'a>(
        &mut self,
        plan: &Plan,
        confirmed: impl IntoIterator<Item = &'a str>,
        now: SystemTime,
    ) -> Result<(), NotApprovable> {
        let identity = plan.identity().ok_or(NotApprovable::NotNeeded)?.clone();
        if !plan.obstacles().is_empty() {
            return Err(NotApprovable::Unresolved(plan.obstacles().to_vec()));
        }
        let confirmed: BTreeSet<&str> = confirmed.into_iter().collect();
        let confirmed = plan.wants().filter(|want| confirmed.contains(want)).map(str::to_owned).collect();
        self.change(Change::Approve(Approval::new(identity, &plan.facts(), confirmed, now)));
        Ok(())
    }

    /// Approves what a project's settings or overlays would loosen, exactly as its facts say.
    pub fn approve_loosening(&mut self, loosening: &Loosening, now: SystemTime) {
        let Loosening { identity, facts, .. } = loosening;
        self.change(Change::Approve(Approval::new(identity.clone(), facts, BTreeSet::new(), now)));
    }

    /// Takes an approval back; tells whether there was one.
    pub fn revoke(&mut self, server: &Resolved) -> bool {
        server.identity.as_ref().is_some_and(|identity| self.revoke_identity(identity))
    }

    /// Takes back every approval of what a workspace's settings and overlays loosen, of those in force and those that no
    /// longer are; returns how many there were.
    pub fn revoke_loosenings(&mut self, workspace: &Workspace) -> usize {
        let is_loosening = |approval: &&Approval| {
            let Identity { workspace: place, source, .. } = &approval.identity;
            place == workspace.root() && (source == SETTINGS || source == OVERLAYS)
        };
        let identities: Vec<Identity> =
            self.approvals.iter().filter(is_loosening).map(|approval| approval.identity.clone()).collect();
        identities.iter().filter(|identity| self.revoke_identity(identity)).count()
    }

    fn revoke_identity(&mut self, identity: &Identity) -> bool {
        let known = self.find(identity).is_some();
        if known {
            self.change(Change::Revoke(identity.clone()));
        }
        known
    }

    /// What the person has confirmed by name for a server in force.
    pub fn confirmed(&self, server: &Resolved) -> BTreeSet<String> {
        server.approval.as_ref().map(|approval| approval.confirmed.clone()).unwrap_or_default()
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
        if let Some((path, problem)) = self.refused.as_deref() {
            return Err(Error::Unreadable { path: path.clone(), problem: Box::new(problem.clone()) });
        }
        let Some(path) = self.path.clone() else { return Ok(()) };
        let _lock = disk::lock_own(&path)?;
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
        Ok(())
    }

    /// Returns the approval of an entry, in whatever state that was.
    pub(crate) fn find(&self, identity: &Identity) -> Option<&Approval> {
        self.approvals.iter().find(|approval| approval.identity == *identity)
    }

    /// Tells whether exactly this was approved.
    pub fn has_approved(&self, loosening: &Loosening) -> bool {
        self.find(&loosening.identity).is_some_and(|approval| approval.plan == loosening.facts.digest())
    }

    pub(crate) fn allows_imports_of(&self, host: Host) -> bool {
        self.allowed_imports.contains(&host)
    }
}

fn apply(approvals: &mut Vec<Approval>, change: &Change) {
    let identity = match change {
        Change::Approve(approval) => &approval.identity,
        Change::Revoke(identity) => identity,
    };
    approvals.retain(|known| known.identity != *identity);
    if let Change::Approve(approval) = change {
        approvals.push(approval.clone());
    }
}

fn read_records(path: &Path) -> Result<Vec<Approval>, Problem> {
    state::check_file(path)?;
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
