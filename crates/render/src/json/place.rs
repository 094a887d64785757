//! Where something is: workspaces, origins, and findings at them.

use backscroll_model::{FactOrigin, Finding, Origin, Workspace};
use serde::Serialize;

use super::each::Wired;
use super::scalar::PathText;

#[derive(Serialize)]
pub(super) struct WireWorkspace<'a> {
    path: &'a str,
    uri: Option<&'a str>,
    remote: Option<&'a str>,
    by: &'static str,
}

impl Wired for Workspace {
    type Wire<'a> = WireWorkspace<'a>;

    fn wire(&self) -> WireWorkspace<'_> {
        WireWorkspace {
            path: &self.path,
            uri: self.uri.as_deref(),
            remote: self.remote.as_deref(),
            by: self.by.name(),
        }
    }
}

#[derive(Serialize)]
pub(super) struct WireOrigin<'a> {
    layer: &'static str,
    file: PathText<'a>,
    key: &'a str,
}

impl Wired for Origin {
    type Wire<'a> = WireOrigin<'a>;

    fn wire(&self) -> WireOrigin<'_> {
        WireOrigin { layer: self.layer.name(), file: PathText(&self.file), key: &self.key }
    }
}

/// Where one fact was read.
#[derive(Serialize)]
pub(super) struct WireFactOrigin<'a> {
    fact: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<&'a str>,
    origin: WireOrigin<'a>,
}

impl Wired for FactOrigin {
    type Wire<'a> = WireFactOrigin<'a>;

    fn wire(&self) -> WireFactOrigin<'_> {
        WireFactOrigin { fact: self.fact.name(), call: self.call.as_deref(), origin: self.origin.wire() }
    }
}

#[derive(Serialize)]
pub(super) struct WireFinding<'a> {
    kind: &'static str,
    at: WireOrigin<'a>,
    says: &'a str,
}

impl Wired for Finding {
    type Wire<'a> = WireFinding<'a>;

    fn wire(&self) -> WireFinding<'_> {
        WireFinding { kind: self.kind.name(), at: self.at.wire(), says: &self.says }
    }
}
