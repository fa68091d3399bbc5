//! Messages as gRPC sends them. Each is written into a vector of its size: tonic's buffer is asked for room with each byte of a number, and one
//! that grows as it is written would move a page of a list several times.

use std::marker::PhantomData;

use prost::{Message, bytes::BufMut as _};
use tonic::{
    Status,
    codec::{self, BufferSettings, EncodeBuf},
};
use tonic_prost::ProstDecoder;

/// Room for small answers, and for how many bytes of a stream's messages are sent together.
const ROOM: usize = 512;
const TOGETHER: usize = 32 << 10;

/// Writes messages of one type and reads those of another.
#[derive(Debug, Clone)]
pub struct Codec<T, U>(PhantomData<(T, U)>);

impl<T, U> Default for Codec<T, U> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<T, U> codec::Codec for Codec<T, U>
where
    T: Message + Send + 'static,
    U: Message + Default + Send + 'static,
{
    type Encode = T;
    type Decode = U;
    type Encoder = Encoder<T>;
    type Decoder = ProstDecoder<U>;

    fn encoder(&mut self) -> Encoder<T> {
        Encoder(PhantomData)
    }

    fn decoder(&mut self) -> ProstDecoder<U> {
        ProstDecoder::new(BufferSettings::new(ROOM, TOGETHER))
    }
}

/// Writes messages.
#[derive(Debug, Clone)]
pub struct Encoder<T>(PhantomData<T>);

impl<T: Message> codec::Encoder for Encoder<T> {
    type Item = T;
    type Error = Status;

    fn encode(&mut self, message: T, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message.encode_to_vec());
        Ok(())
    }

    fn buffer_settings(&self) -> BufferSettings {
        BufferSettings::new(ROOM, TOGETHER)
    }
}
