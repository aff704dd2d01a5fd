//! Where a project begins and ends: the one place that decides what lies inside it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::disk;
use crate::environment::Environment;

/// How many directories up from the working directory a repository is looked for.
const MAX_DIRECTORIES: usize = 1000;

/// How many links that lead to nothing are followed one after the other; no more than operating systems do.
const MAX_LINKS: usize = 40;

/// The longest path that is looked up, in bytes. No file can have a longer one, and looking for it would take long.
const MAX_PATH: usize = 4096;

/// The project that somebody works in: the repository that holds the working directory, or the working directory alone.
///
/// ```
/// # let folder = tempfile::tempdir()?;
/// # let root = folder.path();
/// use mcp_config::{Environment, Workspace};
///
/// std::fs::create_dir_all(root.join("project/.git"))?;
/// std::fs::create_dir_all(root.join("project/src"))?;
/// let environment = Environment::new(root.join("project/src")).with_home(root.join("home"));
/// let workspace = Workspace::of(&environment);
/// assert!(workspace.contains(root.join("project/not/yet/there").as_path()));
/// assert!(!workspace.contains(root.join("project/../home").as_path()));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Workspace {
    directories: Vec<PathBuf>,
    is_users: bool,
}

impl Workspace {
    /// Finds the project of the environment's working directory.
    ///
    /// The walk up ends at the home directory and at the root of the file system: a repository there is not the project of
    /// everything below.
    pub fn of(environment: &Environment) -> Self {
        let cwd = disk::canonical(&environment.cwd);
        let home = environment.home.as_deref().map(disk::canonical);
        let directories = directories(&cwd, home.as_deref());
        let mut workspace = Self { directories, is_users: false };
        workspace.is_users = home.is_some_and(|home| workspace.is_place_of(&home));
        workspace
    }

    /// Returns the outermost directory, links resolved.
    pub fn root(&self) -> &Path {
        // There is always one: the working directory.
        self.directories.first().map_or(Path::new(""), PathBuf::as_path)
    }

    /// Returns the directories from the root down to the working directory, outermost first, links resolved.
    pub fn directories(&self) -> &[PathBuf] {
        &self.directories
    }

    /// Tells whether a path leads to a place inside the workspace, links followed as far as there are any: also a path at
    /// which nothing is yet. A relative path counts from the root.
    pub fn contains(&self, path: &Path) -> bool {
        is_inside(path, self.root())
    }

    /// Tells whether a file is the project's to say something in. That is what lies in the workspace, whoever's file it
    /// claims to be; except that nothing is when the user's whole home is there because they work in it or above it.
    ///
    /// A repository with the home directory somewhere below does own what is in it: whoever made the repository made that
    /// "home" too.
    pub fn owns(&self, path: &Path) -> bool {
        !self.is_users && self.contains(path)
    }

    /// Whether the workspace is a place where people have their homes, or such a home, and no project.
    fn is_place_of(&self, home: &Path) -> bool {
        let root = self.root();
        if root == home || root.parent().is_none() {
            return home.starts_with(root);
        }
        home.starts_with(root) && !is_repository(root) && !have_same_owner(root, home)
    }
}

/// Tells whether a path leads to a place inside a directory whose links are resolved; see [`Workspace::contains`].
pub(crate) fn is_inside(path: &Path, directory: &Path) -> bool {
    destination(&directory.join(path)).is_some_and(|destination| destination.starts_with(directory))
}

/// Returns the directories that make up the project, outermost first.
fn directories(cwd: &Path, home: Option<&Path>) -> Vec<PathBuf> {
    let is_end = |directory: &Path| home == Some(directory) || directory.parent().is_none();
    let walk = cwd.ancestors().take(MAX_DIRECTORIES).take_while(|directory| *directory == cwd || !is_end(directory));
    let mut directories: Vec<PathBuf> = Vec::new();
    for directory in walk {
        directories.push(directory.to_path_buf());
        if is_repository(directory) {
            directories.reverse();
            return directories;
        }
    }
    vec![cwd.to_path_buf()]
}

