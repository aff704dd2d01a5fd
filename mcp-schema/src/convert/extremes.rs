//! Schemas that accept everything, and those that accept nothing.

use serde_json::{Value, json};

use super::{At, Lowered, Lowering};
use crate::{
    codec::{Step, TextOf},
    json::{self, Object},
    keyword,
    profile::NullStyle,
    report::LossKind,
};

impl Lowering<'_> {
    /// A schema that accepts every JSON value; `entries` gives its annotations.
    pub(super) fn anything(&self, entries: &Object) -> Lowered {
        let mut out: Object = entries
            .iter()
            .filter(|(word, _)| keyword::is_annotation(word) && self.profile.accepts(word))
            .map(|(word, value)| (word.clone(), value.clone()))
            .collect();
        if !self.profile.types.required && !self.profile.objects.closed {
            return Lowered::plain(Value::Object(out));
        }
        // Containers of unknown shape cannot be described to such a provider, so they travel as text.
        out.extend(self.any_scalar());
        out.shift_remove("default");
        Lowered { schema: Value::Object(out), step: Step::JsonText(self.text_of_any()) }
    }

    /// What has no other form than text where everything is allowed.
    fn text_of_any(&self) -> TextOf {
        if self.profile.unions.null == NullStyle::Omit { TextOf::ContainersAndNull } else { TextOf::Containers }
    }

    fn any_scalar(&self) -> Object {
        let scalars = ["string", "number", "boolean"];
        let mut out = Object::new();
        match (self.profile.types.lists, self.profile.unions.null) {
            (true, _) => {
                out.insert("type".to_owned(), json::type_value(&["string", "number", "boolean", "null"]));
            }
            (false, null) => {
                let mut branches: Vec<Value> = scalars.iter().map(|name| json!({ "type": name })).collect();
                match null {
                    NullStyle::Type => branches.push(json!({ "type": "null" })),
                    NullStyle::Nullable => {
                        out.insert("nullable".to_owned(), json!(true));
                    }
                    NullStyle::Omit => {}
                }
                out.insert("anyOf".to_owned(), Value::Array(branches));
            }
        }
        out
    }

    /// A schema that accepts nothing, as far as the profile can say so.
    pub(super) fn nothing(&mut self, at: &At) -> Lowered {
        if self.profile.types.boolean_schemas && !at.is_root {
            return Lowered::plain(json!(false));
        }
        if self.profile.accepts("not") && !at.is_root {
            return Lowered::plain(json!({ "not": {} }));
        }
        self.lose(LossKind::Widened, at, "false", "a schema that accepts nothing cannot be written");
        self.anything(&Object::new())
    }
}
