//! The MCP port: the protocol around the tools, which the other modules call like any other surface.

mod confirmation;
mod parity;
mod protocol;
mod tools;
