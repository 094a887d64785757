//! What was not as it should be.

use std::collections::BTreeMap;

use backscroll_model::Conversation;
use maud::{Markup, html};

use super::Look;
use super::stored::{in_a_line, shown};
use crate::Detail;
use crate::terminal::folded::counted;

/// The findings of a conversation: how many, and at full detail every one.
pub fn findings(conversation: &Conversation, look: &Look) -> Markup {
    let mut kinds: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in &conversation.findings {
        *kinds.entry(finding.kind.name()).or_default() += 1;
    }
    let kinds: Vec<_> = kinds.iter().map(|(kind, number)| format!("{number} {kind}")).collect();
    let total = counted(u64::try_from(conversation.findings.len()).unwrap_or(u64::MAX), "finding");
    html! {
        @if !conversation.findings.is_empty() {
            section.findings aria-label="Findings" {
                p { (total) ": " (kinds.join(", ")) }
                @if look.detail == Detail::Full {
                    ul {
                        @for finding in &conversation.findings {
                            li {
                                strong { (finding.kind.name()) } " " (shown(&finding.says))
                                br;
                                span.origin {
                                    (finding.at.layer.name()) " " (in_a_line(&finding.at.file.display().to_string(), 400)) " " (in_a_line(&finding.at.key, 200))
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}
