//! JSON from the wire format, without messages in between: a page of a list is parsed and copied once, and not twice.
//!
//! The result is byte for byte what serde makes of the decoded message: the fields in the proto's order, `null` for what is absent, zeros
//! for what has no presence.

use std::io::Write as _;

use serde_json::ser::{CompactFormatter, Formatter as _};

/// A message, as generated from the proto.
#[derive(Debug)]
pub struct Shape {
    /// In the order of the proto.
    pub fields: &'static [Field],
}

/// A field of a message.
#[derive(Debug)]
pub struct Field {
    /// Its name, in JSON as well.
    pub name: &'static str,
    /// Its number on the wire.
    pub number: u32,
    /// The type of a value.
    pub kind: Kind,
    /// How many values it has.
    pub count: Count,
}

/// The type of a value.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A text.
    Text,
    /// An integer of 32 bits.
    Int,
    /// True or false.
    Bool,
    /// Another message.
    Message(&'static Shape),
}

/// How many values a field has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// One: zero, false or empty if it is absent.
    One,
    /// One or none: `null` if it is absent.
    Optional,
    /// Any number.
    Many,
}

/// What is no message of a shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

/// More than any message has. Generated shapes have no more: codegen refuses it.
pub const MOST_FIELDS: usize = 32;

/// A value on the wire.
#[derive(Debug, Clone, Copy)]
enum Value<'m> {
    Number(u64),
    Bytes(&'m [u8]),
}

/// Reads fields one after the other.
#[derive(Debug, Clone, Copy)]
struct Reader<'m>(&'m [u8]);

/// Where a field is: its last value, and for a repeated one, what begins with its first.
#[derive(Clone, Copy)]
struct Found<'m> {
    last: Value<'m>,
    from_first: Reader<'m>,
}

impl Shape {
    /// Writes a message as JSON.
    ///
    /// # Errors
    /// When it is malformed.
    pub fn write_json(&self, message: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
        let begin = out.len();
        if !self.write_in_order(message, out)? {
            out.truncate(begin);
            let found = self.find_all(message)?;
            for (field, found) in self.fields.iter().zip(found) {
                field.write_name(out);
                field.write(found, out)?;
            }
        }
        // In place of the comma before the first field.
        match out.get_mut(begin) {
            Some(first) => *first = b'{',
            None => out.push(b'{'),
        }
        out.push(b'}');
        Ok(())
    }

    /// Writes the fields of a message in which they are in the proto's order, as almost always: they are read once then, and nothing is kept
    /// of where they are. False if they are not, or if there are others.
    fn write_in_order(&self, message: &[u8], out: &mut Vec<u8>) -> Result<bool, Malformed> {
        let mut reader = Reader(message);
        let mut next = reader.next()?;
        for field in self.fields {
            field.write_name(out);
            let Some((_, first)) = next.filter(|(number, _)| *number == field.number) else {
                field.write(None, out)?;
                continue;
            };
            next = if field.count == Count::Many {
                field.write_some(first, &mut reader, out)?
            } else {
                field.write_one(first, out)?;
                reader.next()?
            };
        }
        Ok(next.is_none())
    }

    /// Writes one field of a message as JSON.
    ///
    /// # Errors
    /// When the message is malformed, or has no such field.
    pub fn write_field(
        &self,
        name: &str,
        message: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), Malformed> {
        let found = self.find_all(message)?;
        let mut fields = self.fields.iter().zip(found);
        let (field, found) = fields
            .find(|(field, _)| field.name == name)
            .ok_or(Malformed)?;
        field.write(found, out)
    }

    /// The value of a text or a number, as text; `None` if it is absent.
    ///
    /// # Errors
    /// When the message is malformed.
    pub fn text_of(&self, name: &str, message: &[u8]) -> Result<Option<String>, Malformed> {
        let found = self.find_all(message)?;
        let mut fields = self.fields.iter().zip(found);
        let found = fields.find(|(field, _)| field.name == name);
        let (field, found) = found.ok_or(Malformed)?;
        let Some(Found { last, .. }) = found else {
            return Ok(None);
        };
        match (field.kind, last) {
            (Kind::Text, Value::Bytes(text)) => Ok(Some(utf8(text)?.to_owned())),
            (Kind::Int, Value::Number(number)) => Ok(Some(int(number).to_string())),
            _ => Err(Malformed),
        }
    }

