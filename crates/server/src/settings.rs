//! Reading settings from flags, the environment and secret files, with all errors at once.

use std::{
    ffi::{OsStr, OsString},
    net::SocketAddr,
    num::{IntErrorKind, ParseIntError},
};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, ArgMatches, Command, Id, Parser};
use secrecy::SecretString;

use crate::Failure;

mod commands;

/// Reads a binary's settings from its arguments and its environment.
///
/// Every invalid value is reported, one line each. A secret (an argument with `hide_env_values`) can also come from a file, as
/// container platforms mount them: the variable with the ending `_FILE` names it. An argument that was renamed (it has an
/// `alias`) is also read from the variable of its old name.
///
/// For `--help` and `--version` it prints and ends the process.
///
/// # Errors
/// [`Failure::Settings`].
pub fn parse<S: Parser>() -> Result<S, Failure> {
    parse_from(std::env::args_os().collect(), |name| std::env::var_os(name))
}

/// Like [`parse`], with these arguments (the program's name first) and this look-up of secret files. Clap still reads other
/// settings from the process's environment.
///
/// # Errors
/// [`Failure::Settings`].
pub fn parse_from<S: Parser>(
    arguments: Vec<OsString>,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<S, Failure> {
    let command = S::command().args_override_self(true);
    let arguments = with_other_sources(&command, arguments, &environment)?;
    let matches = matches(command, &arguments)?;
    S::from_arg_matches(&matches).map_err(|error| Failure::setting(one_line(&error)))
}

/// Parses an address to listen on; a `value_parser` for clap.
///
/// # Errors
/// A message that says what is valid.
pub fn address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse()
        .map_err(|_| "must be an IP address and a port, for example 127.0.0.1:8080")
}

/// Parses the address at which people reach an instance, which has a host of its own: pages and assets begin at its root. A `value_parser`
/// for clap. It has no slash at its end.
///
/// # Errors
/// A message that says what is valid.
pub fn public_url(text: &str) -> Result<String, String> {
    let base = base_url(text)?;
    if base.splitn(4, '/').count() > 3 {
        let text = "must have no path, since Muster needs a host of its own, for example https://events.example.org";
        return Err(text.to_owned());
    }
    Ok(base)
}

/// The port of gRPC, unless a setting says otherwise.
const GRPC_PORT: u16 = 50051;

/// Returns the URL of the gRPC port that an instance most likely has: the usual one beside its pages, with TLS if they have it.
pub fn usual_grpc_url(public_url: &str) -> String {
    let scheme = public_url.split("://").next().unwrap_or_default();
    grpc_url_at(public_url, scheme, GRPC_PORT)
}

/// Returns the URL of a gRPC port on the host of the public URL.
pub fn grpc_url_at(public_url: &str, scheme: &str, port: u16) -> String {
    let authority = public_url.split("://").last().unwrap_or_default();
    let host = match authority.rsplit_once(':') {
        // The last part of an IPv6 address is no port.
        Some((host, last)) if !last.ends_with(']') => host,
        _ => authority,
    };
    format!("{scheme}://{host}:{port}")
}

/// Parses the base of URLs; a `value_parser` for clap. It has no slash at its end.
///
/// # Errors
/// A message that says what is valid.
pub fn base_url(text: &str) -> Result<String, String> {
    let wrong = || {
        "must be an http:// or https:// URL without a query, for example https://events.example.org"
            .to_owned()
    };
    let uri: http::Uri = text.parse().map_err(|_| wrong())?;
    let web = matches!(uri.scheme_str(), Some("http" | "https"));
    if !web || uri.host().is_none() || uri.query().is_some() || text.contains('#') {
        return Err(wrong());
    }
    Ok(text.trim_end_matches('/').to_owned())
}

/// The shortest secret, in bytes: the strength of HMAC-SHA256.
const MIN_SECRET_BYTES: usize = 32;

/// Parses a secret that is sent in a header and may be in a list separated by commas; a `value_parser` for clap.
///
/// # Errors
/// A message that says what is valid.
pub fn token(text: &str) -> Result<SecretString, String> {
    if !text
        .bytes()
        .all(|byte| byte.is_ascii_graphic() && byte != b',')
    {
        return Err("must have visible ASCII characters only, and no commas".to_owned());
    }
    secret(text)
}

