//! Reads the suite and compares verdicts.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use mcp_schema::{Dialect, Limits, Pass, Schema, merge_all_of, resolve, upgrade};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The drafts, with the folder that holds their tests.
pub(crate) const DRAFTS: [(Dialect, &str); 5] = [
    (Dialect::Draft4, "draft4"),
    (Dialect::Draft6, "draft6"),
    (Dialect::Draft7, "draft7"),
    (Dialect::Draft201909, "draft2019-09"),
    (Dialect::Draft202012, "draft2020-12"),
];

/// A pass over a schema.
type PassFunction = fn(&Schema) -> Pass;

/// The passes that may not change a verdict.
const PASSES: [(&str, PassFunction); 3] = [("upgrade", upgrade), ("resolve", resolve), ("merge_all_of", merge_all_of)];

/// Where the suite serves its remote schemas from.
const REMOTES: &str = "http://localhost:1234/";

/// The URI under which a group's schema is found when it is wrapped.
const WRAPPED: &str = "http://localhost:1234/wrapped/schema";

/// One group of the suite.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Group {
    /// What the group is about.
    pub(crate) description: String,
    /// The schema.
    pub(crate) schema: Value,
    /// Its instances.
    pub(crate) tests: Vec<Test>,
}

/// One instance of a group.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Test {
    /// What the instance shows.
    pub(crate) description: String,
    /// The instance.
    pub(crate) data: Value,
    /// The verdict.
    pub(crate) valid: bool,
}

/// A group that may differ, and why.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Exception {
    group: String,
    reason: String,
}

/// What running the suite showed.
#[derive(Debug, Default)]
pub(crate) struct Summary {
    /// Groups that were run.
    pub(crate) groups: usize,
    /// Verdicts that changed, one line each, exceptions left out.
    pub(crate) changes: Vec<String>,
    /// Exceptions that were needed.
    pub(crate) exceptions: usize,
    /// Exceptions that were not needed.
    pub(crate) unused_exceptions: Vec<String>,
    /// Groups with `$ref` or `allOf` that are not recursive.
    pub(crate) referring: usize,
    /// Those of them that came out without.
    pub(crate) resolved: usize,
    /// The groups that did not.
    pub(crate) unresolved: Vec<String>,
}

impl Summary {
    /// Whether the run may count as passed.
    pub(crate) fn is_good(&self) -> bool {
        self.changes.is_empty() && self.unused_exceptions.is_empty() && self.groups > 0
    }

    /// The share of groups that came out without `$ref` and `allOf`, in whole per cent.
    pub(crate) fn percent(&self) -> usize {
        (self.resolved * 100).checked_div(self.referring).unwrap_or(100)
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (groups, changes, exceptions) = (self.groups, self.changes.len(), self.exceptions);
        let resolved = self.percent();
        write!(formatter, "groups {groups} verdict-changes {changes} exceptions {exceptions} resolved {resolved}%")
    }
}

/// Runs all drafts.
///
/// # Errors
///
/// When the folder does not hold the suite.
pub(crate) fn run(folder: &Path) -> io::Result<Summary> {
    let exceptions: Vec<Exception> = serde_json::from_str(include_str!("exceptions.json"))?;
    let mut summary = Summary::default();
    let mut used: Vec<&str> = Vec::new();
    for (dialect, name) in DRAFTS {
        let remotes = remotes(folder, name)?;
        for (file, group) in groups(folder, name)? {
            let id = format!("{name}/{file}: {}", group.description);
            summary.groups += 1;
            let changes = check(&group, dialect, &remotes, &id);
            if !changes.is_empty()
                && let Some(known) = exceptions.iter().find(|known| known.group == id)
            {
                used.push(&known.group);
            } else {
                summary.changes.extend(changes);
            }
            count_resolved(&mut summary, &group, dialect, &remotes, &id);
        }
    }
    summary.exceptions = used.len();
    let unused = exceptions.iter().filter(|known| !used.contains(&known.group.as_str()));
    summary.unused_exceptions = unused.map(|known| format!("{} ({})", known.group, known.reason)).collect();
    Ok(summary)
}

/// The mandatory groups of one draft, with the file each is in.
///
/// # Errors
///
/// When the folder does not hold the suite.
pub(crate) fn groups(folder: &Path, draft: &str) -> io::Result<Vec<(String, Group)>> {
    let mut found = Vec::new();
    for path in files(&folder.join("tests").join(draft), false)? {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let groups: Vec<Group> = serde_json::from_str(&fs::read_to_string(&path)?)?;
        found.extend(groups.into_iter().map(|group| (file.clone(), group)));
    }
    Ok(found)
}

/// The documents that a draft's groups may refer to.
///
/// # Errors
///
/// When the folder does not hold the suite.
pub(crate) fn remotes(folder: &Path, draft: &str) -> io::Result<Vec<(String, Value)>> {
    let root = folder.join("remotes");
    let mut found = Vec::new();
    for path in files(&root, true)? {
        let relative = path.strip_prefix(&root).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let owner = relative.split('/').next().unwrap_or_default();
        let is_of_another_draft = (owner.starts_with("draft") || owner == "v1") && owner != draft;
        if !is_of_another_draft {
            found.push((format!("{REMOTES}{relative}"), serde_json::from_str(&fs::read_to_string(&path)?)?));
        }
    }
    Ok(found)
}

