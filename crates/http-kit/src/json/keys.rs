//! Collects the keys of an object while it is parsed as a message.

use std::borrow::Cow;

use serde::{
    Deserializer,
    de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, Visitor, value::CowStrDeserializer},
    forward_to_deserialize_any,
};

/// The keys of an object, in their order.
#[derive(Default)]
pub(super) struct Keys<'f> {
    pub(super) seen: Vec<String>,
    /// Fields of the message that the object must not contain.
    pub(super) forbidden: &'f [&'f str],
    /// One of those, if present.
    pub(super) found: Option<String>,
}

/// Parses `inner`, which must be an object.
pub(super) struct Noting<'k, 'f, D> {
    pub(super) inner: D,
    pub(super) keys: &'k mut Keys<'f>,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Noting<'_, '_, D> {
    type Error = D::Error;

    /// Serde would also accept an array of the fields' values.
    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        let (inner, keys) = (visitor, self.keys);
        self.inner.deserialize_map(NotingVisitor { inner, keys })
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

struct NotingVisitor<'k, 'f, V> {
    inner: V,
    keys: &'k mut Keys<'f>,
}

impl<'de, V: Visitor<'de>> Visitor<'de> for NotingVisitor<'_, '_, V> {
    type Value = V::Value;

    fn expecting(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        let (inner, keys) = (map, self.keys);
        self.inner.visit_map(NotingMap { inner, keys })
    }
}

struct NotingMap<'k, 'f, A> {
    inner: A,
    keys: &'k mut Keys<'f>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for NotingMap<'_, '_, A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.inner.next_key::<Cow<'de, str>>()? else {
            return Ok(None);
        };
        self.keys.seen.push(key.clone().into_owned());
        if self.keys.forbidden.contains(&key.as_ref()) {
            self.keys.found = Some(key.into_owned());
            return Err(A::Error::custom("is not known here"));
        }
        let key: CowStrDeserializer<'_, A::Error> = key.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.next_value_seed(seed)
    }
}
