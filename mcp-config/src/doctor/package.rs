//! What is known about the programs that fetch servers from a registry.

/// A package that is fetched without a version.
pub(super) struct Unpinned {
    pub(super) package: String,
    pub(super) fix: String,
}

/// Finds the package that a command line fetches, when it names no version.
pub(super) fn unpinned(words: &[&str]) -> Option<Unpinned> {
    let (program, arguments) = words.split_first()?;
    let program = program.rsplit(['/', '\\']).next()?.trim_end_matches(".cmd").trim_end_matches(".exe");
    let arguments = match (program, arguments) {
        ("npx" | "bunx" | "uvx" | "pipx", arguments)
        | ("pnpm" | "yarn", ["dlx", arguments @ ..])
        | ("npm", ["exec", arguments @ ..]) => arguments,
        ("docker" | "podman", ["run", arguments @ ..]) => return unpinned_image(arguments),
        _ => return None,
    };
    let package = package(arguments)?;
    let is_python = matches!(program, "uvx" | "pipx");
    // A path, a URL or an archive is what it is.
    if package.contains("://") || package.starts_with(['.', '/', '~']) || package.contains("${") {
        return None;
    }
    let after_scope = package.strip_prefix('@').unwrap_or(package);
    let version = if is_python {
        package.split_once("==").or_else(|| package.split_once('@')).map(|(_, version)| version)
    } else {
        after_scope.split_once('@').map(|(_, version)| version)
    };
    let is_pinned = version.is_some_and(|version| version.starts_with(|first: char| first.is_ascii_digit()));
    let separator = if is_python { "==" } else { "@" };
    (!is_pinned).then(|| Unpinned {
        package: package.to_owned(),
        fix: format!(
            "name a version: `{}{separator}1.2.3`",
            package.split_once("@latest").map_or(package, |(name, _)| name)
        ),
    })
}

/// Returns the first word that is neither an option nor an option's value.
fn package<'a>(arguments: &[&'a str]) -> Option<&'a str> {
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match *word {
            "-p" | "--package" | "--from" => return words.next().copied(),
            "--with" | "--python" | "--index-url" | "--registry" | "-c" | "--call" => {
                words.next();
            }
            "--" | "run" => {}
            option if option.starts_with('-') => {
                if let Some((_, value)) = option.split_once("--package=").or_else(|| option.split_once("--from=")) {
                    return Some(value);
                }
            }
            package => return Some(package),
        }
    }
    None
}

fn unpinned_image(arguments: &[&str]) -> Option<Unpinned> {
    const WITH_VALUE: [&str; 12] = [
        "-e",
        "--env",
        "-v",
        "--volume",
        "--name",
        "--network",
        "-p",
        "--publish",
        "--mount",
        "-w",
        "--env-file",
        "-u",
    ];
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        if WITH_VALUE.contains(word) {
            words.next();
        } else if !word.starts_with('-') {
            let tag = word.rsplit('/').next().and_then(|name| name.split_once(':')).map(|(_, tag)| tag);
            let is_pinned = word.contains('@') || tag.is_some_and(|tag| tag != "latest") || word.contains("${");
            let image = word.strip_suffix(":latest").unwrap_or(word);
            return (!is_pinned).then(|| Unpinned {
                package: (*word).to_owned(),
                fix: format!("name a tag or a digest: `{image}:1.2.3`"),
            });
        }
    }
    None
}

/// Says where a well-known program comes from.
pub(super) fn install_hint(program: &str) -> String {
    match program {
        "npx" | "npm" | "node" => "install Node.js: https://nodejs.org".to_owned(),
        "uvx" | "uv" => "install uv: https://docs.astral.sh/uv".to_owned(),
        "docker" => "install Docker: https://docs.docker.com/get-docker".to_owned(),
        "bunx" | "bun" => "install Bun: https://bun.sh".to_owned(),
        "dnx" | "dotnet" => "install .NET: https://dotnet.microsoft.com/download".to_owned(),
        _ => "install it, or write its full path".to_owned(),
    }
}
