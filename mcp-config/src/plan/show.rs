//! What a person is shown of a plan, which is also what they approve.
//!
//! Every struct is taken apart field by field, so that nothing can be added to a plan and be forgotten here.

use std::path::Path;

use super::files::WorkspaceFile;
use super::text::Text;
use super::{Content, Inheritance, PlannedEnvFile, PlannedLaunch, PlannedProgram, PlannedRemote};
use crate::facts::{Fact, Facts, Topic};
use crate::login::{IdentityProviderHint, LoginException, LoginFlow, LoginSecrets, OauthHints, ResourceHint};
use crate::mask;
use crate::secret::sha256;
use crate::server::{AutoApprove, Hints, Inherit, Input, RemoteTransport, Timeouts, ToolFilter};
use crate::template::{Syntax, Template, Variable};

pub(super) fn facts(content: &Content) -> Facts {
    let Content {
        enabled,
        launch,
        oauth,
        login_secrets,
        inherit,
        inputs,
        timeouts,
        tools,
        auto_approve,
        hints,
        files,
        wants,
        obstacles,
    } = content;
    let mut facts = Facts::default();
    if !enabled {
        facts.add(Fact::binding(Topic::Off, "switched off"));
    }
    match launch {
        PlannedLaunch::Stdio(program) => show_program(program, &mut facts),
        PlannedLaunch::Remote(remote) => show_remote(remote, &mut facts),
    }
    show_login(oauth, login_secrets, &mut facts);
    show_sent(content, &mut facts);
    facts.extend(inputs.iter().flat_map(|input| shown_input(input)));
    facts.extend(files.iter().map(shown_file));
    show_inheritance(*inherit, &mut facts);
    facts.extend(wants.iter().map(|want| Fact::binding(Topic::Wants, want)));
    show_unasked(auto_approve, &mut facts);
    show_tools(tools, &mut facts);
    show_timeouts(*timeouts, &mut facts);
    show_hints(hints, &mut facts);
    facts.extend(obstacles.iter().map(|problem| Fact::note(Topic::Obstacle, &*problem.message)));
    facts
}

fn show_program(program: &PlannedProgram, facts: &mut Facts) {
    let PlannedProgram { command, program, args, cwd, directory, forward, env_file, env } = program;
    facts.add(Fact::binding(Topic::Command, command.written.raw()));
    facts.extend(args.iter().map(|argument| Fact::binding(Topic::Argument, argument.written.raw())));
    match program {
        // What the person's own variables put into it may be a secret.
        Some(path) if command.is_foreign() => facts.add(Fact::note(Topic::Program, path_text(path))),
        Some(_) => {}
        None => facts.add(Fact::note(Topic::Program, "not found here")),
    }
    facts.extend(cwd.iter().map(|cwd| Fact::binding(Topic::Directory, cwd.written.raw())));
    if cwd.as_ref().is_none_or(Text::is_foreign) {
        facts.add(Fact::note(Topic::Folder, path_text(directory)));
    }
    facts.extend(forward.keys().map(|name| Fact::binding(Topic::Forwarded, format!("${name}"))));
    if let Some(PlannedEnvFile { path, variables, is_own }) = env_file {
        facts.add(Fact::binding(Topic::EnvFile, path.written.raw()));
        // What another's file holds is the person's own, and changes unasked.
        for (name, value) in variables.iter().flatten().filter(|_| *is_own) {
            facts.add(shown_value(Topic::FileVariable, name, &Template::new(value.expose(), Syntax::None)));
        }
    }
    facts.extend(env.iter().map(|(name, value)| shown_value(Topic::Variable, name, &value.written)));
}

fn show_remote(remote: &PlannedRemote, facts: &mut Facts) {
    let PlannedRemote { transport, url, headers } = remote;
    let transport = match transport {
        RemoteTransport::Http => "http",
        RemoteTransport::Sse => "sse",
        RemoteTransport::HttpAuto => "http or sse",
    };
    facts.add(Fact::binding(Topic::Endpoint, url.written.raw()).of(transport));
    facts.extend(headers.iter().map(|(name, value)| shown_value(Topic::Header, name, &value.written)));
}

