//! Searching by meaning: where the vectors come from.
//!
//! Words and names always find tools; meaning only adds to that. A [`DenseLeg`] asks one of these:
//!
//! 1. any [model](mcp_search::Embed) that turns texts into vectors: [`EmbeddingEndpoint`] for a server that speaks
//!    `OpenAI`'s `/v1/embeddings` (feature `embedding-endpoint`), or one of the host's own;
//! 2. `EmbeddingModel`, a model in a folder that runs in the process (feature `embedding-model`, off by default);
//! 3. [`Embsearch`], a program that keeps the vectors to itself (feature `embsearch`).
//!
//! [`ClientBuilder::configured_dense`](crate::ClientBuilder::configured_dense) takes the one that the settings choose, in this
//! order:
//!
//! 1. `"denseSearch": {"endpoint": {"url": "https://…/v1", "model": "…", "keyVariable": "NAME_OF_A_VARIABLE"}}`;
//! 2. `"denseSearch": {"model": "DIR"}`; it is loaded by the first search;
//! 3. `"denseSearch": {"embsearch": "PATH"}`, or the `embsearch` that [is found](Embsearch::find), unless it is `false` there.
//!
//! A path may begin with `~` for the home directory; otherwise it counts from the working directory.
//!
//! What a model gave is kept in `mcp-toolkit/vectors` below [`Environment::state_home`](mcp_config::Environment::state_home), if
//! there is one, so that the next process asks for its query alone, and for tools that changed. With the first query of a
//! process a model is also asked for one fixed sentence: one that answers otherwise than before is another model, whatever its
//! name, and is asked for everything anew.
//!
//! Nothing is ever downloaded. Whatever a backend does — hang, crash, answer nonsense — search goes on without it: the answer
//! says that the leg was off, and why, and for the next [30 seconds](DenseLeg) nobody waits for it again.

#[cfg(feature = "embsearch")]
mod embsearch;
#[cfg(feature = "embedding-endpoint")]
mod endpoint;
mod failure;
#[cfg(feature = "embedding-model")]
mod folder;
mod leg;
#[cfg(feature = "embedding-model")]
mod model;
mod model_way;
mod settings;
#[cfg(feature = "embedding-endpoint")]
mod tls;
mod vector_file;

#[cfg(feature = "embsearch")]
pub use embsearch::Embsearch;
#[cfg(feature = "embedding-endpoint")]
pub use endpoint::EmbeddingEndpoint;
pub use failure::Failure;
pub use leg::DenseLeg;
#[cfg(feature = "embedding-model")]
pub use model::EmbeddingModel;

pub(crate) use settings::{NOT_CONFIGURED, leg as configured_leg};
