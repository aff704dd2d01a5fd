//! Writes another host's definition in the words of this toolkit's own files.
//!
//! Every structure is taken apart by all its fields: what is added to a definition one day is either written here or listed as
//! left out, or this does not compile.

use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use crate::layer::PluginDirectories;
use crate::login::{LoginFlow, OauthHints, ResourceHint};
use crate::new_server::{NewLaunch, NewServer};
use crate::secret::Secret;
use crate::server::{
    AutoApprove, Hints, Inherit, Input, LaunchTemplate, RemoteTemplate, ServerConfig, StdioTemplate, Timeouts,
    ToolFilter, Unknown,
};
use crate::template::{Piece, Substitute, Syntax, Template, Variable, literal};

/// How many keys without a meaning are named.
const MOST_NAMED_KEYS: usize = 10;

/// Returns the definition as it is to be written, and what of it is left out.
pub(super) fn translate(config: &ServerConfig, plugin: Option<&PluginDirectories>) -> (NewServer, Vec<String>) {
    let ServerConfig {
        launch,
        enabled,
        timeouts: Timeouts { startup, call },
        tools,
        auto_approve,
        oauth,
        inherit,
        hints,
        inputs,
        refusal,
        skipped,
        unknown,
    } = config;
    let mut translation = Translation { plugin, inputs, more: Map::new(), left_out: Vec::new() };
    let launch = match launch {
        LaunchTemplate::Stdio(stdio) => translation.program(stdio),
        LaunchTemplate::Remote(remote) => translation.endpoint(remote),
    };
    translation.add("startupTimeout", startup.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)));
    translation.tools(tools);
    translation.hints(hints);
    translation.oauth(oauth);
    translation.approvals(auto_approve);
    translation.inheritance(*inherit);
    translation.prompts();
    if refusal.is_some() {
        translation.leave_out("the sandbox or the policy that limits it");
    }
    translation.meaningless(skipped, unknown);
    let Translation { more, left_out, .. } = translation;
    (NewServer { launch, enabled: *enabled, timeout: *call, more }, left_out)
}

struct Translation<'a> {
    plugin: Option<&'a PluginDirectories>,
    inputs: &'a [Arc<Input>],
    /// What only this toolkit's own files have words for.
    more: Map<String, Json>,
    left_out: Vec<String>,
}

