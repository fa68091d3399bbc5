//! Settings of the use cases, as an operator writes them.

use clap::Parser as _;
use core_service::settings::RuleSettings;

#[derive(clap::Parser)]
struct Program {
    #[command(flatten)]
    rules: RuleSettings,
}

#[test]
fn people_confirm_by_default_only_if_the_operator_says_so() {
    for (argument, expected) in [
        (None, false),
        (Some("--confirm-by-email"), true),
        (Some("--confirm-by-email=true"), true),
        (Some("--confirm-by-email=false"), false),
    ] {
        let arguments = std::iter::once("muster").chain(argument);
        let program = Program::try_parse_from(arguments).unwrap();
        assert_eq!(program.rules.confirm_by_email, expected);
    }
}