/// Parses a secret that processes share; a `value_parser` for clap.
///
/// # Errors
/// A message that says what is valid.
pub fn secret(text: &str) -> Result<SecretString, String> {
    if text.len() < MIN_SECRET_BYTES {
        return Err(format!(
            "must be at least {MIN_SECRET_BYTES} characters long, for example what `openssl rand -hex 32` prints"
        ));
    }
    Ok(text.into())
}

/// Puts values from variables with old names and from secret files in front of the other arguments, so that a flag overrides them: clap has
/// aliases for flags only.
fn with_other_sources(
    command: &Command,
    mut arguments: Vec<OsString>,
    environment: impl Fn(&str) -> Option<OsString>,
) -> Result<Vec<OsString>, Failure> {
    let mut problems = Vec::new();
    for arg in command.get_arguments() {
        let (Some(variable), Some(flag)) = (arg.get_env(), arg.get_long()) else {
            continue;
        };
        let variable = variable.to_string_lossy();
        let is_set = environment(&variable).is_some();
        let mut prepend = |value: &OsStr| {
            let mut argument = OsString::from(format!("--{flag}="));
            argument.push(value);
            arguments.insert(arguments.len().min(1), argument);
        };
        let prefix = variable.strip_suffix(&*in_variable(flag));
        for alias in arg.get_all_aliases().unwrap_or_default() {
            let old = prefix.map(|prefix| format!("{prefix}{}", in_variable(alias)));
            let Some((old, value)) =
                old.and_then(|old| environment(&old).map(|value| (old, value)))
            else {
                continue;
            };
            if is_set {
                problems.push(format!(
                    "{old} is the old name of {variable}, and both are set: set {variable} alone"
                ));
            } else {
                prepend(&value);
            }
        }
        let file = environment(&format!("{variable}_FILE"));
        let Some(path) = file.filter(|_| arg.is_hide_env_values_set()) else {
            continue;
        };
        match std::fs::read_to_string(&path) {
            _ if is_set => problems.push(format!(
                "{variable} and {variable}_FILE are both set: set one of them"
            )),
            Ok(text) => prepend(text.trim_end_matches(['\r', '\n']).as_ref()),
            Err(error) => problems.push(format!(
                "{variable}_FILE: cannot read {}: {error}",
                path.to_string_lossy()
            )),
        }
    }
    if problems.is_empty() {
        Ok(arguments)
    } else {
        Err(Failure::Settings(problems))
    }
}

/// A flag's name in the form of a variable.
fn in_variable(flag: &str) -> String {
    flag.replace('-', "_").to_uppercase()
}

/// Clap stops at the first invalid value. Each one is noted and then accepted as text, until no error is left, or one that no text mends: a flag
/// without its value.
fn matches(mut command: Command, arguments: &[OsString]) -> Result<ArgMatches, Failure> {
    let mut problems: Vec<(Id, String)> = Vec::new();
    let of = |problems: Vec<(Id, String)>| problems.into_iter().map(|(_, problem)| problem);
    loop {
        let shown = commands::with_own_help(command.clone());
        let error = match shown.try_get_matches_from(arguments) {
            Ok(matches) if problems.is_empty() => return Ok(matches),
            Ok(_) => return Err(Failure::Settings(of(problems).collect())),
            Err(error) => error,
        };
        if !error.use_stderr() {
            error.exit();
        }
        match bad_value_of(&command, &error) {
            Some(arg) if problems.iter().all(|(id, _)| id != arg.get_id()) => {
                let id = arg.get_id().clone();
                problems.push((id.clone(), bad_value(arg, &error)));
                command =
                    command.mut_arg(id, |arg| arg.value_parser(clap::value_parser!(OsString)));
            }
            again => {
                problems.retain(|(id, _)| again.is_none_or(|arg| arg.get_id() != id));
                let unknown = commands::unknown(&command, &error);
                let last = unknown.unwrap_or_else(|| one_line(&error));
                return Err(Failure::Settings(of(problems).chain([last]).collect()));
            }
        }
    }
}

fn bad_value_of<'c>(command: &'c Command, error: &clap::Error) -> Option<&'c Arg> {
    let is_value = matches!(
        error.kind(),
        ErrorKind::ValueValidation | ErrorKind::InvalidValue
    );
    let Some(ContextValue::String(shown)) = error.get(ContextKind::InvalidArg).filter(|_| is_value)
    else {
        return None;
    };
    // Clap writes it as `--http-addr <ADDR>`.
    let flag = shown.split(' ').next()?.strip_prefix("--")?;
    command
        .get_arguments()
        .find(|arg| arg.get_long() == Some(flag))
}

