//! Tools and queries as plentiful as one likes, made from a fixed start.

use mcp_search::Document;

/// A generator that gives the same numbers on every run (xorshift64*).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(start: u64) -> Self {
        Self(start.wrapping_mul(2).wrapping_add(0x9E37_79B9_7F4A_7C15))
    }

    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        usize::try_from(self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33).unwrap_or_default() % bound
    }

    /// A word: common ones often, rare ones seldom, as in real text.
    fn word(&mut self) -> String {
        if self.below(3) > 0 {
            let place = self.below(COMMON.len()).min(self.below(COMMON.len()));
            return COMMON.get(place).copied().unwrap_or_default().to_owned();
        }
        let rare = self.below(20_000).min(self.below(20_000));
        let syllables = ["ba", "ke", "lo", "mi", "nu", "par", "ro", "sti", "ta", "ver"];
        let pick = |place: usize| syllables.get(place % 10).copied().unwrap_or_default();
        [pick(rare), pick(rare / 10), pick(rare / 100), pick(rare / 1_000)].concat()
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// Tools with names of two to four words, descriptions of 10 to 50 and up to nine described parameters.
pub(crate) fn tools(count: usize) -> Vec<Document> {
    let random = &mut Random::new(1);
    let tool = |number: usize| {
        let server = format!("server{}", number / 40);
        let words = 2 + random.below(3);
        let name = format!("{}_{number}", random.words(words).replace(' ', "_"));
        let parameters = (0..random.below(10)).map(|_| (random.words(2).replace(' ', "_"), random.words(7)));
        let parameters = parameters.collect();
        let length = 10 + random.below(40);
        let description = random.words(length);
        Document { id: format!("mcp__{server}__{name}"), server, name, title: None, description, parameters }
    };
    (0..count).map(tool).collect()
}

/// What a query consists of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Two to seven words.
    Words,
    /// The same, one of them mistyped.
    Mistyped,
    /// Several sentences, one word mistyped.
    Sentences,
    /// A tool's name.
    Name,
    /// A tool's name with two typing mistakes.
    MistypedName,
}

impl Kind {
    /// Of ten queries six are words, and one is of each other kind.
    fn of(number: usize) -> Self {
        match number % 10 {
            0 => Self::Sentences,
            3 => Self::Name,
            5 => Self::Mistyped,
            8 => Self::MistypedName,
            _ => Self::Words,
        }
    }
}

/// Queries of every [`Kind`] that such tools may be asked for.
pub(crate) fn queries(count: usize, tools: &[Document], random: &mut Random) -> Vec<(Kind, String)> {
    let query = |number: usize| {
        let kind = Kind::of(number);
        let length = 2 + random.below(6);
        let mut query = random.words(length);
        if matches!(kind, Kind::Mistyped | Kind::Sentences) {
            query.insert(1, 'x');
        }
        if kind == Kind::Sentences {
            query = format!("{query}. {}, and then {}", random.words(6), random.words(6));
        }
        if matches!(kind, Kind::Name | Kind::MistypedName) {
            query = tools.get(random.below(tools.len())).map(|tool| tool.name.clone()).unwrap_or_default();
        }
        if kind == Kind::MistypedName {
            query.remove(1);
            query.insert(query.len() / 2, 'x');
        }
        (kind, query)
    };
    (0..count).map(query).collect()
}

const COMMON: &[&str] = &[
    "the",
    "a",
    "of",
    "to",
    "and",
    "in",
    "for",
    "create",
    "list",
    "get",
    "update",
    "delete",
    "search",
    "user",
    "file",
    "issue",
    "project",
    "message",
    "account",
    "report",
    "order",
    "customer",
    "invoice",
    "document",
    "event",
    "table",
    "query",
    "image",
    "channel",
    "repository",
    "branch",
    "commit",
    "server",
    "name",
    "id",
    "status",
    "type",
    "date",
    "time",
    "page",
    "limit",
    "filter",
    "sort",
    "result",
    "data",
    "text",
    "url",
    "email",
    "address",
    "contact",
    "group",
    "team",
    "member",
    "role",
    "permission",
    "token",
    "key",
    "value",
    "field",
    "record",
    "item",
    "product",
    "price",
    "payment",
    "card",
    "bank",
    "stock",
    "market",
    "weather",
    "city",
    "country",
    "map",
    "route",
    "flight",
    "hotel",
    "booking",
    "ticket",
    "comment",
    "label",
    "milestone",
    "release",
    "version",
    "build",
    "deploy",
    "log",
    "metric",
    "alert",
    "schedule",
    "calendar",
    "meeting",
    "note",
    "task",
    "list",
    "board",
    "column",
    "workspace",
    "folder",
    "directory",
    "archive",
    "backup",
    "export",
    "import",
    "convert",
];
