use std::{collections::HashMap, ffi::OsString, net::SocketAddr};

use clap::{Args, Parser, Subcommand};
use server::{
    Failure,
    networks::Networks,
    settings::{address, parse_from},
    telemetry::TelemetrySettings,
};
use tracing_subscriber::filter::Targets;

/// A program.
#[derive(Debug, Parser)]
struct Settings {
    #[arg(long, env = "PROCESS_TEST_ADDR", default_value = "127.0.0.1:8080", value_parser = address)]
    addr: SocketAddr,
    #[arg(
        long,
        alias = "helping-hands",
        env = "PROCESS_TEST_WORKERS",
        default_value_t = 4
    )]
    workers: u16,
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=100))]
    percent: u16,
    #[arg(long, default_value = "")]
    networks: Networks,
    #[arg(long, env = "PROCESS_TEST_SECRET", hide_env_values = true)]
    secret: Option<String>,
    #[command(flatten)]
    telemetry: TelemetrySettings,
}

fn parse(arguments: &[&str], environment: &[(&str, &str)]) -> Result<Settings, Failure> {
    let arguments = std::iter::once("program")
        .chain(arguments.iter().copied())
        .map(OsString::from)
        .collect();
    let environment: HashMap<&str, &str> = environment.iter().copied().collect();
    parse_from(arguments, |name| environment.get(name).map(OsString::from))
}

fn problems(arguments: &[&str], environment: &[(&str, &str)]) -> String {
    let failure = parse(arguments, environment).expect_err("these settings are wrong");
    assert_eq!(failure.code(), 64);
    failure.to_string()
}

#[test]
fn settings_have_defaults() {
    let settings = parse(&[], &[]).unwrap();
    assert_eq!(
        (
            settings.addr.port(),
            settings.workers,
            settings.telemetry.log.log.to_string().as_str()
        ),
        (8080, 4, "info")
    );
}

#[test]
fn every_bad_value_is_told_at_once_one_line_each() {
    let told = problems(
        &[
            "--addr",
            "8080",
            "--workers=many",
            "--log-format",
            "xml",
            "--log",
            "a=b=c",
        ],
        &[],
    );
    assert_eq!(
        told,
        "--addr (PROCESS_TEST_ADDR): must be an IP address and a port, for example 127.0.0.1:8080, got \"8080\"\n\
         --workers (PROCESS_TEST_WORKERS): must be a whole number, got \"many\"\n\
         --log-format (MUSTER_LOG_FORMAT): must be one of text, json, got \"xml\"\n\
         --log (MUSTER_LOG): must be a level (error, warn, info, debug or trace; verbose is debug) or filters such as info,http_gateway=debug, got \"a=b=c\""
    );
}

#[test]
fn a_number_that_is_none_or_out_of_range_is_told_in_words() {
    for (value, problem) in [
        ("0", "must be from 1 to 100, got \"0\""),
        ("", "must be a whole number, got \"\""),
        ("many", "must be a whole number, got \"many\""),
        (
            "99999999999999999999",
            "must be a smaller number, got \"99999999999999999999\"",
        ),
    ] {
        let told = problems(&["--percent", value], &[]);
        assert_eq!(told, format!("--percent: {problem}"));
    }
}

#[test]
fn a_message_that_quotes_the_wrong_part_does_not_repeat_the_value() {
    let told = problems(&["--networks", "10.0.0.0/8,here"], &[]);
    assert_eq!(
        told,
        "--networks: must be addresses or networks such as 10.0.0.0/8, separated by commas, not \"here\""
    );
}

#[test]
fn an_unknown_flag_is_one_line() {
    assert_eq!(problems(&["--adr", "x"], &[]).lines().count(), 1);
}

#[test]
fn a_secret_may_come_from_a_file_and_a_flag_wins_over_it() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "hunter2\n").unwrap();
    let environment = [("PROCESS_TEST_SECRET_FILE", file.path().to_str().unwrap())];
    assert_eq!(
        parse(&[], &environment).unwrap().secret.as_deref(),
        Some("hunter2")
    );
    assert_eq!(
        parse(&["--secret", "x"], &environment)
            .unwrap()
            .secret
            .as_deref(),
        Some("x")
    );
}

