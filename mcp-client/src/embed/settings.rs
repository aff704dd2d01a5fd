//! The backend that the settings choose.

use std::path::{Path, PathBuf};

use mcp_config::Environment;
use serde::Deserialize;
#[cfg(feature = "embedding-endpoint")]
use url::Url;

use super::leg::DenseLeg;
use crate::configuration::Configuration;
use crate::error::{Error, chain};
#[cfg(feature = "embedding-endpoint")]
use crate::proxies::Proxies;

/// The key of the settings that says how to search by meaning.
const SETTING: &str = "denseSearch";
/// Why the leg is off where nobody chose a backend.
pub(crate) const NOT_CONFIGURED: &str = "no embedding model is configured";

/// The value of the setting. What this build knows nothing of is refused, not passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct DenseSearch {
    #[cfg(feature = "embedding-endpoint")]
    endpoint: Option<Endpoint>,
    /// The folder of a model; known to every build, so that one that cannot run it says so.
    model: Option<PathBuf>,
    #[cfg(feature = "embsearch")]
    embsearch: Option<Program>,
}

#[cfg(feature = "embedding-endpoint")]
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Endpoint {
    url: String,
    model: String,
    /// The variable that holds the key: a key has no place in a file.
    key_variable: Option<String>,
}

/// Whether to look for the program, or which file it is.
#[cfg(feature = "embsearch")]
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`embsearch` is `true`, `false` or a path")]
enum Program {
    Wanted(bool),
    At(PathBuf),
}

/// The leg of the settings that apply, or why there is none.
pub(crate) fn leg(configuration: &Configuration) -> Result<DenseLeg, String> {
    let settings = configuration.settings.effective(&configuration.trust);
    let setting = match settings.other.get(SETTING) {
        Some(value) => DenseSearch::deserialize(value)
            .map_err(|source| chain(&Error::Setting { key: SETTING.to_owned(), source }))?,
        None => DenseSearch::default(),
    };
    chosen(setting, &configuration.environment)
}

fn chosen(setting: DenseSearch, environment: &Environment) -> Result<DenseLeg, String> {
    #[cfg(feature = "embedding-endpoint")]
    if let Some(endpoint) = setting.endpoint {
        return of_endpoint(endpoint, environment);
    }
    if let Some(folder) = setting.model {
        return of_folder(&environment.absolute(&folder));
    }
    #[cfg(feature = "embsearch")]
    {
        use super::Embsearch;

        let program = match setting.embsearch {
            Some(Program::Wanted(false)) => return Err("the settings switch it off".to_owned()),
            Some(Program::At(file)) => Some(Embsearch::new(program(&file, environment)?, environment)),
            Some(Program::Wanted(true)) | None => Embsearch::find(environment),
        };
        if let Some(program) = program {
            return Ok(DenseLeg::of_embsearch(program));
        }
    }
    Err(NOT_CONFIGURED.to_owned())
}

/// The program that the settings mean. A relative path would be another program in every directory: in a repository, one
/// of whoever wrote the repository.
#[cfg(feature = "embsearch")]
fn program(path: &Path, environment: &Environment) -> Result<PathBuf, String> {
    let program = environment.expand_home(path);
    if program.is_absolute() {
        return Ok(program);
    }
    Err(format!(
        "`embsearch` is a relative path, `{}`, and would be another program in every directory",
        path.display()
    ))
}

#[cfg(feature = "embedding-model")]
#[expect(clippy::unnecessary_wraps, reason = "the build without the feature refuses")]
fn of_folder(folder: &Path) -> Result<DenseLeg, String> {
    Ok(DenseLeg::of_folder(folder))
}

#[cfg(not(feature = "embedding-model"))]
fn of_folder(folder: &Path) -> Result<DenseLeg, String> {
    Err(format!(
        "this build cannot run the model in `{}`; build it with the feature `embedding-model`",
        folder.display()
    ))
}

#[cfg(feature = "embedding-endpoint")]
fn of_endpoint(endpoint: Endpoint, environment: &Environment) -> Result<DenseLeg, String> {
    let failed = |failure: super::Failure| chain(&failure);
    let mut model = super::EmbeddingEndpoint::new(&endpoint.url, endpoint.model).map_err(failed)?;
    let proxies = Proxies::of(environment);
    if let Some(proxy) = Url::parse(&endpoint.url).ok().as_ref().and_then(|url| proxies.lead_to(url)) {
        model = model.with_proxy(proxy).map_err(failed)?;
    }
    if let Some(name) = endpoint.key_variable {
        let key =
            environment.vars.get(&name).ok_or_else(|| format!("the variable `{name}` with its key is not set"))?;
        model = model.with_key(mcp_config::Secret::new(key.clone())).map_err(failed)?;
    }
    Ok(DenseLeg::of_model(model))
}