fn files(folder: &Path, recursive: bool) -> io::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() && recursive {
            found.extend(files(&path, true)?);
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// Parses a group's schema in its draft.
///
/// # Errors
///
/// When the schema is refused, as text.
pub(crate) fn parse(schema: &Value, dialect: Dialect, remotes: &[(String, Value)]) -> Result<Schema, String> {
    let declared = declare(schema.clone(), dialect);
    // Only a few groups refer to remote documents; indexing all of them for every group takes most of the time.
    let text = declared.to_string();
    let needed =
        if text.contains(REMOTES) || text.contains("\"$id\"") || text.contains("\"id\"") { remotes } else { &[] };
    Schema::parse_with_resources(declared, needed, Limits::default()).map_err(|error| error.to_string())
}

/// Says in which draft a schema is written, unless it says so itself.
fn declare(mut schema: Value, dialect: Dialect) -> Value {
    if let Value::Object(entries) = &mut schema {
        entries.entry("$schema").or_insert_with(|| json!(dialect.uri()));
    }
    schema
}

/// Parses a group's schema as the property `v` of a tool.
///
/// # Errors
///
/// When the schema is refused, as text.
pub(crate) fn parse_wrapped(schema: &Value, dialect: Dialect, remotes: &[(String, Value)]) -> Result<Schema, String> {
    let text = schema.to_string();
    let is_self_contained = !text.contains(REMOTES) && !text.contains("\"$id\"") && !text.contains("\"id\"");
    let mut resources = if is_self_contained { Vec::new() } else { remotes.to_vec() };
    resources.push((WRAPPED.to_owned(), declare(schema.clone(), dialect)));
    let tool = json!({
        "$schema": dialect.uri(), "type": "object", "properties": {"v": {"$ref": WRAPPED}}, "required": ["v"],
    });
    parse(&tool, dialect, &resources)
}

fn check(group: &Group, dialect: Dialect, remotes: &[(String, Value)], id: &str) -> Vec<String> {
    let mut changes = Vec::new();
    let plain = (parse(&group.schema, dialect, remotes), false);
    let wrapped = (parse_wrapped(&group.schema, dialect, remotes), true);
    for (parsed, is_wrapped) in [plain, wrapped] {
        let label = if is_wrapped { "wrapped, " } else { "" };
        match parsed {
            Ok(schema) => {
                for (name, pass) in PASSES {
                    let changed = compare(group, &pass(&schema).schema, is_wrapped);
                    changes.extend(changed.into_iter().map(|change| format!("{id}: {label}{name}: {change}")));
                }
            }
            Err(error) => changes.push(format!("{id}: {label}{error}")),
        }
    }
    changes
}

fn compare(group: &Group, schema: &Value, is_wrapped: bool) -> Vec<String> {
    let options = jsonschema::draft202012::options().offline().should_validate_formats(false);
    let validator = match options.build(schema) {
        Ok(validator) => validator,
        Err(error) => return vec![format!("does not compile: {error} in {schema}")],
    };
    let instance = |test: &Test| {
        if is_wrapped {
            Value::Object(Map::from_iter([("v".to_owned(), test.data.clone())]))
        } else {
            test.data.clone()
        }
    };
    let changed = group.tests.iter().filter(|test| validator.is_valid(&instance(test)) != test.valid);
    changed.map(|test| format!("{} should be {} in {schema}", test.description, test.valid)).collect()
}

fn count_resolved(summary: &mut Summary, group: &Group, dialect: Dialect, remotes: &[(String, Value)], id: &str) {
    let Ok(schema) = parse(&group.schema, dialect, remotes) else { return };
    if !mentions(&upgrade(&schema).schema) {
        return;
    }
    let merged = merge_all_of(&schema).schema;
    if is_recursive(&resolve(&schema).schema) && !merged.to_string().contains("\"allOf\"") {
        return;
    }
    summary.referring += 1;
    if mentions(&merged) {
        summary.unresolved.push(id.to_owned());
    } else {
        summary.resolved += 1;
    }
}

/// Whether a self-contained schema has `$ref` or `allOf` as keywords.
fn mentions(schema: &Value) -> bool {
    match schema {
        Value::Object(entries) => entries.iter().any(|(word, value)| match word.as_str() {
            "$ref" => value.is_string(),
            "allOf" => value.is_array(),
            "const" | "enum" | "default" | "examples" => false,
            "properties" | "patternProperties" | "dependentSchemas" | "$defs" => {
                value.as_object().is_some_and(|map| map.values().any(mentions))
            }
            _ => mentions(value),
        }),
        Value::Array(items) => items.iter().any(mentions),
        _ => false,
    }
}

/// Resolving leaves references only to what is recursive.
fn is_recursive(resolved: &Value) -> bool {
    resolved.get("$defs").is_some() || resolved.to_string().contains(r##""$ref":"#""##)
}