#[test]
fn a_secret_file_that_cannot_be_read_is_told() {
    let told = problems(&[], &[("PROCESS_TEST_SECRET_FILE", "/no/such/file")]);
    assert_eq!(
        told,
        "PROCESS_TEST_SECRET_FILE: cannot read /no/such/file: No such file or directory (os error 2)"
    );
}

#[test]
fn a_secret_given_twice_is_told() {
    let told = problems(
        &[],
        &[
            ("PROCESS_TEST_SECRET_FILE", "/x"),
            ("PROCESS_TEST_SECRET", "y"),
        ],
    );
    assert_eq!(
        told,
        "PROCESS_TEST_SECRET and PROCESS_TEST_SECRET_FILE are both set: set one of them"
    );
}

#[test]
fn a_variable_that_was_renamed_is_read_by_its_old_name_and_a_flag_wins_over_it() {
    let old = [("PROCESS_TEST_HELPING_HANDS", "7")];
    assert_eq!(parse(&[], &old).unwrap().workers, 7);
    assert_eq!(parse(&["--workers", "9"], &old).unwrap().workers, 9);
    let told = problems(&[], &[("PROCESS_TEST_HELPING_HANDS", "many")]);
    assert_eq!(
        told,
        "--workers (PROCESS_TEST_WORKERS): must be a whole number, got \"many\""
    );
}

#[test]
fn a_variable_set_by_its_old_and_its_new_name_is_told() {
    let both = [
        ("PROCESS_TEST_HELPING_HANDS", "7"),
        ("PROCESS_TEST_WORKERS", "9"),
    ];
    assert_eq!(
        problems(&[], &both),
        "PROCESS_TEST_HELPING_HANDS is the old name of PROCESS_TEST_WORKERS, and both are set: set PROCESS_TEST_WORKERS alone"
    );
}

/// A program with commands.
#[derive(Debug, Parser)]
#[command(name = "program")]
struct Commanded {
    /// Where everything is
    #[arg(long, global = true)]
    folder: Option<String>,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Remove everything
    Erase(Consent),
    /// Keys
    #[command(subcommand)]
    Key(KeyCommand),
}

#[derive(Debug, Subcommand)]
enum KeyCommand {
    /// List them
    List,
    /// End one
    Revoke(Consent),
}

#[derive(Debug, Args)]
struct Consent {
    /// Do not ask
    #[arg(long)]
    yes: bool,
}

fn command(arguments: &[&str]) -> Result<Commanded, Failure> {
    let arguments = std::iter::once("program").chain(arguments.iter().copied());
    parse_from(arguments.map(OsString::from).collect(), |_| None)
}

#[test]
fn what_cannot_be_undone_is_suggested_to_nobody() {
    for (arguments, told) in [
        (
            ["serve"].as_slice(),
            "there is no command \"serve\": without a command, program serves; --help lists the commands",
        ),
        (
            &["key", "revok"],
            "there is no command \"revok\": --help lists the commands",
        ),
        (
            &["key", "lst"],
            "there is no command \"lst\": did you mean list? --help lists the commands",
        ),
    ] {
        let failure = command(arguments).unwrap_err();
        assert_eq!((failure.code(), failure.to_string().as_str()), (64, told));
    }
}

#[test]
fn options_of_the_program_count_for_its_commands() {
    let program = command(&["key", "revoke", "--yes", "--folder", "x"]).unwrap();
    assert_eq!(program.folder.as_deref(), Some("x"));
    let Some(Command::Key(KeyCommand::Revoke(consent))) = program.command else {
        panic!("another command was read");
    };
    assert!(consent.yes);
    let program = command(&["--folder", "y", "erase"]).unwrap();
    assert_eq!(program.folder.as_deref(), Some("y"));
}

#[test]
fn a_log_may_be_verbose() {
    for (given, taken) in [
        ("verbose", "debug"),
        ("VERBOSE", "debug"),
        ("info,edge=verbose", "info,edge=debug"),
        ("warn", "warn"),
        ("info, edge=debug,", "edge=debug,info"),
    ] {
        let settings = parse(&["--log", given], &[]).unwrap();
        let taken: Targets = taken.parse().unwrap();
        assert_eq!(settings.telemetry.log.log, taken, "{given}");
    }
}

#[test]
fn a_log_without_a_level_is_refused() {
    for given in ["", " ", ",", "info,edge=loud"] {
        let told = problems(&["--log", given], &[]);
        assert!(
            told.starts_with("--log (MUSTER_LOG): must be a level"),
            "{told}"
        );
    }
}
