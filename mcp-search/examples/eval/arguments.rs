use std::path::PathBuf;

/// What the program was asked to do.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) data: PathBuf,
    pub(crate) dump: Option<PathBuf>,
    pub(crate) baseline: Option<PathBuf>,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let own = concat!(env!("CARGO_MANIFEST_DIR"), "/evaluation");
        let mut arguments = Self { data: PathBuf::from(own), dump: None, baseline: None };
        while let Some(word) = words.next() {
            let mut value = || words.next().map(PathBuf::from).ok_or_else(|| format!("`{word}` needs a value"));
            match word.as_str() {
                "--data" => arguments.data = value()?,
                "--dump" => arguments.dump = Some(value()?),
                "--baseline" => arguments.baseline = Some(value()?),
                _ => return Err(format!("unknown argument `{word}`; there are --data, --dump and --baseline")),
            }
        }
        Ok(arguments)
    }
}
