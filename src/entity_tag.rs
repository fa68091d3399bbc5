//! Entity tags, which name a version of an answer (RFC 9110, section 8.8.3).

/// Whether the value of an `If-None-Match` header names a tag, by weak comparison.
pub fn is_named(tags: &[u8], tag: &[u8]) -> bool {
    let opaque = |tag: &[u8]| tag.strip_prefix(b"W/").unwrap_or(tag).to_vec();
    let wanted = opaque(tag);
    tags.split(|byte| *byte == b',')
        .map(<[u8]>::trim_ascii)
        .any(|tag| tag == b"*" || opaque(tag) == wanted)
}
