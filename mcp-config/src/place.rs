//! Where each host keeps its servers: one function per host, each citing the vendor.

use std::path::PathBuf;

use crate::dialect::Dialect;
use crate::environment::{Environment, Platform};
use crate::source::{Host, Scope, Source};

/// A file, or a family of files, to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) source: Source,
    pub(crate) dialect: Dialect,
    pub(crate) path: PathBuf,
    pub(crate) kind: PlaceKind,
    /// Whether an administrator put it there, for every user of the machine.
    pub(crate) is_machine_wide: bool,
}

/// What a place's path names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    File,
    /// A directory, of which every file with this extension is meant; the first by name wins.
    Directory(&'static [&'static str]),
    /// A directory, in whose sub-directories with this prefix the file lies.
    Below {
        prefix: &'static str,
        file: &'static str,
    },
}

impl Place {
    fn new(source: Source, dialect: Dialect, path: PathBuf) -> Self {
        Self { source, dialect, path, kind: PlaceKind::File, is_machine_wide: false }
    }

    fn machine_wide(mut self) -> Self {
        self.is_machine_wide = true;
        self
    }

    fn of_kind(mut self, kind: PlaceKind) -> Self {
        self.kind = kind;
        self
    }
}

/// What the places of a host depend on.
pub(crate) struct Surroundings<'a> {
    pub(crate) environment: &'a Environment,
    /// The directories of the current project, outermost first.
    pub(crate) projects: &'a [PathBuf],
}

impl Surroundings<'_> {
    /// Returns one host's places, lowest precedence first. `standing` is that of its user-level files: [`Scope::User`]
    /// when the host is looked at alone.
    pub(crate) fn of(&self, host: Host, standing: Scope) -> Vec<Place> {
        let places = Places { surroundings: self, host, standing, found: Vec::new() };
        match host {
            Host::Toolkit => places.toolkit(),
            Host::ClaudeCode => places.claude_code(),
            Host::ClaudeDesktop => places.claude_desktop(),
            Host::VsCode => places.vscode(),
            Host::Cursor => {
                places.home(Dialect::Cursor, ".cursor/mcp.json").project(Dialect::Cursor, ".cursor/mcp.json")
            }
            Host::Windsurf => places.windsurf(),
            Host::Codex => places.codex(),
            Host::Gemini => places.gemini(),
            Host::OpenCode => places.opencode(),
            Host::Copilot => places.copilot(),
            Host::Zed => places.zed(),
            Host::Cline => places.cline(),
            Host::Roo => places.roo(),
            Host::Goose => places.goose(),
            Host::Continue => places.continue_dev(),
            Host::Inspector => places.inspector(),
            Host::FreeCode => places.home(Dialect::FreeCode, ".freecode/config.json"),
            Host::Hoocode => places.hoocode(),
        }
        .found
    }
}

/// Collects one host's places, lowest precedence first.
struct Places<'a> {
    surroundings: &'a Surroundings<'a>,
    host: Host,
    standing: Scope,
    found: Vec<Place>,
}