/// A value whose name announces a secret is hidden, unless it says which program or file is used, which decides as much as the
/// command does. A hidden value that changes is seen by its digest.
fn shown_value(topic: Topic, name: &str, value: &Template) -> Fact {
    let written = value.raw();
    if mask::is_secret_name(name) && !mask::names_a_program(name, written) {
        Fact::binding(topic, mask::value(value)).of(name).digested(sha256(written.as_bytes()))
    } else {
        Fact::binding(topic, written).of(name)
    }
}

fn show_login(oauth: &OauthHints, login_secrets: &LoginSecrets<Text>, facts: &mut Facts) {
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
        secrets: _, // They are `login_secrets`, expanded.
    } = oauth;
    let mut say = |name: &str, text: &str| facts.add(Fact::binding(Topic::Login, text).of(name));
    let mut say_all = |name: &str, texts: &[String]| texts.iter().for_each(|text| say(name, text));
    say_all("oauth", disabled.then(|| "switched off".to_owned()).as_slice());
    say_all("flow", (*flow != LoginFlow::default()).then(|| flow.word().to_owned()).as_slice());
    say_all("scope", scopes);
    say_all("client", client_id.as_slice());
    say_all("client proves itself by", client_authentication.map(|way| way.word().to_owned()).as_slice());
    say_all("port", callback_port.map(|port| port.to_string()).as_slice());
    say_all("redirect", redirect_uri.as_slice());
    say_all("metadata", metadata_url.as_slice());
    say_all("issuer", issuer.as_slice());
    match resource {
        Some(ResourceHint::Exactly(resource)) => say("resource", resource),
        Some(ResourceHint::Omitted) => say("resource", "left out"),
        None => {}
    }
    if let Some(proof) = proof {
        say("tokens bound to a key", proof.word());
    }
    if let Some(IdentityProviderHint { token_endpoint, client_id }) = identity_provider {
        say("identity provider", token_endpoint);
        say("client there", client_id);
    }
    show_login_exceptions(exceptions, issuer_aliases, *legacy_endpoints, facts);
    for (place, secret) in login_secrets.iter() {
        let written = &secret.written;
        let fact = Fact::binding(Topic::Login, mask::value(written)).of(place.name);
        facts.add(fact.digested(sha256(written.raw().as_bytes())));
    }
}

/// What the server is let off, each in words that say what is given up.
fn show_login_exceptions(exceptions: &[LoginException], aliases: &[String], legacy_endpoints: bool, facts: &mut Facts) {
    let mut say = |name: &str, text: &str| facts.add(Fact::binding(Topic::Exception, text).of(name));
    for exception in exceptions {
        say(exception.word(), exception.meaning());
    }
    for alias in aliases {
        say("issuer alias", alias);
    }
    if legacy_endpoints {
        say("legacy endpoints", "the person is sent to `/authorize` where nothing says that this is the login page");
    }
}

/// Every value of the person's that leaves, and where it goes.
fn show_sent(content: &Content, facts: &mut Facts) {
    let server = match &content.launch {
        PlannedLaunch::Stdio(program) => program.command.written.raw(),
        PlannedLaunch::Remote(remote) => remote.url.written.raw(),
    };
    let provider = content.oauth.identity_provider.as_ref().map(|provider| provider.token_endpoint.as_str());
    let at_login = content.login_secrets.iter().flat_map(|(place, text)| {
        let destination = if place.is_for_provider { provider } else { content.oauth.issuer.as_deref() };
        text.references().into_iter().map(move |reference| (reference, destination.unwrap_or(server)))
    });
    let references = content.launch_texts().flat_map(Text::references).map(|reference| (reference, server));
    let references: Vec<_> = references.chain(at_login).collect();
    for (reference, destination) in references {
        let sent = match reference.variable {
            Variable::Environment(name) => format!("${name}"),
            Variable::Input(_) | Variable::Keyring(_) | Variable::File(_) => reference.text,
            Variable::WorkspaceFolder
            | Variable::WorkspaceName
            | Variable::UserHome
            | Variable::PathSeparator
            | Variable::PluginRoot
            | Variable::PluginData => continue,
        };
        let fact = Fact::binding(Topic::Sends, destination).of(sent);
        if !facts.iter().any(|known| *known == fact) {
            facts.add(fact);
        }
    }
}

