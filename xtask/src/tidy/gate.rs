//! The gate: GitHub's workflows run what `.ci/run` runs, with the compiler and the actions that were chosen, and the README
//! tells newcomers a command that it runs as well.

const SCRIPT: &str = ".ci/run";

/// What a workflow gets wrong. `name` is its path from the root.
pub(super) fn check_workflow(name: &str, workflow: &str, rust: &str) -> Vec<String> {
    let mut findings = Vec::new();
    for line in workflow.lines().map(str::trim) {
        let action = line.trim_start_matches("- ").strip_prefix("uses:").map(str::trim);
        if let Some(action) = action.filter(|action| !pinned(action)) {
            findings.push(format!("{name}: `{action}`: pin actions as OWNER/NAME@COMMIT # VERSION"));
        }
        let mut words = line.split_whitespace().skip_while(|word| *word != "rustup");
        if let (Some(_), Some("toolchain"), Some("install"), Some(found)) =
            (words.next(), words.next(), words.next(), words.next())
            && found != rust
        {
            findings.push(format!("{name}: installs Rust {found}; `rust-version` is {rust}"));
        }
    }
    findings
}

/// What the workflows, taken together, the README and the script disagree about.
pub(super) fn check_script(workflows: &str, readme: &str, script: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let step = format!("- run: bash {SCRIPT}");
    if !workflows.lines().any(|line| line.trim() == step) {
        findings.push(format!(".github/workflows: none runs {SCRIPT}"));
    }
    for command in readme.lines().filter_map(|line| line.strip_prefix("$ cargo xtask ")) {
        let command = command.split('#').next().unwrap_or(command).trim();
        let line = format!("cargo xtask {command}");
        if !script.lines().any(|found| found == line) {
            findings.push(format!("README.md: `{line}` is not what {SCRIPT} runs"));
        }
    }
    findings
}

/// A tag can be moved to other code, a commit cannot. The version is for whoever updates it.
fn pinned(action: &str) -> bool {
    let Some((action, version)) = action.split_once(" # ") else { return action.starts_with("./") };
    let commit = action.split_once('@').map_or("", |(_, commit)| commit);
    let is_commit = commit.len() == 40 && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_commit && version.starts_with('v') && version.split('.').count() == 3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actions_are_pinned() {
        let commit = "0123456789abcdef0123456789abcdef01234567";
        let check = |action: &str, findings: usize| {
            for workflow in [format!("      - uses: {action}\n"), format!("      - id: x\n        uses: {action}\n")] {
                assert_eq!(check_workflow("ci.yml", &workflow, "1.95").len(), findings, "{workflow}");
            }
        };
        check(&format!("actions/checkout@{commit} # v6.0.2"), 0);
        check("./.github/actions/ours", 0);
        check("actions/checkout@v6", 1);
        check("actions/checkout@v6.0.2 # v6.0.2", 1);
        check("actions/checkout", 1);
        check(&format!("actions/checkout@{commit}"), 1);
        check(&format!("actions/checkout@{commit} # v6"), 1);
        check(&format!("actions/checkout@{} # v6.0.2", commit.replace('a', "")), 1);
        check(&format!("actions/checkout@{} # v6.0.2", commit.replace('a', "g")), 1);
    }

    #[test]
    fn workflows_use_the_oldest_compiler() {
        let check = |version: &str, findings: usize| {
            let workflow = format!("      - run: rustup toolchain install {version} --profile minimal\n");
            assert_eq!(check_workflow("ci.yml", &workflow, "1.95").len(), findings, "{version}");
        };
        check("1.95", 0);
        check("1.96", 1);
        check("stable", 1);
    }

    #[test]
    fn the_script_is_what_runs_everywhere() {
        let check = |workflows: &str, readme: &str, findings: usize| {
            let script = "set -e\ncargo xtask test\ncargo xtask ci\n";
            assert_eq!(check_script(workflows, readme, script).len(), findings, "{workflows}{readme}");
        };
        let workflow = "      - run: bash .ci/run\n";
        check(workflow, "$ cargo xtask test    # run the tests\n", 0);
        check(workflow, "$ cargo run -p mcp-cli -- demo\nrun cargo xtask tests\n", 0);
        check("      - run: cargo test\n", "$ cargo xtask test\n", 1);
        check(workflow, "$ cargo xtask tests\n", 1);
        check(workflow, "$ cargo xtask te\n", 1);
    }
}
