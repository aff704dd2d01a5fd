use std::path::PathBuf;

/// What the program was asked to do.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) data: PathBuf,
    pub(crate) dump: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
    pub(crate) texts: Option<PathBuf>,
    pub(crate) vectors: Option<PathBuf>,
    pub(crate) plain: bool,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/evaluation");
        let data = PathBuf::from(own);
        let mut arguments = Self { data, dump: None, baseline: None, texts: None, vectors: None, plain: false };
        while let Some(word) = words.next() {
            let mut value = || words.next().map(PathBuf::from).ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--data" => arguments.data = value()?,
                "--dump" => arguments.dump = Some(value()?),
                "--baseline" => arguments.baseline = Some(value()?),
                "--texts" => arguments.texts = Some(value()?),
                "--vectors" => arguments.vectors = Some(value()?),
                "--plain" => arguments.plain = true,
                _ => return Err(format!("unknown argument `{word}`; the head of the program lists what there is")),
            }
        }
        Ok(arguments)
    }
}
