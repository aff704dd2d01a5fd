//! Words of a query that say little about which tool is meant.
//!
//! Both lists were written from general knowledge of English, for requests: function words, and the verbs and
//! courtesies that people wrap a request in.

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

/// Whether a query's stem counts less than others: the verbs and courtesies of requests.
pub(crate) fn is_filler(stem: &str) -> bool {
    FILLERS.binary_search(&stem).is_ok()
}

/// Stems of words that requests are made of, sorted.
const FILLERS: &[&str] = &[
    "abl",
    "accomplish",
    "accord",
    "achiev",
    "allow",
    "answer",
    "anyth",
    "appreci",
    "ask",
    "assist",
    "avail",
    "awar",
    "bring",
    "check",
    "come",
    "complet",
    "comprehens",
    "could",
    "curious",
    "desir",
    "detail",
    "determin",
    "discov",
    "display",
    "ensur",
    "especi",
    "etc",
    "exact",
    "explain",
    "explor",
    "figur",
    "find",
    "first",
    "follow",
    "general",
    "get",
    "give",
    "given",
    "glad",
    "go",
    "good",
    "great",
    "guid",
    "handl",
    "hello",
    "help",
    "hey",
    "hi",
    "hope",
    "includ",
    "inform",
    "insight",
    "interest",
    "keep",
    "know",
    "learn",
    "let",
    "look",
    "make",
    "mean",
    "mention",
    "necessari",
    "obtain",
    "offer",
    "particular",
    "perform",
    "pleas",
    "possibl",
    "prepar",
    "provid",
    "quick",
    "realli",
    "receiv",
    "recommend",
    "regard",
    "relat",
    "relev",
    "request",
    "requir",
    "result",
    "retriev",
    "return",
    "right",
    "seem",
    "sever",
    "show",
    "specif",
    "start",
    "sure",
    "take",
    "tell",
    "thank",
    "thing",
    "think",
    "togeth",
    "tool",
    "tri",
    "understand",
    "various",
    "via",
    "view",
    "way",
    "well",
    "whether",
    "wonder",
    "work",
];

#[cfg(test)]
mod tests {
    use super::{FILLERS, STOP_WORDS, is_filler, is_stop_word};

    #[test]
    fn the_lists_are_sorted_so_that_they_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
        assert!(FILLERS.is_sorted());
        assert!(is_filler("find") && !is_filler("issu"));
        assert!(is_stop_word("the") && !is_stop_word("issue"));
    }
}
