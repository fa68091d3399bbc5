//! Parsing of JSON and parameter values, where serde itself would be more lenient or less clear than the contract.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Unexpected, Visitor, value::MapAccessDeserializer},
};

use crate::binding::InvalidParameter;

/// An optional field that may be left out but not null.
///
/// # Errors
/// When the value is null or no `T`.
pub fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    json: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(json).map(Some)
}

/// An integer.
///
/// # Errors
/// When the value is no integer of 32 bits.
pub fn int32<'de, D: Deserializer<'de>>(json: D) -> Result<i32, D::Error> {
    Int32::deserialize(json).map(|Int32(value)| value)
}

/// An integer that may be left out but not null.
///
/// # Errors
/// When the value is null or no integer of 32 bits.
pub fn present_int32<'de, D: Deserializer<'de>>(json: D) -> Result<Option<i32>, D::Error> {
    int32(json).map(Some)
}

/// An integer that may be left out or null.
///
/// # Errors
/// When the value is neither null nor an integer of 32 bits.
pub fn nullable_int32<'de, D: Deserializer<'de>>(json: D) -> Result<Option<i32>, D::Error> {
    Ok(Option::<Int32>::deserialize(json)?.map(|Int32(value)| value))
}

/// Integers.
///
/// # Errors
/// When the value is no list of integers of 32 bits.
pub fn int32s<'de, D: Deserializer<'de>>(json: D) -> Result<Vec<i32>, D::Error> {
    let integers = Vec::<Int32>::deserialize(json)?;
    Ok(integers.into_iter().map(|Int32(value)| value).collect())
}

/// An integer as JSON Schema has it: `5.0` is one, `5.5` and `"5"` are not.
struct Int32(i32);

impl<'de> Deserialize<'de> for Int32 {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_i32(Int32Visitor)
    }
}

struct Int32Visitor;

impl Visitor<'_> for Int32Visitor {
    type Value = Int32;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an integer from -2147483648 to 2147483647")
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Int32, E> {
        i32::try_from(value)
            .map(Int32)
            .map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Int32, E> {
        i32::try_from(value)
            .map(Int32)
            .map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Int32, E> {
        let whole =
            value.fract() == 0.0 && (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&value);
        if !whole {
            return Err(E::invalid_value(Unexpected::Float(value), &self));
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "whole and within range, as just checked"
        )]
        let value = value as i32;
        Ok(Int32(value))
    }
}

/// Objects.
///
/// # Errors
/// When the value is no list of objects that are each a `T`.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    json: D,
) -> Result<Vec<T>, D::Error> {
    let objects = Vec::<Object<T>>::deserialize(json)?;
    Ok(objects.into_iter().map(|Object(value)| value).collect())
}

/// An object that may be left out but not null.
///
/// # Errors
/// When the value is null or no object that is a `T`.
pub fn present_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    json: D,
) -> Result<Option<T>, D::Error> {
    Object::deserialize(json).map(|Object(value)| Some(value))
}

/// An object that may be left out or null.
///
/// # Errors
/// When the value is neither null nor an object that is a `T`.
pub fn nullable_object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    json: D,
) -> Result<Option<T>, D::Error> {
    Ok(Option::<Object<T>>::deserialize(json)?.map(|Object(value)| value))
}

/// A message as an object. Serde itself also accepts an array of the fields' values.
struct Object<T>(T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        json.deserialize_map(ObjectVisitor(PhantomData))
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = Object<T>;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Object<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Object)
    }
}

/// A parameter as an integer.
///
/// # Errors
/// When the text is no decimal integer of 32 bits.
pub fn parse_int32(field: &'static str, text: &str) -> Result<i32, InvalidParameter> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let decimal = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let value = if decimal { text.parse().ok() } else { None };
    value.ok_or(InvalidParameter {
        field,
        message: "must be an integer from -2147483648 to 2147483647",
    })
}

/// A parameter as a boolean.
///
/// # Errors
/// When the text is neither `true` nor `false`.
pub fn parse_bool(field: &'static str, text: &str) -> Result<bool, InvalidParameter> {
    text.parse().map_err(|_| InvalidParameter {
        field,
        message: "must be true or false",
    })
}
