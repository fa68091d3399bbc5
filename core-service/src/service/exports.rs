//! The trail of exports: who took which data away, and when.

use domain::fact::{Export, Fact};

use super::{Commands, Context, Error, Principal};

/// Records that the caller takes data of their account away. It comes before the first piece, so that no export is without an entry.
pub(super) async fn record(
    commands: &Commands,
    caller: &Principal,
    what: Export,
) -> Result<(), Error> {
    let account = caller.account;
    let decide = async |context: &mut Context| {
        context.record(Fact::Exported { account, what }).await?;
        Ok(())
    };
    commands.run(caller, decide).await
}
