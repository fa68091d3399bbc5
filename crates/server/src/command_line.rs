//! Commands in messages, as their reader can type them.

use std::{env, path::Path};

/// The programs that have commands, with their packages.
const PROGRAMS: [(&str, &str); 2] = [("muster", "standalone"), ("core-service", "core-service")];

/// Returns the command line that runs this program with these arguments: by cargo, if cargo started it.
pub fn command_line(arguments: &str) -> String {
    let started_as = env::args_os().next().unwrap_or_default();
    let name = Path::new(&started_as).file_name().unwrap_or_default();
    let package = env::var("CARGO_PKG_NAME").ok();
    let program = program(&name.to_string_lossy(), package.as_deref());
    format!("{program} {arguments}")
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
    use super::program;

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