/// For example `--log-format (MUSTER_LOG_FORMAT): must be one of text, json, got "xml"`.
fn bad_value(arg: &Arg, error: &clap::Error) -> String {
    let name = arg
        .get_long()
        .map_or_else(|| arg.get_id().to_string(), |flag| format!("--{flag}"));
    let variable = arg
        .get_env()
        .map(|name| format!(" ({})", name.to_string_lossy()));
    let problem = match (
        std::error::Error::source(error),
        error.get(ContextKind::ValidValue),
    ) {
        (Some(cause), _) => in_words(cause),
        (None, Some(valid)) => format!("must be one of {valid}"),
        (None, None) => "is not valid".to_owned(),
    };
    let value = error
        .get(ContextKind::InvalidValue)
        .filter(|_| !arg.is_hide_env_values_set());
    // A message that quotes the wrong part says enough.
    let quotes = |value: &String| {
        let mut quoted = problem.split('"').skip(1).step_by(2);
        quoted.any(|part| value.contains(part))
    };
    let value = value.map(ToString::to_string);
    let value = value.filter(|value| !quotes(value));
    let got = value.map(|value| format!(", got \"{value}\""));
    format!(
        "{name}{}: {problem}{}",
        variable.unwrap_or_default(),
        got.unwrap_or_default()
    )
}

/// What is wrong with a value. Those of numbers are the standard library's and clap's.
fn in_words(cause: &(dyn std::error::Error + 'static)) -> String {
    let text = cause.to_string();
    if let Some(error) = cause.downcast_ref::<ParseIntError>() {
        return match error.kind() {
            IntErrorKind::PosOverflow => "must be a smaller number",
            _ => "must be a whole number",
        }
        .to_owned();
    }
    // For example `0 is not in 1..=100`; without an upper bound, the largest number stands there.
    let range = text.split_once(" is not in ").map(|(_, range)| range);
    let Some((least, most)) = range.and_then(|range| range.split_once("..")) else {
        return text;
    };
    match most.strip_prefix('=') {
        Some(most) => format!("must be from {least} to {most}"),
        None => format!("must be at least {least}"),
    }
}

/// Clap's own message without its usage, on one line.
fn one_line(error: &clap::Error) -> String {
    let text = error.to_string();
    let problem = text.split("\n\nUsage").next().unwrap_or(&text);
    let problem = problem.split("\n\nFor more").next().unwrap_or(problem);
    let words: Vec<&str> = problem
        .trim_start_matches("error:")
        .split_whitespace()
        .collect();
    words.join(" ") + "; see --help"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_port_is_beside_the_pages() {
        for (public_url, expected) in [
            ("http://127.0.0.1:8080", "http://127.0.0.1:50051"),
            (
                "https://events.example.org",
                "https://events.example.org:50051",
            ),
            ("http://[::1]", "http://[::1]:50051"),
            ("http://[::1]:8080", "http://[::1]:50051"),
        ] {
            assert_eq!(usual_grpc_url(public_url), expected);
        }
    }

    #[test]
    fn a_flag_without_its_value_is_reported_beside_other_mistakes() {
        let command = || {
            let demo = Arg::new("demo").long("demo").value_parser(["on", "off"]);
            let port = Arg::new("port")
                .long("port")
                .value_parser(clap::value_parser!(u16));
            Command::new("muster").arg(demo).arg(port)
        };
        let problems = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(OsString::from).collect();
            match matches(command(), &arguments) {
                Err(Failure::Settings(problems)) => problems,
                other => panic!("{other:?}"),
            }
        };
        let missing = problems(&["muster", "--port", "x", "--demo"]);
        assert_eq!(missing.len(), 2, "{missing:?}");
        assert_eq!(missing[0], "--port: must be a whole number, got \"x\"");
        assert!(missing[1].contains("a value is required for '--demo"));
        let missing = problems(&["muster", "--port"]);
        assert_eq!(missing.len(), 1, "{missing:?}");
        let empty = problems(&["muster", "--demo=", "--port=x"]);
        assert_eq!(empty.len(), 2, "{empty:?}");
        let again = problems(&["muster", "--port", "x", "--demo", "y", "--port"]);
        assert!(again[0].starts_with("--demo: "), "{again:?}");
    }
}
