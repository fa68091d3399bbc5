//! Codes in mails.

use domain::{
    email,
    ids::CodeId,
    instant::Instant,
    sign_in_code::{Code, Holder, Purpose, TRIES},
};

use crate::{
    Error, Reads, Tx,
    record::{Record as _, insert_into, record},
    sql::sql,
};

record! {
    Code as codes of "codes" { id, purpose, holder, email, digits = "codes.code", tries, expires_at }
}

impl Reads {
    /// Returns a code.
    pub async fn find_code(&self, code: CodeId) -> Result<Option<Code>, Error> {
        let statement = sql!("SELECT {} FROM codes WHERE id = $1", Code::COLUMNS);
        self.optional(statement, [code]).await
    }

    /// Returns the code of a holder that may still be tried.
    pub async fn find_code_of(
        &self,
        purpose: Purpose,
        holder: &Holder,
        now: Instant,
    ) -> Result<Option<Code>, Error> {
        let statement = sql!(
            "SELECT {} FROM codes WHERE purpose = $1 AND holder = $2 AND expires_at > $3 AND tries < $4",
            Code::COLUMNS,
        );
        self.optional(statement, (purpose, holder, now, TRIES))
            .await
    }
}

impl Tx {
    /// Adds a code, instead of an earlier one of the same holder for the same purpose.
    pub async fn put_code(&mut self, code: &Code) -> Result<(), Error> {
        let (statement, values) = insert_into!(
            "codes" " ON CONFLICT (purpose, holder) DO UPDATE SET id = excluded.id, email = excluded.email, \
                email_norm = excluded.email_norm, code = excluded.code, tries = excluded.tries, expires_at = excluded.expires_at"
            {
                id: code.id,
                purpose: code.purpose,
                holder: code.holder,
                email: code.email,
                email_norm: email::normalised(&code.email),
                code: code.digits,
                tries: code.tries,
                expires_at: code.expires_at,
            }
        );
        self.execute(statement, values).await?;
        Ok(())
    }

    /// Counts a try of a code and returns it; none if there is none that may be tried.
    pub async fn try_code(
        &mut self,
        purpose: Purpose,
        holder: &Holder,
        now: Instant,
    ) -> Result<Option<Code>, Error> {
        // One statement, so that of tries at the same time none is counted twice.
        let statement = sql!(
            "UPDATE codes SET tries = tries + 1 WHERE purpose = $1 AND holder = $2 AND expires_at > $3 AND tries < $4 \
             RETURNING {}",
            Code::COLUMNS,
        );
        self.optional(statement, (purpose, holder, now, TRIES))
            .await
    }

    /// Removes a code.
    pub async fn delete_code(&mut self, code: CodeId) -> Result<(), Error> {
        let statement = sql!("DELETE FROM codes WHERE id = $1");
        self.execute(statement, [code]).await?;
        Ok(())
    }

    /// Removes the codes for a normalised address; returns their number.
    pub async fn delete_codes_to(&mut self, email_norm: &str) -> Result<u64, Error> {
        let statement = sql!("DELETE FROM codes WHERE email_norm = $1");
        self.execute(statement, [email_norm]).await
    }

    /// Removes at most `limit` codes that are too old; returns their number.
    pub async fn delete_expired_codes(&mut self, now: Instant, limit: i64) -> Result<u64, Error> {
        let statement = sql!(
            "DELETE FROM codes WHERE id IN (SELECT id FROM codes WHERE expires_at <= $1 ORDER BY expires_at LIMIT $2)"
        );
        self.execute(statement, (now, limit)).await
    }
}
