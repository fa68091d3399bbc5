//! How every edge calls core: channels, deadlines, metadata, Status to problem.
