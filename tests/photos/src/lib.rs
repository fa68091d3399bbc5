//! A server that answers as the providers of stock photographs do, and as they should not; and pictures, good and bad.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

pub mod answers;
mod pictures;
mod server;

pub use self::{
    pictures::{
        assert_is_cover, assert_is_turned_cover, jpeg, jpeg_bomb, photograph, png, png_bomb,
    },
    server::{Reply, Seen, Server},
};
