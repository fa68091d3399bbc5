//! Settings of the use cases, as an operator writes them.

use clap::Parser as _;
use core_service::{
    Options,
    settings::{DataSettings, MailSettings, PortSettings, RuleSettings},
};
use domain::plan::Plan;

#[derive(clap::Parser)]
struct Program {
    #[command(flatten)]
    rules: RuleSettings,
    #[command(flatten)]
    port: PortSettings,
    #[command(flatten)]
    data: DataSettings,
}

/// The options of a core that is started with these arguments.
fn options(arguments: &[&str]) -> Options {
    let folder = tempfile::tempdir().unwrap();
    let folder = ["muster", "--data-dir", folder.path().to_str().unwrap()];
    let arguments = folder.iter().chain(arguments).copied();
    let program = Program::try_parse_from(arguments).unwrap();
    Options::from_settings(&program.rules, &program.port, &program.data).unwrap()
}

#[test]
fn where_no_key_of_secrets_can_be_made_its_setting_is_named() {
    // A file can have no folder in it.
    let program = Program::parse_from(["muster", "--data-dir", "/dev/null/data"]);
    let failure = Options::from_settings(&program.rules, &program.port, &program.data);
    let text = failure.unwrap_err().to_string();
    assert!(text.contains("set MUSTER_SECRET_KEY"), "{text}");
    assert!(text.contains("/dev/null/data"), "{text}");
}

#[test]
fn everyone_signs_up_on_a_paid_plan_unless_the_operator_says_otherwise() {
    let usual = options(&[]).policy;
    assert!(usual.sign_up.is_open);
    assert_eq!(usual.sign_up.plan, Plan::Pro);
    assert_eq!(usual.info, core_service::service::InstanceInfo::default());
    let chosen = options(&["--sign-up", "closed", "--sign-up-plan", "premium"]).policy;
    assert!(!chosen.sign_up.is_open);
    assert_eq!(chosen.sign_up.plan, Plan::Premium);
    for wrong in [["--sign-up", "sometimes"], ["--sign-up-plan", "gold"]] {
        assert!(Program::try_parse_from(["muster"].into_iter().chain(wrong)).is_err());
    }
}

#[test]
fn apps_introduce_themselves_and_are_forgiven_as_the_operator_says() {
    let usual = options(&[]).policy.oauth;
    assert!(usual.documents.is_some());
    assert_eq!(usual.refresh_grace_seconds, 60);
    let schemes = usual.private_schemes.to_string();
    assert!(schemes.starts_with("cursor,vscode,"), "{schemes}");
    let chosen = options(&[
        "--oauth-cimd",
        "off",
        "--oauth-refresh-grace",
        "0",
        "--oauth-private-schemes",
        "none",
    ]);
    let chosen = chosen.policy.oauth;
    assert!(chosen.documents.is_none());
    assert_eq!(chosen.refresh_grace_seconds, 0);
    assert_eq!(chosen.private_schemes.to_string(), "none");
    for wrong in [
        ["--oauth-cimd", "sometimes"],
        ["--oauth-refresh-grace", "601"],
        ["--oauth-private-schemes", "javascript"],
    ] {
        assert!(Program::try_parse_from(["muster"].into_iter().chain(wrong)).is_err());
    }
}

#[test]
fn links_of_the_operator_are_pages_and_an_address() {
    let info = options(&[
        "--upgrade-url",
        "https://example.org/plans",
        "--legal-url",
        "https://example.org/legal",
        "--privacy-url",
        "http://example.org/privacy",
        "--abuse-email",
        "abuse@example.org",
        "--security-contact",
        "security@example.org",
    ])
    .policy
    .info;
    assert_eq!(
        info.upgrade_url.as_deref(),
        Some("https://example.org/plans")
    );
    assert_eq!(info.legal_url.as_deref(), Some("https://example.org/legal"));
    assert_eq!(
        info.privacy_url.as_deref(),
        Some("http://example.org/privacy")
    );
    assert_eq!(info.abuse_email.as_deref(), Some("abuse@example.org"));
    let contact = info.security_contact.as_deref();
    assert_eq!(contact, Some("mailto:security@example.org"));
    for wrong in [
        ["--upgrade-url", "javascript:alert(1)"],
        ["--legal-url", "/legal"],
        ["--privacy-url", "example.org"],
        ["--abuse-email", "abuse"],
        ["--security-contact", "http://example.org/security"],
        ["--security-contact", "security"],
    ] {
        let refused = Program::try_parse_from(["muster"].into_iter().chain(wrong));
        assert!(refused.is_err(), "{wrong:?}");
    }
}

#[derive(clap::Parser)]
struct Mailing {
    #[command(flatten)]
    mail: MailSettings,
    #[command(flatten)]
    data: DataSettings,
}

#[test]
fn mails_come_from_the_name_of_the_site_unless_the_sender_has_one() {
    for (arguments, expected) in [
        (&[][..], "Muster <events@localhost>"),
        (
            &["--site-name", "Ruhr Events"],
            "Ruhr Events <events@localhost>",
        ),
        (
            &["--site-name", "Ruhr", "--mail-from", "e@ruhr.example"],
            "Ruhr <e@ruhr.example>",
        ),
        (
            &[
                "--site-name",
                "Ruhr",
                "--mail-from",
                "Team <e@ruhr.example>",
            ],
            "Team <e@ruhr.example>",
        ),
    ] {
        let program = Mailing::try_parse_from(["muster"].iter().chain(arguments)).unwrap();
        let mailer = program.mail.mailer(&program.data).unwrap();
        assert_eq!(mailer.sender().to_string(), expected);
    }
    for (wrong, said) in [
        (["--site-name", ""], "must have 1 to 40 characters"),
        (["--accent-colour", "blue"], "must be a colour as #rrggbb"),
        (
            ["--accent-colour", "#ffd60a"],
            "the nearest colour that passes is #7e6a04",
        ),
    ] {
        let refused = Mailing::try_parse_from(["muster"].into_iter().chain(wrong));
        let refused = refused.err().unwrap().to_string();
        assert!(refused.contains(said), "{refused}");
    }
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
