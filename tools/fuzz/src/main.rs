//! The fuzzers as one program. `MUSTER_FUZZ_TARGET` says which one runs. In an ordinary build it only lists them: libFuzzer and the
//! instrumentation come with `.ci/fuzz`.
#![cfg_attr(muster_fuzzing, no_main)]

#[cfg(not(muster_fuzzing))]
fn main() {
    for target in fuzz::TARGETS {
        println!("{}", target.name);
    }
}

#[cfg(muster_fuzzing)]
mod entry {
    use std::{env, fs, path::Path, sync::LazyLock};

    use fuzz::Target;

    static TARGET: LazyLock<&Target> = LazyLock::new(|| {
        let name = env::var("MUSTER_FUZZ_TARGET").unwrap_or_default();
        Target::find(&name)
            .unwrap_or_else(|| panic!("MUSTER_FUZZ_TARGET names no target: {name:?}"))
    });

    libfuzzer_sys::fuzz_target!(
        init: {
            // libFuzzer reads both after this.
            if let Ok(folder) = env::var("MUSTER_FUZZ_SEEDS") {
                write_seeds(Path::new(&folder));
            }
        },
        |input: &[u8]| (TARGET.run)(input)
    );

    /// Writes each seed into a file of its own, and beside the folder the words as libFuzzer reads them.
    fn write_seeds(folder: &Path) {
        for (index, seed) in (TARGET.seeds)().iter().enumerate() {
            fs::write(folder.join(format!("seed-{index}")), seed).expect("the folder is writable");
        }
        let words = (TARGET.words)();
        let lines: String = words
            .iter()
            .map(|word| format!("{}\n", quoted(word)))
            .collect();
        fs::write(folder.with_extension("dict"), lines).expect("the folder is writable");
    }

    fn quoted(word: &str) -> String {
        let bytes: String = word.bytes().map(|byte| format!("\\x{byte:02x}")).collect();
        format!("\"{bytes}\"")
    }
}
