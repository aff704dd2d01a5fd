//! Which spellings of a variable each host expands.

/// A host's syntax. What each accepts is the table in [`Syntax::accepts`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Syntax {
    /// Ours: the union that shared files meet in practice, `${file:path}` included. Before a brace `$$` stands for a dollar that begins no
    /// variable.
    Toolkit,
    /// Claude Code: `${VAR}` and `${VAR:-default}` only, <https://code.claude.com/docs/en/mcp>.
    Claude,
    /// Gemini CLI: `$VAR`, `${VAR}`, `${VAR:-default}` and, on Windows, `%VAR%`,
    /// <https://github.com/google-gemini/gemini-cli/blob/main/docs/tools/mcp-server.md>.
    Gemini,
    /// Copilot CLI: `$VAR`, `${VAR}`, `${VAR:-default}`.
    Copilot,
    /// VS Code and Cursor: `${env:VAR}`, `${input:id}`, `${workspaceFolder}` …,
    /// <https://code.visualstudio.com/docs/reference/variables-reference>, <https://cursor.com/docs/mcp>.
    Editor,
    /// Windsurf: `${env:VAR}` and `${file:path}`, <https://docs.windsurf.com/windsurf/cascade/mcp>.
    Windsurf,
    /// `OpenCode`: `{env:VAR}` and `{file:path}`, <https://opencode.ai/docs/config/#variables>.
    OpenCode,
    /// Continue: `${{ secrets.VAR }}`, <https://docs.continue.dev/reference>.
    Continue,
    /// Plugin manifests: `${CLAUDE_PLUGIN_ROOT}` and its relatives beside Claude Code's own.
    Plugin,
    /// Hosts that expand nothing: Codex, Claude Desktop, Zed, Cline, `FreeCode`, hoocode, the Inspector.
    None,
}

/// One spelling of a variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Spelling {
    /// `${VAR}` and `${VAR:-default}`.
    DollarBrace,
    /// `${env:VAR}`.
    EnvPrefix,
    /// `$VAR`.
    Dollar,
    /// `%VAR%`.
    Percent,
    /// `{env:VAR}` and `{file:path}`.
    SingleBrace,
    /// `${{ secrets.VAR }}`.
    DoubleBrace,
    /// `${input:id}`.
    Input,
    /// `${workspaceFolder}`, `${userHome}` and the rest of the editors' list.
    Workspace,
    /// `${file:path}`.
    File,
    /// `${CLAUDE_PLUGIN_ROOT}` and its relatives.
    PluginRoot,
    /// `$$` before a brace for a dollar that begins no variable.
    Escape,
}

impl Syntax {
    /// Tells whether the host expands that spelling. `${keyring:name}` is ours and works in every file.
    pub(crate) fn accepts(self, spelling: Spelling) -> bool {
        use Spelling::{
            Dollar, DollarBrace, DoubleBrace, EnvPrefix, Escape, File, Input, Percent, PluginRoot, SingleBrace,
            Workspace,
        };
        let accepted: &[Spelling] = match self {
            Self::Toolkit => &[DollarBrace, EnvPrefix, Input, Workspace, File, Escape],
            Self::Claude => &[DollarBrace],
            Self::Gemini => &[DollarBrace, Dollar, Percent],
            Self::Copilot => &[DollarBrace, Dollar],
            Self::Editor => &[EnvPrefix, Input, Workspace],
            Self::Windsurf => &[EnvPrefix, File],
            Self::OpenCode => &[SingleBrace],
            Self::Continue => &[DoubleBrace],
            Self::Plugin => &[DollarBrace, PluginRoot],
            Self::None => &[],
        };
        accepted.contains(&spelling)
    }

    /// Says in one phrase what the host expands, for a message.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Toolkit => "`${VAR}`, `${VAR:-default}` and `${env:VAR}`",
            Self::Claude | Self::Plugin => "`${VAR}` and `${VAR:-default}`",
            Self::Gemini | Self::Copilot => "`$VAR`, `${VAR}` and `${VAR:-default}`",
            Self::Editor => "`${env:VAR}`, `${input:id}` and `${workspaceFolder}`",
            Self::Windsurf => "`${env:VAR}` and `${file:path}`",
            Self::OpenCode => "`{env:VAR}` and `{file:path}`",
            Self::Continue => "`${{ secrets.VAR }}`",
            Self::None => "no variables",
        }
    }

    /// Writes a reference to an environment variable in this syntax, or in ours where it has none.
    pub(crate) fn write(self, name: &str) -> String {
        match self {
            Self::Editor | Self::Windsurf => format!("${{env:{name}}}"),
            Self::OpenCode => format!("{{env:{name}}}"),
            Self::Continue => format!("${{{{ secrets.{name} }}}}"),
            Self::Toolkit | Self::Claude | Self::Gemini | Self::Copilot | Self::Plugin | Self::None => {
                format!("${{{name}}}")
            }
        }
    }
}