    /// Visits the texts at the end of a path of fields.
    ///
    /// # Errors
    /// When the message is malformed, or there is no such path.
    pub fn visit_texts(
        &self,
        path: &[&str],
        message: &[u8],
        visit: &mut dyn FnMut(&str),
    ) -> Result<(), Malformed> {
        let (name, rest) = path.split_first().ok_or(Malformed)?;
        let mut fields = self.fields.iter();
        let field = fields.find(|field| field.name == *name).ok_or(Malformed)?;
        let mut reader = Reader(message);
        while let Some((number, value)) = reader.next()? {
            if number == field.number {
                match (field.kind, value) {
                    (Kind::Message(shape), Value::Bytes(inner)) => {
                        shape.visit_texts(rest, inner, visit)?;
                    }
                    (Kind::Text, Value::Bytes(text)) => visit(utf8(text)?),
                    _ => return Err(Malformed),
                }
            }
        }
        Ok(())
    }

    /// Where each of the fields is.
    fn find_all<'m>(
        &self,
        message: &'m [u8],
    ) -> Result<[Option<Found<'m>>; MOST_FIELDS], Malformed> {
        let mut found = [None; MOST_FIELDS];
        let mut reader = Reader(message);
        let mut next = 0;
        loop {
            let from_first = reader;
            let Some((number, last)) = reader.next()? else {
                return Ok(found);
            };
            // Fields come in the order of their numbers, which is almost always that of the proto.
            let is_field = |index: &usize| {
                let field = self.fields.get(*index);
                field.is_some_and(|field| field.number == number)
            };
            let index = [next, next + 1].into_iter().find(is_field);
            let index = index.or_else(|| (0..self.fields.len()).find(is_field));
            let Some(index) = index else { continue };
            next = index;
            if let Some(place) = found.get_mut(index) {
                let first = place.map_or(from_first, |before: Found<'m>| before.from_first);
                *place = Some(Found {
                    last,
                    from_first: first,
                });
            }
        }
    }
}

impl Field {
    /// Writes its name, with a comma before it.
    fn write_name(&self, out: &mut Vec<u8>) {
        // Names are letters, digits and underscores.
        out.extend_from_slice(b",\"");
        out.extend_from_slice(self.name.as_bytes());
        out.extend_from_slice(b"\":");
    }

    fn write(&self, found: Option<Found<'_>>, out: &mut Vec<u8>) -> Result<(), Malformed> {
        match (self.count, found) {
            (Count::Many, None) => out.extend_from_slice(b"[]"),
            (Count::Many, Some(found)) => return self.write_all(found.from_first, out),
            (_, Some(found)) => return self.write_one(found.last, out),
            (Count::Optional, None) => out.extend_from_slice(b"null"),
            (Count::One, None) => out.extend_from_slice(match self.kind {
                Kind::Text => b"\"\"",
                Kind::Int => b"0",
                Kind::Bool => b"false",
                Kind::Message(_) => b"null",
            }),
        }
        Ok(())
    }

    fn write_all(&self, mut reader: Reader<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
        let mut separator = b'[';
        while let Some((number, value)) = reader.next()? {
            if number == self.number {
                out.push(separator);
                separator = b',';
                self.write_one(value, out)?;
            }
        }
        out.push(b']');
        Ok(())
    }

