//! From words to the stems that are compared.

use rust_stemmers::{Algorithm, Stemmer};

/// Reduces English words to their stem, and leaves words of other alphabets alone.
///
/// The algorithm is [Porter2](https://snowballstem.org/algorithms/english/stemmer.html); `issues` and `issue`,
/// `creating` and `create` become equal.
pub(crate) struct English(Stemmer);

impl English {
    pub(crate) fn new() -> Self {
        Self(Stemmer::create(Algorithm::English))
    }

    pub(crate) fn stem(&self, word: &str) -> String {
        if word.len() < 3 || !word.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return word.to_owned();
        }
        match plural_acronym(word) {
            Some(acronym) => acronym.to_owned(),
            None => self.0.stem(word).into_owned(),
        }
    }
}

/// The acronym whose plural this is: `prs`, `pdfs`. The stemmer takes an `s` away only after a vowel.
fn plural_acronym(word: &str) -> Option<&str> {
    let acronym = word.strip_suffix('s')?;
    let has_vowel = acronym.contains(['a', 'e', 'i', 'o', 'u', 'y']);
    (!has_vowel && !acronym.ends_with('s')).then_some(acronym)
}

impl std::fmt::Debug for English {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("English")
    }
}

#[cfg(test)]
mod tests {
    use super::English;

    #[test]
    fn forms_of_a_word_have_one_stem() {
        let english = English::new();
        for forms in [
            &["issue", "issues"][..],
            &["create", "created", "creating"],
            &["pr", "prs"],
            &["url", "urls"],
            &["pdf", "pdfs"],
        ] {
            for form in forms {
                assert_eq!(english.stem(form), english.stem(forms[0]), "{form}");
            }
        }
    }

    #[test]
    fn other_words_are_left_alone() {
        for word in ["css", "задачи", "v2", "js", ""] {
            assert_eq!(English::new().stem(word), word);
        }
    }
}
