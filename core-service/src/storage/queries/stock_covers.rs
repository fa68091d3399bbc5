//! Covers from stock photographs.

use sqlx::Row as _;

use super::{Connection, Db};
use crate::{
    domain::{ids::EventId, image_credit::ImageCredit, instant::Instant},
    storage::{Error, StoredCover, values},
};

pub(in crate::storage) async fn put_stock_cover(
    connection: &mut Connection,
    event: EventId,
    cover: &StoredCover,
    credit: &ImageCredit,
    now: Instant,
) -> Result<(), Error> {
    sqlx::query::<Db>(
        "INSERT INTO stock_covers (event_id, jpeg, digest, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (event_id) DO UPDATE SET jpeg = excluded.jpeg, digest = excluded.digest, \
         created_at = excluded.created_at",
    )
    .bind(event.uuid())
    .bind(&cover.jpeg)
    .bind(cover.digest.as_slice())
    .bind(now.micros())
    .execute(&mut *connection)
    .await?;
    let done = sqlx::query::<Db>("UPDATE events SET image_credit = $2 WHERE id = $1")
        .bind(event.uuid())
        .bind(values::image_credit_text(Some(credit))?)
        .execute(connection)
        .await?;
    if done.rows_affected() != 1 {
        return Err(Error::Missing("event"));
    }
    Ok(())
}

pub(in crate::storage) async fn delete_stock_cover(
    connection: &mut Connection,
    event: EventId,
) -> Result<(), Error> {
    sqlx::query::<Db>("DELETE FROM stock_covers WHERE event_id = $1")
        .bind(event.uuid())
        .execute(connection)
        .await?;
    Ok(())
}

pub(in crate::storage) async fn find_stock_cover(
    connection: &mut Connection,
    event: EventId,
) -> Result<Option<StoredCover>, Error> {
    let row = sqlx::query::<Db>("SELECT jpeg, digest FROM stock_covers WHERE event_id = $1")
        .bind(event.uuid())
        .fetch_optional(connection)
        .await?;
    row.map(|row| {
        let digest: Vec<u8> = row.try_get("digest")?;
        Ok(StoredCover {
            jpeg: row.try_get("jpeg")?,
            digest: digest
                .try_into()
                .map_err(|_| values::corrupt("digest", "not 32 bytes"))?,
        })
    })
    .transpose()
}