impl Translation<'_> {
    fn leave_out(&mut self, what: impl Into<String>) {
        self.left_out.push(what.into());
    }

    fn add(&mut self, key: &str, value: Option<impl Into<Json>>) {
        self.more.extend(value.map(|value| (key.to_owned(), value.into())));
    }

    fn program(&mut self, stdio: &StdioTemplate) -> NewLaunch {
        let StdioTemplate { command, args, env, forward, env_file, cwd } = stdio;
        let command = self.text("command", command);
        let args = args.iter().enumerate();
        let args = args.map(|(index, value)| Secret::new(self.text(&format!("args[{index}]"), value))).collect();
        let mut env = self.map("env", env);
        for name in forward {
            // Passing a variable on when it is set, and an empty one otherwise, is as near as a map of values comes.
            let reference = format!("${{{name}:-}}");
            if Template::new(reference.as_str(), Syntax::Toolkit).references().is_empty() {
                self.leave_out(format!("the variable `{name}` of the environment"));
            } else {
                env.entry(name.clone()).or_insert_with(|| Secret::new(reference));
            }
        }
        let env_file = env_file.as_ref().map(|file| self.text("envFile", file));
        self.add("envFile", env_file);
        let cwd = cwd.as_ref().map(|cwd| self.text("cwd", cwd));
        NewLaunch::Stdio { command, args, env, cwd }
    }

    fn endpoint(&mut self, remote: &RemoteTemplate) -> NewLaunch {
        let RemoteTemplate { transport, url, headers } = remote;
        let url = Secret::new(self.text("url", url));
        NewLaunch::Remote { url, transport: *transport, headers: self.map("headers", headers) }
    }

    fn map(&mut self, field: &str, values: &IndexMap<String, Template>) -> IndexMap<String, Secret> {
        let written = |(name, value): (&String, &Template)| {
            (name.clone(), Secret::new(self.text(&format!("{field}.{name}"), value)))
        };
        values.iter().map(written).collect()
    }

    /// Writes a template in this toolkit's syntax. What is no variable to the other host is none here.
    fn text(&mut self, field: &str, template: &Template) -> String {
        let path = |path: &std::path::Path| Substitute::Text(path.display().to_string());
        let translated = template.translated(&|variable| match variable {
            Variable::PluginRoot => self.plugin.map(|plugin| path(&plugin.root)),
            Variable::PluginData => self.plugin.map(|plugin| path(&plugin.data)),
            Variable::Input(id) => default_of(self.inputs, id).map(|default| Substitute::Default(default.to_owned())),
            _ => None,
        });
        for text in translated.kept {
            // The text may hold a value behind `:-`, which is nobody else's to see.
            let shown = text.split(":-").next().unwrap_or_default();
            self.leave_out(format!(
                "`{shown}` in `{field}` as a variable: to its host it is mere text, and it stays that"
            ));
        }
        translated.text
    }

    fn tools(&mut self, tools: &ToolFilter) {
        let ToolFilter { allow, deny } = tools;
        self.add("includeTools", allow.clone());
        self.add("excludeTools", (!deny.is_empty()).then(|| deny.clone()));
    }

    fn hints(&mut self, hints: &Hints) {
        let Hints { description, background, always_load, required, parallel_calls } = hints;
        self.add("description", description.clone());
        self.add("background", *background);
        self.add("alwaysLoad", *always_load);
        if required.is_some() {
            self.leave_out("whether a program must not go on without it");
        }
        if parallel_calls.is_some() {
            self.leave_out("whether calls may run in parallel");
        }
    }

    fn oauth(&mut self, hints: &OauthHints) {
        let OauthHints {
            disabled,
            flow,
            client_id,
            client_authentication,
            scopes,
            callback_port,
            redirect_uri,
            metadata_url,
            issuer,
            issuer_aliases,
            resource,
            proof,
            exceptions,
            legacy_endpoints,
            identity_provider,
            secrets,
        } = hints;
        // Only this toolkit's own files have words for these, and they are not imported.
        let is_own = *flow != LoginFlow::default() || client_authentication.is_some() || issuer.is_some();
        let is_own = is_own || !issuer_aliases.is_empty() || proof.is_some() || !exceptions.is_empty();
        if is_own || *legacy_endpoints || identity_provider.is_some() {
            self.leave_out("how its login differs from others");
        }
        let secret = secrets.client_secret.as_ref().map(|secret| self.text("oauth.clientSecret", secret));
        let resource = resource.as_ref().map(|resource| match resource {
            ResourceHint::Omitted => json!(false),
            ResourceHint::Exactly(text) => json!(text),
        });
        let members = [
            ("clientId", client_id.as_ref().map(|text| json!(text))),
            ("redirectUri", redirect_uri.as_ref().map(|text| json!(text))),
            ("authServerMetadataUrl", metadata_url.as_ref().map(|text| json!(text))),
            ("resource", resource),
            ("clientSecret", secret.map(|text| json!(text))),
            ("callbackPort", callback_port.map(|port| json!(port))),
            ("scopes", (!scopes.is_empty()).then(|| json!(scopes.join(" ")))),
        ];
        let mut oauth: Map<String, Json> =
            members.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))).collect();
        if *disabled && oauth.is_empty() {
            self.add("oauth", Some(false));
            return;
        }
        if *disabled {
            oauth.insert("enabled".to_owned(), json!(false));
        }
        self.add("oauth", (!oauth.is_empty()).then_some(oauth));
    }

    fn approvals(&mut self, approve: &AutoApprove) {
        match approve {
            AutoApprove::Nothing => {}
            AutoApprove::Tools(_) | AutoApprove::Everything => {
                self.leave_out("which tools are called without asking");
            }
        }
    }

    fn inheritance(&mut self, inherit: Inherit) {
        match inherit {
            Inherit::Safe => {}
            Inherit::All => self.leave_out("the whole environment, of which it gets what programs need to run"),
        }
    }

    /// The variables of prompts are written, with what is suggested for a default; there is no word for the questions.
    fn prompts(&mut self) {
        for input in self.inputs {
            let Input { id, is_described, description: _, is_secret, default, options } = &**input;
            if !is_described {
                continue;
            }
            let mut what = vec!["its question"];
            what.extend((!is_secret).then_some("that the answer is no secret"));
            what.extend((!options.is_empty()).then_some("the answers to choose from"));
            let loses_default = default.is_some() && default_of(self.inputs, id).is_none();
            what.extend(loses_default.then_some("what it suggests"));
            self.left_out.push(format!("of the prompt `{id}`: {}", what.join(", ")));
        }
    }

    fn meaningless(&mut self, skipped: &[&str], unknown: &Unknown) {
        let Unknown(members) = unknown;
        let keys = || skipped.iter().copied().chain(members.keys().map(String::as_str));
        let mut names: Vec<String> = keys().take(MOST_NAMED_KEYS).map(|key| format!("`{key}`")).collect();
        if names.is_empty() {
            return;
        }
        names.extend(keys().nth(MOST_NAMED_KEYS).map(|_| format!("{} more", keys().count() - MOST_NAMED_KEYS)));
        self.left_out.push(format!("keys that have no meaning here: {}", names.join(", ")));
    }
}

/// What a prompt suggests, where it can be written as a variable's default.
fn default_of<'a>(inputs: &'a [Arc<Input>], id: &str) -> Option<&'a str> {
    let default = inputs.iter().find(|input| input.id == id)?.default.as_deref()?;
    let written = Template::new(format!("${{input:{id}:-{}}}", literal(default)), Syntax::Toolkit);
    let [Piece::Variable(reference)] = &written.pieces()[..] else { return None };
    let is_read_back = match reference.default.as_deref() {
        Some([]) => default.is_empty(),
        Some([Piece::Literal(text)]) => text == default,
        _ => false,
    };
    is_read_back.then_some(default)
}