impl Places<'_> {
    fn environment(&self) -> &Environment {
        self.surroundings.environment
    }

    /// Whether the host is looked at alone, so that files it shares with this toolkit are its own.
    fn is_alone(&self) -> bool {
        self.standing == Scope::User
    }

    fn user(mut self, dialect: Dialect, path: Option<PathBuf>) -> Self {
        let source = Source::new(self.host, self.standing);
        self.found.extend(path.map(|path| Place::new(source, dialect, path)));
        self
    }

    fn home(self, dialect: Dialect, path: &str) -> Self {
        let path = self.environment().in_home(path);
        self.user(dialect, path)
    }

    fn kind(mut self, kind: PlaceKind, dialect: Dialect, path: Option<PathBuf>) -> Self {
        let source = Source::new(self.host, self.standing);
        self.found.extend(path.map(|path| Place::new(source, dialect, path).of_kind(kind)));
        self
    }

    fn machine(mut self, dialect: Dialect, path: &str) -> Self {
        let source = Source::new(self.host, self.standing);
        let path = self.environment().system_root.join(path);
        self.found.push(Place::new(source, dialect, path).machine_wide());
        self
    }

    /// The file in every directory of the project, the nearest winning.
    fn project(mut self, dialect: Dialect, path: &str) -> Self {
        let source = Source::new(self.host, Scope::Project);
        for directory in self.surroundings.projects {
            self.found.push(Place::new(source, dialect, directory.join(path)));
        }
        self
    }

    /// The file in the working directory alone.
    fn here(mut self, dialect: Dialect, path: &str, kind: PlaceKind) -> Self {
        let source = Source::new(self.host, Scope::Project);
        let path = self.environment().cwd.join(path);
        self.found.push(Place::new(source, dialect, path).of_kind(kind));
        self
    }

    fn toolkit(mut self) -> Self {
        self.standing = Scope::User;
        let settings = self.environment().settings_file();
        self.home(Dialect::Toolkit, ".agents/mcp.json")
            .user(Dialect::Settings, settings)
            .project(Dialect::Toolkit, ".agents/mcp.json")
            .project(Dialect::Toolkit, ".mcp.json")
            .project(Dialect::Settings, ".agents/settings.json")
    }

    /// <https://code.claude.com/docs/en/mcp#mcp-installation-scopes>: 1. user (lowest), 2. project, 3. local; and the
    /// managed file, which excludes all of them.
    fn claude_code(self) -> Self {
        let directory = self.environment().directory_var("CLAUDE_CONFIG_DIR");
        let file =
            directory.or_else(|| self.environment().home.clone()).map(|directory| directory.join(".claude.json"));
        let managed = match self.environment().platform {
            Platform::Linux => "etc/claude-code/managed-mcp.json",
            Platform::MacOs => "Library/Application Support/ClaudeCode/managed-mcp.json",
            Platform::Windows => "Program Files/ClaudeCode/managed-mcp.json",
        };
        let mut places = self.user(Dialect::Claude, file.clone());
        if places.is_alone() {
            // Looked at beside others, `.mcp.json` is this toolkit's own file.
            places = places.project(Dialect::Toolkit, ".mcp.json");
        }
        let local = Source::new(places.host, Scope::Project);
        places.found.extend(file.map(|file| Place::new(local, Dialect::ClaudeLocal, file)));
        places.machine(Dialect::ClaudeManaged, managed)
    }

    /// <https://modelcontextprotocol.io/docs/develop/connect-local-servers>, and the file hoocode takes for Claude Desktop's.
    fn claude_desktop(self) -> Self {
        let environment = self.environment();
        let file =
            environment.application_support().map(|directory| directory.join("Claude/claude_desktop_config.json"));
        let other = environment.in_home(".config/claude/mcp.json");
        // The Microsoft Store's package keeps its own copy of the directory.
        let packages = (environment.platform == Platform::Windows)
            .then(|| environment.directory_var("LOCALAPPDATA"))
            .flatten()
            .map(|directory| directory.join("Packages"));
        let below =
            PlaceKind::Below { prefix: "Claude_", file: "LocalCache/Roaming/Claude/claude_desktop_config.json" };
        self.user(Dialect::ClaudeDesktop, other)
            .kind(below, Dialect::ClaudeDesktop, packages)
            .user(Dialect::ClaudeDesktop, file)
    }

    /// <https://code.visualstudio.com/docs/copilot/customization/mcp-servers>: settings of old, profiles, the user's file,
    /// the workspace's.
    fn vscode(mut self) -> Self {
        for product in ["VSCodium", "Code - Insiders", "Code"] {
            let user = self.environment().application_support().map(|directory| directory.join(product).join("User"));
            let within = |file: &str| user.as_ref().map(|user| user.join(file));
            let below = PlaceKind::Below { prefix: "", file: "mcp.json" };
            self = self
                .user(Dialect::VsCodeSettings, within("settings.json"))
                .kind(below, Dialect::VsCode, within("profiles"))
                .user(Dialect::VsCode, within("mcp.json"));
        }
        self.project(Dialect::VsCodeSettings, ".vscode/settings.json").project(Dialect::VsCode, ".vscode/mcp.json")
    }

    /// <https://docs.windsurf.com/windsurf/cascade/mcp>; the plugin for `JetBrains` has a file of its own.
    fn windsurf(self) -> Self {
        self.home(Dialect::Windsurf, ".codeium/mcp_config.json")
            .home(Dialect::Windsurf, ".codeium/windsurf-next/mcp_config.json")
            .home(Dialect::Windsurf, ".codeium/windsurf/mcp_config.json")
    }

    /// <https://github.com/openai/codex/blob/main/docs/config.md>: system, user, project.
    fn codex(self) -> Self {
        let home = self.environment().directory_var("CODEX_HOME").or_else(|| self.environment().in_home(".codex"));
        let system = match self.environment().platform {
            Platform::Linux | Platform::MacOs => "etc/codex/config.toml",
            Platform::Windows => "ProgramData/OpenAI/Codex/config.toml",
        };
        self.machine(Dialect::Codex, system)
            .user(Dialect::Codex, home.map(|home| home.join("config.toml")))
            .project(Dialect::Codex, ".codex/config.toml")
    }

    /// <https://github.com/google-gemini/gemini-cli/blob/main/docs/reference/configuration.md>: user, project, system.
    fn gemini(self) -> Self {
        let system = match self.environment().platform {
            Platform::Linux => "etc/gemini-cli/settings.json",
            Platform::MacOs => "Library/Application Support/GeminiCli/settings.json",
            Platform::Windows => "ProgramData/gemini-cli/settings.json",
        };
        self.home(Dialect::Gemini, ".gemini/settings.json")
            .project(Dialect::Gemini, ".gemini/settings.json")
            .machine(Dialect::Gemini, system)
    }

    /// <https://opencode.ai/docs/config/#locations>.
    fn opencode(mut self) -> Self {
        let directory = self.environment().config_home().map(|directory| directory.join("opencode"));
        let named = self.environment().file_var("OPENCODE_CONFIG");
        for name in ["opencode.json", "opencode.jsonc"] {
            let file = directory.as_ref().map(|directory| directory.join(name));
            self = self.user(Dialect::OpenCode, file);
        }
        self.user(Dialect::OpenCode, named)
            .project(Dialect::OpenCode, "opencode.json")
            .project(Dialect::OpenCode, "opencode.jsonc")
            .project(Dialect::OpenCode, ".opencode/opencode.json")
            .project(Dialect::OpenCode, ".opencode/opencode.jsonc")
    }

    /// <https://docs.github.com/en/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers>.
    fn copilot(self) -> Self {
        let home = self.environment().directory_var("COPILOT_HOME").or_else(|| self.environment().in_home(".copilot"));
        let places = self
            .user(Dialect::Copilot, home.map(|home| home.join("mcp-config.json")))
            .project(Dialect::Copilot, ".github/mcp.json");
        if places.is_alone() { places.project(Dialect::Copilot, ".mcp.json") } else { places }
    }

    /// <https://zed.dev/docs/configuring-zed#settings-files>; macOS uses `~/.config` as well.
    fn zed(self) -> Self {
        let environment = self.environment();
        let file = match environment.platform {
            Platform::Linux | Platform::MacOs => environment.config_home().map(|home| home.join("zed/settings.json")),
            Platform::Windows => environment.application_support().map(|home| home.join("Zed/settings.json")),
        };
        self.user(Dialect::Zed, file).project(Dialect::Zed, ".zed/settings.json")
    }

    /// <https://docs.cline.bot/mcp/configuring-mcp-servers>.
    fn cline(self) -> Self {
        let file = self.extension_storage("saoudrizwan.claude-dev", "cline_mcp_settings.json");
        self.home(Dialect::Cline, ".cline/data/settings/cline_mcp_settings.json").user(Dialect::Cline, file)
    }

    /// <https://docs.roocode.com/features/mcp/using-mcp-in-roo>: the project wins.
    fn roo(self) -> Self {
        let file = self.extension_storage("rooveterinaryinc.roo-cline", "mcp_settings.json");
        self.user(Dialect::Roo, file).project(Dialect::Roo, ".roo/mcp.json")
    }

    /// Where an extension of VS Code keeps its settings.
    fn extension_storage(&self, extension: &str, file: &str) -> Option<PathBuf> {
        let support = self.environment().application_support()?;
        Some(support.join("Code/User/globalStorage").join(extension).join("settings").join(file))
    }

    /// <https://block.github.io/goose/docs/guides/config-files>.
    #[cfg(feature = "yaml")]
    fn goose(self) -> Self {
        let environment = self.environment();
        let file = match environment.platform {
            Platform::Linux | Platform::MacOs => environment.config_home().map(|home| home.join("goose/config.yaml")),
            Platform::Windows => {
                environment.application_support().map(|home| home.join("Block/goose/config/config.yaml"))
            }
        };
        self.user(Dialect::Goose, file)
    }

    #[cfg(not(feature = "yaml"))]
    fn goose(self) -> Self {
        self
    }

    /// <https://docs.continue.dev/customize/deep-dives/mcp>.
    fn continue_dev(self) -> Self {
        let directory = self.environment().in_home(".continue/mcpServers");
        let places = self.continue_yaml();
        places.kind(PlaceKind::Directory(&["json"]), Dialect::ContinueJson, directory).here(
            Dialect::ContinueJson,
            ".continue/mcpServers",
            PlaceKind::Directory(&["json"]),
        )
    }

    #[cfg(feature = "yaml")]
    fn continue_yaml(self) -> Self {
        let directory = self.environment().in_home(".continue/mcpServers");
        self.home(Dialect::ContinueYaml, ".continue/config.yml")
            .home(Dialect::ContinueYaml, ".continue/config.yaml")
            .kind(PlaceKind::Directory(&["yaml", "yml"]), Dialect::ContinueYaml, directory)
            .here(Dialect::ContinueYaml, ".continue/mcpServers", PlaceKind::Directory(&["yaml", "yml"]))
    }

    #[cfg(not(feature = "yaml"))]
    fn continue_yaml(self) -> Self {
        self
    }

    /// <https://modelcontextprotocol.io/docs/tools/inspector>.
    fn inspector(self) -> Self {
        let named = self.environment().file_var("MCP_CATALOG_PATH");
        let file = named.or_else(|| self.environment().in_home(".mcp-inspector/mcp.json"));
        self.user(Dialect::Inspector, file)
    }

    /// The reverse of the list at [`Preset::Hoocode`](crate::Preset::Hoocode). Beside other hosts, the files it shares with
    /// them are theirs.
    fn hoocode(self) -> Self {
        let own = self.environment().directory_var("HOOCODE_DIR").or_else(|| self.environment().in_home(".hoocode"));
        let servers = own.map(|directory| directory.join("mcp-servers"));
        let json = PlaceKind::Directory(&["json"]);
        let places =
            self.here(Dialect::HoocodeSingle, ".hoocode/mcp-servers", json).kind(json, Dialect::HoocodeSingle, servers);
        if !places.is_alone() {
            return places;
        }
        places
            .home(Dialect::Hoocode, ".config/claude/mcp.json")
            .here(Dialect::Hoocode, ".agents/mcp.json", PlaceKind::File)
            .home(Dialect::Hoocode, ".agents/mcp.json")
    }
}
