//! Closed sets of names.

/// Declares enums whose variants have names: `Type { Variant = "name", … }`. Each has `ALL`, `name`, `named` and `Display`. With
/// `/ Unknown: "…"` it is parsed, too: `Unknown` is the error in these words, and `Unknown(String)` one that quotes the text as `{0}`.
macro_rules! names {
    ($($(#[$meta:meta])+ $type:ident $(/ $unknown:ident $(($text:ty))?: $message:literal)? {
        $($(#[$variant_meta:meta])+ $variant:ident = $name:literal,)+
    })+) => {$(
        $(#[$meta])+
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $type { $($(#[$variant_meta])+ $variant,)+ }

        impl $type {
            /// All of them.
            pub const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            /// Its name, as it is stored and shown.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// The one with this name.
            pub fn named(name: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|one| one.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                out.write_str(self.name())
            }
        }

        $($crate::names::names!(@parsed $type $unknown $(($text))?: $message);)?
    )+};
    (@parsed $type:ident $unknown:ident $(($text:ty))?: $message:literal) => {
        /// The text is none of the names.
        #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
        #[error($message)]
        pub struct $unknown $(($text))?;

        impl std::str::FromStr for $type {
            type Err = $unknown;

            fn from_str(name: &str) -> Result<Self, $unknown> {
                Self::named(name).ok_or_else(|| $unknown $((<$text>::from(name)))?)
            }
        }
    };
}
pub(crate) use names;
