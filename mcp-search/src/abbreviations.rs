//! What developers write short: `PR` for a pull request, `ls` for listing a directory.
//!
//! The list was written from general knowledge of the trade, not from any set of queries or tools. Where one side is a
//! single word it holds in both directions; a phrase is reached from its short form only, since one of its words alone
//! says less.

/// How similar a short form and its long form are, as [`thesaurus`](crate::thesaurus) counts similarity.
const SAME: f32 = 0.9;
/// How similar a short form is to each word of a phrase.
const PART: f32 = 0.7;

/// The words that `word` stands for or that stand for it, with their similarity.
pub(crate) fn related(word: &str) -> impl Iterator<Item = (&'static str, f32)> {
    let long = SHORT_FORMS.binary_search_by_key(&word, |(short, _)| short).ok();
    let long = long.and_then(|at| SHORT_FORMS.get(at)).map_or("", |(_, long)| *long);
    let share = if long.contains(' ') { PART } else { SAME };
    let short = SHORT_FORMS.iter().filter(move |(_, long)| *long == word).map(|(short, _)| (*short, SAME));
    long.split_ascii_whitespace().map(move |part| (part, share)).chain(short)
}

/// Short forms and what they stand for, sorted. All are words as written, not stems.
const SHORT_FORMS: &[(&str, &str)] = &[
    ("admin", "administrator"),
    ("apps", "applications"),
    ("args", "arguments"),
    ("async", "asynchronous"),
    ("auth", "authentication"),
    ("authn", "authentication"),
    ("authz", "authorization"),
    ("cat", "read file"),
    ("cd", "directory"),
    ("cfg", "configuration"),
    ("chmod", "permissions"),
    ("ci", "workflow job"),
    ("cmd", "command"),
    ("config", "configuration"),
    ("coords", "coordinates"),
    ("cp", "copy"),
    ("creds", "credentials"),
    ("db", "database"),
    ("deps", "dependencies"),
    ("dev", "development"),
    ("dir", "directory"),
    ("dirs", "directories"),
    ("dm", "direct message"),
    ("doc", "document"),
    ("docs", "documents"),
    ("env", "environment"),
    ("exec", "execute"),
    ("fs", "file system"),
    ("func", "function"),
    ("geo", "location"),
    ("gh", "github"),
    ("grep", "search"),
    ("http", "request url"),
    ("img", "image"),
    ("info", "information"),
    ("js", "javascript"),
    ("k8s", "kubernetes"),
    ("kubectl", "kubernetes"),
    ("kv", "key value"),
    ("lang", "language"),
    ("lat", "latitude"),
    ("lib", "library"),
    ("lng", "longitude"),
    ("lon", "longitude"),
    ("ls", "list directory"),
    ("md", "markdown"),
    ("mkdir", "create directory"),
    ("mr", "merge request"),
    ("msg", "message"),
    ("mv", "move"),
    ("num", "number"),
    ("org", "organization"),
    ("param", "parameter"),
    ("params", "parameters"),
    ("perf", "performance"),
    ("perms", "permissions"),
    ("pic", "picture"),
    ("pr", "pull request"),
    ("prod", "production"),
    ("prs", "pull requests"),
    ("py", "python"),
    ("ref", "reference"),
    ("repo", "repository"),
    ("repos", "repositories"),
    ("rm", "delete"),
    ("rmdir", "delete directory"),
    ("sms", "text message"),
    ("spec", "specification"),
    ("stats", "statistics"),
    ("sync", "synchronize"),
    ("temp", "temperature"),
    ("todo", "task"),
    ("touch", "create file"),
    ("ts", "typescript"),
    ("tz", "timezone"),
    ("uri", "url"),
    ("usr", "user"),
    ("val", "value"),
    ("var", "variable"),
    ("vars", "variables"),
    ("vm", "virtual machine"),
    ("ws", "websocket"),
    ("xhr", "network request"),
];

#[cfg(test)]
mod tests {
    use super::{SHORT_FORMS, related};

    #[test]
    fn short_forms_are_sorted_and_distinct() {
        assert!(SHORT_FORMS.is_sorted_by(|left, right| left.0 < right.0));
    }

    #[test]
    fn single_words_hold_both_ways_and_phrases_one_way() {
        let words = |word| related(word).map(|(word, _)| word).collect::<Vec<_>>();
        assert_eq!(words("repo"), ["repository"]);
        assert_eq!(words("repository"), ["repo"]);
        assert_eq!(words("prs"), ["pull", "requests"]);
        assert!(words("pull").is_empty() && words("zebra").is_empty());
    }
}
