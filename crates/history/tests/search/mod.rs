//! Search through the whole way: a home on disk, its index, and questions.

mod answers;
mod corpus;
mod quality;
mod world;
