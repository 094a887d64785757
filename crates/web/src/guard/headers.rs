//! What every answer says to the browser about itself.

use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS, X_FRAME_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

/// Nothing but our own files is loaded, nothing inline is run, and nobody may put our pages into theirs.
pub(crate) const POLICY: &str = "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; \
                                 frame-src 'none'; img-src 'self'; object-src 'none'; script-src 'self'; style-src 'self'";

/// Adds them, where the answer does not say something stricter of its own.
pub(crate) fn protect(head: &mut HeaderMap) {
    const ALWAYS: [(HeaderName, &str); 6] = [
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (X_FRAME_OPTIONS, "DENY"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
    ];
    for (name, value) in ALWAYS {
        head.insert(name, HeaderValue::from_static(value));
    }
    head.entry(CONTENT_SECURITY_POLICY).or_insert(HeaderValue::from_static(POLICY));
    // What is shown is the user's own: a shared cache must not keep it, and the browser asks again.
    head.entry(CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
}
