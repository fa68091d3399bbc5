//! Identifiers in payloads, in the form of answers.

use std::{fmt::Display, str::FromStr};

use serde::{Deserialize as _, Deserializer, Serializer, de::Error as _};

pub(super) fn serialize<S: Serializer>(id: &impl Display, to: S) -> Result<S::Ok, S::Error> {
    to.collect_str(id)
}

pub(super) fn deserialize<'de, T, D>(from: D) -> Result<T, D::Error>
where
    T: FromStr<Err: Display>,
    D: Deserializer<'de>,
{
    let text = String::deserialize(from)?;
    text.parse().map_err(D::Error::custom)
}
