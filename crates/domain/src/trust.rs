//! How an account that signed itself up earns trust (rule 41 of docs/rules.md): by people who registered themselves and pressed a button on
//! their page. Opening it is no proof, since scanners of mails do that.

/// How many different mailboxes are enough.
pub const PROOFS_NEEDED: i64 = 20;
