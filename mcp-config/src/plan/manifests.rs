//! The files that well-known programs read by themselves from the directory they are pointed at, and that say what they run.

use std::path::Path;

/// Programs, or words of their command line, and what they read.
///
/// Only what decides which code is run is here: `npm start` runs what `package.json` says, while `npx` takes nothing from it,
/// but asks the registry that `.npmrc` names.
const MANIFESTS: [(&[&str], &[&str]); 9] = [
    // https://docs.npmjs.com/cli/configuring-npm, https://pnpm.io/npmrc, https://bun.sh/docs/runtime/bunfig
    (
        &["npm", "pnpm", "yarn", "bun"],
        &["package.json", ".npmrc", ".yarnrc.yml", ".pnpmfile.cjs", "pnpm-workspace.yaml", "bunfig.toml"],
    ),
    (&["npx", "bunx", "pnpx"], &[".npmrc", "bunfig.toml"]),
    // https://docs.deno.com/runtime/fundamentals/configuration
    (&["deno"], &["deno.json", "deno.jsonc"]),
    // https://docs.astral.sh/uv/concepts/configuration-files
    (&["uvx"], &["uv.toml"]),
    (&["uv", "poetry", "pdm", "hatch", "pixi"], &["pyproject.toml", "uv.toml", "poetry.toml", "pixi.toml"]),
    (&["make", "gmake"], &["Makefile", "makefile", "GNUmakefile"]),
    (&["cargo"], &["Cargo.toml", ".cargo/config.toml", "rust-toolchain.toml"]),
    // https://docs.docker.com/compose/intro/compose-application-model
    (&["compose", "docker-compose"], &["compose.yaml", "compose.yml", "docker-compose.yaml", "docker-compose.yml"]),
    (&["just", "task", "mise"], &["justfile", "Justfile", "Taskfile.yml", "mise.toml"]),
];

/// What an interpreter runs when it is given a directory, <https://nodejs.org/api/modules.html#folders-as-modules> and
/// <https://docs.python.org/3/using/cmdline.html#interface-options>.
const DIRECTORY_ENTRIES: [&str; 4] = ["package.json", "index.js", "index.ts", "__main__.py"];

/// Returns the names to look up for a command line, a shell's text in it included.
pub(super) fn names(command_line: &[&str]) -> Vec<String> {
    let words: Vec<&str> = command_line.iter().flat_map(|argument| argument.split_whitespace()).collect();
    let stems = words.iter().filter_map(|word| Path::new(word).file_stem()?.to_str());
    let read = stems.flat_map(|stem| {
        let named = MANIFESTS.iter().filter(move |(programs, _)| programs.contains(&stem));
        named.flat_map(|(_, files)| files.iter().map(|file| (*file).to_owned()))
    });
    let mut names: Vec<String> = read.collect();
    for pair in words.windows(2) {
        let [option, argument] = pair else { continue };
        if *option == "-m" {
            let path = argument.replace('.', "/");
            names.extend([format!("{path}.py"), format!("{path}/__main__.py"), format!("{path}/__init__.py")]);
        }
    }
    // A directory's own name is a word as well, so its entries are looked up below it and not beside it.
    for word in words.iter().skip(1).filter(|word| !word.starts_with('-')) {
        names.extend(DIRECTORY_ENTRIES.iter().map(|entry| format!("{}/{entry}", word.trim_end_matches('/'))));
    }
    names
}
