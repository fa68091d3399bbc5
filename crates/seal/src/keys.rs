//! Changing the key.

use std::str::FromStr;

use crate::{InvalidKey, OpenError, SecretKey};

/// The key that seals, and former ones that still open. Read from keys separated by commas, the one that seals first.
#[derive(Debug, Clone)]
pub struct SecretKeys {
    current: SecretKey,
    former: Vec<SecretKey>,
}

impl SecretKeys {
    /// Seals with the current key, and opens with all of them.
    pub fn new(current: SecretKey, former: Vec<SecretKey>) -> Self {
        Self { current, former }
    }

    /// The key that seals.
    pub fn current(&self) -> &SecretKey {
        &self.current
    }

    /// The keys that only open.
    pub fn former(&self) -> &[SecretKey] {
        &self.former
    }

    /// All keys, the one that seals first.
    pub fn all(&self) -> impl Iterator<Item = &SecretKey> {
        std::iter::once(&self.current).chain(&self.former)
    }

    /// Seals a secret with the current key; see [`SecretKey::seal`].
    pub fn seal(&self, context: &[u8], secret: &[u8]) -> Vec<u8> {
        self.current.seal(context, secret)
    }

    /// Opens what was sealed under any of the keys for this context.
    ///
    /// # Errors
    /// [`OpenError::OtherKey`] if it was sealed under none of them, and what [`SecretKey::open`] says.
    pub fn open(&self, context: &[u8], sealed: &[u8]) -> Result<Vec<u8>, OpenError> {
        let mut opened = self.current.open(context, sealed);
        for former in &self.former {
            if opened != Err(OpenError::OtherKey) {
                break;
            }
            opened = former.open(context, sealed);
        }
        opened
    }
}

impl From<SecretKey> for SecretKeys {
    fn from(current: SecretKey) -> Self {
        Self::new(current, Vec::new())
    }
}

impl FromStr for SecretKeys {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let mut keys = text.split(',').map(|key| key.trim().parse());
        let current = keys.next().unwrap_or(Err(InvalidKey))?;
        Ok(Self::new(current, keys.collect::<Result<_, _>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_former_key_opens_and_the_current_one_seals() {
        let (old, new) = (SecretKey::generate(), SecretKey::generate());
        let before = SecretKeys::from(old.clone());
        let sealed = before.seal(b"webhook:1", b"secret");
        let text = format!("{}, {}", &*new.text(), &*old.text());
        let both: SecretKeys = text.parse().unwrap();
        assert_eq!(both.open(b"webhook:1", &sealed).unwrap(), b"secret");
        assert_eq!(both.open(b"webhook:2", &sealed), Err(OpenError::Damaged));
        let again = both.seal(b"webhook:1", b"secret");
        let after = SecretKeys::from(new);
        assert_eq!(after.open(b"webhook:1", &again).unwrap(), b"secret");
        assert_eq!(after.open(b"webhook:1", &sealed), Err(OpenError::OtherKey));
        assert_eq!(before.open(b"webhook:1", &again), Err(OpenError::OtherKey));
    }

    #[test]
    fn every_key_of_a_list_must_be_one() {
        let key = SecretKey::generate().text();
        for text in [
            String::new(),
            format!("{},", &*key),
            format!(",{}", &*key),
            format!("{},password", &*key),
        ] {
            assert_eq!(text.parse::<SecretKeys>().unwrap_err(), InvalidKey);
        }
    }

    #[test]
    fn keys_are_not_printed() {
        let keys = SecretKeys::new(SecretKey::generate(), vec![SecretKey::generate()]);
        let printed = format!("{keys:?}");
        assert_eq!(printed.matches("[redacted]").count(), 2);
        assert!(!printed.contains(&*keys.current().text()));
    }
}