fn is_repository(directory: &Path) -> bool {
    directory.join(".git").exists()
}

/// Other people's homes are in a directory that is the administrator's; what is unpacked is the user's own.
#[cfg(unix)]
fn have_same_owner(one: &Path, other: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;

    let owner = |path: &Path| fs::metadata(path).ok().map(|metadata| metadata.uid());
    owner(one) == owner(other)
}

#[cfg(not(unix))]
fn have_same_owner(_: &Path, _: &Path) -> bool {
    false
}

/// Returns where a path leads once every link is followed; what is not there yet is taken as it is written. `None` is a path
/// that can lead nowhere.
pub(crate) fn destination(path: &Path) -> Option<PathBuf> {
    if path.as_os_str().len() > MAX_PATH {
        return None;
    }
    let mut path = path.to_path_buf();
    for _ in 0..=MAX_LINKS {
        let (found, missing) = deepest(&path)?;
        let Some((first, below)) = missing.split_first() else { return Some(found) };
        if let Ok(target) = fs::read_link(found.join(first)) {
            // A link that leads to nothing yet.
            path = found.join(target).join(below.iter().collect::<PathBuf>());
        } else if missing.iter().any(|name| name == "..") {
            // What is above a directory that is not there may be there, and be a link.
            path = climbed(found, &missing);
        } else {
            return Some(found.join(missing.iter().collect::<PathBuf>()));
        }
    }
    None
}

/// Returns the deepest ancestor that exists, with its links resolved, and the names below it.
fn deepest(path: &Path) -> Option<(PathBuf, Vec<OsString>)> {
    let mut names = Vec::new();
    for ancestor in path.ancestors() {
        if let Ok(found) = fs::canonicalize(ancestor) {
            names.reverse();
            return Some((found, names));
        }
        names.push(ancestor.components().next_back()?.as_os_str().to_owned());
    }
    None
}

