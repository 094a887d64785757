//! Our own files: style, script, icon. A fixed table, built into the program: no address can lead to another file.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::http::HeaderValue;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::problem::{Problem, Result};

struct Asset {
    name: &'static str,
    media_type: &'static str,
    content: &'static str,
}

const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

static ASSETS: &[Asset] = &[
    Asset { name: "app.css", media_type: CSS, content: include_str!("../assets/app.css") },
    Asset { name: "app.js", media_type: SCRIPT, content: include_str!("../assets/app.js") },
    Asset { name: "conversation.js", media_type: SCRIPT, content: include_str!("../assets/conversation.js") },
    Asset { name: "page.css", media_type: CSS, content: backscroll_render::html::STYLE },
    Asset { name: "page.js", media_type: SCRIPT, content: backscroll_render::html::SCRIPT },
    Asset { name: "stretches.js", media_type: SCRIPT, content: include_str!("../assets/stretches.js") },
    Asset { name: "theme.js", media_type: SCRIPT, content: include_str!("../assets/theme.js") },
    Asset { name: "icon.svg", media_type: "image/svg+xml", content: include_str!("../assets/icon.svg") },
];

/// Stands in every asset's address, so that a browser may keep it for ever and still asks after an update.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let bytes = ASSETS.iter().flat_map(|asset| asset.content.bytes());
    // FNV-1a: this only has to differ between two builds.
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
});

pub(crate) fn address(name: &str) -> String {
    format!("/assets/{}/{name}", *VERSION)
}

/// `GET /assets/{version}/{name}`.
pub(crate) async fn asset(Path((version, name)): Path<(String, String)>) -> Result<Response> {
    let asset = ASSETS.iter().find(|asset| asset.name == name).ok_or_else(Problem::no_page)?;
    // A page that another build has made still works, but what it is given is not what its address means.
    let keeping = if version == *VERSION { "public, max-age=31536000, immutable" } else { "no-cache" };
    let head = [
        (CONTENT_TYPE, HeaderValue::from_static(asset.media_type)),
        (CACHE_CONTROL, HeaderValue::from_static(keeping)),
    ];
    Ok((head, asset.content).into_response())
}
