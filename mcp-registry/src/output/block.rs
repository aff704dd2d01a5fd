//! One block of a result's content.

use std::fmt;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::Problem;
use crate::json::from_object;

/// What a piece of media is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MediaKind {
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A binary resource.
    Resource,
}

impl MediaKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Resource => "resource",
        }
    }
}

/// Something that does not belong into text.
#[derive(Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Media {
    /// What it is.
    pub kind: MediaKind,
    /// Its media type, as the server says.
    pub mime_type: Option<String>,
    /// Where it comes from, for a resource.
    pub uri: Option<String>,
    /// The bytes in base64, as the server sent them; not checked.
    pub base64: String,
}

impl Media {
    /// Returns about how many bytes it has.
    pub fn size(&self) -> usize {
        self.base64.len() / 4 * 3
    }

    /// Returns the line that stands for it in the text.
    fn line(&self, number: usize) -> String {
        let mime_type = self.mime_type.as_deref().unwrap_or("unknown type");
        let uri = self.uri.as_deref().map(|uri| format!(" {uri}")).unwrap_or_default();
        format!("[{} {number}:{uri} {mime_type}, {} bytes]", self.kind.as_str(), self.size())
    }
}

impl fmt::Debug for Media {
    /// Leaves the bytes out: they would drown whatever they are printed beside.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Media")
            .field("kind", &self.kind)
            .field("mime_type", &self.mime_type)
            .field("uri", &self.uri)
            .field("size", &self.size())
            .finish_non_exhaustive()
    }
}

/// What becomes of a block.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// What stands in the text.
    pub(super) line: String,
    /// Whether the line is the server's own text.
    pub(super) is_prose: bool,
    pub(super) media: Option<Media>,
    pub(super) problem: Option<Problem>,
}

/// The members of all kinds of blocks.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wire {
    text: Option<String>,
    data: Option<String>,
    mime_type: Option<String>,
    resource: Option<Resource>,
    uri: Option<String>,
    name: Option<String>,
    description: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Resource {
    uri: Option<String>,
    mime_type: Option<String>,
    text: Option<String>,
    blob: Option<String>,
}

/// Reads a block; `number` is the one its media would have.
pub(super) fn read(raw: &RawValue, place: &str, number: usize) -> Block {
    #[derive(Deserialize)]
    struct Typed {
        #[serde(rename = "type")]
        kind: String,
    }
    let read =
        |raw: &RawValue| -> Result<(Typed, Wire), serde_json::Error> { Ok((from_object(raw)?, from_object(raw)?)) };
    let (Typed { kind }, wire) = match read(raw) {
        Ok(read) => read,
        Err(error) => return unreadable(place, &error.to_string()),
    };
    match (kind.as_str(), wire) {
        ("text", Wire { text: Some(text), .. }) => Block { line: text, is_prose: true, ..Block::default() },
        ("image", Wire { data: Some(base64), mime_type, .. }) => {
            media(Media { kind: MediaKind::Image, mime_type, uri: None, base64 }, number)
        }
        ("audio", Wire { data: Some(base64), mime_type, .. }) => {
            media(Media { kind: MediaKind::Audio, mime_type, uri: None, base64 }, number)
        }
        ("resource", Wire { resource: Some(resource), .. }) => embedded(resource, place, number),
        ("resource_link", Wire { uri: Some(uri), name, description, .. }) => {
            let parts: Vec<String> = [name, Some(uri), description].into_iter().flatten().collect();
            Block { line: format!("[resource link: {}]", parts.join(", ")), ..Block::default() }
        }
        ("text" | "image" | "audio" | "resource" | "resource_link", _) => {
            unreadable(place, "a member the block's type requires is missing")
        }
        (kind, _) => unreadable(place, &format!("the type `{kind}` is not known")),
    }
}

fn media(media: Media, number: usize) -> Block {
    Block { line: media.line(number), media: Some(media), ..Block::default() }
}

fn embedded(resource: Resource, place: &str, number: usize) -> Block {
    let Resource { uri, mime_type, text, blob } = resource;
    match (text, blob) {
        (Some(text), _) => {
            let heading = uri.map(|uri| format!("[resource {uri}]\n")).unwrap_or_default();
            Block { line: format!("{heading}{text}"), is_prose: true, ..Block::default() }
        }
        (None, Some(base64)) => media(Media { kind: MediaKind::Resource, mime_type, uri, base64 }, number),
        (None, None) => unreadable(place, "a resource without text or blob"),
    }
}

fn unreadable(place: &str, cause: &str) -> Block {
    Block {
        line: "[a part of the result could not be read]".to_owned(),
        problem: Some(Problem::new(place, format!("left out: expected a content block ({cause})"))),
        ..Block::default()
    }
}
