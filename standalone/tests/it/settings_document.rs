//! `docs/settings.md`, which is made from the definitions that `--help` shows.

use std::fmt::Write as _;

use clap::{Arg, Args as _, Command, CommandFactory as _};
use core_service::settings::{DataSettings, MailSettings, PortSettings, RuleSettings};
use server::{program::ProgramSettings, shutdown::StopSettings};

const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/settings.md");

const INTRODUCTION: &str = "\
# Settings

<!-- Made by `UPDATE_GOLDEN=1 cargo test -p standalone settings_document`; a test fails when it is stale. -->

Each setting is a flag and an environment variable; the flag wins. `--help` of a program has its own. Where a variable has `…_FILE`, the
variable of that name names a file with the value, as container platforms mount secrets. Wrong settings end the program with code 64, each
named, before a port opens.
";

/// The programs, as the tables name them.
fn programs() -> [(&'static str, Command); 5] {
    let core = DataSettings::augment_args(Command::new("core-service"));
    let core = RuleSettings::augment_args(core);
    let core = PortSettings::augment_args(MailSettings::augment_args(core));
    let core = ProgramSettings::augment_args(StopSettings::augment_args(core));
    [
        ("muster", standalone::Config::command()),
        ("core", core),
        ("gateway", http_gateway::Settings::command()),
        ("mcp", mcp_bridge::Settings::command()),
        ("site", website::Settings::command()),
    ]
}

/// One setting, and the programs that have it.
struct Setting {
    group: String,
    flag: String,
    arg: Arg,
    programs: Vec<&'static str>,
}

/// Every setting once, in the order of `--help`.
fn settings() -> Vec<Setting> {
    let mut settings: Vec<Setting> = Vec::new();
    for (program, command) in programs() {
        for arg in command.get_arguments() {
            let Some(flag) = arg.get_long().filter(|_| !arg.is_hide_set()) else {
                continue;
            };
            match settings.iter_mut().find(|setting| setting.flag == flag) {
                Some(setting) => setting.programs.push(program),
                None => settings.push(Setting {
                    group: arg.get_help_heading().unwrap_or(program).to_owned(),
                    flag: flag.to_owned(),
                    arg: arg.clone(),
                    programs: vec![program],
                }),
            }
        }
    }
    settings
}

impl Setting {
    fn row(&self) -> String {
        let (meaning, default) = self.meaning_and_default();
        let programs = match self.programs.len() {
            5 => "all".to_owned(),
            _ => self.programs.join(", "),
        };
        let row = format!("{} | {default} | {programs} | {meaning}", self.names());
        format!("| {row} |\n")
    }

    fn names(&self) -> String {
        let mut names = format!("`--{}`", self.flag);
        if let Some(variable) = self.arg.get_env() {
            let variable = variable.to_string_lossy();
            write!(names, " `{variable}`").unwrap();
            if self.arg.is_hide_env_values_set() {
                names += " (or `…_FILE`)";
            }
        }
        names
    }

    /// Help says defaults that are no constants at its end.
    fn meaning_and_default(&self) -> (String, String) {
        let help = self.arg.get_long_help().or(self.arg.get_help()).unwrap();
        let help = help.to_string();
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        let values = self.arg.get_default_values().iter();
        let values: Vec<_> = values.map(|value| value.to_string_lossy()).collect();
        let constant = values.join(",");
        match help.split_once(" [default: ") {
            Some((meaning, rest)) => {
                let (default, after) = rest.split_once(']').unwrap();
                (format!("{meaning}{after}"), default.to_owned())
            }
            None if constant.is_empty() => (help, String::new()),
            None => (help, format!("`{constant}`")),
        }
    }
}

fn document() -> String {
    let settings = settings();
    let mut groups: Vec<&str> = Vec::new();
    for setting in &settings {
        if !groups.contains(&setting.group.as_str()) {
            groups.push(&setting.group);
        }
    }
    let mut text = INTRODUCTION.to_owned();
    for group in groups {
        let in_group = settings.iter().filter(|setting| setting.group == group);
        let rows: String = in_group.map(Setting::row).collect();
        write!(
            text,
            "\n## {group}\n\n| setting | default | programs | meaning |\n|---|---|---|---|\n{rows}"
        )
        .unwrap();
    }
    text
}

#[test]
fn the_document_of_settings_says_what_the_programs_have() {
    let made = document();
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(DOCUMENT, &made).unwrap();
    }
    let document = std::fs::read_to_string(DOCUMENT).unwrap();
    assert!(
        document == made,
        "docs/settings.md is stale: UPDATE_GOLDEN=1 cargo test -p standalone settings_document"
    );
}

#[test]
fn every_setting_has_a_variable_a_meaning_and_a_group() {
    for setting in settings() {
        let flag = &setting.flag;
        assert!(setting.arg.get_help().is_some(), "{flag}");
        assert_ne!(
            setting.group, setting.programs[0],
            "--{flag} has no heading"
        );
        assert!(setting.arg.get_env().is_some() || flag == "stdio", "{flag}");
    }
}
