//! Commands in messages, as their reader can type them.

use std::{env, fmt::Write as _, path::Path};

/// The programs that have commands, with their packages.
const PROGRAMS: [(&str, &str); 2] = [("muster", "standalone"), ("core-service", "core-service")];

/// The flags that say where the data are, without which a command would look elsewhere.
const DATA_DIR: &str = "--data-dir";
const DATABASE_URL: &str = "--database-url";

/// Returns the command line that runs this program with these arguments, with the flags of this run that say where the data are: by
/// cargo, if cargo started it. Environment variables are not repeated.
pub fn command_line(arguments: &str) -> String {
    let mut typed = env::args_os().map(|argument| argument.to_string_lossy().into_owned());
    let started_as = typed.next().unwrap_or_default();
    let name = Path::new(&started_as).file_name().unwrap_or_default();
    let package = env::var("CARGO_PKG_NAME").ok();
    let program = program(&name.to_string_lossy(), package.as_deref());
    format!("{program} {arguments}{}", data_flags(typed))
}

/// The flags among these arguments that say where the data are. A URL may have a password, so that its reader puts it in again.
fn data_flags(mut typed: impl Iterator<Item = String>) -> String {
    let mut flags = String::new();
    while let Some(argument) = typed.next() {
        let (flag, joined) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value.to_owned())),
            None => (&*argument, None),
        };
        match flag {
            DATA_DIR => {
                let folder = joined.or_else(|| typed.next()).unwrap_or_default();
                let _infallible = write!(flags, " {DATA_DIR} {}", quoted(&folder));
            }
            DATABASE_URL => {
                let _infallible = write!(flags, " {DATABASE_URL} URL");
            }
            _ => {}
        }
    }
    flags
}

/// A word as a shell reads it.
fn quoted(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+:@%".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// What runs the program of this name. Cargo tells what it starts the package, the tests of other packages among them.
fn program(name: &str, package: Option<&str>) -> String {
    let known = PROGRAMS.iter().find(|(program, _)| *program == name);
    let (program, its_package) = *known.unwrap_or(&PROGRAMS[0]);
    let release = if cfg!(debug_assertions) {
        ""
    } else {
        " --release"
    };
    match package {
        Some(package) if package == its_package && program == "muster" => {
            format!("cargo run{release} --")
        }
        Some(package) if package == its_package => format!("cargo run{release} -p {package} --"),
        _ => program.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{data_flags, program};

    #[test]
    fn a_command_is_about_the_data_that_the_program_was_started_with() {
        for (typed, expected) in [
            (&[][..], ""),
            (&["--http-addr", "127.0.0.1:0"], ""),
            (
                &["--data-dir", "/var/lib/muster"],
                " --data-dir /var/lib/muster",
            ),
            (
                &["--data-dir=my data", "--demo", "on"],
                " --data-dir 'my data'",
            ),
            (
                &["--database-url", "postgres://me:secret@db/m"],
                " --database-url URL",
            ),
        ] {
            let typed = typed.iter().map(|argument| (*argument).to_owned());
            assert_eq!(data_flags(typed), expected);
        }
    }

    #[test]
    fn a_command_is_named_as_the_program_was_started() {
        for (name, package, expected) in [
            ("muster", Some("standalone"), "cargo run --"),
            (
                "core-service",
                Some("core-service"),
                "cargo run -p core-service --",
            ),
            ("muster", None, "muster"),
            ("core-service", None, "core-service"),
            ("muster", Some("tests"), "muster"),
            ("it-0123456789abcdef", None, "muster"),
        ] {
            assert_eq!(program(name, package), expected);
        }
    }
}
