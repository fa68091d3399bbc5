//! Commands of a program: their help, and what is said to those who mistyped one.

use clap::{
    Command,
    error::{ContextKind, ContextValue, ErrorKind},
};

/// The option of commands that cannot be undone.
const CONSENT: &str = "yes";

/// The same program, whose commands show in their help only the options of their own. Those of the program count everywhere, and
/// its help shows them.
pub(super) fn with_own_help(mut program: Command) -> Command {
    let inherited = program.get_arguments().filter(|arg| arg.is_global_set());
    let inherited: Vec<String> = inherited
        .filter_map(|arg| arg.get_long())
        .map(|flag| format!("--{flag}"))
        .collect();
    if inherited.is_empty() {
        return program;
    }
    let note = format!(
        "Also, as in the help of {} itself: {}.",
        program.get_name(),
        inherited.join(", ")
    );
    // Only this gives commands the options that they inherit.
    program.build();
    program.mut_subcommands(|command| own_help(command, &note))
}

fn own_help(command: Command, note: &str) -> Command {
    let command = command.mut_args(|arg| {
        let is_inherited = arg.is_global_set();
        if is_inherited { arg.hide(true) } else { arg }
    });
    let command = match command.get_after_help() {
        Some(_) => command,
        None => command.after_help(note.to_owned()),
    };
    command.mut_subcommands(|one| own_help(one, note))
}

/// What to say of a command that does not exist, on one line; none for other errors. Commands that cannot be undone are not
/// suggested: who mistypes another must not be led to them.
pub(super) fn unknown(program: &Command, error: &clap::Error) -> Option<String> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidSubcommand) else {
        return None;
    };
    if error.kind() != ErrorKind::InvalidSubcommand {
        return None;
    }
    let suggested: &[String] = match error.get(ContextKind::SuggestedSubcommand) {
        Some(ContextValue::String(one)) => std::slice::from_ref(one),
        Some(ContextValue::Strings(all)) => all,
        _ => &[],
    };
    let mut harmless = suggested.iter().filter(|name| is_harmless(program, name));
    let cure = match harmless.next() {
        Some(name) => format!("did you mean {name}? --help lists the commands"),
        None if is_first(program, error) => {
            format!(
                "without a command, {} serves; --help lists the commands",
                program.get_name()
            )
        }
        None => "--help lists the commands".to_owned(),
    };
    Some(format!("there is no command \"{given}\": {cure}"))
}

/// Whether it is the program's own command that is unknown, and not one of a command.
fn is_first(program: &Command, error: &clap::Error) -> bool {
    let usage = error.get(ContextKind::Usage).map(ToString::to_string);
    let words = usage.unwrap_or_default();
    let mut words = words.split_whitespace();
    !words.any(|word| program.find_subcommand(word).is_some())
}

/// Whether no command of this name, however deep, asks before it acts.
fn is_harmless(command: &Command, name: &str) -> bool {
    command.get_subcommands().all(|one| {
        let asks = one.get_name() == name
            && one
                .get_arguments()
                .any(|arg| arg.get_long() == Some(CONSENT));
        !asks && is_harmless(one, name)
    })
}
