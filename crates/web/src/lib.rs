//! The whole history in a browser, served to this machine alone.
