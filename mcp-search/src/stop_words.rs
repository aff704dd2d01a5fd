//! Words of a query that say nothing about which tool is meant.

/// Whether a query's word is ignored, unless the query has no other.
///
/// Documents keep these words: a tool may well be called `what_is`.
pub(crate) fn is_stop_word(word: &str) -> bool {
    STOP_WORDS.binary_search(&word).is_ok()
}

/// English function words, sorted.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "because", "been", "being", "both",
    "but", "by", "can", "could", "did", "do", "does", "doing", "each", "for", "from", "had", "has", "have", "having",
    "he", "her", "here", "hers", "him", "his", "how", "i", "if", "im", "in", "into", "is", "it", "its", "ive", "just",
    "let", "lets", "like", "may", "me", "might", "mine", "more", "most", "must", "my", "need", "needs", "no", "not",
    "now", "of", "on", "one", "or", "other", "our", "ours", "out", "please", "she", "should", "so", "some", "such",
    "than", "that", "thats", "the", "their", "them", "then", "there", "these", "they", "this", "those", "to", "too",
    "up", "us", "use", "used", "using", "want", "wants", "was", "we", "were", "what", "whats", "when", "where",
    "which", "while", "who", "whose", "why", "will", "with", "would", "you", "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::{STOP_WORDS, is_stop_word};

    #[test]
    fn the_list_is_sorted_so_that_it_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
        assert!(is_stop_word("the") && !is_stop_word("issue"));
    }
}
