//! Tests of the decoders from the outside: recorded stores, facts from other tools, arbitrary bytes.

mod agent;
