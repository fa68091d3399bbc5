//! How an input's bytes become what a target needs.

/// Parts texts. No text in UTF-8 has this byte, so any text can stand between.
const SEPARATOR: u8 = 0xff;

/// The first byte chooses; the rest is for what was chosen. Nothing is made of an empty input.
pub(crate) fn choose<'i, 'c, T>(input: &'i [u8], choices: &'c [T]) -> Option<(&'c T, &'i [u8])> {
    let (first, rest) = input.split_first()?;
    let choice = choices.get(usize::from(*first) % choices.len())?;
    Some((choice, rest))
}

/// As many texts as are asked for; those that the input lacks are empty.
pub(crate) fn texts<const COUNT: usize>(input: &[u8]) -> [String; COUNT] {
    let mut parts = input.split(|byte| *byte == SEPARATOR);
    std::array::from_fn(|_| String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned())
}

/// The input that gives these texts, after that first byte.
pub(crate) fn joined(choice: u8, texts: &[&str]) -> Vec<u8> {
    let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    [&[choice], &*texts.join(&SEPARATOR)].concat()
}
