//! Cursors: where a page of a list ended, as a text that clients give back for the next page. Later pages cost as much as the first,
//! and what is added meanwhile moves nothing.

use sha2::{Digest, Sha256};
use uuid::Uuid;

/// Bytes of a cursor: a sort key, an id and a checksum.
const KEY: usize = 8;
const ID: usize = 16;
const CHECKSUM: usize = 8;

/// An item of a list, after which a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// The item's sort key.
    pub key: i64,
    /// The item, among those with the same key.
    pub id: Uuid,
}

/// A list with its filters. A cursor is valid for the list that it is from: for another one it would skip or repeat items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListName([u8; 32]);

impl ListName {
    /// The list with these properties: what it lists, of whom, and its filters. An absent filter differs from an empty one.
    pub fn new<'t>(properties: impl IntoIterator<Item = Option<&'t str>>) -> Self {
        let mut hasher = Sha256::new();
        for property in properties {
            let length = property.map_or(u64::MAX, |text| text.len() as u64);
            hasher.update(length.to_be_bytes());
            hasher.update(property.unwrap_or_default());
        }
        Self(hasher.finalize().into())
    }

    /// It is no secret: whoever can make a valid cursor reads no more with it than without.
    fn checksum(self, place: &[u8]) -> [u8; CHECKSUM] {
        let digest: [u8; 32] = Sha256::new()
            .chain_update(self.0)
            .chain_update(place)
            .finalize()
            .into();
        let mut checksum = [0; CHECKSUM];
        checksum.copy_from_slice(&digest[..CHECKSUM]);
        checksum
    }
}

impl Place {
    /// The cursor of this place in a list, in hexadecimal.
    pub fn cursor(self, list: ListName) -> String {
        let place = self.bytes();
        let mut text = String::with_capacity(2 * (KEY + ID + CHECKSUM));
        for byte in place.iter().chain(&list.checksum(&place)) {
            for digit in [byte >> 4, byte & 0xf] {
                text.extend(char::from_digit(digit.into(), 16));
            }
        }
        text
    }

    /// The place that a cursor of this list names; `None` if it is of another list, or no cursor.
    pub fn of_cursor(text: &str, list: ListName) -> Option<Self> {
        let bytes = decoded(text)?;
        let (place, checksum) = bytes.split_at(KEY + ID);
        if list.checksum(place) != *checksum {
            return None;
        }
        let (key, id) = place.split_at(KEY);
        Some(Self {
            key: i64::from_be_bytes(key.try_into().ok()?),
            id: Uuid::from_slice(id).ok()?,
        })
    }

    fn bytes(self) -> [u8; KEY + ID] {
        let mut bytes = [0; KEY + ID];
        let (key, id) = bytes.split_at_mut(KEY);
        key.copy_from_slice(&self.key.to_be_bytes());
        id.copy_from_slice(self.id.as_bytes());
        bytes
    }
}

fn decoded(text: &str) -> Option<[u8; KEY + ID + CHECKSUM]> {
    let digits = text.as_bytes();
    let mut bytes = [0; KEY + ID + CHECKSUM];
    if digits.len() != 2 * bytes.len() {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        let pair = std::str::from_utf8(pair).ok()?;
        // Parsing would take a sign.
        let is_hex = pair.bytes().all(|digit| digit.is_ascii_hexdigit());
        *byte = u8::from_str_radix(pair, 16).ok().filter(|_| is_hex)?;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place() -> Place {
        Place {
            key: -1_893_456_000_000_000,
            id: Uuid::from_u128(0x0197_a3c5_5d0f_7c3e_9d52_0f6d_8a1b_2c3d),
        }
    }

    #[test]
    fn a_cursor_is_read_for_its_own_list_only() {
        let list = ListName::new([Some("events"), Some("ada"), None]);
        let cursor = place().cursor(list);
        assert_eq!(Place::of_cursor(&cursor, list), Some(place()));
        for other in [
            ListName::new([Some("events"), Some("bob"), None]),
            ListName::new([Some("events"), Some("ada"), Some("")]),
            ListName::new([Some("eventsada"), Some(""), None]),
        ] {
            assert_eq!(Place::of_cursor(&cursor, other), None);
        }
    }

    #[test]
    fn what_is_no_cursor_is_not_read() {
        let list = ListName::new([Some("events")]);
        let cursor = place().cursor(list);
        for at in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[at] = if changed[at] == b'0' { b'1' } else { b'0' };
            let changed = String::from_utf8(changed).unwrap();
            assert_eq!(Place::of_cursor(&changed, list), None, "{at}");
        }
        let signed = cursor.replacen(&cursor[..2], "+1", 1);
        for text in [
            "",
            "0",
            "\u{1f389}",
            &cursor[1..],
            &format!("{cursor}00"),
            &signed,
        ] {
            assert_eq!(Place::of_cursor(text, list), None, "{text}");
        }
    }
}
