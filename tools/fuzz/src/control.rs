//! A promise that is broken for one input in four thousand million, which only a fuzzer that sees comparisons finds. `.ci/fuzz` demands that
//! it is found before it believes that nothing else is.

use crate::Target;

pub(crate) const TARGET: Target = Target {
    name: "control",
    seeds: || vec![b"0000".to_vec()],
    words: || vec!["0".to_owned()],
    run,
};

/// Neither a seed nor a word.
const MAGIC: u32 = 0x9e37_79b9;

fn run(input: &[u8]) {
    let first = input
        .first_chunk::<4>()
        .map(|bytes| u32::from_le_bytes(*bytes));
    assert_ne!(first, Some(MAGIC), "the planted fault");
}