/// Follows names of which none is there, `..` included.
fn climbed(mut path: PathBuf, names: &[OsString]) -> PathBuf {
    for name in names {
        if name == ".." {
            path.pop();
        } else {
            path.push(name);
        }
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is at each of these paths below a workspace `w` that has a neighbour `out`, and whether each is inside.
    #[test]
    fn what_is_inside() {
        let folder = tempfile::tempdir().unwrap();
        let base = disk::canonical(folder.path());
        for directory in ["w/.git", "w/sub", "out/deep"] {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        fs::write(base.join("w/file"), "").unwrap();
        let workspace = Workspace::of(&Environment::new(base.join("w/sub")).with_home(base.join("home")));
        assert_eq!(workspace.directories(), [base.join("w"), base.join("w/sub")]);
        let cases = [
            ("file", true),
            ("file/below", true),
            (".", true),
            ("sub/..", true),
            ("missing/a/b", true),
            ("missing/../file", true),
            ("..", false),
            ("../out", false),
            ("../w/file", true),
            ("../w2", false),
            ("missing/../../out/x", false),
            ("missing/../../w/x", true),
            ("missing/../../../../../../../../../../../../../..", false),
            ("nul\0byte", true),
        ];
        for (path, inside) in cases {
            assert_eq!(workspace.contains(&base.join("w").join(path)), inside, "{path}");
            assert_eq!(workspace.contains(Path::new(path)), inside, "{path}, relative");
        }
        let long = |length: usize| {
            let root = base.join("w/");
            let rest: String = "x/".chars().cycle().take(length - root.as_os_str().len()).collect();
            root.join(rest)
        };
        assert!(workspace.contains(&long(MAX_PATH)));
        assert!(!workspace.contains(&long(MAX_PATH + 1)), "a path that can lead nowhere");
    }

    /// Only the administrator can give a directory to somebody else; without that the other half is tried.
    #[cfg(unix)]
    #[test]
    fn a_place_where_people_have_their_homes_is_no_project() {
        use std::os::unix::fs::chown;

        let folder = tempfile::tempdir().unwrap();
        let base = disk::canonical(folder.path());
        let home = base.join("w/home");
        fs::create_dir_all(&home).unwrap();
        let owns = || Workspace::of(&Environment::new(base.join("w")).with_home(&home)).owns(&base.join("w/file"));
        assert!(owns(), "whoever unpacked it made that home too");
        if chown(&home, Some(12_345), None).is_err() {
            return;
        }
        assert!(!owns(), "the administrator's, with a user's home below");
        fs::create_dir(base.join("w/.git")).unwrap();
        assert!(owns(), "a repository owns what is in it");
        let elsewhere = Workspace::of(&Environment::new(base.join("w")).with_home(base.join("gone")));
        assert!(elsewhere.owns(&base.join("w/file")), "no home is in it");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_also_to_what_is_not_there() {
        use std::os::unix::fs::symlink;

        let folder = tempfile::tempdir().unwrap();
        let base = disk::canonical(folder.path());
        fs::create_dir_all(base.join("w/.git")).unwrap();
        fs::create_dir_all(base.join("out/deep")).unwrap();
        let links = [
            ("out", "../out"),
            ("deep", "../out/deep"),
            ("gone", "../out/gone"),
            ("twice", "gone"),
            ("absolute", "/nowhere/at/all"),
            ("stays", "./not-yet"),
            ("loop", "loop"),
            ("through", "missing/../out/new"),
        ];
        for (link, target) in links {
            symlink(target, base.join("w").join(link)).unwrap();
        }
        symlink(base.join("w"), base.join("alias")).unwrap();
        let workspace = Workspace::of(&Environment::new(base.join("alias")));
        assert_eq!(workspace.root(), base.join("w"));
        let cases = [
            ("out", false),
            ("out/new", false),
            ("deep/../new", false),
            ("deep/../../w/new", true),
            ("gone", false),
            ("gone/below", false),
            ("twice", false),
            ("absolute/x", false),
            ("stays", true),
            ("stays/below", true),
            ("loop", false),
            ("through", false),
            ("missing/../out/new", false),
            ("missing/../stays", true),
        ];
        for (path, inside) in cases {
            assert_eq!(workspace.contains(&base.join("w").join(path)), inside, "{path}");
            assert_eq!(workspace.contains(&base.join("alias").join(path)), inside, "{path}, by the alias");
        }
    }

    #[test]
    fn whose_place_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let base = disk::canonical(folder.path());
        for directory in ["ada/.git", "ada/work", "repository/.git", "repository/home", "repository/sub", "bare/home"] {
            fs::create_dir_all(base.join(directory)).unwrap();
        }
        let of = |cwd: &str, home: &str| {
            let environment = Environment::new(base.join(cwd)).with_home(base.join(home));
            (Workspace::of(&environment), base.join(home).join(".local/state"))
        };
        // In one's home nothing is a project's, though the home be a repository; below it, only what is below.
        let (workspace, state) = of("ada", "ada");
        assert!(!workspace.owns(&state) && workspace.contains(&state));
        let (workspace, state) = of("ada/work", "ada");
        assert!(workspace.root() == base.join("ada/work") && !workspace.owns(&state));
        // A home that a project brings along is the project's.
        for (cwd, home) in
            [("repository", "repository/home"), ("repository/sub", "repository/home"), ("bare", "bare/home")]
        {
            let (workspace, state) = of(cwd, home);
            assert!(workspace.owns(&state), "{home} in {cwd}");
        }
        let (workspace, state) = of("repository", "ada");
        assert!(!workspace.owns(&state) && workspace.owns(&base.join("repository/x")));
        // The root of the file system is nobody's project.
        let environment = Environment::new("/").with_home(&base);
        assert!(!Workspace::of(&environment).owns(&base.join("x")));
    }
}