    /// Writes the first values that come one after the other, as almost always all do. Returns the field that follows.
    fn write_some<'m>(
        &self,
        first: Value<'m>,
        reader: &mut Reader<'m>,
        out: &mut Vec<u8>,
    ) -> Result<Option<(u32, Value<'m>)>, Malformed> {
        out.push(b'[');
        self.write_one(first, out)?;
        loop {
            match reader.next()? {
                Some((number, value)) if number == self.number => {
                    out.push(b',');
                    self.write_one(value, out)?;
                }
                next => {
                    out.push(b']');
                    return Ok(next);
                }
            }
        }
    }

    fn write_one(&self, value: Value<'_>, out: &mut Vec<u8>) -> Result<(), Malformed> {
        match (self.kind, value) {
            (Kind::Message(shape), Value::Bytes(message)) => shape.write_json(message, out),
            (Kind::Text, Value::Bytes(text)) => write_text(text, out),
            (Kind::Int, Value::Number(number)) => {
                let written = CompactFormatter.write_i32(out, int(number));
                written.map_err(|_| Malformed)
            }
            (Kind::Bool, Value::Number(number)) => {
                let text: &[u8] = if number == 0 { b"false" } else { b"true" };
                out.extend_from_slice(text);
                Ok(())
            }
            _ => Err(Malformed),
        }
    }
}

/// Negative numbers are extended to 64 bits.
#[expect(clippy::cast_possible_truncation, reason = "as the protocol says")]
const fn int(number: u64) -> i32 {
    number as i32
}

fn utf8(text: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(text).map_err(|_| Malformed)
}

/// Writes a text with its quotes.
fn write_text(text: &[u8], out: &mut Vec<u8>) -> Result<(), Malformed> {
    /// Parts of a text are looked through as a whole, which takes a fraction of the time that each character would take.
    const PART: usize = 64;
    // Most texts of a list are ids, times and links, of which this says sooner that they are UTF-8.
    if !text.is_ascii() {
        utf8(text)?;
    }
    out.push(b'"');
    for part in text.chunks(PART) {
        // Without a way out of the middle, the compiler looks at many bytes at a time.
        let has_escaped = part.iter().fold(false, |any, byte| any | is_escaped(*byte));
        if has_escaped {
            write_escaped(part, out);
        } else {
            out.extend_from_slice(part);
        }
    }
    out.push(b'"');
    Ok(())
}

const fn is_escaped(byte: u8) -> bool {
    byte < b' ' || byte == b'"' || byte == b'\\'
}

/// Writes a part of a text with what JSON demands to be escaped.
fn write_escaped(part: &[u8], out: &mut Vec<u8>) {
    for piece in part.split_inclusive(|byte| is_escaped(*byte)) {
        let (last, plain) = match piece.split_last() {
            Some((last, plain)) if is_escaped(*last) => (*last, plain),
            _ => {
                out.extend_from_slice(piece);
                continue;
            }
        };
        out.extend_from_slice(plain);
        let short = match last {
            b'\x08' => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            b'\x0c' => b'f',
            b'\r' => b'r',
            b'"' | b'\\' => last,
            _ => {
                // Nothing fails that writes into memory.
                let _infallible = write!(out, "\\u{last:04x}");
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
}

impl<'m> Reader<'m> {
    /// The number and the value of the next field.
    fn next(&mut self) -> Result<Option<(u32, Value<'m>)>, Malformed> {
        if self.0.is_empty() {
            return Ok(None);
        }
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).map_err(|_| Malformed)?;
        let value = match tag & 7 {
            0 => Value::Number(self.varint()?),
            1 => Value::Bytes(self.take(8)?),
            2 => {
                let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
                Value::Bytes(self.take(length)?)
            }
            5 => Value::Bytes(self.take(4)?),
            _ => return Err(Malformed),
        };
        Ok(Some((number, value)))
    }

    fn take(&mut self, length: usize) -> Result<&'m [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(length).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        /// Ten groups of seven bits.
        const MOST_BITS: u32 = 70;
        let (mut number, mut shift) = (0_u64, 0);
        loop {
            let (byte, rest) = self.0.split_first().ok_or(Malformed)?;
            self.0 = rest;
            number |= u64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
            if byte & 0x80 == 0 {
                return Ok(number);
            }
            shift += 7;
            if shift >= MOST_BITS {
                return Err(Malformed);
            }
        }
    }
}