fn shown_input(input: &Input) -> impl Iterator<Item = Fact> {
    // Only what the file describes is here.
    let Input { id, is_described: _, description, is_secret, default, options } = input;
    let question = std::iter::once(description.clone().unwrap_or_default());
    let hidden = is_secret.then(|| "hidden while it is typed".to_owned());
    let default = default.iter().map(|default| format!("if nobody answers: {default}"));
    let options = options.iter().map(|option| format!("may be: {option}"));
    let said = question.chain(hidden).chain(default).chain(options);
    said.map(move |text| Fact::binding(Topic::Input, text).of(id))
}

fn shown_file(file: &WorkspaceFile) -> Fact {
    let WorkspaceFile { name, target, digest } = file;
    let text = target.as_ref().map(|target| format!("a link to {}", path_text(target)));
    let fact = Fact::binding(Topic::File, text.unwrap_or_default()).of(name);
    match digest {
        Some(digest) => fact.digested(digest),
        None => fact,
    }
}

fn show_inheritance(inherit: Inheritance, facts: &mut Facts) {
    let Inheritance { wanted, granted } = inherit;
    match (wanted, granted) {
        (Inherit::Safe, _) => {}
        (Inherit::All, Inherit::All) => facts.add(Fact::note(Topic::Inherits, "every variable of yours")),
        (Inherit::All, Inherit::Safe) => facts.add(Fact::note(
            Topic::Inherits,
            "home, path, user, locale, proxies, certificates and the like; every variable of yours once that is confirmed",
        )),
    }
}

fn show_unasked(auto_approve: &AutoApprove, facts: &mut Facts) {
    match auto_approve {
        AutoApprove::Nothing => {}
        AutoApprove::Everything => facts.add(Fact::binding(Topic::Unasked, "every tool")),
        AutoApprove::Tools(tools) => {
            facts.extend(tools.iter().map(|tool| Fact::binding(Topic::Unasked, "this tool").of(tool)));
        }
    }
}

fn show_tools(tools: &ToolFilter, facts: &mut Facts) {
    let ToolFilter { allow, deny } = tools;
    if allow.as_ref().is_some_and(Vec::is_empty) {
        facts.add(Fact::binding(Topic::Tools, "none"));
    }
    facts.extend(allow.iter().flatten().map(|tool| Fact::binding(Topic::Tools, "only").of(tool)));
    facts.extend(deny.iter().map(|tool| Fact::binding(Topic::Tools, "never").of(tool)));
}

fn show_timeouts(timeouts: Timeouts, facts: &mut Facts) {
    let Timeouts { startup, call } = timeouts;
    for (name, time) in [("start", startup), ("call", call)] {
        facts.extend(time.map(|time| Fact::binding(Topic::Timeout, format!("{} ms", time.as_millis())).of(name)));
    }
}

fn show_hints(hints: &Hints, facts: &mut Facts) {
    let Hints { description, background, always_load, required, parallel_calls } = hints;
    facts.extend(description.iter().map(|text| Fact::binding(Topic::Hint, text).of("description")));
    let flags = [
        ("in the background", background),
        ("schemas always loaded", always_load),
        ("required", required),
        ("calls in parallel", parallel_calls),
    ];
    for (name, flag) in flags {
        facts.extend(flag.map(|on| Fact::binding(Topic::Hint, if on { "yes" } else { "no" }).of(name)));
    }
}

/// A path as text; what is not Unicode in it is replaced, and nothing is lost that a person could read.
fn path_text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
